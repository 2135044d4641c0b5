"""Bench of threads inside a job: the kernels that work on ranges of rows, in two threads beside one.

Two lines tell how far two threads of the machine go at most: products of matrices that the cache holds, and the reading
of arrays that it does not hold.  Processors that share a core, a clock that falls, and one path to the memory leave
less than 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from reproduction.bench.roofline import LARGEST, ROWS, Work, products, reading
from reproduction.bench.timing import compare, judge
from textmix.data.corpus import Ragged
from textmix.models.linear.path import PathClassifier
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.numerics.threads import side_by_side, using
from textmix.text.skipgrams import Skipgrams

#: Pages whose label sets are searched, and words of which the skip-grams are counted.
PAGES, WORDS = 1000, 1_000_000
ONE, TWO = "one thread", "two threads"
#: Pieces of work for the lines of the machine.
PIECES = 8


def bench_threads(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 5) -> list[dict[str, Any]]:
    """Time each kernel in two threads beside one, wanted 1.7 times as fast, and what the machine itself gains.

    Parameters
    ----------
    X : counts, CSR (N, V).
    Y : label indicators, CSR (N, L).
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`.
    """
    rows = []
    for calls, targets in ((_kernels(X, Y), {TWO: 1.0 / 1.7}), (_machine(), {})):
        for name, (call, work) in calls.items():
            timed = compare({TWO: _in_threads(2, call), ONE: _in_threads(1, call)}, repeats)
            each = {ONE: work, TWO: Work(work.bytes / 2, work.operations / 2)}
            rows += judge(f"threads_{name}", timed, ONE, targets, each)
    return rows


def _kernels(X: sparse.csr_array, Y: sparse.csr_array) -> dict[str, tuple[Callable[[], object], Work]]:
    """Return the name of a kernel -> a call of it, of fitted models or of what fits them, and its least work."""
    first = Y[:, [0]].toarray().ravel()
    pages, neighbours, mixture = X[:PAGES], KNNClassifier().fit(X, first), PMM1().fit(X, Y.toarray())
    words = np.repeat(X.indices, X.data.astype(np.int64))[:WORDS]
    tokens = Ragged(words.astype(np.int32), np.append(np.arange(0, len(words), 200), len(words)))
    path = PathClassifier(l1_ratio=0.5, n_lambdas=4, folds=2, random_state=0)
    # The greedy search scores each label at each count; a path reads all documents once, and each twice in the folds.
    return {
        "neighbours": (lambda: neighbours.kneighbors(pages), reading(X, operations=products(X, pages))),
        "label_sets": (lambda: mixture.predict(pages), reading(pages, operations=2.0 * pages.nnz * Y.shape[1])),
        "skipgrams": (lambda: Skipgrams(3, 1).fit(tokens, X.shape[1]).transform(tokens), reading(tokens.values)),
        "path": (lambda: path.fit(X, first), reading(X, times=2)),
    }


def _machine() -> dict[str, tuple[Callable[[], object], Work]]:
    """Return the lines of the machine, as `_kernels` those of kernels: arithmetic in the cache, and reading."""
    square, long = np.ones((ROWS, ROWS)), np.ones(2**LARGEST // 8)
    return {
        "machine_operations": (lambda: _in_pieces(square), Work(operations=PIECES * 2.0 * ROWS**3)),
        "machine_bytes": (lambda: _in_pieces(long), Work(bytes=float(PIECES * long.nbytes))),
    }


def _in_pieces(array: np.ndarray) -> None:
    """Multiply an array by itself, once a piece: a square matrix, or a vector that is read."""
    with threadpool_limits(1):
        list(side_by_side(np.dot, [(array, array)] * PIECES))


def _in_threads(number: int, call: Callable[[], object]) -> Callable[[], object]:
    """Return a call that runs in a number of threads."""

    def run() -> object:
        """Run the call."""
        with using(number):
            return call()

    return run
