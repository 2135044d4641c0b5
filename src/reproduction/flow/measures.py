"""Measures: quantities that a single paper defines, computed by its own code and stored in a common format.

A measure is a function ``(sources, settings, generator) -> Measure`` of a paper's module.  Its docstring has a line
``Settings:`` for the keys of its entry in paper.yaml, and a line ``Result:`` for its values and tables.  A measure with
repetitions stores the value of each one (`Repeated`), so that its mean is subject to the same tests as any score.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from reproduction.flow.folders import package_of
from textmix.core import io
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.experiment.trial import Documents, Trial, documents_of, trials_of
from textmix.metrics.significance import resampled_difference

#: Columns of ``repeated.csv``: ``test_ratio`` is n_test / (n - n_test) for random splits, 0 for random starts.
REPEATED = ("key", "repetition", "value", "test_ratio")


@dataclass(frozen=True)
class Repeated:
    """Values of one or more repetitions, in order.

    Parameters
    ----------
    values : sequence of float
        Value of each repetition.
    test_ratio : float
        n_test / (n - n_test) if each repetition is a random split of n documents; 0 if repetitions are independent,
        for example initializations and seeds.
    """

    values: Sequence[float]
    test_ratio: float = 0.0

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation (ddof=1); None for a single repetition."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else None


#: A value of a measure: a number, a number with a standard deviation that is not over repetitions, or repetitions.
Value = float | tuple[float, float] | Repeated
#: Values of a measure by key, and rows of one of its tables (column -> cell).
Values = dict[str, Value]
Rows = list[dict[str, Any]]


def mean_and_deviation(values: Any) -> tuple[float, float]:
    """Return mean and sample standard deviation of an array of any shape; the deviation of a single value is 0."""
    values = np.asarray(values, dtype=np.float64)
    return float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0


def seed_from(generator: np.random.Generator) -> int:
    return int(generator.integers(2**31))


@dataclass(frozen=True)
class MeasureData:
    """One data set as passed to a measure.

    Parameters
    ----------
    corpus : Corpus
        Features and labels of the documents.
    splits : Splits
        Training and test documents of each trial.
    predictions : mapping, default={}
        Method -> predictions for the test documents, for the methods in the measure's entry.
    extra_features : Corpus or None, default=None
        Extra features of the same documents, if the measure's entry requests them.
    methods : mapping, default={}
        Name -> registry entry, for the methods in the measure's entry.
    """

    corpus: Corpus
    splits: Splits
    predictions: Mapping[str, Predictions] = field(default_factory=dict)
    extra_features: Corpus | None = None
    methods: Mapping[str, Method] = field(default_factory=dict)

    def documents(self, target: str = "classes") -> Documents:
        """Return all documents with their targets; see `textmix.experiment.trial.documents_of`."""
        return documents_of(self.corpus, target)

    def trials(self, target: str = "classes", most: int | None = None) -> Iterator[Trial]:
        """Yield all trials, or the first ``most``, with these targets."""
        return trials_of(self.documents(target), self.splits, most)

    def first(self, target: str = "classes") -> Trial:
        return next(self.trials(target, 1))

    @property
    def test_ratio(self) -> float:
        """Ratio of test to training documents in the first trial, for the corrected resampled t-test."""
        n_test = len(self.splits.test[0])
        return n_test / (self.corpus.n_documents - n_test)


#: Inputs of a measure: role -> available data set, and the ``settings`` of its entry in paper.yaml.
Sources = Mapping[str, MeasureData]
Settings = Mapping[str, Any]


def only(sources: Sources) -> MeasureData:
    (source,) = sources.values()
    return source


@dataclass(frozen=True)
class Measure:
    """Result of a measure.

    Parameters
    ----------
    values : mapping
        Key of ``measure:`` locators -> value.
    tables : mapping, default={}
        Name -> rows of a table, which figures read.
    """

    values: Mapping[str, Value]
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write ``values.csv``, ``repeated.csv`` if any value is `Repeated`, and ``<name>.csv`` for each table."""
        repeated = [row for key, value in self.values.items() for row in _repeated(key, value)]
        with io.new_folder(folder, meta) as target:
            rows = [_row(key, value) for key, value in self.values.items()]
            io.write_text(target / "values.csv", io.format_csv(rows, ("key", "value", "spread")))
            if repeated:
                io.write_text(target / "repeated.csv", io.format_csv(repeated, REPEATED))
            for name, table in self.tables.items():
                io.write_text(target / f"{name}.csv", io.format_csv(table, tuple(table[0]) if table else ()))


def _row(key: str, value: Value) -> dict[str, Any]:
    """Return the row of a value in ``values.csv``."""
    if isinstance(value, Repeated):
        return {"key": key, "value": value.mean, "spread": value.deviation}
    number, deviation = value if isinstance(value, tuple) else (value, None)
    return {"key": key, "value": float(number), "spread": None if deviation is None else float(deviation)}


def _repeated(key: str, value: Value) -> Iterator[dict[str, Any]]:
    """Yield the rows of a value in ``repeated.csv``, if it has repetitions."""
    if isinstance(value, Repeated):
        test_ratio = float(value.test_ratio)
        for number, repetition in enumerate(value.values):
            yield {"key": key, "repetition": number, "value": float(repetition), "test_ratio": test_ratio}


class Quantities:
    """Quantities per trial of several roles; ``test_ratio`` maps role -> test ratio of its trials (see `Repeated`)."""

    def __init__(self, test_ratio: Mapping[str, float]) -> None:
        self.test_ratio = test_ratio
        self._numbers: dict[tuple[str, str], list[float]] = {}

    def add(self, role: str, numbers: Mapping[str, float]) -> None:
        for name, value in numbers.items():
            self._numbers.setdefault((role, name), []).append(value)

    def rows(self) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        for (role, name), values in self._numbers.items():
            for trial, value in enumerate(values):
                rows.append({"role": role, "name": name, "trial": trial, "value": value})
        return rows

    def means(self) -> dict[str, Repeated]:
        """Return ``<role>_<name>`` -> values over the trials of the role."""
        means = {}
        for (role, name), values in self._numbers.items():
            means[f"{role}_{name}"] = Repeated(values, self.test_ratio[role])
        return means

    def differences(self, pairs: Mapping[str, tuple[str, str]], roles: Sequence[str]) -> dict[str, float]:
        """Return the `interval` of each pair of names over the trials of a role, by ``<role>_<key>``; "" is zero."""
        values: dict[str, float] = {}
        for role in roles:
            for key, (minuend, subtrahend) in pairs.items():
                high = self._numbers[role, minuend]
                low = self._numbers[role, subtrahend] if subtrahend else [0.0] * len(high)
                values |= interval(f"{role}_{key}", high, low, self.test_ratio[role])
        return values


def interval(key: str, left: Sequence[float], right: Sequence[float], test_ratio: float) -> dict[str, float]:
    """Return the mean of ``left - right`` and its 95 % interval by the corrected resampled t-test, by ``key``."""
    estimate = resampled_difference(left, right, test_ratio)
    return {key: estimate.value, f"{key}_ci_low": estimate.low, f"{key}_ci_high": estimate.high}


def in_turns(calls: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Return the CPU seconds of each call in each round, after an untimed warm-up call that triggers compilation.

    Calls are interleaved so that a slow phase of the machine affects all of them equally; CPU time excludes other
    processes.
    """
    for call in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name].append(time.process_time() - start)
    return seconds


def ratio_of_times(key: str, left: Sequence[float], right: Sequence[float]) -> dict[str, float]:
    """Return the geometric mean of ``left / right`` over rounds and its 95 % interval (`interval`), by ``key``."""
    logarithms = interval(key, np.log(left).tolist(), np.log(right).tolist(), 0.0)
    return {name: float(np.exp(value)) for name, value in logarithms.items()}


def run_measure(
    paper: str,
    function: str,
    sources: Sources,
    settings: Settings,
    generator: np.random.Generator,
) -> Measure:
    """Call ``<package of the paper>.<function>(sources, settings, generator)`` and return its result."""
    module, _, name = function.partition(".")
    package = importlib.import_module(f"{package_of(paper)}.{module}")
    compute: Callable[..., Measure] = getattr(package, name)
    measure = compute(sources, settings, generator)
    return measure
