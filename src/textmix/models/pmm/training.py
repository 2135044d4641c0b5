"""Training of Parametric Mixture Models by EM, on counts that are summed over the pages of each label set."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy import sparse

from textmix.models.pmm import training_kernels as kernels


class Training(NamedTuple):
    """Training data in the layout of the EM kernels.

    A parameter theta_li is stored only if label l and word i occur together on any page; K is the number of such pairs.

    Parameters
    ----------
    layout : SetLayout
        Counts and index arrays of the kernels.
    word, label : ndarray of shape (K,), dtype int32
        Word and label of each stored parameter.
    shape : tuple of (int, int)
        Number of words V and number of labels L.
    """

    layout: kernels.SetLayout
    word: np.ndarray
    label: np.ndarray
    shape: tuple[int, int]


class SetCounts(NamedTuple):
    """Sufficient statistics of the training pages.

    Parameters
    ----------
    sets : ndarray of shape (S, L), dtype bool
        Distinct nonempty label sets, sorted.
    counts : csr_array of shape (S, V)
        Weighted counts summed over the pages of each label set.
    label_count : ndarray of shape (L,)
        Number (total weight) of pages of each label.
    size_count : ndarray of shape (L + 1,)
        Number (total weight) of pages with 0, 1, ..., L labels.
    """

    sets: np.ndarray
    counts: sparse.csr_array
    label_count: np.ndarray
    size_count: np.ndarray

    @classmethod
    def of(cls, X: sparse.csr_array, Y: np.ndarray, weight: np.ndarray) -> Self:
        """Sum weighted counts X (N, V) over the pages of each label set in Y (N, L)."""
        size_count = np.bincount(Y.sum(axis=1), weights=weight, minlength=Y.shape[1] + 1)
        return cls(*_by_set(X, Y, weight * Y.any(axis=1)), weight @ Y, size_count)

    def plus(self, other: SetCounts) -> SetCounts:
        """Add the sums over other pages."""
        X = sparse.csr_array(sparse.vstack([self.counts, other.counts], format="csr"))
        Y = np.concatenate([self.sets, other.sets])
        totals = self.label_count + other.label_count, self.size_count + other.size_count
        return SetCounts(*_by_set(X, Y, np.ones(len(Y))), *totals)


def _by_set(X: sparse.csr_array, Y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, sparse.csr_array]:
    """Return the distinct label sets of rows with positive weight, bool (S, L), and their weighted counts, CSR."""
    rows = np.flatnonzero(weight > 0)
    sets, place = np.unique(Y[rows], axis=0, return_inverse=True)
    pick = sparse.csr_array((weight[rows], (place.ravel(), rows)), shape=(len(sets), len(Y)))
    counts = sparse.csr_array(pick @ X, dtype=np.float64)
    counts.eliminate_zeros()
    counts.sort_indices()
    return sets, counts


def gather(sums: SetCounts, prior: float) -> Training:
    r"""Enumerate the parameters, and arrange the counts in the layout of the EM kernels."""
    sets = sums.sets
    counts = sums.counts
    single = sets.sum(axis=1) == 1
    word, label, alone = _parameters(sets, counts, single)
    return _lay_out(sets[~single], sparse.csr_array(counts[~single]), (word, label, alone), prior)


def _parameters(
    sets: np.ndarray, counts: sparse.csr_array, single: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return word, label and single-label count of each parameter, sorted by label and count."""
    members = sparse.csr_array(sets.T.astype(np.float64))
    word, label = _entries(members @ counts)[1:]
    alone, alone_word, alone_label = _entries(members[:, single] @ counts[single])
    n_words = counts.shape[1]
    count = np.zeros(len(word))
    count[np.searchsorted(label * n_words + word, alone_label * n_words + alone_word)] = alone
    order = np.lexsort((count, label))
    return word[order].astype(np.int32), label[order].astype(np.int32), count[order]


def _entries(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, columns and rows (int64) of the stored elements of a CSR matrix, sorted by row and column."""
    matrix.sort_indices()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return matrix.data, matrix.indices.astype(np.int64), rows


def _lay_out(
    sets: np.ndarray, counts: sparse.csr_array, parameters: tuple[np.ndarray, np.ndarray, np.ndarray], prior: float
) -> Training:
    """Arrange label sets, counts and parameters as `Training`."""
    word, label, alone = parameters
    n_labels = sets.shape[1]
    n_words = counts.shape[1]
    row = np.repeat(np.arange(len(sets)), np.diff(counts.indptr))
    order = np.lexsort((counts.data, row))
    _, member = np.nonzero(sets)
    sizes = sets.sum(axis=1)
    lengths = np.diff(counts.indptr)
    slot_start = _starts(np.repeat(lengths, sizes))
    layout = kernels.SetLayout(
        start=_starts(lengths),
        x=counts.data[order],
        member_start=_starts(sizes),
        label=member.astype(np.int32),
        slot_start=slot_start,
        slot=np.empty(slot_start[-1], dtype=np.int32),
        support=_starts(np.bincount(label, minlength=n_labels)),
        weight=alone + prior,
        fixed=np.bincount(label, weights=alone, minlength=n_labels) + n_words * prior,
    )
    kernels.place_slots(layout, counts.indices[order].astype(np.int32), word, n_words)
    return Training(layout, word, label, (n_words, n_labels))


def _starts(lengths: np.ndarray) -> np.ndarray:
    """Compute the start offsets of n consecutive runs, followed by the end of the last run, int64 (n + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


class EMRun:
    """EM run that updates theta and alpha in place.

    Parameters
    ----------
    training : Training
        Training data.
    xi, zeta : float
        Exponents of the priors over theta and alpha.
    theta : ndarray of shape (K,)
        Positive initial values of the stored parameters, not necessarily normalised.
    alpha : ndarray of shape (L, L)
        Initial biases.
    """

    def __init__(self, training: Training, xi: float, zeta: float, theta: np.ndarray, alpha: np.ndarray) -> None:
        self.training = training
        self.prior = xi - 1.0
        self.zeta = zeta
        self.theta = theta
        self.alpha = alpha
        layout = training.layout
        self._gain = np.zeros_like(theta)
        self._mass = np.zeros(len(layout.label))
        self._unseen = training.shape[0] - np.diff(layout.support)
        self._expectation()
        self.update(learn_alpha=False)

    def _expectation(self) -> float:
        """Run the E step and return the log-likelihood of the pages with at least two labels."""
        layout = self.training.layout
        self._weights = kernels.label_weights(layout, self.alpha)
        likelihood: float = kernels.expectation(layout, self._weights, self.theta, self._gain, self._mass)
        return likelihood

    def evaluate(self) -> float:
        """Run the E step and return J of the current parameters, equation (6), in nats."""
        likelihood = self._expectation() + kernels.parameter_log_sum(self.training.layout, self.theta)
        prior = self.prior * float(self._unseen @ np.log(self.prior * self._scale))
        return likelihood + prior + (self.zeta - 1.0) * float(np.log(self.alpha).sum())

    def update(self, learn_alpha: bool) -> None:
        """Run the M step: update theta and, if ``learn_alpha``, alpha from the expected counts of the last E step."""
        layout = self.training.layout
        if learn_alpha:
            kernels.update_alpha(layout, self._mass, self.zeta, self.alpha)
        self._scale = kernels.update_theta(layout, self._weights, self._gain, self._mass, self.theta)

    def iterate(self, tol: float, max_iter: int, learn_alpha: bool) -> tuple[list[float], bool]:
        """Alternate M and E steps until J converges; return the values of J and whether ``tol`` was met."""
        path = [self.evaluate()]
        for _ in range(max_iter):
            self.update(learn_alpha)
            path.append(self.evaluate())
            if abs(path[-1] - path[-2]) <= tol * abs(path[-1]):
                return path, True
        return path, False

    def dense_theta(self) -> np.ndarray:
        """Return theta as a dense array, float64 (V, L), with the value implied by the prior for unstored pairs."""
        theta = np.empty(self.training.shape)
        theta[:] = self.prior * self._scale
        theta[self.training.word, self.training.label] = self.theta
        return theta
