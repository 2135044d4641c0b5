"""Methods cited in the slides: dropout training and paragraph vectors with unlabelled reviews, compressive features.

Sources: Wager, Wang & Liang, NIPS 2013, section 5; Mesnil, Mikolov, Ranzato & Bengio, ICLR 2015 (workshop), who note
that the published accuracy of paragraph vectors requires training reviews in file order; Paskov, West, Mitchell &
Hastie, NIPS 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse
from sklearn import linear_model

from reproduction.flow.measures import Measure, MeasureData, Repeated, Settings, Sources, only, seed_from
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents, Trial, trials_of
from textmix.models.linear.dropout import DropoutLogisticRegression
from textmix.models.linear.path import PathClassifier
from textmix.text.compression import dictionary, ngram_ids, presence


def dropout_unlabelled(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the test accuracy of dropout logistic regression with unlabelled reviews.

    The dropout probability ``delta`` and the weight ``discount`` of unlabelled reviews are tuned on one fold of the
    training reviews.

    Data: two labels, and unlabelled documents.
    Settings: ``params`` of `DropoutLogisticRegression`; ``tried``, pairs of ``delta`` and ``discount``; ``folds``,
    number of folds; the first one is the validation set.
    Result: the accuracy on test reviews, the selected pair, and the table ``held_out`` (delta, discount, validation
    accuracy).
    """
    source = only(sources)
    trial = positive_trial(source)
    train = trial.train
    unlabelled = features_of(source)[np.flatnonzero(source.corpus.label_counts == 0)]

    def accuracy(pair: Sequence[float], fitted: Documents, test: Documents) -> float:
        delta, discount = pair
        model = DropoutLogisticRegression(**settings["params"], delta=delta, discount=discount)
        return test.accuracy(model.fit(fitted.X, fitted.y, unlabelled))

    fitted_rows, held_out_rows = next(halves_of(fold_numbers(len(train), settings["folds"], generator)))
    pairs = settings["tried"]
    held_out = [accuracy(pair, train[fitted_rows], train[held_out_rows]) for pair in pairs]
    best = pairs[int(np.argmax(held_out))]
    values = {
        "accuracy": accuracy(best, train, trial.test),
        "delta": float(best[0]),
        "discount": float(best[1]),
    }
    rows = []
    for (delta, discount), fold_accuracy in zip(pairs, held_out, strict=True):
        rows.append({"delta": delta, "discount": discount, "accuracy": fold_accuracy})
    return Measure(values, {"held_out": rows})


def vectors_accuracy(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the accuracy of logistic regression on paragraph vectors, for the predefined and for random splits.

    Data: two labels, and vectors as features.
    Settings: ``splits``, the number of random halves of the labelled reviews; ``params`` of scikit-learn's
    ``LogisticRegression``.
    Result: the accuracy on the predefined test reviews (``given``), and on each of the ``random`` halves.
    """
    source = only(sources)
    reviews = Documents(features_of(source), source.corpus.indicators()[:, 1])

    def accuracy(train_rows: np.ndarray, test_rows: np.ndarray) -> float:
        train = Documents(reviews.X[train_rows].toarray(), reviews.y[train_rows])
        test = Documents(reviews.X[test_rows].toarray(), reviews.y[test_rows])
        return test.accuracy(train.fitted(linear_model.LogisticRegression(**settings["params"])))

    train_rows = source.splits.train[0]
    test_rows = source.splits.test[0]
    labelled = np.concatenate([train_rows, test_rows])
    halves = []
    for _ in range(settings["splits"]):
        order = generator.permutation(labelled)
        halves.append(accuracy(order[: len(train_rows)], order[len(train_rows) :]))
    return Measure({"given": accuracy(train_rows, test_rows), "random": Repeated(halves, source.test_ratio)})


def positive_trial(source: MeasureData) -> Trial:
    """Return the first trial with the indicator of the second label as target; 0 for unlabelled documents."""
    reviews = Documents(features_of(source), source.corpus.indicators()[:, 1])
    return next(trials_of(reviews, source.splits, 1))


def features_of(source: MeasureData) -> sparse.csr_array:
    """Return the features of all reviews, including unlabelled ones, CSR (N, V)."""
    return sparse.csr_array(source.corpus.features)


def compressive_features(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the test accuracy of logistic regression on compressive features, with tuned dictionary cost.

    Data: two labels, and the word stream.
    Settings: ``max_n`` and ``least`` (minimum frequency) of the n-grams; ``entries``, costs of a dictionary entry in
    units of pointers; ``folds``, number of folds of the training documents; the first one is the validation set;
    ``params`` of `PathClassifier`.
    Result: the accuracy on test documents, the selected cost, the number of features, and the table ``entries`` (cost,
    number of n-grams, number of n-grams with at least two words, validation accuracy).
    """
    source = only(sources)
    tokens: Any = source.corpus.tokens
    train = source.splits.train[0]
    codes = source.corpus.classes()
    offsets = np.asarray(tokens.offsets, dtype=np.int64)
    ids = ngram_ids(tokens, settings["max_n"], settings["least"], train)
    is_held_out = fold_numbers(len(train), settings["folds"], generator) == 0
    seed = seed_from(generator)
    n_words = int(ids[:, 0].max(initial=-1)) + 1

    def fit_and_test(entry: float, fitted_rows: np.ndarray, test_rows: np.ndarray) -> tuple[float, np.ndarray]:
        ngrams, _cost = dictionary(ids, offsets, train, entry)
        documents = Documents(presence(ids, offsets, ngrams), codes)
        model = documents[fitted_rows].fitted(PathClassifier(**settings["params"], random_state=seed))
        return documents[test_rows].accuracy(model), ngrams

    rows = []
    for entry in settings["entries"]:
        fold_accuracy, ngrams = fit_and_test(entry, train[~is_held_out], train[is_held_out])
        longer = int(np.sum(ngrams >= n_words))
        rows.append({"entry": float(entry), "ngrams": len(ngrams), "longer": longer, "accuracy": fold_accuracy})
    best = max(rows, key=lambda row: row["accuracy"])
    accuracy, ngrams = fit_and_test(best["entry"], train, source.splits.test[0])
    return Measure(
        {"accuracy": accuracy, "entry": best["entry"], "features": float(len(ngrams))},
        {"entries": rows},
    )
