r"""Metrics of predicted label sets: exact agreement, share of wrong decisions, and F over documents, decisions, labels.

Source: N. Ueda and K. Saito, NIPS 2002, section 4.1 (sample F); the remaining ones are the field's usual ones.

Symbols: N documents, L labels; y and z are a document's true and predicted label set.  A decision is whether one
document has one label.  ``true`` and ``predicted`` are label indicators (N, L) of 0 and 1, dense or sparse.

Each metric is a fraction, from 0 to 1.  It raises ValueError where the shapes differ or are empty, or an indicator is
neither 0 nor 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def _counts(true: Any, predicted: Any, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many labels are true, predicted, and both."""
    # Two dense arrays stay dense: a search over thresholds compares thousands of them, most of them small.
    dense = not (sparse.issparse(true) or sparse.issparse(predicted))
    first, second = (np.asarray(Y) if dense else sparse.csr_array(Y) for Y in (true, predicted))
    if first.shape != second.shape or 0 in first.shape:
        raise ValueError(f"label indicators of the same shape (N, L) are needed, not {first.shape} and {second.shape}")
    values = (first, second) if dense else (first.data, second.data)
    if not all(np.logical_or(each == 0, each == 1).all() for each in values):
        raise ValueError("label indicators must be 0 or 1")
    first, second = first.astype(np.int64), second.astype(np.int64)
    return first.sum(axis=axis), second.sum(axis=axis), (first * second).sum(axis=axis)


def _ratio(above: np.ndarray, below: np.ndarray, of_nothing: float) -> np.ndarray:
    """Return above / below, and ``of_nothing`` where both are 0."""
    return np.where(below > 0, above / np.maximum(below, 1), of_nothing)


def subset_accuracy(true: Any, predicted: Any) -> float:
    """Return the share of documents whose whole label set is predicted."""
    positive, claimed, hits = _counts(true, predicted, axis=1)
    return float(np.mean((positive == hits) & (claimed == hits)))


def hamming_loss(true: Any, predicted: Any) -> float:
    """Return the share of wrong decisions among the N L, one for each document and label."""
    positive, claimed, hits = _counts(true, predicted, axis=0)
    return float((positive + claimed - 2 * hits).sum() / (len(positive) * sparse.csr_array(true).shape[0]))


def jaccard(true: Any, predicted: Any) -> float:
    """Return the mean over the documents of the share of true or predicted labels that are both; 1 without a label."""
    positive, claimed, hits = _counts(true, predicted, axis=1)
    return float(_ratio(hits, positive + claimed - hits, of_nothing=1.0).mean())


def document_f(true: Any, predicted: Any) -> np.ndarray:
    r"""Return F_n = 2 |y \cap z| / (|y| + |z|) of each document, float64 (N,); 1 where both sets are empty."""
    positive, claimed, hits = _counts(true, predicted, axis=1)
    return _ratio(2 * hits, positive + claimed, of_nothing=1.0)


def sample_f(true: Any, predicted: Any) -> float:
    """Return the mean over the documents of their F, 0 for an empty prediction of a document with labels."""
    return float(document_f(true, predicted).mean())


def sample_f_skip(true: Any, predicted: Any) -> float:
    """Return the mean of each document's F over the documents with a predicted label; nan if there is none.

    The paper on PMMs does not define F of an empty prediction; this is the other reading of it.
    """
    values, claimed = document_f(true, predicted), _counts(true, predicted, axis=1)[1]
    return float(values[claimed > 0].mean()) if claimed.any() else float("nan")


def micro_f(true: Any, predicted: Any) -> float:
    """Return F over all documents and labels taken together; 1 if no label is true and none predicted."""
    positive, claimed, hits = _counts(true, predicted, axis=0)
    return float(_ratio(2 * hits.sum(), positive.sum() + claimed.sum(), of_nothing=1.0))


def macro_f(true: Any, predicted: Any) -> float:
    """Return the mean over the labels of each label's F; 0 for a label that is neither true nor predicted anywhere."""
    positive, claimed, hits = _counts(true, predicted, axis=0)
    return float(_ratio(2 * hits, positive + claimed, of_nothing=0.0).mean())
