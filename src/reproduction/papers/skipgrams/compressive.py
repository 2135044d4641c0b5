"""Logistic regression on n-grams chosen by compression, a method that the slides cite (Paskov et al. 2013)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reproduction.flow.measures import Measure, MeasureData
from textmix.experiment.folds import fold_numbers
from textmix.experiment.trial import Documents
from textmix.models.linear.path import PathClassifier
from textmix.text.compression import dictionary, ngram_ids, presence


def compressive_features(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Measure the test accuracy of logistic regression on compressive features; the cost of an entry is tuned.

    Parameters
    ----------
    sources : role -> data set, one, of two labels, with the stream of words.
    settings : ``max_n`` and ``least`` of the n-grams; ``entries``, costs of an entry of the dictionary, in pointers;
        ``folds``, of which the first is held out from the training documents to choose among them; ``params`` of
        `PathClassifier`.
    generator : draws the folds.

    Returns
    -------
    a measure with the accuracy on test documents, the cost chosen, the number of features, and the table ``entries``
    (cost, n-grams, those of two words and more, accuracy on the fold).
    """
    (source,) = sources.values()
    tokens, train, test = source.corpus.tokens, source.splits.train[0], source.splits.test[0]
    codes, offsets = source.corpus.classes(), np.asarray(tokens.offsets, dtype=np.int64)  # type: ignore[union-attr]
    ids = ngram_ids(tokens, settings["max_n"], settings["least"], train)  # type: ignore[arg-type]
    out = fold_numbers(len(train), settings["folds"], generator) == 0
    seed, n_words = int(generator.integers(2**31)), int(ids[:, 0].max(initial=-1)) + 1

    def accuracy(entry: float, fitted: np.ndarray, tried: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the accuracy on ``tried`` documents of a model of ``fitted`` documents, and its n-grams."""
        chosen, _ = dictionary(ids, offsets, train, entry)
        X = presence(ids, offsets, chosen)
        documents = Documents(X, codes)
        model = documents[fitted].fitted(PathClassifier(**settings["params"], random_state=seed))
        return documents[tried].accuracy(model), chosen

    rows = []
    for entry in settings["entries"]:
        held, chosen = accuracy(entry, train[~out], train[out])
        longer = int(np.sum(chosen >= n_words))
        rows.append({"entry": float(entry), "ngrams": len(chosen), "longer": longer, "accuracy": held})
    best = max(rows, key=lambda row: row["accuracy"])
    final, chosen = accuracy(best["entry"], train, test)
    return Measure({"accuracy": final, "entry": best["entry"], "features": float(len(chosen))}, {"entries": rows})
