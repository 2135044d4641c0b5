"""Figures of LDA beside the Dirichlet compound multinomial, and of joined and thinned documents."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reproduction.pages.figures import FigureData
from reproduction.papers.thesis.drawing import tables_of
from textmix.pages.marks import explain_trials, legend, marked, row_names, spread_of, trials_row, with_bars
from textmix.pages.style import GREY, Sheet, grid_of_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Measures of LDA, one data set each.
MEASURES = ("latent_topics", "latent_topics_newsgroups", "latent_topics_webkb")
#: Model of the table -> its row, from the top; LDA follows with its numbers of topics.
MODELS = {"multinomial": "multinomial", "dcm": "DCM", "edcm": "EDCM", "pmm1": "PMM1"}

Numbers = Mapping[str, Sequence[float]]


def numbers_of(rows: Sequence[Mapping[str, str]]) -> dict[str, list[float]]:
    """Return name -> values of the trials, of the rows of one role."""
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["name"], []).append(float(row["value"]))
    return found


def latent_topics(data: FigureData) -> Sheet:
    """Draw perplexity and accuracy of every model on every split, a row of panels a data set.

    Option: labels (role -> title).  Reads the tables ``trials``.
    """
    found = {role: numbers_of(rows) for role, rows in tables_of(data, MEASURES, "trials").items()}
    figure, panel = grid_of_panels(2 * len(found), 2, 2.2)
    for place, (role, numbers) in enumerate(found.items()):
        topics = sorted(int(name[3 : -len("_bound_nats")]) for name in numbers if name.endswith("_bound_nats"))
        names = MODELS | {f"lda{k}": f"LDA, {k} topics" for k in topics}
        left, right = panel[2 * place : 2 * place + 2]
        _perplexities(left, numbers, names)
        _rows(right, numbers, "accuracy", names)
        for axes, said in ((left, "perplexity"), (right, "accuracy (fraction)")):
            axes.set_title(data.title_of(role))
            axes.set_xlabel(said)
    legend(figure, *panel)
    return figure


def _perplexities(axes: Axes, numbers: Numbers, names: Mapping[str, str]) -> None:
    """Draw the perplexities, those by the variational bound as open marks."""
    perplexities = {name: list(np.exp(values)) for name, values in numbers.items() if name.endswith("_nats")}
    shown = {name: label for name, label in names.items() if f"{name}_nats" in perplexities}
    _rows(axes, perplexities, "nats", shown)
    label = "mean by the variational bound"
    for height, name in enumerate(shown):
        if f"{name}_bound_nats" in perplexities:
            middle = statistics.fmean(perplexities[f"{name}_bound_nats"])
            axes.plot([middle], [height], color=GREY, marker="D", fillstyle="none", linestyle="none", label=label)


def _rows(axes: Axes, numbers: Numbers, what: str, names: Mapping[str, str]) -> None:
    """Draw a row a model with its splits."""
    sizes = []
    for height, name in enumerate(names):
        values = numbers[f"{name}_{what}"]
        sizes.append(len(values))
        trials_row(axes, height, values, f"C{height}", "split")
    row_names(axes, list(names.values()))
    explain_trials(axes, "split", sizes)


def longer(data: FigureData) -> Sheet:
    """Draw the gains over the multinomial against the number of joined documents, a row of panels a data set.

    Option: labels (role -> title).  Reads ``longer/trials.csv``.
    """
    return _gains(data, "longer", "documents joined to one")


def thinned(data: FigureData) -> Sheet:
    """Draw the gains over the multinomial against the part of a document's words, a row of panels a data set.

    Option: labels (role -> title).  Reads ``thinned/trials.csv``.
    """
    return _gains(data, "thinned", "words kept (percent)")


def _gains(data: FigureData, measure: str, length: str) -> Sheet:
    """Draw the gains of a measure against the length of a document, whose name is the label of the axis."""
    rows: dict[str, list[Mapping[str, str]]] = tables_of(data, (measure,), "trials")
    figure, panel = grid_of_panels(2 * len(rows), 2, 2.2)
    for place, (role, mine) in enumerate(rows.items()):
        numbers = numbers_of(mine)
        left, right = panel[2 * place : 2 * place + 2]
        _growth(left, numbers, "nats", {"dcm": "DCM"}, -1.0)
        _growth(right, numbers, "accuracy", {"dcm": "DCM", "edcm": "EDCM"}, 1.0)
        for axes, said in ((left, "likelihood gain (nats a word)"), (right, "accuracy gain (fraction)")):
            axes.set_title(data.title_of(role))
            axes.set_xlabel(length)
            axes.set_ylabel(said)
    legend(figure, *panel)
    return figure


def _growth(axes: Axes, numbers: Numbers, what: str, names: Mapping[str, str], sign: float) -> None:
    """Draw the gain of models over the multinomial at each length of a document."""
    start, end = "multinomial_", f"_{what}"
    lengths = sorted(
        int(name[len(start) : -len(end)]) for name in numbers if name.startswith(start) and name.endswith(end)
    )
    for place, (model, label) in enumerate(names.items()):
        gains = [sign * np.subtract(numbers[f"{model}_{m}{end}"], numbers[f"{start}{m}{end}"]) for m in lengths]
        bars = [spread_of(list(gain)) for gain in gains]
        with_bars(axes, range(len(lengths)), [float(gain.mean()) for gain in gains], bars, place, label=label)
    marked(axes.xaxis, range(len(lengths)), [str(m) for m in lengths])
    axes.axhline(0.0, color=GREY, linewidth=0.8)
