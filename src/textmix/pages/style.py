"""The Matplotlib style of all figures, their SVG bytes, and helpers to draw them."""

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
#: Dash pattern of every line in order, so that lines can be distinguished without colour.
DASHES = ("-", "--", "-.", ":")
#: Appearance of published values, which differs from that of all rebuilt series.
PUBLISHED: dict[str, Any] = {"color": "#1b1b1b", "linestyle": "none", "marker": "D", "markerfacecolor": "white"}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


@contextmanager
def style() -> Iterator[None]:
    """Use Matplotlib's defaults and the style file, and none of the user's settings, inside the ``with`` block."""
    with matplotlib.rc_context():
        matplotlib.rc_file(STYLE_FILE)
        yield


def svg_bytes(figure: Figure) -> bytes:
    """Return a figure as SVG without the date, so that the same figure always gives the same bytes."""
    stream = io.BytesIO()
    with style():
        figure.savefig(stream, format="svg", metadata=_NO_METADATA)
    return stream.getvalue()


def panels(n: int, height: float = 3.0, **options: Any) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure of text width and its ``n`` axes, which stand side by side.

    Parameters
    ----------
    n : number of panels.
    height : height of the figure in inches.
    options : arguments of `Figure.subplots`.
    """
    figure = Figure(figsize=(6.3, height))
    axes = figure.subplots(1, n, squeeze=False, **options)[0]
    return figure, list(axes)


def write_at(axes: Axes, text: str, point: tuple[float, float], up: float = 7.0) -> None:
    """Write a small text near a point, on a white box that keeps it legible over lines.

    Parameters
    ----------
    axes : the axes.
    text : the text.
    point : position in data coordinates.
    up : distance above the point in printer's points; a negative distance is below it.
    """
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.8}
    place = "bottom" if up > 0 else "top"
    axes.annotate(text, point, (0, up), textcoords="offset points", ha="center", va=place, fontsize=9, bbox=box)


def log_axis_with_zero(axes: Axes, values: Sequence[float]) -> None:
    """Make the x axis logarithmic; if 0 is one of the values, it becomes the leftmost point.

    Parameters
    ----------
    axes : the axes.
    values : the x values, each at least 0 and one of them above 0.
    """
    positive = [value for value in values if value > 0]
    if len(positive) == len(values):
        axes.set_xscale("log")
        return
    axes.set_xscale("symlog", linthresh=min(positive), linscale=0.5)
    axes.set_xlim(left=0)
