"""Measures: what one paper measures and no other does, run by name and stored in one form."""

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
class Source:
    """A data set that a measure works on: features corpus, splits, and predictions of the methods it compares."""

    corpus: Corpus
    splits: Splits
    predictions: Mapping[str, Predictions] = field(default_factory=dict)


@dataclass(frozen=True)
class Measure:
    """What a measure found.

    Parameters
    ----------
    values : key -> value or (value, spread); locators name the keys.
    tables : name -> rows with equal keys, for figures; written as ``name.csv``.
    """

    values: Mapping[str, float | tuple[float, float]]
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the measure to a sealed folder: ``values.csv`` and one csv a table."""
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
    sources: Mapping[str, Source],
    settings: Mapping[str, Any],
    generator: np.random.Generator,
) -> Measure:
    """Call ``textmix.papers.<paper>.measures.<function>(sources by role, settings, generator)``.

    Raises
    ------
    ConfigError : there is no such function.
    """
    module = importlib.import_module(f"textmix.papers.{paper}.measures")
    if not callable(getattr(module, function, None)):
        raise ConfigError(
            f"config/papers/{paper}/paper.yaml: measures: {module.__name__} has no function '{function}'; rename it"
        )
    measure: Measure = getattr(module, function)(sources, settings, generator)
    return measure
