"""Exact-set error of both rules on the posteriors of further classifiers, and of label sets and a label for no class.

The document names some of these ways in passing: the binary rule with the top class where no label passes (footnote 5),
a class of its own for documents without a label (section 4.1), and the relation between classes (section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import sparse, special
from sklearn import preprocessing

from reproduction.flow.measures import Measure, Settings, Sources, only, seed_from
from reproduction.papers.multinomial.documents import Rules, params_of, sweep_of, thresholds_of, validation
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents
from textmix.metrics.threshold import Sweep
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.label_sets.chains import ClassifierChain
from textmix.models.label_sets.estimators import BinaryRelevance
from textmix.models.linear.softmax import SoftmaxClassifier
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier
from textmix.models.network.label_network import LabelNetwork

#: A log-odds that no posterior reaches: the label passes at every threshold.
ALWAYS = 1e300


class Scores(NamedTuple):
    """Scores of N documents for L labels: posteriors of the accumulated rule and log-odds of the binary rule."""

    posterior: np.ndarray
    log_odds: np.ndarray


def rival_posteriors(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the exact-set error of the accumulated rule, of the binary rule and of the binary rule with a fall-back.

    The threshold is that with the fewest wrong label sets on the labelled documents of a validation part of the
    training documents; models for the test documents are trained on all of them.

    Settings: as for `threshold_curves`, and ``models``, names of `RIVALS`,
    ``C`` of logistic regression, ``hidden``, ``decay`` and ``max_iter`` of the network.
    Result: the table ``rules`` has a row for each model and rule: the validated threshold with its errors on all and on
    the labelled test documents, and the best threshold on the test documents with its error; the model ``label sets``
    has no threshold.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    thresholds = thresholds_of(settings)
    fit, left_out = validation(train, settings["validation"], generator)
    seed = seed_from(generator)
    rows: list[dict[str, Any]] = []
    for name in settings["models"]:
        prepare, score = RIVALS[name]
        parts = [prepare(part) for part in (fit, left_out, train, test)]
        chosen = score(parts[0], parts[1].X, settings, seed)
        final = score(parts[2], parts[3].X, settings, seed)
        for rule in ("accumulated", "binary", "fall-back"):
            validated = _sweep(rule, chosen, parts[1].y, thresholds).lowest_set_error()
            sweep = _sweep(rule, final, parts[3].y, thresholds)
            labelled_scores = Scores(*(part[test.labelled] for part in final))
            labelled = _sweep(rule, labelled_scores, parts[3].y[test.labelled], thresholds)
            rows.append({"model": name, "rule": rule, **_errors(sweep, labelled, validated)})
    rows.append({"model": "label sets", "rule": "label set", **_label_sets(train, test, settings)})
    values = {f"{row['model']}_{row['rule']}_lowest_set_error".replace(" ", "_"): row["lowest"] for row in rows}
    values |= {f"{row['model']}_best_threshold": row["best"] for row in rows if row["rule"] == "binary"}
    return Measure(values, {"rules": rows})


def _sweep(rule: str, scores: Scores, Y: sparse.csr_array, thresholds: np.ndarray) -> Sweep:
    """Return the results of a rule at every threshold on the posterior."""
    if rule == "accumulated":
        return sweep_of("accumulated", scores.posterior, Y, thresholds)
    log_odds = scores.log_odds
    return sweep_of("binary", with_top_label(log_odds) if rule == "fall-back" else log_odds, Y, thresholds)


def with_top_label(log_odds: np.ndarray) -> np.ndarray:
    """Return log-odds (N, L) in which the most probable label of each document passes every threshold (footnote 5),
    before any other, which is not affected.
    """
    raised = log_odds.copy()
    raised[np.arange(len(raised)), np.argmax(raised, axis=1)] = ALWAYS
    return raised


def _errors(sweep: Sweep, labelled: Sweep, validated: int) -> dict[str, float]:
    """Return the cells of a rule: at the validated threshold, an index, and at the best threshold on the test."""
    best = sweep.lowest_set_error()
    return {
        "threshold": sweep.thresholds[validated],
        "set_error": sweep.set_error[validated],
        "set_error_without_unlabelled": labelled.set_error[validated],
        "best": sweep.thresholds[best],
        "lowest": sweep.set_error[best],
    }


def _label_sets(train: Documents, test: Documents, settings: Settings) -> dict[str, float]:
    """Return the cells of the multinomial with every label set of the training documents as a class."""
    sets, codes = np.unique(train.y.toarray(), axis=0, return_inverse=True)
    classes = sparse.csr_array(np.eye(len(sets))[codes.ravel()])
    model = Documents(train.X, classes).fitted(AbsoluteDiscountingClassifier(**params_of(settings)))
    chosen = sets[np.argmax(model.predict_log_proba(test.X), axis=1)]
    wrong = np.any(chosen != test.y.toarray(), axis=1)
    error, labelled = float(wrong.mean()), float(wrong[test.labelled].mean())
    nothing = {"threshold": float("nan"), "best": float("nan")}
    return {**nothing, "set_error": error, "set_error_without_unlabelled": labelled, "lowest": error}


def _unchanged(documents: Documents) -> Documents:
    return documents


def _with_no_class(documents: Documents) -> Documents:
    """Return the documents with one more label, that of documents without a label."""
    none = sparse.csr_array((~documents.labelled).astype(np.float64)[:, np.newaxis])
    return Documents(documents.X, sparse.csr_array(sparse.hstack([documents.y, none])))


def _multinomial(train: Documents, X: sparse.csr_array, settings: Settings, _: int) -> Scores:
    """Return the scores of the document's multinomial models for counts X (N, V)."""
    return Scores(*Rules(train, params_of(settings)).scores(X).values())


def _exclusive_multinomial(train: Documents, X: sparse.csr_array, settings: Settings, _: int) -> Scores:
    """Return the scores of `_multinomial` where the last label, <no_class>, excludes all further ones (section 4.1): a
    document has it alone where it is the most probable label, else never.
    """
    return Scores(*map(exclusive, _multinomial(train, X, settings, _), (0.0, -ALWAYS)))


def exclusive(scores: np.ndarray, never: float) -> np.ndarray:
    """Return scores (N, L) in which either the last label or all further ones of a document are ``never``."""
    changed = scores.copy()
    none = np.argmax(scores, axis=1) == scores.shape[1] - 1
    changed[none, :-1] = never
    changed[~none, -1] = never
    return changed


def _edcm(train: Documents, X: sparse.csr_array, settings: Settings, _: int) -> Scores:
    """Return the scores of EDCMs: one a class on replicated documents, and two a class for the binary rule."""
    return _by_classifiers(train, train.X, X, EDCMClassifier)


def _logistic_regression(train: Documents, X: sparse.csr_array, settings: Settings, seed: int) -> Scores:
    """Return the scores of logistic regression on log counts of length 1: of all classes together, and of each."""

    def model() -> SoftmaxClassifier:
        return SoftmaxClassifier(C=settings["C"], tol=0.01)

    return _by_classifiers(train, _unit_logs(train.X), _unit_logs(X), model)


def _by_classifiers(
    train: Documents, of_train: sparse.csr_array, of_test: sparse.csr_array, make: Callable[[], Any]
) -> Scores:
    """Return the scores of a classifier: of all classes on replicated documents, and of each class against the rest."""
    rows, labels = train.y.nonzero()
    posterior = np.zeros((of_test.shape[0], train.y.shape[1]))
    all_classes = Documents(of_train[rows], labels).fitted(make())
    posterior[:, all_classes.classes_] = all_classes.predict_proba(of_test)
    log_odds = np.full(posterior.shape, -ALWAYS)
    inputs, Y = of_train[train.labelled], train.y[train.labelled].toarray()
    for label in np.flatnonzero(Y.any(axis=0)):
        if Y[:, label].all():
            log_odds[:, label] = ALWAYS
        else:
            log_p = Documents(inputs, Y[:, label]).fitted(make()).predict_log_proba(of_test)
            log_odds[:, label] = log_p[:, 1] - log_p[:, 0]
    return Scores(posterior, np.clip(log_odds, -ALWAYS, ALWAYS))


def _network(train: Documents, X: sparse.csr_array, settings: Settings, seed: int) -> Scores:
    """Return the scores of a network with one hidden layer; its posteriors are of single labels in both rules."""
    shape = {name: settings[name] for name in ("hidden", "max_iter")}
    model = LabelNetwork(**shape, decays=(settings["decay"],), random_state=seed)
    train[train.labelled].fitted(model)
    log_odds = model.decision_function(X)
    return Scores(special.expit(log_odds), log_odds)


def _unit_logs(X: sparse.csr_array) -> sparse.csr_array:
    """Return log(1 + count), each row divided by its length."""
    logs = sparse.csr_array((np.log1p(X.data), X.indices, X.indptr), shape=X.shape)
    return sparse.csr_array(preprocessing.normalize(logs))


Score = Callable[[Documents, sparse.csr_array, Mapping[str, Any], int], Scores]
#: Name -> what is done to the documents before, and the scores of a model trained on them.
RIVALS: Mapping[str, tuple[Callable[[Documents], Documents], Score]] = {
    "multinomial": (_unchanged, _multinomial),
    "multinomial with <no_class>": (_with_no_class, _exclusive_multinomial),
    "EDCM": (_unchanged, _edcm),
    "logistic regression": (_unchanged, _logistic_regression),
    "network": (_unchanged, _network),
}


def label_dependence(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the exact-set error of independent labels, of a chain of labels and of a conditional Bernoulli mixture.

    Each is a set of logistic regressions on sign(s) log(1 + |s|), where s are the log-odds of the binary classifiers.
    Training documents get these from binary classifiers of the folds without them.

    Settings: ``discount``, ``discount_counts``, ``length`` of the binary classifiers; ``folds``; ``least``, a label of
    fewer training documents is never predicted; ``variance`` of the weights and ``tol`` of the solver; ``beam_width``
    of the chain; ``mixture``, parameters of `CBMClassifier`.
    Result: the table ``methods`` has a row for each method: its error on all and on the labelled test documents.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    params = {name: value for name, value in params_of(settings).items() if name != "discount_counts"}
    fold = fold_numbers(len(train), settings["folds"], generator)
    inputs, inputs_of_test = _out_of_fold_log_odds(train, fold, params), _log_odds(train, test.X, params)
    seed, used = seed_from(generator), np.flatnonzero(train.y.sum(axis=0) >= settings["least"])
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


def _methods(settings: Settings, seed: int) -> dict[str, Any]:
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


def _out_of_fold_log_odds(train: Documents, fold: np.ndarray, params: Mapping[str, Any]) -> np.ndarray:
    """Return `_log_odds` of each training document by classifiers of the folds without it, float64 (N, L)."""
    inputs = np.empty(train.y.shape)
    for train_rows, left_out in halves_of(fold):
        inputs[left_out] = _log_odds(train[train_rows], train.X[left_out], params)
    return inputs
