"""All methods on the same data: accuracy against the number of training documents, ranks, and seconds.

`textmix.experiment.applicability` fits them: the registry lists the methods and their input, paper.yaml the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, MeasureData, Settings, Sources, seed_from
from textmix.experiment.applicability import run_compared
from textmix.experiment.folds import evenly
from textmix.experiment.methods import Method
from textmix.experiment.splits import Splits
from textmix.metrics import ranking
from textmix.text.sequences import FrequentWords
from textmix.text.term_weighting import TermWeighting

#: Representation of the documents by input of a method.  The vocabulary of the sequence models of the thesis includes
#: every feature (`textmix.text.sequences`), even words that do not occur in training documents.
REPRESENTATIONS = {
    "counts": TermWeighting(weighting="counts"),
    "reals": TermWeighting(weighting="tfidf"),
    "sequences": FrequentWords(min_df=0, min_count=0),
}


def comparison(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Measure the accuracy of each method on each available data set, for several numbers of training documents.

    Data: words in their order, and the methods.
    Settings: ``sizes``, numbers of training documents, increasing; ``trials``, number of splits.
    Result: ``friedman_p`` and ``critical_difference`` (Nemenyi) over the data sets for the largest size, and the tables
    ``accuracies`` (one row per data set, method, size and split) and ``ranks`` (mean rank, 1 is the best).
    """
    rows: list[dict[str, Any]] = []
    for role, source in sources.items():
        runs = _run_methods(source, settings["sizes"], settings["trials"], rng)
        for size, method, _seconds, accuracies in runs:
            for trial, accuracy in enumerate(accuracies):
                row = {"role": role, "method": method.name, "size": size, "trial": trial}
                rows.append({**row, "accuracy": accuracy})
    methods = list(next(iter(sources.values())).methods)
    means = means_of(rows, settings["sizes"][-1])
    values = {"datasets": float(len(means)), "critical_difference": float("inf"), "friedman_p": 1.0}
    if len(means) > 1:
        values["critical_difference"] = ranking.critical_difference(len(methods), len(means))
        values["friedman_p"] = ranking.friedman(means).f_p
    mean_ranks = zip(methods, ranking.mean_ranks(means), strict=True)
    ranks = [{"method": method, "rank": float(rank)} for method, rank in mean_ranks]
    return Measure(values, {"accuracies": rows, "ranks": ranks})


def comparison_time(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Measure the time to fit each method and to predict, on the first split of each available data set.

    Settings and methods: see `comparison`; only the smallest number of training documents is used.
    """
    rows = []
    smallest = settings["sizes"][:1]
    for role, source in sources.items():
        for _size, method, seconds, _accuracies in _run_methods(source, smallest, 1, rng):
            rows.append({"role": role, "method": method.name, "seconds": seconds})
    return Measure({"datasets": float(len(sources))}, {"seconds": rows})


def _run_methods(
    source: MeasureData, sizes: Sequence[int], trials: int, rng: Generator
) -> Iterator[tuple[int, Method, float, list[float]]]:
    """Yield size, method, seconds of the first fit and prediction, and the accuracy of each trial."""
    seed = seed_from(rng)
    ordered_splits = _ordered_splits(source, trials, rng)
    for size in sizes:
        splits = Splits.of([(train[:size], test) for train, test in ordered_splits])
        for method in source.methods.values():
            entry = {"params": method.params}
            representation = REPRESENTATIONS[method.input]
            predictions, timings = run_compared(
                source.corpus, splits, method, entry, seed, representation=representation
            )
            is_correct = predictions.classes[0] == source.corpus.classes()[splits.test.values]  # type: ignore[index]
            seconds = timings[0]["fit_seconds"] + timings[0]["predict_seconds"]
            accuracies = [float(is_correct[splits.test_place(trial)].mean()) for trial in range(len(splits))]
            yield size, method, seconds, accuracies


def _ordered_splits(source: MeasureData, trials: int, rng: Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the first splits, with training documents ordered so that any initial part is stratified by class."""
    y = source.corpus.classes()
    splits = []
    for trial in range(min(trials, len(source.splits))):
        train = rng.permutation(source.splits.train[trial])
        splits.append((evenly(train, y), source.splits.test[trial]))
    return splits


def means_of(rows: Sequence[Mapping[str, Any]], size: int) -> np.ndarray:
    """Compute the mean accuracies of K methods on N data sets for a number of training documents, float64 (N, K)."""
    by_role: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row["size"] == size:
            by_method = by_role.setdefault(row["role"], {})
            by_method.setdefault(row["method"], []).append(row["accuracy"])
    means = [[np.mean(accuracies) for accuracies in by_method.values()] for by_method in by_role.values()]
    return np.array(means)
