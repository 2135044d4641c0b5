"""LDA a class beside the Dirichlet compound multinomial: perplexity by two evaluations, and accuracy.

Perplexity is exp(-sum_d log p(words of d in order | class of d) / sum_d n_d) over the test documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.papers.thesis.trials import Found, samples
from reproduction.stored.measures import Measure, MeasureData
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.models.topics.lda import LDAClassifier

#: One of so many training documents is held out to choose a parameter.
HELD = 5


def latent_topics(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator) -> Measure:
    """Measure perplexity and accuracy of LDA a class for several numbers of topics, beside DCM, EDCM and PMM1.

    Smoothing, or the topics' beta, is chosen by the likelihood of one in `HELD` training documents.

    Parameters
    ----------
    sources : role -> data set.
    settings : ``documents``, most training and most test documents of a trial; ``topics``, numbers of topics;
        ``betas`` and ``smoothing``, values to choose from; ``particles`` of the left-to-right estimate; ``max_iter``.
    rng : draws documents, starts and words' order.

    Returns
    -------
    a measure with ``<role>_<model>_nats``, log perplexity (nats a word) of ``multinomial``, ``dcm`` and ``lda<K>``,
    the last by the left-to-right estimate and as ``_bound`` by the variational bound; ``<role>_<model>_accuracy``;
    ``<role>_dcm_above_lda<K>``, a difference of log perplexities with its interval; and the table ``trials``.
    """
    found = Found(1.0)
    for role, source in sources.items():
        X, y = source.corpus.features, source.corpus.classes().astype(np.int64)
        for train, test in samples(source, settings["documents"], rng):
            part = (X[train], y[train]), (X[test], y[test])  # type: ignore[index]
            found.add(role, _trial(part, settings, rng))
    pairs = {f"dcm_above_lda{k}": ("dcm_nats", f"lda{k}_nats") for k in settings["topics"]}
    return Measure({**found.means(), **found.differences(pairs, list(sources))}, {"trials": found.rows()})


Part = tuple[sparse.csr_array, np.ndarray]


def _trial(parts: tuple[Part, Part], settings: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Return the numbers of one trial; test documents of a class without training documents do not count."""
    (X, y), (X_test, y_test) = parts
    known = np.isin(y_test, y)
    X_test, y_test = X_test[known], y_test[known]
    smoothed = [{"smoothing": value} for value in settings["smoothing"]]
    numbers: dict[str, float] = {}
    for name, kind in (("multinomial", MultinomialClassifier), ("dcm", DCMClassifier)):
        model = chosen(kind, smoothed, X, y)
        numbers |= {f"{name}_nats": nats(model, X_test, y_test), f"{name}_accuracy": model.score(X_test, y_test)}
    numbers["edcm_accuracy"] = EDCMClassifier(smoothing=0.01).fit(X, y).score(X_test, y_test)
    classes, codes = np.unique(y, return_inverse=True)
    pmm = PMM1(xi=1.1).fit(X, np.eye(len(classes), dtype=np.int64)[codes])
    numbers["pmm1_accuracy"] = float(np.mean(classes[np.argmax(pmm.predict_proba(X_test), axis=1)] == y_test))
    for k in settings["topics"]:
        seed = int(rng.integers(2**31))
        points = [
            {"n_topics": k, "beta": beta, "max_iter": settings["max_iter"], "random_state": seed}
            for beta in settings["betas"]
        ]
        lda = chosen(LDAClassifier, points, X, y)
        estimate = lda.left_to_right_log_likelihood(X_test, y_test, settings["particles"], seed)
        numbers[f"lda{k}_nats"] = -float(estimate.sum() / X_test.sum())
        numbers[f"lda{k}_bound_nats"] = nats(lda, X_test, y_test)
        numbers[f"lda{k}_accuracy"] = lda.score(X_test, y_test)
    return numbers


def chosen(kind: Any, points: Sequence[Mapping[str, Any]], X: sparse.csr_array, y: np.ndarray) -> Any:
    """Return the estimator with the parameters under which held-out documents are likeliest, fitted to all."""
    held = np.arange(len(y)) % HELD == HELD - 1
    held &= np.isin(y, y[~held])
    lost = [nats(kind(**point).fit(X[~held], y[~held]), X[held], y[held]) for point in points]
    return kind(**points[int(np.argmin(lost))]).fit(X, y)


def nats(model: Any, X: sparse.csr_array, y: np.ndarray) -> float:
    """Return the log perplexity (nats a word) of documents (N, V) under the models of their classes (N,)."""
    logs = model.log_likelihood(X, "sequence")[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return -float(logs.sum() / X.sum())
