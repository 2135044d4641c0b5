"""The Matplotlib style of all figures, their colours in light and dark, and the sheet on which a figure is drawn."""

from __future__ import annotations

import io
import re
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
#: Width of every figure in inches: its text is still legible on the screen of a phone.
WIDTH = 5.0
#: Size of the smallest text in points: 9 px on a screen of 390 px, which a figure fills.
SMALL = 8.4
INK, SOFT, GREY, PALE, PAPER = "#1b1b1b", "#3c3c3c", "#75756f", "#c9c9c4", "#ffffff"
#: Marker of every series in order, beside the colour cycle of the style file.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: Dash pattern of every line in order, so that lines can be distinguished without colour.
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)), (0, (3, 1)), (0, (1, 2.5)))
#: Method, or the first word of its name, -> its colour.  Methods of one colour differ by row, or by mark and dash.
COLOURS = {
    **dict.fromkeys(("multinomial", "nb", "dirichlet_smoothed", "absolute_discounting", "fisher_multinomial"), "C0"),
    **dict.fromkeys(("dcm", "fisher_dcm"), "C1"),
    "edcm": "C2",
    **dict.fromkeys(("lda", "bhattacharyya"), "C3"),
    **dict.fromkeys(("knn", "l0", "l1", "l2", "lsi_knn"), "C4"),
    **dict.fromkeys(("logistic_regression", "linear_svm", "svm", "lsi_logistic_regression", "tfidf"), "C5"),
    **dict.fromkeys(("pmm1", "pmm2", "hmm", "cbm"), "C6"),
    **dict.fromkeys(("nn", "lsi", "lsi_density", "pruned_lsi"), GREY),
    # The slides on skip-grams compare penalties of two learners, those of the CBM reductions to logistic regressions.
    **{"lr_l2": "C0", "lr_l1": "C1", "lr_elastic_net": "C2", "svm_l2": "C3", "svm_l1": "C4"},
    **{"binrel": "C5", "powset": "C3", "paircrf": "C2", "cc": "C4"},
}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


class Sheet(Figure):
    """A figure, and sentences that its drawing function derives from the data; the page prints them below it.  A
    statement about results belongs here and not into the caption in ``paper.yaml``, which no data can change.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        """Add a sentence, unless the figure has it already."""
        if sentence not in self.notes:
            self.notes.append(sentence)


@contextmanager
def figure_style() -> Iterator[None]:
    """Use Matplotlib's defaults and the style file, and none of the user's settings, inside the ``with`` block."""
    with matplotlib.rc_context():
        matplotlib.rc_file(STYLE_FILE)
        yield


def render_svg(figure: Sheet, title: str) -> bytes:
    """Return a figure as the bytes of an SVG file, which are the same each time; its title and notes stand in it."""
    stream = io.BytesIO()
    with figure_style():
        figure.savefig(stream, format="svg", metadata=_NO_METADATA)
    return postprocess_svg(stream.getvalue(), title, " ".join(figure.notes))


def placeholder(title: str, reason: str) -> bytes:
    """Return the SVG file that stands for a figure that could not be drawn: its title and the reason."""
    words, lines = reason.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 75:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    with figure_style():
        figure = Sheet(figsize=(WIDTH, 0.7 + 0.16 * len(lines)))
        figure.text(0.03, 0.82, f"Not drawn: {title}", va="top", fontweight="bold")
        figure.text(0.03, 0.56, "\n".join(lines), va="top", color=SOFT)
        return render_svg(figure, title)


def panels(n: int, height: float = 2.8, **options: Any) -> tuple[Sheet, Sequence[Axes]]:
    """Return a figure of text width and its ``n`` axes side by side; ``options`` are those of `Figure.subplots`."""
    figure = Sheet(figsize=(WIDTH, height))
    axes = figure.subplots(1, n, squeeze=False, **options)[0]
    return figure, list(axes)


def grid_of_panels(n: int, columns: int, height: float, **options: Any) -> tuple[Sheet, Sequence[Axes]]:
    """Return a figure and its ``n`` axes in rows of at most ``columns``; ``height`` of a row in inches."""
    columns = min(n, columns)
    rows = -(-n // columns)
    figure = Sheet(figsize=(WIDTH, 0.5 + height * rows))
    axes = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for empty in axes[n:]:
        empty.remove()
    return figure, axes[:n]


def method_colour(method: str) -> str:
    """Return the colour of a method, a variant of a method (``dcm_newton``) or a representation of k-NN."""
    for name in (method, method.removeprefix("knn_"), re.split(r"_|\d+$", method)[0]):
        if name in COLOURS:
            return COLOURS[name]
    raise KeyError(f"no colour of {method}: add it to reproduction.figures.style")
