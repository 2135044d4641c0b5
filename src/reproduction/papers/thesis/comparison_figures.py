"""The figure that the thesis lacks: all methods on the same data, against training size and time, and their ranks."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reproduction.pages.figures import FigureData
from textmix.metrics.significance import LEVEL
from textmix.pages.marks import legend, log_axis, row_names
from textmix.pages.style import DASHES, GREY, MARKERS, Sheet, grid_of_panels, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Family of methods -> its methods and their names.
FAMILIES: dict[str, dict[str, str]] = {
    "naive Bayes": {
        "multinomial": "multinomial",
        "dirichlet_smoothed": "Dirichlet-smoothed",
        "absolute_discounting": "absolute discounting",
    },
    "DCM": {"dcm": "DCM", "edcm": "EDCM"},
    "words": {"knn": "k-NN", "logistic_regression": "logistic regression", "linear_svm": "linear SVM"},
    "LSI": {
        "lsi_density": "LSI, densities",
        "lsi_knn": "LSI, k-NN",
        "lsi_logistic_regression": "LSI, logistic regression",
        "pruned_lsi": "LSI, 10 % of the words",
    },
    "hidden Markov": {"hmm": "HMM", "hmm_clusters": "HMM, clusters", "hmm_shared": "HMM, shared"},
    "LDA": {"lda": "LDA, 10 topics"},
}
_FAMILY = {method: place for place, methods in enumerate(FAMILIES.values()) for method in methods}
_NAMES = {method: name for methods in FAMILIES.values() for method, name in methods.items()}


def comparison(data: FigureData) -> Sheet:
    """Draw the accuracy of each method against the number of training documents, a panel a data set, a colour a family.

    Option: labels (role -> title).  Reads ``comparison/accuracies.csv``.
    """
    rows = data.results.measure_table("comparison", "accuracies")
    curves: dict[str, dict[str, dict[int, list[float]]]] = {}
    for row in rows:
        points = curves.setdefault(row["role"], {}).setdefault(row["method"], {})
        points.setdefault(int(row["size"]), []).append(float(row["accuracy"]))
    figure, panel = grid_of_panels(len(curves), 2, 2.6)
    for axes, (role, methods) in zip(panel, curves.items(), strict=True):
        _curves(axes, methods)
        axes.set_title(data.title_of(role))
        axes.set_xlabel("training documents (log scale)")
        best = max(methods, key=lambda method: statistics.fmean(methods[method][max(methods[method])]))
        top = statistics.fmean(methods[best][max(methods[best])])
        figure.note(
            f"{data.title_of(role)}: the largest mean at the largest size is that of {_NAMES[best]}, {top:.3f}."
        )
    for axes in panel[::2]:
        axes.set_ylabel("accuracy (fraction)")
    legend(figure, panel[0])
    return figure


def _curves(axes: Axes, methods: Mapping[str, Mapping[int, list[float]]]) -> None:
    """Draw one line a method; the legend names families, a line's dash the method within its family."""
    shown = set()
    for method, points in methods.items():
        family, sizes = _FAMILY[method], sorted(points)
        name = list(FAMILIES)[family]
        label = None if name in shown else f"{name}, mean"
        dash = DASHES[list(FAMILIES[name]).index(method)]
        means = [statistics.fmean(points[size]) for size in sizes]
        look = {"color": f"C{family}", "marker": MARKERS[family], "linestyle": dash, "markersize": 3.5}
        axes.plot(sizes, means, label=label, linewidth=1.0, **look)
        shown.add(name)
        log_axis(axes.xaxis, sizes[0], sizes[-1])


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
        look: dict[str, Any] = {"color": f"C{_FAMILY[method]}", "marker": MARKERS[_FAMILY[method]], "linestyle": "none"}
        mean_ranks.plot([ranks[method]], [height], **look)
        times.plot([statistics.median(seconds[method])], [height], **look)
    difference, best = values["critical_difference"].value, ranks[order[0]]
    if difference < len(ranks):
        mean_ranks.axvspan(
            best, best + difference, color=GREY, alpha=0.15, linewidth=0, label="critical difference from the best"
        )
    row_names(mean_ranks, [_NAMES[method] for method in order])
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
