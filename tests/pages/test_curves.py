"""The drawing of a specification curve shows each specification with its levels, the published value and the choice."""

from __future__ import annotations

import math
from dataclasses import replace

from reproduction.figures.curves import RowLabel, add_drawings, draw_curve, draw_figures
from reproduction.figures.svg_sanitize import inline_svg, read_notes
from reproduction.flow.curves import CLAIM_UNIT, POINT_COLUMNS, Curve, CurvePoint
from textmix.core.io import format_csv


def curve(unit: str, high: float) -> Curve:
    """Return a curve of three specifications, of which one has no value."""
    points = [
        CurvePoint({"words": "letters"}, 0.5, inside=True),
        CurvePoint({"words": "blanks"}, -0.5, inside=False),
        CurvePoint({"words": "digits"}, None, inside=False, reason="it takes too long"),
    ]
    return Curve("p.x", "made", unit, 0.25, 0.0, 0.0, high, points, 40)


def test_the_notes_say_the_span_the_share_within_the_margin_and_what_is_lost() -> None:
    message = read_notes(draw_curve(curve("fraction", 0.6), "a table", "accuracy"))
    assert "The values of 2 of 40 specifications range from −0.5 to 0.5." in message
    assert "The published value is inside the range of 2 specifications; 1 of them lies within the margin." in message
    assert "1 more were not run." in message


def test_the_axis_has_a_unit_and_the_legend_the_share_within_the_margin() -> None:
    drawn = draw_curve(curve("fraction", 0.6), "a table", "accuracy").decode()
    for text in ("accuracy (fraction)", "within the margin, 1 of 2", "outside the margin, 1 of 2", "published, 0.25"):
        assert text in drawn, text
    assert "choice of the table" in drawn and "margin of the published value" in drawn
    assert "accuracy" not in draw_curve(curve(CLAIM_UNIT, math.inf), "a claim", "accuracy").decode()
    plain = draw_curve(curve("", 0.6), "a table", "perplexity").decode()
    assert "perplexity" in plain and "perplexity (" not in plain


def test_the_spread_of_a_value_is_a_line_through_its_dot() -> None:
    made = curve("fraction", 0.6)
    plain = draw_curve(made, "a table", "accuracy")
    wide = replace(made, points=[replace(one, spread=one.value and 0.1, trials=4) for one in made.points])
    drawn = draw_curve(wide, "a table", "accuracy")
    assert "Bars show one standard error" in read_notes(drawn)
    assert "standard error" not in " ".join(read_notes(plain))
    assert drawn.count(b"<path") > plain.count(b"<path")


def test_a_claim_has_a_boundary_and_no_margin() -> None:
    drawn = draw_curve(curve(CLAIM_UNIT, math.inf), "a claim", "")
    assert "The claim holds under 1 of 2 specifications." in read_notes(drawn)
    assert inline_svg(drawn, "s-p-x", "p-x.svg")


def test_recorded_curves_are_drawn_from_their_values() -> None:
    made = curve("fraction", 0.6)
    files = {"curves.csv": format_csv([{**row, "date": "2026-11-25"} for row in made.rows()], (*POINT_COLUMNS, "date"))}
    drawn = add_drawings(files, {"p.x": RowLabel("data", "method", "accuracy")})
    assert drawn["curves.csv"] == files["curves.csv"]
    assert drawn["p-x.svg"] == draw_curve(made, "data method accuracy", "accuracy").decode()


def test_values_of_a_large_set_of_alternatives_share_a_figure() -> None:
    points = [
        CurvePoint({"words": "letters", "case": "lower"}, 0.25, inside=True),
        CurvePoint({"words": "blanks", "case": "lower"}, 0.5, inside=True),
        CurvePoint({"words": "blanks", "case": "upper"}, 30.0, inside=False),
    ]
    values = [replace(curve("fraction", 0.6), row=f"p.{name}", points=points) for name in "abcd"]
    values[0] = replace(values[0], points=[replace(points[0], inside=False), *points[1:]])
    claim = replace(curve(CLAIM_UNIT, math.inf), row="p.claim")
    labels = {one.row: RowLabel(f"set_{one.row[-1]}", "SVM", "accuracy") for one in (*values, claim)}
    drawn = draw_figures([*values, claim], labels)
    assert list(drawn) == ["made", "p-claim"]
    text = drawn["made"].decode()
    for label in ("set a", "set d", "words: blanks", "several choices changed", "choice of the table"):
        assert label in text, label
    assert "SVM" not in text, "the method is the same in all rows"
    notes = read_notes(drawn["made"])
    assert "3 of 4 values are within the margin with the choices of the table." in notes
    assert "At most 4 are, with words: blanks." in notes
    assert list(draw_figures(values[:3], labels)) == ["p-a", "p-b", "p-c"]
