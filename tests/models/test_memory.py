"""Memory that does not grow with documents times documents, with documents times label sets or with all skip-grams.

The bounds are sums of arrays: of documents by labels and features, of a block of documents by label sets, of classes by
words, of one part of a stream, and of tokens by the patterns of two levels.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.early_stops import stops_early
from textmix.data.corpus import Ragged
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.label_sets import estimators
from textmix.models.label_sets.estimators import PairwiseCRF, PowerSet
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.text import skipgrams
from textmix.text.skipgrams import Skipgrams, position_patterns

FLOAT = 8
#: Bytes of Python's own objects and of code that a call imports or compiles.
REST = 400_000


def peak(call: Callable[[], object]) -> int:
    """Return the most bytes that a call holds at a time; it runs once before, so that its kernels are loaded."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("model", [PowerSet, PairwiseCRF])
def test_label_sets_are_scored_in_blocks(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimators, "CHUNK", 32)
    rng = np.random.default_rng(0)
    X, Y = rng.random((6000, 5)), rng.integers(0, 2, (400, 8))
    with stops_early():
        fitted = model(max_iter=2).fit(X[:400], Y)
    n_sets, n_labels = fitted.sets_.shape
    bound = 6 * 32 * n_sets * FLOAT + 3 * len(X) * (n_labels + X.shape[1]) * FLOAT + REST
    assert bound < len(X) * n_sets * FLOAT, "a matrix of all documents by all label sets would not be noticed"
    assert peak(lambda: fitted.predict(X)) < bound


def test_skip_grams_are_found_without_a_list_of_all_their_occurrences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skipgrams, "CANDIDATES", 1)
    words = np.random.default_rng(0).integers(0, 8, 200_000).astype(np.int32)
    tokens = Ragged(words, np.arange(0, len(words) + 1, 100))
    found = Skipgrams(4, 2, 6)
    n_nodes = len(found.fit(tokens, 8).last_word)
    n_patterns = [len(position_patterns(n, 2)) for n in (2, 3, 4)]
    levels = 4 * len(words) * (n_patterns[0] + n_patterns[1])
    bound = levels + 3 * 4 * len(words) + 64 * n_nodes + REST
    assert bound < levels + n_patterns[2] * 8 * len(words), "a list of all occurrences would not be noticed"
    assert peak(lambda: Skipgrams(4, 2, 6).fit(tokens, 8)) < bound


@pytest.mark.parametrize("model", [EDCMClassifier, MultinomialClassifier])
def test_a_stream_of_documents_needs_the_memory_of_the_model_and_of_one_part(model: Any) -> None:
    n_classes, n_words, size = 3, 2000, 300
    part = sparse.random_array((size, n_words), density=0.05, format="csr", rng=0)
    part.data[:] = 1
    y = np.arange(size) % n_classes

    def stream(parts: int) -> Callable[[], object]:
        """Return a call that fits a model to some parts, one after the other."""

        def run() -> object:
            """Fit."""
            fitted = model()
            for _ in range(parts):
                fitted.partial_fit(part, y, classes=np.arange(n_classes))
            return fitted

        return run

    bytes_of_part = part.data.nbytes + part.indices.nbytes + part.indptr.nbytes
    bound = 6 * n_classes * n_words * FLOAT + 4 * bytes_of_part + REST
    assert bound < 20 * bytes_of_part, "all documents at once would not be noticed"
    assert peak(stream(40)) < bound


def test_parts_of_pages_need_the_memory_of_their_label_sets_and_of_one_part() -> None:
    n_words, size = 2000, 300
    part = sparse.random_array((size, n_words), density=0.05, format="csr", rng=0)
    part.data[:] = 1
    Y = np.zeros((size, 3))
    Y[np.arange(size), np.arange(size) % 3] = Y[::2, 0] = 1  # five label sets

    def stream() -> object:
        """Fit a model to forty parts, one after the other."""
        fitted = PMM1(max_iter=2, tol=1)
        for _ in range(40):
            fitted.partial_fit(part, Y)
        return fitted

    bytes_of_part = part.data.nbytes + part.indices.nbytes + part.indptr.nbytes
    bound = 12 * 5 * n_words * 2 * FLOAT + 4 * bytes_of_part + REST
    assert bound < 20 * bytes_of_part, "all pages at once would not be noticed"
    assert peak(stream) < bound
