"""Figures of the PMM document: what they draw is what was scored, timed and measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.figures.drawing import FigureData
from reproduction.figures.figure_elements import PublishedValue
from reproduction.papers.pmm.figures import FIGURES
from tests.verdict.reporting import Made
from textmix.core.errors import MissingResult

METHODS = ["nb", "pmm1"]


OPTIONS = {"experiment": "table1", "roles": ["news"], "methods": METHODS, "published": {"news": "p"}}


PRINTED = {
    "p.NB": PublishedValue(41.5, 1.5),
    "p.PMM1": PublishedValue(50.5),
    "t.fit": PublishedValue(5.0),
    "t.predict": PublishedValue(1.0),
}


@pytest.fixture
def stored(tmp_path: Path) -> Made:
    result = Made(tmp_path, {})
    for number, method in enumerate(METHODS):
        result.scores(method, {"": [0.4 + number / 10, 0.42 + number / 10]}, metric="sample_f")
        result.seconds(method, [0.5 + number, 1.0 + number])
    return result


def drawn(stored: Made, name: str, **options: object) -> FigureData:
    return FIGURES[name](FigureData(stored.results, PRINTED, {**OPTIONS, **options}))


def points(axes: object, marker: str) -> list[tuple[float, float]]:
    """Return the points drawn with a marker."""
    lines = [line for line in axes.lines if line.get_marker() == marker]
    return sorted(
        (float(x), float(y)) for line in lines for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    )


def bars(axes: object) -> list[float]:
    """Return half the length of every horizontal bar of a panel, in the order in which they were drawn."""
    ends = [segment[:, 0] for bar in axes.collections for segment in bar.get_segments()]
    return [float(end[1] - end[0]) / 2 for end in ends]


def test_scores_stand_in_percent_beside_the_published(stored: Made) -> None:
    (axes,) = drawn(stored, "f_2000").axes
    assert [x for x, _ in points(axes, "D")] == [41.5, 50.5]
    expected = [(40, 0), (42, 0), (41, 0), (50, 1), (52, 1), (51, 1)]
    assert [tuple(map(round, point)) for point in points(axes, "o")] == sorted(expected)
    assert bars(axes) == pytest.approx([2**0.5, 1.5, 2**0.5]), "of both means, and of the published value that has one"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["NB", "PMM1"]


def test_missing_problem_leaves_its_panel_out_and_none_is_a_missing_result(stored: Made) -> None:
    assert len(drawn(stored, "f_2000", roles=["news", "gone"]).axes) == 1
    with pytest.raises(MissingResult):
        drawn(stored, "f_2000", roles=["gone"])


def test_times_show_medians_of_training_and_prediction(stored: Made) -> None:
    (axes,) = drawn(stored, "times", published={"fit_seconds": "t.fit", "predict_seconds": "t.predict"}).axes
    assert {round(x, 3) for x, _ in points(axes, "o")} >= {0.75, 1.75}
    assert [x for x, _ in points(axes, "D")] == [60.0, 300.0], "the paper's times beside PMM1 only"


def test_convergence_draws_a_path_a_start(stored: Made) -> None:
    rows = [
        {
            "role": "news",
            "model": model,
            "start": start,
            "iteration": i,
            "objective": -100.0 - 10.0 ** (-i) - start / 1e6,
        }
        for model in ("pmm1", "pmm2")
        for start in range(2)
        for i in range(4)
    ]
    stored.measure("convergence", {}, paths=rows)
    first, second = drawn(stored, "convergence", method="convergence").axes
    assert len([line for line in first.lines if len(line.get_xdata()) > 1]) == 2
    assert first.get_title() == "PMM1" and second.get_title() == "PMM2"


def test_calibration_draws_each_kind_and_its_error(stored: Made) -> None:
    kinds = ("paper", "prior", "tempered")
    rows = [{"role": "news", "kind": k, "proba": p, "share": p / 2, "count": 30.0} for k in kinds for p in (0.05, 0.95)]
    stored.measure("calibration", {f"{kind}_calibration_error": 0.25 for kind in kinds}, reliability=rows)
    axes, sizes = drawn(stored, "calibration", method="calibration").axes
    labels = axes.get_legend_handles_labels()[1]
    assert sum("0.250" in label for label in labels) == 3
    assert list(axes.lines[1].get_ydata()) == pytest.approx([0.025, 0.475])
    assert [bar.get_height() for bar in sizes.patches] == [30.0] * 6


def test_words_are_bars_that_fill_the_width(stored: Made) -> None:
    rows = [{"word": f"w{i}", "count": i + 1.0, "rec": i / 4, "sport": 1 - i / 4} for i in range(4)]
    stored.measure("words", {}, words=rows)
    (axes,) = drawn(stored, "words", method="words").axes
    assert sum(bar.get_width() for bar in axes.patches) == pytest.approx(400)
    assert axes.get_yticklabels()[3].get_text() == "w3 (4)"
