"""LDA a class beside the Dirichlet compound multinomial: perplexity by two evaluations, and accuracy.

Perplexity is exp(-sum_d log p(words of d in order | class of d) / sum_d n_d) over the test documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reproduction.flow.measures import Measure, MeasureData, Quantities, Value
from reproduction.papers.thesis.trials import samples
from textmix.experiment.folds import fold_numbers
from textmix.experiment.trial import Documents, Trial
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.models.topics.lda import LDAClassifier

#: One training document in this many is held out to choose a parameter.
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
    quantities = Quantities(1.0)
    for role, source in sources.items():
        for trial in samples(source.documents(), source.splits, settings["documents"], rng):
            quantities.add(role, _trial(trial, settings, rng))
    return _with_differences(quantities, settings, sources)


def pooled_topics(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator) -> Measure:
    """Measure the perplexity of one LDA for all classes, beside that of the DCM, which has one model a class.

    Parameters
    ----------
    sources, settings, rng : see `latent_topics`.

    Returns
    -------
    a measure with ``<role>_<model>_nats`` of ``dcm`` and ``lda<K>``, their differences, and the table ``trials``.
    """
    quantities = Quantities(1.0)
    for role, source in sources.items():
        for trial in samples(source.documents(), source.splits, settings["documents"], rng):
            train, test = trial.train, trial.test[np.isin(trial.test.y, trial.train.y)]
            dcm = chosen(DCMClassifier, [{"smoothing": value} for value in settings["smoothing"]], train)
            one, tried = (Documents(part.X, np.zeros(len(part), dtype=np.int64)) for part in (train, test))
            numbers = {"dcm_nats": nats(dcm, test)}
            for k in settings["topics"]:
                numbers[f"lda{k}_nats"] = _left_to_right(one, tried, k, settings, int(rng.integers(2**31)))[1]
            quantities.add(role, numbers)
    return _with_differences(quantities, settings, sources)


def _with_differences(quantities: Quantities, settings: Mapping[str, Any], roles: Iterable[str]) -> Measure:
    """Return quantities and the differences of the DCM's and the topics' log perplexities."""
    pairs = {f"dcm_above_lda{k}": ("dcm_nats", f"lda{k}_nats") for k in settings["topics"]}
    values: dict[str, Value] = {**quantities.means(), **quantities.differences(pairs, list(roles))}
    return Measure(values, {"trials": quantities.rows()})


def _left_to_right(
    train: Documents, test: Documents, k: int, settings: Mapping[str, Any], seed: int
) -> tuple[LDAClassifier, float]:
    """Return an LDA of k topics a class with the chosen beta, and its log perplexity (nats a word) left to right."""
    points = [
        {"n_topics": k, "beta": beta, "max_iter": settings["max_iter"], "random_state": seed}
        for beta in settings["betas"]
    ]
    lda = chosen(LDAClassifier, points, train)
    estimate = lda.left_to_right_log_likelihood(test.X, test.y, settings["particles"], seed)
    return lda, -float(estimate.sum() / test.X.sum())


def _trial(trial: Trial, settings: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Return the numbers of one trial; test documents of a class without training documents do not count."""
    train, test = trial.train, trial.test[np.isin(trial.test.y, trial.train.y)]
    smoothed = [{"smoothing": value} for value in settings["smoothing"]]
    numbers: dict[str, float] = {}
    for name, kind in (("multinomial", MultinomialClassifier), ("dcm", DCMClassifier)):
        model = chosen(kind, smoothed, train)
        numbers |= {f"{name}_nats": nats(model, test), f"{name}_accuracy": test.accuracy(model)}
    numbers["edcm_accuracy"] = test.accuracy(train.fitted(EDCMClassifier(smoothing=0.01)))
    classes, codes = np.unique(train.y, return_inverse=True)
    pmm = Documents(train.X, np.eye(len(classes), dtype=np.int64)[codes]).fitted(PMM1(xi=1.1))
    numbers["pmm1_accuracy"] = float(np.mean(classes[np.argmax(pmm.predict_proba(test.X), axis=1)] == test.y))
    for k in settings["topics"]:
        lda, numbers[f"lda{k}_nats"] = _left_to_right(train, test, k, settings, int(rng.integers(2**31)))
        numbers[f"lda{k}_bound_nats"] = nats(lda, test)
        numbers[f"lda{k}_accuracy"] = test.accuracy(lda)
    return numbers


def chosen(kind: Any, points: Sequence[Mapping[str, Any]], train: Documents) -> Any:
    """Return the estimator with the parameters under which held-out documents are likeliest, fitted to all.

    The last of `HELD` folds is held out, but for documents of a class that no other fold has.
    """
    held = fold_numbers(len(train), HELD) == HELD - 1
    held &= np.isin(train.y, train.y[~held])
    lost = [nats(train[~held].fitted(kind(**point)), train[held]) for point in points]
    return train.fitted(kind(**points[int(np.argmin(lost))]))


def nats(model: Any, documents: Documents) -> float:
    """Return the log perplexity (nats a word) of documents under the models of their classes."""
    column = np.searchsorted(model.classes_, documents.y)
    logs = model.log_likelihood(documents.X, "sequence")[np.arange(len(documents)), column]
    return -float(logs.sum() / documents.X.sum())
