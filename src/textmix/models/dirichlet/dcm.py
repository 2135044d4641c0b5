"""DCM classifier: one Dirichlet compound multinomial a class, by Minka's estimators or a faster one.

EDCM paper, equation (1) and section 6; T. Minka, "Estimating a Dirichlet distribution" (2000).  Symbols: alpha_w
parameters of a class, s their sum, n document length.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from textmix.models.common.count_kernels import smallest_positive
from textmix.models.common.generative import CountClassifier, subtract_length_term, zeros
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.dirichlet import dcm_kernels as dcm
from textmix.models.dirichlet.length_kernels import concentration_bound
from textmix.models.dirichlet.level_kernels import class_levels, make_scratch

Evaluate = Callable[[dcm.Levels, np.ndarray], dcm.State]
Step = Callable[[dcm.Levels, np.ndarray, dcm.State, float], np.ndarray]

#: method -> its objective and its step
METHODS: dict[str, tuple[Evaluate, Step]] = {
    "reciprocal_newton": (dcm.evaluate, dcm.reciprocal_step),
    "newton": (dcm.evaluate, dcm.newton_step),
    "fixed_point": (dcm.evaluate, dcm.fixed_point_step),
    "leave_one_out": (dcm.evaluate_leave_one_out, dcm.fixed_point_step),
}
#: A step that would lower the objective is shortened, at most down to this share of it.
SHORTEST = 1e-3
#: A parameter this far below that of a word seen once in the class counts as 0.
VANISHED = 1e-6


class Climb(NamedTuple):
    """The way to the maximum for one class: alpha of each group of words, objective after each step, how it ended."""

    alpha: np.ndarray
    path: list[float]
    gradient: float
    converged: bool
    capped: bool


def climb(
    levels: dcm.Levels, method: str, max_iter: int = 1000, tol: float = 1e-8, gradient_tol: float = 1e-6
) -> Climb:
    """Climb one class's objective from the EDCM's parameters; it never falls.

    Parameters
    ----------
    levels : statistic of the class, with at least one word.
    method : name in `METHODS`.
    max_iter : largest number of steps.
    tol : the climb ends when a step raises the objective by less than this share of it ...
    gradient_tol : ... and the scaled gradient (`textmix.models.dirichlet.dcm_kernels.State`) is no larger than this.
    """
    evaluate, step = METHODS[method]
    bound = concentration_bound(levels.lengths, levels.number)
    alpha = dcm.start_alpha(levels)
    state = evaluate(levels, alpha)
    path = [state.value]
    converged = capped = False
    while len(path) <= max_iter and not (converged or capped):
        candidate, reached = _uphill(levels, alpha, state, evaluate, step)
        rise = reached.value - state.value
        if rise >= 0:
            alpha, state = candidate, reached
            path.append(state.value)
        small = rise <= tol * abs(state.value)
        converged = small and state.gradient <= gradient_tol
        capped = not converged and not 1.0 / bound <= dcm.total(levels, alpha) <= bound
        if rise < 0:
            break
    if method == "leave_one_out":
        # A word never seen singly is foretold by its own repeats: its parameter goes to 0 without end.
        alpha[alpha * state.b < VANISHED] = 0.0
    return Climb(alpha, path, state.gradient, converged, capped)


def _uphill(
    levels: dcm.Levels, alpha: np.ndarray, state: dcm.State, evaluate: Evaluate, step: Step
) -> tuple[np.ndarray, dcm.State]:
    """Return the next point and its state: the step, else the step shortened, else Minka's fixed point."""
    damping = 1.0
    while damping >= SHORTEST:
        candidate = step(levels, alpha, state, damping)
        reached = evaluate(levels, candidate)
        if reached.value >= state.value or step is dcm.fixed_point_step:
            return candidate, reached
        damping /= 4.0
    candidate = dcm.fixed_point_step(levels, alpha, state, 1.0)
    return candidate, evaluate(levels, candidate)


class DCMClassifier(CountClassifier):
    """One DCM a class.

    The maximum-likelihood s is infinite for documents no burstier than a multinomial's (one document, or documents of
    one word), and 0 when each document repeats a single word.  The climb then ends where s leaves [1/Q, Q],
    Q = sum_d n_d^2, and says so.  A class without any word gets alpha_w = 1 / V.

    Parameters
    ----------
    method : "reciprocal_newton", ours (`dcm_kernels.reciprocal_step`); or Minka's "newton", "fixed_point",
        "leave_one_out" (which maximises the leave-one-out likelihood, for whole counts only).
    smoothing : what is added to every parameter of a class, at least 0; s is the sum after that.
    smoothing_unit : "smallest": ``smoothing`` is a share of the class's smallest positive parameter;
        "absolute": it is the amount itself.
    delta : documents added to each class for the prior; infinity gives equal priors.
    max_iter, tol, gradient_tol : when to stop, see `climb`.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_ : see `CountClassifier`.
    alpha_ : float64 (C, V), the smoothed parameters.
    concentration_ : float64 (C,), their sums.
    mle_concentration_ : float64 (C,), s before smoothing.
    capped_ : bool (C,), whether the climb ended because s left its bounds.
    n_iter_ : int64 (C,), steps taken.
    gradient_ : float64 (C,), scaled gradient at the end.
    converged_ : whether every class converged or was capped.
    objective_path_ : log-likelihood of all classes, without multinomial coefficients, after each step; classes that
        have ended keep their last value.
    """

    fitted_forms: ClassVar[dict[str, Any]] = {
        **CountClassifier.fitted_forms,
        **dict.fromkeys(("concentration_", "mle_concentration_", "gradient_"), "float64 C"),
        **{"_alpha": "float64 V C", "objective_path_": "float64 *"},
        **{"capped_": "bool C", "n_iter_": "int C", "converged_": "bool"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "method": [StrOptions(set(METHODS))],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "smoothing_unit": [StrOptions({"smallest", "absolute"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "gradient_tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        method: Literal["reciprocal_newton", "newton", "fixed_point", "leave_one_out"] = "reciprocal_newton",
        smoothing: float = 0.01,
        smoothing_unit: Literal["smallest", "absolute"] = "smallest",
        delta: float = 0.0,
        max_iter: int = 1000,
        tol: float = 1e-8,
        gradient_tol: float = 1e-6,
    ) -> None:
        self.method = method
        self.smoothing = smoothing
        self.smoothing_unit = smoothing_unit
        self.delta = delta
        self.max_iter = max_iter
        self.tol = tol
        self.gradient_tol = gradient_tol

    @property
    def alpha_(self) -> np.ndarray:
        """Smoothed parameters, float64 (C, V)."""
        return self._alpha.T

    def _fit_classes(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        """Climb class by class, then smooth."""
        if self.method == "leave_one_out" and np.any(X.data != np.floor(X.data)):
            raise ValueError("method='leave_one_out' needs whole counts; choose another method or round X")
        words: list[np.ndarray] = []
        alphas: list[np.ndarray] = []
        climbs: list[Climb] = []
        scratch = make_scratch(X.shape[1])
        for c in range(len(self.classes_)):
            rows = np.flatnonzero((codes == c) & (weight > 0))
            present, group, *levels = class_levels(X.indptr, X.indices, X.data, rows, weight, scratch)
            if len(present):
                climbs.append(climb(dcm.Levels(*levels), self.method, self.max_iter, self.tol, self.gradient_tol))
            else:
                climbs.append(Climb(np.empty(0), [0.0, 0.0], 0.0, True, False))
            words.append(present)
            alphas.append(climbs[-1].alpha[group])
        self._set_alpha(words, alphas)
        self._keep(climbs)

    def _set_alpha(self, words: list[np.ndarray], alphas: list[np.ndarray]) -> None:
        """Smooth the maximum-likelihood parameters, given as the words present in each class and their alpha."""
        self.mle_concentration_ = np.array([alpha.sum() for alpha in alphas])
        smallest = np.array([alpha.min(where=alpha > 0, initial=np.inf) for alpha in alphas])
        unit = smallest if self.smoothing_unit == "smallest" else np.ones(len(alphas))
        known = self.mle_concentration_ > 0
        added = np.where(known, self.smoothing * np.where(known, unit, 0.0), 1.0 / self.n_features_in_)
        self.concentration_ = self.mle_concentration_ + self.n_features_in_ * added
        starts = np.cumsum([0, *(len(alpha) for alpha in alphas)])
        self._alpha = np.empty((self.n_features_in_, len(alphas)))
        dcm.spread(np.concatenate(words), np.concatenate(alphas), starts, added, self._alpha)

    def _keep(self, climbs: list[Climb]) -> None:
        """Set the attributes that tell how the climbs went, and warn of those that did not arrive."""
        self.n_iter_ = np.array([len(c.path) - 1 for c in climbs])
        self.gradient_ = np.array([c.gradient for c in climbs])
        self.capped_ = np.array([c.capped for c in climbs])
        ended = np.array([c.converged or c.capped for c in climbs])
        self.converged_ = bool(ended.all())
        steps = self.n_iter_.max() + 1
        paths = [np.concatenate([c.path, np.full(steps - len(c.path), c.path[-1])]) for c in climbs]
        self.objective_path_ = np.sum(paths, axis=0)
        if not self.converged_:
            warnings.warn(
                f"{np.count_nonzero(~ended)} of {len(ended)} classes did not converge in {self.max_iter} steps "
                f"(largest scaled gradient {self.gradient_.max():.1e}); raise max_iter or gradient_tol",
                ConvergenceWarning,
                stacklevel=2,
            )

    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Return log p(x|c) without the multinomial coefficient, equation (1), (N, C)."""
        score = zeros(X.shape[0], len(self.classes_))
        bounds = smallest_positive(self._alpha.reshape(1, -1))[0], self._alpha.max()
        length = dcm.dcm_scores(X.indptr, X.indices, X.data, self._alpha, bounds, score)
        subtract_length_term(score, self.concentration_, length)
        return score

    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw from Polya's urn: token i is new with probability s / (s + i), else a copy of an earlier one."""
        alpha = self._alpha[:, code]
        token = np.arange(length)
        earlier = rng.integers(0, np.maximum(token, 1))
        parent = np.where(rng.random(length) * (alpha.sum() + token) < alpha.sum(), token, earlier)
        while np.any(parent != parent[parent]):
            parent = parent[parent]
        words = rng.choice(len(alpha), size=length, p=alpha / alpha.sum())[parent]
        return words, np.ones(length, dtype=np.int64)
