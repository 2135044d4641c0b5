"""Base class of the binary linear classifiers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.validation import check_matrix, check_two_classes


class TwoClassLinear(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Binary classifier by the sign of w'x + b.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Class labels, sorted.
    coef_ : ndarray of shape (1, P)
        Weights, for the second class.
    intercept_ : ndarray of shape (1,)
        Intercept.
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "n_features_in_": "int",
        "coef_": "float64 R V",
        "intercept_": "float64 R",
        "converged_": "bool",
        "n_iter_": "int",
    }
    coef_: np.ndarray
    intercept_: np.ndarray

    def _values(self, X: Any) -> Any:
        """Convert the input matrix to the features that are multiplied by the weights, (N, P)."""
        return X

    def _check_labelled(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Validate the data; return documents (N, P) and class indices, int64 (N,), and set ``classes_``."""
        X, codes = check_two_classes(self, X, y)
        if len(self.classes_) > 2:
            # scikit-learn's estimator checks look for this wording.
            raise ValueError(f"Only binary classification is supported; y has {len(self.classes_)} classes")
        return self._values(X), codes

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores w'x + b, float64 (N,); positive scores favour the second class."""
        check_is_fitted(self)
        return np.asarray(self._values(check_matrix(self, X)) @ self.coef_[0]) + self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each document, (N,): the second for a positive score, else the first."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.int64)]

    @available_if(lambda self: getattr(self, "loss", "logistic") == "logistic")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(class | document), float64 (N, 2); only for the logistic loss, where scores are log odds."""
        scores = self.decision_function(X)
        return np.column_stack([log_expit(-scores), log_expit(scores)])

    @available_if(lambda self: getattr(self, "loss", "logistic") == "logistic")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute p(class | document), float64 (N, 2); only for the logistic loss."""
        return np.exp(self.predict_log_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
