"""A dependency network: each label is predicted from the features and all other labels.

Training, variance and sources are those of `textmix.models.label_sets.chains`.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from textmix.models.common.checks import OF_FEW_VOTES, Failures
from textmix.models.common.multilabel import generator
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.chain_kernels import gibbs_marginals
from textmix.models.label_sets.chains import LinkedLabels
from textmix.models.label_sets.weights import LinearWeights
from textmix.models.linear.problems import add_bias
from textmix.models.linear.row_space import RowSpace


class DependencyNetwork(LinearWeights, LinkedLabels):
    """A network: each label is predicted from the features and all other labels; marginals by Gibbs sampling (CDN).

    Parameters
    ----------
    sweeps, kept : sweeps of the sampler, and the number of last sweeps from which the marginals are computed.
    random_state : for the sampler.
    variance, max_iter, tol : see `LinearMultiLabel`.

    Attributes
    ----------
    coef_, intercept_ : float64 (L, V) and (L,).
    links_ : see `LinkedLabels`; its diagonal is zero.
    seed_ : seed of the sampler, the same for every instance.

    Examples
    --------
    >>> from textmix import DependencyNetwork
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = DependencyNetwork(sweeps=200, random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _expected_failures: ClassVar[Failures] = OF_FEW_VOTES
    _fitted_forms: ClassVar[dict[str, Any]] = {**LinkedLabels._forms, "seed_": "int"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinkedLabels._parameter_constraints,
        "sweeps": [Interval(Integral, 1, None, closed="left")],
        "kept": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        sweeps: int = 1000,
        kept: int = 100,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        super().__init__(variance=variance, max_iter=max_iter, tol=tol, random_state=random_state)
        self.sweeps = sweeps
        self.kept = kept

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit all labels as one batch; raises ValueError if ``kept`` is above ``sweeps``."""
        if self.kept > self.sweeps:
            raise ValueError(f"kept={self.kept} is above sweeps={self.sweeps}; lower it")
        others = ~np.eye(Y.shape[1], dtype=bool)
        self._fit_linked(RowSpace.of(X), Y, np.ones(len(Y)), others)
        self.seed_ = int(generator(self.random_state).integers(2**63))

    def _check_loaded(self) -> None:
        """Check the seed that was read from a file."""
        if not 0 <= self.seed_ < 2**63:
            raise ValueError("seed_ must be at least 0 and below 2^63; save the model again")

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of the last ``kept`` sweeps in which each label is on, float64 (N, L)."""
        odds = add_bias(self._checked(X), self._weights)
        # The same seed for all instances: a prediction depends neither on other instances nor on their order.
        seeds = np.full(len(odds), self.seed_, dtype=np.uint64)
        return gibbs_marginals(odds, np.ascontiguousarray(self.links_), self.sweeps, self.kept, seeds)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels that are on in more than half of the last ``kept`` sweeps, int64 (N, L)."""
        return (self.predict_proba(X) > 0.5).astype(np.int64)
