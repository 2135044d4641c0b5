"""`WordVectorizer`: word and n-gram counts with the interface of ``CountVectorizer``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import compress
from numbers import Integral
from typing import Any, ClassVar, Self, cast

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.text.features import FeatureSpec, build_features, count_known, counts_of, known_tokens
from textmix.text.mail_parts import clean_messages
from textmix.text.stoplists import stop_words
from textmix.text.text_validation import texts_of
from textmix.text.vocabulary import kept_words, rename, renumber, restrict

_KEYS = frozenset(item.name for item in fields(FeatureSpec))
#: Name of a tokenizer, or a function that splits a text into words.
Tokenizer = str | Callable[[str], Iterable[str]]


class OfTexts(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of text transformers that implement ``fit_transform``."""

    def fit(self, raw_documents: Iterable[str], y: Any = None) -> Self:
        """Fit to N texts; ``y`` is ignored. Raises as `fit_transform` does."""
        self.fit_transform(raw_documents)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


class WordVectorizer(OfTexts):
    """Convert texts to a document-term matrix of word or n-gram counts.

    Methods raise ValueError if ``raw_documents`` is a single string or contains anything other than strings, and
    NotFittedError if the vectorizer is neither fitted nor constructed with a ``vocabulary``.

    Parameters
    ----------
    tokenizer : Tokenizer, default="unicode"
        Key of `textmix.text.tokenize.TOKENIZERS`, or a function that splits a text into words.
    stop_list : str or collection of str, default="none"
        Key of `textmix.text.stoplists.STOP_LISTS`, or a collection of words to drop.
    min_length : int, default=1
        See `textmix.text.features.FeatureSpec`.
    max_length : int or None, default=None
        See `textmix.text.features.FeatureSpec`.
    min_count : int, default=1
        See `textmix.text.features.FeatureSpec`.
    min_df : int, default=1
        See `textmix.text.features.FeatureSpec`.
    skip_header : bool, default=False
        See `textmix.text.features.FeatureSpec`.
    skip_uuencoded : bool, default=False
        See `textmix.text.features.FeatureSpec`.
    lowercase : bool, default=False
        See `textmix.text.features.FeatureSpec`.
    lemmatise : bool, default=False
        See `textmix.text.features.FeatureSpec`.
    weighting : str, default="count"
        See `textmix.text.features.FeatureSpec`.
    ngram_range : tuple of (int, int), default=(1, 1)
        Minimum and maximum number of words of an n-gram; (1, 2) counts words and bigrams. Stop words are dropped before
        n-grams are formed, rare features afterwards.
    max_df : float, default=1.0
        Maximum document frequency of a feature: a number of documents if an int, a proportion if a float.
    max_features : int or None, default=None
        Maximum number of features; the most frequent ones are kept.
    vocabulary : mapping of str to int or iterable of str or None, default=None
        Fixed features: words, or a mapping of words to columns, which disables feature selection. `transform` then
        needs no `fit`.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Column of each of the V features, in code-point order or in the order of ``vocabulary``.

    Notes
    -----
    ``ngram_range``, ``max_df``, ``max_features`` and ``vocabulary`` have the semantics of scikit-learn's
    ``CountVectorizer``.

    Examples
    --------
    >>> from textmix import WordVectorizer
    >>> WordVectorizer(min_count=2).fit_transform(["a rose is a rose", "a day"]).toarray().tolist()
    [[2, 2], [1, 0]]
    >>> WordVectorizer(ngram_range=(2, 2), stop_list=["is"]).fit(["a rose is a rose"]).get_feature_names_out().tolist()
    ['a rose', 'rose a']
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {"vocabulary_": "vocabulary V"}

    def __init__(
        self,
        *,
        tokenizer: Tokenizer = "unicode",
        min_length: int = 1,
        max_length: int | None = None,
        stop_list: str | Collection[str] = "none",
        min_count: int = 1,
        min_df: int = 1,
        skip_header: bool = False,
        skip_uuencoded: bool = False,
        lowercase: bool = False,
        lemmatise: bool = False,
        weighting: str = "count",
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.min_length = min_length
        self.max_length = max_length
        self.stop_list = stop_list
        self.min_count = min_count
        self.min_df = min_df
        self.skip_header = skip_header
        self.skip_uuencoded = skip_uuencoded
        self.lowercase = lowercase
        self.lemmatise = lemmatise
        self.weighting = weighting
        self.ngram_range = ngram_range
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> sparse.csr_array:
        """Learn the vocabulary of N texts and return their counts, int32 CSR (N, V).

        Raises
        ------
        ValueError
            If ``vocabulary`` contains a word or a column twice, or ``max_df`` is below ``min_df`` or excludes all
            words.
        ConfigError
            If a parameter is invalid.
        """
        text = texts_of(raw_documents)
        check_choice(self.get_params())
        if self._takes_stream():
            return self._counted(self._learn(text))
        found = build_features(_corpus(text), self._spec())
        return self._choose(found.features, found.feature_names or [])

    def transform(self, raw_documents: Iterable[str] | Ragged) -> sparse.csr_array:
        """Count the words of the vocabulary in N texts; return int32 CSR (N, V)."""
        column_of = self._known()
        text = texts_of(raw_documents)
        if self._takes_stream():
            return self._counted(self._columns(text))
        return count_known(text, FeatureSpec.from_mapping(self._spec()), column_of)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the V features in column order, object (V,); the argument is ignored."""
        return np.array(list(self._known()), dtype=object)

    def _spec(self) -> dict[str, Any]:
        """Return the parameters of tokenisation and counting, see `FeatureSpec`."""
        return {key: value for key, value in self.get_params().items() if key in _KEYS}

    def _takes_stream(self) -> bool:
        """Check whether the word order is required, or a custom tokenizer or stop list is used."""
        named = isinstance(self.tokenizer, str) and isinstance(self.stop_list, str)
        return not named or self.vocabulary is not None or tuple(self.ngram_range) != (1, 1)

    def _known(self) -> dict[str, int]:
        """Return the vocabulary, which is available before `fit` if it is fixed."""
        if self.vocabulary is not None and not hasattr(self, "vocabulary_"):
            check_choice(self.get_params())
            self.vocabulary_ = fixed_vocabulary(self.vocabulary)
        check_is_fitted(self)
        return self.vocabulary_

    def _learn(self, text: Ragged) -> Ragged:
        """Learn the features of N texts; return the token stream as column indices."""
        if self.vocabulary is not None:
            self.vocabulary_ = fixed_vocabulary(self.vocabulary)
            return self._columns(text)
        tokens, words = self._stream(text)
        counts = counts_of(tokens, len(words))
        frequent = kept_words(counts, words, (), self.min_count, self.min_df)
        self._choose(self._weighted(counts[:, frequent]), list(compress(words, frequent)))
        return self._numbered(tokens, words)

    def _columns(self, text: Ragged) -> Ragged:
        """Return the in-vocabulary features of N texts in order, as column indices."""
        if not self._takes_stream():
            return known_tokens(text, FeatureSpec.from_mapping(self._spec()), self.vocabulary_)
        return self._numbered(*self._stream(text))

    def _numbered(self, tokens: Ragged, words: Sequence[str]) -> Ragged:
        """Convert ids into ``words`` to column indices; other tokens are dropped."""
        return renumber(tokens, np.array([self.vocabulary_.get(word, -1) for word in words], dtype=np.int32))

    def _choose(self, counts: sparse.csr_array, words: Sequence[str]) -> sparse.csr_array:
        """Select features and learn their columns; return the selected counts, CSR (N, V)."""
        kept = np.ones(len(words), dtype=bool)
        if self.max_features is not None or self.max_df != 1.0 or isinstance(self.max_df, Integral):
            kept = limited(counts, self.min_df, self.max_df, self.max_features)
            if not kept.any():
                raise ValueError(f"max_df: {self.max_df} leaves no word; raise it")
        self.vocabulary_ = {word: column for column, word in enumerate(compress(words, kept))}
        return counts if kept.all() else counts[:, kept]

    def _counted(self, columns: Ragged) -> sparse.csr_array:
        """Count features in N texts from their column indices; return CSR (N, V)."""
        return self._weighted(counts_of(columns, len(self.vocabulary_)))

    def _weighted(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return counts, or binary indicators with ``weighting="binary"``."""
        if self.weighting == "binary":
            counts.data[:] = 1
        return counts

    def _stream(self, text: Ragged) -> tuple[Ragged, list[str]]:
        """Return the token stream of N texts before any frequency cut-off, and the feature names."""
        tokens, words = self._split(text)
        stop = stop_words(self.stop_list) if isinstance(self.stop_list, str) else frozenset(self.stop_list)
        if stop:
            kept = np.array([word not in stop for word in words], dtype=bool)
            tokens = restrict(tokens, kept)
            words = list(compress(words, kept))
        return (tokens, words) if tuple(self.ngram_range) == (1, 1) else ngrams(tokens, words, *self.ngram_range)

    def _split(self, text: Ragged) -> tuple[Ragged, list[str]]:
        """Split N texts into words; return the token stream and the distinct words in code-point order."""
        spec = {**self._spec(), "stop_list": "none", "min_count": 1, "min_df": 1}
        if isinstance(self.tokenizer, str):
            found = build_features(_corpus(text), {**spec, "keep_tokens": True})
            return cast(Ragged, found.tokens), list(found.feature_names or [])
        if not callable(self.tokenizer):
            raise ConfigError(f"features: tokenizer: {self.tokenizer!r} is not allowed; give a name or a function")
        checked = FeatureSpec.from_mapping({**spec, "tokenizer": "whitespace"})
        for key in ("min_length", "max_length", "lowercase", "lemmatise"):
            if spec[key] != getattr(FeatureSpec, key):
                raise ConfigError(
                    f"features: {key}: the tokenizer is a function, which gives words as they are; do it there"
                )
        cleaned = clean_messages(text, checked.skip_header, checked.skip_uuencoded)
        return split_by(self.tokenizer, (cleaned.text(row) for row in range(len(cleaned))))


def _corpus(text: Ragged) -> Corpus:
    """Wrap N texts in an unlabelled corpus."""
    ids = [str(row) for row in range(len(text))]
    return Corpus("texts", ids, [], label_matrix([[]] * len(text), 0), text=text)


def split_by(tokenizer: Callable[[str], Iterable[str]], texts: Iterable[str]) -> tuple[Ragged, list[str]]:
    """Split N texts with a function; return N rows of int32 ids and V words in code-point order."""
    documents = [list(tokenizer(text)) for text in texts]
    words = sorted({word for document in documents for word in document})
    ids = {word: row for row, word in enumerate(words)}
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])]).astype(np.int64)
    values = [ids[word] for document in documents for word in document]
    return Ragged(np.array(values, dtype=np.int32), offsets), words


def ngrams(tokens: Ragged, words: Sequence[str], smallest: int, largest: int) -> tuple[Ragged, list[str]]:
    """Form the n-grams of ``smallest`` to ``largest`` words of each document.

    Returns
    -------
    tokens : Ragged
        N-gram ids, int32, ordered by the position of the first word and then by length.
    names : list of str
        Words of each n-gram joined by spaces, in code-point order.
    """
    values = np.asarray(tokens.values)
    ends = np.repeat(tokens.offsets[1:], np.diff(tokens.offsets))
    starts = np.arange(len(values))
    ids = values.astype(np.int64)
    names = list(words)
    places = list[np.ndarray]()
    runs = list[np.ndarray]()
    known = list[str]()
    for length in range(1, largest + 1):
        if length > 1:
            fits = starts + length <= ends[starts]
            starts = starts[fits]
            pairs, ids = np.unique(ids[fits] * len(words) + values[starts + length - 1], return_inverse=True)
            names = [
                f"{names[run]} {words[last]}"
                for run, last in zip(*(part.tolist() for part in np.divmod(pairs, max(len(words), 1))), strict=True)
            ]
        if length >= smallest:
            places.append(starts)
            runs.append(ids + len(known))
            known += names
    place = np.concatenate(places)
    order = np.argsort(place, kind="stable")
    offsets = np.searchsorted(place[order], tokens.offsets)
    return rename(Ragged(np.concatenate(runs)[order], offsets), known, known)


def limited(counts: sparse.csr_array, least: int, max_df: float, max_features: int | None) -> np.ndarray:
    """Select the columns of counts, CSR (N, V) without explicit zeros, that ``CountVectorizer`` keeps.

    ``max_df`` (a number of documents if an int, a proportion of N if a float) must not be below ``least``, which has
    already been applied. ``max_features`` keeps the columns with the largest sums, with ties resolved as in
    ``CountVectorizer``. Return a mask, bool (V,).
    """
    most = max_df if isinstance(max_df, Integral) else max_df * counts.shape[0]
    if most < least:
        raise ValueError(f"max_df: {max_df} is fewer documents than min_df: {least}; raise it")
    kept: np.ndarray = np.bincount(counts.indices, minlength=counts.shape[1]) <= most
    if max_features is not None and kept.sum() > max_features:
        sums = np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1]).astype(np.int64)
        columns = np.flatnonzero(kept)
        kept[:] = False
        kept[columns[(-sums[columns]).argsort()[:max_features]]] = True  # same order of ties as in scikit-learn
    return kept


def fixed_vocabulary(vocabulary: Mapping[str, int] | Iterable[str]) -> dict[str, int]:
    """Convert a fixed vocabulary to a mapping of words to columns, in column order; sets are sorted."""
    if isinstance(vocabulary, Mapping):
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise ValueError(
                f"vocabulary: the columns are not 0 to {len(vocabulary) - 1}, each once; give a list of words"
            )
        words = sorted(vocabulary, key=vocabulary.__getitem__)
    else:
        words = sorted(vocabulary) if isinstance(vocabulary, (set, frozenset)) else list(vocabulary)
    found = {word: column for column, word in enumerate(words)}
    if len(found) < len(words):
        twice = next(word for column, word in enumerate(words) if found[word] != column)
        raise ValueError(f"vocabulary: {twice!r} is repeated; remove one")
    if not found:
        raise ValueError("vocabulary is empty; pass at least one word")
    return found


def check_choice(params: Mapping[str, Any]) -> None:
    """Validate the feature selection parameters of `textmix.text.word_vectorizer.WordVectorizer`."""
    pair, most, room, stop_list = (params[key] for key in ("ngram_range", "max_df", "max_features", "stop_list"))
    lengths = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(_whole(length) for length in pair)
    share = isinstance(most, (float, np.floating)) and 0 <= most <= 1
    known = not isinstance(params["vocabulary"], str) and isinstance(params["vocabulary"], (Iterable, type(None)))
    own = isinstance(stop_list, Collection) and all(isinstance(word, str) for word in stop_list)
    for key, allowed, remedy in (
        ("ngram_range", lengths and pair[0] <= pair[1], "give the smallest and the largest number of words, as (1, 2)"),
        ("max_df", share or _whole(most), "give a whole number from 1 or a share from 0.0 to 1.0"),
        ("max_features", room is None or _whole(room), "give a whole number from 1, or None"),
        ("vocabulary", known, "give words, or word -> column"),
        ("stop_list", own, "give the name of a list, or words"),
    ):
        if not allowed:
            raise ConfigError(f"features: {key}: {params[key]!r} is not allowed; {remedy}")


def _whole(value: Any) -> bool:
    """Check whether a value is a positive integer."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)
