"""The Dirichlet density of word shares as their smoothing goes to 0, beside the Dirichlet compound multinomial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from reproduction.flow.measures import Measure, MeasureData
from textmix.experiment.trial import Documents
from textmix.models.common.count_kernels import row_sums
from textmix.models.dirichlet.dcm import DCMClassifier


def sparse_counts(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Measure the density of documents under a Dirichlet as the smoothing of their word shares goes to 0.

    The parameters alpha are those of the Dirichlet compound multinomial (DCM) of one class.  A share of 0 of a word
    with alpha_w < 1 makes the density infinite, with alpha_w > 1 it makes it 0.  ``raised`` has alpha + 1.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : ``smoothing``, powers of ten by which each count is raised, decreasing; ``label``, index of the class.

    Returns
    -------
    a measure with ``fitted_<i>`` and ``raised_<i>``, mean log density a document (nats) at the i-th smoothing, ``dcm``,
    mean log probability of the counts without smoothing under the DCM, ``zeros`` (share of the words that a document
    does not have), and the table ``densities``.
    """
    (source,) = sources.values()
    train = source.first().train
    X = train[train.y == settings["label"]].X
    X = X[:, np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))]
    alpha = Documents(X, np.zeros(X.shape[0], dtype=np.int64)).fitted(DCMClassifier(smoothing=0.0)).alpha_[0]
    values = {
        "dcm": float(dcm_log_probabilities(X, alpha).mean()),
        "zeros": 1.0 - X.nnz / (X.shape[0] * X.shape[1]),
    }
    table = []
    for number, exponent in enumerate(settings["smoothing"]):
        for name, parameters in (("fitted", alpha), ("raised", alpha + 1.0)):
            density = float(log_densities(X, parameters, 10.0**exponent).mean())
            values[f"{name}_{number}"] = density
            table.append({"alpha": name, "smoothing": 10.0**exponent, "log_density": density})
    return Measure(values, {"densities": table})


def log_densities(X: sparse.csr_array, alpha: np.ndarray, smoothing: float) -> np.ndarray:
    r"""Return log Dirichlet(p; alpha) of each document's shares p_w = (x_w + e) / (n + e V), float64 (N,), in nats.

    Parameters
    ----------
    X : counts (N, V).
    alpha : float64 (V,), above 0.
    smoothing : e, above 0.
    """
    lengths = row_sums(X.indptr, X.data.astype(np.float64)) + smoothing * X.shape[1]
    rise = (alpha[X.indices] - 1.0) * (np.log(X.data + smoothing) - np.log(smoothing))
    logs = np.sum(alpha - 1.0) * (np.log(smoothing) - np.log(lengths)) + row_sums(X.indptr, rise)
    return np.asarray(gammaln(alpha.sum()) - gammaln(alpha).sum() + logs)


def dcm_log_probabilities(X: sparse.csr_array, alpha: np.ndarray) -> np.ndarray:
    """Return the log probability of each document under the DCM with parameters alpha (V,), float64 (N,), in nats."""
    lengths, total = row_sums(X.indptr, X.data.astype(np.float64)), alpha.sum()
    parameters = alpha[X.indices]
    words = gammaln(X.data + parameters) - gammaln(parameters) - gammaln(X.data + 1.0)
    return np.asarray(gammaln(lengths + 1.0) + gammaln(total) - gammaln(total + lengths) + row_sums(X.indptr, words))
