"""Figures of Zhai's lecture: accuracy against mu, the IDF-like effect of smoothing, and its limits."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reproduction.figures.drawing import FigureData, read_columns
from reproduction.figures.figure_elements import (
    add_legend,
    annotate_point,
    draw_with_bars,
    format_brief,
    sample_sd,
    set_log_scale,
    set_ticks,
    with_sample_size,
)
from reproduction.figures.style import DASHES, MARKERS, Sheet, method_colour, panels
from textmix.core.errors import MissingResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Parameter -> the distance to its limit, and the axis of the parameter.
_LIMITS = {
    "delta": ("priors from 1/k", "documents added, δ (log scale)"),
    "mu": ("words from the background", "words added, μ (log scale)"),
}


def accuracy(data: FigureData) -> Sheet:
    """Draw accuracy against mu, a panel a data set, with a classifier without mu as a level line.
    Options: experiment, roles, method, parameter (of its grid), level (the method without mu), labels (role -> title).
    A missing data set has no panel.
    """
    curves, absent = [], []
    for role in data.option("roles"):
        try:
            points = data.grid(role, data.option("method"), "accuracy", data.option("parameter"))
            curves.append((role, points, data.trials(role, data.option("level"), "accuracy")))
        except MissingResult as missing:
            absent.append(missing)
    if not curves:
        raise absent[0]
    figure, panel = panels(len(curves), height=3.1)
    for axes, (role, points, level) in zip(panel, curves, strict=True):
        _curve(axes, points)
        best = max(points, key=lambda mu: statistics.fmean(points[mu]))
        top = statistics.fmean(points[best])
        what = "mean" if max(map(len, points.values())) > 1 else "accuracy"
        figure.note(
            f"{data.title_of(role)}: the largest {what} of naive Bayes is {top:.3f}, at μ = {format_brief(best)}."
        )
        mean, spread = statistics.fmean(level), sample_sd(level)
        colour = method_colour("logistic_regression")
        axes.axhline(mean, color=colour, linestyle=DASHES[1], label=_mean_of("logistic regression", level))
        if spread:
            axes.axhspan(mean - spread, mean + spread, color=colour, alpha=0.12, linewidth=0)
        axes.set_title(with_sample_size(data.title_of(role) + ", splits", map(len, points.values())))
        axes.set_xlabel("words added, μ (log scale)")
        if len(level) == 1:
            figure.note(f"{data.title_of(role)} has one given split and therefore no bars.")
    if any(len(level) > 1 for *_, level in curves):
        figure.note("Bars, and the band of logistic regression, reach one standard deviation over the splits.")
    panel[0].set_ylabel("accuracy (fraction of test documents)")
    add_legend(figure, panel[0])
    return figure


def _mean_of(name: str, *trials: Sequence[float]) -> str:
    """Return the name of a line, which draws means where a point has several trials."""
    return f"{name}, mean" if max(map(len, trials)) > 1 else name


def _curve(axes: Axes, points: Mapping[float, list[float]]) -> None:
    """Draw the mean and deviation of the trials against mu, and write the largest mean beside its point."""
    means = {mu: statistics.fmean(values) for mu, values in points.items()}
    set_log_scale(axes.xaxis, min(points), max(points))
    spreads = [sample_sd(values) for values in points.values()]
    bars = spreads if any(spreads) else None
    draw_with_bars(axes, list(means), list(means.values()), bars, 0, label=_mean_of("naive Bayes", *points.values()))


def idf_effect(data: FigureData) -> Sheet:
    """Draw the mean weight of the words of each group by background frequency, one line a mu."""
    rows = data.results.measure_table("idf_effect", "weights")
    lines: dict[float, dict[float, float]] = {}
    for row in rows:
        lines.setdefault(float(row["mu"]), {})[float(row["background_quantile"])] = float(row["mean_abs_weight"])
    groups = sorted(lines[min(lines)])
    figure, (axes,) = panels(1, height=3.2)
    for number, (mu, points) in enumerate(sorted(lines.items())):
        style: dict[str, Any] = {
            "color": "C0",
            "alpha": 1.0 - 0.75 * number / max(len(lines) - 1, 1),
            "marker": MARKERS[number % len(MARKERS)],
        }
        axes.plot(range(len(groups)), [points[group] for group in groups], markersize=3.5, **style)
        annotate_point(axes, f"μ = {format_brief(mu)}", (len(groups) - 1, points[groups[-1]]), right=6, up=0)
    axes.set_xticks(range(len(groups)), [f"{number + 1}" for number in range(len(groups))])
    axes.set_xlim(-0.3, len(groups) + 0.2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"group of words, 1 (rarest in the background) to {len(groups)} (most frequent)")
    axes.set_ylabel("mean |deviation of log p(w|c)| (nats)")
    first, last = lines[min(lines)], lines[max(lines)]
    for name, group in (("rarest", groups[0]), ("most frequent", groups[-1])):
        start = f"{first[group]:.2f} at μ = {format_brief(min(lines))}"
        end = f"{last[group]:.2f} at μ = {format_brief(max(lines))}"
        figure.note(f"The mean weight of the {name} words goes from {start} to {end}.")
    add_legend(figure)
    return figure


def limits(data: FigureData) -> Sheet:
    """Draw how far the smoothed estimates are from their limits, as delta and as mu grow."""
    rows = data.results.measure_table("limits", "limits")
    figure, panel = panels(2, height=2.6)
    for series, (axes, (parameter, (distance, label))) in enumerate(zip(panel, _LIMITS.items(), strict=True)):
        points = sorted((float(r["value"]), float(r["distance"])) for r in rows if r["parameter"] == parameter)
        shown = [point for point in points if min(point) > 0]
        x, y = ([point[i] for point in shown] for i in (0, 1))
        set_log_scale(axes.xaxis, min(x), max(x))
        set_log_scale(axes.yaxis, min(y), max(y))
        axes.plot(x, y, marker=MARKERS[series], color=f"C{series}")
        axes.set_xlabel(label)
        axes.set_title(distance)
        if len(shown) < len(points):
            figure.note(
                f"{len(points) - len(shown)} points of the panel '{distance}' with a 0 have no place on its axes."
            )
    panel[0].set_ylabel("largest distance (log scale)")
    add_legend(figure)
    return figure


def reasons(data: FigureData) -> Sheet:
    """Draw accuracy against the number of training documents by background, and the purity of clusters against k."""
    rows = data.results.measure_table("smoothing_reasons", "accuracy")
    figure, (accuracies, purities) = panels(2, height=2.9)
    names = {"none": "almost no smoothing", "uniform": "uniform background", "collection": "background of all classes"}
    for series, (background, label) in enumerate(names.items()):
        x, y = read_columns([row for row in rows if row["background"] == background], "documents", "accuracy")
        _line(accuracies, x, y, series, label)
    set_log_scale(accuracies.xaxis, min(x), max(x))
    set_ticks(accuracies.xaxis, x, [f"{documents:,.0f}" for documents in x])
    accuracies.set_xlabel("training documents (log scale)")
    accuracies.set_ylabel("accuracy (fraction)")
    clusters = data.results.measure_table("clustering", "clusters")
    for series, (column, label) in enumerate({"purity": "clusters", "purity_at_random": "drawn at random"}.items()):
        k, y = read_columns(clusters, "clusters", column)
        _line(purities, k, y, series + 3, label)
    purities.set_ylim(bottom=0)
    set_ticks(purities.xaxis, k)
    purities.set_xlabel("clusters k")
    purities.set_ylabel("purity (fraction)")
    figure.note("One split and one start of each mixture; the points have no bars.")
    add_legend(figure)
    return figure


def _line(axes: Axes, x: Sequence[float], y: Sequence[float], series: int, label: str) -> None:
    """Draw one series; its number gives colour, marker and dash."""
    axes.plot(x, y, color=f"C{series}", marker=MARKERS[series], linestyle=DASHES[series], markersize=4, label=label)


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "accuracy": accuracy,
    "idf_effect": idf_effect,
    "limits": limits,
    "reasons": reasons,
}
