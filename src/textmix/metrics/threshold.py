"""Decision rules for label sets: a threshold on each label's score, or on the accumulated posterior probability.

Both rules accept one threshold, or evaluate many in one sweep.  The first rule also accepts one threshold per label,
and any score that increases with the probability of a label (probability, log-odds, margin).  The second rule requires
nonnegative scores, which are normalised to sum to 1 within each document.

Source: Vilar, Castro and Sanchis, "Multi-label Text Classification Using Multinomial Models", EsTAL 2004, sections 2.2
and 2.1.

Symbols: N documents, L labels, K thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from textmix.metrics import threshold_kernels as kernels

#: Criteria of `class_thresholds`.
CRITERIA = ("errors", "f1")


@dataclass(frozen=True)
class Sweep:
    """Metric values at K increasing thresholds.

    Attributes
    ----------
    thresholds : ndarray of shape (K,)
    detected, correct : ndarray of shape (K,)
        Number of predicted labels over all documents, and of true ones among them.
    exact : ndarray of shape (K,)
        Number of documents whose label set is predicted exactly.
    reference : int
        Number of true labels.
    documents : int
        Number of documents N.
    """

    thresholds: np.ndarray
    detected: np.ndarray
    correct: np.ndarray
    exact: np.ndarray
    reference: int
    documents: int

    @property
    def precision(self) -> np.ndarray:
        """Micro-averaged precision, equation (26), ndarray of shape (K,); 1 if no label is predicted."""
        return np.where(self.detected > 0, self.correct / np.maximum(self.detected, 1), 1.0)

    @property
    def recall(self) -> np.ndarray:
        """Micro-averaged recall, equation (27), ndarray of shape (K,); 1 if no label is true."""
        return self.correct / self.reference if self.reference else np.ones(len(self.thresholds))

    @property
    def f1(self) -> np.ndarray:
        """Micro-averaged F1 score 2 correct / (detected + reference), ndarray of shape (K,); 0 / 0 is 1."""
        total = self.detected + self.reference
        return np.where(total > 0, 2 * self.correct / np.maximum(total, 1), 1.0)

    @property
    def set_error(self) -> np.ndarray:
        """Fraction of documents whose label set is not predicted exactly (section 4.2), ndarray of shape (K,)."""
        return 1.0 - self.exact / self.documents

    def lowest_set_error(self) -> int:
        """Return the index of the threshold with the fewest wrong label sets; ties go to the lowest threshold."""
        return int(np.argmax(self.exact))


def threshold_sets(scores: ArrayLike, threshold: ArrayLike, *, never_empty: bool = False) -> np.ndarray:
    """Predict the labels whose score reaches the threshold, equation (9).

    Parameters
    ----------
    scores : array-like of shape (N, L)
    threshold : float or array-like of shape (L,)
        One threshold for all labels or one per label.
    never_empty : bool, default=False
        Whether a document without a label above its threshold gets the label closest to it; ties go to the higher
        score, then to the lower index.

    Returns
    -------
    ndarray of bool of shape (N, L)
    """
    checked = checked_scores(scores)
    thresholds = np.asarray(threshold, dtype=np.float64)
    sets: np.ndarray = checked >= thresholds
    if never_empty and checked.shape[1]:
        empty = np.flatnonzero(~sets.any(axis=1))
        below = np.broadcast_to(thresholds, checked.shape)[empty] - checked[empty]  # infinite if either is
        nearest = below == below.min(axis=1, keepdims=True)
        sets[empty, np.argmax(np.where(nearest, checked[empty], -np.inf), axis=1)] = True
    return sets


def threshold_sweep(scores: ArrayLike, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Evaluate `threshold_sets` at K thresholds in one pass over the scores.

    Parameters
    ----------
    scores : array-like of shape (N, L)
    Y : array-like or sparse matrix of shape (N, L)
        True label indicators.
    thresholds : array-like of shape (K,)
        In any order.
    """
    checked = checked_scores(scores)
    return swept(kernels.threshold_sweep, checked, Y, thresholds)


def class_thresholds(
    scores: ArrayLike, Y: Any, default: float, criterion: str = "errors", least: int = 1
) -> np.ndarray:
    """Tune one threshold per class on N validation documents.

    Parameters
    ----------
    scores : array-like of shape (N, L)
    Y : array-like or sparse matrix of shape (N, L)
        True label indicators.
    default : float
        Threshold of a class with fewer than ``least`` documents.
    criterion : {"errors", "f1"}, default="errors"
        Minimise the number of wrong decisions on the class, or maximise its F1 score.
    least : int, default=1
        Minimum number of documents of the class with a finite score; a threshold tuned on fewer would not generalise.

    Returns
    -------
    ndarray of shape (L,)
        Infinite if it is best never to predict the class.

    Raises
    ------
    ValueError
        If ``criterion`` is unknown.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"unknown criterion {criterion!r}; choose one of {', '.join(CRITERIA)}")
    checked = checked_scores(scores)
    member = checked_member(Y, checked.shape)
    columns = zip(np.ascontiguousarray(checked.T), np.ascontiguousarray(member.T), strict=True)
    cuts = np.array([kernels.best_cut(column, own, criterion == "f1") for column, own in columns])
    informative = (member & (checked > -np.inf)).sum(axis=0)
    return np.where(informative >= max(least, 1), cuts, default)


def swept(kernel: Any, scores: np.ndarray, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Run a sweep kernel of `textmix.metrics.threshold_kernels`; see `threshold_sweep`."""
    member = checked_member(Y, scores.shape)
    increasing = np.sort(np.asarray(thresholds, dtype=np.float64))
    detected, correct, exact = kernel(scores, member, increasing)
    return Sweep(increasing, detected, correct, exact, reference=int(member.sum()), documents=len(scores))


def checked_scores(scores: ArrayLike) -> np.ndarray:
    """Return scores as float64 (N, L); a score may be infinite."""
    checked = np.ascontiguousarray(scores, dtype=np.float64)
    if checked.ndim != 2:
        raise ValueError(f"scores have {checked.ndim} dimensions; give a table (documents, labels)")
    if np.isnan(checked).any():
        raise ValueError("a score is not a number (NaN); look for an overflow where they were computed")
    return checked


def checked_member(Y: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return label indicators, dense or sparse, as dense bool of the shape (N, L) of the scores."""
    member = np.ascontiguousarray(Y.toarray() if sparse.issparse(Y) else Y, dtype=bool)
    if member.shape != shape:
        raise ValueError(f"labels have shape {member.shape}, scores {shape}; give both one row for each document")
    if not len(member):
        raise ValueError("there is no document; give at least one")
    return member


def accumulated_sets(scores: ArrayLike, threshold: float) -> np.ndarray:
    """Predict the smallest label set whose accumulated posterior reaches a threshold, equations (4) to (7).

    Labels are added in decreasing order of score.  The posteriors of the remaining labels are summed, smallest first,
    and compared with 1 - threshold, so that a threshold within rounding of 1 still differs from 1.  At threshold 0 a
    document gets one label, at threshold 1 every label with a positive posterior.

    Parameters
    ----------
    scores : array-like of shape (N, L)
        Nonnegative; ties go to the lower index.
    threshold : float
        Between 0 and 1.

    Returns
    -------
    ndarray of bool of shape (N, L)
        Without empty rows; a row of zeros gets the first label.

    Raises
    ------
    ValueError
        If a score is negative or infinite, there are no labels, or the threshold is out of range.
    """
    checked = _checked_shares(scores)
    _check_range(threshold)
    sets = np.zeros(checked.shape, dtype=bool)
    kernels.accumulated_sets(checked, float(threshold), sets)
    return sets


def accumulated_sweep(scores: ArrayLike, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Evaluate `accumulated_sets` at K thresholds in one pass over the sorted scores.

    Parameters
    ----------
    scores : array-like of shape (N, L)
        See `accumulated_sets`.
    Y : array-like or sparse matrix of shape (N, L)
        True label indicators.
    thresholds : array-like of shape (K,)
        In any order.
    """
    checked = _checked_shares(scores)
    _check_range(thresholds)
    return swept(kernels.accumulated_sweep, checked, Y, thresholds)


def _checked_shares(scores: ArrayLike) -> np.ndarray:
    """Check that scores are nonnegative and finite with at least one label; return float64 of shape (N, L)."""
    checked = checked_scores(scores)
    if not checked.shape[1]:
        raise ValueError("scores have no columns; the accumulated rule predicts at least one label")
    if (checked < 0).any() or np.isinf(checked).any():
        raise ValueError("scores must be nonnegative and finite; pass posterior probabilities, not their logarithms")
    return checked


def _check_range(thresholds: ArrayLike) -> None:
    """Raise ValueError unless all thresholds are between 0 and 1."""
    values = np.asarray(thresholds, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("thresholds on the accumulated posterior must be between 0 and 1")
