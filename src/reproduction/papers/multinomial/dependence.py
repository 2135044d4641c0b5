"""The relation between the classes, which the document names as further work (section 5): chains and a mixture.

The inputs of all three methods are the log-odds of the document's binary classifiers, so that they differ in one thing:
whether, and how, the labels of a document depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.flow.measures import Measure, MeasureData
from reproduction.papers.multinomial.documents import first, params_of
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.label_sets.chains import ClassifierChain
from textmix.models.label_sets.estimators import BinaryRelevance
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary


def label_dependence(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Measure the exact-set error of independent labels, of a chain of labels and of a conditional Bernoulli mixture.

    Each is a set of logistic regressions on sign(s) log(1 + |s|), where s are the log-odds of the binary classifiers.
    Training documents get these from binary classifiers of the folds without them.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : ``discount``, ``discount_counts``, ``length`` of the binary classifiers; ``folds``; ``least``, a label of
        fewer training documents is never predicted; ``variance`` of the weights and ``tol`` of the solver;
        ``beam_width`` of the chain; ``mixture``, parameters of `CBMClassifier`.
    generator : draws the folds, the order of the chain and the starts of the mixture.

    Returns
    -------
    a measure whose table ``methods`` has a row for each method: its error on all and on the labelled test documents.
    """
    trial = first(sources)
    train, test = trial.train, trial.test
    params = {name: value for name, value in params_of(settings).items() if name != "discount_counts"}
    fold = fold_numbers(len(train), settings["folds"], generator)
    inputs, inputs_of_test = _crossed(train, fold, params), _log_odds(train, test.X, params)
    seed, used = int(generator.integers(2**31)), np.flatnonzero(train.y.sum(axis=0) >= settings["least"])
    Y, true = train.y.toarray()[:, used], test.y.toarray() > 0
    rows = []
    for name, model in _methods(settings, seed).items():
        sets = np.zeros_like(true)
        sets[:, used] = Documents(inputs[:, used], Y).fitted(model).predict(inputs_of_test[:, used])
        wrong = np.any(sets != true, axis=1)
        errors = {"set_error": wrong.mean(), "set_error_without_unlabelled": wrong[test.labelled].mean()}
        rows.append({"method": name, **errors, "labels": sets.sum() / len(sets)})
    return Measure(
        {f"{row['method']}_set_error".replace(" ", "_"): row["set_error"] for row in rows}, {"methods": rows}
    )


def _methods(settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the classifiers by name."""
    prior: dict[str, Any] = {"variance": settings["variance"]}
    drawn: dict[str, Any] = {"random_state": seed}
    return {
        "independent labels": BinaryRelevance(**prior, tol=settings["tol"]),
        "chain": ClassifierChain(**prior, **drawn, beam_width=settings["beam_width"], tol=settings["tol"]),
        "CBM": CBMClassifier(**prior, **drawn, **settings["mixture"]),
    }


def _log_odds(train: Documents, X: sparse.csr_array, params: Mapping[str, Any]) -> np.ndarray:
    """Return sign(s) log(1 + |s|) of the log-odds s of binary classifiers for counts X (N, V), float64 (N, L)."""
    scores = train.fitted(AbsoluteDiscountingBinary(**params)).decision_function(X)
    return np.asarray(np.sign(scores) * np.log1p(np.minimum(np.abs(scores), 1e9)))


def _crossed(train: Documents, fold: np.ndarray, params: Mapping[str, Any]) -> np.ndarray:
    """Return `_log_odds` of each training document by classifiers of the folds without it, float64 (N, L).

    Parameters
    ----------
    fold : int (N,), the fold of each document.
    """
    inputs = np.empty(train.y.shape)
    for train_rows, left_out in halves_of(fold):
        inputs[left_out] = _log_odds(train[train_rows], train.X[left_out], params)
    return inputs
