"""The figure that the thesis lacks: all methods on the same data, against training size and time, and their ranks."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from textmix.metrics.significance import LEVEL
from textmix.pages.marks import legend, log_axis, row_names, spread_of
from textmix.pages.style import GREY, MARKERS, PAPER, Sheet, grid_of_panels, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Method -> its name, in the order of its rows.
NAMES = {
    "multinomial": "multinomial",
    "dirichlet_smoothed": "Dirichlet-smoothed",
    "absolute_discounting": "absolute discounting",
    "dcm": "DCM",
    "edcm": "EDCM",
    "knn": "k-NN",
    "logistic_regression": "logistic regression",
    "linear_svm": "linear SVM",
    "lsi_density": "LSI, densities",
    "lsi_knn": "LSI, k-NN",
    "lsi_logistic_regression": "LSI, logistic regr.",
    "pruned_lsi": "LSI, 10 % of words",
    "hmm": "HMM",
    "hmm_clusters": "HMM, clusters",
    "hmm_shared": "HMM, shared",
    "lda": "LDA, 10 topics",
}


def comparison(data: FigureData) -> Sheet:
    """Draw the accuracy of each method at each number of training documents, a panel a data set, a row a method.

    Option: labels (role -> title).  Reads ``comparison/accuracies.csv``: role, method, size, accuracy; a row a trial.
    """
    accuracies: dict[str, dict[str, dict[int, list[float]]]] = {}
    for row in data.results.measure_table("comparison", "accuracies"):
        points = accuracies.setdefault(row["role"], {}).setdefault(row["method"], {})
        points.setdefault(int(row["size"]), []).append(float(row["accuracy"]))
    names = {method: name for method, name in NAMES.items() if any(method in of for of in accuracies.values())}
    figure, panel = grid_of_panels(len(accuracies), 2, 0.7 + 0.17 * len(names), sharey=True)
    trials = set()
    for axes, (role, methods) in zip(panel, accuracies.items(), strict=True):
        for height, method in enumerate(names):
            _accuracies(axes, height, method, methods.get(method, {}))
            trials |= {len(values) for values in methods.get(method, {}).values()}
        axes.set_title(data.title_of(role))
        axes.set_xlabel("accuracy (fraction)")
        best = max(methods, key=lambda method: statistics.fmean(methods[method][max(methods[method])]))
        top = statistics.fmean(methods[best][max(methods[best])])
        figure.note(f"{data.title_of(role)}: at the largest size {NAMES[best]} is the most accurate, {top:.3f}.")
    row_names(panel[0], list(names.values()))
    if max(trials) > 1:
        figure.note(f"A bar reaches one standard deviation over the {max(trials)} splits to each side of the mean.")
    else:
        figure.note("One split of each data set; its accuracies have no bars.")
    sizes = sorted({size for of in accuracies.values() for points in of.values() for size in points})
    _explain_sizes(panel[0], sizes, "mean of the splits" if max(trials) > 1 else "one split")
    legend(figure)
    return figure


def _accuracies(axes: Axes, height: int, method: str, points: Mapping[int, Sequence[float]]) -> None:
    """Draw the mean accuracies of a method on its row, the more training documents the fuller, joined by a line."""
    sizes = sorted(points)
    means = [statistics.fmean(points[size]) for size in sizes]
    axes.plot(means, [height] * len(sizes), color=colour_of(method), linewidth=0.8, alpha=0.5, zorder=1)
    for number, (size, mean) in enumerate(zip(sizes, means, strict=True)):
        bar = [spread_of(points[size])] if len(points[size]) > 1 else None
        axes.errorbar([mean], [height], xerr=bar, markersize=4.5, **_size_look(colour_of(method), number, len(sizes)))


def _size_look(colour: str, number: int, sizes: int) -> dict[str, Any]:
    """Return the look of a number of training documents, of which the largest is a full mark."""
    face = colour if number == sizes - 1 else PAPER
    return {"color": colour, "marker": MARKERS[number], "markerfacecolor": face, "linestyle": "none", "elinewidth": 0.9}


def _explain_sizes(axes: Axes, sizes: Sequence[int], of: str) -> None:
    """Enter the marks of the numbers of training documents into the legend, and of how many splits they are."""
    for number, size in enumerate(sizes):
        label = f"{size:,} training documents, {of}"
        axes.errorbar([], [], xerr=[], markersize=4.5, label=label, **_size_look(GREY, number, len(sizes)))


def comparison_ranks(data: FigureData) -> Sheet:
    """Draw the mean rank of each method over the data sets at the largest size, and its median seconds.

    Reads ``comparison/ranks.csv`` and ``comparison_time/seconds.csv``.
    """
    ranks = {row["method"]: float(row["rank"]) for row in data.results.measure_table("comparison", "ranks")}
    values = data.results.measure("comparison")
    seconds: dict[str, list[float]] = {}
    for row in data.results.measure_table("comparison_time", "seconds"):
        seconds.setdefault(row["method"], []).append(float(row["seconds"]))
    order = sorted(ranks, key=ranks.__getitem__)
    figure, (mean_ranks, times) = panels(2, height=4.2, sharey=True)
    for height, method in enumerate(order):
        look: dict[str, Any] = {"color": colour_of(method), "marker": "o", "linestyle": "none"}
        mean_ranks.plot([ranks[method]], [height], **look)
        times.plot([statistics.median(seconds[method])], [height], **look)
    difference, best = values["critical_difference"].value, ranks[order[0]]
    if difference < len(ranks):
        mean_ranks.axvspan(
            best, best + difference, color=GREY, alpha=0.15, linewidth=0, label="critical difference from the best"
        )
    row_names(mean_ranks, [NAMES[method] for method in order])
    mean_ranks.set_xlabel("mean rank (1 is the best)")
    medians = [statistics.median(values_of) for values_of in seconds.values()]
    log_axis(times.xaxis, min(medians), max(medians), between=False)
    times.set_xlabel("seconds, median (log scale)")
    n, p = int(values["datasets"].value), values["friedman_p"].value
    tested = f"{len(ranks)} methods on {n} data sets; Friedman's test, p = {p:.2g}"
    if difference < len(ranks):
        figure.note(f"{tested}; ranks that differ by {difference:.1f} or more are distinguishable (Nemenyi, {LEVEL}).")
    else:
        figure.note(f"{tested}; {n} data sets are too few for Nemenyi's test to distinguish any two of the methods.")
    legend(figure, mean_ranks)
    return figure
