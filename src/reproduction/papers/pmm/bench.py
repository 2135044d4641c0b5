"""Bench: training and prediction of Parametric Mixture Models beside SciPy and beside the memory's own speed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.bench.roofline import Work, reading
from reproduction.bench.timing import compare, judge
from textmix.models.pmm.estimator import PMM1
from textmix.models.pmm.training import EMRun, SetCounts, gather

#: Bytes of the buffer that is streamed through, far above any cache.
BUFFER = 2**28
#: EM iterations in one timing: as in training, each finds in the cache the arrays of the iteration before.
STEPS = 10


PRODUCTS, GATHERED = "SciPy products", "SciPy gathered"
COPY, COPY_LAYOUT = "copy of the bytes touched", "copy of the plan and theta"
AFRESH = "SciPy, every set afresh"


def bench_pmm(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 5) -> list[dict[str, Any]]:
    """Time training on 2,000 and prediction of 3,000 pages of one problem, and how training grows.

    Parameters
    ----------
    X, Y : CSR counts (N, V) and label indicators (N, L) of pages, at least one label each; where there
        are fewer than 5,000 pages, the same shares of them.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`.
    """
    order = np.random.default_rng(0).permutation(X.shape[0])
    used = min(len(order), 5000)
    test, train = np.split(order[:used], [used * 3 // 5])
    model = PMM1().fit(X[train], Y[train])
    return [
        *bench_em_step(X[train], Y[train], repeats),
        *bench_greedy(model, X[test], repeats),
        *bench_scaling(X[order], Y[order], repeats),
    ]


class SciPyEM:
    """PMM1's update (21) and its objective J by SciPy, as the equation is written.

    Parameters
    ----------
    X : CSR counts (N, V).
    Y : CSR label indicators (N, L), each row with a label.
    dense : True: phi is computed by a product for all V words of each page in a block; False: phi is computed only at
        the counts that are not zero, from one row of theta for each.
    block : number of pages in a block.
    """

    def __init__(self, X: sparse.csr_array, Y: sparse.csr_array, dense: bool, block: int = 100) -> None:
        self.X, self.dense, self.block = X.astype(np.float64), dense, block
        self.h = sparse.csr_array(sparse.diags_array(1.0 / Y.sum(axis=1)) @ Y.astype(np.float64))
        self.rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        self.h_rows = self.h.toarray()[self.rows]
        self.theta = np.full((Y.shape[1], X.shape[1]), 1.0 / X.shape[1])

    def _phi(self) -> np.ndarray:
        """Return phi, the probability of a word on its page, at the counts that are not zero, float64 (nnz,)."""
        if not self.dense:
            return np.einsum("ij,ij->i", self.h_rows, self.theta.T[self.X.indices])
        parts, X = [], self.X
        for first in range(0, X.shape[0], self.block):
            entries = slice(X.indptr[first], X.indptr[min(first + self.block, X.shape[0])])
            phi = self.h[first : first + self.block] @ self.theta
            parts.append(phi[self.rows[entries] - first, X.indices[entries]])
        return np.concatenate(parts)

    def step(self) -> float:
        """Return J of the present theta (L, V), in nats, then update theta."""
        phi = self._phi()
        objective = float(self.X.data @ np.log(phi) + np.log(self.theta).sum())
        ratio = sparse.csr_array((self.X.data / phi, self.X.indices, self.X.indptr), shape=self.X.shape)
        expected = self.theta * (self.h.T @ ratio).toarray() + 1.0
        self.theta = expected / expected.sum(axis=1, keepdims=True)
        return objective


class Stream:
    """A call that moves ``moved`` bytes, half of them read and half written, each time in another place of memory."""

    def __init__(self, moved: int) -> None:
        self.words = moved // 16
        # Not np.zeros: the pages must be there before they are timed.
        self.source, self.target = np.ones(BUFFER // 8), np.ones(BUFFER // 8)
        self.place = 0

    def __call__(self) -> None:
        """Copy the next part."""
        if self.place + self.words > len(self.source):
            self.place = 0
        part = slice(self.place, self.place + self.words)
        np.copyto(self.target[part], self.source[part])
        self.place += self.words


def _em_run(X: sparse.csr_array, Y: sparse.csr_array) -> EMRun:
    """Return the start of an EM run of PMM1."""
    n_labels = Y.shape[1]
    training = gather(SetCounts.of(X, Y.toarray().astype(bool), np.ones(X.shape[0])), 1.0)
    return EMRun(training, 2.0, 1.0, np.ones(len(training.word)), np.full((n_labels, n_labels), 0.5))


def _iteration(em: EMRun) -> Callable[[], object]:
    """Return one whole EM iteration as a call that returns J."""

    def run() -> float:
        """Update theta and return J."""
        em.update(learn_alpha=False)
        return em.evaluate()

    return run


def _repeated(step: Callable[[], object]) -> Callable[[], object]:
    """Return a function that calls ``step`` `STEPS` times."""

    def run() -> None:
        """Call ``step`` `STEPS` times."""
        for _ in range(STEPS):
            step()

    return run


def _iterations_to(goal: float, step: Callable[[], float]) -> int:
    """Return the number of steps whose J lies below a goal, before the first that reaches it."""
    count = 0
    while step() < goal:
        count += 1
    return count


def touched_bytes(X: sparse.csr_array, n_labels: int) -> int:
    """Return the bytes that one update must read and write: X (N, V) once, theta (V, L), float64, read and written."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + 2 * 8 * X.shape[1] * n_labels)


def bench_em_step(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 5) -> list[dict[str, Any]]:
    """Time one PMM1 iteration (update and J) beside SciPy's and beside copies of the bytes it must touch.

    The notes say after how many iterations each has the J at which textmix stopped (less its tolerance).

    Parameters
    ----------
    X, Y : CSR counts (N, V) and label indicators (N, L) of the training pages, at least one label each.
    repeats : rounds; in each, every candidate runs `STEPS` times.
    """
    em = _em_run(X, Y)
    path, _ = em.iterate(1e-7, 1000, learn_alpha=False)
    goal = path[-1] - 1e-7 * abs(path[-1])
    steps: dict[str, Callable[[], object]] = {"textmix": _iteration(em)}
    needed = {"textmix": _iterations_to(goal, iter(path).__next__)}
    for name, dense in ((PRODUCTS, True), (GATHERED, False)):
        peer = SciPyEM(X, Y, dense)
        peer.step()  # from uniform distributions to the start of an EM run
        needed[name] = _iterations_to(goal, peer.step)
        steps[name] = peer.step
    layout = sum(array.nbytes for array in em.training.layout) + 2 * em.theta.nbytes
    touched = touched_bytes(X, Y.shape[1])
    steps |= {COPY: Stream(touched), COPY_LAYOUT: Stream(layout)}
    # Pages with the same labels are added up beforehand, so that an iteration may touch less than the pages.
    work = dict.fromkeys(steps, Work(min(touched, layout))) | {COPY: Work(touched), COPY_LAYOUT: Work(layout)}
    rows = compare({name: _repeated(step) for name, step in steps.items()}, repeats)
    for row in rows:
        row["median_seconds"] /= STEPS
        if row["candidate"] in needed:
            row["note"] = f"{needed[row['candidate']]} iterations to the same J"
    beside = [row for row in rows if row["candidate"] not in (PRODUCTS, GATHERED)]
    return [
        *judge("pmm_em_step", [row for row in rows if row["candidate"] in needed], PRODUCTS, {"textmix": 1 / 30}, work),
        *judge("pmm_em_step_memory", beside, COPY, {"textmix": 3.0}, work),
    ]


def scipy_greedy(theta: np.ndarray, X: sparse.csr_array) -> np.ndarray:
    """Predict greedily with PMM1, scoring every candidate set afresh: X (N, V), theta (V, L) to bool (N, L)."""
    member = np.zeros((X.shape[0], theta.shape[1]), dtype=bool)
    for page in range(X.shape[0]):
        row = X[[page]]
        rows = theta[row.indices]

        def score(labels: list[int], rows: np.ndarray = rows, row: sparse.csr_array = row) -> float:
            """Return the log-likelihood of the page with a label set, in nats."""
            return float(row.data @ np.log(rows[:, labels].mean(axis=1)))

        chosen, reached = list[int](), -np.inf
        while len(chosen) < theta.shape[1]:
            scores = {k: score([*chosen, k]) for k in range(theta.shape[1]) if k not in chosen}
            best = max(scores, key=lambda k: scores[k])
            if scores[best] <= reached:
                break
            chosen.append(best)
            reached = scores[best]
        member[page, chosen] = True
    return member


def numpy_greedy(theta: np.ndarray, X: sparse.csr_array) -> np.ndarray:
    """Predict as `scipy_greedy`, with a running sum over the chosen labels, and all candidates in one expression."""
    member = np.zeros((X.shape[0], theta.shape[1]), dtype=bool)
    for page in range(X.shape[0]):
        entries = slice(X.indptr[page], X.indptr[page + 1])
        rows, x = theta[X.indices[entries]], X.data[entries]
        total, reached = np.zeros(len(rows)), -np.inf
        for size in range(1, theta.shape[1] + 1):
            scores = x @ np.log((total[:, None] + rows) / size)
            scores[member[page]] = -np.inf
            best = int(np.argmax(scores))
            if scores[best] <= reached:
                break
            member[page, best], reached = True, scores[best]
            total += rows[:, best]
    return member


def bench_greedy(model: PMM1, X: sparse.csr_array, repeats: int = 5) -> list[dict[str, Any]]:
    """Time prediction of pages beside `scipy_greedy` and `numpy_greedy`.

    Parameters
    ----------
    model : a fitted PMM1 with the greedy search and a uniform prior.
    X : CSR counts (N, V) of the pages.
    repeats : rounds; in each, every candidate runs once.
    """
    theta = np.ascontiguousarray(model.theta_)
    candidates: dict[str, Callable[[], object]] = {
        "textmix": lambda: model.predict(X),
        AFRESH: lambda: scipy_greedy(theta, X),
        "NumPy, incremental": lambda: numpy_greedy(theta, X),
    }
    work = reading(X, operations=2.0 * X.nnz * theta.shape[1])
    return judge("pmm_greedy", compare(candidates, repeats), AFRESH, {"textmix": 1 / 30}, work)


def bench_scaling(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 5) -> list[dict[str, Any]]:
    """Time fits of 20 iterations on a quarter, a half and all of the pages, and with each label split in 2 and in 4.

    There are no targets.

    Parameters
    ----------
    X, Y : CSR counts (N, V) and label indicators (N, L).
    repeats : rounds; in each, every candidate runs once.
    """
    n, generator = X.shape[0], np.random.default_rng(0)
    cases = {f"documents x{k}": (X[: n * k // 4], Y[: n * k // 4]) for k in (1, 2, 4)}
    for k in (2, 4):
        part = generator.integers(k, size=Y.nnz)
        split = sparse.csr_array((Y.data, Y.indices * k + part, Y.indptr), shape=(n, Y.shape[1] * k))
        cases[f"documents x4, labels x{k}"] = (X, split)

    def fit(X: sparse.csr_array, Y: sparse.csr_array) -> Callable[[], object]:
        """Return a call that trains for 20 iterations."""
        return lambda: _em_run(X, Y).iterate(0.0, 20, learn_alpha=False)

    timed = compare({name: fit(*case) for name, case in cases.items()}, repeats)
    return judge("pmm_scaling", timed, "documents x1", {}, {name: reading(*case) for name, case in cases.items()})
