"""The pruned vocabulary of the thesis."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.flow.measures import MeasureData
from reproduction.papers.thesis.pruning import pruning


def test_pruning_keeps_shares_and_compares_on_the_same_splits(data: MeasureData) -> None:
    settings = {"shares": [0.5, 0.2], "small": [0.2], "components": [2, 4], "widths": [0.3], "folds": 2}
    measure = pruning({"made": data}, settings, np.random.default_rng(0))
    rows = measure.tables["errors"]
    assert len(rows) == 2 * (1 + 5 * 2)
    error = {
        name: np.mean([row["error"] for row in rows if row["score"] == name and row["share"] in (1.0, 0.2)])
        for name in ("none", "sensitivity")
    }
    assert measure.values["made_gain"] == pytest.approx(error["none"] - error["sensitivity"])
    assert measure.values["made_gain_ci_low"] <= measure.values["made_gain"] <= measure.values["made_gain_ci_high"]
    assert measure.values["made_share"] == 0.2
