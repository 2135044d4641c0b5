"""`WordVectorizer`: counts of words as the documents count them, with the interface of ``CountVectorizer``."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.text.features import MATRIX, FeatureSpec, build_features, count_known


class WordVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into counts of words.

    Parameters
    ----------
    tokenizer, min_length, max_length, stop_list, min_count, min_documents, skip_header, skip_uuencoded, casing,
        lemmatise, weighting : see `textmix.text.features.FeatureSpec`.

    Attributes
    ----------
    vocabulary_ : word -> column, V words in the order of their code points.

    Examples
    --------
    >>> from textmix import WordVectorizer
    >>> WordVectorizer(min_count=2).fit_transform(["a rose is a rose", "a day"]).toarray().tolist()
    [[2, 2], [1, 0]]
    """

    #: Fitted attributes and their forms, see `textmix.serve.forms`.
    fitted_forms: ClassVar[dict[str, Any]] = {"vocabulary_": "vocabulary V"}

    def __init__(
        self,
        *,
        tokenizer: str = "unicode",
        min_length: int = 1,
        max_length: int | None = None,
        stop_list: str = "none",
        min_count: int = 1,
        min_documents: int = 1,
        skip_header: bool = False,
        skip_uuencoded: bool = False,
        casing: str = "keep",
        lemmatise: bool = False,
        weighting: str = "count",
    ) -> None:
        self.tokenizer = tokenizer
        self.min_length = min_length
        self.max_length = max_length
        self.stop_list = stop_list
        self.min_count = min_count
        self.min_documents = min_documents
        self.skip_header = skip_header
        self.skip_uuencoded = skip_uuencoded
        self.casing = casing
        self.lemmatise = lemmatise
        self.weighting = weighting

    @classmethod
    def of(cls, features: Mapping[str, Any], vocabulary: Sequence[str]) -> Self:
        """Return the fitted vectoriser that counts as a data set's words were counted.

        Parameters
        ----------
        features : a ``features`` entry, see `FeatureSpec`.
        vocabulary : V words in the order of the columns.

        Raises
        ------
        ConfigError : the features are not counts of single words.
        """
        spec = FeatureSpec.from_mapping(features)
        if spec.tokenizer == MATRIX:
            raise ConfigError("model: the data set is a matrix, not text; choose a data set of text")
        if spec.max_n > 1 or spec.vectors is not None:
            raise ConfigError("model: features of skip-grams or vectors cannot be saved; choose features of words")
        vectorizer = cls(**{key: getattr(spec, key) for key in cls().get_params()})
        vectorizer.vocabulary_ = {word: column for column, word in enumerate(vocabulary)}
        return vectorizer

    def fit(self, raw_documents: Iterable[str], y: Any = None) -> Self:
        """Find the words of N texts; ``y`` is ignored.  The errors are those of `fit_transform`."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> sparse.csr_array:
        """Find the words of N texts and return their counts, int32 CSR (N, V).

        Raises
        ------
        ValueError : ``raw_documents`` is one string, or a text is no string.
        ConfigError : a parameter is not allowed.
        """
        text = texts_of(raw_documents)
        ids = [str(row) for row in range(len(text))]
        corpus = Corpus("texts", ids, [], label_matrix([[]] * len(text), 0), text=text)
        counted = build_features(corpus, self.get_params())
        self.vocabulary_ = {word: column for column, word in enumerate(counted.feature_names or [])}
        return counted.features

    def transform(self, raw_documents: Iterable[str] | Ragged) -> sparse.csr_array:
        """Return the counts of the known words in N texts, int32 CSR (N, V); other words are not counted."""
        check_is_fitted(self)
        return count_known(texts_of(raw_documents), FeatureSpec.from_mapping(self.get_params()), self.vocabulary_)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the V words, in the order of the columns; the argument is ignored."""
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: the input is a sequence of strings, not a two-dimensional array."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def texts_of(raw_documents: Iterable[str] | Ragged) -> Ragged:
    """Return texts as UTF-8 in one array; a `Ragged` is returned itself.

    Raises
    ------
    ValueError : see `strings_of`.
    """
    if isinstance(raw_documents, Ragged):
        return raw_documents
    return Ragged.from_texts(text.encode("utf-8") for text in strings_of(raw_documents))


def strings_of(raw_documents: Iterable[str]) -> Iterator[str]:
    """Yield the texts that a user gives, each checked.

    Raises
    ------
    ValueError : ``raw_documents`` is one string or no sequence, or a text is no string, such as NaN, or cannot be
        written as UTF-8.
    """
    if isinstance(raw_documents, (str, bytes)) or not isinstance(raw_documents, Iterable):
        kind = "one string" if isinstance(raw_documents, str) else f"a {type(raw_documents).__name__}"
        raise ValueError(f"raw_documents is {kind}; give a list of texts")
    for number, text in enumerate(raw_documents):
        if not isinstance(text, str):
            remedy = (
                "decode it" if isinstance(text, bytes) else "replace what is missing by an empty text, or leave it out"
            )
            raise ValueError(f"text {number} is {reprlib.repr(text)}, a {type(text).__name__} and no string; {remedy}")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(f"text {number} holds half of a pair of surrogates at {error.start}; remove it") from error
        yield text
