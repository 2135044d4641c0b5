"""Models of counts: naive Bayes, DCM and EDCM, k nearest neighbours, latent topics, thresholds on posteriors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from documents import counts, split
from roofline import Work, products, reading
from scipy import sparse, special
from sklearn.metrics import accuracy_score, precision_score, recall_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import NearestNeighbors

from textmix import DCMClassifier, EDCMClassifier, KNNClassifier, MultinomialClassifier
from textmix.metrics.accumulated import accumulated_sets, accumulated_sweep
from textmix.metrics.threshold import threshold_sets, threshold_sweep
from textmix.models.dirichlet import latent_edcm_kernels
from textmix.models.dirichlet.latent_edcm import packed
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier
from textmix.models.neighbors.representations import REPRESENTATIONS

BAYES = "scikit-learn, MultinomialNB"
MODELS: dict[str, Callable[[], Any]] = {
    "multinomial": MultinomialClassifier,
    "edcm": EDCMClassifier,
    "dcm": DCMClassifier,
    BAYES: lambda: MultinomialNB(alpha=0.01),
}


def accuracy(y: np.ndarray) -> Callable[[np.ndarray], tuple[str, float]]:
    """Return a score: the share of right classes."""
    return lambda found: ("accuracy", float((found == y).mean()))


@pytest.mark.benchmark(group="fit of counts")
@pytest.mark.parametrize("name", MODELS)
def bench_fit(name: str, share: float, timed: Any) -> None:
    X, y, X_test, y_test = split(*counts("newsgroups", share))
    model = MODELS[name]()
    facts: dict[str, Any] = {} if name == BAYES else {"mib": 2 * reading(X).bytes / 2**20}
    if name == "edcm":
        facts["target"] = 0.3
    score = lambda fitted: accuracy(y_test)(fitted.predict(X_test))
    work = reading(X, operations=float(X.nnz))
    timed(lambda: model.fit(X, y), size=len(y), peer=BAYES, work=work, score=score, **facts)


@pytest.mark.benchmark(group="prediction of counts")
@pytest.mark.parametrize("name", MODELS)
def bench_predict(name: str, share: float, timed: Any) -> None:
    X, y = counts("newsgroups", share)
    model = MODELS[name]().fit(X, y)
    facts: dict[str, Any] = {} if name == BAYES else {"target": 1.0, "mib": 2 * reading(X).bytes / 2**20}
    work = reading(X, operations=2.0 * X.nnz * (y.max() + 1))
    timed(lambda: model.predict(X), size=len(y), peer=BAYES, work=work, **facts)


SCIPY = "SciPy, fixed point"


@pytest.mark.benchmark(group="training of the DCM")
@pytest.mark.parametrize("name", ["reciprocal_newton", "newton", "fixed_point", SCIPY])
def bench_dcm(name: Any, share: float, timed: Any) -> None:
    """Minka's fixed point over all non-zero counts of a class at once, up to our log-likelihood, is the peer."""
    X, y = counts("newsgroups", share / 10)
    if name == SCIPY:
        rows = [np.flatnonzero(y == c) for c in np.unique(y)]
        goals = [float(DCMClassifier().fit(X[part], y[part]).objective_path_[-1]) for part in rows]
        call: Callable[[], Any] = lambda: [scipy_dcm(X[part], goal) for part, goal in zip(rows, goals, strict=True)]
    else:
        call = lambda: DCMClassifier(method=name).fit(X, y)
    facts = {"target": 1 / 50} if name == "reciprocal_newton" else {}
    timed(call, size=len(y), peer=SCIPY, work=reading(X), **facts)


def scipy_dcm(X: sparse.csr_array, goal: float, most: int = 300) -> np.ndarray:
    """Return the parameters of one class after enough fixed-point steps; after `most` the time is a lower bound."""
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


@pytest.mark.benchmark(group="100 nearest neighbours")
@pytest.mark.parametrize("name", [*REPRESENTATIONS, COSINE])
def bench_neighbours(name: Any, share: float, timed: Any) -> None:
    """The peer searches TF-IDF vectors that are weighted beforehand; ours weighs the queries."""
    X, y, queries, _ = split(*counts("newsgroups", share))
    k, facts = min(100, len(y)), {"target": 0.3, "mib": 500.0}
    if name == COSINE:
        weighting = KNNClassifier(representation="tfidf").fit(X, y).representation_
        train, test = (sparse.csr_matrix(weighting.transform(part).sparse) for part in (X, queries))
        peer, facts = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(train), {}
        call: Callable[[], Any] = lambda: peer.kneighbors(test)
    else:
        model = KNNClassifier(representation=name).fit(X, y)
        call = lambda: model.kneighbors(queries, k)
    timed(call, size=len(y), peer=COSINE, work=reading(X, queries, operations=products(X, queries)), **facts)


READ = "read the parameters once"


@pytest.mark.benchmark(group="sweep of latent topics")
@pytest.mark.parametrize("name", ["textmix", READ])
def bench_sweep(name: str, share: float, timed: Any) -> None:
    """A sweep reads for each word of a document K parameters and K sums, and writes K sums."""
    X, _ = packed(counts("newsgroups", share)[0])
    n_topics, rng = 10, np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(n_topics), size=X.shape[0])
    beta = rng.gamma(1.0, size=(X.shape[1], n_topics))
    sums, table, data = np.empty_like(theta), np.empty_like(beta), np.ones(3 * X.nnz * n_topics)
    calls: dict[str, Callable[[], Any]] = {
        "textmix": lambda: latent_edcm_kernels.sweep(X.indptr, X.indices, theta, beta, sums, table),
        READ: data.sum,
    }
    facts = {"target": 3.0} if name == "textmix" else {}
    work = reading(X.indices, theta, beta, sums, table, operations=4.0 * X.nnz * n_topics)
    timed(calls[name], size=X.shape[0], peer=READ, work=work if name == "textmix" else reading(data), **facts)


#: The peers decide at one threshold in this many: equal times mean that ours is this many times faster a threshold.
EVERY = 50
METRICS = f"scikit-learn, one threshold in {EVERY}"


@pytest.mark.benchmark(group="1,000 thresholds")
@pytest.mark.parametrize("name", ["textmix", METRICS, f"NumPy, one threshold in {EVERY}"])
def bench_thresholds(name: str, timed: Any) -> None:
    """Micro precision, recall and exact-set error of posteriors that are accumulated, and of binary log-odds."""
    X, Y, X_test, Y_test = split(*_labels("reuters"))
    posterior = AbsoluteDiscountingClassifier().fit(X, Y).predict_proba(X_test)
    odds, member = AbsoluteDiscountingBinary().fit(X, Y).decision_function(X_test), Y_test.astype(bool)
    thresholds = np.arange(1, 1001) / 1001
    few = thresholds[::EVERY]

    def afresh(figures: Callable[[np.ndarray], Any]) -> list[Any]:
        """Return the figures of label sets that are decided at every threshold."""
        sets = [accumulated_sets(posterior, threshold) for threshold in few]
        return [figures(found) for found in (*sets, *(threshold_sets(odds, limit) for limit in special.logit(few)))]

    def by_metrics(found: np.ndarray) -> Any:
        """Return the figures by scikit-learn."""
        named = {"average": "micro", "zero_division": 1.0}
        shares = [metric(member, found, **named) for metric in (precision_score, recall_score)]
        return [*shares, accuracy_score(member, found)]

    def by_numpy(found: np.ndarray) -> Any:
        """Return the figures by sums."""
        correct, detected = np.count_nonzero(member & found), max(1, np.count_nonzero(found))
        return correct / detected, correct / np.count_nonzero(member), (member == found).all(axis=1).mean()

    curves = reading(posterior, odds, member)
    work = curves if name == "textmix" else Work(len(few) * curves.bytes)
    if name == "textmix":
        call: Callable[[], Any] = lambda: (
            accumulated_sweep(posterior, member, thresholds),
            threshold_sweep(odds, member, special.logit(thresholds)),
        )
    else:
        call = lambda: afresh(by_metrics if name == METRICS else by_numpy)
    timed(call, size=len(member), peer=METRICS, work=work, **({"target": 1.0} if name == "textmix" else {}))


COPIES = "MultinomialNB, a document once for each of its labels"


@pytest.mark.benchmark(group="training of discounting")
@pytest.mark.parametrize("name", ["textmix, classifier and binary classifiers", COPIES])
def bench_discounting(name: str, timed: Any) -> None:
    X, Y = _labels("reuters")
    rows, classes = np.nonzero(Y)
    copies = X[rows]
    ours = lambda: (AbsoluteDiscountingClassifier().fit(X, Y), AbsoluteDiscountingBinary().fit(X, Y))
    peer = lambda: MultinomialNB().fit(copies, classes)
    facts = {} if name == COPIES else {"target": 1.0}
    work = reading(copies, classes) if name == COPIES else reading(X, Y, times=2)
    timed(peer if name == COPIES else ours, size=len(Y), peer=COPIES, work=work, **facts)


def _labels(name: str) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts and label indicators, also of a data set of one label a document."""
    X, target = counts(name)
    return X, np.eye(target.max() + 1, dtype=np.int8)[target] if target.ndim == 1 else target
