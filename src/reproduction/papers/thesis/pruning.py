"""Vocabularies pruned by the sensitivities of networks, beside information gain, chi-square, frequency and chance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from reproduction.stored.measures import Measure, MeasureData
from textmix.experiment.tuning import folds_of
from textmix.metrics.significance import Estimate, resampled_difference
from textmix.models.lsi.network import ProbabilisticNeuralNetwork
from textmix.models.lsi.scores import SCORES, document_frequency, kept_words
from textmix.models.lsi.transformer import LSITransformer, unit_length

#: Name of the score that the thesis suggests, and of the vocabulary without pruning.
SUGGESTED, WHOLE = "sensitivity", "none"


class Part(NamedTuple):
    """Counts (N, V) and class indices (N,) of some documents."""

    X: sparse.csr_array
    y: np.ndarray


class Found(NamedTuple):
    """Errors of the LSI classifier with one vocabulary: of the test documents, and held out of the training ones."""

    test: float
    held_out: float


def pruning(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator) -> Measure:
    """Measure the error of the LSI classifier against the share of the vocabulary that is kept.

    The probabilistic neural network's number of coordinates and its width are tuned on training documents for each
    vocabulary.  The share of ``<role>_gain`` is one of ``small``, chosen by the errors on held-out training documents.

    Parameters
    ----------
    sources : role -> data set.
    settings : ``shares``, decreasing, below 1; ``small``, those of "a major fraction removed"; ``components``,
        ``widths`` and ``folds`` of the tuning.
    rng : draws folds, resamples and weights.

    Returns
    -------
    a measure with ``<role>_gain``, the error of the whole vocabulary minus that of the pruned one, and its interval
    (``_ci_low``, ``_ci_high``), ``<role>_over_<score>`` for each further score, ``<role>_share`` (mean of the chosen
    shares), and the tables ``errors`` (a row a split and vocabulary) and ``gains``.
    """
    values: dict[str, float] = {}
    errors: list[dict[str, Any]] = []
    gains: list[dict[str, Any]] = []
    for role, source in sources.items():
        found = [_trial(source, trial, settings, rng) for trial in range(len(source.splits))]
        for trial, each in enumerate(found):
            errors += [
                {"role": role, "trial": trial, "score": score, "share": share, "error": error.test}
                for (score, share), error in each.items()
            ]
        ratio = len(source.splits.test[0]) / len(source.splits.train[0])
        compared = _compared(found, settings["small"], ratio)
        for name, estimate in compared.items():
            key = f"{role}_gain" if name == WHOLE else f"{role}_over_{name}"
            values |= {key: estimate.value, f"{key}_ci_low": estimate.low, f"{key}_ci_high": estimate.high}
            gains.append({"role": role, "beside": name, **estimate._asdict()})
        values[f"{role}_share"] = float(np.mean([_chosen(each, SUGGESTED, settings["small"]) for each in found]))
    return Measure(values, {"errors": errors, "gains": gains})


def _trial(
    source: MeasureData, trial: int, settings: Mapping[str, Any], rng: np.random.Generator
) -> dict[tuple[str, float], Found]:
    """Return (score, share) -> errors of one split."""
    X, y = source.corpus.features, source.corpus.classes().astype(np.int64)
    rows = source.splits.train[trial], source.splits.test[trial]
    train, test = (Part(X[each], y[each]) for each in rows)  # type: ignore[index]
    folds = folds_of(len(train.y), settings["folds"], rng)
    frequency = document_frequency(train.X)
    found = {(WHOLE, 1.0): errors_of(train, test, kept_words(frequency, frequency, 1.0), folds, settings)}
    for name, score in SCORES.items():
        scores = score(train.X, train.y, rng)
        for share in settings["shares"]:
            found[name, share] = errors_of(train, test, kept_words(scores, frequency, share), folds, settings)
    return found


def errors_of(
    train: Part, test: Part, words: np.ndarray, folds: Sequence[np.ndarray], settings: Mapping[str, Any]
) -> Found:
    """Return the errors of the LSI classifier over some words, its parameters tuned on the folds of the training part.

    Parameters
    ----------
    train, test : training and test documents.
    words : columns that are kept.
    folds : rows of the training part that are held out, one after the other.
    settings : ``components`` and ``widths``.
    """
    train, test = (Part(part.X[:, words], part.y) for part in (train, test))
    points = list(itertools.product(settings["components"], settings["widths"]))
    held_out = np.zeros(len(points))
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(train.y)), fold)
        inside, outside = (Part(train.X[rows], train.y[rows]) for rows in (rest, fold))
        held_out += _errors(inside, outside, points)
    best = int(np.argmin(held_out))
    return Found(float(_errors(train, test, points[best : best + 1])[0]), float(held_out[best] / len(folds)))


def _errors(train: Part, test: Part, points: Sequence[tuple[int, float]]) -> np.ndarray:
    """Return the error at each (number of coordinates, width), float64; all share one decomposition."""
    space = LSITransformer(n_components=max(k for k, _ in points), unit_length=False, random_state=0)
    known, unknown = space.fit_transform(train.X), space.transform(test.X)
    errors = np.empty(len(points))
    for place, (k, width) in enumerate(points):
        model = ProbabilisticNeuralNetwork(width=width).fit(unit_length(known[:, :k]), train.y)
        errors[place] = np.mean(model.predict(unit_length(unknown[:, :k])) != test.y)
    return errors


def _chosen(found: Mapping[tuple[str, float], Found], score: str, shares: Sequence[float]) -> float:
    """Return the share with the least error on held-out training documents; of equal ones the first."""
    return min(shares, key=lambda share: found[score, share].held_out)


def _compared(
    trials: Sequence[Mapping[tuple[str, float], Found]], shares: Sequence[float], ratio: float
) -> dict[str, Estimate]:
    """Return name of another vocabulary -> its error minus that of the suggested one, over the splits."""

    def errors(score: str) -> list[float]:
        """Return the error of each split on its test documents."""
        return [found[score, 1.0 if score == WHOLE else _chosen(found, score, shares)].test for found in trials]

    ours = errors(SUGGESTED)
    rest = [WHOLE, *(name for name in SCORES if name != SUGGESTED)]
    return {name: resampled_difference(errors(name), ours, ratio) for name in rest}
