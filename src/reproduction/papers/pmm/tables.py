"""Summaries of Tables 1 and 2 of the PMM paper: means over problems, numbers of problems won, and label statistics."""

from __future__ import annotations

import statistics

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, MeasureData, Settings, Sources
from textmix.core.errors import MissingResult
from textmix.metrics.multilabel import sample_f

METHODS = ("nb", "svm", "knn", "nn", "pmm1", "pmm2")
#: Pairs of methods for which the problems are counted on which the first has the higher F.
PAIRS = (("pmm1", "pmm2"), ("pmm1", "svm"), ("pmm2", "svm"), ("knn", "svm"))


def _check_complete(sources: Sources, settings: Settings) -> None:
    """Raise MissingResult if problems are missing, because a summary of fewer problems is not comparable."""
    if len(sources) < settings["problems"]:
        raise MissingResult(f"only {len(sources)} of the {settings['problems']} problems are available")


def _sample_f(sources: Sources, settings: Settings) -> dict[str, list[float]]:
    """Compute the mean F over the trials of each problem for each method, as fractions."""
    _check_complete(sources, settings)
    return {method: [_mean_sample_f(source, method) for source in sources.values()] for method in METHODS}


def _mean_sample_f(source: MeasureData, method: str) -> float:
    """Compute the mean sample-averaged F of a method over the trials of one problem, as a fraction."""
    truth = source.corpus.indicators()
    predictions = source.predictions[method]
    n_labels = truth.shape[1]
    scores = []
    for trial in range(len(source.splits)):
        predicted = predictions.label_sets(0, source.splits.test_place(trial), n_labels)
        scores.append(sample_f(truth[source.splits.test[trial]], predicted))
    return statistics.fmean(scores)


def means(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Average F over the problems for each method.

    Data: the problems, with the predictions of a table.
    Settings: ``problems``, the number of problems.
    Raises MissingResult if problems are missing.
    """
    scores = _sample_f(sources, settings)
    return Measure({method: statistics.fmean(values) for method, values in scores.items()})


def wins(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the problems on which each method has the highest mean F, and the first of each pair the higher one.

    Data: the problems, with the predictions of a table.
    Settings: ``problems``, the number of problems.
    Raises MissingResult if problems are missing.
    """
    scores = _sample_f(sources, settings)
    best = np.argmax([scores[method] for method in METHODS], axis=0)
    values = {}
    for number, method in enumerate(METHODS):
        values[f"best_{method}"] = float(np.sum(best == number))
    for first, second in PAIRS:
        n_wins = sum(a > b for a, b in zip(scores[first], scores[second], strict=True))
        values[f"{first}_above_{second}"] = float(n_wins)
    return Measure(values)


def problems(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the problems and find the smallest and largest proportion of pages with several labels.

    Settings: ``problems``, the number of problems.
    Raises MissingResult if problems are missing.
    """
    _check_complete(sources, settings)
    proportions = [float(np.mean(source.corpus.label_counts > 1)) for source in sources.values()]
    values = {
        "count": float(len(proportions)),
        "multi_label_share_min": min(proportions),
        "multi_label_share_max": max(proportions),
    }
    return Measure(values)
