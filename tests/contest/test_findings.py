"""Figures of the findings: they draw what the comparison of the methods holds, with the better methods as such."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from tests.contest.scores import Row
from textmix.contest import figures
from textmix.contest.findings import findings
from textmix.contest.recommendation import Entrant, recommend
from textmix.contest.rows import TRIALS
from textmix.core.io import format_csv
from textmix.data.corpus import Ragged
from textmix.experiment.splits import Splits


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


SCORES = {"a": ([0.71, 0.74, 0.72, 0.78], 1.0), "b": ([0.61, 0.62, 0.66, 0.6], 2.0)}
FACTS = {"d": {"train": 80.0, "test": 20.0}}


def bars_of(figure: Figure) -> list[list[float]]:
    """Return the ends of the bars of a figure of score against time, in the order of the methods."""
    (panel, _) = figure.axes
    return [[float(y) for _, y in bar.get_segments()[0]] for bar in panel.collections]


def test_a_score_has_the_interval_that_the_recommendation_gives_it(tmp_path: Path, drawn: list[Figure]) -> None:
    (found,) = findings(written(tmp_path, rows("subset_accuracy", SCORES)), FACTS)
    splits = Splits(*(Ragged(np.arange(4 * n), np.arange(5) * n) for n in (80, 20)))
    for name, bar in zip(SCORES, bars_of(drawn[0]), strict=True):
        values = np.array(SCORES[name][0])
        alone = Entrant(name, values, 1.0, np.ones(80, dtype=bool), 0.5)
        said = recommend([alone], "subset_accuracy", splits, 1)
        assert bar == pytest.approx([said["low"], said["high"]])
    assert "over its trials, by the corrected resampled t-test." in found.figures[0].caption


def test_equal_scores_have_no_bar_and_the_caption_says_so(tmp_path: Path, drawn: list[Figure]) -> None:
    equal = {**SCORES, "c": ([0.5] * 4, 3.0)}
    (found,) = findings(written(tmp_path, rows("subset_accuracy", equal)), FACTS)
    assert len(bars_of(drawn[0])) == 2
    assert found.figures[0].caption.endswith("A method whose scores are all equal has none.")
    single = {name: (scores[:1], seconds) for name, (scores, seconds) in SCORES.items()}
    (found,) = findings(written(tmp_path, rows("subset_accuracy", single)), FACTS)
    assert found.figures[0].caption.endswith("A single split gives no interval.")


def test_over_data_sets_the_bars_are_of_students_t(tmp_path: Path, drawn: list[Figure]) -> None:
    three = rows("subset_accuracy", {**SCORES, "c": SCORES["b"]})
    table = [{**row, "dataset": f"d{row['trial']}", "trial": "0"} for row in three]
    findings(written(tmp_path, table), {f"d{number}": FACTS["d"] for number in range(4)})
    for (scores, _), bar in zip(SCORES.values(), bars_of(drawn[1]), strict=False):
        wanted = stats.t.interval(0.95, 3, np.mean(scores), stats.sem(scores))
        assert bar == pytest.approx(list(wanted))
