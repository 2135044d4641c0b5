"""Draw specification curves.

A curve of its own has the sorted values on top and the level of each factor below (Simonsohn et al., 2020). The values
of a set of alternatives with many rows share a figure: one row per value, with the differences from the published
value.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.ticker import FuncFormatter

from reproduction.figures.figure_elements import format_number, label_rows, place_legend, set_ticks
from reproduction.figures.style import (
    GREY,
    INK,
    MARKERS,
    PALE,
    PUBLISHED_BAND,
    PUBLISHED_LINE,
    SMALL,
    WIDTH,
    Sheet,
    figure_style,
    render_svg,
)
from reproduction.flow.curves import Curve, CurvePoint, group_by_figure, levels_of, levels_text, read_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of the panel of values, in inches.
VALUES_INCHES = 2.0
#: Row labels of a figure with many rows are wrapped at this width.
MAX_ROW_CHARACTERS = 27
#: Height of one row of the panel of levels, in inches.
ROW_INCHES = 0.19
#: Height of a row of a figure with many rows, in inches: of one line of its label, and of the space between rows.
LINE_INCHES = 0.14
ROW_SPACE_INCHES = 0.13
#: A figure with more rows has the scale above the rows, too.
MAX_ROWS_ONE_SCALE = 20
#: Half the height that the points of a row take, so that those of different factors do not cover each other.
SPREAD = 0.3
#: Differences are drawn on a logarithmic scale beyond this number of margins, if any is larger than `MAX_LINEAR`.
LINEAR_MARGINS = 2
MAX_LINEAR = 8
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


class PointStyle(NamedTuple):
    """Style of the points of a figure with many rows: vertical offset within the row, and options of Matplotlib."""

    offset: float
    options: dict[str, Any]


TABLE_STYLE = PointStyle(0.0, {**CHOICE_STYLE, "label": "choice of the table"})
SEVERAL_STYLE = PointStyle(
    0.0, {"marker": ".", "color": GREY, "alpha": 0.5, "linestyle": "none", "label": "several choices changed"}
)


class RowLabel(NamedTuple):
    """Data set, method and metric of a published row; each may be empty."""

    dataset: str
    method: str
    metric: str


def draw_figures(curves: Iterable[Curve], labels: Mapping[str, RowLabel]) -> dict[str, bytes]:
    """Render the figures of some curves, see `reproduction.flow.curves.group_by_figure`.

    Parameters
    ----------
    curves : iterable of Curve
    labels : mapping of str to RowLabel
        Labels by id of the row.

    Returns
    -------
    dict of str to bytes
        SVG by name of the figure.
    """
    figures = {}
    for name, group in group_by_figure(curves).items():
        if len(group) == 1:
            (curve,) = group
            label = labels[curve.row]
            figures[name] = draw_curve(curve, " ".join(filter(None, label)), label.metric)
        else:
            # Rows of the same method and metric stand together.
            rows = sorted(group, key=lambda curve: labels[curve.row][1:])
            with figure_style():
                sheet = _draw_rows(rows, _distinct_labels([labels[curve.row] for curve in rows]))
                figures[name] = render_svg(sheet, group[0].specification.replace("_", " "))
    return figures


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


def add_drawings(files: Mapping[str, str], labels: Mapping[str, RowLabel]) -> dict[str, str]:
    """Add the figures of recorded curves to their files.

    Parameters
    ----------
    files : mapping of str to str
        Content of the files of recorded curves, by name.
    labels : mapping of str to RowLabel
        Labels by id of the row.

    Returns
    -------
    dict of str to str
        The files and the SVG files.
    """
    figures = draw_figures(read_curves(files), labels)
    return {**files, **{f"{name}.svg": svg.decode() for name, svg in figures.items()}}


def _distinct_labels(labels: Sequence[RowLabel]) -> list[str]:
    """Return the parts of each label in which the labels differ."""
    varying = [len(set(parts)) > 1 for parts in zip(*labels, strict=True)]
    texts = []
    for label in labels:
        parts = [part.replace("_", " ") for part, varies in zip(label, varying, strict=True) if varies and part]
        texts.append(textwrap.fill(", ".join(parts), MAX_ROW_CHARACTERS))
    return texts


def _draw_rows(curves: Sequence[Curve], labels: Sequence[str]) -> Sheet:
    """Draw the differences from the published values in units of the margin, one row per curve.

    A specification that differs from that of the table in one factor has the colour of this factor and the marker of
    its level. All others are grey dots.
    """
    n_lines = max(label.count("\n") + 1 for label in labels)
    row_inches = ROW_SPACE_INCHES + LINE_INCHES * n_lines
    figure = Sheet(figsize=(WIDTH, row_inches * len(curves) + 1.3))
    axes = figure.subplots()
    axes.axvline(0.0, label="published value", **PUBLISHED_LINE)
    axes.axvspan(-1.0, 1.0, label="margin of the published value", **PUBLISHED_BAND)
    table = curves[0].points[0].levels
    styles = _styles_of_levels(curves[0])
    largest = 0.0
    for height, curve in enumerate(curves):
        axes.axhline(height + 0.5, color=PALE, linewidth=0.5)
        for point in curve.evaluated:
            difference = _in_margins(curve, point)
            largest = max(largest, abs(difference))
            changed = [(factor, level) for factor, level in point.levels.items() if level != table[factor]]
            style = styles[changed[0]] if len(changed) == 1 else SEVERAL_STYLE if changed else TABLE_STYLE
            axes.plot([difference], [height + style.offset], **style.options)
    if largest > MAX_LINEAR:
        axes.set_xscale("symlog", linthresh=LINEAR_MARGINS)
        axes.xaxis.set_major_formatter(FuncFormatter(format_number))
    label_rows(axes, labels)
    axes.tick_params(axis="y", labelsize=SMALL)
    if len(curves) > MAX_ROWS_ONE_SCALE:
        axes.tick_params(axis="x", top=True, labeltop=True)
    axes.set_xlabel("difference from the published value, in margins")
    entries = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    levels = [style.options["label"] for style in styles.values() if style.options["label"] in entries]
    names = [*(name for name in entries if name not in levels), *levels]
    place_legend(figure, [entries[name] for name in names], names)
    _add_counts(figure, curves)
    return figure


def _styles_of_levels(curve: Curve) -> dict[tuple[str, str], PointStyle]:
    """Return (factor, level) -> style of its points, for all levels but those of the table."""
    factors = list(curve.points[0].levels)
    styles = {}
    for number, factor in enumerate(factors):
        offset = SPREAD * (2 * number / max(len(factors) - 1, 1) - 1)
        for level, marker in zip(_levels_of(curve, factor)[1:], cycle(MARKERS), strict=False):
            options = {
                "marker": marker,
                "color": f"C{number}",
                "markersize": 4,
                "linestyle": "none",
                "label": f"{factor}: {level}",
            }
            styles[factor, level] = PointStyle(offset, options)
    return styles


def _in_margins(curve: Curve, point: CurvePoint) -> float:
    """Return the difference of a value from the published one in units of half the width of its margin."""
    return ((point.value or 0.0) - curve.published) / ((curve.high - curve.low) / 2)


def _add_counts(figure: Sheet, curves: Sequence[Curve]) -> None:
    """Note under which specifications most values are within their margins, and the number of the table."""
    inside: Counter[str] = Counter()
    for curve in curves:
        for point in curve.evaluated:
            inside[levels_text(point.levels)] += point.inside
    of_table = curves[0].points[0].levels
    table = levels_text(of_table)
    n_rows = len(curves)
    figure.note(f"{inside[table]} of {n_rows} values are within the margin with the choices of the table.")
    best, number = max(inside.items(), key=lambda item: item[1])
    if number > inside[table]:
        changed = [f"{factor}: {level}" for factor, level in levels_of(best).items() if level != of_table[factor]]
        figure.note(f"At most {number} are, with {', '.join(changed)}.")
    else:
        figure.note(f"No other of the {len(inside) - 1} specifications has more of them within the margin.")


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
    axes.axhline(curve.published, label=label, **PUBLISHED_LINE)
    if math.isfinite(curve.high):
        label = "margin of the published value"
        axes.axhspan(curve.low, curve.high, label=label, **PUBLISHED_BAND)


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
