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
    """Turn texts into counts of skip-grams: up to ``max_n`` words in order with at most ``max_slop`` words between
    them.  With ``max_n=1`` these are counts of words.  A method raises `ValueError` where ``raw_documents`` is one
    string or a text is no string, and `NotFittedError` where it needs a fit.

    Parameters
    ----------
    max_n : largest number of words of a skip-gram.
    max_slop : largest number of words passed over in all; with 0 skip-grams are n-grams.
    min_df : skip-grams in fewer documents are dropped.
    subsume : whether to drop a skip-gram that matches in no more documents than at the next smaller slop.
    weighting : ``count``, ``binary`` or ``score`` (see `textmix.text.skipgrams.Skipgrams.transform`).
    tokenizer : a name of `textmix.text.tokenize.TOKENIZERS`, or a function from a text to its words.
    min_length : words of fewer characters are dropped; ignored where ``tokenizer`` is a function.
    boundary_tokens : whether ``<s>`` and ``</s>`` are added at the ends of each text as words of skip-grams; by
        themselves they are no feature.

    Attributes
    ----------
    vocabulary_ : word -> id, all words of the training texts.
    skipgrams_ : the fitted `textmix.text.skipgrams.Skipgrams`.

    Examples
    --------
    >>> from textmix import SkipgramVectorizer
    >>> texts = ["waste your time", "waste my time", "waste of time"]
    >>> SkipgramVectorizer(max_n=2, max_slop=1, min_df=3).fit(texts).get_feature_names_out().tolist()
    ['time', 'waste', 'waste time ~1']
    """

    #: Fitted attributes and their forms, see `textmix.serve.state_schema`.
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
        """Find the skip-grams of N texts; ``y`` is ignored.  A parameter that is not allowed is a `ConfigError`."""
        self._fit(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> sparse.csr_array:
        """Do as `fit`; return the features of the same N texts as `transform` does."""
        return self._features(self._fit(raw_documents))

    def transform(self, raw_documents: Iterable[str]) -> sparse.csr_array:
        """Return the features of N texts, CSR (N, F): int32, or float32 with ``weighting="score"``.

        A word that was not in the training texts is in no skip-gram, but it counts as a word passed over.
        """
        check_is_fitted(self)
        tokens, words = self._tokenize(raw_documents)
        unknown = len(self.vocabulary_)
        ids = np.array([self.vocabulary_.get(word, unknown) for word in words], dtype=np.int32)
        return self._features(Ragged(ids[tokens.values], tokens.offsets))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features, (F,), such as ``waste time ~1`` for slop 1; the argument is ignored."""
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
        """Fit and return the token stream."""
        tokens, words = self._tokenize(raw_documents)
        self.vocabulary_ = {word: row for row, word in enumerate(words)}
        grams = Skipgrams(self.max_n, self.max_slop, self.min_df, self.subsume)
        self.skipgrams_ = grams.fit(tokens, len(words) + 1)  # one id more, for unknown words
        return tokens

    def _features(self, tokens: Ragged) -> sparse.csr_array:
        """Return the features of documents of ids, without those of marks alone."""
        features = self.skipgrams_.transform(tokens, self.weighting)
        return features[:, self._kept()] if self.boundary_tokens else features

    def _kept(self) -> np.ndarray:
        """Return which skip-grams are features, bool (F,): those that have a word beside the marks."""
        return self.skipgrams_.beyond([self.vocabulary_[mark] for mark in BOUNDARY_TOKENS])

    def _tokenize(self, raw_documents: Iterable[str]) -> tuple[Ragged, list[str]]:
        """Return the token stream of texts and its vocabulary, in alphabetical order but for the marks."""
        if isinstance(self.tokenizer, str):
            found = tokenize(texts_of(raw_documents), self.tokenizer, self.min_length)
        else:
            found = split_by(self.tokenizer, strings_of(raw_documents))
        return with_boundary_tokens(*found) if self.boundary_tokens else found
