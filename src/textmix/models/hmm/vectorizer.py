"""`SequenceVectorizer`: texts as the sequences of words that a hidden Markov model takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.models.hmm.sequences import TokenSequences
from textmix.text.features import FeatureSpec, build_features, known_tokens
from textmix.text.word_vectorizer import WordVectorizer, texts_of


class SequenceVectorizer(WordVectorizer):
    """Turn texts into sequences of words; the parameters are those of `WordVectorizer`.

    Attributes
    ----------
    vocabulary_ : word -> number, V words in the order of their code points.

    Examples
    --------
    >>> from textmix import SequenceVectorizer
    >>> X = SequenceVectorizer(min_count=2).fit_transform(["a rose is a rose", "a day"])
    >>> X[0].tolist(), X[1].tolist()
    ([0, 1, 0, 1], [0])
    """

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> TokenSequences:
        """Find the words of N texts and return the texts as sequences; the errors are those of `WordVectorizer`."""
        text = texts_of(raw_documents)
        corpus = Corpus(
            "texts", [str(row) for row in range(len(text))], [], label_matrix([[]] * len(text), 0), text=text
        )
        counted = build_features(corpus, {**self.get_params(), "keep_tokens": True})
        self.vocabulary_ = {word: number for number, word in enumerate(counted.feature_names or [])}
        return TokenSequences.of_corpus(counted)

    def transform(self, raw_documents: Iterable[str] | Ragged) -> TokenSequences:
        """Return N texts as sequences of the known words; other words are left out."""
        check_is_fitted(self)
        spec = FeatureSpec.from_mapping(self.get_params())
        return TokenSequences.of(known_tokens(texts_of(raw_documents), spec, self.vocabulary_), len(self.vocabulary_))
