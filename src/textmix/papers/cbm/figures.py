"""Figures of Li, Wang, Pavlu & Aslam: effect of K, one example, the path of EM, and the cost of the exact search."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = list[dict[str, str]]
#: Variance on SCENE in the configuration generator of the authors' code (Exp153).
AUTHORS_VARIANCE = 1.0


def _title(data: FigureData, role: str) -> str:
    """Return the title of a data set's panel: the option ``labels``, else the role."""
    return str(data.options.get("labels", {}).get(role, role))


def _published(data: FigureData, role: str, axes: Axes) -> None:
    """Draw the published accuracy of a data set as a dashed line, if one is printed."""
    printed = data.published_of(role)
    if printed is not None:
        axes.axhline(printed, color="#1b1b1b", linestyle=DASHES[1], linewidth=1.0, label=f"published, {printed:g}")
        axes.legend(loc="lower right")


def components(data: FigureData) -> Figure:
    """Draw subset accuracy against the number of components: the mean over random starts, and its deviation as a bar.

    Options: labels, published (role -> id).  Reads ``components/runs.csv``: role, components (K), run, subset_accuracy.
    """
    rows = data.results.measure_table("components", "runs")
    roles = list(dict.fromkeys(row["role"] for row in rows))
    figure, axes = panels(len(roles), height=2.6)
    for panel, role in zip(axes, roles, strict=True):
        found: dict[int, list[float]] = {}
        for row in rows:
            if row["role"] == role:
                found.setdefault(int(row["components"]), []).append(100.0 * float(row["subset_accuracy"]))
        mean = [statistics.fmean(values) for values in found.values()]
        spread = [statistics.stdev(values) if len(values) > 1 else 0.0 for values in found.values()]
        panel.errorbar(list(found), mean, yerr=spread, marker="o", color="C0", capsize=2)
        panel.set_title(_title(data, role))
        panel.set_xlabel("components K")
        _published(data, role, panel)
    axes[0].set_ylabel("subset accuracy (percent)")
    return figure


def variances(data: FigureData) -> Figure:
    """Draw subset accuracy against the variance of the prior, a line for each method, a mark at the authors' variance.

    Options: experiment, role, methods.
    """
    figure, (axes,) = panels(1, height=2.8)
    for place, method in enumerate(data.option("methods")):
        points = data.grid(data.option("role"), method, "subset_accuracy", "variance")
        values = [100.0 * statistics.fmean(trials) for trials in points.values()]
        look: dict[str, Any] = {"marker": MARKERS[place], "linestyle": DASHES[place % len(DASHES)]}
        axes.plot(list(points), values, label=method, color=f"C{place}", **look)
    axes.axvline(AUTHORS_VARIANCE, color="#8a8a86", linestyle=":", label="the authors' variance")
    axes.set_xscale("log")
    axes.set_xlabel("variance (logarithmic)")
    axes.set_ylabel("subset accuracy (percent)")
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def illustration(data: FigureData) -> Figure:
    """Draw one example: its components of the largest weights, its label marginals, and its label correlations.

    Reads ``illustration/components.csv``: component (rank of its weight, from 0), weight, label, probability;
    ``labels.csv``: label, marginal, mode (0 or 1); ``correlations.csv``: correlation, row by row of the matrix.
    """
    tables = {name: data.results.measure_table("illustration", name) for name in ("components", "labels")}
    labels = [row["label"] for row in tables["labels"]]
    height = max(2.4, 0.24 * len(labels) + 1.2)
    figure = Figure(figsize=(6.3, height + 2.9))
    upper, lower = np.ravel(np.asarray(figure.subfigures(2, 1, height_ratios=(height, 2.9))))
    grid = upper.subplots(1, 4, sharey=True)
    for rank, axes in enumerate(grid):
        _component(axes, [row for row in tables["components"] if row["component"] == str(rank)])
    grid[0].set_yticks(range(len(labels)), labels)
    grid[0].invert_yaxis()
    upper.supxlabel("label probability in the four heaviest components", fontsize=9)
    left, right = lower.subplots(1, 2, width_ratios=(1.2, 1))
    _marginals(left, tables["labels"])
    _correlations(right, data.results.measure_table("illustration", "correlations"), labels, lower)
    return figure


def _component(axes: Axes, rows: Rows) -> None:
    """Draw the label probabilities of one component."""
    axes.barh(range(len(rows)), [float(row["probability"]) for row in rows], color="C0", height=0.7)
    axes.set_xlim(0, 1)
    axes.set_xticks((0, 1))
    axes.grid(axis="y", visible=False)
    if rows:
        axes.set_title(rf"$\pi$ = {float(rows[0]['weight']):.2f}", fontsize=9)


def _marginals(axes: Axes, rows: Rows) -> None:
    """Draw the marginals as bars; the bars of the labels in the likeliest set are filled."""
    place = np.arange(len(rows))
    values, member = [float(row["marginal"]) for row in rows], [row["mode"] == "1" for row in rows]
    colours = ["C1" if is_member else "white" for is_member in member]
    axes.barh(place, values, color=colours, edgecolor="C1", height=0.7)
    axes.axvline(0.5, color="#1b1b1b", linewidth=1.0, linestyle=":")
    axes.set_yticks(place, [row["label"] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("marginal probability\n(filled: in the likeliest set)")


def _correlations(axes: Axes, rows: Rows, labels: list[str], figure: Any) -> None:
    """Draw the matrix of correlations; the diagonal is left blank."""
    matrix = np.array([float(row["correlation"]) for row in rows]).reshape(len(labels), len(labels))
    np.fill_diagonal(matrix, np.nan)
    top = max(0.1, float(np.nanmax(np.abs(matrix)))) if len(labels) > 1 else 1.0
    # Squares, not an image: the page takes no images inside of a figure.
    mesh = axes.pcolormesh(np.ma.masked_invalid(matrix), cmap="RdBu_r", vmin=-top, vmax=top)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    middle = np.arange(len(labels)) + 0.5
    axes.set_xticks(middle, labels, rotation=90)
    axes.set_yticks(middle, [""] * len(labels))
    axes.grid(visible=False)
    axes.set_title("correlation", fontsize=9)
    bar = figure.colorbar(mesh, ax=axes, shrink=0.8)
    bar.solids.set_rasterized(False)


def em_path(data: FigureData) -> Figure:
    """Draw likelihood and accuracy after every iteration; a row of panels for each data set, a line for each run.

    Options: labels, published (role -> id).  Reads ``em_path/path.csv``: role, run, iteration, objective,
    subset_accuracy.
    """
    rows = data.results.measure_table("em_path", "path")
    roles = list(dict.fromkeys(row["role"] for row in rows))
    figure = Figure(figsize=(6.3, 2.4 * len(roles)))
    grid = figure.subplots(len(roles), 2, squeeze=False, sharex=True)
    for (left, right), role in zip(grid, roles, strict=True):
        for run in dict.fromkeys(row["run"] for row in rows):
            chosen = [row for row in rows if (row["role"], row["run"]) == (role, run)]
            steps = [int(row["iteration"]) for row in chosen]
            style = {"color": f"C{int(run) % 10}", "linestyle": DASHES[int(run) % len(DASHES)]}
            left.plot(steps, [float(row["objective"]) for row in chosen], **style)
            right.plot(steps, [100.0 * float(row["subset_accuracy"]) for row in chosen], **style)
        _published(data, role, right)
        left.set_ylabel(f"{_title(data, role)}\npenalised log-likelihood")
        right.set_ylabel("subset accuracy (percent)")
    for axes in grid[-1]:
        axes.set_xlabel("iteration of EM")
    return figure


def evaluations(data: FigureData) -> Figure:
    """Draw how many label sets the exact search scores, against L, one line for each K, a panel for each data set.

    Options: labels.  Reads ``exact_search/evaluations.csv``: role, components (K), labels (L), evaluations (mean).
    """
    rows = data.results.measure_table("exact_search", "evaluations")
    roles = list(dict.fromkeys(row["role"] for row in rows))
    figure, axes = panels(len(roles), height=3.0, sharey=True)
    sizes = [int(row["components"]) for row in rows]
    for panel, role in zip(axes, roles, strict=True):
        for place, number in enumerate(dict.fromkeys(sizes)):
            chosen = [row for row in rows if row["role"] == role and int(row["components"]) == number]
            x, y = ([float(row[key]) for row in chosen] for key in ("labels", "evaluations"))
            look: dict[str, Any] = {
                "marker": MARKERS[place],
                "linestyle": DASHES[place % len(DASHES)],
                "color": f"C{place}",
            }
            panel.plot(x, y, label=f"K = {number}" if panel is axes[0] else None, **look)
        limit = 1.3 * max(float(row["evaluations"]) for row in rows)
        every = np.linspace(1, np.log2(limit), 50)
        panel.plot(every, 2.0**every, color="#8a8a86", linestyle=":", label="all sets" if panel is axes[0] else None)
        panel.set_yscale("log")
        panel.set_title(_title(data, role))
        panel.set_xlabel("labels L")
    axes[0].set_ylabel("sets scored, mean (logarithmic)")
    figure.legend(loc="outside upper left", ncols=5)
    return figure


FIGURES: dict[str, Callable[[FigureData], Figure]] = {
    "components": components,
    "variances": variances,
    "illustration": illustration,
    "em_path": em_path,
    "evaluations": evaluations,
}
