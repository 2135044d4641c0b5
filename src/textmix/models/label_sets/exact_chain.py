"""Probabilistic classifier chains whose likeliest label set is found exactly, or to within a stated probability."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from textmix.models.common.sklearn_private import Interval
from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.chain_search_kernels import search_best
from textmix.models.label_sets.chains import ClassifierChain

#: Most nodes of the search that are expanded for one instance.
LIMIT = 10_000


class ProbabilisticChain(ClassifierChain):
    """A chain whose prediction is the likeliest label set, by A* or by the epsilon-approximate search.

    Sources: see `textmix.models.label_sets.chain_search_kernels`.

    Parameters
    ----------
    epsilon : 0 for the exact search; above it, a set of at least this probability is found if there is one.
    informed : whether the search has a bound on the labels that follow (A*), or goes by probability alone.
    variance, max_iter, tol, random_state : see `ClassifierChain`.

    Attributes
    ----------
    order_, coef_, intercept_, links_ : see `ClassifierChain`.

    Examples
    --------
    >>> from textmix import ProbabilisticChain
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = ProbabilisticChain(random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{key: ClassifierChain._parameter_constraints[key] for key in ("variance", "max_iter", "tol", "random_state")},
        "epsilon": [Interval(Real, 0, 0.5, closed="left")],
        "informed": ["boolean"],
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        informed: bool = True,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        super().__init__(variance=variance, max_iter=max_iter, tol=tol, random_state=random_state)
        self.epsilon = epsilon
        self.informed = informed

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the label set that the search finds, int64 (N, L)."""
        return self.search(X)[0]

    def search(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the label set found, its log probability, and the number of nodes expanded, for each instance.

        Returns
        -------
        member : int64 (N, L) of 0 and 1.
        log_probability : float64 (N,).
        expanded : int64 (N,); a search that expands `LIMIT` nodes ends with a greedy completion.
        """
        odds = self.feature_odds(X)
        links = np.ascontiguousarray(self.links_)
        found, value, expanded = search_best(odds, links, float(self.epsilon), bool(self.informed), LIMIT)
        member = np.zeros(found.shape, dtype=np.int64)
        member[:, self.order_] = found
        return member, value, expanded
