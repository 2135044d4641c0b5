"""Synthetic scores of methods on data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from textmix.contest.comparison import Comparison, comparisons

Row = dict[str, str]


def table(
    n: int, effects: Mapping[str, float], trials: int = 3, noise: float = 0.004, metric: str = "accuracy", seed: int = 0
) -> list[Row]:
    """Return synthetic scores: each method has its own effect on each of n data sets."""
    rng = np.random.default_rng(seed)
    task = "single" if metric in ("accuracy", "log_loss") else "multi"
    rows = []
    for d, base in enumerate(rng.normal(0.7, 0.05, n)):
        for number, (method, effect) in enumerate(effects.items()):
            for trial in range(trials):
                row = {"dataset": f"d{d}", "task": task, "method": method, "metric": metric, "trial": str(trial)}
                row |= {"value": repr(float(base + effect + rng.normal(0, noise))), "fit_seconds": str(10.0**number)}
                rows.append({**row, "predict_seconds": "0.5"})
    return rows


def only_comparison(rows: list[Row], **options: Any) -> Comparison:
    (comparison,) = comparisons(rows, **options)
    return comparison


CLEAR = {"edcm": 0.1, "dcm": 0.099, "nb": 0.0, "knn": -0.1}
