"""What benchmarks share: data sets in several sizes, scores of what is found, and the lines of the table."""

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

#: Name in a benchmark -> the data sets that stand for it, the first one with a mirror alone.
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
    """Return a data set, or skip the benchmark; what only a mirror has is not looked for on the network."""
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
    """Return data, labels and target of a share of a data set's documents."""
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
    """Return counts, CSR (N, V), and the target: classes (N,) or indicators (N, L), labels that no row has left out."""
    found = load(name, share)
    X, target = found.data, found.target
    if isinstance(X, list):
        X = textmix.WordVectorizer(tokenizer="letters", min_length=2, min_count=2).fit_transform(X)
    if target.ndim == 1:
        return X, np.unique(target, return_inverse=True)[1]
    return X, target[:, target.any(axis=0) & ~target.all(axis=0)]


def indicators(name: str, share: float = 1.0) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts and label indicators, also of a data set of one label a document."""
    X, target = counts(name, share)
    return X, np.eye(target.max() + 1, dtype=np.int8)[target] if target.ndim == 1 else np.asarray(target, np.int8)


def split(X: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """Return training and test part: every fifth document is tested."""
    test = np.arange(X.shape[0] if hasattr(X, "shape") else len(X)) % 5 == 4
    return X[~test], y[~test], X[test], y[test]


def texts_of(name: str, share: float) -> list[str]:
    """Return the texts of a share of a data set."""
    found: list[str] = load(name, share).data
    return found


def accuracy(true: np.ndarray) -> Callable[[Any], tuple[str, float]]:
    """Return a score: the share of right classes (N,)."""
    return lambda found: ("accuracy", float((found == true).mean()))


def micro_f(true: np.ndarray) -> Callable[[Any], tuple[str, float]]:
    """Return a score: the micro-averaged F of label indicators (N, L)."""
    return lambda found: ("micro F", 2.0 * float((found & true).sum()) / max(1, int(found.sum() + true.sum())))


#: Candidates of ours begin so; what a line allows at most holds for them.
OURS = "textmix"


def line(group: str, *names: str, peer: str = "", timer: Any = None, **most: float) -> Callable[[Any], Any]:
    """Return a decorator that runs a function for each candidate; the last one is the peer where none is named.

    ``most``: what one of ours may take: ``target`` of the ratio, ``mib`` of the memory, ``mib_share`` of the memory
    beside the peer's.
    """

    def decorate(function: Any) -> Any:
        function.peer, function.most = peer or names[-1], most
        marked = pytest.mark.benchmark(group=group, **({"timer": timer} if timer else {}))
        return marked(pytest.mark.parametrize("name", names)(function))

    return decorate
