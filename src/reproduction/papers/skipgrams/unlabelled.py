"""What 50,000 reviews without a label add: to dropout training, and to paragraph vectors.

Sources: Wager, Wang & Liang, NIPS 2013, section 5; Mesnil, Mikolov, Ranzato & Bengio, ICLR 2015 (workshop), whose
footnote says that the published accuracy of paragraph vectors needs training reviews in the order of the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import linear_model

from reproduction.flow.measures import Measure, MeasureData, Repeated
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents, Trial, trials_of
from textmix.models.linear.dropout import DropoutLogisticRegression


def dropout_unlabelled(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Measure the test accuracy of dropout logistic regression with unlabelled reviews; noise and weight are tuned.

    Parameters
    ----------
    sources : role -> data set, one, of two labels; the documents without a label are the unlabelled ones.
    settings : ``params`` of `DropoutLogisticRegression`; ``tried``, pairs of its ``delta`` and ``discount``; ``folds``,
        of which the first is held out from the training reviews to choose among them.
    generator : draws the folds.

    Returns
    -------
    a measure with the accuracy on test reviews, the pair chosen, and the table ``held_out`` (delta, discount, accuracy
    on the fold).
    """
    (source,) = sources.values()
    trial = positive(source)
    train, unlabelled = trial.train, features_of(source)[np.flatnonzero(source.corpus.label_counts == 0)]

    def accuracy(pair: Sequence[float], fitted: Documents, tried: Documents) -> float:
        """Return the accuracy on some reviews of a model of other reviews."""
        model = DropoutLogisticRegression(**settings["params"], delta=pair[0], discount=pair[1])
        return tried.accuracy(model.fit(fitted.X, fitted.y, unlabelled))

    fit, out = next(halves_of(fold_numbers(len(train), settings["folds"], generator)))
    pairs = settings["tried"]
    held_out = [accuracy(pair, train[fit], train[out]) for pair in pairs]
    delta, discount = chosen = pairs[int(np.argmax(held_out))]
    values = {"accuracy": accuracy(chosen, train, trial.test), "delta": float(delta), "discount": float(discount)}
    rows = [{"delta": d, "discount": c, "accuracy": a} for (d, c), a in zip(pairs, held_out, strict=True)]
    return Measure(values, {"held_out": rows})


def vectors_accuracy(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Measure the accuracy of logistic regression on paragraph vectors, on the given test reviews and on random ones.

    Parameters
    ----------
    sources : role -> data set, one, of two labels, with vectors as features.
    settings : ``splits``, the number of random halves of the labelled reviews; ``params`` of scikit-learn's
        ``LogisticRegression``.
    generator : draws the halves.

    Returns
    -------
    a measure with the accuracy on the ``given`` test reviews, and on each of the ``random`` halves.
    """
    (source,) = sources.values()
    reviews = Documents(features_of(source), source.corpus.indicators()[:, 1])

    def accuracy(train: np.ndarray, test: np.ndarray) -> float:
        """Return the accuracy on some reviews of a model of other reviews."""
        fit, tried = (Documents(reviews.X[rows].toarray(), reviews.y[rows]) for rows in (train, test))
        return tried.accuracy(fit.fitted(linear_model.LogisticRegression(**settings["params"])))

    source_split = source.splits.train[0], source.splits.test[0]
    labelled = np.concatenate(source_split)
    orders = [generator.permutation(labelled) for _ in range(settings["splits"])]
    halves = [accuracy(order[: len(source_split[0])], order[len(source_split[0]) :]) for order in orders]
    return Measure({"given": accuracy(*source_split), "random": Repeated(halves, source.test_ratio)})


def positive(source: MeasureData) -> Trial:
    """Return the first trial with the indicator of the second of two labels as target, which is 0 without a label."""
    reviews = Documents(features_of(source), source.corpus.indicators()[:, 1])
    return next(trials_of(reviews, source.splits, 1))


def features_of(source: MeasureData) -> sparse.csr_array:
    """Return the features of all reviews, those without a label included, CSR (N, V)."""
    return sparse.csr_array(source.corpus.features)
