"""A prior over label sets, by the number of labels and the frequency of each label."""

from __future__ import annotations

import numpy as np


def set_prior(sizes: np.ndarray, label_count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Return a prior over label sets, estimated from the label sets of the training pages.

    It draws the number of labels, and then the labels, independently given their number (conditional Bernoulli).

    P(y) = q(|y|) \prod_{l in y} o_l / e_{|y|}(o) with odds o_l = (n_l + 1/2) / (n - n_l + 1/2), e_k the elementary
    symmetric polynomials, and q(k) = (n_k + 1/L) / (n + 1).  It sums to one over the sets that are not empty.

    Parameters
    ----------
    sizes : float64 (L + 1,); ``sizes[k]`` is n_k, the number (weight) of pages with k labels.  n is the sum of
        ``sizes[1:]``; pages without labels do not count.
    label_count : float64 (L,); n_l, the number (weight) of pages with label l.

    Returns
    -------
    size_weight, label_weight : float64 (L + 1,) and (L,), the parts of log P(y) in
        `textmix.models.pmm.prediction_kernels.Parameters`; ``size_weight[0]`` has no meaning.
    """
    n_labels, n = len(label_count), sizes[1:].sum()
    log_odds = np.log(label_count + 0.5) - np.log(n - label_count + 0.5)
    symmetric = np.full(n_labels + 1, -np.inf)
    symmetric[0] = 0.0
    for odds in log_odds:
        symmetric[1:] = np.logaddexp(symmetric[1:], symmetric[:-1] + odds)
    size_weight = np.log((sizes + 1.0 / n_labels) / (n + 1.0)) - symmetric
    return size_weight, log_odds
