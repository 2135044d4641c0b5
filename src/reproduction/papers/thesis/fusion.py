"""Early fusion of words and part-of-speech tags before latent semantic indexing, by documents a class (claim T2).

The rows of a document are joined before the decomposition, [x ; b t]: x its weighted words of length 1, t its weighted
tags and pairs of tags of length 1, b the binding coefficient.  Coefficient, number of coordinates and width of the
probabilistic neural network are tuned on folds of the training documents, for words alone without the coefficient.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import preprocessing

from reproduction.flow.measures import Measure, MeasureData, interval
from reproduction.papers.thesis.lsi_search import Point, lsi_errors
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents
from textmix.models.lsi.transformer import LSITransformer


class Blocks(NamedTuple):
    """Counts of words (N, V) and of tags (N, T), and class indices (N,), of the same documents."""

    words: sparse.csr_array
    tags: sparse.csr_array
    y: np.ndarray

    def rows(self, rows: np.ndarray) -> Blocks:
        """Return some of the documents."""
        return Blocks(*(part[rows] for part in self))


class Curve(NamedTuple):
    """Errors of one split by documents a class, of words alone and of words with tags, and the chosen coefficients."""

    words: list[float]
    fused: list[float]
    binding: list[float]


def fusion(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator) -> Measure:
    """Measure the errors of the LSI classifier with words alone and with tags, by training documents a class.

    Parameters
    ----------
    sources : role -> data set, its tags as further features.
    settings : ``sizes``, numbers of training documents a class, increasing, their first half "few"; ``bindings``,
        ``components``, ``widths`` and ``folds`` of the tuning.
    rng : draws training documents and folds.

    Returns
    -------
    a measure with ``<role>_gain``, the error of words alone minus that of words with tags, mean over the sizes,
    ``<role>_few_gain``, the same for the few sizes, and ``<role>_few_above_many``, its excess over that for the other
    sizes, with 95 % intervals over the splits (``_ci_low``, ``_ci_high``), and the table ``curves``.
    """
    values: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    sizes = settings["sizes"]
    for role, source in sources.items():
        curves = [_trial(source, trial, settings, rng) for trial in range(len(source.splits))]
        for trial, curve in enumerate(curves):
            rows += [
                {"role": role, "trial": trial, "size": size, "words": a, "fused": b, "binding": c}
                for size, a, b, c in zip(sizes, *curve, strict=True)
            ]
        few = len(sizes) // 2
        values |= {f"{role}_{name}": value for name, value in gains(curves, few, source.test_ratio).items()}
    return Measure(values, {"curves": rows})


def gains(curves: Sequence[Curve], few: int, ratio: float) -> dict[str, float]:
    """Return the mean gains over all sizes and over the few, and their interaction with the size, with intervals.

    Parameters
    ----------
    curves : errors of each split.
    few : how many of the first sizes are few.
    ratio : n_test / n_train of a split, for the corrected resampled t-test.
    """
    gain = np.array([np.subtract(curve.words, curve.fused) for curve in curves])
    none = np.zeros(len(gain))
    pairs = {
        "gain": (gain.mean(axis=1), none),
        "few_gain": (gain[:, :few].mean(axis=1), none),
        "few_above_many": (gain[:, :few].mean(axis=1), gain[:, few:].mean(axis=1)),
    }
    values: dict[str, float] = {}
    for name, (first, second) in pairs.items():
        values |= interval(name, first, second, ratio)
    return values


def _trial(source: MeasureData, trial: int, settings: Mapping[str, Any], rng: np.random.Generator) -> Curve:
    """Return the errors of one split."""
    if source.beside is None:
        raise ValueError("fusion reads tags beside the words; name their features as beside")
    words, tags = (corpus.features.astype(np.float64) for corpus in (source.corpus, source.beside))  # type: ignore[union-attr]
    blocks = Blocks(words, tags, source.corpus.classes().astype(np.int64))
    test, order = blocks.rows(source.splits.test[trial]), rng.permutation(source.splits.train[trial])
    curve = Curve([], [], [])
    for size in settings["sizes"]:
        train = blocks.rows(np.concatenate([order[blocks.y[order] == label][:size] for label in np.unique(blocks.y)]))
        parts = list(halves_of(fold_numbers(len(train.y), settings["folds"], rng, train.y)))
        for errors, bindings in ((curve.words, [0.0]), (curve.fused, settings["bindings"])):
            point = _tuned(train, parts, bindings, settings)
            errors.append(float(_errors(train, test, point[0], [point[1:]])[0]))
        curve.binding.append(point[0])
    return curve


def _tuned(
    train: Blocks,
    folds: Sequence[tuple[np.ndarray, np.ndarray]],
    bindings: Sequence[float],
    settings: Mapping[str, Any],
) -> tuple[float, int, float]:
    """Return coefficient, number of coordinates and width with the least error on the folds."""
    points = list(itertools.product(settings["components"], settings["widths"]))
    held_out = {
        (binding, *point): error
        for binding in bindings
        for point, error in zip(points, _held_out(train, folds, binding, points), strict=True)
    }
    return min(held_out, key=held_out.__getitem__)


def _held_out(
    train: Blocks, folds: Sequence[tuple[np.ndarray, np.ndarray]], binding: float, points: Sequence[Point]
) -> np.ndarray:
    """Return the mean error on held-out folds at each point, float64."""
    parts = [_errors(train.rows(inside), train.rows(outside), binding, points) for inside, outside in folds]
    return np.asarray(np.mean(parts, axis=0))


def _errors(train: Blocks, test: Blocks, binding: float, points: Sequence[Point]) -> np.ndarray:
    """Return the error at each (number of coordinates, width), float64; all share one decomposition."""
    fused, fused_unknown = fuse(train, test, binding)
    fit, held = Documents(fused, train.y), Documents(fused_unknown, test.y)
    return lsi_errors(fit, held, points, weighting="none")


def fuse(train: Blocks, test: Blocks, binding: float) -> Iterator[sparse.csr_array]:
    """Yield the joined rows of training and of other documents, float64 CSR (N, V + T), or (N, V) without binding.

    Words are weighted by log(1 + count) log(N / df) of the training documents, tags by log(1 + count): the common tags
    are in all documents.  Both blocks have length 1.
    """
    weights = LSITransformer(n_components=1, random_state=0).fit(train.words)
    for documents in (train, test):
        words = weights.weighted(documents.words)
        tags = binding * preprocessing.normalize(documents.tags.log1p())
        yield sparse.csr_array(sparse.hstack([words, tags], format="csr")) if binding else words
