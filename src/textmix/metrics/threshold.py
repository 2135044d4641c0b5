"""Label sets by a threshold: on each label's score, or on the sum of the posteriors of the likeliest labels.

Each rule takes one threshold, or many in one sweep; the first one also one for each class.  It takes any score that
increases with the probability of a label: probabilities, log-odds, margins.  The second one takes scores that are not
negative; a label's share is its score over the sum of the document's scores, which is 1 for posterior probabilities.

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

#: The criteria of `class_thresholds`.
CRITERIA = ("errors", "f1")


@dataclass(frozen=True)
class Sweep:
    """The results of a decision rule at K thresholds, float64, increasing.

    ``detected`` and ``correct`` are the numbers of predicted labels over all documents, and of true ones among them;
    ``exact`` of documents whose whole label set is right, int64 (K,).  ``reference`` is the number of true labels.
    """

    thresholds: np.ndarray
    detected: np.ndarray
    correct: np.ndarray
    exact: np.ndarray
    reference: int
    documents: int

    @property
    def precision(self) -> np.ndarray:
        """Micro precision, equation (26), float64 (K,): correct / detected; 1 where no label is detected."""
        return np.where(self.detected > 0, self.correct / np.maximum(self.detected, 1), 1.0)

    @property
    def recall(self) -> np.ndarray:
        """Micro recall, equation (27), float64 (K,): correct / reference; 1 where no label is true."""
        return self.correct / self.reference if self.reference else np.ones(len(self.thresholds))

    @property
    def f1(self) -> np.ndarray:
        """Micro F1, float64 (K,): 2 correct / (detected + reference); 1 where that is 0 / 0."""
        total = self.detected + self.reference
        return np.where(total > 0, 2 * self.correct / np.maximum(total, 1), 1.0)

    @property
    def set_error(self) -> np.ndarray:
        """Share of documents whose label set is not exactly right (section 4.2), float64 (K,)."""
        return 1.0 - self.exact / self.documents

    def lowest_set_error(self) -> int:
        """Return the index of the threshold with the fewest wrong label sets; the lowest of equally good thresholds."""
        return int(np.argmax(self.exact))


def threshold_sets(scores: ArrayLike, threshold: ArrayLike, *, never_empty: bool = False) -> np.ndarray:
    """Return the labels whose score reaches the threshold, equation (9).

    Parameters
    ----------
    scores : float (N, L).
    threshold : one number for all labels, or one for each label (L,).
    never_empty : whether a document whose scores all stay below gets the label with the smallest distance to its
        threshold; of equal distances the label with the larger score, then the first.

    Returns
    -------
    bool (N, L); a row may be empty unless ``never_empty``.
    """
    checked, least = checked_scores(scores), np.asarray(threshold, dtype=np.float64)
    sets: np.ndarray = checked >= least
    if never_empty and checked.shape[1]:
        empty = np.flatnonzero(~sets.any(axis=1))
        below = np.broadcast_to(least, checked.shape)[empty] - checked[empty]  # infinite where either is
        nearest = below == below.min(axis=1, keepdims=True)
        sets[empty, np.argmax(np.where(nearest, checked[empty], -np.inf), axis=1)] = True
    return sets


def threshold_sweep(scores: ArrayLike, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Return the results of `threshold_sets` at K thresholds in increasing order, by one pass over the scores (N, L).

    ``Y`` is label indicators (N, L), dense or sparse; ``thresholds`` (K,) have any order.
    """
    checked = checked_scores(scores)
    return swept(kernels.threshold_sweep, checked, Y, thresholds)


def class_thresholds(
    scores: ArrayLike, Y: Any, default: float, criterion: str = "errors", least: int = 1
) -> np.ndarray:
    """Return for each class the threshold that is best for that class alone on N validation documents.

    Parameters
    ----------
    scores : float (N, L).
    Y : label indicators (N, L), dense or sparse.
    default : threshold of a class with too few documents.
    criterion : "errors" minimises the number of wrong decisions on the class, "f1" maximises its F1.
    least : the fewest documents to fit a threshold to, at least 1.  They are the documents of the class whose score of
        it is above minus infinity.  A class with fewer gets ``default``, for its threshold would not generalise.

    Returns
    -------
    float64 (L,); infinite where it is best never to predict the class.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion is {criterion!r}; choose one of {', '.join(CRITERIA)}")
    checked = checked_scores(scores)
    member = checked_member(Y, checked.shape)
    columns = zip(np.ascontiguousarray(checked.T), np.ascontiguousarray(member.T), strict=True)
    cuts = np.array([kernels.best_cut(column, own, criterion == "f1") for column, own in columns])
    informative = (member & (checked > -np.inf)).sum(axis=0)
    return np.where(informative >= max(least, 1), cuts, default)


def swept(kernel: Any, scores: np.ndarray, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Run one kernel of `textmix.metrics.threshold_kernels` and return its counts; see `threshold_sweep`."""
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
    """Return the fewest labels of each document whose shares add up to a threshold or more, equations (4) to (7).

    Labels enter in decreasing order of score.  The shares of the labels left out are added, the smallest first, and
    compared with 1 - threshold: a threshold within rounding of 1 then still differs from 1.  At threshold 0 a document
    gets one label, at threshold 1 every label with a positive share.

    Parameters
    ----------
    scores : float (N, L), not negative; among equal scores the label with the lower index comes first.
    threshold : 0 to 1.

    Returns
    -------
    bool (N, L) without an empty row; a row of zeros gets the first label.
    """
    checked = _checked_shares(scores)
    _check_range(threshold)
    sets = np.zeros(checked.shape, dtype=bool)
    kernels.accumulated_sets(checked, float(threshold), sets)
    return sets


def accumulated_sweep(scores: ArrayLike, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Return the results of `accumulated_sets` at K thresholds in increasing order, by one pass over the sorted scores.

    ``scores`` are as there; ``Y`` is label indicators (N, L), dense or sparse; ``thresholds`` (K,) have any order.
    """
    checked = _checked_shares(scores)
    _check_range(thresholds)
    return swept(kernels.accumulated_sweep, checked, Y, thresholds)


def _checked_shares(scores: ArrayLike) -> np.ndarray:
    """Return scores as float64 (N, L), not negative and finite, with L at least 1; else raise ValueError."""
    checked = checked_scores(scores)
    if not checked.shape[1]:
        raise ValueError("there is no label; the accumulated rule always gives one")
    if (checked < 0).any() or np.isinf(checked).any():
        raise ValueError("a score is negative or infinite; give posterior probabilities, not their logarithms")
    return checked


def _check_range(thresholds: ArrayLike) -> None:
    """Raise ValueError where a threshold is not from 0 to 1."""
    values = np.asarray(thresholds, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("a threshold is not from 0 to 1; the accumulated posterior is a share")
