"""Probability calibration by temperature scaling, fitted on cross-validated scores.

The probabilities are the softmax (or, for multi-label targets, the sigmoid) of the scores times a slope.  Calibration
does not change the most probable class.  Calibrated probabilities of several estimators can be averaged even if their
scores have different scales.

Source: C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, On calibration of modern neural networks, ICML 2017 (the slope
is 1 / temperature).  Symbols: N documents, C classes, L labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, logit
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from textmix.numerics.seeding import rng

#: Number of cross-validation folds.
FOLDS = 5
#: Minimum and maximum slope.
SLOPES = 1e-3, 1e3
#: Probabilities are clipped to [EDGE, 1 - EDGE] before taking logarithms.
EDGE = 1e-6


def fitted_slope(scores: np.ndarray, codes: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Estimate the slope by maximum likelihood, within the bounds `SLOPES`; return 1 if ``codes`` is empty.

    Parameters
    ----------
    scores : ndarray of shape (N, C)
        Scores of each class; -inf for a class that is missing in the training fold.
    codes : ndarray of shape (N,), dtype int
        Index of the true class of each document.
    weight : ndarray of shape (N,), default=None
        Sample weights; None is equivalent to unit weights.
    """
    if not len(codes) or (weight is not None and not weight.any()):
        return 1.0
    finite = np.where(np.isfinite(scores), scores, 0.0)

    def loss(log_slope: float) -> float:
        """Compute the mean log loss of a slope."""
        scaled = np.where(np.isfinite(scores), np.exp(log_slope) * finite, -np.inf)
        log_proba = log_softmax(scaled, axis=1)[np.arange(len(codes)), codes]
        return -float(np.mean(log_proba) if weight is None else np.average(log_proba, weights=weight))

    result = minimize_scalar(loss, bounds=np.log(SLOPES), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(result.x))


def calibration_folds(truth: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the indices of the training and of the held-out documents of each of `FOLDS` folds.

    Parameters
    ----------
    truth : ndarray of shape (N,) or (N, L)
        Class indices, by which the folds are stratified, or label indicators.
    """
    folds = np.empty(len(truth), dtype=np.int64)
    order = rng(0, "calibration").permutation(len(truth))
    if truth.ndim == 1:
        order = order[np.argsort(truth[order], kind="stable")]
    folds[order] = np.arange(len(truth)) % FOLDS
    for fold in range(min(FOLDS, len(truth))):
        yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)


def held_out_scores(
    estimator: Any, X: Any, codes: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Compute cross-validated scores of the training documents.

    The folds are stratified by class.  Documents of classes that do not occur in any other fold are dropped.

    Parameters
    ----------
    estimator : CalibratedScores
        Estimator that is cloned and fitted to each training fold.
    X : {ndarray, sparse array} of shape (N, V)
        Features of the training documents.
    codes : ndarray of shape (N,), dtype int
        Class index of each document.
    weight : ndarray of shape (N,), default=None
        Sample weights, passed to ``fit``.

    Returns
    -------
    scores : ndarray of shape (n, C)
        Held-out scores of the remaining documents.
    rows : ndarray of shape (n,), dtype int
        Indices of these documents, in increasing order.
    """
    scores = np.full((len(codes), codes.max() + 1), -np.inf)
    has_score = np.zeros(len(codes), dtype=bool)
    for train, held_out in calibration_folds(codes):
        if len(np.unique(codes[train])) < 2 or (weight is not None and not weight[train].any()):
            continue
        options = {} if weight is None else {"sample_weight": weight[train]}
        fitted = _without_calibration(estimator, codes[train]).fit(X[train], codes[train], **options)
        scores[np.ix_(held_out, fitted.classes_)] = fitted._class_scores(X[held_out])
        has_score[held_out] = np.isin(codes[held_out], fitted.classes_)
    rows = np.flatnonzero(has_score)
    return scores[rows], rows


def _without_calibration(estimator: Any, codes: np.ndarray) -> Any:
    """Clone an estimator without calibration, to be fitted to class indices instead of class labels."""
    copy = clone(estimator).set_params(calibrate=False)
    class_weight = getattr(estimator, "class_weight", None)
    if isinstance(class_weight, dict):
        labels = estimator.classes_.tolist()
        occurring = set(codes.tolist())
        indices = {labels.index(label): value for label, value in class_weight.items()}
        copy.set_params(class_weight={code: value for code, value in indices.items() if code in occurring})
    return copy


class CalibratedScores:
    """Mixin that adds calibrated probabilities to a classifier if its parameter ``calibrate`` is True.

    Attributes
    ----------
    slope_ : float or None
        Calibration slope; None if ``calibrate`` is False.
    """

    _calibration_forms: ClassVar[dict[str, Any]] = {"slope_": "float?"}
    calibrate: bool
    slope_: float | None
    decision_function: Callable[[Any], np.ndarray]

    def _class_scores(self, X: Any) -> np.ndarray:
        """Compute a score for each class, float64 (N, C); the predicted class has the largest score."""
        decision = self.decision_function(X)
        return np.column_stack([np.zeros(len(decision)), decision]) if decision.ndim == 1 else decision

    def _calibrate(self, X: Any, codes: np.ndarray, weight: np.ndarray | None = None) -> None:
        """Fit ``slope_`` to validated training documents (N, V), class indices (N,) and sample weights (N,)."""
        self.slope_ = None
        if self.calibrate:
            scores, rows = held_out_scores(self, X, codes, weight)
            self.slope_ = fitted_slope(scores, codes[rows], None if weight is None else weight[rows])

    @available_if(lambda self: self.calibrate)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(class | document), float64 (N, C)."""
        scores = self._class_scores(X)
        return np.asarray(log_softmax(self.slope_ * scores, axis=1))

    @available_if(lambda self: self.calibrate)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute p(class | document), float64 (N, C)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))


def label_scores(estimator: Any, X: Any, task: str) -> np.ndarray | None:
    """Compute uncalibrated scores of the classes or labels.

    Parameters
    ----------
    estimator : estimator
        Fitted classifier.
    X : {array-like, sparse matrix} of shape (N, V)
        Features.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.

    Returns
    -------
    ndarray of shape (N, C) or (N, L), or None
        Scores that increase with the probabilities; None if the estimator does not support any scores.
    """
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
    """Convert scores, (N, C) or (N, L), to calibrated probabilities.

    A score of -inf marks a class that is missing in the training documents.
    """
    if task == "single":
        return np.asarray(np.exp(log_softmax(slope * scores, axis=1)))
    return np.asarray(expit(slope * scores))


def slope_of(scores: np.ndarray, truth: np.ndarray, task: str) -> float:
    """Estimate the slope for scores, (N, C) or (N, L), by maximum likelihood; return 1 without documents.

    Parameters
    ----------
    scores : ndarray of shape (N, C) or (N, L)
        Held-out scores, see `label_scores`.
    truth : ndarray of shape (N,) or (N, L)
        Class indices, or label indicators.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.
    """
    if task == "single":
        known = np.isfinite(scores[np.arange(len(truth)), truth])
        return fitted_slope(scores[known], truth[known])
    if not len(truth):
        return 1.0

    def loss(log_slope: float) -> float:
        """Compute the mean log loss of a slope over all documents and labels."""
        stated = np.clip(expit(np.exp(log_slope) * scores), EDGE, 1.0 - EDGE)
        return -float(np.mean(np.where(truth, np.log(stated), np.log1p(-stated))))

    found = minimize_scalar(loss, bounds=np.log(SLOPES), method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))


def averaged(scores: Sequence[np.ndarray], slopes: Sequence[float], task: str) -> np.ndarray:
    """Average the calibrated probabilities of several estimators, float64 (N, C) or (N, L)."""
    pairs = zip(scores, slopes, strict=True)
    return np.asarray(np.mean([calibrated(each, slope, task) for each, slope in pairs], axis=0))
