"""DCM classifier: one Dirichlet compound multinomial per class, fitted by Minka's estimators or a faster one.

EDCM paper, equation (1) and section 6; T. Minka, "Estimating a Dirichlet distribution" (2000).  Symbols: alpha_w are
the parameters of a class, s their sum, n the document length.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy import sparse

from textmix.models.common.count_kernels import smallest_positive
from textmix.models.common.generative import CountClassifier, subtract_length_term, zeros
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.dirichlet import dcm_kernels as dcm
from textmix.models.dirichlet.length_kernels import concentration_bound
from textmix.models.dirichlet.tail_kernels import class_tails, make_scratch

Evaluate = Callable[[dcm.TailCounts, np.ndarray], dcm.Derivatives]
Step = Callable[[dcm.TailCounts, np.ndarray, dcm.Derivatives, float], np.ndarray]

#: Method -> its objective and its update step.
METHODS: dict[str, tuple[Evaluate, Step]] = {
    "reciprocal_newton": (dcm.evaluate, dcm.reciprocal_step),
    "newton": (dcm.evaluate, dcm.newton_step),
    "fixed_point": (dcm.evaluate, dcm.fixed_point_step),
    "leave_one_out": (dcm.evaluate_leave_one_out, dcm.fixed_point_step),
}
#: A step that would decrease the objective is shortened, but not below this fraction of its length.
SHORTEST = 1e-3
#: A parameter below this fraction of the parameter of a word with a single occurrence in the class is set to 0.
VANISHED = 1e-6


class Maximum(NamedTuple):
    """The maximum for one class.

    Attributes
    ----------
    alpha : ndarray of shape (K,), float64
        Parameter of each group of words.
    path : list of float
        Objective at the start and after each step.
    converged : bool
        Whether both conditions of `maximise` were met.
    capped : bool
        Whether the iteration stopped because s left its bounds.
    """

    alpha: np.ndarray
    path: list[float]
    scaled_gradient: float
    converged: bool
    capped: bool


def maximise(
    tails: dcm.TailCounts, method: str, max_iter: int = 1000, tol: float = 1e-8, gradient_tol: float = 1e-6
) -> Maximum:
    """Maximise the objective of one class, starting from the EDCM's parameters; no step decreases it."""
    evaluate, step = METHODS[method]
    bound = concentration_bound(tails.lengths, tails.number)
    alpha = dcm.start_alpha(tails)
    point = evaluate(tails, alpha)
    path = [point.value]
    converged = capped = False
    while len(path) <= max_iter and not (converged or capped):
        candidate, reached = _next_point(tails, alpha, point, evaluate, step)
        increase = reached.value - point.value
        if increase >= 0:
            alpha = candidate
            point = reached
            path.append(point.value)
        small = increase <= tol * abs(point.value)
        converged = small and point.scaled_gradient <= gradient_tol
        capped = not converged and not 1.0 / bound <= dcm.total(tails, alpha) <= bound
        if increase < 0:
            break
    if method == "leave_one_out":
        # A word that never occurs exactly once in a document is predicted by its repeats, so its parameter tends to 0.
        alpha[alpha * point.length_gradient < VANISHED] = 0.0
    return Maximum(alpha, path, point.scaled_gradient, converged, capped)


def _next_point(
    tails: dcm.TailCounts, alpha: np.ndarray, point: dcm.Derivatives, evaluate: Evaluate, step: Step
) -> tuple[np.ndarray, dcm.Derivatives]:
    """Compute the next alpha and its point: the full step, else a shortened step, else Minka's fixed-point update."""
    damping = 1.0
    while damping >= SHORTEST:
        candidate = step(tails, alpha, point, damping)
        reached = evaluate(tails, candidate)
        if reached.value >= point.value or step is dcm.fixed_point_step:
            return candidate, reached
        damping /= 4.0
    candidate = dcm.fixed_point_step(tails, alpha, point, 1.0)
    return candidate, evaluate(tails, candidate)


class DCMClassifier(CountClassifier):
    """Classifier with a Dirichlet compound multinomial (DCM) for each class.

    For documents that are not burstier than under a multinomial (a single document, or documents of one word), the
    maximum-likelihood s is infinite; if each document repeats a single word, it is 0. The iteration then stops where s
    leaves [1/Q, Q], Q = sum_d n_d^2, and ``capped_`` is set. A class without words gets alpha_w = 1 / V.

    Parameters
    ----------
    method : {"reciprocal_newton", "newton", "fixed_point", "leave_one_out"}, default="reciprocal_newton"
        "reciprocal_newton" is our method (`dcm_kernels.reciprocal_step`); the others are Minka's. "leave_one_out"
        maximises the leave-one-out likelihood and requires integer counts.
    smoothing : float, default=0.01
        Nonnegative constant that is added to every parameter of a class; s is the sum after smoothing.
    smoothing_unit : {"smallest", "absolute"}, default="smallest"
        "smallest": ``smoothing`` is a fraction of the smallest positive parameter of the class; "absolute": it is added
        unchanged.
    delta : float, default=0.0
        Pseudo-documents added to each class for its prior; infinity yields equal priors.
    max_iter : int, default=1000
        Maximum number of iterations, see `maximise`.
    tol : float, default=1e-08
        Tolerance on the objective, see `maximise`.
    gradient_tol : float, default=1e-06
        Tolerance on the scaled gradient, see `maximise`.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_
        See `CountClassifier`.
    alpha_ : ndarray of shape (C, V)
        Smoothed parameters.
    concentration_ : ndarray of shape (C,)
        Sums of the smoothed parameters.
    mle_concentration_ : ndarray of shape (C,)
        Maximum-likelihood s before smoothing.
    capped_ : ndarray of bool of shape (C,)
        Whether the iteration stopped because s left its bounds.
    n_iter_ : ndarray of shape (C,), int64
        Number of iterations per class.
    gradient_ : ndarray of shape (C,)
        Scaled gradient at the last iteration.
    converged_ : bool
        Whether every class converged or was capped.
    objective_path_ : list of float
        Objectives of all classes added, at the start and after each of max(n_iter_) steps, without multinomial
        coefficients; a class that has stopped contributes its last value.

    Examples
    --------
    >>> from textmix import DCMClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = DCMClassifier().fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    >>> model.alpha_.shape
    (2, 3)
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **CountClassifier._fitted_forms,
        **dict.fromkeys(("concentration_", "mle_concentration_", "gradient_"), "float64 C"),
        "_alpha": "float64 V C",
        "objective_path_": "float64 *",
        "capped_": "bool C",
        "n_iter_": "int C",
        "converged_": "bool",
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
        if self.method == "leave_one_out" and np.any(X.data != np.floor(X.data)):
            raise ValueError("method='leave_one_out' needs whole counts; choose another method or round X")
        words: list[np.ndarray] = []
        alphas: list[np.ndarray] = []
        maxima: list[Maximum] = []
        scratch = make_scratch(X.shape[1])
        for c in range(len(self.classes_)):
            rows = np.flatnonzero((codes == c) & (weight > 0))
            present, group, *tails = class_tails(X.indptr, X.indices, X.data, rows, weight, scratch)
            if len(present):
                maxima.append(maximise(dcm.TailCounts(*tails), self.method, self.max_iter, self.tol, self.gradient_tol))
            else:
                maxima.append(Maximum(np.empty(0), [0.0, 0.0], 0.0, True, False))
            words.append(present)
            alphas.append(maxima[-1].alpha[group])
        self._set_alpha(words, alphas)
        self._set_progress(maxima)

    def _set_alpha(self, words: list[np.ndarray], alphas: list[np.ndarray]) -> None:
        """Smooth the maximum-likelihood parameters; ``words`` are the words of each class, ``alphas`` their alpha."""
        self.mle_concentration_ = np.array([alpha.sum() for alpha in alphas])
        smallest = np.array([alpha.min(where=alpha > 0, initial=np.inf) for alpha in alphas])
        unit = smallest if self.smoothing_unit == "smallest" else np.ones(len(alphas))
        known = self.mle_concentration_ > 0
        added = np.where(known, self.smoothing * np.where(known, unit, 0.0), 1.0 / self.n_features_in_)
        self.concentration_ = self.mle_concentration_ + self.n_features_in_ * added
        starts = np.cumsum([0, *(len(alpha) for alpha in alphas)])
        self._alpha = np.empty((self.n_features_in_, len(alphas)))
        dcm.fill_table(np.concatenate(words), np.concatenate(alphas), starts, added, self._alpha)

    def _set_progress(self, maxima: list[Maximum]) -> None:
        """Set the attributes that describe the iterations."""
        self.n_iter_ = np.array([len(c.path) - 1 for c in maxima])
        self.gradient_ = np.array([c.scaled_gradient for c in maxima])
        self.capped_ = np.array([c.capped for c in maxima])
        ended = np.array([c.converged or c.capped for c in maxima])
        self.converged_ = bool(ended.all())
        steps = self.n_iter_.max() + 1
        paths = [np.concatenate([c.path, np.full(steps - len(c.path), c.path[-1])]) for c in maxima]
        self.objective_path_ = np.sum(paths, axis=0)

    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Compute log p(x|c) without the multinomial coefficient, equation (1), (N, C)."""
        score = zeros(X.shape[0], len(self.classes_))
        bounds = smallest_positive(self._alpha.reshape(1, -1))[0], self._alpha.max()
        length = dcm.dcm_scores(X.indptr, X.indices, X.data, self._alpha, bounds, score)
        subtract_length_term(score, self.concentration_, length)
        return score

    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Sample from Polya's urn: token i is new with probability s / (s + i), else a copy of an earlier token."""
        alpha = self._alpha[:, code]
        token = np.arange(length)
        earlier = rng.integers(0, np.maximum(token, 1))
        parent = np.where(rng.random(length) * (alpha.sum() + token) < alpha.sum(), token, earlier)
        while np.any(parent != parent[parent]):
            parent = parent[parent]
        words = rng.choice(len(alpha), size=length, p=alpha / alpha.sum())[parent]
        return words, np.ones(length, dtype=np.int64)
