"""Token sequences, the input of hidden Markov models: created from texts, optionally restricted to frequent words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, Ragged
from textmix.text.text_validation import texts_of
from textmix.text.vocabulary import of_fold, restrict
from textmix.text.word_vectorizer import WordVectorizer, check_choice


@dataclass(frozen=True)
class TokenSequences:
    """N documents as sequences of word ids, indexable like a matrix of shape (N, V).

    ``X[3]`` is document 3, and ``X[rows]`` contains the documents selected by an index array, a mask or a slice, so
    that scikit-learn's splitters and search classes accept it like a matrix.

    Parameters
    ----------
    values : array-like of shape (T,), int32
        Word ids of all documents in order, each from 0 to V - 1.
    offsets : array-like of shape (N + 1,), int64
        Document d is ``values[offsets[d]:offsets[d + 1]]``.
    n_words : int
        Vocabulary size V.

    Raises
    ------
    ValueError
        If the offsets do not partition ``values``, or a word id is out of range.

    Examples
    --------
    >>> from textmix.text.sequences import TokenSequences
    >>> X = TokenSequences.of([[0, 2, 1], [], [1, 1]])
    >>> X.shape
    (3, 3)
    >>> X[[2, 0]][0].tolist()
    [1, 1]
    """

    values: np.ndarray
    offsets: np.ndarray
    n_words: int

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise ValueError if the arrays are inconsistent, as the constructor does; they may have been modified."""
        offsets = self.offsets
        if any(array.ndim != 1 or array.dtype.kind not in "iu" for array in (self.values, offsets)):
            raise ValueError("values and offsets must each be whole numbers in one dimension")
        if not len(offsets) or offsets[0] or offsets[-1] != len(self.values) or (np.diff(offsets) < 0).any():
            raise ValueError(f"offsets must rise from 0 to the number of words, {len(self.values)}")
        if len(self.values) and not 0 <= self.values.min() <= self.values.max() < self.n_words:
            raise ValueError(f"a word lies outside of the vocabulary, 0 to {self.n_words - 1}")

    @classmethod
    def of(cls, X: Any, n_words: int | None = None) -> TokenSequences:
        """Convert X to `TokenSequences`.

        Parameters
        ----------
        X : TokenSequences, Ragged or list of N integer sequences
            Documents; `TokenSequences` are returned unchanged.
        n_words : int or None, default=None
            Vocabulary size V; None means the largest word id plus 1.

        Raises
        ------
        ValueError
            If X has an unsupported type, a word id is out of range, or the arrays are corrupted.
        """
        if isinstance(X, TokenSequences):
            X.check()
            return X
        rows = X if isinstance(X, Ragged) else _ragged(X)
        most = int(rows.values.max()) + 1 if len(rows.values) else 0
        return cls(np.asarray(rows.values), np.asarray(rows.offsets), most if n_words is None else n_words)

    @classmethod
    def of_corpus(cls, corpus: Corpus) -> TokenSequences:
        """Return the token sequences of a features corpus; raise ConfigError if it does not contain its tokens."""
        if corpus.tokens is None:
            raise ConfigError(f"features: {corpus.name} has no words in order; name features with keep_tokens: true")
        return cls.of(corpus.tokens, len(corpus.feature_names or ()))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and vocabulary size, (N, V)."""
        return len(self), self.n_words

    @property
    def lengths(self) -> np.ndarray:
        """Length of each document in words, int64 (N,)."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, rows: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, rows: Any) -> TokenSequences: ...
    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, (int, np.integer)):
            row = range(len(self))[rows]
            return self.values[self.offsets[row] : self.offsets[row + 1]]
        chosen = np.arange(len(self))[rows]
        lengths = self.lengths[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], lengths)
        return TokenSequences(self.values[places], offsets, self.n_words)

    def counts(self) -> sparse.csr_array:
        """Compute the document-term matrix, int64 CSR of shape (N, V)."""
        ones = np.ones(len(self.values), dtype=np.int64)
        counts = sparse.csr_array((ones, self.values, self.offsets), shape=self.shape, copy=True)
        counts.sum_duplicates()
        return counts

    def renumbered(self, number: np.ndarray, n_words: int) -> TokenSequences:
        """Replace each word id w by ``number[w]`` < ``n_words``, such as the id of its cluster."""
        return TokenSequences(number[self.values].astype(np.int32), self.offsets, n_words)

    def shuffled(self, generator: np.random.Generator) -> TokenSequences:
        """Shuffle the words within each document."""
        document = np.repeat(np.arange(len(self)), self.lengths)
        order = np.lexsort((generator.random(len(self.values)), document))
        return TokenSequences(self.values[order], self.offsets, self.n_words)


def _ragged(X: Sequence[Any]) -> Ragged:
    """Convert a list of integer sequences to `Ragged`; raise ValueError for anything else."""
    if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        raise ValueError(f"X must be a list of sequences of word numbers, not {type(X).__name__}")
    rows = [np.asarray(row) for row in X]
    for place, row in enumerate(rows):
        if row.ndim != 1 or (row.size and not np.issubdtype(row.dtype, np.integer)):
            raise ValueError(f"document {place} must be a sequence of whole numbers, one for each word")
    values = np.concatenate([np.zeros(0, np.int64), *rows])
    if values.size and not 0 <= values.min() <= values.max() < 2**31:
        raise ValueError("a word must be a number from 0 to 2147483647")
    offsets = np.concatenate([[0], np.cumsum([row.size for row in rows])]).astype(np.int64)
    return Ragged(values.astype(np.int32), offsets)


class SequenceVectorizer(WordVectorizer):
    """Convert texts to sequences of word indices; parameters and errors as in `WordVectorizer`.

    Parameters
    ----------
    tokenizer : Tokenizer, default="unicode"
        See `WordVectorizer`.
    min_length : int, default=1
        See `WordVectorizer`.
    max_length : int or None, default=None
        See `WordVectorizer`.
    stop_list : str or collection of str, default="none"
        See `WordVectorizer`.
    min_count : int, default=1
        See `WordVectorizer`.
    min_df : int, default=1
        See `WordVectorizer`.
    skip_header : bool, default=False
        See `WordVectorizer`.
    skip_uuencoded : bool, default=False
        See `WordVectorizer`.
    lowercase : bool, default=False
        See `WordVectorizer`.
    lemmatise : bool, default=False
        See `WordVectorizer`.
    weighting : str, default="count"
        See `WordVectorizer`.
    ngram_range : tuple of (int, int), default=(1, 1)
        See `WordVectorizer`.
    max_df : float, default=1.0
        See `WordVectorizer`.
    max_features : int or None, default=None
        See `WordVectorizer`.
    vocabulary : mapping of str to int or iterable of str or None, default=None
        See `WordVectorizer`.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Index of each of the V words, in code-point order.

    Examples
    --------
    >>> from textmix import SequenceVectorizer
    >>> X = SequenceVectorizer(min_count=2).fit_transform(["a rose is a rose", "a day"])
    >>> X[0].tolist(), X[1].tolist()
    ([0, 1, 0, 1], [0])
    """

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> TokenSequences:
        """Learn the vocabulary and return the N texts as sequences."""
        check_choice(self.get_params())
        return TokenSequences.of(self._learn(texts_of(raw_documents)), len(self.vocabulary_))

    def transform(self, raw_documents: Iterable[str] | Ragged) -> TokenSequences:
        """Return N texts as sequences of in-vocabulary words; other words are dropped."""
        column_of = self._known()
        return TokenSequences.of(self._columns(texts_of(raw_documents)), len(column_of))


class FrequentWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Restrict token sequences to words that are frequent in the training documents, renumbered in order.

    This is the counterpart for sequences of `textmix.text.term_weighting.TermWeighting`.

    Parameters
    ----------
    min_df : int, default=1
        Minimum document frequency of a word; with 0 for both parameters every word is kept, even one that does not
        occur in the training documents.
    min_count : int, default=1
        Minimum number of occurrences of a word.

    Attributes
    ----------
    frequent_ : ndarray of shape (V,), bool
        Mask of the words that are kept.
    """

    def __init__(self, *, min_df: int = 1, min_count: int = 1) -> None:
        self.min_df = min_df
        self.min_count = min_count

    def fit(self, X: Any, y: Any = None) -> Self:
        """Select the words that are frequent in N training documents; raise ValueError if none is frequent enough."""
        X = TokenSequences.of(X)
        self.frequent_ = of_fold(X.counts(), (self.min_count, self.min_df))
        if not self.frequent_.any():
            raise ValueError(f"no word is in {self.min_df} of the {len(X)} training documents")
        return self

    def transform(self, X: Any) -> TokenSequences:
        """Return N documents as sequences of the kept words; other words are dropped."""
        check_is_fitted(self)
        X = TokenSequences.of(X, len(self.frequent_))
        if X.n_words != len(self.frequent_):
            raise ValueError(
                f"X has a vocabulary of {X.n_words} words; the training documents had {len(self.frequent_)}"
            )
        kept = restrict(Ragged(X.values, X.offsets), self.frequent_)
        return TokenSequences(kept.values, kept.offsets, int(np.count_nonzero(self.frequent_)))
