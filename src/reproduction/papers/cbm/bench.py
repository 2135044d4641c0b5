"""Bench of Conditional Bernoulli Mixtures: an M step against scikit-learn, the exact search against Python's heap."""

from __future__ import annotations

import heapq
import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from reproduction.bench.roofline import Work, bytes_of, reading, with_limits
from reproduction.bench.timing import COLUMNS, compare, is_quick, judge, judge_memory, peak_mib
from textmix.models.cbm import mixture_kernels
from textmix.models.cbm.estimator import bernoulli_mixture
from textmix.models.cbm.learners import LogisticExperts, MStep
from textmix.models.linear.loss_kernels import set_log_likelihood

PEER = "K x L sklearn LogisticRegression"
HEAP = "Python heap"
#: Components of a quick bench.
FEW_COMPONENTS = 4


def bench_dense(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 3) -> list[dict[str, Any]]:
    """Time an M step on dense features; it is to take at most a tenth of the peer's time.

    Parameters
    ----------
    X, Y : features (N, V) and label indicators (N, L), CSR; both are made dense.
    repeats : rounds; in each, every candidate runs once.
    """
    return bench_m_step(X.toarray(), Y.toarray(), 1.0, target=1.0 / 10.0, repeats=repeats)


def bench_sparse(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 3) -> list[dict[str, Any]]:
    """Time an M step on sparse features; it is to take at most a fifth of the peer's time, and 4 GiB of memory.

    Parameters
    ----------
    X, Y : features (N, V) and label indicators (N, L), CSR; the labels are made dense.
    repeats : rounds, at most 3; in each, every candidate runs once.
    """
    labels = Y.toarray()
    rows = bench_m_step(X, labels, 10.0, target=1.0 / 5.0, repeats=min(repeats, 3))
    memory = memory_of_m_step(X, labels, 10.0)
    step = {"candidate": "batched", "median_seconds": rows[0]["median_seconds"], "peak_mib": memory}
    return rows + judge_memory("m_step", [step], "4 GiB", 4096.0, {"batched": 1.0})


def bench_mixture(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 3) -> list[dict[str, Any]]:
    """Run `bench_dense` on X and Y, and `bench_search` and `bench_scaling` on random problems."""
    return [*bench_dense(X, Y, repeats), *bench_search(repeats=repeats), *bench_scaling(repeats=repeats)]


def bench_m_step(
    X: Any, Y: np.ndarray, variance: float, *, target: float, n_components: int = 20, repeats: int = 1
) -> list[dict[str, Any]]:
    """Time the experts' M step from zero against one scikit-learn fit a component and label, at equal objective.

    Memberships come from a Bernoulli mixture of the label sets.  The peer fits every label on all instances, weighted
    by their memberships, unless all instances have the label or none has it.  A third candidate is the same peer on the
    instances and labels that our M step trains on; it has no target.

    Parameters
    ----------
    X, Y : training features (N, V) and label indicators (N, L).
    variance : variance of the normal prior of the weights.
    target : largest ratio of our time to the peer's.
    n_components : K.
    repeats : rounds of our M step; each peer runs once.  In a quick bench there are `FEW_COMPONENTS` components.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; the note gives both objectives, in nats.
    """
    n_components = min(n_components, FEW_COMPONENTS) if is_quick(repeats) else n_components
    memberships = bernoulli_mixture(Y, n_components, 3, np.random.default_rng(0))
    memberships[memberships < 1e-5] = 0.0
    wanted, sparing, few = _peer(X, Y, memberships, variance, 1e-5)
    _, seconds, fits = _peer(X, Y, memberships, variance, -1.0)  # a negative floor leaves nothing out
    tol = 1e-3
    experts = _step(X, Y, memberships, variance, (2000, tol))
    while _objective(experts, memberships) > wanted * (1.0 + 1e-4) and tol > 1e-9:
        tol /= 3.0
        experts = _step(X, Y, memberships, variance, (2000, tol))
    rows = compare({"batched": lambda: _step(X, Y, memberships, variance, (2000, tol))}, repeats)
    rows.append({"candidate": PEER, "median_seconds": seconds, "peak_mib": None})
    rows.append({"candidate": "sklearn, our instances and labels only", "median_seconds": sparing, "peak_mib": None})
    first = _gradient(experts, memberships)
    each = Work(bytes_of(X), 4.0 * fits * (X.nnz if sparse.issparse(X) else X.size))
    judged = judge(
        "m_step", rows, PEER, {"batched": target}, dict.fromkeys([r["candidate"] for r in rows], first) | {PEER: each}
    )
    reached = _objective(experts, memberships)
    judged[0]["note"] = f"objective {reached:.6g}, the peer's {wanted:.6g}; tol {tol:.1e}"
    judged[1]["note"], judged[2]["note"] = (f"{n} fits of {n_components * Y.shape[1]}" for n in (fits, few))
    return judged


def _gradient(experts: LogisticExperts, memberships: np.ndarray) -> Work:
    """Return the work of one gradient of every component's trained labels on its instances."""
    X, operations = experts.X, 0.0
    cells = np.diff(X.indptr) if sparse.issparse(X) else np.full(X.shape[0], X.shape[1])
    for k, active in enumerate(experts.active):
        operations += 4.0 * float(cells[memberships[:, k] > experts.floor].sum()) * np.count_nonzero(active)
    return Work(bytes_of(X), operations)


def _step(X: Any, Y: np.ndarray, memberships: np.ndarray, variance: float, goal: tuple[int, float]) -> LogisticExperts:
    """Return the experts after one M step from zero; ``goal`` is the most solver steps, and their tolerance."""
    experts = LogisticExperts(X, Y, memberships.shape[1], MStep(variance, 0.0, *goal), floor=1e-5, constant=1e-5)
    experts.update(memberships)
    return experts


def _objective(experts: LogisticExperts, memberships: np.ndarray) -> float:
    """Return the weighted loss over the trained labels plus the penalty, in nats."""
    total = experts.penalty()
    for k, active in enumerate(experts.active):
        odds = np.ascontiguousarray(experts.training_log_odds(k)[:, active])
        labels = np.ascontiguousarray(experts.Y[:, active])
        total -= float(memberships[:, k] @ set_log_likelihood(odds, labels))
    return total


def _peer(X: Any, Y: np.ndarray, memberships: np.ndarray, variance: float, floor: float) -> tuple[float, float, int]:
    """Return objective (nats), seconds and number of scikit-learn's fits, one a component and label.

    A component leaves out instances whose membership is at most ``floor``, and labels whose share of the memberships is
    within ``floor`` of 0 or of 1.
    """
    total, seconds, fits = 0.0, 0.0, 0
    for k in range(memberships.shape[1]):
        rows = np.flatnonzero(memberships[:, k] > floor)
        weight, inputs = memberships[rows, k], X[rows]
        share = weight @ Y[rows] / max(weight.sum(), 1e-300)
        for label in np.flatnonzero(np.minimum(share, 1.0 - share) > floor):
            y = Y[rows, label]
            if y.min() == y.max():
                continue
            model = LogisticRegression(C=variance, max_iter=2000, tol=1e-4)
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(inputs, y, sample_weight=weight)
            seconds, fits = seconds + time.perf_counter() - start, fits + 1
            z = model.decision_function(inputs)
            total += float(weight @ (np.logaddexp(0.0, z) - y * z) + np.sum(model.coef_**2) / (2.0 * variance))
    return total, seconds, fits


def bench_search(
    n_labels: int = 101, n_components: int = 50, n_documents: int = 20, repeats: int = 3
) -> list[dict[str, Any]]:
    """Time the exact search, which is to take at most a twentieth of the time of the same search with Python's heap.

    The problems are random: label probabilities as from a trained mixture, most of them near 0.

    Parameters
    ----------
    n_labels, n_components, n_documents : L, K and N of the problems.
    repeats : rounds; in each, every candidate runs once.
    """
    rng = np.random.default_rng(0)
    log_pi = np.log(rng.dirichlet(np.full(n_components, 0.1), size=n_documents) + 1e-12)
    b = rng.beta(0.08, 1.5, size=(n_components, n_documents, n_labels)).clip(1e-6, 1.0 - 1e-6)
    Z = np.log(b) - np.log1p(-b)
    tried = mixture_kernels.search_modes(log_pi, Z, True, 10_000)[2]
    rows = compare(
        {
            "compiled": lambda: mixture_kernels.search_modes(log_pi, Z, True, 10_000),
            HEAP: lambda: [heap_search(np.exp(log_pi[i]), b[:, i]) for i in range(n_documents)],
        },
        repeats,
    )
    work = reading(log_pi, Z, operations=2.0 * n_components * float(tried.sum()))
    judged = judge("exact_search", rows, HEAP, {"compiled": 1.0 / 20.0}, work)
    judged[0]["note"] = f"L = {n_labels}, K = {n_components}; {tried.mean():.1f} sets scored on average"
    return judged


def heap_search(pi: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the mode of a mixture, int (L,), and its probability: the best-first search of one instance in Python.

    Parameters
    ----------
    pi : weights of the components, float64 (K,).
    b : label probabilities of the components, float64 (K, L), above 0 and below 1.
    """
    best, mode = -1.0, np.zeros(b.shape[1], dtype=int)
    ratio = np.minimum(b, 1.0 - b) / np.maximum(b, 1.0 - b)
    first, order = (b >= 0.5).astype(int), np.argsort(-ratio, axis=1)
    heaps: list[list[tuple[float, tuple[int, ...]]]] = [
        [(-float(p), ())] for p in pi * np.maximum(b, 1.0 - b).prod(axis=1)
    ]
    while sum(-heap[0][0] for heap in heaps if heap) > best:
        k = min((k for k, heap in enumerate(heaps) if heap), key=lambda k: heaps[k][0][0])
        negative, flips = heapq.heappop(heaps[k])
        y = first[k].copy()
        y[order[k, list(flips)]] ^= 1
        value = float(pi @ np.where(y, b, 1.0 - b).prod(axis=1))
        if value > best:
            best, mode = value, y
        following = flips[-1] + 1 if flips else 0
        if following < b.shape[1]:
            more = ratio[k, order[k, following]]
            heapq.heappush(heaps[k], (negative * more, (*flips, following)))
            if flips:
                less = ratio[k, order[k, flips[-1]]]
                heapq.heappush(heaps[k], (negative / less * more, (*flips[:-1], following)))
    return mode, best


def bench_scaling(
    n: int = 400, n_features: int = 40, n_labels: int = 8, n_components: int = 5, repeats: int = 3
) -> list[dict[str, Any]]:
    """Time a partial M step (ten iterations) on random problems while N, K or L doubles twice; no target.

    Parameters
    ----------
    n, n_features, n_labels, n_components : smallest N, V, L and K.
    repeats : rounds of each size.
    """
    rows = []
    for axis in ("N", "K", "L"):
        for factor in (1, 2, 4):
            size = {"N": n, "K": n_components, "L": n_labels}
            size[axis] *= factor
            X, Y, memberships = _random_problem(size["N"], n_features, size["L"], size["K"])
            timed = compare({f"{axis} = {size[axis]}": partial(_step, X, Y, memberships, 1.0, (10, 0.0))}, repeats)
            head = {**dict.fromkeys(COLUMNS), "bench": f"scaling_{axis}", "quantity": "time", "note": ""}
            told = [head | {name: cell for name, cell in row.items() if name in COLUMNS} for row in timed]
            rows += with_limits(told, reading(X, Y))
    return rows


def _random_problem(
    n: int, n_features: int, n_labels: int, n_components: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return random features (N, V), label indicators (N, L) and memberships (N, K), whose rows sum to one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_features))
    Y = (X @ rng.normal(size=(n_features, n_labels)) / 10.0 + rng.normal(size=(n, n_labels)) > 1.0).astype(np.int8)
    return X, Y, rng.dirichlet(np.full(n_components, 0.5), size=n)


def memory_of_m_step(X: Any, Y: np.ndarray, variance: float, n_components: int = 20) -> float:
    """Return the most memory that an M step of ten iterations holds at a time, in MiB.

    Parameters
    ----------
    X, Y, variance, n_components : as for `bench_m_step`.
    """
    memberships = bernoulli_mixture(Y, n_components, 1, np.random.default_rng(0))
    return peak_mib(lambda: _step(X, Y, memberships, variance, (10, 1e-6)))
