"""The weights of the linear models of label sets, in scikit-learn's shape.

A model is fitted to the features that its training instances have, and predicts with the weights of those alone, which
lie in memory as the product with the instances takes them.  What a reader sees has a row for each label or label set,
and a column for each feature.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np


class _Weights:
    """The fitted weights, and their form for readers."""

    _columns: np.ndarray | None
    n_features_in_: int
    #: Weights of the W features that the model was fitted to and, last, the bias: float64 (W + 1, K), or (M, W + 1, K).
    _weights: np.ndarray

    def _of_all_features(self) -> np.ndarray:
        """Return the weights, float64 (..., K, V); 0 for a feature that the model was not fitted to."""
        coef = np.zeros((*self._weights.shape[:-2], self._weights.shape[-1], self.n_features_in_))
        columns = slice(None) if self._columns is None else self._columns
        coef[..., columns] = np.swapaxes(self._weights[..., :-1, :], -1, -2)
        return self._by_label(coef, -2)

    def _biases(self) -> np.ndarray:
        """Return the biases, float64 (..., K)."""
        return self._by_label(self._weights[..., -1, :].copy(), -1)

    def _by_label(self, values: np.ndarray, axis: int) -> np.ndarray:
        """Return values whose ``axis`` is that of the labels in the order of ``classes_``."""
        return values


class LinearWeights(_Weights):
    """A model with one weight vector for each of K labels or label sets.

    Attributes
    ----------
    coef_ : float64 (K, V), made at each access; 0 for a feature that no training instance had in a sparse X.
    intercept_ : float64 (K,).
    """

    #: Name of the attribute whose entries the rows belong to: ``classes_``, or ``sets_`` where label sets have weights.
    _rows_of_coef: ClassVar[str] = "classes_"

    @property
    def coef_(self) -> np.ndarray:
        """The weights, float64 (K, V)."""
        return self._of_all_features()

    @property
    def intercept_(self) -> np.ndarray:
        """The biases, float64 (K,)."""
        return self._biases()


class ManyLinearWeights(_Weights):
    """An ensemble of M models with K weight vectors each.

    Attributes
    ----------
    coefs_ : float64 (M, K, V), made at each access; 0 for a feature that no training instance had in a sparse X.
    intercepts_ : float64 (M, K).
    """

    @property
    def coefs_(self) -> np.ndarray:
        """The weights, float64 (M, K, V)."""
        return self._of_all_features()

    @property
    def intercepts_(self) -> np.ndarray:
        """The biases, float64 (M, K)."""
        return self._biases()


def in_order_of_labels(values: np.ndarray, order: np.ndarray, axis: int) -> np.ndarray:
    """Return values, (..., L) or (..., L, V), of the labels in an order, int (..., L), in the order 0 to L - 1 instead.

    Parameters
    ----------
    axis : that of the labels, -1 or -2.
    """
    place = np.argsort(order, axis=-1)
    return np.take_along_axis(values, place if axis == -1 else place[..., np.newaxis], axis=axis)
