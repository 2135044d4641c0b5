"""The bench of a race: the pipeline by hand on small data, and the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reproduction.bench.race import COSTS, Line, by_hand, fold_scores, table, write
from textmix.core.io import read_csv
from textmix.race.comparison import corpus_of

TEXTS = [f"{'ball goal' if row % 2 else 'paint stage'} word{row % 7}" for row in range(60)]
LABELS = ["sport" if row % 2 else "art" for row in range(60)]


def test_a_fold_is_scored_at_each_cost() -> None:
    y = np.arange(60) % 2
    texts = np.array(TEXTS, dtype=object)
    assert fold_scores({}, texts[:40], texts[40:], (y[:40], y[40:])) == [1.0] * len(COSTS)


def test_the_pipeline_by_hand_is_tuned_and_tested() -> None:
    line = by_hand(corpus_of(TEXTS, LABELS)[0], workers=1)
    assert (line.validation, line.test) == (1.0, 1.0)
    assert line.what.startswith("by hand: words and pairs")
    assert 0 < line.low < line.high == pytest.approx(1.0)


def test_the_table_has_a_line_for_each_run() -> None:
    line = Line("by hand", 0.9, 0.88, 0.85, 0.91, 12.34, 20.0, float("nan"), 300.0)
    lines = table([line, line._replace(what="compare 12 s", fits=0.5)]).splitlines()
    assert len(lines) == 4
    assert lines[2] == "| by hand | 0.900 | 0.880 | 0.850 to 0.910 | +0.000 | +0.000 to +0.000 | 12.3 | 20.0 |  | 300 |"
    assert "| 50% |" in lines[3]


def test_a_file_of_results_holds_the_last_lines_of_each_table(tmp_path: Path) -> None:
    line = Line("by hand", 0.9, 0.88, 0.85, 0.91, 12.34, 20.0, float("nan"), 300.0, right=(True, False))
    ahead = line._replace(what="compare", fits=0.5, ahead=0.01, ahead_low=-0.02, ahead_high=0.04)
    corpus = corpus_of(TEXTS, LABELS)[0]
    for name, lines in (("one", [line, ahead]), ("two", [line]), ("one", [line, ahead, ahead])):
        write(tmp_path / "kinds.csv", replace(corpus, name=name), lines, "an idle machine")
    rows = read_csv(tmp_path / "kinds.csv")
    assert [row["table"] for row in rows] == ["two", "one", "one", "one"]
    assert (rows[1]["ahead"], rows[2]["ahead"], rows[2]["ahead_low"]) == ("", "0.010", "-0.020")
    assert {row["test_documents"] for row in rows} == {"2"}
    assert rows[1]["share_in_fits"] == ""
