"""`SkipgramVectorizer`: skip-grams with the interface of scikit-learn's ``CountVectorizer``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textmix.data.corpus import Ragged
from textmix.text.skipgrams import BOUNDARY_TOKENS, Skipgrams, with_boundary_tokens
from textmix.text.text_validation import strings_of, texts_of
from textmix.text.tokenize import tokenize
from textmix.text.word_vectorizer import OfTexts, Tokenizer, split_by


class SkipgramVectorizer(OfTexts):
    """Convert texts to a document-term matrix of skip-grams.

    A skip-gram consists of up to ``max_n`` words in order with at most ``max_slop`` words skipped between them. With
    ``max_n=1`` the features are single words. Methods raise ValueError if ``raw_documents`` is a single string or
    contains anything other than strings, and NotFittedError if they require a fitted vectorizer.

    Parameters
    ----------
    max_n : int, default=5
        Maximum number of words of a skip-gram.
    max_slop : int, default=2
        Maximum total number of skipped words; with 0 skip-grams are n-grams.
    min_df : int, default=6
        Minimum document frequency of a skip-gram.
    subsume : bool, default=True
        Whether to drop a skip-gram that matches in no more documents than at the next smaller slop.
    weighting : {"count", "binary", "score"}, default="count"
        Feature weighting, see `textmix.text.skipgrams.Skipgrams.transform`.
    tokenizer : Tokenizer, default="unicode"
        Key of `textmix.text.tokenize.TOKENIZERS`, or a function that splits a text into words.
    min_length : int, default=1
        Minimum length of a word in characters; ignored if ``tokenizer`` is a function.
    boundary_tokens : bool, default=False
        Whether to add ``<s>`` and ``</s>`` to both ends of each text as words of skip-grams; skip-grams that consist of
        boundary tokens only are not features.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Id of each word of the training texts.
    skipgrams_ : textmix.text.skipgrams.Skipgrams
        Fitted skip-grams.

    Examples
    --------
    >>> from textmix import SkipgramVectorizer
    >>> texts = ["waste your time", "waste my time", "waste of time"]
    >>> SkipgramVectorizer(max_n=2, max_slop=1, min_df=3).fit(texts).get_feature_names_out().tolist()
    ['time', 'waste', 'waste time ~1']
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        "vocabulary_": "vocabulary V",
        "skipgrams_": (Skipgrams, Skipgrams.forms),
    }

    def __init__(
        self,
        *,
        max_n: int = 5,
        max_slop: int = 2,
        min_df: int = 6,
        subsume: bool = True,
        weighting: str = "count",
        tokenizer: Tokenizer = "unicode",
        min_length: int = 1,
        boundary_tokens: bool = False,
    ) -> None:
        self.max_n = max_n
        self.max_slop = max_slop
        self.min_df = min_df
        self.subsume = subsume
        self.weighting = weighting
        self.tokenizer = tokenizer
        self.min_length = min_length
        self.boundary_tokens = boundary_tokens

    def fit(self, raw_documents: Iterable[str], y: Any = None) -> Self:
        """Learn the skip-grams of N texts; ``y`` is ignored. Raise ConfigError for an invalid parameter."""
        self._fit(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> sparse.csr_array:
        """Fit to N texts and return their features, like `transform`."""
        return self._features(self._fit(raw_documents))

    def transform(self, raw_documents: Iterable[str]) -> sparse.csr_array:
        """Return the features of N texts as CSR (N, F): int32, or float32 with ``weighting="score"``.

        An out-of-vocabulary word is not part of any skip-gram, but counts as a skipped word.
        """
        check_is_fitted(self)
        tokens, words = self._tokenize(raw_documents)
        unknown = len(self.vocabulary_)
        ids = np.array([self.vocabulary_.get(word, unknown) for word in words], dtype=np.int32)
        return self._features(Ragged(ids[tokens.values], tokens.offsets))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features, (F,), such as ``waste time ~1`` (slop 1); the argument is ignored."""
        check_is_fitted(self)
        names = np.array(self.skipgrams_.names(list(self.vocabulary_)), dtype=object)
        return names[self._kept()] if self.boundary_tokens else names

    def _check_loaded(self) -> None:
        if self.boundary_tokens and not set(BOUNDARY_TOKENS) <= self.vocabulary_.keys():
            raise ValueError("vocabulary_ lacks the marks of start and end")
        if (self.skipgrams_.max_n, self.skipgrams_.max_slop) != (self.max_n, self.max_slop):
            raise ValueError("skipgrams_ was found with other parameters")
        self.skipgrams_.check()

    def _fit(self, raw_documents: Iterable[str]) -> Ragged:
        """Fit the skip-grams and return the token stream."""
        tokens, words = self._tokenize(raw_documents)
        self.vocabulary_ = {word: row for row, word in enumerate(words)}
        grams = Skipgrams(self.max_n, self.max_slop, self.min_df, self.subsume)
        self.skipgrams_ = grams.fit(tokens, len(words) + 1)  # one extra id for out-of-vocabulary words
        return tokens

    def _features(self, tokens: Ragged) -> sparse.csr_array:
        """Compute the features of token sequences, without skip-grams that consist of boundary tokens only."""
        features = self.skipgrams_.transform(tokens, self.weighting)
        return features[:, self._kept()] if self.boundary_tokens else features

    def _kept(self) -> np.ndarray:
        """Return a mask, bool (F,), of the skip-grams with at least one word other than the boundary tokens."""
        return self.skipgrams_.beyond([self.vocabulary_[mark] for mark in BOUNDARY_TOKENS])

    def _tokenize(self, raw_documents: Iterable[str]) -> tuple[Ragged, list[str]]:
        """Tokenise texts; return the token stream and its vocabulary, alphabetical except for the boundary tokens."""
        if isinstance(self.tokenizer, str):
            found = tokenize(texts_of(raw_documents), self.tokenizer, self.min_length)
        else:
            found = split_by(self.tokenizer, strings_of(raw_documents))
        return with_boundary_tokens(*found) if self.boundary_tokens else found
