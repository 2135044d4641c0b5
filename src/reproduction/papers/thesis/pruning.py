"""Vocabularies pruned by the sensitivities of networks, beside information gain, chi-square, frequency and chance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from reproduction.flow.measures import Measure, MeasureData
from reproduction.papers.thesis.lsi_search import lsi_errors
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Trial
from textmix.metrics.significance import Estimate, resampled_difference
from textmix.models.lsi.scores import SCORES, document_frequency, kept_words

#: Name of the score that the thesis suggests, and of the vocabulary without pruning.
SUGGESTED, WHOLE = "sensitivity", "none"


class Errors(NamedTuple):
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
        trials = [_trial(trial, settings, rng) for trial in source.trials()]
        for number, errors_of in enumerate(trials):
            errors += [
                {"role": role, "trial": number, "score": score, "share": share, "error": error.test}
                for (score, share), error in errors_of.items()
            ]
        compared = _compared(trials, settings["small"], source.test_ratio)
        for name, estimate in compared.items():
            key = f"{role}_gain" if name == WHOLE else f"{role}_over_{name}"
            values |= {key: estimate.value, f"{key}_ci_low": estimate.low, f"{key}_ci_high": estimate.high}
            gains.append({"role": role, "beside": name, **estimate._asdict()})
        values[f"{role}_share"] = float(
            np.mean([_chosen(vocabularies, SUGGESTED, settings["small"]) for vocabularies in trials])
        )
    return Measure(values, {"errors": errors, "gains": gains})


def _trial(trial: Trial, settings: Mapping[str, Any], rng: np.random.Generator) -> dict[tuple[str, float], Errors]:
    """Return (score, share) -> errors of one split."""
    X = trial.train.X
    folds = fold_numbers(len(trial.train), settings["folds"], rng)
    frequency = document_frequency(X)
    errors = {(WHOLE, 1.0): errors_of(trial, kept_words(frequency, frequency, 1.0), folds, settings)}
    for name, score in SCORES.items():
        scores = score(X, trial.train.y, rng)
        for share in settings["shares"]:
            errors[name, share] = errors_of(trial, kept_words(scores, frequency, share), folds, settings)
    return errors


def errors_of(trial: Trial, words: np.ndarray, folds: np.ndarray, settings: Mapping[str, Any]) -> Errors:
    """Return the errors of the LSI classifier over some words, its parameters tuned on the folds of the training part.

    Parameters
    ----------
    trial : training and test documents.
    words : columns that are kept.
    folds : fold of each training document, of `textmix.experiment.folds.fold_numbers`.
    settings : ``components`` and ``widths``.
    """
    train, test = trial.train.columns(words), trial.test.columns(words)
    points = list(itertools.product(settings["components"], settings["widths"]))
    parts = [lsi_errors(train[inside], train[outside], points) for inside, outside in halves_of(folds)]
    held_out = np.sum(parts, axis=0)
    best = int(np.argmin(held_out))
    return Errors(float(lsi_errors(train, test, points[best : best + 1])[0]), float(held_out[best] / len(parts)))


def _chosen(vocabularies: Mapping[tuple[str, float], Errors], score: str, shares: Sequence[float]) -> float:
    """Return the share with the least error on held-out training documents; of equal ones the first."""
    return min(shares, key=lambda share: vocabularies[score, share].held_out)


def _compared(
    trials: Sequence[Mapping[tuple[str, float], Errors]], shares: Sequence[float], ratio: float
) -> dict[str, Estimate]:
    """Return name of another vocabulary -> its error minus that of the suggested one, over the splits."""

    def errors(score: str) -> list[float]:
        """Return the error of each split on its test documents."""
        return [
            vocabularies[score, 1.0 if score == WHOLE else _chosen(vocabularies, score, shares)].test
            for vocabularies in trials
        ]

    ours = errors(SUGGESTED)
    others = [WHOLE, *(name for name in SCORES if name != SUGGESTED)]
    return {name: resampled_difference(errors(name), ours, ratio) for name in others}
