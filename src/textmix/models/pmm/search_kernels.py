"""The searches for label sets over all pages: greedy, by a beam, by flips, or over all sets.

Each search is compiled when it is first used, for together they take thrice the time of one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from textmix.models.pmm.prediction_kernels import (
    Page,
    Pages,
    Parameters,
    beam,
    exact,
    flip,
    greedy,
    open_page,
    visited_marginals,
)
from textmix.numerics.copy_kernels import copy_into
from textmix.numerics.jit import njit

#: The searches of `predict`.
GREEDY, BEAM, FLIP, EXACT = 0, 1, 2, 3


@njit(nogil=True)
def as_found(page: Page, model: Parameters, member: np.ndarray, width: int) -> None:
    """Leave the label set that `greedy` found, bool (L,)."""


@njit(nogil=True)
def by_beam(page: Page, model: Parameters, member: np.ndarray, width: int) -> None:
    """Set the label set, bool (L,), to that of `beam`."""
    copy_into(member, beam(page, model, width))


@njit(nogil=True)
def by_flip(page: Page, model: Parameters, member: np.ndarray, width: int) -> None:
    """Improve the label set, bool (L,), by `flip`."""
    flip(page, model, member)


def _predicting(improve: Any) -> Any:
    """Return a kernel that does as `predict`; ``improve`` is `as_found`, `by_beam` or `by_flip`.

    A kernel with a function among its arguments would take milliseconds a call, to find out that it is the same one.
    """

    @njit(nogil=True)
    def predict_from_greedy(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Do as `predict`."""
        n, n_labels = len(pages.indptr) - 1, len(model.alpha)
        member, marginal = np.zeros((n, n_labels), dtype=np.bool_), np.zeros((n, n_labels))
        visited, added = np.empty((n_labels, n_labels)), np.empty(n_labels, dtype=np.int64)
        for d in range(n):
            page = open_page(pages, d, model.theta)
            size = greedy(page, model, visited, added)
            visited_marginals(visited, added, size, marginal[d])
            for place in range(size):
                member[d, added[place]] = True
            improve(page, model, member[d], width)
        return member, marginal

    return predict_from_greedy


@njit(nogil=True)
def _predict_exactly(pages: Pages, model: Parameters, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Do as `predict` with the search `EXACT`."""
    n, n_labels = len(pages.indptr) - 1, len(model.alpha)
    member, marginal = np.zeros((n, n_labels), dtype=np.bool_), np.zeros((n, n_labels))
    for d in range(n):
        copy_into(member[d], exact(open_page(pages, d, model.theta), model, marginal[d]))
    return member, marginal


#: Search -> its kernel.
_SEARCHES = {
    GREEDY: _predicting(as_found),
    BEAM: _predicting(by_beam),
    FLIP: _predicting(by_flip),
    EXACT: _predict_exactly,
}


def predict(pages: Pages, model: Parameters, search: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Predict the label sets of pages; the search in use is compiled, and no other.

    Parameters
    ----------
    pages, model : counts, and parameters and prior.
    search : `GREEDY`, `BEAM`, `FLIP` (after greedy) or `EXACT`.
    width : width of the beam.

    Returns
    -------
    member : bool (N, L), the label sets.
    marginal : float64 (N, L), the labels' probabilities (`exact`, else `visited_marginals`).
    """
    found: tuple[np.ndarray, np.ndarray] = _SEARCHES[search](pages, model, width)
    return found
