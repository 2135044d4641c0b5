"""Measures: quantities that one paper alone defines, computed by its own code and stored in one form."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core import io
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits


@dataclass(frozen=True)
class MeasureData:
    """One data set as a measure gets it.

    Parameters
    ----------
    corpus : the features corpus, N documents.
    splits : training and test rows of each trial.
    predictions : method -> its predictions of the test documents, for the methods that the measure's entry names.
    beside : further features of the same documents, for the features that the measure's entry names; else None.
    """

    corpus: Corpus
    splits: Splits
    predictions: Mapping[str, Predictions] = field(default_factory=dict)
    beside: Corpus | None = None


@dataclass(frozen=True)
class Measure:
    """The result of a measure.

    Parameters
    ----------
    values : key -> the value, or the pair (value, standard deviation); ``measure:`` locators name the keys.
    tables : name -> rows, all with the same keys; figures read them.
    """

    values: Mapping[str, float | tuple[float, float]]
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the measure to a result folder: ``values.csv``, and ``<name>.csv`` for each table.

        Parameters
        ----------
        folder, meta : place and record of the result, see `textmix.core.io.new_folder`.

        Raises
        ------
        ValueError : the rows of a table have different keys.
        """
        rows = []
        for key, value in self.values.items():
            number, spread = value if isinstance(value, tuple) else (value, None)
            rows.append({"key": key, "value": float(number), "spread": None if spread is None else float(spread)})
        with io.new_folder(folder, meta) as target:
            io.write_text(target / "values.csv", io.format_csv(rows, ("key", "value", "spread")))
            for name, table in self.tables.items():
                io.write_text(target / f"{name}.csv", io.format_csv(table, tuple(table[0]) if table else ()))


def run_measure(
    paper: str,
    function: str,
    sources: Mapping[str, MeasureData],
    settings: Mapping[str, Any],
    generator: np.random.Generator,
) -> Measure:
    """Return what ``reproduction.papers.<paper>.measures.<function>(sources, settings, generator)`` returns.

    Parameters
    ----------
    paper, function : the name of the paper's folder, and of a function of its module ``measures``.
    sources : role -> data, for the roles for which a data set stands.
    settings : the ``settings`` of the measure's entry in paper.yaml.
    generator : source of all random numbers of the measure.

    Raises
    ------
    ConfigError : the module has no function of this name.
    """
    module = importlib.import_module(f"reproduction.papers.{paper}.measures")
    if not callable(getattr(module, function, None)):
        raise ConfigError(
            f"config/papers/{paper}/paper.yaml: measures: {module.__name__} has no function '{function}'; rename it"
        )
    measure: Measure = getattr(module, function)(sources, settings, generator)
    return measure
