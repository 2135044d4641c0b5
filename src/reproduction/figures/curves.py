"""The drawing of a specification curve: sorted values above, the level of each factor below (Simonsohn et al. 2020)."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter

from reproduction.figures.figure_elements import format_number, place_legend, set_ticks
from reproduction.figures.style import GREY, INK, PALE, SMALL, WIDTH, Sheet, figure_style, render_svg
from reproduction.flow.curves import Curve, read_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches of the panel of values, and of a line of the panel of levels.
_VALUES, _LINE = 2.0, 0.19
#: Characters of a line of the axis text, which runs along the panel of values.
_WIDE = 30
#: The choice of the table: an open diamond around the dot of its reading.
_CHOICE: dict[str, Any] = {"marker": "D", "color": INK, "markerfacecolor": "none", "linestyle": "none", "zorder": 5}


def draw_curve(curve: Curve, title: str, measured: str) -> bytes:
    """Return a curve as SVG bytes; ``measured`` names the values, beside their unit; a claim's axis says its own."""
    with figure_style():
        return render_svg(_sheet(curve, measured), title)


def add_drawings(files: Mapping[str, str], measured: Mapping[str, str]) -> dict[str, str]:
    """Return the files of recorded curves with a drawing of each; ``measured`` maps row -> what its values are."""
    curves = read_curves(files)
    return {**files, **{one.drawing: draw_curve(one, one.row, measured[one.row]).decode() for one in curves}}


def _sheet(curve: Curve, measured: str) -> Sheet:
    """Return the drawing of a curve."""
    made = curve.made
    lines = [(factor, level) for factor in curve.readings[0].levels for level in _levels(curve, factor)]
    height = _VALUES + _LINE * len(lines) + 0.6
    figure = Sheet(figsize=(WIDTH, height))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[_VALUES, _LINE * len(lines) + 0.2])
    ranks = range(1, len(made) + 1)
    chosen = [rank for rank, one in zip(ranks, made, strict=True) if one is curve.readings[0]]
    for inside, look, label in ((True, INK, "within the margin"), (False, GREY, "outside the margin")):
        points = [(rank, one.value) for rank, one in zip(ranks, made, strict=True) if one.inside is inside]
        if points:
            words = label if not curve.is_claim else ("the claim holds" if inside else "the claim does not hold")
            drawn: dict[str, Any] = {"color": look, "markersize": 4, "alpha": 1 if inside else 0.6}
            above.plot(*zip(*points, strict=True), "o", label=f"{words}, {len(points)} of {len(made)}", **drawn)
    spread = [(rank, one.value, one.spread) for rank, one in zip(ranks, made, strict=True) if one.spread]
    if spread:
        above.errorbar(*zip(*spread, strict=True), fmt="none", ecolor=GREY, elinewidth=0.8, zorder=1)
    for rank in chosen:
        above.plot([rank], [made[rank - 1].value], label="choice of the table", markersize=8, **_CHOICE)
        below.axvline(rank, color=PALE, linewidth=5, alpha=0.5, zorder=0)
    _printed(above, curve)
    for place, (factor, level) in enumerate(lines):
        at = [rank for rank, one in zip(ranks, made, strict=True) if one.levels[factor] == level]
        below.plot(at, [place] * len(at), "s", color=INK, markersize=3)
        if place and factor != lines[place - 1][0]:
            below.axhline(place - 0.5, color=PALE, linewidth=0.6)
    names = [f"{factor}: {level}" if level == _levels(curve, factor)[0] else level for factor, level in lines]
    below.set_yticks(range(len(lines)), names, fontsize=SMALL)
    below.set_ylim(len(lines) - 0.4, -0.6)
    below.grid(visible=False)
    above.set_ylabel(_axis_text(curve, measured))
    above.yaxis.set_major_formatter(FuncFormatter(format_number))
    below.set_xlabel("readings, in increasing order of their value")
    set_ticks(below.xaxis, sorted({1, len(made), *range(5, len(made) - 1, 5)}))
    handles, labels = above.get_legend_handles_labels()
    place_legend(figure, handles, labels)
    _tell(figure, curve)
    return figure


def _axis_text(curve: Curve, measured: str) -> str:
    """Return what the axis of values says: what they are, and their unit where that is another word."""
    named = measured and measured != curve.unit and not curve.is_claim
    unit = f" ({curve.unit})" if curve.unit else ""
    return textwrap.fill(f"{measured}{unit}" if named else curve.unit, _WIDE)


def _levels(curve: Curve, factor: str) -> list[str]:
    """Return the levels of a factor that the readings have, that of the table first."""
    return list(dict.fromkeys(one.levels[factor] for one in curve.readings))


def _printed(axes: Axes, curve: Curve) -> None:
    """Draw the printed value as a line with its margin; of a claim its boundary."""
    label = "boundary of the claim" if curve.is_claim else f"printed, {format_number(curve.published)}"
    axes.axhline(curve.published, color=INK, linestyle=(0, (4, 2)), linewidth=1.1, label=label)
    if math.isfinite(curve.high):
        axes.axhspan(curve.low, curve.high, color=INK, alpha=0.08, linewidth=0, label="margin of the printed value")


def _tell(figure: Sheet, curve: Curve) -> None:
    """Write what the readings say below the drawing."""
    made, lost = curve.made, len(curve.readings) - len(curve.made)
    if curve.span is None:
        figure.note("Fewer than two readings have a value.")
        return
    least, most = (format_number(float(f"{end:.4g}")) for end in curve.span)
    figure.note(f"{len(made)} of {curve.product} readings lie from {least} to {most}.")
    figure.note(curve.sentence)
    if any(one.spread for one in made):
        figure.note("A line through a dot is one standard deviation over trials to each side.")
    if lost:
        figure.note(f"{lost} more were not run.")
