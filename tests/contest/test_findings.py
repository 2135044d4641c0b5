"""Figures of the findings: they draw what the comparison of the methods holds, with the better methods as such."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from tests.contest.scores import Row
from textmix.contest import figures
from textmix.contest.findings import findings
from textmix.contest.rows import TRIALS
from textmix.core.io import format_csv


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return the figures that were drawn."""
    found: list[Figure] = []
    whole = figures.svg_bytes
    monkeypatch.setattr(figures, "svg_bytes", lambda figure, title: found.append(figure) or whole(figure, title))
    return found


def rows(metric: str, values: dict[str, tuple[list[float], float]]) -> list[Row]:
    """Return rows of trials on one data set: method -> the score of each trial, and the seconds of its fit."""
    return [
        {
            **{"dataset": "d", "task": "multi", "method": method, "metric": metric, "trial": str(trial)},
            **{"value": str(value), "fit_seconds": str(seconds), "predict_seconds": "0.1"},
        }
        for method, (scores, seconds) in values.items()
        for trial, value in enumerate(scores)
    ]


def written(folder: Path, table: list[Row]) -> Path:
    """Return the path of a trials.csv with some rows."""
    path = folder / "trials.csv"
    path.write_text(format_csv(table, TRIALS), encoding="utf-8")
    return path


def test_of_a_loss_the_least_is_the_best_and_drawn_as_it_is(tmp_path: Path, drawn: list[Figure]) -> None:
    table = rows("hamming_loss", {"bad_slow": ([0.38, 0.42], 9.0), "good_fast": ([0.04, 0.06], 1.0)})
    findings(written(tmp_path, table), {}, {"multi": "hamming_loss"})
    panel, key = drawn[0].axes
    assert [text.get_text() for text in key.texts] == ["1", "good fast", "2", "bad slow"]
    assert [text.get_text() for text in key.texts if text.get_weight() == "bold"] == ["1", "good fast"]
    (step,) = [line for line in panel.lines if line.get_label() == "Pareto front"]
    assert list(step.get_ydata()) == pytest.approx([0.05, 0.05])
    assert sorted(line.get_ydata()[0] for line in panel.lines if line.get_marker() == "o") == pytest.approx([0.05, 0.4])
