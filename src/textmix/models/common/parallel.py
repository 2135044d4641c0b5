"""Fit independent labels or chains in parallel with joblib; ``n_jobs`` follows scikit-learn's convention."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Constraint of the parameter ``n_jobs`` for ``_parameter_constraints``.
N_JOBS_CONSTRAINT: list[Any] = [Integral, None]


def map_chunks(
    function: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Apply a function to chunks of independent items, one chunk per job, and concatenate the results in order.

    Parameters
    ----------
    function : callable
        Returns a list with one result per item of a chunk. It must be picklable.
    items : sequence
        Items; the result of an item must not depend on the other items of its chunk.
    n_jobs : int or None
        Number of jobs, see ``n_jobs`` in scikit-learn's glossary.

    Returns
    -------
    results : list
        One result per item.
    """
    n_chunks = max(1, min(effective_n_jobs(n_jobs), len(items)))
    bounds = np.linspace(0, len(items), n_chunks + 1).astype(int)
    chunks = [items[start:stop] for start, stop in itertools.pairwise(bounds)]
    # No memory maps: they are read-only, for which the kernels would be compiled again.
    results = Parallel(n_jobs=n_jobs, max_nbytes=None)(delayed(function)(chunk) for chunk in chunks)
    return [result for chunk in results for result in chunk]
