"""Speed-up with two threads (wall-clock time): parallel kernels over row ranges, and the limit of the machine.

Hyper-threading, lower clock rates and a common memory bus reduce the speed-up below 2.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from documents import counts, line
from roofline import LARGEST, ROWS, Work, products, reading

from textmix import PMM1, KNNClassifier, PathClassifier
from textmix.data.corpus import Ragged
from textmix.numerics.threads import side_by_side, using
from textmix.text.skipgrams import Skipgrams

PIECES, PAGES = 8, 1000


def calls_of(kernel: str) -> tuple[Callable[[], object], Work]:
    """Return a call of a kernel, for prediction or fitting, and its minimum work."""
    if kernel.startswith("machine"):
        side, long = np.ones((ROWS, ROWS)), np.ones(2**LARGEST // 8)
        array, work = (
            (side, Work(operations=PIECES * 2.0 * ROWS**3))
            if "cache" in kernel
            else (long, reading(long, times=PIECES))
        )
        return lambda: list(side_by_side(np.dot, [(array, array)] * PIECES)), work
    X, Y = counts("parts", 1.0)
    first, pages = Y[:, 0], X[:PAGES]
    if kernel == "neighbours":
        neighbours = KNNClassifier().fit(X, first)
        return lambda: neighbours.kneighbors(pages), reading(X, operations=products(X, pages))
    if kernel == "label sets":
        mixture = PMM1().fit(X, Y)
        return lambda: mixture.predict(pages), reading(pages, operations=2.0 * pages.nnz * Y.shape[1])
    if kernel == "skip-grams":
        words = np.repeat(X.indices, X.data.astype(np.int64))[:1_000_000].astype(np.int32)
        tokens = Ragged(words, np.append(np.arange(0, len(words), 200), len(words)))
        return lambda: Skipgrams(3, 1).fit(tokens, X.shape[1]).transform(tokens), reading(words)
    path = PathClassifier(l1_ratio=0.5, n_lambdas=4, folds=2, random_state=0)
    return lambda: path.fit(X, first), reading(X, times=2)


KERNELS = ("neighbours", "label sets", "skip-grams", "path of penalties", "machine, cache", "machine, memory")


@line("threads", "textmix, two", "one", timer=time.perf_counter)
@pytest.mark.parametrize("kernel", KERNELS)
def bench_threads(name: str, kernel: str, timed: Any) -> None:
    """The target speed-up of a kernel is 1.7; the machine itself has no target."""
    call, work = calls_of(kernel)

    def run() -> object:
        with using(1 if name == "one" else 2):
            return call()

    timed(run, case=kernel, size=1, work=work, **({} if kernel.startswith("machine") else {"target": 1 / 1.7}))
