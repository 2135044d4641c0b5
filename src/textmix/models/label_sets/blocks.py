"""A batch in blocks of instances: predictors of many instances over many label sets never stand in memory at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from textmix.models.linear.problems import BatchProblem

#: Most predictors (instances times label sets) of a block: 256 MB in each of the arrays that a line search keeps.
CELLS = 1 << 25


#: From features (n, V) and the label sets of the instances, int64 (n,), to the problem of these instances.
Make = Callable[[Any, np.ndarray], BatchProblem]


class InBlocks:
    """The sum of problems with the same unknowns and penalty over blocks of instances, as a batch of one problem.

    The predictors of the whole are its unknowns, and each evaluation makes the problem of a block anew, for a problem
    keeps memory for its predictors.  A line search then costs as many products with the features as it tries step
    lengths.

    Parameters
    ----------
    make : see `Make`.
    X, code : features (N, V), and the label set of each instance, int64 (N,).
    size : instances of a block.
    """

    def __init__(self, make: Make, X: Any, code: np.ndarray, size: int) -> None:
        self.make, self.X, self.code, self.size = make, X, code, size
        self.penalty = next(self._parts()).penalty
        curvature = sum(1.0 / part.inverse_diagonal - self.penalty for part in self._parts())
        self.inverse_diagonal = np.asarray(1.0 / (curvature + self.penalty))

    def _parts(self) -> Iterator[BatchProblem]:
        """Yield the problem of each block; its penalty counts once for the whole."""
        for start in range(0, len(self.code), self.size):
            yield self.make(self.X[start : start + self.size], self.code[start : start + self.size])

    def predictors(self, W: np.ndarray) -> np.ndarray:
        """Return a copy of the unknowns (P, 1)."""
        return W.copy()

    def gradient(self, residual: np.ndarray) -> np.ndarray:
        """Return the gradient in the unknowns (P, 1), which `loss_on_line` has computed."""
        return residual

    def loss_on_line(
        self, Z: np.ndarray, D: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `textmix.models.linear.problems.BatchProblem`."""
        total, gradient = np.zeros((3, 1)), np.zeros_like(Z)
        for part in self._parts():
            *found, residual = part.loss_on_line(part.predictors(Z), part.predictors(D), t)
            total += found
            gradient += part.gradient(residual)
        return total[0], total[1], total[2], gradient

    def select(self, problems: np.ndarray) -> InBlocks:
        """See `textmix.models.linear.problems.BatchProblem`."""
        return self


def in_blocks(make: Make, X: Any, code: np.ndarray, n_sets: int, cells: int = CELLS) -> BatchProblem:
    """Return the problem of all instances, in blocks where its predictors are more than ``cells``.

    Parameters
    ----------
    make, X, code : see `InBlocks`.
    n_sets : number of label sets S.
    cells : most predictors of a block.
    """
    size = max(1, cells // n_sets)
    return make(X, code) if len(code) <= size else InBlocks(make, X, code, size)
