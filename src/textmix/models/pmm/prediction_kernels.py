r"""Prediction with Parametric Mixture Models: the most probable label set of a page (PMM paper, section 3.3).

A page's label set maximises \sum_i x_i log \phi_i(y) + log P(y).  While labels are added one by one,

    |y|^2 \phi_i(y) = T_i,    T_i(y + k) = T_i + 2 A_ik + (1 + 2 a_k) \theta_ki,
    A_ik = \sum_{l in y} \alpha_lk \theta_li,    a_k = \sum_{l in y} \alpha_kl

so that one pass over the page's rows of \theta scores all labels that may be added (PMM1: all \alpha are 1/2).
One set is better than another only if its score is higher by more than rounding (`TIE`).  So the search adds no label
that leaves the score unchanged, and of sets with equal scores it takes the first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.models.pmm.training_kernels import CHUNK, weighted_log_sum
from textmix.numerics.basic_kernels import copy_into, stable_order, taken
from textmix.numerics.jit import njit

#: Relative difference of two scores below which they tie.
TIE = 1e-12


class Parameters(NamedTuple):
    """The fitted parameters and the prior over label sets, log P(y) = size_weight[|y|] + sum of label_weight over y.

    ``theta`` is float64 (V, L), C-contiguous, so that a page reads one row for each of its words; ``alpha`` (L, L);
    ``size_weight`` (L + 1,); ``label_weight`` (L,).
    """

    theta: np.ndarray
    alpha: np.ndarray
    size_weight: np.ndarray
    label_weight: np.ndarray

    def of_labels(self, labels: np.ndarray) -> Parameters:
        """Return the parameters of some labels, int (K,), alone."""
        if len(labels) == len(self.alpha):
            return self
        theta = np.ascontiguousarray(self.theta[:, labels])
        alpha = np.ascontiguousarray(self.alpha[np.ix_(labels, labels)])
        return Parameters(theta, alpha, self.size_weight[: len(labels) + 1].copy(), self.label_weight[labels])


class Pages(NamedTuple):
    """Counts of N pages, CSR (N, V) without stored zeros: indptr int64 (N + 1,), indices int32, data float64."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class Page(NamedTuple):
    """One page of n distinct words: counts x float64 (n,), increasing, and the words' rows of theta, float64 (n, L)."""

    x: np.ndarray
    theta: np.ndarray


class SetSums(NamedTuple):
    """A label set, bool (L,), and the module's sums for one page of n words: T_i (n,), A_ik (n, L), a_k (L,)."""

    member: np.ndarray
    total: np.ndarray
    cross: np.ndarray
    bias: np.ndarray


@njit(nogil=True)
def open_page(pages: Pages, number: int, theta: np.ndarray) -> Page:
    """Return page ``number``: its counts in increasing order, and the rows of theta of its words in the same order."""
    row = slice(pages.indptr[number], pages.indptr[number + 1])
    indices = pages.indices[row]
    data = pages.data[row]
    order = stable_order(data)
    rows = np.empty((len(order), theta.shape[1]))
    for i in range(len(order)):
        copy_into(rows[i], theta[indices[order[i]]])
    return Page(taken(data, order), rows)


@njit(nogil=True)
def empty_set(page: Page) -> SetSums:
    """Return the sums of the empty label set."""
    n, n_labels = page.theta.shape
    return SetSums(np.zeros(n_labels, dtype=np.bool_), np.zeros(n), np.zeros((n, n_labels)), np.zeros(n_labels))


@njit(nogil=True)
def add_label(page: Page, alpha: np.ndarray, sums: SetSums, label: int) -> None:
    """Add a label to the set and update the sums in place."""
    for i in range(len(page.x)):
        own = page.theta[i, label]
        sums.total[i] += 2.0 * sums.cross[i, label] + (1.0 + 2.0 * sums.bias[label]) * own
        for k in range(len(alpha)):
            sums.cross[i, k] += alpha[label, k] * own
    for k in range(len(alpha)):
        sums.bias[k] += alpha[k, label]
    sums.member[label] = True


@njit(nogil=True)
def sums_of(page: Page, alpha: np.ndarray, member: np.ndarray) -> SetSums:
    """Return the sums of a label set, bool (L,)."""
    sums = empty_set(page)
    for label in range(len(member)):
        if member[label]:
            add_label(page, alpha, sums, label)
    return sums


@njit(nogil=True)
def better(score: float, than: float) -> bool:
    """Return whether a score is higher than another by more than rounding (`TIE`)."""
    return score > than and score - than > TIE * abs(score)


@njit(nogil=True)
def label_prior(model: Parameters, member: np.ndarray) -> float:
    """Return the part of log P(y) that is a sum over the labels of y; ``member`` is bool (L,)."""
    total = 0.0
    for label in range(len(member)):
        if member[label]:
            total += model.label_weight[label]
    return total


@njit(nogil=True)
def set_score(page: Page, model: Parameters, member: np.ndarray) -> float:
    r"""Return \sum_i x_i log \phi_i(y) + log P(y) of one label set that is not empty."""
    labels = np.flatnonzero(member)
    size = len(labels)
    phi = np.zeros(len(page.x))
    for label in labels:
        c = 0.0
        for other in labels:
            c += 2.0 * model.alpha[label, other] / (size * size)
        for i in range(len(phi)):
            phi[i] += c * page.theta[i, label]
    return weighted_log_sum(phi, page.x) + model.size_weight[size] + label_prior(model, member)


@njit(nogil=True)
def extension_scores(page: Page, model: Parameters, sums: SetSums) -> np.ndarray:
    """Return the score of the label set with label k added, float64 (L,); -inf for every k in the set."""
    n, n_labels = page.theta.shape
    size = sums.member.sum() + 1
    if size > n_labels:
        return np.full(n_labels, -np.inf)
    inverse = 1.0 / (size * size)
    prior = label_prior(model, sums.member) + model.size_weight[size]
    factor = np.empty(n_labels)
    score = np.empty(n_labels)
    product = np.empty(n_labels)
    for k in range(n_labels):
        factor[k], score[k] = 1.0 + 2.0 * sums.bias[k], model.label_weight[k] + prior
    i = 0
    while i < n:
        end = i + 1
        while end < n and end < i + CHUNK and page.x[end] == page.x[i]:
            end += 1
        for k in range(n_labels):
            product[k] = 1.0
        for row in range(i, end):
            for k in range(n_labels):
                phi = sums.total[row] + 2.0 * sums.cross[row, k] + factor[k] * page.theta[row, k]
                product[k] *= phi * inverse
        for k in range(n_labels):
            score[k] += page.x[i] * np.log(product[k])
        i = end
    for k in range(n_labels):
        if sums.member[k]:
            score[k] = -np.inf
    return score


@njit(nogil=True)
def best_label(score: np.ndarray) -> int:
    """Return the index of the highest of L scores, the smallest index of a tie; -1 if all are -inf."""
    best = -1
    for k in range(len(score)):
        if score[k] > -np.inf and (best < 0 or better(score[k], score[best])):
            best = k
    return best


@njit(nogil=True)
def greedy(page: Page, model: Parameters, visited: np.ndarray, added: np.ndarray) -> int:
    """Add the label that increases the score most until no label increases it; return the number of labels.

    Row t of ``visited``, float64 (L, L), is overwritten by the scores of the sets tried at step t; ``added``, int64
    (L,), by the labels in the order of their choice.
    """
    sums = empty_set(page)
    reached = -np.inf
    for size in range(len(added)):
        copy_into(visited[size], extension_scores(page, model, sums))
        label = best_label(visited[size])
        if not better(visited[size, label], reached):
            return size
        reached = visited[size, label]
        added[size] = label
        add_label(page, model.alpha, sums, label)
    return len(added)


@njit(nogil=True)
def visited_marginals(visited: np.ndarray, added: np.ndarray, size: int, marginal: np.ndarray) -> None:
    """Write the labels' probabilities (L,) under the posterior restricted to the sets that `greedy` tried.

    ``size`` is the number of labels that `greedy` returned.
    """
    steps = min(size + 1, len(added))
    n_labels = len(marginal)
    top = -np.inf
    for step in range(steps):
        for k in range(n_labels):
            top = max(top, visited[step, k])
    total = 0.0
    for k in range(n_labels):
        marginal[k] = 0.0
    for step in range(steps):
        own = 0.0
        for k in range(n_labels):
            share = np.exp(visited[step, k] - top)
            marginal[k] += share
            own += share
            total += share
        for place in range(step):
            marginal[added[place]] += own
    for k in range(n_labels):
        marginal[k] /= total


@njit(nogil=True)
def _best_entry(scores: np.ndarray) -> tuple[int, int]:
    """Return row and column of the highest score, the first of a tie; (-1, -1) if all are -inf."""
    row = -1
    column = -1
    for b in range(len(scores)):
        k = best_label(scores[b])
        if k >= 0 and (row < 0 or better(scores[b, k], scores[row, column])):
            row = b
            column = k
    return row, column


@njit(nogil=True)
def _next_layer(layer: np.ndarray, scores: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the best distinct sets that have one label more than the sets of a layer."""
    chosen = np.zeros((width, layer.shape[1]), dtype=np.bool_)
    reached = np.empty(width)
    filled = 0
    while filled < width:
        row, column = _best_entry(scores)
        if row < 0:
            break
        copy_into(chosen[filled], layer[row])
        chosen[filled, column] = True
        reached[filled] = scores[row, column]
        scores[row, column] = -np.inf
        fresh = True
        for earlier in chosen[:filled]:
            fresh = fresh and not np.all(earlier == chosen[filled])
        filled += fresh
    return chosen[:filled], reached[:filled]


@njit(nogil=True)
def beam(page: Page, model: Parameters, width: int) -> np.ndarray:
    """Extend the ``width`` best sets of each size by one label; return the best set of all sizes, bool (L,).

    A set is extended only by labels that increase its own score, so a beam of width 1 is `greedy`.
    """
    n_labels = len(model.alpha)
    layer = np.zeros((1, n_labels), dtype=np.bool_)
    reached = np.full(1, -np.inf)
    best = layer[0]
    best_score = -np.inf
    while len(layer) > 0:
        if better(reached[0], best_score):
            best = layer[0]
            best_score = reached[0]
        scores = np.empty((len(layer), n_labels))
        for b in range(len(layer)):
            copy_into(scores[b], extension_scores(page, model, sums_of(page, model.alpha, layer[b])))
            for k in range(n_labels):
                if not better(scores[b, k], reached[b]):
                    scores[b, k] = -np.inf
        layer, reached = _next_layer(layer, scores, width)
    return best


@njit(nogil=True)
def flip(page: Page, model: Parameters, member: np.ndarray) -> None:
    """Add, remove or swap one label, whichever increases the score most, until none does.

    ``member``, bool (L,), is the label set to start from, not empty; changed in place.
    """
    n_labels = len(member)
    reached = set_score(page, model, member)
    improved = True
    while improved:
        improved = False
        best = member.copy()
        for removed in range(-1, n_labels):
            if removed >= 0 and not member[removed]:
                continue
            base = member.copy()
            if removed >= 0:
                base[removed] = False
            if removed >= 0 and base.any() and better(set_score(page, model, base), reached):
                reached = set_score(page, model, base)
                best = base.copy()
                improved = True
            scores = extension_scores(page, model, sums_of(page, model.alpha, base))
            label = best_label(scores)
            if label >= 0 and label != removed and better(scores[label], reached):
                reached = scores[label]
                improved = True
                best = base
                best[label] = True
        copy_into(member, best)


@njit(nogil=True)
def exact(page: Page, model: Parameters, marginal: np.ndarray) -> np.ndarray:
    """Return the best of all 2^L - 1 label sets that are not empty, bool (L,).

    ``marginal``, float64 (L,), is overwritten by the posterior probabilities of the labels.
    """
    n_labels = len(model.alpha)
    scores = np.full(1 << n_labels, -np.inf)
    member = np.zeros(n_labels, dtype=np.bool_)
    best = 1
    for code in range(1, len(scores)):
        for k in range(n_labels):
            member[k] = (code >> k) & 1
        scores[code] = set_score(page, model, member)
        if better(scores[code], scores[best]):
            best = code
    share = np.exp(scores - scores.max())
    marginal[:] = 0.0
    for code in range(1, len(scores)):
        for k in range(n_labels):
            if (code >> k) & 1:
                marginal[k] += share[code]
    marginal /= share.sum()
    for k in range(n_labels):
        member[k] = (best >> k) & 1
    return member


@njit(nogil=True)
def set_scores(pages: Pages, model: Parameters, member: np.ndarray) -> np.ndarray:
    """Return `set_score` of every page with its label set, bool (N, L), as float64 (N,); -inf for an empty set."""
    score = np.full(len(member), -np.inf)
    for d in range(len(member)):
        if member[d].any():
            score[d] = set_score(open_page(pages, d, model.theta), model, member[d])
    return score


# The searches over all pages return label sets, bool (N, L), and the labels' probabilities, float64 (N, L).  Each is
# compiled when it is first used, for together they take thrice the time of one.


@njit(nogil=True)
def predict_greedily(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the label sets of pages by `greedy`, and the marginals of the sets that it visits."""
    n = len(pages.indptr) - 1
    n_labels = len(model.alpha)
    member = np.zeros((n, n_labels), dtype=np.bool_)
    marginal = np.zeros((n, n_labels))
    visited = np.empty((n_labels, n_labels))
    added = np.empty(n_labels, dtype=np.int64)
    for d in range(n):
        size = greedy(open_page(pages, d, model.theta), model, visited, added)
        visited_marginals(visited, added, size, marginal[d])
        for place in range(size):
            member[d, added[place]] = True
    return member, marginal


@njit(nogil=True)
def predict_by_beam(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the label sets of pages by `beam`, and the marginals of `predict_greedily`."""
    member, marginal = predict_greedily(pages, model, width)
    for d in range(len(member)):
        copy_into(member[d], beam(open_page(pages, d, model.theta), model, width))
    return member, marginal


@njit(nogil=True)
def predict_by_flips(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the label sets of pages by `flip` from `greedy`, and the marginals of `predict_greedily`."""
    member, marginal = predict_greedily(pages, model, width)
    for d in range(len(member)):
        flip(open_page(pages, d, model.theta), model, member[d])
    return member, marginal


@njit(nogil=True)
def predict_exactly(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the label sets of pages by `exact`, and their marginals over all label sets."""
    n = len(pages.indptr) - 1
    n_labels = len(model.alpha)
    member = np.zeros((n, n_labels), dtype=np.bool_)
    marginal = np.zeros((n, n_labels))
    for d in range(n):
        copy_into(member[d], exact(open_page(pages, d, model.theta), model, marginal[d]))
    return member, marginal
