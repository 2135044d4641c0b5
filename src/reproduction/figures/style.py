"""Matplotlib style, colours and canvas of all figures."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure

from reproduction.figures.svg_postprocess import postprocess_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLE_FILE = Path(__file__).with_name("figures.mplstyle")
#: Width of every figure in inches, at which its text is legible on the screen of a phone.
WIDTH = 5.0
#: Font size of the smallest text in points: 9 px on a screen 390 px wide.
SMALL = 8.4
INK = "#1b1b1b"
SOFT = "#3c3c3c"
GREY = "#75756f"
PALE = "#c9c9c4"
PAPER = "#ffffff"
#: Marker of each series, parallel to the colour cycle of the style file.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: Dash pattern of each series, so that lines can be distinguished without colour.
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)), (0, (3, 1)), (0, (1, 2.5)))
#: Line of a published value, and band of its margin or standard deviation.
PUBLISHED_LINE: dict[str, Any] = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.1}
PUBLISHED_BAND: dict[str, Any] = {"color": INK, "alpha": 0.08, "linewidth": 0}
#: Colour of each method, by its name or the first component of its name. Methods of the same colour differ by row, or
#: by marker and dash pattern.
COLOURS = {
    "multinomial": "C0",
    "nb": "C0",
    "dirichlet_smoothed": "C0",
    "absolute_discounting": "C0",
    "fisher_multinomial": "C0",
    "dcm": "C1",
    "fisher_dcm": "C1",
    "edcm": "C2",
    "lda": "C3",
    "bhattacharyya": "C3",
    "knn": "C4",
    "l0": "C4",
    "l1": "C4",
    "l2": "C4",
    "lsi_knn": "C4",
    "logistic_regression": "C5",
    "linear_svm": "C5",
    "svm": "C5",
    "lsi_logistic_regression": "C5",
    "tfidf": "C5",
    "pmm1": "C6",
    "pmm2": "C6",
    "hmm": "C6",
    "cbm": "C6",
    "nn": GREY,
    "lsi": GREY,
    "lsi_density": GREY,
    "pruned_lsi": GREY,
    # The skip-gram paper compares penalties of two learners.
    "lr_l2": "C0",
    "lr_l1": "C1",
    "lr_elastic_net": "C2",
    "svm_l2": "C3",
    "svm_l1": "C4",
    # The CBM paper compares reductions of multi-label to binary classification, with logistic regression.
    "binrel": "C5",
    "powset": "C3",
    "paircrf": "C2",
    "cc": "C4",
}
#: Longest line of the text in a placeholder.
MAX_LINE_CHARACTERS = 75
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


class Sheet(Figure):
    """A figure with notes: sentences that its drawing function derives from the data.

    Pages show the notes below the figure. Statements about results belong here and not in the caption in
    ``paper.yaml``, which does not depend on the data.

    Attributes
    ----------
    notes : list of str
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        """Add a sentence unless the figure already has it."""
        if sentence not in self.notes:
            self.notes.append(sentence)


@contextmanager
def figure_style() -> Iterator[None]:
    """Context manager that applies the style file to Matplotlib's defaults and ignores the user's settings."""
    with matplotlib.rc_context():
        matplotlib.rc_file(STYLE_FILE)
        yield


def render_svg(figure: Sheet, title: str) -> bytes:
    """Render a figure as a reproducible SVG file that contains its title and notes."""
    stream = io.BytesIO()
    with figure_style():
        figure.savefig(stream, format="svg", metadata=_NO_METADATA)
    return postprocess_svg(stream.getvalue(), title, " ".join(figure.notes))


def placeholder(title: str, reason: str) -> bytes:
    """Render an SVG file in place of a figure that cannot be drawn, with its title and the reason."""
    lines = textwrap.wrap(reason, MAX_LINE_CHARACTERS, break_long_words=False, break_on_hyphens=False)
    with figure_style():
        figure = Sheet(figsize=(WIDTH, 0.7 + 0.16 * len(lines)))
        figure.text(0.03, 0.82, f"Not drawn: {title}", va="top", fontweight="bold")
        figure.text(0.03, 0.56, "\n".join(lines), va="top", color=SOFT)
        return render_svg(figure, title)


def panels(n: int, height: float = 2.8, **options: Any) -> tuple[Sheet, Sequence[Axes]]:
    """Create a figure with ``n`` panels side by side; ``options`` are passed to `Figure.subplots`."""
    figure = Sheet(figsize=(WIDTH, height))
    axes = figure.subplots(1, n, squeeze=False, **options)[0]
    return figure, list(axes)


def grid_of_panels(n: int, columns: int, height: float, **options: Any) -> tuple[Sheet, Sequence[Axes]]:
    """Create a figure with ``n`` panels in rows of at most ``columns``.

    Parameters
    ----------
    n, columns : int
    height : float
        Height of a row, in inches.
    **options : object
        Passed to `Figure.subplots`.

    Returns
    -------
    figure : Sheet
    axes : list of matplotlib.axes.Axes
        The panels, row by row.
    """
    n_columns = min(n, columns)
    n_rows = -(-n // n_columns)
    figure = Sheet(figsize=(WIDTH, 0.5 + height * n_rows))
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False, **options).flat)
    for unused in axes[n:]:
        unused.remove()
    # The panels above removed ones become the lowest of their columns, so that they need the labels of their ticks.
    for lowest in axes[max(0, n - n_columns) : n]:
        lowest.tick_params(axis="x", labelbottom=True)
    return figure, axes[:n]


def method_colour(method: str) -> str:
    """Return the colour of a method, of its variant (``dcm_newton``) or of a k-NN representation.

    Raises
    ------
    KeyError
        If the method has no colour.
    """
    first_word = re.split(r"_|\d+$", method)[0]
    for name in (method, method.removeprefix("knn_"), first_word):
        if name in COLOURS:
            return COLOURS[name]
    raise KeyError(f"no colour for {method}: add it to COLOURS in reproduction.figures.style")
