"""Figures of the hidden Markov models: accuracy beside LSI, and how much the order of words tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reproduction.pages.colours import COLOURS, colour_of
from reproduction.pages.figures import FigureData
from textmix.pages.marks import explain_trials, legend, row_names, trials_row
from textmix.pages.style import Sheet, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Number of the measure -> its name in the figure, from the top.
ACCURACIES = {
    "lsi": "LSI + PNN",
    "multinomial": "naive Bayes",
    "small": "HMM, clusters of words",
    "small_shuffled": "… words shuffled",
    "whole": "HMM, topics as emissions",
    "whole_shuffled": "… words shuffled",
    "own": "HMM, emissions a class",
    "shared": "HMM, shared emissions",
}
GAINS = {"small_order": "clusters of words", "whole_order": "topics as emissions"}
DISTANCES = {
    "small_apart": "clusters, classes",
    "small_random": "clusters, random groups",
    "whole_apart": "topics, classes",
    "whole_random": "topics, random groups",
}


def hmm_accuracy(data: FigureData) -> Sheet:
    """Draw the accuracy of every model on every split, a panel a data set.

    Options: labels (role -> title).  Reads ``word_order/trials.csv``.
    """
    numbers_of = _trials(data)
    figure, panel = panels(len(numbers_of), height=1.0 + 0.27 * len(ACCURACIES), sharey=True)
    for axes, (role, numbers) in zip(panel, numbers_of.items(), strict=True):
        _rows(axes, numbers, ACCURACIES)
        axes.set_title(data.title_of(role))
        axes.set_xlabel("accuracy (fraction)")
    legend(figure, *panel)
    return figure


def hmm_order(data: FigureData) -> Sheet:
    """Draw the gain of the true order (left) and the distance of the transitions (right) of the first data set.

    Options: labels (role -> title).  Reads ``word_order/trials.csv``.
    """
    role, numbers = next(iter(_trials(data).items()))
    figure, panel = panels(2, height=2.2)
    for axes, names, label in zip(
        panel,
        (GAINS, DISTANCES),
        ("gain of the true order\n(nats a word)", "transitions apart\n(nats a step)"),
        strict=True,
    ):
        _rows(axes, numbers, names)
        axes.set_xlabel(label)
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    figure.note(f"The documents are those of {data.title_of(role)}.")
    legend(figure, *panel)
    return figure


def _trials(data: FigureData) -> dict[str, dict[str, list[float]]]:
    """Return role -> name -> value of each trial."""
    values: dict[str, dict[str, list[float]]] = {}
    for row in data.results.measure_table("word_order", "trials"):
        values.setdefault(row["role"], {}).setdefault(row["name"], []).append(float(row["value"]))
    return values


def _rows(axes: Axes, numbers: Mapping[str, list[float]], names: Mapping[str, str]) -> None:
    """Draw a row of trials for each name."""
    for height, name in enumerate(names):
        trials_row(axes, height, numbers[name], colour_of(name if name in COLOURS else "hmm"), "split")
    explain_trials(axes, "split", [len(numbers[name]) for name in names])
    row_names(axes, list(names.values()))
