r"""Absolute discounting with unigram interpolation: from counts to the discounting constant and log word weights.

Source: D. Vilar, M. J. Castro and E. Sanchis, "Multi-label Text Classification Using Multinomial Models", EsTAL 2004.
N_cw is the count of word w in the documents of class c, where a document with several labels is counted in each of its
classes (equation 14; it is Y^T X, without copying documents), and b is the discounting constant:

    p(w) = \sum_c N_cw / \sum_{w', c} N_cw'                                                     (20)
    M_c = \sum_w min(b, N_cw) / \sum_w N_cw                                                     (19)
    \hat p(w|c) = max(0, N_cw - b) / \sum_w' N_cw' + p(w) M_c                                   (21)

Equation (19) has b |{w : N_cw > 0}| in place of \sum_w min(b, N_cw), which is the same for integer counts, as b <= 1;
the form used here also sums to one if counts are scaled or expected.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy import sparse

from textmix.models.naive_bayes.discounting_kernels import Weights, leaving_one_out_root

#: Rules that compute b from n_r, the number of words with count r.
RULES = ("upper_bound", "printed", "leaving_one_out")
#: Lower bound of b.  If no word occurs exactly once, the rules yield 0, and unseen words would get probability 0.
SMALLEST_DISCOUNT = 1e-6
#: A class with a complement of less than this fraction of all occurrences is treated as the whole corpus (rounding).
ROUNDING = 1e-10


def check_weights(weights: Weights, n_classes: int) -> None:
    """Raise ValueError if weights loaded from a file contain an out-of-range index."""
    group, table, start, seen_by, _ = weights
    inside = -1 <= group.min(initial=0) and group.max(initial=-1) < len(table)
    ordered = start[0] == 0 and start[-1] == len(seen_by) and bool((np.diff(start) >= 0).all())
    if not (inside and ordered and 0 <= seen_by.min(initial=0) and seen_by.max(initial=-1) < n_classes):
        raise ValueError("weights_ holds an index out of range")


def discounting_constant(counts: np.ndarray, rule: str) -> float:
    """Estimate b from the counts of words (V,), clipped to [`SMALLEST_DISCOUNT`, 1]; 1/2 if n_1 = n_2 = 0.

    Fractional counts are rounded up. The rule "upper_bound" is n_1 / (n_1 + 2 n_2), the bound that follows from
    equation (22); "printed" is n_1 / (n_1 + n_2), equation (23) as printed; "leaving_one_out" is the root of the
    equation that both approximate.
    """
    values, number = np.unique(np.ceil(counts[counts > 0]), return_counts=True)
    n1, n2 = (float(number[values == r].sum()) for r in (1, 2))
    if n1 + n2 == 0:
        return 0.5
    if rule == "leaving_one_out":
        b = leaving_one_out_root(values.astype(np.float64), number.astype(np.float64))
    else:
        b = n1 / (n1 + (2.0 if rule == "upper_bound" else 1.0) * n2)
    return min(max(b, SMALLEST_DISCOUNT), 1.0)


def determines_discount(counts: np.ndarray) -> bool:
    """Check that n_1 and n_2 are both positive; otherwise n_1 / (n_1 + 2 n_2) is 0, 1 or 0 / 0."""
    rounded = np.ceil(counts)
    return bool((rounded == 1).any() and (rounded == 2).any())


class Counts(NamedTuple):
    """Sufficient statistics: N_cw, CSC (V, C), and word counts of labelled and unlabelled documents, float64 (V,) each.

    ``labelled`` counts each document once, ``by_class`` counts it in each of its classes.
    """

    by_class: sparse.csc_array
    labelled: np.ndarray
    other: np.ndarray

    @classmethod
    def gather(cls, X: sparse.csr_array, labels: sparse.csr_array, use_other: bool) -> Self:
        """Count the words of documents X, CSR (N, V), with labels, CSR (N, C), in one pass over both."""
        has_label = np.diff(labels.indptr) > 0
        labelled = has_label.astype(np.float64) @ X
        other = (~has_label).astype(np.float64) @ X if use_other else np.zeros(X.shape[1])
        return cls((labels.T @ X).T.tocsc(), labelled, other)


def _share(part: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Compute part / total, or 1 where the total is 0: a class without words has p(w|c) = p(w)."""
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), 1.0)


def _log_ratio(counts: np.ndarray, unigram: np.ndarray, b: float, total: np.ndarray, mass: np.ndarray) -> np.ndarray:
    r"""Compute log(\hat p(w|c) / p(w)) from the counts of words in a class of ``total`` words, equation (21)."""
    kept = np.maximum(counts - b, 0.0) / np.where(total > 0, total, 1.0)
    return np.log(kept / unigram + mass)


class _Seen:
    r"""Pairs of a word and a class that contains it, in the order of the stored entries of N_cw, CSC (V, C).

    Attributes
    ----------
    discount : ndarray of shape (C,)
        Discounting constant b.
    unigram : ndarray of shape (V,)
        p(w).
    word, column : ndarray of shape (nnz,)
        Word and class of each entry.
    total, mass : ndarray of shape (C,)
        Number of words of each class, and M_c.
    gain : ndarray of shape (nnz,)
        log[\hat p(w|c) / (p(w) M_c)].
    """

    def __init__(self, by_class: sparse.csc_array, discount: np.ndarray, unigram: np.ndarray) -> None:
        self._by_class = by_class
        counts = by_class.data
        self.word = by_class.indices
        self.column = np.repeat(np.arange(by_class.shape[1]), np.diff(by_class.indptr))
        self.total = self.sums(counts)
        b = discount[self.column]
        self.mass = _share(self.sums(np.minimum(counts, b)), self.total)
        kept = np.maximum(counts - b, 0.0) / self.total[self.column]
        self.gain = np.log1p(kept / (unigram[self.word] * self.mass[self.column]))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Compute the sum of values over the words of each class, (C,)."""
        return np.bincount(self.column, weights=values, minlength=self._by_class.shape[1])

    def weights(self, group: np.ndarray, table: np.ndarray, excess: np.ndarray) -> Weights:
        """Create the weights sorted by word; ``excess``, float64 (nnz,), is in the order of the entries."""
        matrix = sparse.csc_array((excess, self.word, self._by_class.indptr), shape=self._by_class.shape).tocsr()
        start = matrix.indptr.astype(np.int64)
        return Weights(group, table, start, matrix.indices.astype(np.int32), matrix.data)


def class_weights(by_class: sparse.csc_array, discount: np.ndarray, unigram: np.ndarray) -> tuple[np.ndarray, Weights]:
    r"""Compute M_c, float64 (C,), and the log weights log \hat p(w|c) - log p(w), equations (19) and (21).

    The weight of a word that does not occur in c is log M_c.
    """
    seen = _Seen(by_class, discount, unigram)
    group = np.where(unigram > 0, 0, -1)
    return seen.mass, seen.weights(group, np.log(seen.mass)[np.newaxis], seen.gain)


def against_rest_weights(by_class: sparse.csc_array, everything: np.ndarray, b: float, unigram: np.ndarray) -> Weights:
    r"""Compute log \hat p(w|c) - log \hat p(w|others), both smoothed as in (21), for all classes.

    The counts of "others" are ``everything`` minus the counts of c.  Words with equal counts and equal p(w) have equal
    weights in every class that does not contain them; these weights are computed once per group of such words.
    """
    seen = _Seen(by_class, np.full(by_class.shape[1], b), unigram)
    # With scaled counts, rounding errors remain if a class contains all occurrences.
    others = np.maximum(everything[seen.word] - by_class.data, 0.0)
    total = everything.sum() - seen.total
    total[total < ROUNDING * everything.sum()] = 0.0
    kept = np.minimum(everything, b)
    mass = _share(kept.sum() + seen.sums(np.minimum(others, b) - kept[seen.word]), total)
    group, kinds = _kinds(everything, unigram)
    log_mass = np.log(seen.mass)
    table = log_mass - _log_ratio(everything[kinds, np.newaxis], unigram[kinds, np.newaxis], b, total, mass)
    own = _log_ratio(others, unigram[seen.word], b, total[seen.column], mass[seen.column])
    excess = log_mass[seen.column] + seen.gain - own - table[group[seen.word], seen.column]
    return seen.weights(group, table, excess)


def _kinds(counts: np.ndarray, unigram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Group words with equal counts and p(w): group of each word, int64 (V,), -1 if p(w) = 0; one word per group."""
    known = np.flatnonzero(unigram > 0)
    order = known[np.lexsort((unigram[known], counts[known]))]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(counts[order]) != 0) | (np.diff(unigram[order]) != 0)
    group = np.full(len(unigram), -1)
    group[order] = np.cumsum(first) - 1
    return group, order[first]
