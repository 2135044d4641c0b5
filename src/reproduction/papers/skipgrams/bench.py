"""Bench: skip-grams beside scikit-learn's n-grams, and our linear solvers beside skglm, saga and LIBLINEAR."""

from __future__ import annotations

import importlib.util
import multiprocessing
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from reproduction.bench.roofline import Work, reading
from reproduction.bench.timing import judge, judge_memory
from textmix.data.corpus import TRAIN, Corpus
from textmix.models.linear.margin_problem import Columns, MarginProblem
from textmix.models.linear.path import penalty_grid
from textmix.models.linear.subspace import solve_l2
from textmix.models.linear.working_set import solve_l1
from textmix.text.skipgram_vectorizer import SkipgramVectorizer

#: Name of a solver, and a call that returns the weights it finds.
#: Duality gap to which the solvers of the elastic net are brought, as a share of the objective.
GAP = 1e-4
#: The constant feature that stands for the intercept of LIBLINEAR and celer, which have a penalty on it.
INTERCEPT = 10.0
OURS, PEER = "textmix, n <= 5, slop <= 2", "CountVectorizer, n <= 5"


def _peak_mib() -> float:
    """Return the most memory that this process has held at a time since its high-water mark was last reset, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _measured(call: Callable[[], object], channel: Any) -> None:
    """Run a call; send its seconds, and its peak memory less the memory held at its start, in MiB."""
    # A forked process starts with its parent's high-water mark; "5" resets the mark to the memory held now.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _peak_mib()
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    channel.send((seconds, _peak_mib() - before))


def in_a_process(call: Callable[[], object]) -> tuple[float, float]:
    """Return seconds and peak memory (MiB) of a call in a process of its own, memory that libraries allocate included.

    The memory that the process holds at its start is not counted.  This reads /proc, so that it needs Linux.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(call, theirs))
    process.start()
    theirs.close()
    seconds, peak = ours.recv()
    process.join()
    return seconds, peak


def bench_extraction(texts: Sequence[str], repeats: int = 1) -> list[dict[str, Any]]:
    """Time finding and counting all skip-grams of up to five words and two gaps, and scikit-learn's n-grams.

    Both take words of two letters and more, and features in six documents or more; targets: a quarter of the time, half
    of the memory.

    Parameters
    ----------
    texts : documents.
    repeats : rounds; in each, every candidate runs once.
    """
    ours = SkipgramVectorizer(tokenizer="unicode", min_length=2)
    peer = CountVectorizer(ngram_range=(1, 5), min_df=6)
    ours.fit_transform([*texts[:50]] * 6)  # compiles the kernels
    candidates = {OURS: lambda: ours.fit_transform(texts), PEER: lambda: peer.fit_transform(texts)}
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in candidates}
    for _ in range(repeats):
        for name, call in candidates.items():
            costs[name].append(in_a_process(call))
    medians = {name: np.median(values, axis=0).tolist() for name, values in costs.items()}
    rows = [
        {"candidate": name, "seconds": [cost[0] for cost in costs[name]], "median_seconds": m[0], "peak_mib": m[1]}
        for name, m in medians.items()
    ]
    memory = judge_memory("skipgrams", rows, PEER, medians[PEER][1], {OURS: 0.5})
    work = Work(bytes=float(sum(len(text.encode()) for text in texts)))
    return [*judge("skipgrams", rows, PEER, {OURS: 0.25}, work), *memory]


def _row(candidate: str, seconds: float, note: str) -> dict[str, Any]:
    """Return the row of a candidate; its memory is not measured."""
    return {"candidate": candidate, "median_seconds": seconds, "peak_mib": None, "note": note}


def _timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return the result of a call and its seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = call(*arguments)
    return result, time.perf_counter() - start


def _value(problem: MarginProblem, w: np.ndarray, penalty: tuple[float, float]) -> float:
    """Return the objective of weights w (P,) at their best intercept; ``penalty`` is (L1, L2)."""
    z = problem.X.scores(w)
    l1, l2 = penalty
    return problem.value(z + problem.best_shift(z)) + l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)


def _skglm(
    X: sparse.csc_array, y: np.ndarray, lam: float, ratio: float
) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """Yield name and fit of skglm's two solvers, each with decreasing tolerances; a fit returns the weights (P,)."""
    from skglm import GeneralizedLinearEstimator  # type: ignore[import-untyped]
    from skglm.datafits import Logistic  # type: ignore[import-untyped]
    from skglm.penalties import L1_plus_L2  # type: ignore[import-untyped]
    from skglm.solvers import AndersonCD, ProxNewton  # type: ignore[import-untyped]

    matrix = sparse.csc_matrix(X, dtype=np.float64)
    for solver in (AndersonCD, ProxNewton):
        for tolerance in (1e-3, 1e-4, 1e-5):

            def fit(solver: Any = solver, tolerance: float = lam * ratio * tolerance * 100) -> np.ndarray:
                """Return the weights (P,)."""
                limited = solver(tol=tolerance, fit_intercept=True, max_iter=50)
                return (
                    GeneralizedLinearEstimator(Logistic(), L1_plus_L2(lam, ratio), limited).fit(matrix, y).coef_.ravel()
                )

            yield f"skglm, {solver.__name__}", fit


def _saga(
    X: sparse.csr_array, y: np.ndarray, lam: float, ratio: float
) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """Yield name and fit of scikit-learn's saga with an increasing number of passes; a fit returns the weights (P,).

    With an L1 penalty a pass repeats for each feature every step in which it did not occur: on two million features a
    pass takes a minute.
    """
    for passes in (1, 4):
        model = LogisticRegression(
            solver="saga", penalty="elasticnet", l1_ratio=ratio, C=1 / (lam * len(y)), max_iter=passes, tol=0.0
        )
        yield "saga", lambda model=model: model.fit(X, y).coef_.ravel()  # type: ignore[misc]


def bench_elastic_net(X: sparse.csr_array, y: np.ndarray, lam: float, ratio: float = 0.1) -> list[dict[str, Any]]:
    """Time logistic regression with both penalties by our solver, skglm and saga, each to a relative gap of `GAP`.

    Parameters
    ----------
    X : features, CSR (N, P).
    y : classes -1 and 1, float64 (N,).
    lam, ratio : penalty and its share on the L1 norm.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`: beside skglm's faster solver, and beside saga.  The note of a peer that
    does not reach the gap ends in "not there yet".
    """
    penalty = ratio * lam, (1 - ratio) * lam
    problem = MarginProblem.of(Columns.of(X), y, "logistic")
    solve_l1(MarginProblem.of(Columns.of(X[:50]), y[:50], "logistic"), *penalty)  # compiles the kernels
    best = solve_l1(problem, *penalty, tolerance=GAP / 100)
    lower = best.total_objective - best.gap
    ours, seconds = _timed(lambda: solve_l1(problem, *penalty, tolerance=GAP))
    rows = [_row("textmix", seconds, f"gap {ours.gap / ours.total_objective:.1e}")]
    for family in (_skglm(sparse.csc_array(X), y, lam, ratio), _saga(X, y, lam, ratio)):
        reached: set[str] = set()
        for name, fit in family:
            if name not in reached:
                w, seconds = _timed(fit)
                gap = _value(problem, w, penalty) / lower - 1
                rows = [row for row in rows if row["candidate"] != name]
                rows.append(_row(name, seconds, f"gap {gap:.1e}" + ("" if gap <= GAP else ": not there yet")))
                reached |= {name} if gap <= GAP else set()
    fastest = min((row for row in rows if row["candidate"].startswith("skglm")), key=lambda row: row["median_seconds"])
    work = _gradient(X)
    judged = judge("elastic net, skglm", rows, fastest["candidate"], {"textmix": 0.25}, work)
    sagas = [rows[0], *(row for row in rows if row["candidate"] == "saga")]
    return [*judged, *judge("elastic net, saga", sagas, "saga", {"textmix": 0.1}, work)]


def _gradient(X: sparse.csr_array) -> Work:
    """Return the work of one gradient: scores, and the product with the residuals."""
    return reading(X, operations=4.0 * X.nnz)


def _celer(X: sparse.csr_array, y: np.ndarray, C: float, goal: Callable[[np.ndarray], float]) -> list[dict[str, Any]]:
    """Return the row of celer's fit with an L1 penalty where the package is installed, else no row.

    celer has no intercept: a constant feature stands for it, large enough that its penalty is small.

    Parameters
    ----------
    X, y : as for `bench_elastic_net`.
    C : inverse of the penalty on the sum of the losses.
    goal : weights (P,) -> their objective above the one to be reached, as a share of it.
    """
    if importlib.util.find_spec("celer") is None:
        return []
    model = importlib.import_module("celer").LogisticRegression
    matrix = sparse.csc_matrix(sparse.hstack([X, np.full((X.shape[0], 1), INTERCEPT)]))
    for tol in (1e-2, 1e-3, 1e-4, 1e-5):
        fitted, seconds = _timed(model(C=C, tol=tol).fit, matrix, y)
        above = goal(fitted.coef_.ravel()[:-1])
        if above <= GAP:
            break
    missed = "" if above <= GAP else ": not there yet"
    return [_row("celer", seconds, f"{above:.1e} above LIBLINEAR's objective{missed}")]


def bench_liblinear(X: sparse.csr_array, y: np.ndarray, lam: float, penalty: str) -> list[dict[str, Any]]:
    """Time logistic regression with one penalty beside LIBLINEAR, and beside celer for the L1 penalty.

    Ours stops at an objective at most LIBLINEAR's, and celer at most a share `GAP` above it.

    Parameters
    ----------
    X, y : as for `bench_elastic_net`.
    lam : penalty.
    penalty : ``l1`` or ``l2``.
    """
    pair = (lam, 0.0) if penalty == "l1" else (0.0, lam)
    problem = MarginProblem.of(Columns.of(X), y, "logistic")
    C = 1 / (lam * len(y))
    settings = {"penalty": penalty, "dual": penalty == "l2", "intercept_scaling": INTERCEPT}
    fitted, theirs = _timed(LogisticRegression(solver="liblinear", C=C, **settings).fit, X, y)
    goal = _value(problem, fitted.coef_.ravel(), pair)

    def ours(tolerance: float) -> Any:
        """Return our solution to a tolerance."""
        if penalty == "l1":
            return solve_l1(problem, lam, tolerance=tolerance)
        return solve_l2(problem, lam, tolerance=tolerance)

    ours(1.0)  # compiles the kernels
    for tolerance in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        solution, seconds = _timed(partial(ours, tolerance))
        if solution.objective <= goal * (1 + 1e-9):
            break
    rows = [
        _row(
            "textmix",
            seconds,
            f"objective {solution.total_objective:.6f}, gap {solution.gap / solution.total_objective:.1e}",
        ),
        _row("LIBLINEAR", theirs, f"objective {goal:.6f}"),
    ]
    if penalty == "l1":
        rows += _celer(X, y, C, lambda w: _value(problem, w, pair) / goal - 1)
    return judge(f"{penalty}, LIBLINEAR", rows, "LIBLINEAR", {"textmix": 1.0}, _gradient(X))


def bench_reviews(corpus: Corpus, repeats: int = 1) -> list[dict[str, Any]]:
    """Run `bench_extraction` on the training documents of a text corpus with a given split."""
    texts = [corpus.text.text(int(row)) for row in np.flatnonzero(np.equal(corpus.split, TRAIN))]  # type: ignore
    return bench_extraction(texts, min(repeats, 3))


def bench_linear(corpus: Corpus, repeats: int = 1) -> list[dict[str, Any]]:
    """Run `bench_elastic_net` and `bench_liblinear` on the training documents, at penalties near the best ones.

    Each solver runs once, whatever ``repeats`` is: the slowest take minutes.
    """
    rows = np.flatnonzero(np.equal(corpus.split, TRAIN))  # type: ignore[arg-type]
    X, y = corpus.features[rows], 2.0 * corpus.classes()[rows] - 1.0  # type: ignore[index]
    X = X[:, np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))]
    problem = MarginProblem.of(Columns.of(X), y, "logistic")
    l2, l1, both = (
        float(penalty_grid(problem, ratio, 1, share)[0]) for ratio, share in ((0.0, 1e-6), (1.0, 0.01), (0.1, 0.003))
    )
    return [
        *bench_liblinear(X, y, l2, "l2"),
        *bench_liblinear(X, y, l1, "l1"),
        *bench_elastic_net(X, y, both),
    ]
