"""Accuracy of the k-NN methods against k (the paper's last Figure 4), and what their description leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from textmix.experiment.measures import Measure, MeasureData
from textmix.models.neighbours.knn import KNNClassifier
from textmix.models.neighbours.representations import REPRESENTATIONS
from textmix.papers.edcm.documents import Documents, Rows, Values, first, mean_and_spread, only, trials

#: Representations whose vectors depend on a model of the documents, of which there can be one a class.
FISHER = ("fisher_dcm", "fisher_multinomial")


def knn_curves(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Measure accuracy against the number of neighbours, one search a split for all k.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : ``representations``; ``neighbours``, a rising list of k, from 1; ``trials``, how many splits.
    """
    values: Values = {}
    rows: Rows = []
    ks = np.array(settings["neighbours"])
    for name in settings["representations"]:
        curves = np.array([_curve(name, *parts, ks) for parts in trials(only(sources), settings["trials"])])
        values[f"{name}_gain"] = mean_and_spread(curves[:, -1] - curves[:, 0])
        for k, accuracies in zip(ks, curves.T, strict=True):
            mean, spread = mean_and_spread(accuracies)
            rows.append({"representation": name, "k": int(k), "accuracy": mean, "spread": spread})
    return Measure(values, {"curves": rows})


# A measure has the roles of all its data sets or of none: one name for each.
knn_curves_industry = knn_curves


def _curve(name: str, train: Documents, test: Documents, ks: np.ndarray) -> np.ndarray:
    """Return the accuracy at every k, (K,)."""
    model = KNNClassifier(representation=name).fit(train.X, train.y)
    elected = model.elect(*model.kneighbors(test.X, int(ks[-1])))
    places = np.minimum(ks, elected.shape[1]) - 1
    return np.mean(elected[:, places] == test.y[:, np.newaxis], axis=0)


def knn_variants(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Measure what the open choices are worth: tied votes, vectors of length 1, one Fisher kernel a class.

    Parameters
    ----------
    sources : role -> data set, one; its first split is used.
    settings : ``neighbours``, k.
    """
    train, test = first(sources)
    k = settings["neighbours"]
    rows: Rows = []
    for name in REPRESENTATIONS:
        for scale, (similarity, index) in _searches(name, train, test, k):
            for weights, ties in (("uniform", "nearest"), ("uniform", "first"), ("similarity", "nearest")):
                voter = KNNClassifier(representation=name, weights=weights, ties=ties).fit(train.X, train.y)  # type: ignore[arg-type]
                accuracy = float(np.mean(voter.elect(similarity, index)[:, -1] == test.y))
                vote = weights if weights == "similarity" else ties
                rows.append({"representation": name, "vectors": scale, "vote": vote, "accuracy": accuracy})
    values: Values = {f"{row['representation']}_{row['vectors']}_{row['vote']}": row["accuracy"] for row in rows}
    return Measure(values, {"variants": rows})


def _searches(
    name: str, train: Documents, test: Documents, k: int
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yield each way to take the vectors, and the neighbours it finds."""
    for cosine, scale in ((False, "printed"), (True, "cosine")):
        yield scale, KNNClassifier(representation=name, cosine=cosine).fit(train.X, train.y).kneighbors(test.X, k)
    if name in FISHER:
        yield "per_class", _per_class(name, train, test, k)


def _per_class(name: str, train: Documents, test: Documents, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest documents where those of each class are compared in the context of their own distribution."""
    similarities, indices = [], []
    for c in np.unique(train.y):
        rows = np.flatnonzero(train.y == c)
        model = KNNClassifier(representation=name).fit(train.X[rows], train.y[rows])
        similarity, index = model.kneighbors(test.X, k)
        similarities.append(similarity)
        indices.append(rows[index])
    similarity, index = np.hstack(similarities), np.hstack(indices)
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(similarity, order, axis=1), np.take_along_axis(index, order, axis=1)
