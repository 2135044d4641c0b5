"""The solvers of `textmix.models.linear` that no paper's bench times: elastic net of batches, SMO, SciPy's L-BFGS."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from reproduction.bench.roofline import Work
from reproduction.bench.timing import compare, judge
from textmix.models.linear.function import minimise_function
from textmix.models.linear.label_svm import cost_path
from textmix.models.linear.lbfgs import minimise
from textmix.models.linear.problems import LogisticBatch, features_gradient
from textmix.models.linear.proximal_gradient import minimise_elastic_net

#: Penalty of the L1 and of the squared L2 norm, and the cost of an error of the support vector machine.
L1, L2, COST = 1.0, 1.0, 1.0
#: Decrease of an objective, as a share of it, below which the solvers of smooth problems stop, and most steps.
TOLERANCE, STEPS = 1e-7, 2000


def bench_solvers(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 3) -> list[dict[str, Any]]:
    """Time each solver beside a peer on the labels that some documents have and some lack.

    Parameters
    ----------
    X, Y : features (N, V) and label indicators (N, L), CSR; both are made dense.
    repeats : rounds, at most 3; in each, every candidate runs once.
    """
    features, labels = X.toarray().astype(np.float64), Y.toarray()
    mixed = labels[:, (labels.any(axis=0)) & (~labels.all(axis=0))]
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, FutureWarning):
            warnings.simplefilter("ignore", category)
        return [
            row
            for bench in (bench_elastic_net, bench_machines, bench_smooth)
            for row in bench(features, mixed, min(repeats, 3))
        ]


def _judged(bench: str, candidates: dict[str, Callable[[], float]], repeats: int, work: Work) -> list[dict[str, Any]]:
    """Return the judged rows of candidates, each with the value that it reaches.

    The first one is to take at most the time of the last one.
    """
    rows = [row | {"note": f"reaches {candidates[row['candidate']]():.6f}"} for row in compare(candidates, repeats)]
    return judge(bench, rows, list(candidates)[-1], {next(iter(candidates)): 1.0}, work)


def _gradient(X: np.ndarray, Y: np.ndarray) -> Work:
    """Return the work of one gradient of the losses of all labels: scores, and the product with the residuals."""
    return Work(float(X.nbytes), 4.0 * X.size * Y.shape[1])


def bench_elastic_net(X: np.ndarray, Y: np.ndarray, repeats: int = 1) -> list[dict[str, Any]]:
    """Time logistic regressions with both penalties as one batch, and by scikit-learn's saga, one label at a time.

    The notes hold the sum of the objectives that are reached.
    """
    batch = LogisticBatch(X, Y, np.ones(len(Y)), 1.0 / L2)
    l1 = np.append(np.full(X.shape[1], L1), 0.0)[:, np.newaxis]

    def ours() -> float:
        """Return the sum of the objectives of the batch."""
        start = np.zeros((X.shape[1] + 1, Y.shape[1]))
        return minimise_elastic_net(batch, start, l1, STEPS, TOLERANCE).total_objective

    def saga() -> float:
        """Return the sum of the objectives of scikit-learn's models."""
        model = LogisticRegression(
            solver="saga", penalty="elasticnet", C=1 / (L1 + L2), l1_ratio=L1 / (L1 + L2), max_iter=STEPS
        )
        W = np.empty((X.shape[1] + 1, Y.shape[1]))
        for label, y in enumerate(Y.T):
            model.fit(X, y)
            W[:-1, label], W[-1, label] = model.coef_.ravel(), model.intercept_[0]
        nothing = np.zeros_like(Y, dtype=np.float64)
        loss = batch.loss_on_line(batch.predictors(W), nothing, np.zeros(Y.shape[1]))[0].sum()
        return float(loss + (batch.penalty * W**2).sum() / 2 + (l1 * np.abs(W)).sum())

    return _judged("elastic net of a batch", {"textmix": ours, "saga": saga}, repeats, _gradient(X, Y))


def bench_machines(X: np.ndarray, Y: np.ndarray, repeats: int = 1) -> list[dict[str, Any]]:
    """Time linear support vector machines in their dual form, and LIBSVM's, both to a KKT violation of 0.001.

    The inner products are given to both.  The notes hold the sum of the dual objectives.
    """
    gram = X @ X.T
    signs = 2.0 * Y.T - 1.0

    def dual(beta: np.ndarray, sign: np.ndarray) -> float:
        """Return the dual objective of one machine."""
        return float(sign @ beta - beta @ gram @ beta / 2)

    def ours() -> float:
        """Return the sum of the dual objectives of our machines."""
        machines = [next(cost_path(gram, sign, [COST], 1.0, tol=1e-3, max_iter=10**7)) for sign in signs]
        return sum(dual(machine.beta, sign) for machine, sign in zip(machines, signs, strict=True))

    def libsvm() -> float:
        """Return the sum of the dual objectives of LIBSVM's machines."""
        total = 0.0
        for sign in signs:
            machine = SVC(kernel="precomputed", C=COST, tol=1e-3).fit(gram, sign)
            beta = np.zeros(len(sign))
            beta[machine.support_] = machine.dual_coef_.ravel()
            total += dual(beta, sign)
        return total

    # The dual objective of each machine reads the inner products once.
    work = Work(float(gram.nbytes) * len(signs), 2.0 * gram.size * len(signs))
    return _judged("support vector machines", {"textmix": ours, "LIBSVM": libsvm}, repeats, work)


def bench_smooth(X: np.ndarray, Y: np.ndarray, repeats: int = 1) -> list[dict[str, Any]]:
    """Time logistic regressions by our L-BFGS, all labels side by side, and by SciPy's, one label at a time.

    SciPy's takes an objective of any form; ours needs a line on which the loss is cheap.
    """
    batch = LogisticBatch(X, Y, np.ones(len(Y)), 1.0 / L2)

    def ours() -> float:
        """Return the sum of the objectives of the batch."""
        return minimise(batch, np.zeros((X.shape[1] + 1, Y.shape[1])), STEPS, 1e-5).total_objective

    def objective(problem: LogisticBatch, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the objective and the gradient (V + 1,) of a batch of one problem."""
        W = w[:, np.newaxis]
        z = problem.predictors(W)
        loss, *_, residual = problem.loss_on_line(z, np.zeros_like(z), np.zeros(1))
        gradient = features_gradient(X, residual) + problem.penalty * W
        return float(loss[0] + (problem.penalty * W**2).sum() / 2), gradient.ravel()

    def scipys() -> float:
        """Return the sum of the objectives of SciPy's fits."""
        total = 0.0
        for label in range(Y.shape[1]):
            problem = functools.partial(objective, batch.select(np.array([label])))
            total += minimise_function(problem, np.zeros(X.shape[1] + 1), STEPS, 1e-9).total_objective
        return total

    candidates = {"textmix, side by side": ours, "SciPy, one by one": scipys}
    return _judged("smooth batch", candidates, repeats, _gradient(X, Y))
