"""Figures of Vilar, Castro & Sanchis: precision and recall, exact-set error, and the choices behind the error rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reproduction.figures.drawing import FigureData, read_available
from reproduction.figures.figure_elements import add_legend, draw_published_line, format_brief, label_rows, set_ticks
from reproduction.figures.style import DASHES, GREY, MARKERS, PAPER, Sheet, grid_of_panels, panels
from textmix.metrics.significance import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_METHODS = {"accumulated": "accumulated posterior", "binary": "binary classifiers"}
_TESTS = {"all": "all test documents", "labelled": "labelled test documents only"}
_SHORT = {"all": "all", "labelled": "labelled only"}
_RULES = {
    "upper_bound": "b = n₁/(n₁ + 2n₂)",
    "printed": "b = n₁/(n₁ + n₂), as printed",
    "leaving_one_out": "b by leaving one out",
}
_LENGTHS = {"none": "", "decision": ",\nequal lengths in test", "counts": ",\nequal lengths"}
_RIVAL_RULES = {
    "accumulated": "accumulated posterior",
    "binary": "binary classifiers",
    "fall-back": "binary with the top class where none passes",
    "label set": "most probable label set of the training documents",
}
#: Where the threshold axis is marked: it runs from 10^-15 over 1/2 to 1 - 10^-15.
_MARKS = {1e-15: "10⁻¹⁵", 1e-8: "10⁻⁸", 0.5: "0.5", 1 - 1e-8: "1−10⁻⁸", 1 - 1e-15: "1−10⁻¹⁵"}

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


def precision_recall(data: FigureData) -> Sheet:
    """Draw precision against recall of both methods as the threshold moves (Figure 1)."""
    figure, panel = panels(2, height=3.2)
    for axes, (method, title) in zip(panel, _METHODS.items(), strict=True):
        for series, (test, label) in enumerate(_TESTS.items()):
            curve = _curve(data, method, test)
            recall, precision = [point[2] for point in curve], [point[1] for point in curve]
            axes.plot(recall, precision, color=f"C{series}", linestyle=DASHES[series], label=label)
            _mark_validated(axes, curve, (2, 1), series)
        first, last = curve[0], curve[-1]
        figure.note(
            f"Of the {title} the least threshold gives precision {first[1]:.2f} and recall {first[2]:.2f}, the largest "
            f"{last[1]:.2f} and {last[2]:.2f} ({label})."
        )
        axes.set_title(title)
        axes.set_xlabel("recall (fraction of reference labels)")
    panel[0].set_ylabel("precision (fraction of detected labels)")
    add_legend(figure, panel[0])
    return figure


def set_error(data: FigureData) -> Sheet:
    """Draw the share of wrong label sets of both methods against the threshold (Figure 2).  The axis is linear, as in
    the paper; that of the panel below is of log-odds, so that both ends can be seen.
    """
    figure, (axes, below) = grid_of_panels(2, 1, 2.2)
    for series, (method, name) in enumerate(_METHODS.items()):
        for dash, (test, which) in enumerate(_TESTS.items()):
            curve = _curve(data, method, test)
            thresholds, errors = [point[0] for point in curve], [point[3] for point in curve]
            style: dict[str, Any] = {"color": f"C{series}", "linestyle": DASHES[dash]}
            for part in (axes, below):
                part.plot(thresholds, errors, label=f"{name}, {_SHORT[test]}", **style)
                _mark_validated(part, curve, (0, 3), series)
            _note_least_error(figure, f"{name}, {which}", curve)
    below.set_xscale("logit")
    set_ticks(below.xaxis, list(_MARKS), list(_MARKS.values()))
    axes.set_xlim(0, 1)
    for part, scale in ((axes, "linear"), (below, "log-odds")):
        part.set_xlabel(f"threshold ({scale} scale)")
        part.set_ylabel("wrong sets (fraction)")
        part.set_ylim(bottom=0)
    add_legend(figure, axes)
    return figure


def _note_least_error(figure: Sheet, name: str, curve: Points) -> None:
    """Note the least error of a curve and its threshold."""
    threshold, *_, error, _ = min(curve, key=lambda point: point[3])
    where = f"1 − {format_brief(1 - threshold)}" if threshold > 0.99 else format_brief(threshold)
    figure.note(f"Least error of {name}: {error:.3f} at the threshold {where}.")


def _mark_validated(axes: Axes, curve: Points, columns: tuple[int, int], series: int) -> None:
    """Mark the point of a curve at the threshold that was chosen on the validation part."""
    x, y = ([point[column] for point in curve if point[4]] for column in columns)
    axes.plot(x, y, "o", color=f"C{series}", markersize=6.5)
    if "validated threshold" not in axes.get_legend_handles_labels()[1]:
        axes.plot([], [], "o", color=GREY, markersize=6.5, label="validated threshold")


def choices(data: FigureData) -> Sheet:
    """Draw the error of every choice that the paper leaves open, in cross-validation and on the test documents.
    Options: labels (measure -> how it makes words), published (``error_rate`` -> id of the published percentage).  A
    missing measure is left out.
    """
    groups = _choice_groups(data)
    figure, panel = panels(2, height=1.9 + 0.42 * len(groups), sharex=True, sharey=True)
    columns = (("cross_validated_errors", "training_documents"), ("errors", "test_documents"))
    for axes, (errors, documents) in zip(panel, columns, strict=True):
        for height, (_, rows) in enumerate(groups):
            for row in rows:
                _plot_choice(axes, row, (float(row[errors]), float(row[documents])), height)
        sizes = sorted({int(row[documents]) for _, rows in groups for row in rows})
        axes.set_title(f"n = {' or '.join(f'{size:,}' for size in sizes)}")
    label_rows(panel[0], [label for label, _ in groups])
    panel[0].set_xlabel("cross-validated (percent)")
    panel[1].set_xlabel("test error (percent)")
    draw_published_line(panel[1], data.published_of("error_rate"), "published test error", across=True)
    figure.note("A bar is the 95 % interval of a share of the n documents (Wilson).")
    add_legend(figure, panel[1])
    return figure


def _choice_groups(data: FigureData) -> Sequence[tuple[str, Sequence[Mapping[str, str]]]]:
    """Return, for each way to make words and to treat lengths, its label and its rows: one for each choice of b."""
    words = data.option("labels")
    return [
        (f"{words[measure]}{suffix}", [row for row in rows if row["length"] == length])
        for measure, rows in read_available(
            words, lambda measure: data.results.measure_table(measure, "choices")
        ).items()
        for length, suffix in _LENGTHS.items()
    ]


def _plot_choice(axes: Axes, row: Mapping[str, str], wrong: tuple[float, float], height: int) -> None:
    """Draw one choice, of whose n documents some are ``wrong``: the mark says the rule for b, filled if pooled."""
    errors, n = wrong
    rule, pooled = list(_RULES).index(row["discount"]), row["discount_counts"] == "pooled"
    label = _RULES[row["discount"]] + ("" if pooled else ", one a class")
    low, high = wilson(errors / n, n)
    share = 100 * errors / n
    axes.errorbar(
        [share],
        [height + 0.15 * (2 * rule + (not pooled) - 2.5)],
        xerr=[[share - 100 * low], [100 * high - share]],
        marker=MARKERS[rule],
        color=f"C{rule}",
        markerfacecolor=f"C{rule}" if pooled else PAPER,
        linestyle="none",
        elinewidth=0.7,
        markersize=4,
        label=None if label in axes.get_legend_handles_labels()[1] else label,
    )


def rivals(data: FigureData) -> Sheet:
    """Draw the exact-set error of each classifier by each rule, and the best threshold of its binary rule."""
    rows = data.results.measure_table("rival_posteriors", "rules")
    names = list(dict.fromkeys(row["model"] for row in rows))
    figure, (errors, best) = panels(2, height=1.3 + 0.36 * len(names), sharey=True)
    for series, (rule, label) in enumerate(_RIVAL_RULES.items()):
        chosen = [row for row in rows if row["rule"] == rule]
        at = [names.index(row["model"]) + 0.18 * (series - 1) for row in chosen]
        style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "linestyle": "none"}
        errors.plot([float(row["set_error"]) for row in chosen], at, markersize=4.5, label=label, **style)
    binary = [row for row in rows if row["rule"] == "binary"]
    thresholds = [float(row["best"]) for row in binary]
    best.plot(thresholds, [names.index(row["model"]) for row in binary], "s", color="C1", markersize=4.5)
    best.set_xscale("logit")
    set_ticks(best.xaxis, [1e-8, 0.5, 1 - 1e-8], ["10⁻⁸", "0.5", "1−10⁻⁸"])
    best.set_xlim(1e-15, 1 - 1e-15)
    errors.set_xlabel("wrong sets (fraction)")
    best.set_xlabel("best threshold, binary\n(log-odds scale)")
    label_rows(errors, names)
    figure.note("One split; its errors have no bars.")
    add_legend(figure, errors)
    return figure


def lengths(data: FigureData) -> Sheet:
    """Draw the best threshold and the exact-set error of both rules against the sum of a document's scaled counts."""
    rows = data.results.measure_table("document_lengths", "sums")
    sums = sorted({float(row["sum"]) for row in rows} - {0.0})
    x = [*range(len(sums)), len(sums)]
    figure, (best, errors) = panels(2, height=2.9)
    for series, (rule, name) in enumerate(_METHODS.items()):
        row_of = {float(row["sum"]): row for row in rows if row["rule"] == rule}
        ordered = [row_of[total] for total in (*sums, 0.0)]
        style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "markersize": 4.5}
        best.plot(x, [float(row["best"]) for row in ordered], label=name, linestyle=DASHES[series], **style)
        errors.plot(x, [float(row["lowest"]) for row in ordered], linestyle=DASHES[series], **style)
        hollow = {**style, "linestyle": "none", "markerfacecolor": PAPER}
        errors.plot(x, [float(row["set_error"]) for row in ordered], **hollow)
    best.set_yscale("logit")
    set_ticks(best.yaxis, [1e-15, 1e-8, 0.5, 1 - 1e-8, 1 - 1e-15], ["10⁻¹⁵", "10⁻⁸", "0.5", "1−10⁻⁸", "1−10⁻¹⁵"])
    best.set_ylabel("best threshold (log-odds scale)")
    errors.set_ylabel("wrong sets (fraction)")
    errors.set_ylim(bottom=0)
    best.plot([], [], "o", color=GREY, markerfacecolor=PAPER, label="error at the threshold 0.5")
    for axes in (best, errors):
        axes.set_xticks(x, [*(f"{total:g}" for total in sums), "as is"], rotation=60)
        axes.set_xlabel("sum of a document's counts")
    figure.note("One split; its errors have no bars.")
    add_legend(figure, best)
    return figure


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "precision_recall": precision_recall,
    "set_error": set_error,
    "choices": choices,
    "rivals": rivals,
    "lengths": lengths,
}
