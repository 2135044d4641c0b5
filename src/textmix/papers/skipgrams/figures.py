"""Figures of the skip-gram slides: accuracy against n and slop, size against accuracy, and the shares of the weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {"lr_l2": "L2", "lr_l1": "L1", "lr_elastic_net": "L1+L2"}
_PARTS = {"all": "all", "selected": "selected", "weight": "weighted"}


def _paths(data: FigureData, method: str) -> list[dict[str, float]]:
    """Return the rows of the measure ``<method>_curves``, table ``path``, as numbers; one row a lambda."""
    rows = data.results.measure_table(f"{method}_curves", "path")
    return [{key: float(value) for key, value in row.items()} for row in rows]


def accuracy(data: FigureData) -> Figure:
    """Draw accuracy against the largest n, one line a largest slop, one panel a learner.

    A full mark is at the lambda chosen on training documents, a hollow one at the best lambda for the test documents.
    Options: methods, published (method -> id of the accuracy in percent, for the largest n and slop).  Reads
    ``<method>_curves/path.csv``: n, slop, chosen (0 or 1), test_accuracy.
    """
    methods = data.option("methods")
    figure, panel = panels(len(methods), sharey=True)
    for axes, method in zip(panel, methods, strict=True):
        rows = _paths(data, method)
        for place, slop in enumerate(sorted({row["slop"] for row in rows})):
            own = [row for row in rows if row["slop"] == slop]
            ns = sorted({row["n"] for row in own})
            chosen = [next(row["test_accuracy"] for row in own if row["n"] == n and row["chosen"]) for n in ns]
            best = [max(row["test_accuracy"] for row in own if row["n"] == n) for n in ns]
            style: dict[str, Any] = {"color": f"C{place}", "marker": MARKERS[place]}
            axes.plot(ns, chosen, linestyle=DASHES[place], label=f"slop up to {slop:g}", **style)
            axes.plot(ns, best, linestyle="none", markerfacecolor="none", **style)
        printed = data.published_of(method)
        if printed is not None:
            style = {"color": "#1b1b1b", "linestyle": "none", "markersize": 9}
            axes.plot(5, printed / 100, marker="_", markeredgewidth=1.5, label="published", **style)
        axes.set_title(f"LR {LABELS[method]}")
        axes.set_xlabel("largest n (words)")
        axes.set_xticks(range(1, 6))
        axes.set_xlim(0.7, 5.3)
    panel[0].set_ylabel("accuracy (fraction)")
    panel[0].plot([], [], "o", color="#6b6b68", markerfacecolor="none", label="best for the test set")
    figure.legend(*panel[0].get_legend_handles_labels(), loc="outside upper left", ncols=5)
    return figure


def size(data: FigureData) -> Figure:
    """Draw accuracy against features used along the path of each learner, with all skip-grams.

    A ring marks the chosen lambda.  Options: methods.  Reads ``<method>_curves/path.csv``, rows of the largest n and
    slop: features, test_accuracy, chosen (0 or 1).
    """
    figure, (axes,) = panels(1)
    for place, method in enumerate(data.option("methods")):
        rows = _paths(data, method)
        largest = max((row["n"], row["slop"]) for row in rows)
        own = [row for row in rows if (row["n"], row["slop"]) == largest and row["features"] > 0]
        points = [(row["features"], row["test_accuracy"]) for row in own]
        axes.plot(
            *zip(*points, strict=True), DASHES[place], marker=MARKERS[place], color=f"C{place}", label=LABELS[method]
        )
        ring = next(point for point, row in zip(points, own, strict=True) if row["chosen"])
        axes.plot(*ring, "o", markersize=13, markerfacecolor="none", color=f"C{place}")
    axes.set_xscale("log")
    axes.set_xlabel("skip-grams with weight (logarithmic)")
    axes.set_ylabel("accuracy (fraction)")
    axes.legend(loc="lower right", title="logistic regression")
    return figure


def contributions(data: FigureData) -> Figure:
    """Draw the share of each n and slop among all features, among selected ones, and in the weight; a panel a learner.

    Options: methods, published (method -> id of the share of the weight without gaps, in percent).  Reads
    ``<method>_curves/shares.csv``: n, slop, all, selected, weight (fractions).
    """
    methods = data.option("methods")
    figure, panel = panels(len(methods), height=3.6, sharey=True)
    for axes, method in zip(panel, methods, strict=True):
        _stack(axes, data.results.measure_table(f"{method}_curves", "shares"))
        printed = data.published_of(method)
        if printed is not None:
            axes.plot([1.55, 2.45], [printed / 100] * 2, color="#1b1b1b", linewidth=1.5, label="published, slop 0")
        axes.set_title(f"LR {LABELS[method]}")
    panel[0].set_ylabel("share")
    handles, labels = panel[-1].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside right center")
    return figure


def _stack(axes: Axes, rows: Sequence[dict[str, str]]) -> None:
    """Draw one bar a part, in layers by n (lightness) and slop (colour)."""
    bottom = [0.0] * len(_PARTS)
    for row in sorted(rows, key=lambda row: (int(row["slop"]), int(row["n"]))):
        n, slop = int(row["n"]), int(row["slop"])
        heights = [float(row[part]) for part in _PARTS]
        axes.bar(
            range(len(_PARTS)),
            heights,
            bottom=bottom,
            color=f"C{slop}",
            alpha=1.0 - 0.17 * (n - 1),
            edgecolor="white",
            linewidth=0.5,
            label=f"n = {n}, slop {slop}",
        )
        for place, height in enumerate(heights):
            if height >= 0.045:
                axes.text(
                    place, bottom[place] + height / 2, f"{100 * height:.0f} %", ha="center", va="center", fontsize=7
                )
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    axes.set_xticks(range(len(_PARTS)), list(_PARTS.values()))
    axes.set_ylim(0, 1)
    axes.grid(axis="x", visible=False)


def speaking(data: FigureData) -> Figure:
    """Draw the skip-grams with the largest effect on the scores, as bars to either side.

    Reads ``speaking/skipgrams.csv``: skipgram, pull (weight times standard deviation of the feature).
    """
    rows = sorted(data.results.measure_table("speaking", "skipgrams"), key=lambda row: float(row["pull"]))
    figure, (axes,) = panels(1, height=0.17 * len(rows) + 0.8)
    pulls = [float(row["pull"]) for row in rows]
    axes.barh(range(len(rows)), pulls, color=["C0" if pull > 0 else "C1" for pull in pulls])
    for place, (row, pull) in enumerate(zip(rows, pulls, strict=True)):
        side, shift = ("right", -3) if pull > 0 else ("left", 3)
        axes.annotate(
            row["skipgram"], (0, place), (shift, 0), textcoords="offset points", ha=side, va="center", fontsize=8
        )
    axes.set_yticks([])
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("weight x standard deviation: to negative (left), to positive (right)")
    return figure


FIGURES: dict[str, Callable[[FigureData], Figure]] = {
    "accuracy": accuracy,
    "size": size,
    "contributions": contributions,
    "speaking": speaking,
}
