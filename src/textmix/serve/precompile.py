"""`textmix warm`: compile the kernels ahead, so that no first fit waits for the compiler, as an image of a container.

Each public class is fitted to a few small documents, sparse and dense, and asked for all that it can tell of them.
The machine code for these types of arguments lies in the cache afterwards.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

import textmix
from textmix.core.errors import ConfigError, suggest

#: Parameters that make a fit long, and values that make it short; the kernels are the same.
SHORT: dict[str, Any] = {
    **{"max_iter": 3, "n_components": 2, "n_init": 1, "trees": 5, "n_chains": 2, "sweeps": 20, "kept": 10, "folds": 2},
    **{
        "candidates": (2,),
        "hidden": 2,
        "decays": (1.0,),
        "costs": (1.0, 2.0),
        "cost_factors": (1.0,),
        "n_components": 2,
    },
    **{"n_clusters": 3, "n_states": 2, "min_df": 1, "max_n": 2, "random_state": 0},
}
#: Methods that are called on a fitted object.
_ASKED = ("transform", "predict", "predict_proba", "decision_function", "score_samples", "confidence")
DOCUMENTS = 24


@dataclass(frozen=True)
class Warmed:
    """The kernels compiled for one class; ``seconds`` of the clock, ``missing`` says why it could not be tried."""

    name: str
    seconds: float
    missing: str = ""


def warm(names: Sequence[str] = ()) -> Iterator[Warmed]:
    """Compile the kernels of some public classes, of all by default; yield one after the other."""
    known = [name for name in dir(textmix) if hasattr(getattr(textmix, name), "fit")]
    for name in names:
        if name not in known:
            raise ConfigError(f"{name!r} is no public class; {suggest(name, known)}")
    for name in names or known:
        start, missing = time.perf_counter(), ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a fit of three iterations does not converge
                _use(getattr(textmix, name))
        except ModuleNotFoundError as error:
            missing = str(error)
        yield Warmed(name, time.perf_counter() - start, missing)


def _use(kind: Any) -> None:
    """Fit an object of a public class to small documents in each form that it takes, and ask it."""
    made = kind()
    params = made.get_params()
    made.set_params(**{key: value for key, value in SHORT.items() if key in params})
    for documents, y in _inputs(made):
        made.fit(documents, y)
        for method in _ASKED:
            if hasattr(made, method):
                getattr(made, method)(documents)
        if hasattr(made, "set_log_proba"):
            made.set_log_proba(documents, y)


def _inputs(made: Any) -> Iterator[tuple[Any, Any]]:
    """Yield documents and targets in each form that an object takes."""
    tags, rng = made.__sklearn_tags__(), np.random.default_rng(0)
    X = rng.poisson(0.4, (DOCUMENTS, 12)) + np.eye(DOCUMENTS, 12, dtype=np.int64)
    several = tags.classifier_tags is not None and tags.classifier_tags.multi_label
    y = np.arange(DOCUMENTS) % 2
    Y = np.stack([y, 1 - y, y | (np.arange(DOCUMENTS) % 3 == 0)], axis=1)
    target = Y if several and not tags.target_tags.single_output else y
    texts = [" ".join(f"word{column}" for column in np.flatnonzero(row)) for row in X]
    if tags.input_tags.string:
        yield texts, None
    elif not tags.input_tags.two_d_array:
        yield [np.flatnonzero(row) for row in X], target
    else:
        for documents in (sparse.csr_array(X), X, sparse.csr_array(X, dtype=np.float64)):
            yield documents, target
