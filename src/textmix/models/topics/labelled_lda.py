"""Labelled LDA: a topic a label and one for all documents; the words of a document come from its labels' topics alone.

Source: see `labelled_lda_kernels`.  The paper ranks labels by their shares; here a label is predicted from a share on
that gives as many labels a document as they have, found on every fifth training document with topics of the rest.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.label_counts import LabelCountClassifier
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.targets import LabelSetTargets, in_form_of_y
from textmix.models.common.validation import check_counts
from textmix.models.label_sets.cardinality import cardinality_threshold
from textmix.models.topics.labelled_lda_kernels import infer_shares, train_sweep

#: Updates of the shares of a new document.
SWEEPS = 30
#: One of so many training documents is left out of the first training.
HELD = 5
#: Training ends when no share of a cell changes by more.
SMALL = 1e-3


class LabelledLDA(LabelCountClassifier):
    """Labelled LDA by the zero-order collapsed variational update.

    Parameters
    ----------
    alpha : pseudo-words of each topic in a document, positive.
    beta : pseudo-counts of each word in a topic, positive.
    max_iter : most sweeps over the training documents.

    Attributes
    ----------
    phi_ : float64 (V, L + 1), probability of each word in the topic of each label and, last, in that of all documents.
    threshold_ : least share of a label, among the labels' shares, with which it is predicted.
    n_iter_ : number of sweeps.
    classes_, n_features_in_ : see `LabelCountClassifier`.

    Examples
    --------
    >>> from textmix import LabelledLDA
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = LabelledLDA().fit(X * 3, y * 3)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{
            "classes_": "int L",
            "n_features_in_": "int",
            "phi_": "float64 V *",
            "threshold_": "float",
            "n_iter_": "int",
        },
        **LabelSetTargets._target_forms,
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, alpha: float = 1.0, beta: float = 0.01, max_iter: int = 50) -> None:
        self.alpha = alpha
        self.beta = beta
        self.max_iter = max_iter

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Set the threshold on documents that took no part in a first training, and train on all of them.

        In training documents the shares are sharper than in new ones.
        """
        held = np.arange(counts.shape[0]) % HELD == HELD - 1
        if held.any():
            self._train(counts[~held], labels[~held])
            self.threshold_ = self._threshold(counts[held], labels[held])
        self._train(counts, labels)
        if not held.any():
            self.threshold_ = self._threshold(counts, labels)

    def _threshold(self, counts: sparse.csr_array, labels: sparse.csr_array) -> float:
        """Return the share with which documents (N, V) get as many labels as they have, (N, L)."""
        return cardinality_threshold(self._shares(counts), float(labels.sum() / labels.shape[0]))

    def _train(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Train the topics on counts (N, V) and label indicators (N, L)."""
        topics, first = _document_topics(labels)
        sizes = np.repeat(np.diff(first), np.diff(counts.indptr))
        place, data = np.concatenate([[0], np.cumsum(sizes)]), counts.data.astype(np.float64)
        gamma = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
        word = _expected_counts(counts, data, (topics, first), gamma)
        total, change = word.sum(axis=0), np.inf
        matrix, prior = (counts.indptr, counts.indices, data), (float(self.alpha), float(self.beta))
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter and change > SMALL:
            change = train_sweep(*matrix, topics, first, gamma, place, word, total, prior)
            self.n_iter_ += 1
        self.phi_ = (word + self.beta) / (total + self.beta * len(word))

    def _check_loaded(self) -> None:
        """Raise ValueError if there is not one topic more than labels."""
        if self.phi_.shape[1] != len(self.classes_) + 1:
            raise ValueError("phi_ does not hold a topic for each label and one more; save the model again")

    def _shares(self, counts: sparse.csr_array) -> np.ndarray:
        """Return `label_shares` of checked counts (N, V)."""
        alpha, data = np.full(self.phi_.shape[1], float(self.alpha)), counts.data.astype(np.float64)
        theta = infer_shares(counts.indptr, counts.indices, data, self.phi_, alpha, SWEEPS)[:, :-1]
        shares: np.ndarray = theta / theta.sum(axis=1, keepdims=True)
        return shares

    def label_shares(self, X: Any) -> np.ndarray:
        """Return the share of each label's topic among the words that come from labels, float64 (N, L).

        The shares of a document sum to 1; they are not the probabilities of the labels.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN, infinity or a negative number.
        """
        check_is_fitted(self)
        return self._shares(check_counts(self, X, reset=False))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the share of each label less ``threshold_``, float64 (N, L); labels at 0 and above are predicted.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN, infinity or a negative number.
        """
        return self.label_shares(X) - self.threshold_

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels whose share is at least ``threshold_``, int64 (N, L) of 0 and 1.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN, infinity or a negative number.
        """
        return (self.label_shares(X) >= self.threshold_).astype(np.int64)


def _expected_counts(
    counts: sparse.csr_array, data: np.ndarray, lists: tuple[np.ndarray, np.ndarray], gamma: np.ndarray
) -> np.ndarray:
    """Return the expected count of each word in each topic, float64 (V, K).

    Parameters
    ----------
    counts, data : CSR (N, V), and its counts as float64.
    lists : see `_document_topics`.
    gamma : shares of the topics of each cell, one list after the other.
    """
    topics, first = lists
    word = np.zeros((counts.shape[1], int(topics.max(initial=0)) + 1))
    rows = np.split(topics, first[1:-1])
    cells = [np.tile(mine, size) for mine, size in zip(rows, np.diff(counts.indptr), strict=True)]
    sizes = np.repeat(np.diff(first), np.diff(counts.indptr))
    np.add.at(word, (np.repeat(counts.indices, sizes), np.concatenate(cells)), np.repeat(data, sizes) * gamma)
    return word


def _document_topics(labels: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the topics of each document, one list after the other, int64, and where each list begins, int64 (N + 1,).

    The topics of a document are its labels and L, the topic of all documents.
    """
    n, background = labels.shape
    first = labels.indptr.astype(np.int64) + np.arange(n + 1)
    topics = np.full(first[-1], background, dtype=np.int64)
    own = np.ones(len(topics), dtype=bool)
    own[first[1:] - 1] = False
    topics[own] = labels.indices
    return topics, first
