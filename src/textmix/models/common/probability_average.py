"""The average of the calibrated probabilities of several fitted estimators, and the labels that it decides for.

Each estimator has one slope (`textmix.models.common.calibration`), so that estimators of unlike scales count alike.
Symbols: N documents, C classes, L labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, logit

from textmix.metrics.threshold import threshold_sets
from textmix.models.common.calibration import SLOPES, CalibratedScores, fitted_slope

#: Probabilities are kept this far from 0 and 1 before their log is taken.
EDGE = 1e-6


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


def decided(probability: np.ndarray, thresholds: np.ndarray | None, *, never_empty: bool = False) -> np.ndarray:
    """Return the most probable class, int64 (N,); with thresholds the labels that reach theirs, int64 (N, L)."""
    if thresholds is None:
        return np.argmax(probability, axis=1)
    return threshold_sets(probability, thresholds, never_empty=never_empty).astype(np.int64)


def decided_sets(probability: np.ndarray, sets: np.ndarray, bonus: np.ndarray) -> np.ndarray:
    """Return the most probable of some label sets for each document, int64 (N, L), as if labels were independent."""
    log_odds = logit(np.clip(probability, EDGE, 1.0 - EDGE))
    best = np.argmax(log_odds @ sets.T.astype(np.float64) + bonus, axis=1)
    return np.asarray(sets[best], dtype=np.int64)
