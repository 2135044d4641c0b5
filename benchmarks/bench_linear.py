"""Linear models and decompositions: penalties, SVMs, latent semantic indexing, hidden Markov models.

Solvers with their own stopping rules are run to a common objective, which the score shows: ours to the peer's objective
or below, a peer to within a relative `GAP` of the best, if its settings permit.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from documents import counts, line, load
from roofline import Work, reading
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from textmix import LSIDensityClassifier, LSITransformer, ProbabilisticNeuralNetwork, SkipgramVectorizer
from textmix.models.hmm.estimator import background
from textmix.models.hmm.training import BaumWelch, random_chain
from textmix.models.linear.label_svm import cost_path
from textmix.models.linear.margin_problem import Columns, MarginProblem
from textmix.models.linear.path import penalty_grid
from textmix.models.linear.problems import LogisticBatch, features_gradient
from textmix.models.linear.solvers import minimise, minimise_function
from textmix.models.linear.subspace import solve_l2
from textmix.models.linear.working_set import solve_l1
from textmix.models.lsi.scores import sensitivity
from textmix.models.lsi.transformer import ITERATIONS
from textmix.text.sequences import TokenSequences

GAP = 1e-4
#: Value of the constant feature for the intercept of LIBLINEAR and celer, which penalize the intercept.
INTERCEPT = 10.0


@functools.lru_cache(maxsize=1)
def reviews(share: float) -> tuple[sparse.csr_array, np.ndarray, MarginProblem]:
    """Return counts of gappy word bigrams (N, P), classes -1 and 1, and their logistic regression problem."""
    texts, (_, y) = load("reviews", share).data, counts("reviews", share)
    X = SkipgramVectorizer(max_n=2, max_slop=1, min_df=5).fit_transform(texts).astype(np.float64)
    X, signs = X[:, np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))], 2.0 * y - 1.0
    return X, signs, MarginProblem.of(Columns.of(X), signs, "logistic")


def value(problem: MarginProblem, w: np.ndarray, l1: float, l2: float) -> float:
    """Return the objective at weights (P,) with the optimal intercept."""
    z = problem.X.scores(w)
    return problem.value(z + problem.best_shift(z)) + l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)


def reached(fits: Iterator[Callable[[], np.ndarray]], enough: Callable[[np.ndarray], bool]) -> Callable[[], np.ndarray]:
    """Return the first fit that is accurate enough, or the last one."""
    for fit in fits:
        if enough(fit()):
            break
    return fit


TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


@line("logistic regression", "textmix", "celer", "LIBLINEAR", target=1.0)
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def bench_penalty(name: str, penalty: str, share: float, timed: Any) -> None:
    """Ours stops at LIBLINEAR's objective or below, celer (L1 only) within a relative `GAP` of it."""
    X, y, problem = reviews(share / 2)
    lam = float(penalty_grid(problem, *((1.0, 1, 0.01) if penalty == "l1" else (0.0, 1, 1e-6)))[0])
    pair, C = ((lam, 0.0) if penalty == "l1" else (0.0, lam)), 1 / (lam * len(y))
    settings = {"penalty": penalty, "dual": penalty == "l2", "intercept_scaling": INTERCEPT, "C": C}
    liblinear = LogisticRegression(solver="liblinear", **settings)
    goal = value(problem, liblinear.fit(X, y).coef_.ravel(), *pair)
    if name == "textmix":
        solve: Any = solve_l1 if penalty == "l1" else solve_l2
        fits = (lambda tol=tol: solve(problem, lam, tol=tol).w for tol in TOLERANCES)
        call = reached(fits, lambda w: value(problem, w, *pair) <= goal * (1 + 1e-9))
    elif name == "celer":
        if penalty == "l2":
            pytest.skip("celer has no L2 penalty")
        model = pytest.importorskip("celer").LogisticRegression
        matrix = sparse.csc_matrix(sparse.hstack([X, np.full((X.shape[0], 1), INTERCEPT)]))
        fits = (lambda tol=tol: model(C=C, tol=tol).fit(matrix, y).coef_.ravel()[:-1] for tol in TOLERANCES)
        call = reached(fits, lambda w: value(problem, w, *pair) <= goal * (1 + GAP))
    else:
        call = lambda: liblinear.fit(X, y).coef_.ravel()
    score = lambda w: ("objective", value(problem, w, *pair))
    timed(call, case=penalty, size=len(y), work=reading(X, operations=4.0 * X.nnz), score=score)


@line("elastic net", "textmix", "skglm, ProxNewton", "scikit-learn, saga", "skglm, AndersonCD", target=0.25)
def bench_elastic_net(name: str, share: float, timed: Any) -> None:
    """Run to a duality gap of `GAP`; saga stops earlier, as one pass over all features takes a minute with L1."""
    X, y, problem = reviews(share / 2)
    ratio, lam = 0.1, float(penalty_grid(problem, 0.1, 1, 0.003)[0])
    pair = ratio * lam, (1 - ratio) * lam
    best = solve_l1(problem, *pair, tol=GAP / 100).total_objective
    near = lambda w: value(problem, w, *pair) <= best * (1 + GAP)
    if name == "textmix":
        call: Callable[[], Any] = lambda: solve_l1(problem, *pair, tol=GAP).w
    elif name.endswith("saga"):
        settings = {"solver": "saga", "penalty": "elasticnet", "l1_ratio": ratio, "C": 1 / (lam * len(y)), "tol": 0.0}
        call = lambda: LogisticRegression(max_iter=4, **settings).fit(X, y).coef_.ravel()
    else:
        skglm = pytest.importorskip("skglm")
        from skglm import datafits, penalties, solvers

        solver, matrix = getattr(solvers, name.split(", ")[1]), sparse.csc_matrix(X)

        def fit(tolerance: float) -> np.ndarray:
            limited = solver(tol=lam * ratio * tolerance * 100, fit_intercept=True, max_iter=50)
            model = skglm.GeneralizedLinearEstimator(datafits.Logistic(), penalties.L1_plus_L2(lam, ratio), limited)
            return np.asarray(model.fit(matrix, y).coef_.ravel())

        call = reached((functools.partial(fit, tolerance) for tolerance in (1e-3, 1e-4, 1e-5)), near)
    score = lambda w: ("share above the best objective", value(problem, w, *pair) / best - 1)
    timed(call, size=len(y), work=reading(X, operations=4.0 * X.nnz), score=score)


def yeast(share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return features (N, V) and label indicators (N, L)."""
    X, Y = counts("yeast", share)
    return X.toarray().astype(np.float64), np.asarray(Y)


@line("logistic regressions of all labels", "textmix, side by side", "SciPy, one label at a time", target=1.0)
def bench_batch(name: str, share: float, timed: Any) -> None:
    """Compare our L-BFGS with SciPy's."""
    X, Y = yeast(share)
    batch, start = LogisticBatch(X, Y, np.ones(len(Y)), 1.0), np.zeros((X.shape[1] + 1, Y.shape[1]))

    def objective(problem: LogisticBatch, w: np.ndarray) -> tuple[float, np.ndarray]:
        W = w[:, np.newaxis]
        z = problem.predictors(W)
        loss, *_, residual = problem.loss_on_line(z, np.zeros_like(z), np.zeros(1))
        return float(loss[0] + (problem.penalty * W**2).sum() / 2), (
            features_gradient(X, residual) + problem.penalty * W
        ).ravel()

    def theirs() -> float:
        single = (functools.partial(objective, batch.select(np.array([label]))) for label in range(Y.shape[1]))
        return sum(minimise_function(one, np.zeros(len(start)), 2000, 1e-9).total_objective for one in single)

    def ours() -> float:
        return minimise(batch, start.copy(), 2000, 1e-5).total_objective

    work, score = Work(float(X.nbytes), 4.0 * X.size * Y.shape[1]), lambda found: ("objective", found)
    timed(theirs if "SciPy" in name else ours, size=len(Y), work=work, score=score)


@line("machines of given inner products", "textmix", "LIBSVM", target=1.0)
def bench_machines(name: str, share: float, timed: Any) -> None:
    """Dual formulation, with a tolerance of 0.001."""
    X, Y = yeast(share)
    gram, signs = X @ X.T, 2.0 * Y.T - 1.0

    def beta(sign: np.ndarray) -> np.ndarray:
        if name == "textmix":
            return np.asarray(next(cost_path(gram, sign, [1.0], 1.0, tol=1e-3, max_iter=10**7)).beta)
        machine, found = SVC(kernel="precomputed", C=1.0, tol=1e-3).fit(gram, sign), np.zeros(len(sign))
        found[machine.support_] = machine.dual_coef_.ravel()
        return found

    def run() -> float:
        return sum(float(sign @ b - b @ gram @ b / 2) for sign in signs for b in (beta(sign),))

    work = Work(float(gram.nbytes) * len(signs), 2.0 * gram.size * len(signs))
    timed(run, size=len(X), work=work, score=lambda found: ("dual objective", found))


@line("decomposition", "textmix", "scikit-learn, randomised", "scikit-learn, ARPACK", target=1.3)
def bench_lsi(name: str, share: float, timed: Any) -> None:
    """The 100 largest singular values; the score is their sum."""
    X, _ = counts("newsgroups", share / 4)
    k = min(100, min(X.shape) - 1)
    ours = LSITransformer(n_components=k, random_state=0)
    weighted = ours.fit(X).weighted(X)
    models: dict[str, Any] = {
        "textmix": (ours, X),
        "scikit-learn, randomised": (TruncatedSVD(k, n_iter=ITERATIONS, random_state=0), weighted),
        "scikit-learn, ARPACK": (TruncatedSVD(k, algorithm="arpack", random_state=0), weighted),
    }
    model, matrix = models[name]
    score = lambda fitted: ("sum of singular values", float(fitted.singular_values_.sum()))
    work = reading(weighted, operations=4.0 * weighted.nnz * k)
    timed(lambda: model.fit(matrix), size=X.shape[0], work=work, score=score)


@line("densities of documents", "textmix", "SciPy, one matrix of distances", target=1.0)
def bench_densities(name: str, share: float, timed: Any) -> None:
    X, y = counts("newsgroups", share / 4)
    Z = LSITransformer(n_components=min(100, min(X.shape) - 1), random_state=0).fit_transform(X)
    model = ProbabilisticNeuralNetwork().fit(Z, y)

    def by_matrix() -> np.ndarray:
        exponents = cdist(Z, Z, "sqeuclidean") / (-2.0 * model.width**2)
        classes = [np.flatnonzero(y == label) for label in np.unique(y)]
        return np.column_stack([np.log(1.0 / len(y)) + logsumexp(exponents[:, rows], axis=1) for rows in classes])

    call = (lambda: model.predict_joint_log_proba(Z)) if name == "textmix" else by_matrix
    score = lambda found: ("mean log density", float(found.mean()))
    work = reading(Z, operations=2.0 * len(Z) ** 2 * Z.shape[1])
    timed(call, size=len(Z), work=work, score=score, mib=0.25 * len(Z) ** 2 * 8 / 2**20)


@line("sensitivities of words", "sensitivities", "the classifier whose words they choose")
def bench_sensitivities(name: str, share: float, timed: Any) -> None:
    X, y = counts("newsgroups", share / 4)
    model = LSIDensityClassifier(n_components=min(50, min(X.shape) - 1), random_state=0)
    ours = lambda: sensitivity(X, y, np.random.default_rng(0))
    timed(ours if name == "sensitivities" else lambda: model.fit(X, y), size=len(y), work=reading(X))


@functools.lru_cache(maxsize=1)
def sequences(share: float) -> TokenSequences:
    """Return the documents as sequences of the 1,000 most frequent words, up to 60,000 tokens."""
    X, _ = counts("newsgroups", share / 10)
    common = np.sort(np.argsort(-np.asarray(X.sum(axis=0)).ravel(), kind="stable")[:1000])
    rows = [np.repeat(row.indices, row.data) for row in (X[[d]][:, common] for d in range(X.shape[0]))]
    shuffled = [np.random.default_rng(0).permutation(row) for row in rows if len(row)]
    kept = np.cumsum([len(row) for row in shuffled]) <= 60_000
    return TokenSequences.of([row for row, keep in zip(shuffled, kept, strict=True) if keep], len(common))


@line("pass of a hidden Markov model", "textmix", "hmmlearn, scaled", "hmmlearn, in logs", target=0.05)
@pytest.mark.parametrize("states", [5, 10, 20])
def bench_hmm(name: str, states: int, share: float, timed: Any) -> None:
    """One EM iteration; the score is the log-likelihood before it, which is the same for all candidates."""
    X = sequences(share)
    start = random_chain(background(X), states, np.random.RandomState(0))

    def ours() -> float:
        training = BaumWelch([X], [start], 1e-12, "own")
        training.step()
        return float(training.path[0] - training.penalty([start]))

    def theirs() -> float:
        logging.getLogger("hmmlearn").setLevel(logging.ERROR)
        way = "scaling" if "scaled" in name else "log"
        model = pytest.importorskip("hmmlearn.hmm").CategoricalHMM(
            states, n_features=X.n_words, n_iter=1, init_params="", params="ste", implementation=way
        )
        model.startprob_, model.transmat_, model.emissionprob_ = start.start, start.transitions, start.emissions.T
        model.fit(X.values[:, np.newaxis], X.lengths)
        return float(model.monitor_.history[0])

    work, score = Work(operations=6.0 * states**2 * len(X.values)), lambda found: ("log-likelihood", found)
    call = ours if name == "textmix" else theirs
    timed(call, case=f"{states} states", size=len(X.values), work=work, score=score)
