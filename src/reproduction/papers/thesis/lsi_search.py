"""The LSI classifier over a grid of coordinates and widths: all points of a fit share its decomposition."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents
from textmix.models.lsi.network import ProbabilisticNeuralNetwork
from textmix.models.lsi.transformer import LSITransformer, unit_length

#: Number of coordinates of LSI, and width of the probabilistic neural network.
Point = tuple[int, float]


def lsi_errors(
    train: Documents, test: Documents, points: Sequence[Point], seed: int = 0, weighting: str = "log_tfidf"
) -> np.ndarray:
    """Return the share of test documents with a wrong class at each point, float64.

    Parameters
    ----------
    train, test : counts, or weighted features, and classes.
    points : numbers of coordinates and widths.
    seed : of the decomposition.
    weighting : of `LSITransformer`.
    """
    most = max(k for k, _ in points)
    space = LSITransformer(n_components=most, weighting=weighting, unit_length=False, random_state=seed)
    Z, Z_test = space.fit_transform(train.X), space.transform(test.X)
    errors = np.empty(len(points))
    for number, (k, width) in enumerate(points):
        coordinates = Documents(unit_length(Z[:, :k]), train.y)
        network = coordinates.fitted(ProbabilisticNeuralNetwork(width=width))
        errors[number] = Documents(unit_length(Z_test[:, :k]), test.y).error(network)
    return errors


def lsi_point(
    train: Documents, grid: Mapping[str, Sequence[Any]], n_folds: int, generator: np.random.Generator, seed: int
) -> dict[str, Any]:
    """Return the point of a grid with the least error on stratified folds of the training documents.

    Parameters
    ----------
    train : counts and classes.
    grid : ``n_components`` and ``width``, values to choose from.
    n_folds : number of folds.
    generator : draws the folds.
    seed : of the decompositions.
    """
    points = list(itertools.product(grid["n_components"], grid["width"]))
    folds = halves_of(fold_numbers(len(train), n_folds, generator, train.y))
    errors = [lsi_errors(train[inside], train[outside], points, seed) for inside, outside in folds]
    k, width = points[int(np.argmin(np.mean(errors, axis=0)))]
    return {"n_components": k, "width": width}
