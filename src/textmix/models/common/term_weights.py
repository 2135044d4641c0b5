"""Weights of terms that several families of estimators use."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def inverse_frequency(X: sparse.csr_array) -> np.ndarray:
    """Compute log(N / df_w) of each word of X, shape (N, V), as float64 (V,); 0 for a word that does not occur."""
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    return np.log(X.shape[0] / np.maximum(frequency, 1)) * (frequency > 0)
