"""Figures of the EDCM paper's classifiers: the ten methods of Table 1, accuracy against k, and the open choices."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from textmix.core.errors import MissingResult
from textmix.pages.marks import (
    counted,
    explain_trials,
    legend,
    log_axis,
    marked,
    published_point,
    row_names,
    trials_row,
    with_bars,
    write_beside,
)
from textmix.pages.style import MARKERS, PALE, Sheet, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {
    "multinomial": "multinomial",
    "dcm": "DCM",
    "edcm": "EDCM",
    "l0": "L₀",
    "l1": "L₁",
    "l2": "L₂",
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


def table1(data: FigureData) -> Sheet:
    """Draw the accuracy of all methods on every split, one panel a data set at hand.

    Options: experiment, roles, labels (role -> title), methods, published (``<role>.<method>`` -> id).

    Raises
    ------
    MissingResult : no data set is at hand; the reason is that of the first.
    """
    methods = data.option("methods")
    trials_of, absent = {}, []
    for role in data.option("roles"):
        try:
            trials_of[role] = [data.trials(role, method, "accuracy") for method in methods]
        except MissingResult as missing:
            absent.append(missing)
    if not trials_of:
        raise absent[0]
    figure, panel = panels(len(trials_of), height=1.0 + 0.27 * len(methods), sharey=True)
    for axes, (role, values) in zip(panel, trials_of.items(), strict=True):
        for height, (method, trials) in enumerate(zip(methods, values, strict=True)):
            trials_row(axes, height, trials, colour_of(method), "split")
            if len(trials_of) == 1:
                write_beside(axes, f"{statistics.fmean(trials):.3f}", height)
            published_point(axes, 0, height - 0.3, data.published_of(f"{role}.{method}"))
        explain_trials(axes, "split", map(len, values))
        axes.set_title(data.title_of(role))
        axes.set_xlabel("accuracy (fraction)")
    row_names(panel[0], [_kind(method) + name_of(method) for method in methods])
    legend(figure, *panel)
    return figure


def _kind(method: str) -> str:
    """Return the family of a method, which is written before its name."""
    return "k-NN, " if method.startswith("knn") else "naive Bayes, "


def knn_curves(data: FigureData) -> Sheet:
    """Draw the mean accuracy against k for each representation, one panel a data set at hand.

    Options: labels (measure -> title of its panel).  Reads ``<measure>/curves.csv``: representation, k, accuracy,
    spread (standard deviation over the splits).  A missing measure is left out.

    Raises
    ------
    MissingResult : all measures are missing; the reason is that of the first.
    """
    rows_of: dict[str, tuple[Sequence[Mapping[str, str]], set[int]]] = {}
    absent = []
    for measure, title in data.option("labels").items():
        try:
            splits = {len(gain.repetitions) or 1 for gain in data.results.measure(measure).values()}
            rows_of[title] = (data.results.measure_table(measure, "curves"), splits)
        except MissingResult as missing:
            absent.append(missing)
    if not rows_of:
        raise absent[0]
    figure, panel = panels(len(rows_of), height=3.0)
    for axes, (title, (rows, splits)) in zip(panel, rows_of.items(), strict=True):
        _curves(axes, rows)
        axes.set_title(counted(f"{title}, splits", splits))
        axes.set_xlabel("neighbours k (log scale)")
        figure.note(f"{title}: {_trend(rows)}")
    figure.note("A bar reaches one standard deviation over the splits to each side of the mean.")
    panel[0].set_ylabel("accuracy (fraction)")
    legend(figure, panel[0])
    return figure


def _curves(axes: Axes, rows: Sequence[Mapping[str, str]]) -> None:
    """Draw a line a representation; the bars of the lines stand side by side."""
    for series, name in enumerate(dict.fromkeys(row["representation"] for row in rows)):
        points = [row for row in rows if row["representation"] == name]
        k, mean, spread = ([float(row[key]) for row in points] for key in ("k", "accuracy", "spread"))
        look = {"label": name_of(name), "color": colour_of(name)}
        with_bars(axes, [x * 1.02 ** (series - 1.5) for x in k], mean, spread, series, **look)
    log_axis(axes.xaxis, min(k), max(k))
    marked(axes.xaxis, [x for x in k if x in (1, 2, 3, 5, 10, 20, 30, 50, 100)])


def _trend(rows: Sequence[Mapping[str, str]]) -> str:
    """Return a sentence on the representations whose accuracy is higher at the largest k than at the smallest."""
    ends: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: float(row["k"])):
        ends.setdefault(name_of(row["representation"]), []).append(float(row["accuracy"]))
    up = [name for name, values in ends.items() if values[-1] > values[0]]
    down = [name for name in ends if name not in up]
    parts = [f"{word} for {', '.join(names)}" for word, names in (("higher", up), ("lower", down)) if names]
    low, high = (f"{end(float(row['k']) for row in rows):g}" for end in (min, max))
    return f"at k = {high} the mean is {' and '.join(parts)} than at k = {low}."


def knn_choices(data: FigureData) -> Sheet:
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
    for height in range(1, len(groups)):
        axes.axhline(height - 0.5, color=PALE, linewidth=0.6, zorder=0)
    row_names(axes, list(groups))
    axes.set_xlim(0, 1)
    axes.set_xlabel("accuracy with k = 3 (fraction of test documents)")
    figure.note("One split; its accuracies have no bars.")
    legend(figure)
    return figure


def _plot_choices(axes: Axes, variants: Sequence[Mapping[str, str]], height: int) -> None:
    """Draw the accuracies of one representation, a mark for each way to vote; the row at height 0 fills the legend."""
    for series, (vote, label) in enumerate(_VOTES.items()):
        values = [float(row["accuracy"]) for row in variants if row["vote"] == vote]
        look: dict[str, Any] = {"marker": MARKERS[series], "color": f"C{series}", "linestyle": "none", "markersize": 4}
        at = [height + 0.25 * (series - 1)] * len(values)
        axes.plot(values, at, label=None if height else label, **look)
