"""`SequenceVectorizer`: texts as the sequences of words that a hidden Markov model takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textmix.data.corpus import Ragged
from textmix.models.hmm.sequences import TokenSequences
from textmix.text.ngrams import check_choice
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
        """Find the words of N texts and return the texts as N sequences.

        Raises
        ------
        ValueError, ConfigError : as `WordVectorizer.fit_transform`.
        """
        check_choice(self.get_params())
        return TokenSequences.of(self._learn(texts_of(raw_documents)), len(self.vocabulary_))

    def transform(self, raw_documents: Iterable[str] | Ragged) -> TokenSequences:
        """Return N texts as sequences of the V known words; other words are left out.

        Raises
        ------
        ValueError : ``raw_documents`` is one string, or a text is no string.
        NotFittedError : there is neither a fit nor a ``vocabulary``.
        """
        column_of = self._known()
        return TokenSequences.of(self._columns(texts_of(raw_documents)), len(column_of))
