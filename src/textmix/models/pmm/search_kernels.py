"""The searches for label sets over all pages: greedy, by a beam, by flips, or over all sets.

Each search is compiled when it is first used, for together they take thrice the time of one.
"""

from __future__ import annotations

import numpy as np

from textmix.models.pmm.prediction_kernels import (
    Pages,
    Parameters,
    beam,
    exact,
    flip,
    greedy,
    open_page,
    visited_marginals,
)
from textmix.numerics.basic_kernels import copy_into
from textmix.numerics.jit import njit

#: The searches of `predict`.
GREEDY, BEAM, FLIP, EXACT = 0, 1, 2, 3


@njit(nogil=True)
def _predict_greedily(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    n, n_labels = len(pages.indptr) - 1, len(model.alpha)
    member, marginal = np.zeros((n, n_labels), dtype=np.bool_), np.zeros((n, n_labels))
    visited, added = np.empty((n_labels, n_labels)), np.empty(n_labels, dtype=np.int64)
    for d in range(n):
        size = greedy(open_page(pages, d, model.theta), model, visited, added)
        visited_marginals(visited, added, size, marginal[d])
        for place in range(size):
            member[d, added[place]] = True
    return member, marginal


@njit(nogil=True)
def _predict_by_beam(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    member, marginal = _predict_greedily(pages, model, width)
    for d in range(len(member)):
        copy_into(member[d], beam(open_page(pages, d, model.theta), model, width))
    return member, marginal


@njit(nogil=True)
def _predict_by_flips(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    member, marginal = _predict_greedily(pages, model, width)
    for d in range(len(member)):
        flip(open_page(pages, d, model.theta), model, member[d])
    return member, marginal


@njit(nogil=True)
def _predict_exactly(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    n, n_labels = len(pages.indptr) - 1, len(model.alpha)
    member, marginal = np.zeros((n, n_labels), dtype=np.bool_), np.zeros((n, n_labels))
    for d in range(n):
        copy_into(member[d], exact(open_page(pages, d, model.theta), model, marginal[d]))
    return member, marginal


#: Search -> its kernel.
_SEARCHES = {
    GREEDY: _predict_greedily,
    BEAM: _predict_by_beam,
    FLIP: _predict_by_flips,
    EXACT: _predict_exactly,
}


def predict(pages: Pages, model: Parameters, search: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the label sets of pages, bool (N, L), and the labels' probabilities, float64 (N, L).

    ``search`` is `GREEDY`, `BEAM`, `FLIP` (after greedy) or `EXACT`; it is compiled, and no other.  The probabilities
    are those of `exact`, else of `visited_marginals`.
    """
    found: tuple[np.ndarray, np.ndarray] = _SEARCHES[search](pages, model, width)
    return found
