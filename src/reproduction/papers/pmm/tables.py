"""Summaries of Tables 1 and 2 of the PMM paper: means over problems, problems won, and counts of the problems."""

from __future__ import annotations

import statistics

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, MeasureData, Settings, Sources
from textmix.core.errors import MissingResult
from textmix.metrics.multilabel import sample_f

METHODS = ("nb", "svm", "knn", "nn", "pmm1", "pmm2")
PAIRS = (("pmm1", "pmm2"), ("pmm1", "svm"), ("pmm2", "svm"), ("knn", "svm"))


def _check_all(sources: Sources, settings: Settings) -> None:
    """Raise MissingResult where fewer problems are at hand than ``problems``: theirs would be other numbers."""
    if len(sources) < settings["problems"]:
        raise MissingResult(f"only {len(sources)} of the {settings['problems']} problems are at hand")


def _sample_f(sources: Sources, settings: Settings) -> dict[str, list[float]]:
    """Return for each method its mean F over the trials of each problem, a fraction."""
    _check_all(sources, settings)
    return {method: [_mean_sample_f(source, method) for source in sources.values()] for method in METHODS}


def _mean_sample_f(source: MeasureData, method: str) -> float:
    """Return the mean sample-averaged F of a method over the trials of one problem, a fraction."""
    truth, predictions = source.corpus.indicators(), source.predictions[method]
    trials = (
        (truth[source.splits.test[trial]], predictions.label_sets(0, source.splits.test_place(trial), truth.shape[1]))
        for trial in range(len(source.splits))
    )
    return statistics.fmean(sample_f(true, predicted) for true, predicted in trials)


def means(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Average F over the problems, by method.

    Data: the problems, with the predictions of a table.
    Settings: ``problems``, how many there must be.
    It raises `MissingResult` where fewer are at hand.
    """
    return Measure({method: statistics.fmean(f) for method, f in _sample_f(sources, settings).items()})


def wins(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the problems on which each method has the highest mean F.

    For each pair of `PAIRS` the problems on which the first method has a higher mean F than the second are counted too.

    Data: the problems, with the predictions of a table.
    Settings: ``problems``, how many there must be.
    It raises `MissingResult` where fewer are at hand.
    """
    f = _sample_f(sources, settings)
    best = np.argmax([f[method] for method in METHODS], axis=0)
    values = {f"best_{method}": float(np.sum(best == number)) for number, method in enumerate(METHODS)}
    for first, second in PAIRS:
        values[f"{first}_above_{second}"] = float(sum(a > b for a, b in zip(f[first], f[second], strict=True)))
    return Measure(values)


def problems(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the problems and find the smallest and largest share of pages with several labels.

    Settings: ``problems``, how many there must be.
    It raises `MissingResult` where fewer are at hand.
    """
    _check_all(sources, settings)
    shares = [float(np.mean(source.corpus.label_counts > 1)) for source in sources.values()]
    return Measure(
        {
            "count": float(len(shares)),
            "multi_label_share_min": min(shares),
            "multi_label_share_max": max(shares),
        }
    )
