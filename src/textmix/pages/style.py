"""One style for all figures, and their deterministic SVG bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLE_FILE = Path(__file__).with_name("textmix.mplstyle")
#: Marker of every series in order, beside the colour cycle of the style file.
MARKERS = ("o", "s", "^", "D", "v", "P")
#: Dash pattern of every line in order, so that lines are told apart without colour.
DASHES = ("-", "--", "-.", ":")
#: How a published value is drawn: never as one of our own.
PUBLISHED: dict[str, Any] = {"color": "#1b1b1b", "linestyle": "none", "marker": "D", "markerfacecolor": "white"}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


@contextmanager
def style() -> Iterator[None]:
    """Hold Matplotlib's settings to the style file and its own defaults, whatever the user's are."""
    with matplotlib.rc_context():
        matplotlib.rc_file(STYLE_FILE)
        yield


def svg_bytes(figure: Figure) -> bytes:
    """Return a figure as SVG; the same figure gives the same bytes at any time."""
    stream = io.BytesIO()
    with style():
        figure.savefig(stream, format="svg", metadata=_NO_METADATA)
    return stream.getvalue()


def panels(n: int, height: float = 3.0, **options: Any) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure of text width with ``n`` panels side by side, without any global state."""
    figure = Figure(figsize=(6.3, height))
    axes = figure.subplots(1, n, squeeze=False, **options)[0]
    return figure, list(axes)


def write_at(axes: Axes, text: str, point: tuple[float, float], up: float = 7.0) -> None:
    """Write a small text so many printer's points above a point (below, where negative), legible over lines."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.8}
    place = "bottom" if up > 0 else "top"
    axes.annotate(text, point, (0, up), textcoords="offset points", ha="center", va=place, fontsize=9, bbox=box)


def log_axis_with_zero(axes: Axes, values: Sequence[float]) -> None:
    """Make the x axis logarithmic; where 0 is among the values, with 0 as its leftmost point."""
    positive = [value for value in values if value > 0]
    if len(positive) == len(values):
        axes.set_xscale("log")
        return
    axes.set_xscale("symlog", linthresh=min(positive), linscale=0.5)
    axes.set_xlim(left=0)
