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

from reproduction.stored.measures import Measure, MeasureData
from textmix.models.linear.dropout import DropoutLogisticRegression


def dropout_unlabelled(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Measure the test accuracy of dropout logistic regression with unlabelled reviews, its noise and weights chosen.

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
    corpus, train, test = source.corpus, source.splits.train[0], source.splits.test[0]
    X = sparse.csr_array(corpus.features)
    codes = corpus.indicators()[:, 1]
    unlabelled = X[np.flatnonzero(corpus.label_counts == 0)]

    def accuracy(pair: Sequence[float], fitted: np.ndarray, tried: np.ndarray) -> float:
        """Return the accuracy on some reviews of a model of other reviews."""
        model = DropoutLogisticRegression(**settings["params"], delta=pair[0], discount=pair[1])
        return float(model.fit(X[fitted], codes[fitted], unlabelled).score(X[tried], codes[tried]))

    out = generator.permutation(len(train)) % settings["folds"] == 0
    pairs = settings["tried"]
    held_out = [accuracy(pair, train[~out], train[out]) for pair in pairs]
    delta, discount = chosen = pairs[int(np.argmax(held_out))]
    values = {"accuracy": accuracy(chosen, train, test), "delta": float(delta), "discount": float(discount)}
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
    a measure with the accuracy on the ``given`` test reviews, and on ``random`` halves its mean and sample standard
    deviation.
    """
    (source,) = sources.values()
    corpus, codes = source.corpus, source.corpus.indicators()[:, 1]
    vectors = sparse.csr_array(corpus.features)

    def accuracy(train: np.ndarray, test: np.ndarray) -> float:
        """Return the accuracy on some reviews of a model of other reviews."""
        model = linear_model.LogisticRegression(**settings["params"]).fit(vectors[train].toarray(), codes[train])
        return float(model.score(vectors[test].toarray(), codes[test]))

    given = source.splits.train[0], source.splits.test[0]
    labelled = np.concatenate(given)
    orders = [generator.permutation(labelled) for _ in range(settings["splits"])]
    found = [accuracy(order[: len(given[0])], order[len(given[0]) :]) for order in orders]
    return Measure({"given": accuracy(*given), "random": (float(np.mean(found)), float(np.std(found, ddof=1)))})
