"""Ranges of rows side by side: every row once, and the same bytes for any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.early_stops import stops_early
from textmix.models.linear.path import PathClassifier
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.pmm.estimator import PMM1, PMM2
from textmix.numerics.threads import by_rows, number, ranges, side_by_side, using

RNG = np.random.default_rng(0)
X = sparse.csr_array(RNG.poisson(0.4, (53, 19)))
Y = RNG.integers(0, 2, (53, 4))
Y[np.arange(53), RNG.integers(0, 4, 53)] = 1
TWO = Y[:, 0]


@pytest.mark.parametrize("parts", [1, 2, 3, 60])
def test_ranges_hold_each_row_once(parts: int) -> None:
    found = ranges(X.indptr, parts)
    assert [row for low, high in found for row in range(low, high)] == list(range(53))
    assert ranges(np.zeros(1, dtype=np.int64), 2) == [(0, 0), (0, 0)]


def test_results_come_in_order() -> None:
    with using(3):
        assert number() == 3
        assert list(side_by_side(pow, ((n, 2) for n in range(9)))) == [n * n for n in range(9)]
        (rows,) = by_rows(lambda low, high: (np.arange(low, high),), X.indptr)
    assert rows.tolist() == list(range(53))


def neighbours(representation: str) -> Callable[[], Any]:
    """Return a function that computes nearest neighbours with one representation."""
    return lambda: KNNClassifier(representation=representation).fit(X, TWO).kneighbors(X[:20], 5)


def label_sets(model: PMM1 | PMM2) -> Any:
    """Fit a mixture in few iterations and predict the label sets and their scores."""
    with stops_early():
        return model.fit(X, Y).predict_both(X)


RESULTS: dict[str, Callable[[], Any]] = {
    **{f"neighbours {name}": neighbours(name) for name in ("tfidf", "fisher_dcm")},
    **{
        f"{model.__name__} {search}": lambda model=model, search=search: label_sets(model(search=search, max_iter=5))
        for model in (PMM1, PMM2)
        for search in ("greedy", "beam", "flip", "exact")
    },
    "path": lambda: (PathClassifier(l1_ratio=0.5, random_state=0).fit(X, TWO).cv_accuracy_,),
}


@pytest.mark.parametrize("name", RESULTS)
def test_threads_change_no_byte(name: str) -> None:
    found = []
    for threads in (1, 2, 3):
        with using(threads):
            found.append([np.asarray(array).tobytes() for array in RESULTS[name]()])
    assert found[0] == found[1] == found[2]
