"""Models of counts: naive Bayes, DCM and EDCM, k nearest neighbours, topic models, thresholds on posteriors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from documents import accuracy, counts, indicators, line, split
from roofline import Work, products, reading
from scipy import sparse, special
from sklearn.metrics import accuracy_score, precision_score, recall_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import NearestNeighbors

from textmix import DCMClassifier, EDCMClassifier, KNNClassifier, MultinomialClassifier
from textmix.metrics.threshold import accumulated_sets, accumulated_sweep, threshold_sets, threshold_sweep
from textmix.models.dirichlet import latent_edcm_kernels
from textmix.models.dirichlet.latent_edcm import packed
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier
from textmix.models.neighbors.representations import REPRESENTATIONS

MODELS: dict[str, Callable[[], Any]] = {
    "textmix, multinomial": MultinomialClassifier,
    "textmix, edcm": EDCMClassifier,
    "textmix, dcm": DCMClassifier,
    "scikit-learn, MultinomialNB": lambda: MultinomialNB(alpha=0.01),
}


@line("fit of counts", *MODELS)
def bench_fit(name: str, share: float, timed: Any) -> None:
    X, y, X_test, y_test = split(*counts("newsgroups", share))
    model, score = MODELS[name](), accuracy(y_test)
    most = {"target": 0.3} if name == "textmix, edcm" else {}
    timed(
        lambda: model.fit(X, y),
        size=len(y),
        work=reading(X, operations=float(X.nnz)),
        score=lambda fitted: score(fitted.predict(X_test)),
        mib=2 * reading(X).bytes / 2**20,
        **most,
    )


@line("prediction of counts", *MODELS, target=1.0)
def bench_predict(name: str, share: float, timed: Any) -> None:
    X, y = counts("newsgroups", share)
    model, work = MODELS[name]().fit(X, y), reading(X, operations=2.0 * X.nnz * (y.max() + 1))
    timed(lambda: model.predict(X), size=len(y), work=work, mib=2 * reading(X).bytes / 2**20)


@line("training of the DCM", "textmix", "newton", "fixed_point", "SciPy, fixed point", target=1 / 50)
def bench_dcm(name: Any, share: float, timed: Any) -> None:
    """The peer is Minka's fixed-point iteration over all nonzero counts of a class, run to our log-likelihood."""
    X, y = counts("newsgroups", share / 10)
    if name.startswith("SciPy"):
        rows = [np.flatnonzero(y == c) for c in np.unique(y)]
        goals = [float(DCMClassifier().fit(X[part], y[part]).objective_path_[-1]) for part in rows]
        call: Callable[[], Any] = lambda: [scipy_dcm(X[part], goal) for part, goal in zip(rows, goals, strict=True)]
    else:
        method = "reciprocal_newton" if name == "textmix" else name
        call = lambda: DCMClassifier(method=method).fit(X, y)
    timed(call, size=len(y), work=reading(X))


def scipy_dcm(X: sparse.csr_array, goal: float, most: int = 300) -> np.ndarray:
    """Estimate one class by fixed-point iteration to a log-likelihood; after `most` steps the time is a lower bound."""
    length = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    length = length[length > 0]
    words, word_of = np.unique(X.indices, return_inverse=True)
    x = X.data.astype(np.float64)
    alpha = np.bincount(word_of, x, minlength=len(words)) / len(length)
    for step in range(most):
        old, s = alpha[word_of], alpha.sum()
        numerator = np.bincount(word_of, special.psi(x + old) - special.psi(old), minlength=len(words))
        alpha = alpha * numerator / np.sum(special.psi(length + s) - special.psi(s))
        if step % 10 == 9:
            old, s = alpha[word_of], alpha.sum()
            value = np.sum(special.gammaln(x + old) - special.gammaln(old))
            value -= np.sum(special.gammaln(length + s) - special.gammaln(s))
            if value >= goal - 1e-9 * abs(goal):
                break
    return alpha


COSINE = "scikit-learn, brute-force cosine"


@line("100 nearest neighbours", *(f"textmix, {each}" for each in REPRESENTATIONS), COSINE, target=0.3, mib=500.0)
def bench_neighbours(name: str, share: float, timed: Any) -> None:
    """The peer searches precomputed TF-IDF vectors; ours weights the queries during the search."""
    X, y, queries, _ = split(*counts("newsgroups", share))
    k = min(100, len(y))
    if name == COSINE:
        weighting = KNNClassifier(representation="tfidf").fit(X, y).representation_
        train, test = (sparse.csr_matrix(weighting.transform(part).sparse) for part in (X, queries))
        peer = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(train)
        call: Callable[[], Any] = lambda: peer.kneighbors(test)
    else:
        model = KNNClassifier(representation=name.removeprefix("textmix, ")).fit(X, y)
        call = lambda: model.kneighbors(queries, k)
    timed(call, size=len(y), work=reading(X, queries, operations=products(X, queries)))


@line("sweep of latent topics", "textmix", "read the parameters once", target=3.0)
def bench_sweep(name: str, share: float, timed: Any) -> None:
    """For each token of a document, a sweep reads K parameters and K sums, and writes K sums."""
    X, _ = packed(counts("newsgroups", share)[0])
    n_components, rng = 10, np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(n_components), size=X.shape[0])
    beta = rng.gamma(1.0, size=(X.shape[1], n_components))
    sums, table, data = np.empty_like(theta), np.empty_like(beta), np.ones(3 * X.nnz * n_components)
    work = reading(X.indices, theta, beta, sums, table, operations=4.0 * X.nnz * n_components)
    call = lambda: latent_edcm_kernels.sweep(X.indptr, X.indices, theta, beta, sums, table)
    ours = name == "textmix"
    timed(call if ours else data.sum, size=X.shape[0], work=work if ours else reading(data))


#: The peers evaluate one threshold in this many, so equal times mean that ours is this many times faster per threshold.
EVERY = 50
BY_NUMPY, BY_METRICS = (f"{package}, one threshold in {EVERY}" for package in ("NumPy", "scikit-learn"))


@line("1,000 thresholds", "textmix", BY_NUMPY, BY_METRICS, target=1.0)
def bench_thresholds(name: str, timed: Any) -> None:
    """Micro precision, micro recall and exact-match error, for cumulative posteriors and for binary log-odds."""
    X, Y, X_test, Y_test = split(*indicators("reuters"))
    posterior = AbsoluteDiscountingClassifier().fit(X, Y).predict_proba(X_test)
    odds, member = AbsoluteDiscountingBinary().fit(X, Y).decision_function(X_test), Y_test.astype(bool)
    thresholds = np.arange(1, 1001) / 1001
    few = thresholds[::EVERY]

    def ours() -> Any:
        """Return the metrics at all thresholds."""
        return accumulated_sweep(posterior, member, thresholds), threshold_sweep(
            odds, member, special.logit(thresholds)
        )

    def afresh(figures: Callable[[np.ndarray], Any]) -> list[Any]:
        """Return the metrics of label sets that are recomputed at every threshold."""
        sets = [accumulated_sets(posterior, threshold) for threshold in few]
        return [figures(found) for found in (*sets, *(threshold_sets(odds, limit) for limit in special.logit(few)))]

    def by_metrics(found: np.ndarray) -> Any:
        """Compute the metrics with scikit-learn."""
        named = {"average": "micro", "zero_division": 1.0}
        shares = [metric(member, found, **named) for metric in (precision_score, recall_score)]
        return [*shares, accuracy_score(member, found)]

    def by_numpy(found: np.ndarray) -> Any:
        """Compute the metrics with NumPy sums."""
        correct, detected = np.count_nonzero(member & found), max(1, np.count_nonzero(found))
        return correct / detected, correct / np.count_nonzero(member), (member == found).all(axis=1).mean()

    calls = {"textmix": ours, BY_METRICS: lambda: afresh(by_metrics), BY_NUMPY: lambda: afresh(by_numpy)}
    curves = reading(posterior, odds, member)
    timed(calls[name], size=len(member), work=curves if name == "textmix" else Work(len(few) * curves.bytes))


COPIES = "MultinomialNB, a document once for each of its labels"


@line("training of discounting", "textmix, classifier and binary classifiers", COPIES, target=1.0)
def bench_discounting(name: str, timed: Any) -> None:
    X, Y = indicators("reuters")
    rows, classes = np.nonzero(Y)
    copies = X[rows]
    if name == COPIES:
        timed(lambda: MultinomialNB().fit(copies, classes), size=len(Y), work=reading(copies, classes))
    else:
        ours = (AbsoluteDiscountingClassifier, AbsoluteDiscountingBinary)
        timed(lambda: [make().fit(X, Y) for make in ours], size=len(Y), work=reading(X, Y, times=2))
