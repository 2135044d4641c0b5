r"""Metrics of predicted label sets: subset accuracy, Hamming loss, Jaccard index, and F1 in four averages.

Source: N. Ueda and K. Saito, NIPS 2002, section 4.1 (`sample_f`); the others are standard.

Symbols: N documents, L labels; y and z are the true and the predicted label set of a document.  Every metric takes
``true`` and ``predicted``, label indicators of 0 and 1 of shape (N, L), dense or sparse, or a collection of labels for
each document (`textmix.metrics.label_sets`), and returns a value between 0 and 1.  It raises ValueError if the shapes
differ or are empty, or if an indicator is neither 0 nor 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from textmix.metrics.label_sets import encode_label_sets


def _count_labels(true: Any, predicted: Any, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count true labels, predicted labels, and their intersection along an axis."""
    true, predicted = encode_label_sets(true, predicted)
    # Dense arrays stay dense: a search over thresholds compares thousands of mostly small ones.
    is_dense = not (sparse.issparse(true) or sparse.issparse(predicted))
    first, second = (np.asarray(Y) if is_dense else sparse.csr_array(Y) for Y in (true, predicted))
    if first.ndim == 1 and second.ndim == 1:
        raise ValueError(
            "true and predicted have one value per document; pass label sets or indicators, or use a metric of single "
            "labels such as accuracy or macro_f1"
        )
    if first.shape != second.shape or 0 in first.shape:
        raise ValueError(
            f"true and predicted label indicators must have the same shape (N, L), got {first.shape} and {second.shape}"
        )
    values = (first, second) if is_dense else (first.data, second.data)
    if not all(np.logical_or(array == 0, array == 1).all() for array in values):
        raise ValueError("label indicators must be 0 or 1")
    first = first.astype(np.int64)
    second = second.astype(np.int64)
    return first.sum(axis=axis), second.sum(axis=axis), (first * second).sum(axis=axis)


def _divide(numerator: np.ndarray, denominator: np.ndarray, zero_division: float) -> np.ndarray:
    """Divide elementwise; 0 / 0 is ``zero_division``."""
    return np.where(denominator > 0, numerator / np.maximum(denominator, 1), zero_division)


def subset_accuracy(true: Any, predicted: Any) -> float:
    """Compute the fraction of documents whose label set is predicted exactly."""
    n_true, n_predicted, hits = _count_labels(true, predicted, axis=1)
    return float(np.mean((n_true == hits) & (n_predicted == hits)))


def hamming_loss(true: Any, predicted: Any) -> float:
    """Compute the fraction of wrong decisions among the N L pairs of a document and a label."""
    n_true, n_predicted, hits = _count_labels(true, predicted, axis=0)
    n_documents = len(true) if hasattr(true, "__len__") and not sparse.issparse(true) else true.shape[0]
    return float((n_true + n_predicted - 2 * hits).sum() / (len(n_true) * n_documents))


def jaccard(true: Any, predicted: Any) -> float:
    r"""Compute the mean over documents of the Jaccard index |y \cap z| / |y \cup z|, which is 1 if both are empty."""
    n_true, n_predicted, hits = _count_labels(true, predicted, axis=1)
    return float(_divide(hits, n_true + n_predicted - hits, zero_division=1.0).mean())


def document_f(true: Any, predicted: Any) -> np.ndarray:
    r"""Compute F_n = 2 |y \cap z| / (|y| + |z|) of each document, ndarray of shape (N,); 1 if both sets are empty."""
    n_true, n_predicted, hits = _count_labels(true, predicted, axis=1)
    return _divide(2 * hits, n_true + n_predicted, zero_division=1.0)


def sample_f(true: Any, predicted: Any) -> float:
    """Compute the mean F1 score per document; an empty prediction for a labelled document scores 0."""
    return float(document_f(true, predicted).mean())


def sample_f_skip(true: Any, predicted: Any) -> float:
    """Compute the mean F1 score per document over documents with a nonempty prediction; nan if there are none.

    The PMM paper does not define F for an empty prediction; this is the alternative interpretation.
    """
    scores = document_f(true, predicted)
    n_predicted = _count_labels(true, predicted, axis=1)[1]
    return float(scores[n_predicted > 0].mean()) if n_predicted.any() else float("nan")


def micro_f(true: Any, predicted: Any) -> float:
    """Compute the F1 score over all pairs of a document and a label; 1 if no label is true or predicted."""
    n_true, n_predicted, hits = _count_labels(true, predicted, axis=0)
    return float(_divide(2 * hits.sum(), n_true.sum() + n_predicted.sum(), zero_division=1.0))


def macro_f(true: Any, predicted: Any) -> float:
    """Compute the unweighted mean of the F1 scores of all labels; 0 for a label that is never true or predicted."""
    n_true, n_predicted, hits = _count_labels(true, predicted, axis=0)
    return float(_divide(2 * hits, n_true + n_predicted, zero_division=0.0).mean())
