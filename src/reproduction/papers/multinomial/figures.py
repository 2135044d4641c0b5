"""Figures of Vilar, Castro & Sanchis: precision and recall, exact-set error, and alternatives behind the error rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scipy import special

from reproduction.figures.drawing import FigureData, read_available
from reproduction.figures.figure_elements import (
    add_legend,
    draw_published_line,
    format_brief,
    label_rows,
    set_ticks,
)
from reproduction.figures.style import DASHES, GREY, MARKERS, PAPER, Sheet, grid_of_panels, panels
from textmix.metrics.significance import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_METHODS = {"accumulated": "accumulated posterior", "binary": "binary classifiers"}
_TESTS = {"all": "all test documents", "labelled": "labelled test documents only"}
_SHORT_TESTS = {"all": "all", "labelled": "labelled only"}
_RULES = {
    "upper_bound": "b = n₁/(n₁ + 2n₂)",
    "printed": "b = n₁/(n₁ + n₂), as published",
    "leaving_one_out": "b by leaving one out",
}
_LENGTHS = {"none": "", "decision": ",\nequal lengths in test", "counts": ",\nequal lengths"}
_CLASSIFIER_RULES = {
    "accumulated": "accumulated posterior",
    "binary": "binary classifiers",
    "fall-back": "binary, or else the most probable class",
    "label set": "most probable label set of the training documents",
}
#: Labels of classifiers that have identifiers as names in the results.
_CLASSIFIERS = {"multinomial with <no_class>": "multinomial,\nclass for no label"}
#: Labelled ticks of threshold axes.
_THRESHOLD_TICKS = {
    1e-15: "10⁻¹⁵",
    1e-8: "10⁻⁸",
    1e-4: "10⁻⁴",
    0.01: "0.01",
    0.1: "0.1",
    0.5: "0.5",
    0.9: "0.9",
    0.99: "0.99",
    1 - 1e-4: "1−10⁻⁴",
    1 - 1e-8: "1−10⁻⁸",
    1 - 1e-15: "1−10⁻¹⁵",
}
#: Ticks of the threshold axis from 10^-15 to 1 - 10^-15.
_WIDE_TICKS = (1e-15, 1e-8, 0.5, 1 - 1e-8, 1 - 1e-15)
#: A threshold axis extends beyond the data by this distance, in log-odds.
THRESHOLD_MARGIN = 1.2


class Point(NamedTuple):
    """A point of a curve over thresholds."""

    threshold: float
    precision: float
    recall: float
    set_error: float
    is_validated: bool


def _read_curve(data: FigureData, method: str, test: str) -> list[Point]:
    """Read the curve of a method on a set of test documents, in increasing order of the threshold."""
    points = []
    for row in data.results.measure_table("threshold_curves", "curves"):
        if (row["method"], row["test"]) == (method, test):
            point = Point(
                threshold=float(row["threshold"]),
                precision=float(row["precision"]),
                recall=float(row["recall"]),
                set_error=float(row["set_error"]),
                is_validated=row["validated"] == "1",
            )
            points.append(point)
    return sorted(points)


def precision_recall(data: FigureData) -> Sheet:
    """Draw precision against recall of both methods over all thresholds (Figure 1)."""
    figure, panel = panels(2, height=3.2)
    for axes, (method, title) in zip(panel, _METHODS.items(), strict=True):
        for series, (test, label) in enumerate(_TESTS.items()):
            curve = _read_curve(data, method, test)
            recall = [point.recall for point in curve]
            precision = [point.precision for point in curve]
            axes.plot(recall, precision, color=f"C{series}", linestyle=DASHES[series], label=label)
            _draw_validated(axes, curve, ("recall", "precision"), series)
        first, last = curve[0], curve[-1]
        figure.note(
            f"For the {title} ({label}), the smallest threshold gives precision {first.precision:.2f} and recall "
            f"{first.recall:.2f}, and the largest {last.precision:.2f} and {last.recall:.2f}."
        )
        axes.set_title(title)
        axes.set_xlabel("recall (fraction of reference labels)")
    panel[0].set_ylabel("precision (fraction of detected labels)")
    add_legend(figure, panel[0])
    return figure


def set_error(data: FigureData) -> Sheet:
    """Draw the exact-set error of both methods against the threshold (Figure 2).

    The upper axis is linear, as in the paper. The lower one has a log-odds scale, which shows both ends.
    """
    figure, (linear, log_odds) = grid_of_panels(2, 1, 2.2)
    for series, (method, name) in enumerate(_METHODS.items()):
        for dash, (test, description) in enumerate(_TESTS.items()):
            curve = _read_curve(data, method, test)
            thresholds = [point.threshold for point in curve]
            errors = [point.set_error for point in curve]
            for axes in (linear, log_odds):
                label = f"{name}, {_SHORT_TESTS[test]}"
                axes.plot(thresholds, errors, label=label, color=f"C{series}", linestyle=DASHES[dash])
                _draw_validated(axes, curve, ("threshold", "set_error"), series)
            _note_lowest_error(figure, f"{name}, {description}", curve)
    log_odds.set_xscale("logit")
    set_ticks(log_odds.xaxis, _WIDE_TICKS, [_THRESHOLD_TICKS[tick] for tick in _WIDE_TICKS])
    linear.set_xlim(0, 1)
    for axes, scale in ((linear, "linear"), (log_odds, "log-odds")):
        axes.set_xlabel(f"threshold ({scale} scale)")
        axes.set_ylabel("wrong sets (fraction)")
        axes.set_ylim(bottom=0)
    add_legend(figure, linear)
    return figure


def _note_lowest_error(figure: Sheet, name: str, curve: Sequence[Point]) -> None:
    """Add a note with the lowest error of a curve and its threshold."""
    best = min(curve, key=lambda point: point.set_error)
    threshold = format_brief(best.threshold)
    if best.threshold > 0.99:
        threshold = f"1 − {format_brief(1 - best.threshold)}"
    figure.note(f"Lowest error of {name}: {best.set_error:.3f} at threshold {threshold}.")


def _draw_validated(axes: Axes, curve: Sequence[Point], coordinates: tuple[str, str], series: int) -> None:
    """Mark the point of a curve at the validated threshold. Markers on the edge of the panel are not clipped."""
    points = [point for point in curve if point.is_validated]
    x = [getattr(point, coordinates[0]) for point in points]
    y = [getattr(point, coordinates[1]) for point in points]
    axes.plot(x, y, "o", color=f"C{series}", markersize=6.5, clip_on=False, zorder=3)
    if "validated threshold" not in axes.get_legend_handles_labels()[1]:
        axes.plot([], [], "o", color=GREY, markersize=6.5, label="validated threshold")


def choices(data: FigureData) -> Sheet:
    """Draw the error of each alternative in cross-validation and on the test documents.

    Options: ``labels`` (measure to tokenisation), ``published`` (``error_rate`` to the id of the published
    percentage). Measures without results are omitted.
    """
    groups = _group_alternatives(data)
    figure, panel = panels(2, height=1.9 + 0.42 * len(groups), sharex=True, sharey=True)
    columns = (("cross_validated_errors", "training_documents"), ("errors", "test_documents"))
    for axes, (errors, documents) in zip(panel, columns, strict=True):
        sizes = set()
        for height, (_, rows) in enumerate(groups):
            for row in rows:
                _draw_alternative(axes, row, float(row[errors]), float(row[documents]), height)
                sizes.add(int(row[documents]))
        n = " or ".join(f"{size:,}" for size in sorted(sizes))
        axes.set_title(f"n = {n}")
    label_rows(panel[0], [label for label, _ in groups])
    panel[0].set_xlabel("cross-validated (percent)")
    panel[1].set_xlabel("test error (percent)")
    draw_published_line(panel[1], data.published_of("error_rate"), "published test error", across=True)
    figure.note("Bars show the 95 % confidence interval of a proportion of n documents (Wilson).")
    add_legend(figure, panel[1])
    return figure


def _group_alternatives(data: FigureData) -> list[tuple[str, list[Mapping[str, str]]]]:
    """Return label and rows, one for each rule for b, of each tokenisation and length normalisation."""

    def read_table(measure: str) -> Sequence[Mapping[str, str]]:
        """Read the table of a measure."""
        return data.results.measure_table(measure, "choices")

    names = data.option("labels")
    groups = []
    for measure, rows in read_available(names, read_table).items():
        for length, suffix in _LENGTHS.items():
            rows_of_length = [row for row in rows if row["length"] == length]
            groups.append((f"{names[measure]}{suffix}", rows_of_length))
    return groups


def _draw_alternative(axes: Axes, row: Mapping[str, str], n_errors: float, n: float, height: int) -> None:
    """Draw the error of one alternative. The marker denotes the rule for b, and is filled if counts are pooled."""
    rule = list(_RULES).index(row["discount"])
    is_pooled = row["discount_counts"] == "pooled"
    label = _RULES[row["discount"]]
    if not is_pooled:
        label += ", one per class"
    low, high = wilson(n_errors / n, n)
    percent = 100 * n_errors / n
    down = percent - 100 * low
    up = 100 * high - percent
    offset = 0.15 * (2 * rule + (not is_pooled) - 2.5)
    _handles, labels = axes.get_legend_handles_labels()
    colour = f"C{rule}"
    face_colour = colour if is_pooled else PAPER
    axes.errorbar(
        [percent],
        [height + offset],
        xerr=[[down], [up]],
        marker=MARKERS[rule],
        color=colour,
        markerfacecolor=face_colour,
        linestyle="none",
        elinewidth=0.7,
        markersize=4,
        label=None if label in labels else label,
    )


def rivals(data: FigureData) -> Sheet:
    """Draw the exact-set error of each classifier with each rule, and the best threshold of its binary rule."""
    rows = data.results.measure_table("rival_posteriors", "rules")
    names = list(dict.fromkeys(row["model"] for row in rows))
    figure, (errors, best) = panels(2, height=1.3 + 0.36 * len(names), sharey=True)
    for series, (rule, label) in enumerate(_CLASSIFIER_RULES.items()):
        rows_of_rule = [row for row in rows if row["rule"] == rule]
        heights = [names.index(row["model"]) + 0.18 * (series - 1) for row in rows_of_rule]
        values = [float(row["set_error"]) for row in rows_of_rule]
        errors.plot(
            values, heights, MARKERS[series], color=f"C{series}", markersize=4.5, label=label, clip_on=False, zorder=3
        )
    binary = [row for row in rows if row["rule"] == "binary"]
    thresholds = [float(row["best"]) for row in binary]
    heights_of_binary = [names.index(row["model"]) for row in binary]
    best.plot(thresholds, heights_of_binary, "s", color="C1", markersize=4.5)
    _scale_thresholds(best, thresholds)
    errors.set_xlabel("wrong sets (fraction)")
    best.set_xlabel("best threshold, binary\n(log-odds scale)")
    label_rows(errors, [_CLASSIFIERS.get(name, name) for name in names])
    errors.margins(x=0.08)
    figure.note("Errors are those of one split, without bars.")
    add_legend(figure, errors)
    return figure


def _scale_thresholds(axes: Axes, thresholds: Sequence[float]) -> None:
    """Fit a log-odds axis to thresholds and label at most four of its ticks."""
    low = special.logit(min(thresholds)) - THRESHOLD_MARGIN
    high = special.logit(max(thresholds)) + THRESHOLD_MARGIN
    ticks = [tick for tick in _THRESHOLD_TICKS if low <= special.logit(tick) <= high]
    step = -(-len(ticks) // 4)
    shown = ticks[::step]
    axes.set_xscale("logit")
    set_ticks(axes.xaxis, shown, [_THRESHOLD_TICKS[tick] for tick in shown])
    axes.set_xlim(special.expit(low), special.expit(high))


def lengths(data: FigureData) -> Sheet:
    """Draw the exact-set error of both rules against the sum of a document's scaled counts."""
    rows = data.results.measure_table("document_lengths", "sums")
    sums = sorted({float(row["sum"]) for row in rows} - {0.0})
    figure, (axes,) = panels(1, height=2.9)
    x = range(len(sums) + 1)
    for series, (rule, name) in enumerate(_METHODS.items()):
        row_of_sum = {float(row["sum"]): row for row in rows if row["rule"] == rule}
        ordered = [row_of_sum[total] for total in (*sums, 0.0)]
        style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "markersize": 4.5}
        lowest = [float(row["lowest"]) for row in ordered]
        at_half = [float(row["set_error"]) for row in ordered]
        axes.plot(x, lowest, label=f"{name}, best threshold", linestyle=DASHES[series], **style)
        axes.plot(x, at_half, label=f"{name}, threshold 0.5", linestyle="none", markerfacecolor=PAPER, **style)
    axes.set_ylabel("wrong sets (fraction)")
    axes.set_ylim(bottom=0)
    axes.set_xticks(x, [*(f"{total:g}" for total in sums), "unscaled"])
    axes.set_xlabel("sum of a document's counts")
    figure.note("Errors are those of one split, without bars.")
    add_legend(figure)
    return figure


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "precision_recall": precision_recall,
    "set_error": set_error,
    "choices": choices,
    "rivals": rivals,
    "lengths": lengths,
}
