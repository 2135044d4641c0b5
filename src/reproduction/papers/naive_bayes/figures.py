"""Figures of Zhai's lecture: accuracy against mu, the IDF-like effect of smoothing, and its limits."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reproduction.figures.drawing import FigureData, read_available, read_columns
from reproduction.figures.figure_elements import (
    add_legend,
    annotate_point,
    draw_with_bars,
    format_brief,
    sample_sd,
    set_log_scale,
    set_ticks,
    title_with_splits,
)
from reproduction.figures.style import DASHES, MARKERS, Sheet, method_colour, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[Mapping[str, str]]
#: Parameter of smoothing: title of its panel and label of its axis.
_LIMITS = {
    "delta": ("priors from 1/k", "documents added, δ (log scale)"),
    "mu": ("words from the background", "words added, μ (log scale)"),
}


def accuracy(data: FigureData) -> Sheet:
    """Draw accuracy against mu, one panel per data set, with a classifier without mu as a horizontal line.

    Options: ``experiment``, ``roles``, ``method``, ``parameter`` (of its grid), ``level`` (the classifier without mu),
    ``labels`` (role to title). Data sets without results have no panel.
    """
    method = data.option("method")
    parameter = data.option("parameter")
    level = data.option("level")

    def read_scores(role: str) -> tuple[dict[float, list[float]], list[float]]:
        """Return the accuracies of the method at each mu, and the accuracies of the classifier without mu."""
        return data.grid(role, method, "accuracy", parameter), data.trials(role, level, "accuracy")

    scores = read_available(data.option("roles"), read_scores)
    figure, panel = panels(len(scores), height=3.1, sharey=True)
    for axes, (role, (points, level_scores)) in zip(panel, scores.items(), strict=True):
        title = data.title_of(role)
        _draw_grid(axes, points)
        _draw_level(axes, level_scores)
        sizes = [len(values) for values in points.values()]
        means = {mu: statistics.fmean(values) for mu, values in points.items()}
        best = max(means, key=means.__getitem__)
        statistic = "mean accuracy" if max(sizes) > 1 else "accuracy"
        highest = f"{means[best]:.3f} at μ = {format_brief(best)}"
        figure.note(f"{title}: the highest {statistic} of naive Bayes is {highest}.")
        axes.set_title(title_with_splits(title, sizes))
        axes.set_xlabel("words added, μ (log scale)")
        if len(level_scores) == 1:
            figure.note(f"{title} has a single given split and therefore no bars.")
    if any(len(level_scores) > 1 for _, level_scores in scores.values()):
        figure.note("Bars and the band of logistic regression show one standard deviation over the splits.")
    panel[0].set_ylabel("accuracy (fraction of test documents)")
    add_legend(figure, panel[0])
    return figure


def _name_of_line(name: str, *trials: Sequence[float]) -> str:
    """Return the legend entry of a line, which shows means if a point has several trials."""
    has_means = max(map(len, trials)) > 1
    return f"{name}, mean" if has_means else name


def _draw_grid(axes: Axes, points: Mapping[float, list[float]]) -> None:
    """Draw the mean accuracy of naive Bayes against mu, with standard deviations."""
    set_log_scale(axes.xaxis, min(points), max(points))
    means = [statistics.fmean(values) for values in points.values()]
    deviations = [sample_sd(values) for values in points.values()]
    bars = deviations if any(deviations) else None
    label = _name_of_line("naive Bayes", *points.values())
    draw_with_bars(axes, list(points), means, bars, 0, label=label)


def _draw_level(axes: Axes, scores: Sequence[float]) -> None:
    """Draw the mean accuracy of logistic regression as a line, with a band of one standard deviation."""
    mean = statistics.fmean(scores)
    deviation = sample_sd(scores)
    colour = method_colour("logistic_regression")
    axes.axhline(mean, color=colour, linestyle=DASHES[1], label=_name_of_line("logistic regression", scores))
    if deviation:
        axes.axhspan(mean - deviation, mean + deviation, color=colour, alpha=0.12, linewidth=0)


def idf_effect(data: FigureData) -> Sheet:
    """Draw the mean weight of words against their background frequency, one line per mu."""
    rows = data.results.measure_table("idf_effect", "weights")
    lines: dict[float, dict[float, float]] = {}
    for row in rows:
        line = lines.setdefault(float(row["mu"]), {})
        line[float(row["background_quantile"])] = float(row["mean_abs_weight"])
    groups = sorted(lines[min(lines)])
    figure, (axes,) = panels(1, height=3.2)
    for number, (mu, line) in enumerate(sorted(lines.items())):
        style: dict[str, Any] = {"color": "C0"}
        style["alpha"] = 1.0 - 0.75 * number / max(len(lines) - 1, 1)
        style["marker"] = MARKERS[number % len(MARKERS)]
        weights = [line[group] for group in groups]
        axes.plot(range(len(groups)), weights, markersize=3.5, **style)
        annotate_point(axes, f"μ = {format_brief(mu)}", (len(groups) - 1, weights[-1]), right=6, up=0)
    axes.set_xticks(range(len(groups)), [f"{number + 1}" for number in range(len(groups))])
    axes.set_xlim(-0.3, len(groups) + 0.2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"group of words, 1 (rarest in the background) to {len(groups)} (most frequent)")
    axes.set_ylabel("mean |deviation of log p(w|c)| (nats)")
    low = min(lines)
    high = max(lines)
    for name, group in (("rarest", groups[0]), ("most frequent", groups[-1])):
        start = f"{lines[low][group]:.2f} at μ = {format_brief(low)}"
        end = f"{lines[high][group]:.2f} at μ = {format_brief(high)}"
        figure.note(f"The mean weight of the {name} words changes from {start} to {end}.")
    add_legend(figure)
    return figure


def limits(data: FigureData) -> Sheet:
    """Draw the distance of the smoothed estimates from their limits against delta and mu."""
    rows = data.results.measure_table("limits", "limits")
    figure, panel = panels(2, height=2.6)
    for series, (axes, (parameter, (title, label))) in enumerate(zip(panel, _LIMITS.items(), strict=True)):
        rows_of_panel = [row for row in rows if row["parameter"] == parameter]
        points = sorted((float(row["value"]), float(row["distance"])) for row in rows_of_panel)
        positive = [point for point in points if min(point) > 0]
        x, y = zip(*positive, strict=True)
        set_log_scale(axes.xaxis, min(x), max(x))
        set_log_scale(axes.yaxis, min(y), max(y))
        axes.plot(x, y, marker=MARKERS[series], color=f"C{series}")
        set_ticks(axes.xaxis, x[::2])
        axes.set_xlabel(label)
        axes.set_ylabel("largest distance (log scale)")
        axes.set_title(title)
        n_omitted = len(points) - len(positive)
        if n_omitted:
            points_of = "1 point" if n_omitted == 1 else f"{n_omitted} points"
            figure.note(f"The panel '{title}' omits {points_of} at 0, which a log scale cannot show.")
    add_legend(figure)
    return figure


def reasons(data: FigureData) -> Sheet:
    """Draw accuracy against the number of training documents by background model, and purity against k."""
    figure, (accuracies, purities) = panels(2, height=2.9)
    _draw_accuracies(accuracies, data.results.measure_table("smoothing_reasons", "accuracy"))
    _draw_purities(purities, data.results.measure_table("clustering", "clusters"))
    figure.note("The values are those of one split and one start of each mixture, without bars.")
    add_legend(figure)
    return figure


def _draw_accuracies(axes: Axes, rows: Rows) -> None:
    """Draw accuracy against the number of training documents, one line per background model."""
    names = {"none": "almost no smoothing", "uniform": "uniform background", "collection": "background of all classes"}
    for series, (background, label) in enumerate(names.items()):
        rows_of_line = [row for row in rows if row["background"] == background]
        x, y = read_columns(rows_of_line, "documents", "accuracy")
        _draw_series(axes, x, y, series, label)
    set_log_scale(axes.xaxis, min(x), max(x))
    set_ticks(axes.xaxis, x, [f"{n_documents:,.0f}" for n_documents in x])
    axes.set_xlabel("training documents (log scale)")
    axes.set_ylabel("accuracy (fraction)")


def _draw_purities(axes: Axes, rows: Rows) -> None:
    """Draw the purity of clusters and of random clusters of the same sizes against their number."""
    names = {"purity": "clusters", "purity_at_random": "random clusters"}
    for series, (column, label) in enumerate(names.items(), start=3):
        k, y = read_columns(rows, "clusters", column)
        _draw_series(axes, k, y, series, label)
    axes.set_ylim(bottom=0)
    set_ticks(axes.xaxis, k)
    axes.set_xlabel("clusters k")
    axes.set_ylabel("purity (fraction)")


def _draw_series(axes: Axes, x: Sequence[float], y: Sequence[float], series: int, label: str) -> None:
    """Draw one series; its number determines colour, marker and dash pattern."""
    axes.plot(x, y, color=f"C{series}", marker=MARKERS[series], linestyle=DASHES[series], markersize=4, label=label)


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "accuracy": accuracy,
    "idf_effect": idf_effect,
    "limits": limits,
    "reasons": reasons,
}
