"""Common parts of the benchmarks: data sets in several sizes, scores, and the groups of the table."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import Bunch

import textmix
from textmix import datasets
from textmix.core.errors import MissingResult

#: Name in a benchmark -> candidate data sets, in order of preference; the first one requires a mirror.
DATA = {
    "newsgroups": ("newsgroups_18828", "newsgroups_wheel"),
    "parts": ("newsgroups_parts",),
    "reuters": ("reuters21578", "r52_wheel"),
    "reviews": ("imdb", "imdb_wheel"),
    "pages": ("yahoo_arts", "newsgroups_parts"),
    "yeast": ("yeast_wheel",),
    "scene": ("scene",),
    "mediamill": ("mediamill",),
    "rcv1": ("rcv1v2subset1",),
}


@functools.lru_cache(maxsize=2)
def _whole(name: str) -> Any:
    """Return a data set, or skip the benchmark; data sets that only a mirror provides are not downloaded."""
    mirrored = bool(os.environ.get("TEXTMIX_MIRROR"))
    for found in DATA[name]:
        if mirrored or found.endswith(("_wheel", "_parts")):
            try:
                return datasets.load(found)
            except MissingResult:
                continue
    return pytest.skip(f"{DATA[name][0]}: name a mirror in TEXTMIX_MIRROR")


@functools.lru_cache(maxsize=4)
def load(name: str, share: float = 1.0) -> Any:
    """Return data, labels and target of a random fraction of a data set's documents."""
    bunch = _whole(name)
    n, rng = len(bunch.ids), np.random.default_rng(0)
    rows = rng.permutation(n)[: max(40, round(share * n))] if share <= 1 else rng.integers(n, size=round(share * n))
    texts = isinstance(bunch.data, list)
    return Bunch(
        data=[bunch.data[row] for row in rows] if texts else bunch.data[rows],
        labels=[bunch.labels[row] for row in rows],
        target=bunch.target[rows],
        names=bunch.target_names,
        whole=bunch,
    )


@functools.lru_cache(maxsize=4)
def counts(name: str, share: float = 1.0) -> tuple[sparse.csr_array, Any]:
    """Return counts, CSR (N, V), and the target: classes (N,) or indicators (N, L) without empty columns."""
    found = load(name, share)
    X, target = found.data, found.target
    if isinstance(X, list):
        X = textmix.WordVectorizer(tokenizer="letters", min_length=2, min_count=2).fit_transform(X)
    if target.ndim == 1:
        return X, np.unique(target, return_inverse=True)[1]
    return X, target[:, target.any(axis=0) & ~target.all(axis=0)]


def indicators(name: str, share: float = 1.0) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts and label indicators, also for a single-label data set."""
    X, target = counts(name, share)
    return X, np.eye(target.max() + 1, dtype=np.int8)[target] if target.ndim == 1 else np.asarray(target, np.int8)


def split(X: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """Split into training and test part; every fifth document is a test document."""
    test = np.arange(X.shape[0] if hasattr(X, "shape") else len(X)) % 5 == 4
    return X[~test], y[~test], X[test], y[test]


def texts_of(name: str, share: float) -> list[str]:
    """Return the texts of a random fraction of a data set."""
    found: list[str] = load(name, share).data
    return found


def accuracy(true: np.ndarray) -> Callable[[Any], tuple[str, float]]:
    """Return a scorer that computes the accuracy, for classes (N,)."""
    return lambda found: ("accuracy", float((found == true).mean()))


def micro_f(true: np.ndarray) -> Callable[[Any], tuple[str, float]]:
    """Return a scorer that computes micro-averaged F1, for label indicators (N, L)."""
    return lambda found: ("micro F", 2.0 * float((found & true).sum()) / max(1, int(found.sum() + true.sum())))


#: Prefix of our candidates; the limits of a group apply to them.
OURS = "textmix"


def line(group: str, *names: str, peer: str = "", timer: Any = None, **most: float) -> Callable[[Any], Any]:
    """Return a decorator that runs a function for each candidate; the default peer is the last candidate.

    ``most`` are limits of our candidates: ``target`` for the time ratio, ``mib`` for the memory, ``mib_share`` for the
    memory relative to the peer.
    """

    def decorate(function: Any) -> Any:
        function.peer, function.most = peer or names[-1], most
        marked = pytest.mark.benchmark(group=group, **({"timer": timer} if timer else {}))
        return marked(pytest.mark.parametrize("name", names)(function))

    return decorate
