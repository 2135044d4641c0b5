"""Accuracy of the k-NN methods against k (the paper's last Figure 4), and the choices that the paper leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from reproduction.flow.measures import Measure, MeasureData, Repeated
from reproduction.papers.edcm.documents import Rows, Values, first, mean_and_deviation, only
from textmix.experiment.trial import Documents, Trial
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.neighbors.representations import REPRESENTATIONS

#: Representations whose vectors depend on a model of the documents; there can be one model a class.
FISHER = ("fisher_dcm", "fisher_multinomial")


def knn_curves(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Measure accuracy against the number of neighbours, one search a split for all k.

    ``<representation>_gain`` is the accuracy at the largest k less that at the smallest, mean over the splits.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : ``representations``; ``neighbours``, an increasing list of k, from 1; ``trials``, how many splits.

    Returns
    -------
    a measure whose table ``curves`` has mean accuracy and its standard deviation over the splits (column ``spread``)
    for each representation and k.
    """
    values: Values = {}
    rows: Rows = []
    source, ks = only(sources), np.array(settings["neighbours"])
    for name in settings["representations"]:
        curves = np.array([_curve(name, trial, ks) for trial in source.trials(most=settings["trials"])])
        values[f"{name}_gain"] = Repeated(curves[:, -1] - curves[:, 0], source.test_ratio)
        for k, accuracies in zip(ks, curves.T, strict=True):
            mean, deviation = mean_and_deviation(accuracies)
            rows.append({"representation": name, "k": int(k), "accuracy": mean, "spread": deviation})
    return Measure(values, {"curves": rows})


def _curve(name: str, trial: Trial, ks: np.ndarray) -> np.ndarray:
    """Return the accuracy of a representation at each k of ``ks``, float64 (K,)."""
    model = trial.train.fitted(KNNClassifier(representation=name))
    elected = model.elect(*model.kneighbors(trial.test.X, int(ks[-1])))
    columns = np.minimum(ks, elected.shape[1]) - 1
    return np.mean(elected[:, columns] == trial.test.y[:, np.newaxis], axis=0)


def knn_variants(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Measure the accuracy under each open choice: tied votes, vectors of length 1, one Fisher kernel a class.

    Parameters
    ----------
    sources : role -> data set, one; its first split is used.
    settings : ``neighbours``, k.
    """
    trial = first(sources)
    train, test = trial.train, trial.test
    k = settings["neighbours"]
    rows: Rows = []
    for name in REPRESENTATIONS:
        for scale, (similarity, index) in _searches(name, train, test, k):
            for weights, ties in (("uniform", "nearest"), ("uniform", "first"), ("similarity", "nearest")):
                voter = train.fitted(KNNClassifier(representation=name, weights=weights, ties=ties))  # type: ignore[arg-type]
                accuracy = float(np.mean(voter.elect(similarity, index)[:, -1] == test.y))
                vote = weights if weights == "similarity" else ties
                rows.append({"representation": name, "vectors": scale, "vote": vote, "accuracy": accuracy})
    values: Values = {f"{row['representation']}_{row['vectors']}_{row['vote']}": row["accuracy"] for row in rows}
    return Measure(values, {"variants": rows})


def _searches(
    name: str, train: Documents, test: Documents, k: int
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yield, for each choice of the vectors, its name and its search: similarities and indices of the neighbours.

    The arrays have a row for each test document, (N, k).  "printed" takes the paper's vectors, "cosine" divides them by
    their length, and "per_class", for a Fisher kernel, takes one model a class.
    """
    for cosine, scale in ((False, "printed"), (True, "cosine")):
        yield scale, train.fitted(KNNClassifier(representation=name, cosine=cosine)).kneighbors(test.X, k)
    if name in FISHER:
        yield "per_class", _per_class(name, train, test, k)


def _per_class(name: str, train: Documents, test: Documents, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return similarities and indices of the k nearest documents, (N, k) each; each class has a model of its own."""
    similarities, indices = [], []
    for c in np.unique(train.y):
        rows = np.flatnonzero(train.y == c)
        similarity, index = train[rows].fitted(KNNClassifier(representation=name)).kneighbors(test.X, k)
        similarities.append(similarity)
        indices.append(rows[index])
    similarity, index = np.hstack(similarities), np.hstack(indices)
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(similarity, order, axis=1), np.take_along_axis(index, order, axis=1)
