"""Metrics of predicted label sets: F averaged over documents, over decisions and over labels, and exact agreement.

Source: N. Ueda and K. Saito, NIPS 2002, section 4.1 (sample F); the others are the field's usual ones.  Each takes the
true and the predicted label indicators, (N, L) of 0 and 1, dense or sparse, and returns a fraction.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse


def _counts(true: Any, predicted: Any, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many labels are true, predicted, and both: of each document (axis 1) or of each label (axis 0)."""
    first, second = sparse.csr_array(true), sparse.csr_array(predicted)
    if first.shape != second.shape or 0 in first.shape:
        raise ValueError(f"label indicators of the same shape (N, L) are needed, not {first.shape} and {second.shape}")
    if not (np.isin(first.data, (0, 1)).all() and np.isin(second.data, (0, 1)).all()):
        raise ValueError("label indicators must be 0 or 1")
    first, second = first.astype(np.int64), second.astype(np.int64)
    both = sparse.csr_array(first * second)
    return first.sum(axis=axis), second.sum(axis=axis), both.sum(axis=axis)


def _ratio(above: np.ndarray, below: np.ndarray, nothing: float) -> np.ndarray:
    """Return above / below, and ``nothing`` where both are 0."""
    return np.where(below > 0, above / np.maximum(below, 1), nothing)


def document_f(true: Any, predicted: Any) -> np.ndarray:
    r"""Return F_n = 2 |y \cap z| / (|y| + |z|) of each document, float64 (N,).

    An empty prediction has F_n = 0, unless the document has no label either: then 1.
    """
    positive, claimed, hits = _counts(true, predicted, axis=1)
    return _ratio(2 * hits, positive + claimed, nothing=1.0)


def sample_f(true: Any, predicted: Any, empty: Literal["zero", "skip"] = "zero") -> float:
    """Return the mean of F_n over the documents, the paper's measure.

    Parameters
    ----------
    true, predicted : label indicators (N, L).
    empty : the paper does not define F_n of an empty prediction: "zero" counts it as 0, "skip" leaves the document out
        of the mean (nan if all are).
    """
    values = document_f(true, predicted)
    if empty == "zero":
        return float(values.mean())
    claimed = _counts(true, predicted, axis=1)[1]
    return float(values[claimed > 0].mean()) if claimed.any() else float("nan")


def micro_f(true: Any, predicted: Any) -> float:
    """Return F over all N L decisions taken together; 1 if no label is true and none predicted."""
    positive, claimed, hits = _counts(true, predicted, axis=0)
    return float(_ratio(2 * hits.sum(), positive.sum() + claimed.sum(), nothing=1.0))


def macro_f(true: Any, predicted: Any) -> float:
    """Return the mean over the labels of each label's F; 0 for a label that is neither true nor predicted anywhere."""
    positive, claimed, hits = _counts(true, predicted, axis=0)
    return float(_ratio(2 * hits, positive + claimed, nothing=0.0).mean())


def subset_accuracy(true: Any, predicted: Any) -> float:
    """Return the share of documents whose label set is predicted exactly."""
    positive, claimed, hits = _counts(true, predicted, axis=1)
    return float(np.mean((positive == hits) & (claimed == hits)))


def hamming_loss(true: Any, predicted: Any) -> float:
    """Return the share of the N L decisions that are wrong."""
    positive, claimed, hits = _counts(true, predicted, axis=0)
    return float((positive + claimed - 2 * hits).sum() / (len(positive) * sparse.csr_array(true).shape[0]))


def jaccard(true: Any, predicted: Any) -> float:
    r"""Return the mean over the documents of |y \cap z| / |y \cup z|; 1 for two empty sets."""
    positive, claimed, hits = _counts(true, predicted, axis=1)
    return float(_ratio(hits, positive + claimed - hits, nothing=1.0).mean())
