"""Figures of Vilar, Castro & Sanchis: precision and recall, exact-set error, and the choices behind the error rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from textmix.core.errors import MissingResult
from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_METHODS = {"accumulated": "accumulated posterior", "binary": "binary classifiers"}
_TESTS = {"all": "all test documents", "labelled": "labelled test documents only"}
_RULES = {
    "upper_bound": r"$b = n_1/(n_1 + 2n_2)$",
    "printed": r"$b = n_1/(n_1 + n_2)$, as printed",
    "leaving_one_out": r"$b$ by leaving one out",
}
_LENGTHS = {"none": "", "decision": ", equal lengths in test", "counts": ", equal lengths"}
#: Where the threshold axis is marked: it runs from 10^-15 over 1/2 to 1 - 10^-15.
_MARKS = {1e-15: r"$10^{-15}$", 1e-10: r"$10^{-10}$", 1e-5: r"$10^{-5}$", 0.5: "0.5"}
_MARKS |= {1 - threshold: rf"$1 - {label.strip('$')}$" for threshold, label in _MARKS.items() if threshold < 0.5}

Points = list[tuple[float, float, float, float, bool]]


def _curve(data: FigureData, method: str, test: str) -> Points:
    """Return (threshold, precision, recall, set error, whether it is the validated threshold) in increasing order."""
    rows = data.results.measure_table("threshold_curves", "curves")
    names = ("threshold", "precision", "recall", "set_error")
    return sorted(
        (*(float(row[name]) for name in names), row["validated"] == "1")  # type: ignore[misc]
        for row in rows
        if (row["method"], row["test"]) == (method, test)
    )


def precision_recall(data: FigureData) -> Figure:
    """Draw precision against recall of both methods as the threshold moves (Figure 1).

    Reads ``threshold_curves/curves.csv``: method, test, threshold, precision, recall, set_error, validated (0 or 1).
    """
    figure, panel = panels(2)
    for axes, (method, title) in zip(panel, _METHODS.items(), strict=True):
        for place, (test, label) in enumerate(_TESTS.items()):
            curve = _curve(data, method, test)
            recall, precision = [point[2] for point in curve], [point[1] for point in curve]
            axes.plot(recall, precision, color=f"C{place}", linestyle=DASHES[place], label=label)
            _mark_validated(axes, curve, (2, 1), place)
        axes.set_title(title)
        axes.set_xlabel("recall (share of reference labels)")
    panel[0].set_ylabel("precision (share of detected labels)")
    _explain_mark(panel[0])
    figure.legend(*panel[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def set_error(data: FigureData) -> Figure:
    """Draw the share of wrong label sets of both methods against the threshold (Figure 2).

    Reads the table of `precision_recall`.  The axis is that of log-odds, so that both ends can be seen.
    """
    figure, (axes,) = panels(1)
    for place, (method, name) in enumerate(_METHODS.items()):
        for dash, (test, which) in enumerate(_TESTS.items()):
            curve = _curve(data, method, test)
            thresholds, errors = [point[0] for point in curve], [point[3] for point in curve]
            axes.plot(thresholds, errors, color=f"C{place}", linestyle=DASHES[dash], label=f"{name}, {which}")
            _mark_validated(axes, curve, (0, 3), place)
    _explain_mark(axes)
    axes.set_xscale("logit")
    axes.xaxis.set_major_locator(FixedLocator(sorted(_MARKS)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _MARKS.get(value, "")))
    axes.set_xlabel(r"threshold $\mathcal{T}$ (log-odds scale)")
    axes.set_ylabel("wrong label sets (fraction)")
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside upper left", ncols=2)
    return figure


def _mark_validated(axes: Axes, curve: Points, columns: tuple[int, int], place: int) -> None:
    """Mark the point of a curve at the threshold that was chosen on the validation part."""
    x, y = ([point[column] for point in curve if point[4]] for column in columns)
    axes.plot(x, y, "o", color=f"C{place}", markersize=6.5)


def _explain_mark(axes: Axes) -> None:
    """Enter the mark of validated thresholds, which stands on curves of several colours, last into the legend."""
    axes.plot([], [], "o", color="#8a8a86", markersize=6.5, label="validated threshold")


def choices(data: FigureData) -> Figure:
    """Draw the error of every choice that the paper leaves open, in cross-validation and on the test documents.

    Options: labels (measure -> how it makes words), published (``error_rate`` -> id of the published percentage).
    Reads ``<measure>/choices.csv``: discount, discount_counts, length, training_documents, cross_validated_errors,
    test_documents, errors.  A missing measure is left out.

    Raises
    ------
    MissingResult : all measures are missing; the reason is that of the first.
    """
    groups = _choice_groups(data)
    figure, panel = panels(2, height=0.6 + 0.34 * len(groups), sharey=True)
    columns = (("cross_validated_errors", "training_documents"), ("errors", "test_documents"))
    for axes, (errors, documents) in zip(panel, columns, strict=True):
        for height, (_, rows) in enumerate(groups):
            for row in rows:
                _plot_choice(axes, row, 100 * float(row[errors]) / float(row[documents]), height)
        axes.set_yticks(range(len(groups)), [label for label, _ in groups])
        axes.set_ylim(len(groups) - 0.5, -0.5)
    panel[0].set_xlabel("cross-validated error (percent)")
    panel[1].set_xlabel("test error (percent)")
    published = data.published_of("error_rate")
    if published is not None:
        panel[1].axvline(published, color="#1b1b1b", linewidth=1, label=f"published, {published:g}")
    figure.legend(*panel[1].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return figure


def _choice_groups(data: FigureData) -> Sequence[tuple[str, Sequence[Mapping[str, str]]]]:
    """Return, for each way to make words and to treat lengths, its label and its rows: one for each choice of b."""
    groups, absent = [], []
    for measure, words in data.option("labels").items():
        try:
            rows = data.results.measure_table(measure, "choices")
        except MissingResult as missing:
            absent.append(missing)
            continue
        for length, suffix in _LENGTHS.items():
            groups.append((f"{words}{suffix}", [row for row in rows if row["length"] == length]))
    if not groups:
        raise absent[0]
    return groups


def _plot_choice(axes: Axes, row: Mapping[str, str], percent: float, height: int) -> None:
    """Draw one choice: the mark says the rule for b, filled where its counts are pooled."""
    rule = list(_RULES).index(row["discount"])
    pooled = row["discount_counts"] == "pooled"
    label = _RULES[row["discount"]] + ("" if pooled else ", one a class")
    axes.plot(
        [percent],
        [height + 0.17 * (rule - 1)],
        MARKERS[rule],
        color=f"C{rule}",
        markerfacecolor=f"C{rule}" if pooled else "none",
        label=None if label in axes.get_legend_handles_labels()[1] else label,
    )


FIGURES: dict[str, Callable[[FigureData], Figure]] = {
    "precision_recall": precision_recall,
    "set_error": set_error,
    "choices": choices,
}
