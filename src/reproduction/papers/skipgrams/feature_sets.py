"""Feature sets of the skip-gram study: column ranges by n and slop, and documents in column-major format."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from reproduction.flow.measures import MeasureData, Settings
from textmix.data.corpus import Corpus
from textmix.models.linear.column_kernels import combine_some
from textmix.models.linear.margin_problem import Columns, MarginSolution
from textmix.text.skipgrams import Skipgrams, scale_to_unit


class Kind(NamedTuple):
    """Column range ``low:high`` of the skip-grams with ``n`` words and one slop."""

    n: int
    slop: int
    low: int
    high: int


@dataclass(frozen=True)
class TrainTest:
    """Training and test documents in column-major format.

    Parameters
    ----------
    train, test : Columns
        Features.
    y, y_test : ndarray of shape (n_documents,)
        Classes, -1 or 1.
    kinds : tuple of Kind, default=()
        Column ranges by n and slop.
    """

    train: Columns
    y: np.ndarray
    test: Columns
    y_test: np.ndarray
    kinds: tuple[Kind, ...] = ()

    def accuracy_on(self, ranges: Sequence[tuple[int, int]], solution: MarginSolution) -> float:
        """Compute the test accuracy of a model trained on column ranges, without copying the columns."""
        columns = np.concatenate([np.arange(low, high) for low, high in ranges])
        used = np.flatnonzero(solution.w)
        scores = combine_some(*self.test.arrays, columns[used], solution.w[used], self.test.n_rows)
        return float(np.mean((scores + solution.b > 0) == (self.y_test > 0)))

    def take(self, ranges: list[tuple[int, int]]) -> TrainTest:
        """Select column ranges."""
        return TrainTest(self.train.take(ranges), self.y, self.test.take(ranges), self.y_test)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.train.indptr) - 1

    def accuracy(self, solution: MarginSolution) -> float:
        """Compute the test accuracy of a model."""
        predicted = self.test.scores(solution.w) + solution.b > 0
        return float(np.mean(predicted == (self.y_test > 0)))


def kinds_of(sizes: Iterable[Sequence[int]]) -> tuple[Kind, ...]:
    """Compute column ranges from (n, slop, number of features), in the order of the columns."""
    kinds: list[Kind] = []
    for n, slop, size in sizes:
        low = kinds[-1].high if kinds else 0
        kinds.append(Kind(n, slop, low, low + size))
    return tuple(kinds)


def corpus_kinds(corpus: Corpus) -> tuple[Kind, ...]:
    """Return the column ranges of a corpus with skip-gram features."""
    return kinds_of(corpus.info["features"]["skipgrams"])


def column_ranges(kinds: Iterable[Kind], n: int, slop: int) -> list[tuple[int, int]]:
    """Return the column ranges of the skip-grams of at most ``n`` words and slop at most ``slop``."""
    return [(kind.low, kind.high) for kind in kinds if kind.n <= n and kind.slop <= slop]


def first_split(source: MeasureData) -> TrainTest:
    """Return the first split of skip-gram features in column-major format."""
    X = source.corpus.features
    return _split(source, sparse.csr_array(X), 0, corpus_kinds(source.corpus))


def each_split(source: MeasureData, settings: Settings) -> Iterator[TrainTest]:
    """Yield every split in column-major format.

    Skip-gram features are used unchanged.  From a word stream, skip-grams are extracted separately for every split:
    frequencies and scaling are based on its training documents.

    Parameters
    ----------
    source : MeasureData
        Skip-gram features of the predefined split, or lemmas with the word stream.
    settings : mapping
        For the word stream, ``skipgrams``: ``max_n``, ``max_slop``, ``min_df``, ``weighting`` and ``scaling``.
    """
    corpus = source.corpus
    for number in range(len(source.splits)):
        if corpus.tokens is None:
            yield _split(source, sparse.csr_array(corpus.features), number, corpus_kinds(corpus))
        else:
            deciding = np.zeros(corpus.n_documents, dtype=bool)
            deciding[source.splits.train[number]] = True
            X, kinds = extract(corpus, deciding, settings["skipgrams"])
            yield _split(source, X, number, kinds)


def extract(corpus: Corpus, deciding: np.ndarray, spec: Settings) -> tuple[sparse.csr_array, tuple[Kind, ...]]:
    """Extract the skip-grams of all documents, CSR, and their column ranges, fitted to the ``deciding`` documents."""
    tokens: Any = corpus.tokens
    skipgrams = Skipgrams(spec["max_n"], spec["max_slop"], spec["min_df"])
    skipgrams.fit(tokens, len(corpus.feature_names or ()), deciding)
    X = skipgrams.transform(tokens, spec["weighting"])
    scale_to_unit(X, deciding, spec["scaling"])
    return X, kinds_of(skipgrams.sizes())


def _split(source: MeasureData, X: sparse.csr_array, number: int, kinds: tuple[Kind, ...]) -> TrainTest:
    signs = 2.0 * source.corpus.classes() - 1.0
    train_rows = source.splits.train[number]
    test_rows = source.splits.test[number]
    # Convert one part at a time, to limit the memory for parts that exist both by row and by column.
    train = Columns.of(X[train_rows])
    _drop_pages(X)
    test = Columns.of(X[test_rows])
    _drop_pages(X)
    return TrainTest(train, signs[train_rows], test, signs[test_rows], kinds)


def _drop_pages(X: sparse.csr_array) -> None:
    """Advise the kernel to release the pages of memory-mapped features, which can be reread from the file."""
    for array in (X.data, X.indices):
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, mmap.mmap):
            base.madvise(mmap.MADV_DONTNEED)
