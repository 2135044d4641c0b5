"""Figures of the skip-gram slides: accuracy against n and slop, size against accuracy, and the shares of the weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from reproduction.figures.drawing import FigureData
from reproduction.figures.figure_elements import (
    PublishedValue,
    add_legend,
    annotate_point,
    annotate_row,
    draw_published_point,
    set_log_scale,
)
from reproduction.figures.style import DASHES, GREY, INK, MARKERS, PAPER, SMALL, Sheet, method_colour, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {
    **{"lr_l2": "LR L2", "lr_l1": "LR L1", "lr_elastic_net": "LR L1+L2"},
    **{"svm_l2": "SVM L2", "svm_l1": "SVM L1"},
}
_PARTS = {"all": "all", "selected": "chosen", "weight": "weight"}
#: A share of at least this is written into its bar.
WRITTEN = 0.045


def _paths(data: FigureData, method: str) -> list[dict[str, float]]:
    """Return the rows of the measure ``<method>_curves``, table ``path``, as numbers; one row a lambda."""
    rows = data.results.measure_table(f"{method}_curves", "path")
    return [{key: float(value) for key, value in row.items()} for row in rows]


def accuracy(data: FigureData) -> Sheet:
    """Draw accuracy against the largest n, one line a largest slop, one panel a learner.

    A full mark is at the lambda chosen on training documents, a hollow one at the best lambda for the test documents.
    Options: methods, published (method -> id of the accuracy in percent, for the largest n and slop).
    """
    methods = data.option("methods")
    figure, panel = panels(len(methods), height=3.1, sharex=True, sharey=True)
    for axes, method in zip(panel, methods, strict=True):
        rows = _paths(data, method)
        for series, slop in enumerate(sorted({row["slop"] for row in rows})):
            _accuracies(axes, [row for row in rows if row["slop"] == slop], series, f"slop up to {slop:g}")
        printed = data.published_of(method)
        if printed is not None:
            longest = max(row["n"] for row in rows)
            draw_published_point(axes, longest + 0.25, 0, PublishedValue(printed.value / 100), across=False)
        axes.set_title(LABELS[method])
        axes.set_xlabel("largest n (words)")
        axes.set_xticks(sorted({row["n"] for row in rows}))
    panel[0].set_ylabel("accuracy (fraction of test reviews)")
    panel[0].plot([], [], "o", color=GREY, label="penalty chosen in training")
    panel[0].plot([], [], "o", color=GREY, markerfacecolor=PAPER, label="penalty best for the test")
    figure.note("One given split; a learner is trained once and has no bar.")
    add_legend(figure)
    return figure


def _accuracies(axes: Axes, rows: Sequence[dict[str, float]], series: int, label: str) -> None:
    """Draw the accuracies of one slop against n, at the chosen lambda and at the best one."""
    ns = sorted({row["n"] for row in rows})
    chosen = [next(row["test_accuracy"] for row in rows if row["n"] == n and row["chosen"]) for n in ns]
    best = [max(row["test_accuracy"] for row in rows if row["n"] == n) for n in ns]
    style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series]}
    axes.plot(ns, best, linestyle="none", markerfacecolor=PAPER, **style)
    axes.plot(ns, chosen, linestyle=DASHES[series], label=label, **style)


def size(data: FigureData) -> Sheet:
    """Draw accuracy against features used along the path of each learner, with all skip-grams.

    A ring marks the chosen lambda.  Options: methods.
    """
    figure, (axes,) = panels(1, height=3.0)
    sizes = []
    for number, method in enumerate(data.option("methods")):
        rows = _paths(data, method)
        largest = max((row["n"], row["slop"]) for row in rows)
        path = [row for row in rows if (row["n"], row["slop"]) == largest and row["features"] > 0]
        x, y = ([row[key] for row in path] for key in ("features", "test_accuracy"))
        sizes += x
        colour = method_colour(method)
        style: dict[str, Any] = {"color": colour, "marker": MARKERS[number], "linestyle": DASHES[number]}
        axes.plot(x, y, label=LABELS[method], **style)
        ring = next(number for number, row in enumerate(path) if row["chosen"])
        axes.plot(x[ring], y[ring], "o", markersize=12, markerfacecolor="none", color=colour)
        figure.note(f"The chosen penalty of {LABELS[method]} keeps {x[ring]:,.0f} skip-grams.")
    axes.plot([], [], "o", markersize=12, markerfacecolor="none", color=GREY, label="penalty chosen in training")
    set_log_scale(axes.xaxis, min(sizes), max(sizes))
    axes.set_xlabel("skip-grams with weight (log scale)")
    axes.set_ylabel("accuracy (fraction of test reviews)")
    add_legend(figure)
    return figure


def contributions(data: FigureData) -> Sheet:
    """Draw the share of each n and slop among all features, among selected ones, and in the weight; a panel a learner.
    Options: methods, published (method -> id of the share of the weight without gaps, in percent).
    """
    methods = data.option("methods")
    figure, panel = panels(len(methods), height=3.8, sharey=True)
    for axes, method in zip(panel, methods, strict=True):
        _stack(axes, data.results.measure_table(f"{method}_curves", "shares"))
        printed = data.published_of(method)
        if printed is not None:
            draw_published_point(axes, 2.42, 0, PublishedValue(printed.value / 100), across=False)
            figure.note("The diamond is the published share of slop 0 in the weight.")
        axes.set_title(LABELS[method])
    panel[0].set_ylabel("share (fraction)")
    add_legend(figure)
    return figure


def _stack(axes: Axes, rows: Sequence[dict[str, str]]) -> None:
    """Draw one bar a part, in layers by n (paleness) and slop (colour)."""
    bottom = [0.0] * len(_PARTS)
    for row in sorted(rows, key=lambda row: (int(row["slop"]), int(row["n"]))):
        n, slop = int(row["n"]), int(row["slop"])
        heights = [float(row[part]) for part in _PARTS]
        style: dict[str, Any] = {
            "color": f"C{slop}",
            "alpha": 1.0 - 0.17 * (n - 1),
            "edgecolor": PAPER,
            "linewidth": 0.5,
        }
        axes.bar(range(len(_PARTS)), heights, bottom=bottom, width=0.7, label=f"n = {n}, slop {slop}", **style)
        for x, height in enumerate(heights):
            if height >= WRITTEN:
                annotate_point(
                    axes, f"{100 * height:.0f} %", (x, bottom[x] + height / 2), up=0, color=INK, fontsize=SMALL
                )
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    axes.set_xticks(range(len(_PARTS)), list(_PARTS.values()))
    axes.set_xlim(-0.5, len(_PARTS) - 0.4)
    axes.set_ylim(0, 1)
    axes.grid(axis="x", visible=False)


def speaking(data: FigureData) -> Sheet:
    """Draw the skip-grams with the largest effect on the scores, as bars to either side."""
    rows = sorted(data.results.measure_table("speaking", "skipgrams"), key=lambda row: -float(row["pull"]))
    figure, (axes,) = panels(1, height=0.17 * len(rows) + 0.9)
    for height, row in enumerate(rows):
        pull, share = float(row["pull"]), 100 * float(row["positive_share"])
        label = "towards positive" if pull > 0 else "towards negative"
        in_legend = label in axes.get_legend_handles_labels()[1]
        axes.barh([height], [pull], color="C0" if pull > 0 else "C1", height=0.72, label=None if in_legend else label)
        annotate_point(axes, row["skipgram"], (0, height), right=-3 if pull > 0 else 3, up=0, color=INK)
        text = f"{int(row['documents']):,} · {share:.0f} %"
        annotate_row(axes, text, height)
    axes.set_yticks([])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("weight × standard deviation of the feature")
    figure.note(
        "At the right stand the training reviews with the skip-gram, and the share of positive ones among them."
    )
    add_legend(figure)
    return figure


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "accuracy": accuracy,
    "size": size,
    "contributions": contributions,
    "speaking": speaking,
}
