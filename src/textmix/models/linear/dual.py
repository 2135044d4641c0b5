"""One-vs-rest support vector machines by dual coordinate descent on all machines simultaneously."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from textmix.models.linear.machine_kernels import sweep, sweep_one
from textmix.models.linear.solvers import PRECISION, minimise_function
from textmix.numerics.seeding import rng

#: Number of sweeps between two evaluations of the duality gap, each as expensive as half a sweep.
EVERY = 4
#: The same for blocked training, where an evaluation additionally reads all blocks.
EVERY_OF_BLOCKS = 2
#: Maximum number of machines per sweep: their weights of one feature fill two cache lines.
TOGETHER = 16


@dataclass
class Machines:
    """Fitted machines with their dual solution, from which a fit with another ``C`` can be warm-started.

    Parameters
    ----------
    alpha : array-like of shape (N, K)
        Nonnegative dual variable of each document and machine.
    weights : array-like of shape (V + 1, K)
        Weights of the features, with the biases in the last row.
    gap : float, default=np.inf
        Largest duality gap of a group of machines, as a fraction of its objective.
    n_iter : int, default=0
        Maximum number of sweeps and iterations over the groups.
    converged : bool, default=True
        Whether the gap meets the tolerance.
    finished : bool, default=False
        Whether the weights come from L-BFGS, so that alpha determines them only approximately and must not be used as a
        warm start.
    """

    alpha: np.ndarray
    weights: np.ndarray
    gap: float = np.inf
    n_iter: int = 0
    converged: bool = True
    finished: bool = False


def fit_machines(
    X: sparse.csr_array,
    signs: np.ndarray,
    C: float,
    *,
    tol: float,
    max_iter: int,
    start: Machines | None = None,
    intercept: bool = True,
    importance: np.ndarray | None = None,
) -> Machines:
    """Fit K machines; each minimises |w|^2 / 2 + C sum_i max(0, 1 - y_i w x_i)^2, where x_i ends with a 1.

    The objective is the same as in scikit-learn's ``LinearSVC``. Each sweep visits the documents in a random order with
    a fixed seed. On badly scaled features sweeps converge slowly; the solution is then refined by L-BFGS.

    Parameters
    ----------
    X : csr_array of shape (N, V)
        Features.
    signs : ndarray of shape (N, K), int8
        Labels 1 and -1 of each machine.
    C : float
        Weight of the losses.
    tol : float
        Maximum duality gap of a group of machines (`TOGETHER`), as a fraction of its objective.
    max_iter : int
        Maximum number of sweeps, and maximum number of L-BFGS iterations.
    start : Machines, default=None
        Machines fitted to the same documents and signs with another ``C``.
    intercept : bool, default=True
        Whether to fit intercepts.
    importance : ndarray of shape (N, K), default=None
        Positive factor of the loss of each document in each machine; None for 1.

    Returns
    -------
    machines : Machines
    """
    n_machines = signs.shape[1]
    fitted = Machines(np.empty(signs.shape), np.empty((X.shape[1] + 1, n_machines)), gap=0.0)
    if start is None:
        start = Machines(np.zeros(signs.shape), np.zeros((X.shape[1] + 1, n_machines)))
    squares = _squares(X, intercept)
    for group in _groups(n_machines):
        factors = None if importance is None else np.ascontiguousarray(importance[:, group])
        descent = Descent(
            X,
            squares,
            np.ascontiguousarray(signs[:, group]),
            C,
            intercept,
            alpha=start.alpha[:, group],
            weights=start.weights[:, group],
            importance=factors,
        )
        n_iter, gap = descent.run(tol, max_iter)
        if gap > tol:
            n_steps, gap = descent.finish(max_iter)
            n_iter += n_steps
            fitted.finished = True
        fitted.alpha[:, group] = descent.alpha
        fitted.weights[:, group] = descent.weights
        fitted.gap = max(fitted.gap, gap)
        fitted.n_iter = max(fitted.n_iter, n_iter)
    fitted.converged = fitted.gap <= tol
    return fitted


class Descent:
    """Dual problem of a few machines, see `fit_machines`, with a copy of the solution ``alpha`` and ``weights``.

    ``squares``, float64 (N,), is |x_i|^2 including the square of the appended 1.  ``importance``, float64 (N, K), are
    the factors of the losses, or None for 1.
    """

    def __init__(
        self,
        X: sparse.csr_array,
        squares: np.ndarray,
        signs: np.ndarray,
        C: float,
        intercept: bool,
        *,
        alpha: np.ndarray,
        weights: np.ndarray,
        importance: np.ndarray | None = None,
    ) -> None:
        self.X = X
        self.squares = squares
        self.signs = signs
        self.C = C
        self.intercept = intercept
        self.importance = importance
        self.alpha = alpha.copy()
        self.weights = weights.copy()
        factors = np.ones((1, signs.shape[1])) if importance is None else importance
        self.ridges = 0.5 / C / factors
        self.active = np.arange(len(signs))

    def run(self, tol: float, max_iter: int) -> tuple[int, float]:
        """Sweep until the gap meets the tolerance; return the number of sweeps and the gap.

        With one machine, the sweeps after each evaluation of the gap leave out the documents with zero loss and alpha,
        which they would rarely change (shrinking, section 3.2 of Hsieh et al.).  With several machines, few documents
        could be left out.
        """
        generator = rng(0, "machines")
        n_iter = 0
        gap = np.inf
        while gap > tol and n_iter < max_iter:
            times = min(EVERY, max_iter - n_iter)
            self.sweep(generator, times)
            n_iter += times
            losses = hinge_losses(self.X, self.signs, self.weights)
            gap = duality_gap(self.weights, self.C, gap_sums(losses, self.alpha, self.importance))
            if self.signs.shape[1] == 1:
                self.active = np.flatnonzero((losses > 0.0) | (self.alpha > 0.0))
        return n_iter, gap

    def finish(self, max_iter: int) -> tuple[int, float]:
        """Refine by L-BFGS on weights scaled by the objective's second derivatives; return iterations and gap."""
        X = self.X
        signs = self.signs
        C = self.C
        curvature = np.append(np.asarray(X.multiply(X).sum(axis=0)).ravel(), float(len(signs)))
        scale = 1.0 / np.sqrt(1.0 + 2.0 * C * curvature)[:, np.newaxis]
        if not self.intercept:
            scale[-1] = 0.0

        def scaled(unknowns: np.ndarray) -> tuple[float, np.ndarray]:
            """Compute the sum of the machines' objectives and its gradient in the scaled weights."""
            W = scale * unknowns.reshape(self.weights.shape)
            losses = hinge_losses(X, signs, W)
            weighted = losses if self.importance is None else self.importance * losses
            pull = signs * weighted
            gradient = W - 2.0 * C * np.vstack([X.T @ pull, pull.sum(axis=0)])
            total_loss = float(np.sum(losses**2 if self.importance is None else weighted * losses))
            return float(np.sum(W**2)) / 2.0 + C * total_loss, (scale * gradient).ravel()

        start = self.weights / np.where(scale > 0.0, scale, 1.0)
        solution = minimise_function(scaled, start.ravel(), max_iter, PRECISION)
        self.weights = scale * solution.unknowns.reshape(self.weights.shape)
        losses = hinge_losses(X, signs, self.weights)
        self.alpha = 2.0 * C * losses
        if self.importance is not None:
            self.alpha *= self.importance
        pull = signs * self.alpha
        dual_weights = np.vstack([X.T @ pull, float(self.intercept) * pull.sum(axis=0)])
        sums = gap_sums(losses, self.alpha, self.importance)
        return solution.n_iter, duality_gap(self.weights, C, sums, dual_weights)

    def sweep(self, generator: np.random.Generator, times: int) -> None:
        """Sweep over the active documents ``times`` times, each time in a new random order."""
        X = self.X
        for _ in range(times):
            order = generator.permutation(self.active)
            rows = (X.indptr, X.indices, X.data, order, self.squares)
            machines = (self.signs, self.ridges, self.alpha, self.weights)
            if self.signs.shape[1] == 1:
                sweep_one(*rows, *(array[:, 0] for array in machines), self.intercept)
            else:
                sweep(*rows, *machines, self.intercept)


def hinge_losses(X: sparse.csr_array, signs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute max(0, 1 - y_i w_k x_i), float64 (N, K); the last row of ``weights`` contains the biases."""
    return np.maximum(0.0, 1.0 - signs * (X @ weights[:-1] + weights[-1]))


def gap_sums(losses: np.ndarray, alpha: np.ndarray, importance: np.ndarray | None = None) -> np.ndarray:
    """Compute the sums over documents and machines of squared losses, of alpha and of its squares, float64 (3,).

    ``losses`` are those of `hinge_losses`.  With ``importance``, the squared losses are multiplied by these factors and
    squares of alpha divided by them.
    """
    squared_losses = losses**2
    squared_alpha = alpha**2
    if importance is not None:
        squared_losses *= importance
        squared_alpha /= importance
    return np.array([np.sum(squared_losses), alpha.sum(), np.sum(squared_alpha)])


def duality_gap(weights: np.ndarray, C: float, sums: np.ndarray, dual_weights: np.ndarray | None = None) -> float:
    """Compute the duality gap as a fraction of the objective, both summed over the machines.

    ``sums`` are the sums over all documents, see `gap_sums`; ``dual_weights`` are the weights determined by alpha, if
    they differ from ``weights``.
    """
    losses, alpha, squares = sums.tolist()
    square = dual_square = float(np.sum(weights**2)) / 2.0
    if dual_weights is not None:
        dual_square = float(np.sum(dual_weights**2)) / 2.0
    objective = square + C * losses
    dual = alpha - dual_square - squares / (4.0 * C)
    return (objective - dual) / objective


def machines_of_blocks(
    read: Callable[[], Iterable[tuple[sparse.csr_array, np.ndarray]]],
    C: float,
    *,
    tol: float,
    max_iter: int,
    intercept: bool = True,
) -> Machines:
    """Fit the machines of `fit_machines` to documents that are read block by block; alpha is empty in the result.

    Source: H.-F. Yu, C.-J. Hsieh, K.-W. Chang and C.-J. Lin, KDD 2010 (block minimisation of the dual problem). Each
    block is swept once per reading, since more sweeps would fit the weights to one block before the next one is read.
    After `EVERY_OF_BLOCKS` sweeps an additional pass over all blocks computes the duality gap.
    """
    alphas = list[np.ndarray]()
    weights = np.empty((0, 0))
    generator = rng(0, "machines")
    n_iter = 0
    gap = np.inf
    while gap > tol and n_iter < max_iter:
        for number, (X, signs) in enumerate(read()):
            if number == len(alphas):
                alphas.append(np.zeros(signs.shape))
            if not weights.size:
                weights = np.zeros((X.shape[1] + 1, signs.shape[1]))
            squares = _squares(X, intercept)
            for group in _groups(signs.shape[1]):
                solution = {"alpha": alphas[number][:, group], "weights": weights[:, group]}
                descent = Descent(X, squares, np.ascontiguousarray(signs[:, group]), C, intercept, **solution)
                descent.sweep(generator, 1)
                alphas[number][:, group], weights[:, group] = descent.alpha, descent.weights
        if not alphas:
            raise ValueError("blocks is empty; pass at least one block")
        n_iter += 1
        if n_iter % EVERY_OF_BLOCKS and n_iter < max_iter:
            continue
        groups = _groups(weights.shape[1])
        sums = np.zeros((len(groups), 3))
        for alpha, (X, signs) in zip(alphas, read(), strict=True):
            sums += [gap_sums(hinge_losses(X, signs[:, group], weights[:, group]), alpha[:, group]) for group in groups]
        gap = max(duality_gap(weights[:, group], C, part) for group, part in zip(groups, sums, strict=True))
    return Machines(np.empty((0, weights.shape[1])), weights, gap, n_iter, gap <= tol)


def _squares(X: sparse.csr_array, intercept: bool) -> np.ndarray:
    """Compute |x_i|^2, float64 (N,), where x_i ends with a 1 if an intercept is fitted."""
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() + float(intercept)


def _groups(n_machines: int) -> list[slice]:
    """Divide the machines into groups that are swept together."""
    return [slice(first, min(first + TOGETHER, n_machines)) for first in range(0, n_machines, TOGETHER)]


def signs_of(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Convert class codes (N,) to signs (N, K), one column per class, or a single column for two classes."""
    names = np.arange(1 if n_classes == 2 else 0, n_classes)
    return np.where(codes[:, np.newaxis] == names, 1, -1).astype(np.int8)
