"""Random label subsets, each with a classifier of the sets within it, that vote (RAkEL).

Source: G. Tsoumakas and I. Vlahavas, ECML 2007; G. Tsoumakas, I. Katakis and I. Vlahavas, IEEE TKDE 23, 2011: subsets
of three labels, twice as many as there are labels, a label is predicted with more than half of its votes.
"""

from __future__ import annotations

import itertools
import math
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from textmix.models.common.checks import OF_FEW_VOTES, Failures
from textmix.models.common.multilabel import generator, label_sets
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.estimators import LinearMultiLabel
from textmix.models.label_sets.weights import ManyLinearWeights
from textmix.models.linear.lbfgs import minimise
from textmix.models.linear.problems import Multinomial, add_bias
from textmix.models.linear.row_space import RowSpace


class RandomLabelSubsets(ManyLinearWeights, LinearMultiLabel):
    r"""RAkEL: multinomial logistic regressions over the sets within random subsets of the labels, which vote.

    Parameters
    ----------
    size : k, labels of a subset; all labels where there are fewer.
    n_subsets : number M of subsets; None: twice the number of labels.  There are no more than different subsets.
    random_state : draws the subsets.
    variance : \sigma^2 of each weight of a set's weight vector; max_iter, tol : see `LinearMultiLabel`.

    Attributes
    ----------
    subsets_ : int64 (M, k), the labels of each subset.
    sets_ : int8 (M, 2^k, k), the sets within each subset; places beyond the ones of training instances hold 0.
    coefs_, intercepts_ : float64 (M, 2^k, V) and (M, 2^k), a row for each of ``sets_``; the intercept is -infinity in a
        place without a set.

    Examples
    --------
    >>> from textmix import RandomLabelSubsets
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = RandomLabelSubsets(size=2, random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _expected_failures: ClassVar[Failures] = OF_FEW_VOTES
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LinearMultiLabel._forms,
        **{"subsets_": "int M K", "sets_": "int8 M S K", "_weights": "logs M W+1 S"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearMultiLabel._parameter_constraints,
        "size": [Interval(Integral, 1, 8, closed="both")],
        "n_subsets": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        size: int = 3,
        n_subsets: int | None = None,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        super().__init__(variance=variance, max_iter=max_iter, tol=tol)
        self.size = size
        self.n_subsets = n_subsets
        self.random_state = random_state

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Draw the subsets and fit one multinomial regression each."""
        wanted = self.n_subsets or 2 * Y.shape[1]
        self.subsets_ = draw_subsets(Y.shape[1], self.size, wanted, generator(self.random_state))
        space, (m, k) = RowSpace.of(X), self.subsets_.shape
        self.sets_ = np.zeros((m, 2**k, k), dtype=np.int8)
        self._weights = np.zeros((m, X.shape[1] + 1, 2**k))
        self._weights[:, -1] = -np.inf
        objective, n_iter, converged = 0.0, 0, True
        for place, labels in enumerate(self.subsets_):
            sets, code = label_sets(Y[:, labels])
            problem = Multinomial(space.inputs, code, len(sets), np.ones(len(code)), self.variance)
            found = minimise(problem, np.zeros((len(problem.penalty), 1)), self.max_iter, self.tol)
            self.sets_[place, : len(sets)] = sets
            self._weights[place, :, : len(sets)] = space.lift(found.unknowns.reshape(-1, len(sets)))
            objective, n_iter = objective + found.total_objective, max(n_iter, found.n_iter)
            converged = converged and found.all_converged
        self.objective_path_, self.n_iter_, self.converged_ = np.array([objective]), n_iter, converged

    def _check_loaded(self) -> None:
        """Raise ValueError if a label that was read from a file is out of range."""
        if self.subsets_.min(initial=0) < 0 or self.subsets_.max(initial=-1) >= len(self.classes_):
            raise ValueError("subsets_ holds a label out of range; save the model again")

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of a label's subsets that vote for it, float64 (N, L); 0 for a label in no subset.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        features = self._checked(X)
        votes, asked = np.zeros((features.shape[0], len(self.classes_))), np.zeros(len(self.classes_))
        for labels, sets, coef in zip(self.subsets_, self.sets_, self._weights, strict=True):
            votes[:, labels] += sets[np.argmax(add_bias(features, coef), axis=1)]
            asked[labels] += 1.0
        return votes / np.maximum(asked, 1.0)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels for which more than half of their subsets vote, int64 (N, L) of 0 and 1.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return (self.predict_proba(X) > 0.5).astype(np.int64)


def draw_subsets(n_labels: int, size: int, wanted: int, rng: np.random.Generator) -> np.ndarray:
    """Return different random subsets of the labels, int64 (M, k), each in increasing order.

    Parameters
    ----------
    n_labels : L.
    size : labels of a subset; all L where L is smaller.
    wanted : number of subsets; where there are not as many different ones, all of them are returned.
    rng : draws them.
    """
    size = min(size, n_labels)
    if math.comb(n_labels, size) <= wanted:
        return np.array(list(itertools.combinations(range(n_labels), size)), dtype=np.int64)
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < wanted:
        drawn[tuple(sorted(rng.choice(n_labels, size=size, replace=False).tolist()))] = None
    return np.array(list(drawn), dtype=np.int64)
