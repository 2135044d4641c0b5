"""Figures of Zhai's lecture: accuracy against mu, the IDF-like effect of smoothing, and its limits."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import matplotlib
from matplotlib.figure import Figure

from textmix.core.errors import MissingResult
from textmix.pages.figures import FigureData
from textmix.pages.style import MARKERS, log_axis_with_zero, panels, write_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LIMITS = {
    "delta": (r"$\max_i\,|p(\theta_i) - 1/k|$", r"$\delta$ (documents added to every class)"),
    "mu": (r"$\max_{i,w}\,|p(w|\theta_i) - p(w|\theta_B)|$", r"$\mu$ (background words added to every class)"),
}


def accuracy(data: FigureData) -> Figure:
    """Draw accuracy against mu, a panel a data set, with a classifier without mu as a level line.

    Options: experiment, roles, method, parameter (of its grid), level (the method without mu), labels (role -> title).
    A missing data set has no panel.

    Raises
    ------
    MissingResult : all data sets are missing; the reason is that of the first.
    """
    found, absent = [], []
    for role in data.option("roles"):
        try:
            points = data.grid(role, data.option("method"), "accuracy", data.option("parameter"))
            found.append((role, points, data.trials(role, data.option("level"), "accuracy")))
        except MissingResult as missing:
            absent.append(missing)
    if not found:
        raise absent[0]
    figure, panel = panels(len(found))
    for axes, (role, points, level) in zip(panel, found, strict=True):
        _curve(axes, points)
        axes.axhline(statistics.fmean(level), color="C1", linestyle="--", label="logistic regression")
        axes.set_title(data.options.get("labels", {}).get(role, role))
        axes.set_xlabel(r"$\mu$ (words, logarithmic)")
    panel[0].set_ylabel("accuracy (fraction)")
    figure.legend(*panel[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _curve(axes: Axes, points: Mapping[float, list[float]]) -> None:
    """Draw the single trials and their mean against mu, and write the largest mean beside its point."""
    mus = list(points)
    means = [statistics.fmean(values) for values in points.values()]
    for mu, values in points.items():
        axes.plot([mu] * len(values), values, "o", color="C0", alpha=0.25, markersize=3)
    axes.plot(mus, means, "o-", color="C0", label=r"naive Bayes, $\mu\,p(w|\theta_B)$ added to the counts")
    best = max(range(len(mus)), key=means.__getitem__)
    log_axis_with_zero(axes, mus)
    write_at(axes, f"{means[best]:.3f}", (mus[best], means[best]), up=-6.0)
    axes.margins(y=0.12)


def idf_effect(data: FigureData) -> Figure:
    """Draw the mean absolute weight of words against mu, one line a group of words by background frequency.

    Reads ``idf_effect/weights.csv``: mu, background_quantile (upper end of the group, 0 to 1), mean_abs_weight.
    """
    figure, (axes,) = panels(1)
    rows = data.results.measure_table("idf_effect", "weights")
    quantiles = sorted({float(row["background_quantile"]) for row in rows})
    shades = matplotlib.colormaps["cividis"]
    for place, quantile in enumerate(quantiles):
        own = (row for row in rows if float(row["background_quantile"]) == quantile)
        points = _grouped(own, "mu", "mean_abs_weight")
        label = {
            0: f"rarest words (up to quantile {quantile:g})",
            len(quantiles) - 1: f"most frequent (up to {quantile:g})",
        }
        axes.plot(
            sorted(points),
            [statistics.fmean(points[mu]) for mu in sorted(points)],
            marker=MARKERS[place % len(MARKERS)],
            color=shades(0.9 * (1 - place / max(len(quantiles) - 1, 1))),
            label=label.get(place, f"up to {quantile:g}"),
        )
    log_axis_with_zero(axes, [float(row["mu"]) for row in rows])
    axes.set_xlabel(r"$\mu$ (words, logarithmic)")
    axes.set_ylabel(r"mean $|\beta_w|$ (natural logarithm)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), title="background frequency")
    return figure


def limits(data: FigureData) -> Figure:
    """Draw how far the smoothed estimates are from their limits, as delta and as mu grow.

    Reads ``limits/limits.csv``: parameter (delta or mu), value, distance (largest absolute difference).
    """
    rows = data.results.measure_table("limits", "limits")
    figure, panel = panels(2, height=2.6)
    for place, (axes, (parameter, (distance, label))) in enumerate(zip(panel, _LIMITS.items(), strict=True)):
        points = sorted((float(r["value"]), float(r["distance"])) for r in rows if r["parameter"] == parameter)
        shown = [point for point in points if min(point) > 0]
        axes.plot(*zip(*shown, strict=True), marker=MARKERS[place], color=f"C{place}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(label)
        axes.set_title(distance, pad=9)
    panel[0].set_ylabel("distance to the limit (probability)")
    return figure


def _grouped(rows: Iterable[Mapping[str, str]], key: str, value: str) -> dict[float, list[float]]:
    """Return the values of the column ``value``, grouped by the number in the column ``key``."""
    groups: dict[float, list[float]] = {}
    for row in rows:
        groups.setdefault(float(row[key]), []).append(float(row[value]))
    return groups


FIGURES: dict[str, Callable[[FigureData], Figure]] = {"accuracy": accuracy, "idf_effect": idf_effect, "limits": limits}
