"""Figures of the skip-gram study: accuracy by n and slop, size against accuracy, proportions of weight, and vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reproduction.figures.drawing import FigureData, read_available
from reproduction.figures.figure_elements import (
    PublishedValue,
    add_legend,
    annotate_point,
    annotate_row,
    draw_published_line,
    set_log_scale,
)
from reproduction.figures.style import (
    DASHES,
    GREY,
    INK,
    MARKERS,
    PAPER,
    SMALL,
    Sheet,
    grid_of_panels,
    method_colour,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {
    "lr_l2": "LR L2",
    "lr_l1": "LR L1",
    "lr_elastic_net": "LR L1+L2",
    "svm_l2": "SVM L2",
    "svm_l1": "SVM L1",
}
#: Labels of the bars by column of the table ``proportions``.
PROPORTIONS = {"all": "all features", "used": "features used", "weight": "weight"}
#: Minimum proportion that is printed in its bar.
MIN_LABELLED_PROPORTION = 0.045
#: Labels of the document orders in the training of the vectors.
VECTOR_ORDERS = {"file_order": "file order", "file_per_part": "file per part", "shuffled": "shuffled"}
VECTOR_SPLITS = {"given": "given split", "random": "random halves"}


def _fits(data: FigureData, method: str) -> list[dict[str, float]]:
    """Return the fits of one learner as numbers, one row per feature set."""
    rows = data.results.measure_table(data.option("measure"), "fits")
    numbers = []
    for row in rows:
        if row["learner"] == method:
            numbers.append({key: float(value) for key, value in row.items() if key != "learner"})
    return numbers


def _published(data: FigureData, method: str, n: float, slop: float, suffix: str = "") -> float | None:
    """Return the published value of a fit, in the unit of the paper, or None."""
    key = f"n{n:g}_s{slop:g}"
    ids: Mapping[str, str] = data.options.get("published", {})
    default_id = f"{data.option('artefact')}.{method}.{key}{suffix}"
    published = data.published.get(ids.get(f"{method}_{key}{suffix}", default_id))
    return None if published is None else published.value


def accuracy(data: FigureData) -> Sheet:
    """Plot accuracy against the maximum n, one line per maximum slop and one panel per learner.

    Filled markers are reproduced values, open markers published values.

    Options: ``measure``, ``methods``, ``artefact`` of the published accuracies in percent, and ``published`` for other
    ids.
    """
    methods = data.option("methods")
    figure, axes_of = grid_of_panels(len(methods), columns=3, height=2.6, sharey=True)
    for axes, method in zip(axes_of, methods, strict=True):
        rows = _fits(data, method)
        for series, slop in enumerate(sorted({row["slop"] for row in rows})):
            _draw_accuracies(axes, data, method, [row for row in rows if row["slop"] == slop], series)
        axes.set_title(LABELS[method])
        axes.set_xlabel("largest n (words)")
        axes.set_xticks(sorted({row["n"] for row in rows}))
    axes_of[0].set_ylabel("test accuracy")
    axes_of[0].plot([], [], "o", color=GREY, label="reproduced")
    axes_of[0].plot([], [], "o", color=GREY, markerfacecolor=PAPER, label="published")
    figure.note("Each model is trained once on the given split.")
    add_legend(figure)
    return figure


def _draw_accuracies(
    axes: Axes, data: FigureData, method: str, rows: Sequence[Mapping[str, float]], series: int
) -> None:
    """Plot reproduced and published accuracies for one slop against n."""
    style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series]}
    slop = rows[0]["slop"]
    ns = [row["n"] for row in rows]
    accuracies = [row["accuracy"] for row in rows]
    axes.plot(ns, accuracies, linestyle=DASHES[series], label=f"slop up to {slop:g}", **style)
    for n in ns:
        value = _published(data, method, n, slop)
        if value is not None:
            axes.plot([n], [value / 100], linestyle="none", markerfacecolor=PAPER, **style)


def size(data: FigureData) -> Sheet:
    """Plot the accuracy of every feature set against the number of nonzero weights, one series per learner.

    Filled markers are reproduced values, open markers published values.

    Options: ``measure``, ``methods``, ``artefact`` and ``published``, see `accuracy`.
    """
    figure, (axes,) = panels(1, height=3.2)
    sizes: list[float] = []
    for number, method in enumerate(data.option("methods")):
        rows = sorted(_fits(data, method), key=lambda row: row["used"])
        style: dict[str, Any] = {"color": method_colour(method), "marker": MARKERS[number]}
        used = [row["used"] for row in rows]
        sizes += used
        accuracies = [row["accuracy"] for row in rows]
        axes.plot(used, accuracies, linestyle=DASHES[number], label=LABELS[method], **style)
        for row in rows:
            value = _published(data, method, row["n"], row["slop"])
            published_used = _published(data, method, row["n"], row["slop"], ".used")
            if value is not None and published_used is not None:
                axes.plot([published_used], [value / 100], linestyle="none", markerfacecolor=PAPER, **style)
    set_log_scale(axes.xaxis, min(sizes), max(sizes))
    axes.set_xlabel("features with nonzero weight (log scale)")
    axes.set_ylabel("test accuracy")
    figure.note("Published numbers of features have one digit; those of L2, which uses all features, are not drawn.")
    add_legend(figure)
    return figure


def contributions(data: FigureData) -> Sheet:
    """Plot the proportion of each n and slop in all features, in nonzero weights, and in the sum of absolute weights.

    Options: ``measure``, ``methods``, and ``kind``, the pair of maximum n and maximum slop.
    """
    methods = data.option("methods")
    largest = [str(number) for number in data.option("kind")]
    table = data.results.measure_table(data.option("measure"), "proportions")
    figure, axes_of = panels(len(methods), height=3.8, sharey=True)
    for axes, method in zip(axes_of, methods, strict=True):
        rows = [row for row in table if row["learner"] == method and [row["largest_n"], row["largest_slop"]] == largest]
        _draw_stack(axes, rows)
        axes.set_title(LABELS[method])
    axes_of[0].set_ylabel("proportion")
    add_legend(figure)
    return figure


def _draw_stack(axes: Axes, rows: Sequence[Mapping[str, str]]) -> None:
    """Draw one stacked bar per element of `PROPORTIONS`, with opacity by n and colour by slop."""
    bottom = [0.0] * len(PROPORTIONS)
    for row in sorted(rows, key=lambda row: (int(row["slop"]), int(row["n"]))):
        n = int(row["n"])
        slop = int(row["slop"])
        heights = [float(row[column]) for column in PROPORTIONS]
        style: dict[str, Any] = {"edgecolor": PAPER, "linewidth": 0.5}
        style["color"] = f"C{slop}"
        style["alpha"] = 1.0 - 0.17 * (n - 1)
        style["label"] = f"n = {n}, slop {slop}"
        axes.bar(range(len(PROPORTIONS)), heights, bottom=bottom, width=0.7, **style)
        for x, height in enumerate(heights):
            if height >= MIN_LABELLED_PROPORTION:
                centre = (x, bottom[x] + height / 2)
                annotate_point(axes, f"{100 * height:.0f} %", centre, up=0, color=INK, fontsize=SMALL)
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    axes.set_xticks(range(len(PROPORTIONS)), [label.replace(" ", "\n") for label in PROPORTIONS.values()])
    axes.set_xlim(-0.5, len(PROPORTIONS) - 0.4)
    axes.set_ylim(0, 1)
    axes.grid(axis="x", visible=False)


def predictive(data: FigureData) -> Sheet:
    """Plot the skip-grams with the largest effect on the scores as a diverging bar chart.

    Options: ``measure``.
    """
    table = data.results.measure_table(data.option("measure"), "skipgrams")
    rows = sorted(table, key=lambda row: -float(row["effect"]))
    figure, (axes,) = panels(1, height=0.17 * len(rows) + 0.9)
    for height, row in enumerate(rows):
        effect = float(row["effect"])
        proportion = 100 * float(row["positive_proportion"])
        label = "towards positive" if effect > 0 else "towards negative"
        in_legend = label in axes.get_legend_handles_labels()[1]
        colour = "C0" if effect > 0 else "C1"
        axes.barh([height], [effect], color=colour, height=0.72, label=None if in_legend else label)
        annotate_point(axes, row["skipgram"], (0, height), right=-3 if effect > 0 else 3, up=0, color=INK)
        annotate_row(axes, f"{int(row['documents']):,} · {proportion:.0f} %", height)
    axes.set_yticks([])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("weight × standard deviation of the feature")
    figure.note("On the right: training reviews with the skip-gram, and the percentage of them that is positive.")
    add_legend(figure)
    return figure


def vectors(data: FigureData) -> Sheet:
    """Plot the accuracy of paragraph vectors on the predefined split and on random halves, for each document order.

    Options: ``measures`` (document order to measure), ``published`` (``given`` and ``random`` to id of the accuracy).
    """
    figure, axes_of = panels(len(VECTOR_SPLITS), height=2.6, sharey=True)
    measures: Mapping[str, str] = data.option("measures")
    values = read_available(measures, lambda order: data.results.measure(measures[order]))
    for axes, (split, title) in zip(axes_of, VECTOR_SPLITS.items(), strict=True):
        for number, order in enumerate(values):
            value = values[order][f"{order}_{split}"].value
            axes.bar([number], [value], color=f"C{number}", width=0.6)
            annotate_point(axes, f"{100 * value:.1f} %", (number, value))
        axes.set_xticks(range(len(values)), [VECTOR_ORDERS[order] for order in values])
        published = data.published_of(split)
        if published is not None:
            draw_published_line(axes, PublishedValue(published.value / 100))
        axes.set_title(title)
        axes.set_ylim(0.5, 1)
        axes.grid(axis="x", visible=False)
    axes_of[0].set_ylabel("test accuracy")
    if len(values) < len(measures):
        figure.note("The other orders of training are part of the full run.")
    add_legend(figure)
    return figure


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "accuracy": accuracy,
    "size": size,
    "contributions": contributions,
    "predictive": predictive,
    "vectors": vectors,
}
