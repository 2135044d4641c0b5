"""Beside predictions a comparison stores confidence in whole label sets, decisions and the likelihood of texts."""

from __future__ import annotations

from typing import Any

import numpy as np

#: The decisions that a method with ``decide`` makes from one fit, in the order of their array.
DECISIONS = ("mode", "expected_f", "marginal")


def further(task: str, estimator: Any, X: Any, y: np.ndarray, predicted: np.ndarray) -> dict[str, np.ndarray]:
    """Return further arrays of `textmix.experiment.predictions.Predictions`, as far as the estimator offers them.

    Parameters
    ----------
    task : ``single`` or ``multi``.
    estimator : a fitted estimator.
    X : N documents in the form that the estimator takes.
    y : true classes (N,) or label indicators (N, L).
    predicted : predicted label indicators (N, L); not read for classes.
    """
    if task == "single":
        return _text(estimator, X, y) if hasattr(estimator, "log_likelihood") else {}
    arrays = {}
    if hasattr(estimator, "set_log_proba"):
        arrays["confidence"] = np.exp(estimator.set_log_proba(X, predicted)).astype(np.float32)
    if hasattr(estimator, "decide"):
        sets = [np.packbits(estimator.decide(X, decision).astype(np.uint8), axis=1) for decision in DECISIONS]
        arrays["decisions"] = np.stack(sets, axis=1)
    return arrays


def _text(estimator: Any, X: Any, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return the array ``text``: log p(x|c) of each document as a sequence in its true class, and its number of words.

    Both are nan for a class unseen in training.
    """
    column = np.minimum(np.searchsorted(estimator.classes_, y), len(estimator.classes_) - 1)
    rows = np.flatnonzero(estimator.classes_[column] == y)
    log_p, words = estimator.log_likelihood(X, "sequence"), estimator.text_lengths(X)
    text = np.full((len(y), 2), np.nan)
    text[rows, 0], text[rows, 1] = log_p[rows, column[rows]], words[rows]
    return {"text": text}
