"""Bench of the count models: fitting and scoring against scikit-learn, DCM training against a SciPy fixed point."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln, psi
from sklearn.naive_bayes import MultinomialNB

from reproduction.bench.roofline import Work, bytes_of, reading
from reproduction.bench.timing import compare, judge, judge_memory
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier

OURS = ("multinomial", "edcm", "dcm")
PEER = "sklearn MultinomialNB"
FIXED_POINT = "SciPy fixed point"
#: The machine's limit for a pass over the counts, measured in the same run.
READ = "read the matrix once"
#: The peer of the DCM has reached our log-likelihood when it is below it by at most this share of it.
SAME = 1e-9
#: Steps of the peer between two computations of its log-likelihood, which are not counted in its time.
LOOK = 5


def bench_models(X: sparse.csr_array, y: np.ndarray, repeats: int = 5) -> list[dict[str, Any]]:
    """Compare all models on the same counts and classes.

    Parameters
    ----------
    X : counts, CSR (N, V).
    y : class index (N,).
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; ratios are ours to the peer's, smaller is better.
    """
    return [*bench_fit(X, y, repeats), *bench_predict(X, y, repeats), *bench_dcm_fit(X, y, repeats)]


def _models() -> dict[str, Any]:
    """Return the candidates and the peer, not fitted."""
    ours = {"multinomial": MultinomialClassifier(), "edcm": EDCMClassifier(), "dcm": DCMClassifier()}
    return {**ours, PEER: MultinomialNB(alpha=0.01)}


def _judge_both(
    bench: str, rows: list[dict[str, Any]], X: sparse.csr_array, targets: dict[str, float], operations: float
) -> list[dict[str, Any]]:
    """Judge each time by the peer's time, and the peak memory of our models by the memory of the matrix X.

    The notes tell how much of the time of a model is one reading of the matrix.  Each model must read the matrix and do
    a number of operations.
    """
    matrix = bytes_of(X) / 2**20
    seconds = {row["candidate"]: row["median_seconds"] for row in rows}
    for row in rows:
        row["note"] = f"{seconds[READ] / row['median_seconds']:.0%} of the speed of one reading of the matrix"
    memory = judge_memory(f"{bench}_memory", rows, "the matrix", matrix, dict.fromkeys(OURS, 2.0))
    work = dict.fromkeys((*OURS, PEER), Work(bytes_of(X), operations)) | {READ: Work(bytes_of(X))}
    return [*judge(bench, rows, PEER, targets, work), *memory]


def bench_fit(X: sparse.csr_array, y: np.ndarray, repeats: int = 5) -> list[dict[str, Any]]:
    """Time `fit`: the EDCM is to take at most 0.3 of the peer's time, each of our models at most twice X's memory.

    Parameters and rows are those of `bench_models`.
    """
    models = _models()
    candidates: dict[str, Callable[[], object]] = {name: _bind(model.fit, X, y) for name, model in models.items()}
    candidates[READ] = _bind(_read, X)
    return _judge_both("fit", compare(candidates, repeats), X, {"edcm": 0.3}, float(X.nnz))


def bench_predict(X: sparse.csr_array, y: np.ndarray, repeats: int = 5) -> list[dict[str, Any]]:
    """Time `predict`: each of our models is to take at most the peer's time, and at most twice X's memory.

    Parameters and rows are those of `bench_models`.
    """
    models = {name: model.fit(X, y) for name, model in _models().items()}
    candidates: dict[str, Callable[[], object]] = {name: _bind(model.predict, X) for name, model in models.items()}
    candidates[READ] = _bind(_read, X)
    return _judge_both(
        "predict", compare(candidates, repeats), X, dict.fromkeys(OURS, 1.0), 2.0 * X.nnz * (y.max() + 1)
    )


def _bind(method: Callable[..., object], *data: Any) -> Callable[[], object]:
    """Return a call without arguments."""
    return lambda: method(*data)


def _read(X: sparse.csr_array) -> tuple[Any, Any]:
    """Return the sums of the counts and of the words of a matrix, which reads both arrays once."""
    return X.data.sum(), X.indices.sum()


def bench_dcm_fit(X: sparse.csr_array, y: np.ndarray, repeats: int = 5, max_steps: int = 300) -> list[dict[str, Any]]:
    """Time the DCM's training against Minka's fixed point written with SciPy, brought to the same log-likelihood.

    The peer starts at the mean counts, works on all non-zero counts of a class at once, and runs once: it takes
    seconds.  On a class where ``max_steps`` steps do not suffice it stops, and its time is then a lower bound.

    Parameters
    ----------
    X, y, repeats : as for `bench_models`.
    max_steps : the most steps of the peer on one class.
    """
    candidates: dict[str, Callable[[], object]] = {
        f"dcm, {method}": _bind(DCMClassifier(method=method).fit, X, y)
        for method in ("reciprocal_newton", "newton", "fixed_point")
    }
    rows = compare(candidates, repeats)
    levels = _class_optima(X, y)
    seconds, steps, arrived = 0.0, 0, 0
    for c, level in levels.items():
        spent, taken, reached = scipy_fixed_point(X[np.flatnonzero(y == c)], level, max_steps)
        seconds, steps, arrived = seconds + spent, steps + taken, arrived + reached
    rows.append({"candidate": FIXED_POINT, "median_seconds": seconds, "peak_mib": None})
    judged = judge("dcm_fit", rows, FIXED_POINT, {"dcm, reciprocal_newton": 1.0 / 50.0}, reading(X))
    bound = "" if arrived == len(levels) else "at least: "
    judged[-1]["note"] = f"{bound}{steps / len(levels):.0f} steps a class; {arrived} of {len(levels)} classes arrived"
    return judged


def _class_optima(X: sparse.csr_array, y: np.ndarray) -> dict[int, float]:
    """Return the log-likelihood that our fit reaches for each class, in nats, without multinomial coefficients."""
    optima = {}
    for c in np.unique(y):
        rows = np.flatnonzero(y == c)
        optima[int(c)] = float(DCMClassifier().fit(X[rows], y[rows]).objective_path_[-1])
    return optima


def scipy_fixed_point(X: sparse.csr_array, goal: float, max_steps: int) -> tuple[float, int, bool]:
    """Run Minka's fixed point, vectorised over all non-zero counts of one class, up to a log-likelihood.

    Parameters
    ----------
    X : counts of the documents of the class, CSR (N, V).
    goal : the log-likelihood to be reached to within a share `SAME`, in nats, without multinomial coefficients.
    max_steps : the most steps.

    Returns
    -------
    seconds : of the steps, without the time that the log-likelihood takes.
    steps : their number.
    reached : whether the goal was reached.
    """
    length = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    length = length[length > 0]
    words, word_of = np.unique(X.indices, return_inverse=True)
    counts = X.data.astype(np.float64)
    alpha = np.bincount(word_of, counts, minlength=len(words)) / len(length)
    seconds = 0.0
    for step in range(1, max_steps + 1):
        start = time.perf_counter()
        old, s = alpha[word_of], alpha.sum()
        numerator = np.bincount(word_of, psi(counts + old) - psi(old), minlength=len(words))
        alpha = alpha * numerator / np.sum(psi(length + s) - psi(s))
        seconds += time.perf_counter() - start
        if step % LOOK == 0:
            old, s = alpha[word_of], alpha.sum()
            value = np.sum(gammaln(counts + old) - gammaln(old)) - np.sum(gammaln(length + s) - gammaln(s))
            if value >= goal - SAME * abs(goal):
                return seconds, step, True
    return seconds, max_steps, False
