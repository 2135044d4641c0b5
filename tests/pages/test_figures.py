"""Figures: what they draw is what was measured and printed, and the same input gives the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import pytest

from reproduction.figures.drawing import FigureData, draw
from reproduction.figures.figure_elements import PublishedValue
from reproduction.figures.style import figure_style
from reproduction.papers.edcm import figures as edcm
from reproduction.papers.naive_bayes import figures as naive_bayes
from tests.pages.drawings import assert_sound
from tests.verdict.reporting import Made
from textmix.core import io
from textmix.core.errors import MissingResult

TRIALS = {"multinomial": [0.80, 0.82], "dcm": [0.83, 0.85], "edcm": [0.84, 0.88]}
MU = (1, 10, 100)
OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "edcm": {
        "accuracy": {"experiment": "table1", "role": "news", "methods": list(TRIALS), "published": {"dcm": "p.dcm"}},
        "training_seconds": {
            **{"experiment": "table1", "role": "news", "methods": ["dcm", "edcm"]},
            "published": {"dcm": "t.dcm", "edcm": "t.edcm"},
        },
        "smoothing_sensitivity": {"experiment": "grid", "role": "news", "methods": ["dcm"], "parameter": "smoothing"},
    },
    "naive_bayes": {
        "accuracy": {
            **{"experiment": "grid", "roles": ["news", "near"], "method": "smoothed", "parameter": "mu"},
            **{"level": "logistic", "labels": {"news": "News"}},
        },
        "idf_effect": {},
        "limits": {},
    },
}
PRINTED = {"p.dcm": PublishedValue(0.795, 0.02), "t.dcm": PublishedValue(2788.0), "t.edcm": PublishedValue(19.0)}
ALL = [(paper, name) for paper, figures in OPTIONS.items() for name in figures]


@pytest.fixture
def stored(tmp_path: Path) -> Made:
    return fill(Made(tmp_path, {}))


def fill(stored: Made) -> Made:
    for number, (method, trials) in enumerate(TRIALS.items()):
        stored.scores(method, {"": trials})
        stored.seconds(method, [0.5 + number, 1.0 + number, 9.0 + number])
    grids = {
        "dcm": {f"smoothing={10.0**-k}": [0.8 - k / 100, 0.81] for k in range(4)},
        "smoothed": {f"mu={mu}": [0.7 + mu / 1000] for mu in MU},
        "logistic": {"": [0.9]},
    }
    for dataset in ("news_set", "near_set"):
        for method, variants in grids.items():
            stored.scores(method, variants, dataset, experiment="grid")
    shares = [(mu, q, (1.2 - q) / mu) for mu in MU for q in (0.5, 1.0)]
    weights = [{"mu": mu, "background_quantile": q, "mean_abs_weight": w} for mu, q, w in shares]
    stored.measure("idf_effect", {}, weights=weights)
    distances = [{"parameter": p, "value": v, "distance": d} for p in ("delta", "mu") for v, d in ((1, 0.1), (10, 0.0))]
    stored.measure("limits", {}, limits=[*distances, {"parameter": "mu", "value": 5, "distance": 0.02}])
    return stored


def data(stored: Made, paper: str, name: str) -> FigureData:
    return FigureData(stored.results, PRINTED, OPTIONS[paper][name])


def figure(stored: Made, paper: str, name: str) -> Any:
    module = {"edcm": edcm, "naive_bayes": naive_bayes}[paper]
    with figure_style():
        return module.FIGURES[name](data(stored, paper, name))


def points(axes: Any) -> set[tuple[float, float]]:
    """Return all points of all lines of a panel."""
    return {
        (round(float(x), 9), round(float(y), 9)) for line in axes.lines for x, y in zip(*line.get_data(), strict=True)
    }


def texts(axes: Any) -> set[str]:
    return {text.get_text() for text in axes.texts}


@pytest.mark.parametrize(("paper", "name"), ALL)
def test_same_input_gives_the_same_bytes(stored: Made, paper: str, name: str) -> None:
    first = draw(paper, name, data(stored, paper, name))
    with matplotlib.rc_context({"svg.hashsalt": "other", "font.size": 30, "lines.markeredgewidth": 9}):
        assert draw(paper, name, data(stored, paper, name)) == first
    assert len(first) < 300_000
    assert_sound(first)


@pytest.mark.parametrize(("paper", "name"), ALL)
def test_every_axis_is_labelled(stored: Made, paper: str, name: str) -> None:
    drawn = figure(stored, paper, name)
    for axes in drawn.axes:
        assert axes.get_xlabel() or "DCM" in {label.get_text() for label in axes.get_xticklabels()}
    assert drawn.axes[0].get_ylabel() or "DCM" in {label.get_text() for label in drawn.axes[0].get_yticklabels()}


def test_accuracy_draws_every_split_the_mean_and_the_published_value(stored: Made) -> None:
    (axes,) = figure(stored, "edcm", "accuracy").axes
    marks = points(axes)
    for row, trials in enumerate(TRIALS.values()):
        assert {(value, round(row + 0.13, 9)) for value in trials} <= marks
        assert f"{sum(trials) / 2:.3f}" in texts(axes)
    assert 0.795 in {x for x, _ in marks}
    labels = axes.get_legend_handles_labels()[1]
    assert {"published ± standard deviation", "one split (n = 2)"} <= set(labels)


def test_training_seconds_draw_median_and_published_on_a_logarithmic_axis(stored: Made) -> None:
    (axes,) = figure(stored, "edcm", "training_seconds").axes
    assert axes.get_xscale() == "log"
    assert {(2788.0, 0), (19.0, 1), (2.0, 0), (3.0, 1)} <= points(axes)
    assert {"2,788 s", "19 s", "2 s", "3 s"} <= texts(axes)


def test_smoothing_draws_the_mean_at_every_constant(stored: Made) -> None:
    (axes,) = figure(stored, "edcm", "smoothing_sensitivity").axes
    line = axes.lines[0]
    assert list(line.get_xdata()) == pytest.approx([0.001, 0.01, 0.1, 1.0])
    assert list(line.get_ydata()) == pytest.approx([0.79, 0.795, 0.8, 0.805])


def test_curve_has_a_panel_a_data_set_and_a_level_line(stored: Made) -> None:
    panels = figure(stored, "naive_bayes", "accuracy").axes
    assert [axes.get_title("left") or axes.get_title() for axes in panels] == [
        "News, one split",
        "near, one split",
    ]
    for axes in panels:
        assert {(mu, round(0.7 + mu / 1000, 9)) for mu in MU} <= points(axes)
        assert any(list(line.get_ydata()) == [0.9, 0.9] for line in axes.lines)


def test_curve_leaves_out_a_missing_data_set_and_is_missing_without_any(stored: Made) -> None:
    folder = stored.root / "scores/paper/grid"
    for path in sorted((folder / "near_set").iterdir()):
        path.unlink()
    assert len(figure(stored, "naive_bayes", "accuracy").axes) == 1
    for name in ("smoothed", "logistic"):
        io.write_missing(folder / f"news_set/{name}.csv", MissingResult("no source answered"), {})
    with pytest.raises(MissingResult, match="no source answered"):
        figure(Made(stored.root, {}), "naive_bayes", "accuracy")


def test_idf_effect_draws_a_line_a_mu(stored: Made) -> None:
    (axes,) = figure(stored, "naive_bayes", "idf_effect").axes
    assert [list(line.get_ydata()) for line in axes.lines] == [
        pytest.approx([(1.2 - q) / mu for q in (0.5, 1.0)]) for mu in MU
    ]


def test_limits_are_sorted_and_leave_out_zero(stored: Made) -> None:
    first, second = figure(stored, "naive_bayes", "limits").axes
    assert [list(line.get_xdata()) for line in (*first.lines, *second.lines)] == [[1.0], [1.0, 5.0]]
