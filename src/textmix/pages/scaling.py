"""The figure of the target scaling: seconds and memory of each step against what grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from textmix.pages.style import DASHES, MARKERS, Sheet, grid_of_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Quantity -> name of its axis and what one of its units is of the stored ones.
QUANTITIES = {"seconds": ("seconds", 1.0), "bytes": ("memory, MB", 1e-6)}


def scaling_figure(rows: Sequence[Mapping[str, Any]], slopes: Sequence[Mapping[str, Any]]) -> Sheet:
    """Draw medians over the repeats on logarithmic axes: a panel for each quantity and each axis that grows.

    Parameters
    ----------
    rows, slopes : as `textmix.bench.growth` describes them; all values may be text.
    """
    grown = list(dict.fromkeys(row["axis"] for row in rows))
    cells = [(axis, quantity) for axis in grown for quantity in QUANTITIES]
    figure, panels = grid_of_panels(len(cells), 2, 2.9)
    for axes, (axis, quantity) in zip(panels, cells, strict=True):
        _panel(axes, [row for row in rows if row["axis"] == axis], quantity)
        axes.set_xlabel(axis)
        axes.legend(fontsize=5, ncols=2)
    steep = [row for row in slopes if row["quantity"] == "seconds" and row["axis"] == "documents"]
    if steep:
        most = max(steep, key=lambda row: float(row["slope"]))
        figure.note(
            f"The steepest growth of time with documents is that of {most['case']}, {most['step']}: slope "
            f"{float(most['slope']):.2f}, 95 % interval {float(most['low']):.2f} to {float(most['high']):.2f}."
        )
    return figure


def _panel(axes: Axes, rows: Sequence[Mapping[str, Any]], quantity: str) -> None:
    """Draw a line for each step of each case."""
    name, unit = QUANTITIES[quantity]
    lines: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if row[quantity] not in ("", None):
            value = unit * float(row[quantity])
            lines.setdefault(f"{row['case']}, {row['step']}", {}).setdefault(int(row["size"]), []).append(value)
    for place, (label, points) in enumerate(lines.items()):
        mark, dash = MARKERS[place % len(MARKERS)], DASHES[place // len(MARKERS) % len(DASHES)]
        sizes = sorted(points)
        axes.loglog(sizes, [median(points[size]) for size in sizes], marker=mark, linestyle=dash, label=label)
    axes.set_ylabel(name)
