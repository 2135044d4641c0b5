"""Figures of LDA beside the Dirichlet compound multinomial, and of joined and thinned documents."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from reproduction.papers.thesis.drawing import tables_of
from textmix.pages.marks import counted, explain_trials, legend, marked, row_names, spread_of, trials_row, with_bars
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
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row["name"], []).append(float(row["value"]))
    return values


def latent_topics(data: FigureData) -> Sheet:
    """Draw perplexity and accuracy of every model on every split, a row of panels a data set.

    Option: labels (role -> title).  Reads the tables ``trials``.
    """
    numbers_by_role = {role: numbers_of(rows) for role, rows in tables_of(data, MEASURES, "trials").items()}
    figure, panel = grid_of_panels(2 * len(numbers_by_role), 2, 2.2)
    for row, (role, numbers) in enumerate(numbers_by_role.items()):
        topics = sorted(int(name[3 : -len("_bound_nats")]) for name in numbers if name.endswith("_bound_nats"))
        names = MODELS | {f"lda{k}": f"LDA, {k} topics" for k in topics}
        perplexities, accuracies = panel[2 * row : 2 * row + 2]
        _perplexities(perplexities, numbers, names)
        _rows(accuracies, numbers, "accuracy", names)
        for axes, label in ((perplexities, "perplexity"), (accuracies, "accuracy (fraction)")):
            axes.set_title(data.title_of(role))
            axes.set_xlabel(label)
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
        trials_row(axes, height, values, colour_of(name), "split")
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
    for row, (role, trials) in enumerate(rows.items()):
        numbers = numbers_of(trials)
        likelihoods, accuracies = panel[2 * row : 2 * row + 2]
        _growth(likelihoods, numbers, "nats", {"dcm": "DCM"}, -1.0)
        _growth(accuracies, numbers, "accuracy", {"dcm": "DCM", "edcm": "EDCM"}, 1.0)
        splits = map(len, numbers.values())
        title = counted(f"{data.title_of(role)}, splits", splits)
        for axes, label in ((likelihoods, "likelihood gain (nats a word)"), (accuracies, "accuracy gain (fraction)")):
            axes.set_title(title)
            axes.set_xlabel(length)
            axes.set_ylabel(label)
    figure.note("A bar reaches one standard deviation over the splits to each side of the mean gain.")
    legend(figure, *panel)
    return figure


def _growth(axes: Axes, numbers: Numbers, what: str, names: Mapping[str, str], sign: float) -> None:
    """Draw the gain of models over the multinomial at each length of a document."""
    start, end = "multinomial_", f"_{what}"
    lengths = sorted(
        int(name[len(start) : -len(end)]) for name in numbers if name.startswith(start) and name.endswith(end)
    )
    for series, (model, label) in enumerate(names.items()):
        gains = [sign * np.subtract(numbers[f"{model}_{m}{end}"], numbers[f"{start}{m}{end}"]) for m in lengths]
        bars = [spread_of(list(gain)) for gain in gains]
        aside = 0.06 * (2 * series + 1 - len(names))
        look = {"label": f"{label} less multinomial, mean", "color": colour_of(model)}
        at = [place + aside for place in range(len(lengths))]
        with_bars(axes, at, [float(gain.mean()) for gain in gains], bars if any(bars) else None, series, **look)
    marked(axes.xaxis, range(len(lengths)), [str(m) for m in lengths])
    axes.axhline(0.0, color=GREY, linewidth=0.8)
