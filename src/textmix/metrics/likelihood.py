"""Log losses: how little probability a method gives to the true class or the true label set.  N documents."""

from __future__ import annotations

import numpy as np


def log_loss(true_log_proba: np.ndarray) -> float:
    """Return the mean of minus the log posterior of the true class, in nats.

    It is infinite where a true class has posterior 0, and nan where a posterior is nan (the method gives none).

    Parameters
    ----------
    true_log_proba : log posterior of each document's true class, float (N,).

    Raises
    ------
    ValueError : there is no document.
    """
    values = np.asarray(true_log_proba, dtype=np.float64)
    if not values.size:
        raise ValueError("the log posterior of at least one document is needed")
    return float(-np.mean(values))


def set_log_loss(true_log_proba: np.ndarray) -> float:
    """Return the mean of minus the log probability of the true label set, in nats; see `log_loss`.

    Parameters
    ----------
    true_log_proba : log probability of each document's whole true label set, float (N,).
    """
    return log_loss(true_log_proba)
