"""Exact-set error of both rules for additional classifiers, for label sets as classes, and for a no-label class.

The paper mentions some of these variants: the binary rule that falls back to the most probable class if no label passes
(footnote 5), a class for unlabelled documents (section 4.1), and dependence between classes (section 5).
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

#: Log-odds that exceed the log-odds of any posterior, so that the label passes every threshold.
ALWAYS = 1e300
#: Log-odds are clipped to this magnitude before they are inputs of another model.
MAX_INPUT_LOG_ODDS = 1e9


class Scores(NamedTuple):
    """Scores of N documents for L labels.

    Attributes
    ----------
    posterior : ndarray of shape (n_documents, n_labels)
        Posteriors for the accumulated rule.
    log_odds : ndarray of shape (n_documents, n_labels)
        Log-odds for the binary rule.
    """

    posterior: np.ndarray
    log_odds: np.ndarray


def rival_posteriors(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the exact-set error of the accumulated rule, the binary rule and the binary rule with fall-back.

    The validated threshold minimises the number of wrong label sets on the labelled documents of a validation part of
    the training documents. Models for the test documents are trained on all training documents.

    Settings: see `threshold_curves`, and ``models``, keys of `CLASSIFIERS`; ``C`` of logistic regression;
    ``hidden``, ``decay`` and ``max_iter`` of the network.
    Result: the table ``rules`` has a row for each model and rule: the validated threshold with its errors on all and on
    the labelled test documents, and the best threshold on the test documents with its error. The model ``label sets``
    has no threshold.
    """
    trial = only(sources).first("labels")
    thresholds = thresholds_of(settings)
    is_labelled = trial.test.labelled
    fit, held_out = validation(trial.train, settings["validation"], generator)
    seed = seed_from(generator)
    rows: list[dict[str, Any]] = []
    for name in settings["models"]:
        prepare, score = CLASSIFIERS[name]
        train, test = prepare(trial.train), prepare(trial.test)
        held_out_labels = prepare(held_out)
        held_out_scores = score(prepare(fit), held_out.X, settings, seed)
        test_scores = score(train, test.X, settings, seed)
        labelled_scores = Scores(test_scores.posterior[is_labelled], test_scores.log_odds[is_labelled])
        for rule in ("accumulated", "binary", "fall-back"):
            validated = _sweep(rule, held_out_scores, held_out_labels.y, thresholds).lowest_set_error()
            sweep = _sweep(rule, test_scores, test.y, thresholds)
            labelled = _sweep(rule, labelled_scores, test.y[is_labelled], thresholds)
            rows.append({"model": name, "rule": rule, **_describe_errors(sweep, labelled, validated)})
    label_sets = _classify_label_sets(trial.train, trial.test, settings)
    rows.append({"model": "label sets", "rule": "label set", **label_sets})
    values: dict[str, float] = {}
    for row in rows:
        key = f"{row['model']}_{row['rule']}_lowest_set_error".replace(" ", "_")
        values[key] = row["lowest"]
    for row in rows:
        if row["rule"] == "binary":
            values[f"{row['model']}_best_threshold"] = row["best"]
    return Measure(values, {"rules": rows})


def _sweep(rule: str, scores: Scores, Y: sparse.csr_array, thresholds: np.ndarray) -> Sweep:
    """Evaluate a rule at each threshold on the posterior."""
    if rule == "accumulated":
        return sweep_of("accumulated", scores.posterior, Y, thresholds)
    log_odds = with_top_label(scores.log_odds) if rule == "fall-back" else scores.log_odds
    return sweep_of("binary", log_odds, Y, thresholds)


def with_top_label(log_odds: np.ndarray) -> np.ndarray:
    """Let the most probable label of each document pass every threshold (footnote 5).

    Parameters
    ----------
    log_odds : ndarray of shape (n_documents, n_labels)

    Returns
    -------
    ndarray of shape (n_documents, n_labels)
        Copy with the largest log-odds of each document set to `ALWAYS`.
    """
    raised = log_odds.copy()
    top_label = np.argmax(raised, axis=1)
    raised[np.arange(len(raised)), top_label] = ALWAYS
    return raised


def _describe_errors(sweep: Sweep, labelled: Sweep, validated: int) -> dict[str, float]:
    """Return the cells of a rule at the validated threshold, specified by its index, and at the best test threshold."""
    best = sweep.lowest_set_error()
    return {
        "threshold": sweep.thresholds[validated],
        "set_error": sweep.set_error[validated],
        "set_error_without_unlabelled": labelled.set_error[validated],
        "best": sweep.thresholds[best],
        "lowest": sweep.set_error[best],
    }


def _classify_label_sets(train: Documents, test: Documents, settings: Settings) -> dict[str, float]:
    """Return the cells of the multinomial with the training label sets as classes (label powerset)."""
    sets, codes = np.unique(train.y.toarray(), axis=0, return_inverse=True)
    classes = sparse.csr_array(np.eye(len(sets))[codes.ravel()])
    model = AbsoluteDiscountingClassifier(**params_of(settings))
    Documents(train.X, classes).fitted(model)
    most_probable = np.argmax(model.predict_log_proba(test.X), axis=1)
    predicted = sets[most_probable]
    is_wrong = np.any(predicted != test.y.toarray(), axis=1)
    error = float(is_wrong.mean())
    error_without_unlabelled = float(is_wrong[test.labelled].mean())
    return {
        "threshold": float("nan"),
        "best": float("nan"),
        "set_error": error,
        "set_error_without_unlabelled": error_without_unlabelled,
        "lowest": error,
    }


def _unchanged(documents: Documents) -> Documents:
    """Return the documents."""
    return documents


def _with_no_class(documents: Documents) -> Documents:
    """Add a label for documents without a label."""
    unlabelled = (~documents.labelled).astype(np.float64)
    new_column = sparse.csr_array(unlabelled[:, np.newaxis])
    labels = sparse.hstack([documents.y, new_column])
    return Documents(documents.X, sparse.csr_array(labels))


def _score_multinomial(train: Documents, X: sparse.csr_array, settings: Settings, _: int) -> Scores:
    """Compute the scores of the multinomial models of the paper for counts X (N, V)."""
    scores = Rules(train, params_of(settings)).scores(X)
    return Scores(scores["accumulated"], scores["binary"])


def _score_exclusive_multinomial(train: Documents, X: sparse.csr_array, settings: Settings, seed: int) -> Scores:
    """Compute the scores of the multinomial models with an exclusive last label, <no_class>.

    A document gets only this label if it is the most probable one, and otherwise never (section 4.1).
    """
    scores = _score_multinomial(train, X, settings, seed)
    return Scores(exclusive(scores.posterior, 0.0), exclusive(scores.log_odds, -ALWAYS))


def exclusive(scores: np.ndarray, never: float) -> np.ndarray:
    """Make the last label and the other labels mutually exclusive.

    Parameters
    ----------
    scores : ndarray of shape (n_documents, n_labels)
    never : float
        Score of a label that never passes.

    Returns
    -------
    ndarray of shape (n_documents, n_labels)
        Copy with the score ``never`` for either the last label or all other labels of each document.
    """
    changed = scores.copy()
    last_is_best = np.argmax(scores, axis=1) == scores.shape[1] - 1
    changed[last_is_best, :-1] = never
    changed[~last_is_best, -1] = never
    return changed


def _score_edcm(train: Documents, X: sparse.csr_array, settings: Settings, _: int) -> Scores:
    """Compute the scores of EDCMs: one per class on replicated documents, and two per class for the binary rule."""
    return _score_classifiers(train, train.X, X, EDCMClassifier)


def _score_logistic_regression(train: Documents, X: sparse.csr_array, settings: Settings, seed: int) -> Scores:
    """Compute the scores of multinomial and binary logistic regression on L2-normalised log counts."""

    def make_model() -> SoftmaxClassifier:
        return SoftmaxClassifier(C=settings["C"], tol=0.01)

    return _score_classifiers(train, _normalised_logs(train.X), _normalised_logs(X), make_model)


def _score_classifiers(
    train: Documents, X_train: sparse.csr_array, X_test: sparse.csr_array, make_model: Callable[[], Any]
) -> Scores:
    """Compute the scores of a multi-class classifier on replicated documents, and of one-vs-rest classifiers."""
    rows, labels = train.y.nonzero()
    posterior = np.zeros((X_test.shape[0], train.y.shape[1]))
    multi_class = Documents(X_train[rows], labels).fitted(make_model())
    posterior[:, multi_class.classes_] = multi_class.predict_proba(X_test)
    log_odds = np.full(posterior.shape, -ALWAYS)
    X_labelled = X_train[train.labelled]
    Y_labelled = train.y[train.labelled].toarray()
    for label in np.flatnonzero(Y_labelled.any(axis=0)):
        if Y_labelled[:, label].all():
            log_odds[:, label] = ALWAYS
        else:
            binary = Documents(X_labelled, Y_labelled[:, label]).fitted(make_model())
            log_p = binary.predict_log_proba(X_test)
            log_odds[:, label] = log_p[:, 1] - log_p[:, 0]
    return Scores(posterior, np.clip(log_odds, -ALWAYS, ALWAYS))


def _score_network(train: Documents, X: sparse.csr_array, settings: Settings, seed: int) -> Scores:
    """Compute the scores of a network with one hidden layer. Both rules use the posteriors of single labels."""
    model = LabelNetwork(
        hidden=settings["hidden"],
        max_iter=settings["max_iter"],
        decays=(settings["decay"],),
        random_state=seed,
    )
    train[train.labelled].fitted(model)
    log_odds = model.decision_function(X)
    return Scores(special.expit(log_odds), log_odds)


def _normalised_logs(X: sparse.csr_array) -> sparse.csr_array:
    """Compute log(1 + count) with L2-normalised rows."""
    logs = sparse.csr_array((np.log1p(X.data), X.indices, X.indptr), shape=X.shape)
    return sparse.csr_array(preprocessing.normalize(logs))


Score = Callable[[Documents, sparse.csr_array, Mapping[str, Any], int], Scores]
#: Preparation of the documents and scoring function of each classifier.
CLASSIFIERS: Mapping[str, tuple[Callable[[Documents], Documents], Score]] = {
    "multinomial": (_unchanged, _score_multinomial),
    "multinomial with <no_class>": (_with_no_class, _score_exclusive_multinomial),
    "EDCM": (_unchanged, _score_edcm),
    "logistic regression": (_unchanged, _score_logistic_regression),
    "network": (_unchanged, _score_network),
}


def label_dependence(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the exact-set error of independent labels, a classifier chain and a conditional Bernoulli mixture.

    All three use logistic regressions on sign(s) log(1 + |s|), where s are the log-odds of the binary classifiers. The
    log-odds of training documents are out-of-fold predictions.

    Settings: ``discount``, ``discount_counts`` and ``length`` of the binary classifiers; ``folds``;
    ``min_class_documents``, the minimum number of training documents per predicted label; ``variance`` of the
    weights and ``tol`` of the solver; ``beam_width`` of the chain; ``mixture``, parameters of `CBMClassifier`.
    Result: the table ``methods`` has a row for each method: its error on all and on the labelled test documents.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    params = {name: value for name, value in params_of(settings).items() if name != "discount_counts"}
    fold = fold_numbers(len(train), settings["folds"], generator)
    inputs_train = _out_of_fold_log_odds(train, fold, params)
    inputs_test = _log_odds(train, test.X, params)
    seed = seed_from(generator)
    frequent = np.flatnonzero(train.y.sum(axis=0) >= settings["min_class_documents"])
    Y_train = train.y.toarray()[:, frequent]
    Y_test = test.y.toarray() > 0
    rows = []
    for name, model in _dependence_models(settings, seed).items():
        fitted = Documents(inputs_train[:, frequent], Y_train).fitted(model)
        predicted = np.zeros_like(Y_test)
        predicted[:, frequent] = fitted.predict(inputs_test[:, frequent])
        is_wrong = np.any(predicted != Y_test, axis=1)
        row = {
            "method": name,
            "set_error": is_wrong.mean(),
            "set_error_without_unlabelled": is_wrong[test.labelled].mean(),
            "labels": predicted.sum() / len(predicted),
        }
        rows.append(row)
    values = {}
    for row in rows:
        key = f"{row['method']}_set_error".replace(" ", "_")
        values[key] = row["set_error"]
    return Measure(values, {"methods": rows})


def _dependence_models(settings: Settings, seed: int) -> dict[str, Any]:
    """Create the models of `label_dependence` by name."""
    variance, tol = settings["variance"], settings["tol"]
    chain = ClassifierChain(variance=variance, random_state=seed, beam_width=settings["beam_width"], tol=tol)
    return {
        "independent labels": BinaryRelevance(variance=variance, tol=tol),
        "chain": chain,
        "CBM": CBMClassifier(variance=variance, random_state=seed, **settings["mixture"]),
    }


def _log_odds(train: Documents, X: sparse.csr_array, params: Mapping[str, Any]) -> np.ndarray:
    """Compute sign(s) log(1 + |s|) of the log-odds s of binary classifiers for counts X (N, V), float64 (N, L)."""
    scores = train.fitted(AbsoluteDiscountingBinary(**params)).decision_function(X)
    magnitude = np.minimum(np.abs(scores), MAX_INPUT_LOG_ODDS)
    return np.asarray(np.sign(scores) * np.log1p(magnitude))


def _out_of_fold_log_odds(train: Documents, fold: np.ndarray, params: Mapping[str, Any]) -> np.ndarray:
    """Compute the `_log_odds` of each training document with classifiers of the other folds, float64 (N, L)."""
    inputs = np.empty(train.y.shape)
    for train_rows, held_out in halves_of(fold):
        inputs[held_out] = _log_odds(train[train_rows], train.X[held_out], params)
    return inputs
