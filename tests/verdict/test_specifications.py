"""A curve has the value of each reading by the row's own locator and margin, and says nothing of a verdict."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from reproduction.flow.alternatives import GridPoint, SpecificationGrid
from reproduction.flow.curves import CLAIM_UNIT, Curve, CurvePoint, factor_rows
from reproduction.verdict.causes import Cause
from reproduction.verdict.claims import distance
from reproduction.verdict.paper_section import PaperSection, find_unexplained
from reproduction.verdict.read_sections import _read_specification
from reproduction.verdict.report_rows import Item
from reproduction.verdict.specifications import curve_of
from reproduction.verdict.wording import MISSING
from tests.verdict.reporting import SETTINGS, Made, comparison_row, row
from textmix.core import io

READ = {"experiments": {**SETTINGS["experiments"], "table1_r0": SETTINGS["experiments"]["table1"]}}
POINTS = (
    GridPoint({"smoothing": "none"}),
    GridPoint({"smoothing": "one"}, {"experiments.table1": "table1_r0"}),
)
SPECIFICATION = SpecificationGrid("made", ("p.x",), {"smoothing": {"none": "a", "one": "b"}}, POINTS, 2)
CHECK = {
    "better": {
        "kind": "above",
        "left": ["score:table1/news/edcm/accuracy"],
        "right": ["score:table1/news/dcm/accuracy"],
    }
}


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Return results in which a reading raises the DCM from .70 to .85 and the EDCM stays at .8."""
    results = Made(tmp_path, {**SETTINGS, **READ})
    for experiment, value in (("table1", 0.7), ("table1_r0", 0.85)):
        results.scores("dcm", {"": [value, value]}, experiment=experiment)
        results.scores("edcm", {"": [0.8, 0.8]}, experiment=experiment)
    return results


def curve(*values: float | None, published: float = 0.8, rounding: float = 0.05, unit: str = "fraction") -> Curve:
    """Return a curve with the given values and a margin of .1."""
    points = [
        CurvePoint({"smoothing": str(n)}, value, value is not None and abs(value - published) <= 0.1)
        for n, value in enumerate(values)
    ]
    return Curve("p.x", "made", unit, published, rounding, published - 0.1, published + 0.1, points, 9)


def test_each_point_reads_its_own_experiment_in_the_unit_of_the_row(made: Made) -> None:
    found = curve_of(row(unit="percent", value="80", margin="6"), SPECIFICATION, {}, made.results)
    assert [one.value for one in found.points] == [70.0, 85.0]
    assert [one.inside for one in found.points] == [False, True]
    assert (found.low, found.high) == (pytest.approx(74.0), pytest.approx(86.0))


def test_a_claim_has_the_distance_from_its_boundary(made: Made) -> None:
    claim = row(kind="claim", unit="", value="", tolerance="order", margin="", source="check:better")
    found = curve_of(claim, SPECIFICATION, CHECK, made.results)
    assert [one.value for one in found.points] == pytest.approx([0.1, -0.05])
    assert found.unit == CLAIM_UNIT
    assert not found.points[1].inside


def test_a_reading_without_its_result_has_a_reason_and_no_value(made: Made) -> None:
    points = (POINTS[0], GridPoint({"smoothing": "lost"}, {"experiments.table1": "table1_r9"}))
    settings = {
        **made.results.settings,
        "experiments": {**READ["experiments"], "table1_r9": READ["experiments"]["table1"]},
    }
    made.results.settings = settings
    found = curve_of(row(), SpecificationGrid("made", ("p.x",), {}, points, 2), {}, made.results)
    assert found.points[1].value is None
    assert "has made no scores" in found.points[1].reason


@pytest.mark.parametrize(
    ("kind", "more", "numbers", "expected"),
    [
        ("above", {"factor": 1.5}, (0.9, 0.4), 0.3),
        ("near", {"margin": 0.1}, (0.9, 0.75), -0.05),
        ("rising", {}, (0.4, 0.9), 0.5),
        ("largest", {}, (0.9, 0.4), 0.5),
    ],
)
def test_the_distance_is_negative_exactly_where_a_check_fails(
    made: Made, kind: str, more: dict, numbers: tuple[float, float], expected: float
) -> None:
    for method, number in zip(("dcm", "edcm"), numbers, strict=True):
        made.scores(method, {"": [number]}, experiment="table1_r0")
    both = [f"score:table1_r0/news/{method}/accuracy" for method in ("dcm", "edcm")]
    left, right = (both, []) if kind == "rising" else (both[:1], both[1:])
    assert distance("c", {"kind": kind, "left": left, "right": right, **more}, made.results) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "holds"),
    [((0.7, 0.9), True), ((0.6, 0.74), False), ((0.6, 0.76), True), ((0.9, None), None), ((0.86, 0.9), False)],
)
def test_a_span_holds_the_printed_value_within_its_rounding(
    values: tuple[float | None, ...], holds: bool | None
) -> None:
    assert curve(*values).holds is holds


def test_a_curve_says_how_many_readings_lie_within_the_margin_and_how_many_differ() -> None:
    inside, outside = (f"the published value is {side}side the range of 2 specifications" for side in ("in", "out"))
    assert curve(0.7, 0.9).summary == f"{inside}; 1 of them lies within the margin"
    assert curve(0.1, 0.2).summary == f"{outside}; none of them lies within the margin"
    assert curve(0.2, 0.2, 0.1).position == "outside the range of 3 specifications with 2 distinct values"
    assert curve(0.2, 0.2).position == "outside the range of 2 specifications with one value"
    assert curve(None, None).summary == "the specifications were not run"


@pytest.mark.parametrize(
    ("because", "values", "listed"),
    [
        ("The cut is another one.", (0.7, 0.9), False),
        ("The cut is another one.", (0.1, 0.2), True),
        ("Not explained. Two were tried.", (0.7, 0.9), True),
        (None, (0.7, 0.9), True),
        ("The cut is another one.", (None, None), False),
    ],
)
def test_what_has_no_cause_or_lies_outside_every_reading_is_not_explained(
    because: str | None, values: tuple[float | None, ...], listed: bool
) -> None:
    causes = {} if because is None else {"p.x": Cause(because, ())}
    found = find_unexplained([Item(comparison_row(id="p.x"))], causes, [curve(*values)])
    assert bool(found) is listed
    drawn = curve(*values)
    assert [one.why.endswith(drawn.sentence) for one in found] == [drawn.span is not None] * listed
    if because is not None and because.startswith("Not explained."):
        assert found[0].attempts.startswith("Two were tried.")


def test_a_recorded_curve_is_shown_with_its_day_where_this_run_made_none() -> None:
    def files(value: float | None, **more: str) -> dict[str, str]:
        rows = [{**one, **more} for one in curve(0.6, value).rows()]
        factors = list(factor_rows({"made": {"smoothing": {"0": "a", "1": "b"}}}))
        drawing = '<svg xmlns="http://www.w3.org/2000/svg"/>'
        return {
            "curves.csv": io.format_csv(rows, rows[0].keys()),
            "factors.csv": io.format_csv(factors, factors[0].keys()),
            "p-x.svg": drawing,
        }

    choices = [SimpleNamespace(alternatives={"made": {"rows": ["p.x"]}, "other": {"rows": ["p.y", "p.x"]}})]
    record, then = SimpleNamespace(rows=[row()], choices=choices), {"p": files(0.9, date="2026-11-25")}
    alone = _read_specification(SimpleNamespace(curves={}, recorded_curves=then), "p", record)
    assert [one.recorded for one in alone.curves] == ["2026-11-25"]
    drawing = alone.drawn[0].drawing
    assert drawing.caption.startswith("Recorded on 2026-11-25.") and drawing.svg is not None
    assert alone.factors["made"]["smoothing"] == {"0": "a", "1": "b"}
    assert PaperSection.curve_findings.fget(SimpleNamespace(specification=alone)) == {
        "p.x": "the published value is inside the range of 2 specifications; 1 of them lies within the margin"
    }
    assert alone.not_run == {"other": ["p.y"]}
    sentence = PaperSection.not_run_alternatives.fget
    items = [SimpleNamespace(row=SimpleNamespace(id="p.y"), verdict=MISSING)]
    section = SimpleNamespace(specification=alone, spec={"alternatives_cpu_hours": 2.5}, items=items)
    assert re.search(r"\b1 of 2 rows\b.*\b1 of them\b.*\b2\.5 CPU hours", sentence(section))
    section.specification = replace(alone, registered={"made": ["p.x"]})
    assert sentence(section) == ""
    today = _read_specification(SimpleNamespace(curves={"p": files(0.7)}, recorded_curves=then), "p", record)
    assert [(one.recorded, one.span) for one in today.curves] == [("", (0.6, 0.7))]
