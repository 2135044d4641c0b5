"""Draw specification curves: sorted values on top, the level of each factor below (Simonsohn et al., 2020)."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter

from reproduction.figures.figure_elements import format_number, place_legend, set_ticks
from reproduction.figures.style import GREY, INK, PALE, SMALL, WIDTH, Sheet, figure_style, render_svg
from reproduction.flow.curves import Curve, CurvePoint, read_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of the panel of values, in inches.
VALUES_INCHES = 2.0
#: Height of one row of the panel of levels, in inches.
ROW_INCHES = 0.19
#: The label of the vertical axis is wrapped at this width, which fits the height of the panel of values.
MAX_LABEL_CHARACTERS = 30
#: Marker of the specification that the tables use: an open diamond around its dot.
CHOICE_STYLE: dict[str, Any] = {
    "marker": "D",
    "color": INK,
    "markerfacecolor": "none",
    "linestyle": "none",
    "zorder": 5,
}


def draw_curve(curve: Curve, title: str, measured: str) -> bytes:
    """Render a specification curve as SVG.

    Parameters
    ----------
    curve : Curve
    title : str
        Title of the drawing, for assistive technology.
    measured : str
        Name of the quantity on the vertical axis. Not used for a claim, whose unit is a sentence.

    Returns
    -------
    bytes
    """
    with figure_style():
        return render_svg(_draw_panels(curve, measured), title)


def add_drawings(files: Mapping[str, str], measured: Mapping[str, str]) -> dict[str, str]:
    """Add a drawing of each recorded curve to its files.

    Parameters
    ----------
    files : mapping of str to str
        Content of the files of recorded curves, by name.
    measured : mapping of str to str
        Name of the quantity of each row, by id of the row.

    Returns
    -------
    dict of str to str
        The files and, for each curve, an SVG file.
    """
    drawings = {
        curve.figure_file: draw_curve(curve, curve.row, measured[curve.row]).decode() for curve in read_curves(files)
    }
    return {**files, **drawings}


def _draw_panels(curve: Curve, measured: str) -> Sheet:
    """Draw the panel of values above the panel of levels."""
    factors = curve.points[0].levels
    rows = [(factor, level) for factor in factors for level in _levels_of(curve, factor)]
    levels_inches = ROW_INCHES * len(rows)
    figure = Sheet(figsize=(WIDTH, VALUES_INCHES + levels_inches + 0.6))
    values, levels = figure.subplots(2, 1, sharex=True, height_ratios=[VALUES_INCHES, levels_inches + 0.2])
    ranked = list(enumerate(curve.evaluated, start=1))
    _draw_values(values, curve, ranked)
    for rank, specification in ranked:
        if specification is curve.points[0]:
            values.plot([rank], [specification.value], label="choice of the table", markersize=8, **CHOICE_STYLE)
            levels.axvline(rank, color=PALE, linewidth=5, alpha=0.5, zorder=0)
    _draw_published(values, curve)
    _draw_levels(levels, curve, ranked, rows)
    values.set_ylabel(_axis_label(curve, measured))
    values.yaxis.set_major_formatter(FuncFormatter(format_number))
    levels.set_xlabel("specifications, in increasing order of their value")
    every_fifth = range(5, len(ranked) - 1, 5)
    set_ticks(levels.xaxis, sorted({1, len(ranked), *every_fifth}))
    handles, labels = values.get_legend_handles_labels()
    place_legend(figure, handles, labels)
    _add_notes(figure, curve)
    return figure


def _draw_values(axes: Axes, curve: Curve, ranked: Sequence[tuple[int, CurvePoint]]) -> None:
    """Draw the value of each specification against its rank, with a bar for its standard error."""
    for inside, colour in ((True, INK), (False, GREY)):
        points = [(rank, specification.value) for rank, specification in ranked if specification.inside is inside]
        if points:
            ranks, values = zip(*points, strict=True)
            label = f"{_describe_group(curve, inside)}, {len(points)} of {len(ranked)}"
            opacity = 1 if inside else 0.6
            axes.plot(ranks, values, "o", label=label, color=colour, markersize=4, alpha=opacity)
    bars = [
        (rank, specification.value, specification.standard_error)
        for rank, specification in ranked
        if specification.standard_error
    ]
    if bars:
        ranks, values, errors = zip(*bars, strict=True)
        axes.errorbar(ranks, values, yerr=errors, fmt="none", ecolor=GREY, elinewidth=0.8, zorder=1)


def _describe_group(curve: Curve, inside: bool) -> str:
    """Return the legend entry of the specifications within or outside the margin."""
    if curve.is_claim:
        return "the claim holds" if inside else "the claim does not hold"
    return "within the margin" if inside else "outside the margin"


def _draw_levels(
    axes: Axes, curve: Curve, ranked: Sequence[tuple[int, CurvePoint]], rows: Sequence[tuple[str, str]]
) -> None:
    """Draw a row for each level of each factor, with a square for each specification that has it."""
    names = []
    for height, (factor, level) in enumerate(rows):
        ranks = [rank for rank, specification in ranked if specification.levels[factor] == level]
        axes.plot(ranks, [height] * len(ranks), "s", color=INK, markersize=3)
        starts_factor = level == _levels_of(curve, factor)[0]
        names.append(f"{factor}: {level}" if starts_factor else level)
        if starts_factor and height:
            axes.axhline(height - 0.5, color=PALE, linewidth=0.6)
    axes.set_yticks(range(len(rows)), names, fontsize=SMALL)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=False)


def _axis_label(curve: Curve, measured: str) -> str:
    """Return the label of the axis of values: the quantity, and its unit if that is another word."""
    label = curve.unit
    if measured and measured != curve.unit and not curve.is_claim:
        label = f"{measured} ({curve.unit})" if curve.unit else measured
    return textwrap.fill(label, MAX_LABEL_CHARACTERS)


def _levels_of(curve: Curve, factor: str) -> list[str]:
    """Return the levels of a factor, the level of the tables first."""
    return list(dict.fromkeys(specification.levels[factor] for specification in curve.points))


def _draw_published(axes: Axes, curve: Curve) -> None:
    """Draw the published value as a line with its margin, or the boundary of a claim."""
    label = "boundary of the claim" if curve.is_claim else f"published, {format_number(curve.published)}"
    axes.axhline(curve.published, color=INK, linestyle=(0, (4, 2)), linewidth=1.1, label=label)
    if math.isfinite(curve.high):
        label = "margin of the published value"
        axes.axhspan(curve.low, curve.high, color=INK, alpha=0.08, linewidth=0, label=label)


def _add_notes(figure: Sheet, curve: Curve) -> None:
    """Describe the range of the values in the notes of the figure."""
    n_missing = len(curve.points) - len(curve.evaluated)
    if curve.span is None:
        figure.note("Fewer than two specifications have a value.")
        return
    low, high = (format_number(float(f"{end:.4g}")) for end in curve.span)
    figure.note(f"The values of {len(curve.evaluated)} of {curve.product} specifications range from {low} to {high}.")
    figure.note(curve.sentence)
    if any(specification.standard_error for specification in curve.evaluated):
        figure.note("Bars show one standard error of the mean over trials.")
    if n_missing:
        figure.note(f"{n_missing} more were not run.")
