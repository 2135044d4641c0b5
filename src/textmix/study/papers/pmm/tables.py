"""What Tables 1 and 2 of the PMM paper sum up to: means over problems, problems won, and the problems themselves."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

import numpy as np

from textmix.errors import Hole
from textmix.study.measures import Measure, Source

#: Experiment -> how keys begin.
TABLES = {"table1": "t1", "table2": "t2"}
METHODS = ("nb", "svm", "knn", "nn", "pmm1", "pmm2")
PAIRS = (("pmm1", "pmm2"), ("pmm1", "svm"), ("pmm2", "svm"), ("knn", "svm"))


def _f(sources: Mapping[str, Source], settings: Mapping[str, Any], table: str) -> dict[str, list[float]]:
    """Return the mean F over the trials of each problem, by method.

    Raises
    ------
    Hole : not all problems are at hand: a sum over fewer is another number.
    """
    if len(sources) < settings["problems"]:
        raise Hole(f"only {len(sources)} of the {settings['problems']} problems are at hand")
    found: dict[str, list[float]] = {}
    for method in METHODS:
        rows = (source.scores[table][method] for source in sources.values())
        found[method] = [
            statistics.fmean(float(row["value"]) for row in each if row["metric"] == "sample_f") for each in rows
        ]
    return found


def means(sources: Mapping[str, Source], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Average F over the problems, by table and method.

    Parameters
    ----------
    sources : role -> problem, with the scores of both tables.
    settings : ``problems``, how many there must be.
    """
    values = {
        f"{key}_{method}": statistics.fmean(problems)
        for table, key in TABLES.items()
        for method, problems in _f(sources, settings, table).items()
    }
    return Measure(values)


def wins(sources: Mapping[str, Source], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Count the problems on which each method has the highest mean F, and those on which one is above another.

    Parameters
    ----------
    sources : role -> problem, with the scores of both tables.
    settings : ``problems``, how many there must be.
    """
    values: dict[str, float] = {}
    for table, key in TABLES.items():
        f = _f(sources, settings, table)
        best = np.argmax([f[method] for method in METHODS], axis=0)
        values |= {f"{key}_best_{method}": float(np.sum(best == place)) for place, method in enumerate(METHODS)}
        for one, other in PAIRS:
            above = sum(a > b for a, b in zip(f[one], f[other], strict=True))
            values[f"{key}_{one}_above_{other}"] = float(above)
    return Measure(values)


def problems(sources: Mapping[str, Source], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Count the problems and find the smallest and largest share of pages with several labels.

    Parameters
    ----------
    sources : role -> problem.
    settings : none.
    """
    shares = [float(np.mean(source.corpus.label_counts > 1)) for source in sources.values()]
    return Measure(
        {
            "count": float(len(shares)),
            "multi_label_share_min": min(shares),
            "multi_label_share_max": max(shares),
        }
    )
