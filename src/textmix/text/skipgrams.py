"""Skip-grams over token ids: up to n words in order with a bounded number of words between them (Li et al. 2016)."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.numerics.threads import number, ranges, side_by_side
from textmix.text import skipgram_kernels as kernels

WEIGHTINGS = ("count", "binary", "score", "sqrt_frequency", "sqrt_over_length")
#: Weightings with real values, float32.
REAL_WEIGHTINGS = ("score", "sqrt_frequency", "sqrt_over_length")
#: Scaling of the values: none, by the maximum of each feature, or by the maximum over all features.
SCALINGS = ("none", "feature", "global")

#: Number of documents per chunk, chosen so that the arrays of a chunk fit into the processor cache.
CHUNK = 512
#: Minimum number of candidate occurrences that are listed at a time (eight bytes each); the limit is half the number of
#: tokens if that is larger. The list thus needs no more memory than the tokens, and each pattern is scanned at most
#: twice.
CANDIDATES = 1 << 24
#: Number of stored values that are scaled at a time, which bounds the size of temporary arrays.
STORED = 1 << 22


def position_patterns(n: int, max_slop: int) -> list[tuple[int, ...]]:
    """Return the word offsets of all n-grams with at most ``max_slop`` skipped words, in increasing order of slop.

    ``position_patterns(2, 1)`` is ``[(0, 1), (0, 2)]``.
    """
    patterns = [(0, *later) for later in itertools.combinations(range(1, n + max_slop), n - 1)]
    return sorted(patterns, key=lambda offsets: (offsets[-1], offsets))


def _pattern_table(n: int, max_slop: int) -> np.ndarray:
    """Encode the patterns of n >= 2 words, int64 (P, 5), see `textmix.text.skipgram_kernels`."""
    below = {offsets: row for row, offsets in enumerate(position_patterns(n - 1, max_slop))}
    rows = [
        (below[o[:-1]], below[tuple(x - o[1] for x in o[1:])], o[1], o[-1], o[-1] - n + 1)
        for o in position_patterns(n, max_slop)
    ]
    return np.array(rows, dtype=np.int64)


class Skipgrams:
    """Trie of the skip-grams with document frequency >= ``min_df``, stored in breadth-first order.

    A node is a sequence of words; a feature is a node with a slop. At slop s the node matches wherever its words occur
    in order with at most s words skipped between them, so a match at one slop is a match at every larger slop.

    Parameters
    ----------
    max_n : int, default=5
        Maximum number of words of a skip-gram.
    max_slop : int, default=2
        Maximum total number of skipped words.
    min_df : int, default=6
        Minimum document frequency of a skip-gram (the slides use 6).
    subsume : bool, default=True
        Whether to drop a feature if its node matches in no more documents than at the next smaller slop.

    Attributes
    ----------
    words : ndarray of shape (W,), int64
        Ids of the words that are skip-grams of length 1, increasing.
    word_df : ndarray of shape (W,), int32
        Document frequency of each of these words.
    n_documents : int
        Number of documents used to count document frequencies.
    last_word : ndarray of shape (G,), int32
        Last word of each node, as an index into ``words``.
    starts : ndarray, int64
        The children of node g are the nodes ``starts[g]`` to ``starts[g + 1] - 1``; the last level has no entries.
    levels : ndarray of shape (max_n + 1,), int64
        The skip-grams of n words are the nodes ``levels[n - 1]`` to ``levels[n] - 1``.
    columns : ndarray of shape (G, max_slop + 1), int32
        Feature of each node at each slop; -1 if it is not a feature.
    n, slop : ndarray of shape (F,), int8
        Number of words and slop of each feature; features are sorted by (n, slop, node).
    df : ndarray of shape (F,), int32
        Document frequency of each feature.
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, str]] = {
        "max_n": "int",
        "max_slop": "int",
        "n_documents": "int",
        "words": "int64 W",
        "word_df": "int32 W",
        "last_word": "int32 G",
        "starts": "int64 *",
        "levels": "int64 *",
        "columns": "int32 G S",
        "n": "int8 F",
        "slop": "int8 F",
        "df": "int32 F",
        "_rank": "int32 V+1",
    }

    def __init__(self, max_n: int = 5, max_slop: int = 2, min_df: int = 6, subsume: bool = True) -> None:
        for name, value, least in (("max_n", max_n, 1), ("max_slop", max_slop, 0), ("min_df", min_df, 1)):
            if value < least:
                raise ConfigError(f"skip-grams: {name}: {value} is below {least}; raise it")
        self.max_n = max_n
        self.max_slop = max_slop
        self.min_df = min_df
        self.subsume = subsume

    @cached_property
    def _tables(self) -> list[np.ndarray]:
        """Encoded patterns of 2, 3, ... ``max_n`` words."""
        return [_pattern_table(n, self.max_slop) for n in range(2, self.max_n + 1)]

    @cached_property
    def _children(self) -> list[np.ndarray]:
        """Hash tables of the children of the nodes on each level except the last; set by `fit`."""
        inner = itertools.pairwise(self.levels[:-1].tolist())
        return [kernels.child_table(self.starts, self.last_word, low, high) for low, high in inner]

    def check(self) -> None:
        """Raise ValueError if attributes loaded from a file are inconsistent or contain out-of-range indices."""
        n_words = len(self.words)
        n_nodes = len(self.last_word)
        n_inner = len(self.starts) - 1
        levels = self.levels
        starts = self.starts
        ranges: list[tuple[np.ndarray, int, int]] = [(self.last_word, 0, n_words), (self._rank, -1, n_words)]
        ranges += [(self.columns, -1, len(self.n)), (self.words, 0, len(self._rank))]
        inside = all(low <= array.min(initial=low) and array.max(initial=-1) < high for array, low, high in ranges)
        whole = len(levels) == self.max_n + 1 and levels[0] == 0 and levels[1] == n_words and levels[-1] == n_nodes
        ordered = bool((np.diff(levels) >= 0).all() and (np.diff(starts) >= 0).all())
        forward = starts[0] == n_words and starts[-1] == n_nodes and n_inner == levels[-2]
        if not (inside and whole and ordered and forward and np.size(self.columns, -1) == self.max_slop + 1):
            raise ValueError("skipgrams_ holds an index out of range")

    def fit(self, tokens: Ragged, n_words: int, deciding: np.ndarray | None = None) -> Self:
        """Learn the skip-grams of N documents.

        Parameters
        ----------
        tokens : Ragged
            Word ids, int32 from 0 to ``n_words`` - 1.
        n_words : int
            Vocabulary size.
        deciding : ndarray of shape (N,), bool, default=None
            Mask of the documents used to count document frequencies; None uses all documents.
        """
        deciding = np.ones(len(tokens), dtype=bool) if deciding is None else deciding
        values, offsets = _as_arrays(tokens)
        df = kernels.word_documents(values, offsets, deciding, n_words)
        self.n_documents = int(deciding.sum())
        self.words = np.flatnonzero(df >= self.min_df)
        self.word_df = df[self.words]
        self._rank = np.full(n_words, -1, dtype=np.int32)
        self._rank[self.words] = np.arange(len(self.words), dtype=np.int32)
        self._number_columns(self._grow(self._rank[values], offsets, deciding))
        return self

    def _grow(self, words: np.ndarray, offsets: np.ndarray, deciding: np.ndarray) -> np.ndarray:
        """Build the trie level by level; return the document frequencies of its nodes, int32 (G, max_slop + 1)."""
        n_words = len(self.words)
        first_df = np.zeros((n_words, self.max_slop + 1), dtype=np.int32)
        first_df[:, 0] = self.word_df
        self.last_word = np.arange(n_words, dtype=np.int32)
        self.starts = np.array([n_words])
        self.levels = np.array([0, n_words])
        df = [first_df]
        grams = words[np.newaxis]
        self._children = []
        bounds = ranges(offsets, number())
        for table in self._tables:
            n_children, last_word, child_df = self._frequent((words, offsets, deciding), grams, table, bounds)
            self.starts = np.concatenate([self.starts, self.starts[-1] + np.cumsum(n_children)])
            self.last_word = np.concatenate([self.last_word, last_word])
            self.levels = np.append(self.levels, len(self.last_word))
            df.append(child_df)
            children = kernels.child_table(self.starts, self.last_word, *self.levels[-3:-1])
            self._children.append(children)
            if len(self.levels) <= self.max_n:
                longer = np.empty((len(table), len(words)), dtype=np.int32)
                stretches = (offsets[low : high + 1] for low, high in bounds)
                list(side_by_side(kernels.walk, ((words, part, grams, table, children, longer) for part in stretches)))
                grams = longer
        return np.concatenate(df)

    def _frequent(
        self,
        documents: tuple[np.ndarray, np.ndarray, np.ndarray],
        grams: np.ndarray,
        table: np.ndarray,
        bounds: list[tuple[int, int]],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute the next level: the number of children of each node, their last words and document frequencies."""
        words, offsets, deciding = documents
        first = int(self.levels[-2])
        n_prefixes = int(self.levels[-1] - self.levels[-2])
        stretches = [(offsets[low : high + 1], deciding[low:high]) for low, high in bounds]
        counts = np.zeros((len(bounds), n_prefixes), dtype=np.int64)
        list(
            side_by_side(
                kernels.count_candidates,
                ((words, *part, grams, table, first, count) for part, count in zip(stretches, counts, strict=True)),
            )
        )
        begins = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
        bits = (len(self.words).bit_length(), self.max_slop.bit_length())
        parts: list[tuple[np.ndarray, ...]] = []
        for low, high in _blocks(begins, max(CANDIDATES, len(words) // 2)):
            inside = counts[:, low:high]
            places = begins[low:high] - begins[low] + np.cumsum(inside, axis=0) - inside
            occurrences = np.empty(begins[high] - begins[low], np.int64)
            list(
                side_by_side(
                    kernels.place_candidates,
                    (
                        (words, *part, document, grams, table, first + low, bits, indices, occurrences)
                        for part, (document, _), indices in zip(stretches, bounds, places, strict=True)
                    ),
                )
            )
            block = begins[low : high + 1] - begins[low]
            shape = (bits, len(self.words), self.max_slop + 1, self.min_df)
            parts += side_by_side(
                kernels.frequent_children,
                ((block[start : end + 1], occurrences, *shape) for start, end in ranges(block, len(bounds))),
            )
        n_children, last_word, df = zip(*parts, strict=True)
        return np.concatenate(n_children), np.concatenate(last_word), np.concatenate(df)

    def _number_columns(self, df_by_gap: np.ndarray) -> None:
        """Assign columns to all pairs of node and slop that are frequent enough, and set ``n``, ``slop`` and ``df``."""
        df = np.cumsum(df_by_gap, axis=1, dtype=np.int32)
        frequent = df >= self.min_df
        frequent[: self.levels[1], 1:] = False
        if self.subsume:
            frequent[:, 1:] &= df_by_gap[:, 1:] > 0
        self.columns = np.full(df.shape, -1, dtype=np.int32)
        frequencies: list[np.ndarray] = []
        sizes: list[int] = []
        for low, high in itertools.pairwise(self.levels):
            for slop in range(self.max_slop + 1):
                nodes = low + np.flatnonzero(frequent[low:high, slop])
                self.columns[nodes, slop] = np.arange(len(nodes)) + sum(sizes)
                sizes.append(len(nodes))
                frequencies.append(df[nodes, slop])
        self.df = np.concatenate(frequencies)
        ns, slops = np.divmod(np.arange(len(sizes)), self.max_slop + 1)
        self.n = np.repeat(ns + 1, sizes).astype(np.int8)
        self.slop = np.repeat(slops, sizes).astype(np.int8)

    def sizes(self) -> list[list[int]]:
        """Return [n, slop, number of features] of each combination of n and slop, in column order."""
        kinds, counts = np.unique(np.column_stack([self.n, self.slop]), axis=0, return_counts=True)
        return [[int(n), int(slop), int(count)] for (n, slop), count in zip(kinds, counts, strict=True)]

    def transform(self, tokens: Ragged, weighting: str = "count") -> sparse.csr_array:
        """Compute the features of N documents.

        Parameters
        ----------
        tokens : Ragged
            Word ids of the documents.
        weighting : {"count", "binary", "score", "sqrt_frequency", "sqrt_over_length"}, default="count"
            ``count`` (int32) is the number of matches, ``binary`` (int32) is 1 for a match, ``score`` (float32) is
            Lucene's score, see `_score`, and ``sqrt_frequency`` (float32) is the square root of the quotient of
            the sloppy frequency and the length of the document (Li et al. 2016, section 2.1). ``sqrt_over_length``
            (float32) is the square root of the sloppy frequency, divided by the length.

        Returns
        -------
        X : csr_array of shape (n_documents, n_features)
            Feature matrix with sorted indices.
        """
        if weighting not in WEIGHTINGS:
            raise ConfigError(f"skip-grams: weighting: '{weighting}' is unknown; allowed: {', '.join(WEIGHTINGS)}")
        values, offsets = _as_arrays(tokens)
        words = self._rank[values]
        chunks = (offsets[low : low + CHUNK + 1] for low in range(0, len(tokens), CHUNK))
        kind = np.dtype(np.float32 if weighting in REAL_WEIGHTINGS else np.int32)
        indices = np.empty(0, np.int32)
        data = np.empty(0, kind)
        ends = [np.zeros(1, np.int64)]
        for part in side_by_side(self._count, ((words, chunk, weighting, kind) for chunk in chunks)):
            size = len(indices)
            for array, new in ((indices, part[0]), (data, part[1])):
                array.resize(
                    size + len(new), refcheck=False
                )  # resizing remaps memory pages, whereas concatenating all parts at the end would copy them
                array[size:] = new
            ends.append(part[2] + size)
        indptr = np.concatenate(ends).astype(sparse.get_index_dtype(maxval=len(data)))
        X = sparse.csr_array((data, indices, indptr), shape=(len(tokens), len(self.n)))
        X.has_canonical_format = True
        lengths = np.diff(offsets)
        if weighting == "score":
            return self._score(X, lengths)
        if weighting == "sqrt_over_length":
            np.sqrt(X.data, out=X.data)
        if weighting in ("sqrt_frequency", "sqrt_over_length"):
            X.data /= np.repeat(np.maximum(lengths, 1).astype(np.float32), np.diff(X.indptr))
        if weighting == "sqrt_frequency":
            np.sqrt(X.data, out=X.data)
        return X

    def _count(
        self, words: np.ndarray, offsets: np.ndarray, weighting: str, kind: np.dtype
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return CSR indices, data (of dtype ``kind``) and row ends of a range of documents, before scoring."""
        low = offsets[0]
        high = offsets[-1]
        words = words[low:high]
        offsets = offsets - low
        grams = [words[np.newaxis]]
        gaps = [np.zeros(1, np.int64)]
        lengths = [np.ones(1, np.int64)]
        for table, children in zip(self._tables, self._children, strict=True):
            grams.append(np.empty((len(table), len(words)), dtype=np.int32))
            kernels.walk(words, offsets, grams[-2], table, children, grams[-1])
            gaps.append(table[:, 4])
            lengths.append(table[:, 3] + 1)
        read = np.concatenate(grams)
        gap = np.concatenate(gaps)
        length = np.concatenate(lengths)
        # Sloppy frequency: a match with m skipped words counts 1 / (m + 1).
        weights = 1.0 / (length + 1.0) if weighting in REAL_WEIGHTINGS else np.ones(len(gap))
        room = int(np.sum(np.sum(read >= 0, axis=1) * (self.max_slop + 1 - gap)))
        indices = np.empty(room, np.int32)
        data = np.empty(room, kind)
        total = np.zeros(len(self.n), kind)
        ends = kernels.add_columns(read, offsets, gap, weights.astype(kind), self.columns, total, indices, data)
        if weighting == "binary":
            data[:] = 1
        last = ends[-1] if len(ends) else 0
        return indices[:last], data[:last], ends

    def node_words(self) -> list[np.ndarray]:
        """Return, for each level, the words of its nodes as indices into ``words``, int32 (nodes, n)."""
        parents = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        words_of_level = [self.last_word[: self.levels[1], np.newaxis]]
        for below, (low, high) in zip(self.levels, itertools.pairwise(self.levels[1:]), strict=False):
            up = parents[low - self.levels[1] : high - self.levels[1]] - below
            words_of_level.append(np.column_stack([words_of_level[-1][up], self.last_word[low:high]]))
        return words_of_level

    def names(self, vocabulary: list[str]) -> list[str]:
        """Return the F feature names: words joined by spaces and, if positive, the slop, as in ``waste time ~1``."""
        words = [vocabulary[word] for word in self.words]
        names_ = [""] * len(self.n)
        for low, rows in zip(self.levels, self.node_words(), strict=False):
            texts = [" ".join([words[word] for word in row]) for row in rows.tolist()]
            for slop in range(self.max_slop + 1):
                columns = self.columns[low : low + len(rows), slop]
                mark = f" ~{slop}" if slop else ""
                for node in np.flatnonzero(columns >= 0).tolist():
                    names_[columns[node]] = texts[node] + mark
        return names_

    def beyond(self, ids: Collection[int]) -> np.ndarray:
        """Return a mask, bool (F,), of the features that contain a word other than those in ``ids``."""
        found = np.ones(len(self.n), dtype=bool)
        only = np.isin(self.words, list(ids))
        for low, rows in zip(self.levels, self.node_words(), strict=False):
            columns = self.columns[low : low + len(rows)][only[rows].all(axis=1)]
            found[columns[columns >= 0]] = False
        return found

    def _score(self, X: sparse.csr_array, lengths: np.ndarray) -> sparse.csr_array:
        """Compute the score of each skip-gram by Lucene's default similarity of an ordered span query.

        The score is sqrt(frequency) * (sum of idf over its words) / sqrt(document length), where idf = 1 + ln(N / (df +
        1)) is computed from the N fitting documents, and 1 / sqrt(length) is truncated to four significant bits, as
        Lucene stores it.

        Parameters
        ----------
        X : csr_array of shape (N, F)
            Sloppy frequencies; overwritten.
        lengths : ndarray of shape (N,), int64
            Number of words in each document.
        """
        idf = 1.0 + np.log(self.n_documents / (self.word_df + 1.0))
        weight = np.zeros(len(self.n))
        for low, rows in zip(self.levels, self.node_words(), strict=False):
            columns = self.columns[low : low + len(rows)]
            sums = idf[rows].sum(axis=1)
            for slop in range(self.max_slop + 1):
                has_column = columns[:, slop] >= 0
                weight[columns[has_column, slop]] = sums[has_column]
        mantissa, exponent = np.frexp(1.0 / np.sqrt(np.maximum(lengths, 1)))
        norm = np.ldexp(np.floor(mantissa * 16) / 16, exponent)
        np.sqrt(X.data, out=X.data)
        X.data *= weight.astype(np.float32)[X.indices]
        X.data *= np.repeat(norm.astype(np.float32), np.diff(X.indptr))
        return X


def scale_to_unit(X: sparse.csr_array, deciding: np.ndarray, scaling: str) -> None:
    """Divide nonnegative features in place by their maximum in the fitting documents.

    Values in other documents may exceed 1.

    Parameters
    ----------
    X : csr_array of shape (n_documents, n_features), float32
    deciding : ndarray of shape (n_documents,), bool
        Mask of the documents used to compute the maxima, usually the training documents.
    scaling : {"none", "feature", "global"}
        Whether to scale not at all, each feature by its own maximum, or all features by the global maximum.
    """
    if scaling == "none":
        return
    largest = np.zeros(X.shape[1], dtype=X.dtype)
    for start in range(0, X.shape[0], CHUNK):
        rows = X.indptr[start : start + CHUNK + 1]
        stored = slice(rows[0], rows[-1])
        counts = np.repeat(deciding[start : start + CHUNK], np.diff(rows))
        np.maximum.at(largest, X.indices[stored][counts], X.data[stored][counts])
    if scaling == "global":
        largest[:] = largest.max(initial=0)
    largest[largest == 0] = 1
    for start in range(0, X.nnz, STORED):
        stored = slice(start, start + STORED)
        X.data[stored] /= largest[X.indices[stored]]


def _blocks(begins: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges of prefixes, (first, last + 1), with at most ``most`` occurrences or a single prefix."""
    low = 0
    high = -1
    end = len(begins) - 1
    while high < end:
        last = int(np.searchsorted(begins, begins[low] + most, side="right")) - 1
        high = min(max(last, low + 1), end)
        yield low, high
        low = high


def _as_arrays(tokens: Ragged) -> tuple[np.ndarray, np.ndarray]:
    """Return values and offsets as in-memory arrays, with offsets that start at 0."""
    return np.asarray(tokens.values).view(np.ndarray), np.array(tokens.offsets)


#: Boundary tokens for the start and the end of a document.
BOUNDARY_TOKENS = ("<s>", "</s>")


def with_boundary_tokens(tokens: Ragged, words: Sequence[str]) -> tuple[Ragged, list[str]]:
    """Add boundary tokens to each document; return the documents and the vocabulary, extended by the two tokens."""
    if reserved := set(BOUNDARY_TOKENS) & set(words):
        raise ConfigError(f"skip-grams: boundary_tokens: the text has the word {min(reserved)}; leave the marks out")
    values = np.asarray(tokens.values)
    offsets = np.asarray(tokens.offsets, dtype=np.int64)
    places = np.repeat(offsets, 2)[1:-1].reshape(-1, 2)
    marked = np.insert(values, places.ravel(), np.tile([len(words), len(words) + 1], len(places)))
    return Ragged(marked.astype(values.dtype), offsets + 2 * np.arange(len(offsets))), [*words, *BOUNDARY_TOKENS]
