"""Probabilities from scores: a softmax of the scores times one slope, fitted to documents that no fit had seen.

Of several estimators, each with its slope, the probabilities can be averaged: estimators of unlike scales count alike.

Source: C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, On calibration of modern neural networks, ICML 2017 (temperature
scaling; the slope is 1 / temperature).  A document's prediction stays.  Symbols: N documents, C classes, L labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, logit
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from textmix.numerics.seeding import rng

#: Parts of the training documents, each of which is scored by a fit to the rest.
FOLDS = 5
#: Smallest and largest slope.
SLOPES = 1e-3, 1e3
#: Probabilities are kept this far from 0 and 1 before their log is taken.
EDGE = 1e-6


def fitted_slope(scores: np.ndarray, codes: np.ndarray) -> float:
    """Return the slope of greatest likelihood, in `SLOPES`; 1 without documents."""
    if not len(codes):
        return 1.0
    finite = np.where(np.isfinite(scores), scores, 0.0)

    def loss(log_slope: float) -> float:
        """Return the mean log loss of a slope."""
        scaled = np.where(np.isfinite(scores), np.exp(log_slope) * finite, -np.inf)
        return -float(np.mean(log_softmax(scaled, axis=1)[np.arange(len(codes)), codes]))

    found = minimize_scalar(loss, bounds=np.log(SLOPES), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


def held_out_scores(estimator: Any, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of training documents by fits to other training documents, and the documents, in their order.

    Every class is spread over `FOLDS` parts.  A document whose class is in its part alone is left out.
    """
    part = np.empty(len(codes), dtype=np.int64)
    order = rng(0, "calibration").permutation(len(codes))
    part[order[np.argsort(codes[order], kind="stable")]] = np.arange(len(codes)) % FOLDS
    scores, known = np.full((len(codes), codes.max() + 1), -np.inf), np.zeros(len(codes), dtype=bool)
    for fold in range(FOLDS):
        rest, held = np.flatnonzero(part != fold), np.flatnonzero(part == fold)
        if len(np.unique(codes[rest])) < 2:
            continue
        fitted = clone(estimator).set_params(calibrate=False).fit(X[rest], codes[rest])
        scores[np.ix_(held, fitted.classes_)] = fitted._class_scores(X[held])
        known[held] = np.isin(codes[held], fitted.classes_)
    rows = np.flatnonzero(known)
    return scores[rows], rows


class CalibratedScores:
    """The part of a classifier that gives probabilities where its parameter ``calibrate`` is set.

    Attributes
    ----------
    slope_ : the slope; None without ``calibrate``.
    """

    _calibration_forms: ClassVar[dict[str, Any]] = {"slope_": "float?"}
    calibrate: bool
    slope_: float | None
    decision_function: Callable[[Any], np.ndarray]

    def _class_scores(self, X: Any) -> np.ndarray:
        """Return a score of each class, float64 (N, C), the largest of which is that of the predicted class."""
        decision = self.decision_function(X)
        return np.column_stack([np.zeros(len(decision)), decision]) if decision.ndim == 1 else decision

    def _calibrate(self, X: Any, codes: np.ndarray) -> None:
        """Set the slope from checked training documents (N, V) and the indices of their classes (N,)."""
        self.slope_ = None
        if self.calibrate:
            scores, rows = held_out_scores(self, X, codes)
            self.slope_ = fitted_slope(scores, codes[rows])

    @available_if(lambda self: self.calibrate)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(class | document), float64 (N, C)."""
        scores = self._class_scores(X)
        return np.asarray(log_softmax(self.slope_ * scores, axis=1))

    @available_if(lambda self: self.calibrate)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(class | document), float64 (N, C)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))


def label_scores(estimator: Any, X: Any, task: str) -> np.ndarray | None:
    """Return scores that grow with the probabilities of the labels, float64 (N, C) or (N, L); None without any."""
    if task == "single":
        if isinstance(estimator, CalibratedScores):
            return np.asarray(estimator._class_scores(X), dtype=np.float64)
        if hasattr(estimator, "predict_log_proba"):
            return np.maximum(np.asarray(estimator.predict_log_proba(X), dtype=np.float64), np.log(1e-300))
        return None
    if hasattr(estimator, "predict_proba"):
        return np.asarray(logit(np.clip(estimator.predict_proba(X), EDGE, 1.0 - EDGE)), dtype=np.float64)
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    return None


def calibrated(scores: np.ndarray, slope: float, task: str) -> np.ndarray:
    """Return the probabilities of scores (N, C) or (N, L) at a slope; -inf is a class that a fit did not know."""
    if task == "single":
        return np.asarray(np.exp(log_softmax(slope * scores, axis=1)))
    return np.asarray(expit(slope * scores))


def slope_of(scores: np.ndarray, truth: np.ndarray, task: str) -> float:
    """Return the slope of greatest likelihood; 1 without documents."""
    if task == "single":
        known = np.isfinite(scores[np.arange(len(truth)), truth])
        return fitted_slope(scores[known], truth[known])
    if not len(truth):
        return 1.0

    def loss(log_slope: float) -> float:
        """Return the mean log loss of a slope over all decisions."""
        stated = np.clip(expit(np.exp(log_slope) * scores), EDGE, 1.0 - EDGE)
        return -float(np.mean(np.where(truth, np.log(stated), np.log1p(-stated))))

    found = minimize_scalar(loss, bounds=np.log(SLOPES), method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))


def averaged(scores: Sequence[np.ndarray], slopes: Sequence[float], task: str) -> np.ndarray:
    """Return the mean of the calibrated probabilities of some estimators, float64 (N, C) or (N, L)."""
    pairs = zip(scores, slopes, strict=True)
    return np.asarray(np.mean([calibrated(each, slope, task) for each, slope in pairs], axis=0))
