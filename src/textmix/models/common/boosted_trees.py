"""Boosted trees for several outputs over one binned data set, by LightGBM, with a loss of the caller."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import lightgbm as lgb
import numpy as np
from scipy import sparse

#: Least entry of the Hessian's diagonal; LightGBM divides by sums of them.
LEAST_HESSIAN = 1e-12
#: L2 penalty of a leaf's value, added to the Hessian's sum in the leaf, as other boosting libraries do.  In a class of
#: few instances the Hessian's sum is close to 0; without the penalty, the scores of hundreds of classes diverge.
LEAF_PENALTY = 1.0


class Growth(NamedTuple):
    """Number and form of the trees that one call of `Trees.grow` adds.

    Parameters
    ----------
    trees : number of trees added to each output.
    leaves : most leaves of a tree.
    shrinkage : learning rate, the factor of each tree's values.
    """

    trees: int
    leaves: int
    shrinkage: float


class Trees:
    """Boosted trees for C outputs over one binned data set.

    Parameters
    ----------
    X : features (N, V).
    outputs : C.
    growth : number and form of the trees of one call of `grow`.
    like : other trees over the same features, whose binned data these trees share; None: bin the features.

    Attributes
    ----------
    start : float64 (C,), the scores before the first tree.
    scores : float64 (N, C), of the training instances.
    """

    def __init__(self, X: Any, outputs: int, growth: Growth, like: Trees | None = None) -> None:
        settings: dict[str, Any] = {
            **{"num_leaves": growth.leaves, "learning_rate": growth.shrinkage, "num_class": outputs},
            **{"min_data_in_leaf": 5},
            **{"num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1, "seed": 0},
            **{"objective": "none", "boost_from_average": False, "min_sum_hessian_in_leaf": 1e-3},
            **{"lambda_l2": LEAF_PENALTY},
        }
        self.outputs, self.growth = outputs, growth
        self.start, self.scores = np.zeros(outputs), np.zeros((X.shape[0], outputs))
        self._settings = settings
        self._data: Any = like._data if like else lgb.Dataset(as_lightgbm(X), np.zeros(X.shape[0]), params=settings)
        self._booster: lgb.Booster | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the binned data: a copied or pickled object can predict, but cannot grow."""
        return {**vars(self), "_data": None}

    @cached_property
    def can_split(self) -> bool:
        """Whether a feature has two values or more in training; LightGBM raises an error where none has."""
        data = self._data.construct()
        return any(data.feature_num_bin(column) > 1 for column in range(data.num_feature()))

    def grow(self, derivatives: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> None:
        """Add ``growth.trees`` trees to each output and update ``scores``.

        Parameters
        ----------
        derivatives : from scores (N, C) to the loss's gradient and Hessian diagonal in them, float64 (N, C) each.
        """
        if self._booster is None:
            self._booster = lgb.Booster(self._settings, self._data)

        def in_columns(scores: np.ndarray, _: Any) -> tuple[np.ndarray, np.ndarray]:
            """Return the derivatives in LightGBM's form: vectors (N C,), one output after the other."""
            gradient, hessian = derivatives(scores.reshape(self.scores.shape, order="F") + self.start)
            return gradient.ravel(order="F"), np.maximum(hessian, LEAST_HESSIAN).ravel(order="F")

        def read_scores(scores: np.ndarray, _: Any) -> tuple[str, float, bool]:
            """Store the training instances' scores: LightGBM gives them to a metric, whose value is not used."""
            self.scores = scores.reshape(self.scores.shape, order="F") + self.start
            return "scores", 0.0, True

        for _ in range(self.growth.trees):
            self._booster.update(fobj=in_columns)
        self._booster.eval_train(read_scores)

    def predict(self, X: Any) -> np.ndarray:
        """Return the scores of instances with features X (N, V), float64 (N, C)."""
        if self._booster is None:
            return np.tile(self.start, (X.shape[0], 1))
        return np.asarray(self._booster.predict(as_lightgbm(X), raw_score=True)).reshape(-1, self.outputs) + self.start


def as_lightgbm(X: Any) -> Any:
    """Return features in a form that LightGBM takes: it knows csr_matrix, not csr_array."""
    return sparse.csr_matrix(X) if sparse.issparse(X) else X
