"""A conditional dependency network whose conditional probabilities are boosted trees (LightGBM).

Source: Y. Guo and S. Gu, IJCAI 2011; they leave the binary classifiers open.
"""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from textmix.models.cbm.boosted_learners import log_loss_derivatives
from textmix.models.cbm.learners import smoothed_log_odds
from textmix.models.common.boosted_trees import Trees
from textmix.models.common.forest import FOREST_FORMS, Forest
from textmix.models.common.multilabel import generator
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.boosted import BoostedClassifier
from textmix.models.label_sets.tree_gibbs_kernels import gibbs_trees


class BoostedNetwork(BoostedClassifier):
    """A network: boosted trees predict each label from the features and all other labels; marginals by Gibbs sampling.

    Parameters
    ----------
    trees, leaves, shrinkage : trees of each label, their leaves, and the learning rate.
    sweeps, kept : sweeps of the sampler, and the number of last sweeps from which the marginals are computed.
    random_state : for the sampler.

    Attributes
    ----------
    start_ : float64 (L,), the log odds of each label before the first tree.
    first_ : int64 (L + 1,), the first tree of each label; a label that is constant in training has none.
    forest_ : the trees; the features W + j stand for the labels j.
    seed_ : seed of the sampler, the same for every instance.

    Examples
    --------
    >>> from textmix import BoostedNetwork
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = BoostedNetwork(trees=20, leaves=3, random_state=0).fit(X * 10, y * 10)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{**BoostedClassifier._forms, "start_": "float64 *", "first_": "int *", "seed_": "int"},
        "forest_": (Forest, FOREST_FORMS),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BoostedClassifier._parameter_constraints,
        "sweeps": [Interval(Integral, 1, None, closed="left")],
        "kept": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        trees: int = 50,
        leaves: int = 5,
        shrinkage: float = 0.1,
        sweeps: int = 150,
        kept: int = 100,
        random_state: Any = None,
    ) -> None:
        super().__init__(trees=trees, leaves=leaves, shrinkage=shrinkage)
        self.sweeps = sweeps
        self.kept = kept
        self.random_state = random_state

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Grow the trees of every label that varies; raises ValueError if ``kept`` is above ``sweeps``."""
        if self.kept > self.sweeps:
            raise ValueError(f"kept={self.kept} is above sweeps={self.sweeps}; lower it")
        self.start_ = smoothed_log_odds(Y.mean(axis=0), Y.mean(axis=0))
        forests = [self._grown(X, Y, label) for label in range(Y.shape[1])]
        self.first_ = np.cumsum([0, *(len(forest.root) for forest in forests)])
        self.forest_ = Forest.joined(forests)
        self.seed_ = int(generator(self.random_state).integers(2**63))

    def _grown(self, X: Any, Y: np.ndarray, label: int) -> Forest:
        """Return the trees of one label, from the features and the other labels."""
        other = Y.astype(np.float64)
        other[:, label] = 0.0
        inputs = (
            sparse.hstack([X, sparse.csr_array(other)], format="csr") if sparse.issparse(X) else np.hstack([X, other])
        )
        grown = Trees(inputs, 1, self._growth())
        if Y[:, label].min() < Y[:, label].max() and grown.can_split:
            grown.start = self.start_[[label]]
            grown.grow(partial(log_loss_derivatives, np.ones((len(Y), 1)), Y[:, [label]]))
        return grown.forest

    def _check_loaded(self) -> None:
        """Raise ValueError if an index or the seed that was read from a file is out of range."""
        self.forest_.check(self._n_checked + len(self.classes_))
        counts = np.diff(self.first_)
        whole = len(self.first_) == len(self.classes_) + 1 == len(self.start_) + 1
        if not (whole and self.first_[0] == 0 and (counts >= 0).all() and self.first_[-1] == len(self.forest_.root)):
            raise ValueError("first_ holds a tree out of range; save the model again")
        if not 0 <= self.seed_ < 2**63:
            raise ValueError("seed_ must be at least 0 and below 2^63; save the model again")

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of the last ``kept`` sweeps in which each label is on, float64 (N, L).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        rows = sparse.csr_array(self._checked(X))
        row = np.zeros(rows.shape[1] + len(self.start_))
        chosen = self.start_, tuple(self.forest_), self.first_
        return gibbs_trees(rows.indptr, rows.indices, rows.data, *chosen, self.sweeps, self.kept, self.seed_, row)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels that are on in more than half of the last ``kept`` sweeps, int64 (N, L).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return (self.predict_proba(X) > 0.5).astype(np.int64)
