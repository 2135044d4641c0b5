"""Feature sets of the skip-gram study: ranges of columns by n and slop, and documents stored by column."""

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
    """The skip-grams of ``n`` words and one slop: columns ``low`` to ``high - 1``."""

    n: int
    slop: int
    low: int
    high: int


@dataclass(frozen=True)
class TrainTest:
    """Training and test documents by column, with classes -1 and 1, and the kinds of skip-grams of the columns."""

    train: Columns
    y: np.ndarray
    test: Columns
    y_test: np.ndarray
    kinds: tuple[Kind, ...] = ()

    def accuracy_on(self, ranges: Sequence[tuple[int, int]], solution: MarginSolution) -> float:
        """Return the test accuracy of a model of the columns of some ranges, without copying these columns."""
        columns = np.concatenate([np.arange(low, high) for low, high in ranges])
        used = np.flatnonzero(solution.w)
        scores = combine_some(*self.test.arrays, columns[used], solution.w[used], self.test.n_rows)
        return float(np.mean((scores + solution.b > 0) == (self.y_test > 0)))

    def take(self, ranges: list[tuple[int, int]]) -> TrainTest:
        """Return the documents with the columns of some ranges alone."""
        return TrainTest(self.train.take(ranges), self.y, self.test.take(ranges), self.y_test)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.train.indptr) - 1

    def accuracy(self, solution: MarginSolution) -> float:
        """Return the test accuracy of a model."""
        predicted = self.test.scores(solution.w) + solution.b > 0
        return float(np.mean(predicted == (self.y_test > 0)))


def kinds_of(sizes: Iterable[Sequence[int]]) -> tuple[Kind, ...]:
    """Return the kinds of skip-grams in the order of the columns, from their (n, slop, number of features)."""
    kinds: list[Kind] = []
    for n, slop, size in sizes:
        low = kinds[-1].high if kinds else 0
        kinds.append(Kind(n, slop, low, low + size))
    return tuple(kinds)


def corpus_kinds(corpus: Corpus) -> tuple[Kind, ...]:
    """Return the kinds of the skip-grams of a features corpus."""
    return kinds_of(corpus.info["features"]["skipgrams"])


def column_ranges(kinds: Iterable[Kind], n: int, slop: int) -> list[tuple[int, int]]:
    """Return the column ranges of the skip-grams of at most ``n`` words and slop at most ``slop``."""
    return [(kind.low, kind.high) for kind in kinds if kind.n <= n and kind.slop <= slop]


def first_split(source: MeasureData) -> TrainTest:
    """Return the first split of skip-gram features, by column."""
    X = source.corpus.features
    return _split(source, sparse.csr_array(X), 0, corpus_kinds(source.corpus))


def each_split(source: MeasureData, settings: Settings) -> Iterator[TrainTest]:
    """Yield every split by column.

    Skip-gram features are used as they are.  From the word stream, the skip-grams of every split are extracted anew:
    the training documents decide which ones are frequent, and on the scaling.

    Parameters
    ----------
    source : MeasureData
        Skip-gram features of the given split, or lemmas with the word stream.
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
    """Extract the skip-grams of all documents, CSR, and their kinds; the deciding documents select and scale them."""
    tokens: Any = corpus.tokens
    skipgrams = Skipgrams(spec["max_n"], spec["max_slop"], spec["min_df"])
    skipgrams.fit(tokens, len(corpus.feature_names or ()), deciding)
    X = skipgrams.transform(tokens, spec["weighting"])
    scale_to_unit(X, deciding, spec["scaling"])
    return X, kinds_of(skipgrams.sizes())


def _split(source: MeasureData, X: sparse.csr_array, number: int, kinds: tuple[Kind, ...]) -> TrainTest:
    signs = 2.0 * source.corpus.classes() - 1.0
    train_rows, test_rows = source.splits.train[number], source.splits.test[number]
    # One part after the other, so that only one of them exists both by row and by column.
    train = Columns.of(X[train_rows])
    _drop_pages(X)
    test = Columns.of(X[test_rows])
    _drop_pages(X)
    return TrainTest(train, signs[train_rows], test, signs[test_rows], kinds)


def _drop_pages(X: sparse.csr_array) -> None:
    """Let the system drop the pages of memory-mapped features, which stay in the file."""
    for array in (X.data, X.indices):
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, mmap.mmap):
            base.madvise(mmap.MADV_DONTNEED)
