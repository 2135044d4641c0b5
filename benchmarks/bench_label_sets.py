"""Label sets: parametric mixtures, conditional Bernoulli mixtures, classifier chains, expected-F maximization."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from documents import counts, line, split
from roofline import Work, reading
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as TheirChain

from textmix import PMM1, ClassifierChain
from textmix.models.cbm import mixture_kernels
from textmix.models.cbm.estimator import bernoulli_mixture
from textmix.models.cbm.learners import LogisticExperts, MStep
from textmix.models.common.f_kernels import listed_expected_f
from textmix.models.linear.loss_kernels import set_log_likelihood
from textmix.models.pmm.training import EMRun, SetCounts, gather


def pages(share: float) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts and label indicators of at most 5,000 nonempty pages with a label."""
    X, Y = counts("pages", share)
    kept = np.flatnonzero(Y.any(axis=1) & (np.diff(X.indptr) > 0))[:5000]
    return X[kept], Y[kept].astype(np.int8)


def em_run(X: sparse.csr_array, Y: np.ndarray) -> EMRun:
    """Initialize an EM run of PMM1."""
    training = gather(SetCounts.of(X, Y.astype(bool), np.ones(X.shape[0])), 1.0)
    return EMRun(training, 2.0, 1.0, np.ones(len(training.word)), np.full((Y.shape[1], Y.shape[1]), 0.5))


class SciPyEM:
    """PMM1's update (21) and its objective J in SciPy, written as in the paper.

    With ``dense``, phi is a matrix product for all words of each page, in blocks; otherwise only for nonzero counts.
    """

    def __init__(self, X: sparse.csr_array, Y: np.ndarray, dense: bool) -> None:
        self.X, self.dense = X.astype(np.float64), dense
        self.h = sparse.csr_array(Y / Y.sum(axis=1, keepdims=True))
        self.rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        self.h_rows = self.h.toarray()[self.rows]
        self.theta = np.full((Y.shape[1], X.shape[1]), 1.0 / X.shape[1])

    def phi(self) -> np.ndarray:
        """Return the probability of each word on its page, at the nonzero counts, shape (nnz,)."""
        if not self.dense:
            return np.einsum("ij,ij->i", self.h_rows, self.theta.T[self.X.indices])
        parts, X = [], self.X
        for first in range(0, X.shape[0], 100):
            cells = slice(X.indptr[first], X.indptr[min(first + 100, X.shape[0])])
            block = self.h[first : first + 100] @ self.theta
            parts.append(block[self.rows[cells] - first, X.indices[cells]])
        return np.concatenate(parts)

    def step(self) -> float:
        """Return J (in nats) at the current theta, then update theta."""
        phi = self.phi()
        objective = float(self.X.data @ np.log(phi) + np.log(self.theta).sum())
        ratio = sparse.csr_array((self.X.data / phi, self.X.indices, self.X.indptr), shape=self.X.shape)
        expected = self.theta * (self.h.T @ ratio).toarray() + 1.0
        self.theta = expected / expected.sum(axis=1, keepdims=True)
        return objective


STEPS = 10


@line("ten EM iterations of PMM1", "textmix", "SciPy, gathered", "SciPy, products", target=1 / 30)
def bench_em(name: str, share: float, timed: Any) -> None:
    """The score is J after the iterations; all candidates start from the same near-uniform distributions."""
    X, Y = pages(share)

    def ours() -> float:
        em = em_run(X, Y)
        for _ in range(STEPS):
            em.update(learn_alpha=False)
        return float(em.evaluate())

    def theirs() -> float:
        peer = SciPyEM(X, Y, dense="products" in name)
        return [peer.step() for _ in range(STEPS + 2)][-1]

    touched = STEPS * (reading(X).bytes + 16.0 * X.shape[1] * Y.shape[1])
    score = lambda found: ("objective, nats", found)
    timed(ours if name == "textmix" else theirs, size=len(Y), work=Work(touched), score=score)


def scipy_greedy(theta: np.ndarray, X: sparse.csr_array) -> np.ndarray:
    """Predict greedily with PMM1, scoring each candidate set from scratch: X (N, V), theta (V, L) to bool (N, L)."""
    member = np.zeros((X.shape[0], theta.shape[1]), dtype=bool)
    for page in range(X.shape[0]):
        row = X[[page]]
        rows, chosen, reached = theta[row.indices], list[int](), -np.inf
        while len(chosen) < theta.shape[1]:
            scores = {
                k: float(row.data @ np.log(rows[:, [*chosen, k]].mean(axis=1)))
                for k in range(theta.shape[1])
                if k not in chosen
            }
            best = max(scores, key=scores.__getitem__)
            if scores[best] <= reached:
                break
            chosen.append(best)
            reached = scores[best]
        member[page, chosen] = True
    return member


def numpy_greedy(theta: np.ndarray, X: sparse.csr_array) -> np.ndarray:
    """Predict as `scipy_greedy`, with a running sum over the selected labels and vectorized candidates."""
    member = np.zeros((X.shape[0], theta.shape[1]), dtype=bool)
    for page in range(X.shape[0]):
        cells = slice(X.indptr[page], X.indptr[page + 1])
        rows, x = theta[X.indices[cells]], X.data[cells]
        total, reached = np.zeros(len(rows)), -np.inf
        for size in range(1, theta.shape[1] + 1):
            scores = x @ np.log((total[:, None] + rows) / size)
            scores[member[page]] = -np.inf
            # Scores that differ only by rounding are ties, as in ours: labels that always occur together tie.
            best = int(np.argmax(scores >= (1.0 + 1e-12) * scores.max()))
            if scores[best] <= (1.0 - 1e-12) * reached:
                break
            member[page, best], reached = True, scores[best]
            total += rows[:, best]
    return member


@line("greedy label sets of PMM1", "textmix", "NumPy, incremental", "SciPy, every set afresh", target=1 / 30)
def bench_greedy(name: str, share: float, timed: Any) -> None:
    X, Y, X_test, _ = split(*pages(share))
    model = PMM1().fit(X, Y)
    theta = np.ascontiguousarray(model.theta_)
    calls: dict[str, Callable[[], Any]] = {
        "textmix": lambda: model.predict(X_test),
        "NumPy, incremental": lambda: numpy_greedy(theta, X_test),
        "SciPy, every set afresh": lambda: scipy_greedy(theta, X_test),
    }
    work = reading(X_test, operations=2.0 * X_test.nnz * theta.shape[1])
    found = timed(calls[name], size=X_test.shape[0], work=work)
    np.testing.assert_array_equal(found, calls["textmix"]())


@line("20 iterations of PMM1, by labels", "textmix")
@pytest.mark.parametrize("pieces", [1, 2, 4])
def bench_pmm_labels(name: str, pieces: int, timed: Any) -> None:
    """Each label is split at random into several; the slope is over the number of labels."""
    X, Y = pages(1.0)
    rows, labels = np.nonzero(Y)
    parts = np.random.default_rng(0).integers(pieces, size=len(rows))
    more = np.zeros((len(Y), Y.shape[1] * pieces), dtype=np.int8)
    more[rows, labels * pieces + parts] = 1
    call = lambda: em_run(X, more).iterate(0.0, 20, learn_alpha=False)
    timed(call, size=more.shape[1], work=reading(X, more))


#: Data set -> prior variance of the weights, and limits for our candidates.
MIXTURES: dict[str, tuple[float, dict[str, float]]] = {
    "yeast": (1.0, {"target": 0.1}),
    "scene": (1.0, {"target": 0.1}),
    "mediamill": (1.0, {"target": 0.1}),
    "rcv1": (10.0, {"target": 0.2, "mib": 4096.0}),
}
FLOOR = 1e-5


def m_step(X: Any, Y: np.ndarray, memberships: np.ndarray, variance: float, tol: float) -> LogisticExperts:
    """Return the experts after one M step that starts from zero."""
    experts = LogisticExperts(X, Y, memberships.shape[1], MStep(variance, 2000, tol), floor=FLOOR, constant=FLOOR)
    experts.update(memberships)
    return experts


def objective(experts: LogisticExperts, memberships: np.ndarray) -> float:
    """Return the weighted loss over the trained labels plus the penalty, in nats."""
    total = float(experts.penalty())
    for k, active in enumerate(experts.active):
        odds = np.ascontiguousarray(experts.training_log_odds(k)[:, active])
        total -= float(memberships[:, k] @ set_log_likelihood(odds, np.ascontiguousarray(experts.Y[:, active])))
    return total


def one_by_one(X: Any, Y: np.ndarray, memberships: np.ndarray, variance: float) -> float:
    """Fit one model per component and label, on the same training instances as ours; return the objective."""
    total = 0.0
    for weights in memberships.T:
        rows = np.flatnonzero(weights > FLOOR)
        weight, inputs = weights[rows], X[rows]
        share = weight @ Y[rows] / max(weight.sum(), 1e-300)
        for label in np.flatnonzero(np.minimum(share, 1.0 - share) > FLOOR):
            y = Y[rows, label]
            if y.min() < y.max():
                model = LogisticRegression(C=variance, max_iter=2000, tol=1e-4).fit(inputs, y, sample_weight=weight)
                z = model.decision_function(inputs)
                total += float(weight @ (np.logaddexp(0.0, z) - y * z) + np.sum(model.coef_**2) / (2.0 * variance))
    return total


@line("M step of a Bernoulli mixture", "textmix", "scikit-learn, a LogisticRegression each")
@pytest.mark.parametrize("data", MIXTURES)
def bench_m_step(name: str, data: str, share: float, timed: Any) -> None:
    """Twenty components, starting from zero; ours stops at the peer's objective or below, as the score shows."""
    X, Y = counts(data, share)
    variance, most = MIXTURES[data]
    X, Y = X if data == "rcv1" else X.toarray().astype(np.float64), np.ascontiguousarray(Y, dtype=np.int8)
    memberships = bernoulli_mixture(Y, 20, 3, np.random.default_rng(0))
    memberships[memberships < FLOOR] = 0.0
    operations, tol = 4.0 * (X.nnz if sparse.issparse(X) else X.size) * Y.shape[1], 1e-3
    if name == "textmix":
        wanted = one_by_one(X, Y, memberships, variance) * (1.0 + 1e-4)
        while tol > 1e-9 and objective(m_step(X, Y, memberships, variance, tol), memberships) > wanted:
            tol /= 3.0
        call: Callable[[], Any] = lambda: m_step(X, Y, memberships, variance, tol)
        score = lambda experts: ("objective, nats", objective(experts, memberships))
    else:
        call = lambda: one_by_one(X, Y, memberships, variance)
        score = lambda found: ("objective, nats", found)
    timed(call, case=data, size=len(Y), work=reading(X, operations=operations), score=score, **most)


@line("ten iterations of an M step", "textmix")
@pytest.mark.parametrize("factor", [1, 2, 4])
@pytest.mark.parametrize("axis", ["documents", "components", "labels"])
def bench_m_step_growth(name: str, axis: str, factor: int, timed: Any) -> None:
    """Random problems; the slope is over the number of documents, components or labels."""
    size = {"documents": 400, "components": 5, "labels": 8}
    size[axis] *= factor
    n, K, L = size.values()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 40))
    Y = (X @ rng.normal(size=(40, L)) / 10.0 + rng.normal(size=(n, L)) > 1.0).astype(np.int8)
    memberships, solver = rng.dirichlet(np.full(K, 0.5), size=n), MStep(1.0, 10, 0.0)
    call = lambda: LogisticExperts(X, Y, K, solver, floor=FLOOR, constant=FLOOR).update(memberships)
    timed(call, case=f"by {axis}", size=size[axis], work=reading(X, Y))


def heap_search(pi: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Find the mode of a mixture, weights (K,) and label probabilities (K, L), by best-first search."""
    best, mode = -1.0, np.zeros(b.shape[1], dtype=int)
    ratio, first = np.minimum(b, 1.0 - b) / np.maximum(b, 1.0 - b), (b >= 0.5).astype(int)
    order = np.argsort(-ratio, axis=1)
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
    return mode


@line("mode of a Bernoulli mixture", "textmix", "Python's heap", target=1 / 20)
@pytest.mark.parametrize("labels", [25, 101])
def bench_search(name: str, labels: int, timed: Any) -> None:
    """Twenty documents, 50 components; probabilities as in a trained mixture, most of them near 0."""
    rng = np.random.default_rng(0)
    log_pi = np.log(rng.dirichlet(np.full(50, 0.1), size=20) + 1e-12)
    b = rng.beta(0.08, 1.5, size=(50, 20, labels)).clip(1e-6, 1.0 - 1e-6)
    Z = np.log(b) - np.log1p(-b)
    ours = lambda: mixture_kernels.search_modes(log_pi, Z, True, 10_000)
    tried = float(ours()[2].sum())
    peer = lambda: [heap_search(np.exp(log_pi[i]), b[:, i]) for i in range(20)]
    work = reading(log_pi, Z, operations=100.0 * tried)
    timed(ours if name == "textmix" else peer, size=labels, work=work)


@line("chain of classifiers", "textmix", "scikit-learn, ClassifierChain", target=1.0)
def bench_chain(name: str, share: float, timed: Any) -> None:
    X, Y, X_test, Y_test = split(*counts("yeast", share))
    theirs = TheirChain(LogisticRegression(max_iter=200), order="random", random_state=0)
    model = ClassifierChain(random_state=0) if name == "textmix" else theirs
    score = lambda found: ("exact sets", float((np.asarray(found) == Y_test).all(axis=1).mean()))
    work = reading(X, times=2, operations=6.0 * X.nnz * Y.shape[1])
    timed(lambda: model.fit(X, Y).predict(X_test), size=len(Y), work=work, score=score)


def expected_f(proba: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Return the nonempty set (L,) that maximizes expected F, for label sets (S, L) with probabilities (S,)."""
    n_labels = sets.shape[1]
    joint, sizes = np.zeros((n_labels, n_labels + 1)), np.arange(1, n_labels + 1)
    np.add.at(joint.T, sets.sum(axis=1), proba[:, np.newaxis] * sets)
    gain = joint[:, 1:] @ (2.0 / (sizes[:, np.newaxis] + sizes))
    order = np.argsort(-gain, axis=0, kind="stable")
    best = int(np.argmax([gain[order[:k, k - 1], k - 1].sum() for k in sizes]))
    chosen = np.zeros(n_labels, dtype=int)
    chosen[order[: best + 1, best]] = 1
    return chosen


@line("set of largest expected F", "textmix", "NumPy, a document at a time", target=1 / 3)
@pytest.mark.parametrize("documents", [50, 200])
def bench_expected_f(name: str, documents: int, timed: Any) -> None:
    rng = np.random.default_rng(0)
    sets = np.unique(rng.random((200, 30)) < 0.1, axis=0).astype(np.int8)
    proba = rng.dirichlet(np.full(len(sets), 0.1), size=documents)
    sizes = len(np.unique(sets.sum(axis=1)))
    work = reading(proba, sets, operations=documents * (float(sets.sum()) + 1800.0 * sizes))
    ours = lambda: listed_expected_f(proba, sets, False)
    peer = lambda: [expected_f(p, sets) for p in proba]
    timed(ours if name == "textmix" else peer, size=documents, work=work)
