"""Figures of the EDCM paper's classifiers: the ten methods of Table 1, accuracy against k, and the open choices."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from textmix.core.errors import MissingResult
from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, PUBLISHED, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {
    "multinomial": "multinomial",
    "dcm": "DCM",
    "edcm": "EDCM",
    "l0": r"$L_0$",
    "l1": r"$L_1$",
    "l2": r"$L_2$",
    "bhattacharyya": "Bhattacharyya",
    "tfidf": "TF-IDF",
    "fisher_dcm": "Fisher-DCM",
    "fisher_multinomial": "Fisher-multinomial",
}
_VOTES = {"nearest": "tie to the nearest", "first": "tie to the first class", "similarity": "votes by similarity"}
_VECTORS = {"printed": "", "cosine": ", length 1", "per_class": ", one a class"}


def name_of(method: str) -> str:
    """Return a method's or representation's name as the paper writes it."""
    return NAMES.get(method.removeprefix("knn_"), method)


def table1(data: FigureData) -> Figure:
    """Draw the accuracy of all methods on every split, one panel a data set at hand.

    Options: experiment, roles, labels (role -> title), methods, published (``<role>.<method>`` -> id).

    Raises
    ------
    MissingResult : no data set is at hand; the reason is that of the first.
    """
    found, absent = {}, []
    for role in data.option("roles"):
        try:
            found[role] = [data.trials(role, method, "accuracy") for method in data.option("methods")]
        except MissingResult as missing:
            absent.append(missing)
    if not found:
        raise absent[0]
    figure, panel = panels(len(found), height=3.6, sharey=True)
    methods = data.option("methods")
    for axes, (role, values) in zip(panel, found.items(), strict=True):
        for place, (method, trials) in enumerate(zip(methods, values, strict=True)):
            colour = "C1" if method.startswith("knn") else "C0"
            axes.plot(trials, [place] * len(trials), "o", color=colour, alpha=0.5, markersize=4)
            mean = statistics.fmean(trials)
            axes.plot([mean], [place], "|", color="#1b1b1b", markersize=13, markeredgewidth=1.8)
            side = (max(trials), place)
            axes.annotate(f"{mean:.3f}", side, (7, 0), textcoords="offset points", va="center", fontsize=8)
            printed = data.published_of(f"{role}.{method}")
            if printed is not None:
                axes.plot([printed], [place], markersize=6, **PUBLISHED)
        axes.margins(x=0.12)
        axes.set_title(data.options.get("labels", {}).get(role, role))
        axes.set_xlabel("accuracy (fraction of test documents)")
        axes.grid(axis="y", visible=False)
    panel[0].set_yticks(range(len(methods)), [_kind(method) + name_of(method) for method in methods])
    panel[0].set_ylim(len(methods) - 0.4, -0.8)
    _explain(figure, panel[0])
    return figure


def _kind(method: str) -> str:
    """Return the family of a method, which is written before its name."""
    return "k-NN, " if method.startswith("knn") else "naive Bayes, "


def _explain(figure: Figure, axes: Axes) -> None:
    """Place the legend of splits, means and published values above the panels."""
    axes.plot([], [], "o", color="#8a8a86", markersize=4, label="one split (rebuilt)")
    axes.plot([], [], "|", color="#1b1b1b", markersize=12, markeredgewidth=1.8, label="mean (rebuilt)")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=3)


def knn_curves(data: FigureData) -> Figure:
    """Draw the mean accuracy against k for each representation, one panel a data set at hand.

    Options: labels (measure -> title of its panel).  Reads ``<measure>/curves.csv``: representation, k, accuracy,
    spread (standard deviation over the splits).  A missing measure is left out.

    Raises
    ------
    MissingResult : all measures are missing; the reason is that of the first.
    """
    found: dict[str, Sequence[Mapping[str, str]]] = {}
    absent = []
    for measure, title in data.option("labels").items():
        try:
            found[title] = data.results.measure_table(measure, "curves")
        except MissingResult as missing:
            absent.append(missing)
    if not found:
        raise absent[0]
    figure, panel = panels(len(found))
    for axes, (title, rows) in zip(panel, found.items(), strict=True):
        for place, name in enumerate(dict.fromkeys(row["representation"] for row in rows)):
            points = [row for row in rows if row["representation"] == name]
            k, mean, spread = ([float(row[key]) for row in points] for key in ("k", "accuracy", "spread"))
            low, high = ([m + sign * s for m, s in zip(mean, spread, strict=True)] for sign in (-1, 1))
            axes.fill_between(k, low, high, color=f"C{place}", alpha=0.15, linewidth=0)
            style: dict[str, Any] = {"color": f"C{place}", "marker": MARKERS[place], "linestyle": DASHES[place]}
            axes.plot(k, mean, markersize=4, label=name_of(name), **style)
        axes.set_xscale("log")
        axes.set_title(title)
        axes.set_xlabel("neighbours k (logarithmic)")
    panel[0].set_ylabel("accuracy (fraction of test documents)")
    figure.legend(*panel[0].get_legend_handles_labels(), loc="outside upper left", ncols=4)
    return figure


def knn_choices(data: FigureData) -> Figure:
    """Draw the accuracy of every representation under each choice that the paper leaves open.

    Reads ``knn_variants/variants.csv``: representation, vectors, vote, accuracy.
    """
    rows = data.results.measure_table("knn_variants", "variants")
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault(name_of(row["representation"]) + _VECTORS[row["vectors"]], []).append(row)
    figure, (axes,) = panels(1, height=0.9 + 0.24 * len(groups))
    for height, variants in enumerate(groups.values()):
        _plot_choices(axes, variants, height)
    axes.set_yticks(range(len(groups)), list(groups))
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.set_xlabel("accuracy with k = 3 (fraction of test documents)")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _plot_choices(axes: Axes, variants: Sequence[Mapping[str, str]], height: int) -> None:
    """Draw the accuracies of one representation, a mark for each way to vote; the row at height 0 fills the legend."""
    for place, (vote, label) in enumerate(_VOTES.items()):
        values = [float(row["accuracy"]) for row in variants if row["vote"] == vote]
        axes.plot(
            values, [height] * len(values), MARKERS[place], color=f"C{place}", markersize=5,
            label=None if height else label,
        )  # fmt: skip
