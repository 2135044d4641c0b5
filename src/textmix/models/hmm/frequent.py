"""`FrequentWords`: which words of sequences a training part keeps."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from textmix.data.corpus import Ragged
from textmix.models.hmm.sequences import TokenSequences
from textmix.text.vocabulary import of_fold, restrict


class FrequentWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the words that are frequent enough in the training documents, numbered from 0 in their order.

    It is for words in order what `textmix.text.term_weighting.TermWeighting` is for counts: what a model knows of the
    vocabulary depends on its training documents alone.

    Parameters
    ----------
    min_documents, min_count : a word in fewer documents, or with fewer occurrences, is dropped; with 0 for both every
        word is kept, also one that no training document has.

    Attributes
    ----------
    frequent_ : bool (V,), whether each word is kept.
    """

    def __init__(self, *, min_documents: int = 1, min_count: int = 1) -> None:
        self.min_documents = min_documents
        self.min_count = min_count

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the words by N training documents; ``y`` is ignored.

        Raises
        ------
        ValueError : no word is frequent enough, or X holds no sequences of words.
        """
        X = TokenSequences.of(X)
        self.frequent_ = of_fold(X.counts(), (self.min_count, self.min_documents))
        if not self.frequent_.any():
            raise ValueError(f"no word is in {self.min_documents} of the {len(X)} training documents")
        return self

    def transform(self, X: Any) -> TokenSequences:
        """Return N documents as sequences of the kept words; other words are left out.

        Raises
        ------
        ValueError : X holds no sequences of words, or has another vocabulary than the training documents.
        """
        check_is_fitted(self)
        X = TokenSequences.of(X, len(self.frequent_))
        if X.n_words != len(self.frequent_):
            raise ValueError(
                f"X has a vocabulary of {X.n_words} words; the training documents had {len(self.frequent_)}"
            )
        kept = restrict(Ragged(X.values, X.offsets), self.frequent_)
        return TokenSequences(kept.values, kept.offsets, int(np.count_nonzero(self.frequent_)))
