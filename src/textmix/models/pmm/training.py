"""Training of Parametric Mixture Models: pages gathered by label set, and the climb of J by EM."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from textmix.models.pmm import training_kernels as kernels


class Training(NamedTuple):
    """Pages as the EM step reads them.

    Parameters
    ----------
    plan : see `textmix.models.pmm.training_kernels.Plan`.
    word, label : int32 (K,); what each parameter is of.
    shape : V, L.
    """

    plan: kernels.Plan
    word: np.ndarray
    label: np.ndarray
    shape: tuple[int, int]


def gather(X: sparse.csr_array, Y: np.ndarray, weight: np.ndarray, prior: float) -> Training:
    """Add up the pages of each label set and number the parameters.

    Parameters
    ----------
    X : CSR counts (N, V).
    Y : bool (N, L); pages without labels are left out, since the model says nothing of them.
    weight : float64 (N,); a page of weight 2 counts as two pages.
    prior : xi - 1.
    """
    labelled = Y.any(axis=1) & (weight > 0)
    sets, place = np.unique(Y[labelled], axis=0, return_inverse=True)
    rows = np.flatnonzero(labelled)
    pick = sparse.csr_array((weight[rows], (place.ravel(), rows)), shape=(len(sets), len(Y)))
    counts = sparse.csr_array(pick @ X, dtype=np.float64)
    counts.eliminate_zeros()
    counts.sort_indices()
    single = sets.sum(axis=1) == 1
    word, label, alone = _parameters(sets, counts, single)
    return _plan(sets[~single], sparse.csr_array(counts[~single]), (word, label, alone), prior)


def _parameters(
    sets: np.ndarray, counts: sparse.csr_array, single: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return word, label and count on pages of that label alone, of each pair that occurs, by label and count."""
    members = sparse.csr_array(sets.T.astype(np.float64))
    word, label = _entries(members @ counts)[1:]
    alone, alone_word, alone_label = _entries(members[:, single] @ counts[single])
    n_words = counts.shape[1]
    count = np.zeros(len(word))
    count[np.searchsorted(label * n_words + word, alone_label * n_words + alone_word)] = alone
    order = np.lexsort((count, label))
    return word[order].astype(np.int32), label[order].astype(np.int32), count[order]


def _entries(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, columns and rows of a CSR matrix by row and column, the numbers as int64."""
    matrix.sort_indices()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return matrix.data, matrix.indices.astype(np.int64), rows


def _plan(
    sets: np.ndarray, counts: sparse.csr_array, parameters: tuple[np.ndarray, np.ndarray, np.ndarray], prior: float
) -> Training:
    """Lay out the label sets of several labels, their words by rising count."""
    word, label, alone = parameters
    n_labels, n_words = sets.shape[1], counts.shape[1]
    row = np.repeat(np.arange(len(sets)), np.diff(counts.indptr))
    order = np.lexsort((counts.data, row))
    _, member = np.nonzero(sets)
    sizes, lengths = sets.sum(axis=1), np.diff(counts.indptr)
    slot_start = _starts(np.repeat(lengths, sizes))
    plan = kernels.Plan(
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
    kernels.place_slots(plan, counts.indices[order].astype(np.int32), word, n_words)
    return Training(plan, word, label, (n_words, n_labels))


def _starts(lengths: np.ndarray) -> np.ndarray:
    """Return where runs of the given lengths start, and the end, int64."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


class Climb:
    """EM from a start: parameters, objective and the rest of the words' share, updated in place.

    Parameters
    ----------
    training : the pages.
    xi, zeta : prior exponents.
    theta : float64 (K,), positive responsibilities to start from; need not sum to one.
    alpha : float64 (L, L).
    """

    def __init__(self, training: Training, xi: float, zeta: float, theta: np.ndarray, alpha: np.ndarray) -> None:
        self.training, self.prior, self.zeta = training, xi - 1.0, zeta
        self.theta, self.alpha = theta, alpha
        plan = training.plan
        self._gain, self._mass = np.zeros_like(theta), np.zeros(len(plan.label))
        self._unseen = training.shape[0] - np.diff(plan.support)
        self._expect()
        self.update(learn_alpha=False)

    def _expect(self) -> float:
        """Run the E-step and return the log-likelihood of the pages of several labels."""
        plan = self.training.plan
        self._weights = kernels.label_weights(plan, self.alpha)
        likelihood: float = kernels.expectation(plan, self._weights, self.theta, self._gain, self._mass)
        return likelihood

    def evaluate(self) -> float:
        """Run the E-step and return J of the parameters, equation (6)."""
        likelihood = self._expect() + kernels.parameter_log_sum(self.training.plan, self.theta)
        prior = self.prior * float(self._unseen @ np.log(self.prior * self._scale))
        return likelihood + prior + (self.zeta - 1.0) * float(np.log(self.alpha).sum())

    def update(self, learn_alpha: bool) -> None:
        """Run the M-step of the last E-step."""
        plan = self.training.plan
        if learn_alpha:
            kernels.update_alpha(plan, self._mass, self.zeta, self.alpha)
        self._scale = kernels.update_theta(plan, self._weights, self._gain, self._mass, self.theta)

    def run(self, tol: float, max_iter: int, learn_alpha: bool) -> tuple[list[float], bool]:
        """Iterate until J changes by no more than ``tol`` relatively; return its path and whether it did."""
        path = [self.evaluate()]
        for _ in range(max_iter):
            self.update(learn_alpha)
            path.append(self.evaluate())
            if abs(path[-1] - path[-2]) <= tol * abs(path[-1]):
                return path, True
        return path, False

    def dense_theta(self) -> np.ndarray:
        """Return theta of all words, float64 (V, L)."""
        theta = np.empty(self.training.shape)
        theta[:] = self.prior * self._scale
        theta[self.training.word, self.training.label] = self.theta
        return theta
