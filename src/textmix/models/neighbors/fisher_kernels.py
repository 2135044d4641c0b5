r"""The Fisher score of the DCM, where it depends on a word's count.

    \partial l / \partial \alpha_w = \Psi(s) - \Psi(s + n) + [\Psi(x_w + \alpha_w) - \Psi(\alpha_w)]

(EDCM paper, equation 5).  The bracket is 0 for a word that is not in the document.
The rest, c(x), is one number a document.
"""

from __future__ import annotations

import numpy as np

from textmix.models.common.special_kernels import polygamma_rise
from textmix.numerics.jit import njit


@njit
def count_scores_of_words(indices: np.ndarray, data: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the bracket for every stored count, float64 (nnz,); 0 for a word without a parameter (alpha_w = 0)."""
    score = np.zeros(len(data))
    for i in range(len(data)):
        a = alpha[indices[i]]
        if a > 0:
            score[i] = polygamma_rise(a, data[i])[0]
    return score


@njit
def length_scores(concentration: float, lengths: np.ndarray) -> np.ndarray:
    """Return c(x) = Psi(s) - Psi(s + n) of documents of length n, float64 (N,)."""
    score = np.empty(len(lengths))
    for d in range(len(lengths)):
        score[d] = -polygamma_rise(concentration, lengths[d])[0]
    return score
