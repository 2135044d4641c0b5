"""Term weights used by several estimators."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def inverse_frequency(X: sparse.csr_array) -> np.ndarray:
    """Compute the inverse document frequency log(N / df_w) of each column of X (N, V), float64 (V,); 0 if df_w = 0."""
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    return np.log(X.shape[0] / np.maximum(frequency, 1)) * (frequency > 0)
