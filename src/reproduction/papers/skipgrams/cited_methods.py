"""Methods that the slides cite: dropout training and paragraph vectors with unlabelled reviews, compressive features.

Sources: Wager, Wang & Liang, NIPS 2013, section 5; Mesnil, Mikolov, Ranzato & Bengio, ICLR 2015 (workshop), whose
footnote says that the published accuracy of paragraph vectors needs training reviews in the order of the files; Paskov,
West, Mitchell & Hastie, NIPS 2013.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    """Measure the test accuracy of dropout logistic regression with unlabelled reviews; noise and weight are tuned.

    Data: two labels; the documents without a label are the unlabelled ones.
    Settings: ``params`` of `DropoutLogisticRegression`; ``tried``, pairs of its ``delta`` and ``discount``; ``folds``,
    of which the first is held out from the training reviews to choose among them.
    Result: the accuracy on test reviews, the pair chosen, and the table ``held_out`` (delta, discount, accuracy on the
    fold).
    """
    source = only(sources)
    trial = positive_trial(source)
    train, unlabelled = trial.train, features_of(source)[np.flatnonzero(source.corpus.label_counts == 0)]

    def accuracy(pair: Sequence[float], fitted: Documents, tried: Documents) -> float:
        model = DropoutLogisticRegression(**settings["params"], delta=pair[0], discount=pair[1])
        return tried.accuracy(model.fit(fitted.X, fitted.y, unlabelled))

    fit, out = next(halves_of(fold_numbers(len(train), settings["folds"], generator)))
    pairs = settings["tried"]
    held_out = [accuracy(pair, train[fit], train[out]) for pair in pairs]
    delta, discount = chosen = pairs[int(np.argmax(held_out))]
    values = {"accuracy": accuracy(chosen, train, trial.test), "delta": float(delta), "discount": float(discount)}
    rows = [{"delta": d, "discount": c, "accuracy": a} for (d, c), a in zip(pairs, held_out, strict=True)]
    return Measure(values, {"held_out": rows})


def vectors_accuracy(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the accuracy of logistic regression on paragraph vectors, on the given test reviews and on random ones.

    Data: two labels, and vectors as features.
    Settings: ``splits``, the number of random halves of the labelled reviews; ``params`` of scikit-learn's
    ``LogisticRegression``.
    Result: the accuracy on the ``given`` test reviews, and on each of the ``random`` halves.
    """
    source = only(sources)
    reviews = Documents(features_of(source), source.corpus.indicators()[:, 1])

    def accuracy(train: np.ndarray, test: np.ndarray) -> float:
        fit, tried = (Documents(reviews.X[rows].toarray(), reviews.y[rows]) for rows in (train, test))
        return tried.accuracy(fit.fitted(linear_model.LogisticRegression(**settings["params"])))

    source_split = source.splits.train[0], source.splits.test[0]
    labelled = np.concatenate(source_split)
    orders = [generator.permutation(labelled) for _ in range(settings["splits"])]
    halves = [accuracy(order[: len(source_split[0])], order[len(source_split[0]) :]) for order in orders]
    return Measure({"given": accuracy(*source_split), "random": Repeated(halves, source.test_ratio)})


def positive_trial(source: MeasureData) -> Trial:
    """Return the first trial with the indicator of the second of two labels as target, which is 0 without a label."""
    reviews = Documents(features_of(source), source.corpus.indicators()[:, 1])
    return next(trials_of(reviews, source.splits, 1))


def features_of(source: MeasureData) -> sparse.csr_array:
    """Return the features of all reviews, those without a label included, CSR (N, V)."""
    return sparse.csr_array(source.corpus.features)


def compressive_features(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the test accuracy of logistic regression on compressive features; the cost of an entry is tuned.

    Data: two labels, and the stream of words.
    Settings: ``max_n`` and ``least`` of the n-grams; ``entries``, costs of an entry of the dictionary, in pointers;
    ``folds``, of which the first is held out from the training documents to choose among them; ``params`` of
    `PathClassifier`.
    Result: the accuracy on test documents, the cost chosen, the number of features, and the table ``entries`` (cost,
    n-grams, those of two words and more, accuracy on the fold).
    """
    source = only(sources)
    tokens, train, test = source.corpus.tokens, source.splits.train[0], source.splits.test[0]
    codes, offsets = source.corpus.classes(), np.asarray(tokens.offsets, dtype=np.int64)  # type: ignore[union-attr]
    ids = ngram_ids(tokens, settings["max_n"], settings["least"], train)  # type: ignore[arg-type]
    out = fold_numbers(len(train), settings["folds"], generator) == 0
    seed, n_words = seed_from(generator), int(ids[:, 0].max(initial=-1)) + 1

    def accuracy(entry: float, fitted: np.ndarray, tried: np.ndarray) -> tuple[float, np.ndarray]:
        chosen, _ = dictionary(ids, offsets, train, entry)
        X = presence(ids, offsets, chosen)
        documents = Documents(X, codes)
        model = documents[fitted].fitted(PathClassifier(**settings["params"], random_state=seed))
        return documents[tried].accuracy(model), chosen

    rows = []
    for entry in settings["entries"]:
        on_fold, chosen = accuracy(entry, train[~out], train[out])
        longer = int(np.sum(chosen >= n_words))
        rows.append({"entry": float(entry), "ngrams": len(chosen), "longer": longer, "accuracy": on_fold})
    best = max(rows, key=lambda row: row["accuracy"])
    final, chosen = accuracy(best["entry"], train, test)
    return Measure({"accuracy": final, "entry": best["entry"], "features": float(len(chosen))}, {"entries": rows})
