"""The figure of the target scaling: seconds and memory of each step against the growing axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from textmix.pages.marks import legend, log_axis
from textmix.pages.style import DASHES, MARKERS, Sheet, grid_of_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Quantity -> name of its axis, and the factor from stored units to those of the axis.
QUANTITIES = {"seconds": ("seconds", 1.0), "bytes": ("memory, MB", 1e-6)}


def scaling_figure(rows: Sequence[Mapping[str, Any]], slopes: Sequence[Mapping[str, Any]]) -> Sheet:
    """Draw medians over the repeats on logarithmic axes: a panel for each quantity and each axis by which it grows.

    Parameters
    ----------
    rows, slopes : of `reproduction.bench.growth.points` and `reproduction.bench.growth.slopes`.
    """
    cells = list(dict.fromkeys((row["axis"], row["quantity"]) for row in rows))
    places = {label: number for number, label in enumerate(dict.fromkeys(map(_label, rows)))}
    figure, panels = grid_of_panels(len(cells), 2, 2.9)
    for axes, (axis, quantity) in zip(panels, cells, strict=True):
        _panel(axes, [row for row in rows if (row["axis"], row["quantity"]) == (axis, quantity)], quantity, places)
        axes.set_xlabel(axis)
    legend(figure)
    steep = [row for row in slopes if row["quantity"] == "seconds" and row["axis"] != "labels"]
    if steep:
        most = max(steep, key=lambda row: float(row["slope"]))
        figure.note(
            f"The steepest growth of time is that of {most['case']}, {most['step']}, with {most['axis']}: slope "
            f"{float(most['slope']):.2f}, 95 % interval {float(most['low']):.2f} to {float(most['high']):.2f}."
        )
    return figure


def _label(row: Mapping[str, Any]) -> str:
    """Return the name of a line: case and step."""
    return f"{row['case']}, {row['step']}".replace("_", " ")


def _panel(axes: Axes, rows: Sequence[Mapping[str, Any]], quantity: str, places: Mapping[str, int]) -> None:
    """Draw a line for each step of each case; its number decides colour, mark and dashes in all panels."""
    name, unit = QUANTITIES[quantity]
    lines: dict[str, dict[float, list[float]]] = {}
    shown: list[float] = []
    grown: set[float] = set()
    for row in rows:
        lines.setdefault(_label(row), {}).setdefault(row["size"], []).append(unit * row["value"])
    for label, points in lines.items():
        turn, look_number = divmod(places[label], len(MARKERS))
        look = {"color": f"C{look_number}", "marker": MARKERS[look_number], "linestyle": DASHES[turn % len(DASHES)]}
        sizes = sorted(points)
        values = [median(points[size]) for size in sizes]
        axes.plot(sizes, values, label=label, **look)
        shown += values
        grown |= set(sizes)
    if shown:
        log_axis(axes.xaxis, min(grown), max(grown))
        log_axis(axes.yaxis, min(shown), max(shown))
    axes.set_ylabel(name)
