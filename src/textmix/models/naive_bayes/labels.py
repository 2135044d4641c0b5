"""Multinomial naive Bayes classifier per label, a baseline for the Parametric Mixture Models.

Source: N. Ueda and K. Saito, NIPS 2002, section 4.1.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.multilabel import LabelCountClassifier, unit_rows
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import (
    check_counts,
    check_labelled_counts,
    check_weights,
    checked_fit,
)
from textmix.models.label_sets.independent import IndependentLabels


class LabelNaiveBayes(IndependentLabels, LabelCountClassifier):
    """Multinomial naive Bayes per label: pages with the label against pages without it.

    Parameters
    ----------
    alpha : float, default=1.0
        Constant that is added to every word count of both classes of pages; 1 is Laplace smoothing.
    vocabulary : str, default="all"
        Words with a weight: "all" columns of X, or only the words that occur in the "training" pages.
    length : float or None, default=None
        Number of words to which each page is scaled, as in Nigam et al. (2000); None uses the counts unchanged.

    Attributes
    ----------
    coef_ : ndarray of shape (L, V)
        Log p(word | with) - log p(word | without).
    intercept_ : ndarray of shape (L,)
        Log-odds of the label among the training pages; infinite if no page or every page has the label.
    classes_, n_features_in_ : ndarray of shape (C,) and int
        See `MultiLabelClassifier`.

    Examples
    --------
    >>> from textmix import LabelNaiveBayes
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = LabelNaiveBayes().fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    >>> model.classes_.tolist()
    ['a', 'b', 'c']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LabelCountClassifier._forms,
        "coef_": "float64 L V",
        "intercept_": "logs L",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "vocabulary": [StrOptions({"all", "training"})],
        "length": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(self, *, alpha: float = 1.0, vocabulary: str = "all", length: float | None = None) -> None:
        self.alpha = alpha
        self.vocabulary = vocabulary
        self.length = length

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Nonnegative counts.
        y : array-like of shape (N, L), or list of N label lists
            Label indicators (0 or 1), or the labels of each page.
        sample_weight : array-like of shape (N,), default=None
            Nonnegative sample weights; a page of weight n counts as n copies. None is equivalent to unit weights.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, a weight is negative, or all weights are 0.
        """
        counts, labels = check_labelled_counts(self, X, y)
        if sample_weight is None:
            self._fit_counts(counts, labels)
            return self
        weight = check_weights(sample_weight, counts)
        rows = np.flatnonzero(weight)
        self._fit_counts(counts[rows], labels[rows], weight[rows])
        return self

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array, weight: np.ndarray | None = None) -> None:
        counts = self._scaled(counts)
        pages = np.asarray(labels.sum(axis=0)).ravel()
        pages_without = counts.shape[0] - pages
        if weight is not None:
            counts = sparse.csr_array(sparse.diags_array(weight) @ counts)
            is_in_all = pages_without == 0
            pages = labels.T @ weight
            # Rounding errors must not turn the weight 0 of a label of all pages into a small number.
            pages_without = np.where(is_in_all, 0.0, weight.sum() - pages)
        with_label = (counts.T @ labels).toarray()
        total = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        words = np.flatnonzero((total > 0) | (self.vocabulary == "all"))
        without = total[words, np.newaxis] - with_label[words]
        weights = np.zeros(with_label.shape)
        weights[words] = self._log_share(with_label[words]) - self._log_share(without)
        # A view, so that the sparse product uses the weights in their memory order without a copy.
        self.coef_ = weights.T
        with np.errstate(divide="ignore"):
            self.intercept_ = np.log(pages) - np.log(pages_without)

    def _log_share(self, counts: np.ndarray) -> np.ndarray:
        """Compute smoothed log probabilities of words, float64 (V, L), from their counts, float64 (V, L)."""
        smoothed = counts + self.alpha
        return np.asarray(np.log(smoothed) - np.log(smoothed.sum(axis=0)))

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute log p(with the label | x) - log p(without it | x) of each page and label, float64 (N, L)."""
        check_is_fitted(self)
        return np.asarray(self._scaled(check_counts(self, X, reset=False)) @ self.coef_.T) + self.intercept_

    def _scaled(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Scale counts (N, V) to pages of ``length`` words, if set."""
        return counts if self.length is None else unit_rows(counts, 1.0) * self.length
