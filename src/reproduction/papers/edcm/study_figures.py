"""Figures of the EDCM paper's studies: every method of the DCM, every reading of its numbers, every newsgroup."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from textmix.pages.marks import (
    brief,
    explain_trials,
    legend,
    log_axis,
    marked,
    published_line,
    published_point,
    row_names,
    trials_row,
)
from textmix.pages.style import DASHES, GREY, MARKERS, PAPER, Sheet, grid_of_panels, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[Mapping[str, str]]
#: Model -> its name in figures; the names of ``training_time`` lack the method of this reproduction.
MODELS = {
    "multinomial": "multinomial",
    "edcm": "EDCM",
    "dcm_reciprocal_newton": "DCM, ours",
    "dcm_newton": "DCM, Newton",
    "dcm_fixed_point": "DCM, fixed point",
    "dcm_leave_one_out": "DCM, leave one out",
}
#: Numbers of one newsgroup: measure, column of its table ``groups``, title of the panel, factor of the printed unit.
OF_ONE_GROUP = (
    ("dcm_parameters", "mean_alpha", "mean α of a word", 1.0),
    ("dcm_parameters", "above_0.5", "words with α > 0.5", 1.0),
    ("dcm_parameters", "above_1.0", "words with α > 1", 1.0),
    ("dcm_parameters", "correlation_alpha_beta", "correlation of α, β", 1.0),
    ("gamma_ratio", "counts", "non-zero counts", 1.0),
    ("gamma_ratio", "mean_relative_error", "Gamma ratio, % off", 100.0),
)


def dcm_methods(data: FigureData) -> Sheet:
    """Draw accuracy, perplexity and training time of the DCM by each method, beside multinomial and EDCM.

    Reads ``dcm_methods/splits.csv``: model, split, accuracy, perplexity; ``training_time/seconds.csv``: model, seconds.
    """
    splits = data.results.measure_table("dcm_methods", "splits")
    seconds = data.results.measure_table("training_time", "seconds")
    figure, panel = panels(3, height=2.9, sharey=True)
    for axes, metric in zip(panel[:2], ("accuracy", "perplexity"), strict=True):
        groups = [_of(splits, name, metric) for name in MODELS]
        for height, values in enumerate(groups):
            trials_row(axes, height, values, colour_of(list(MODELS)[height]), "split")
        explain_trials(axes, "split", map(len, groups))
        axes.locator_params(axis="x", nbins=3)
    times = [statistics.median(_of(seconds, _timed(name), "seconds")) for name in MODELS]
    for height, (name, value) in enumerate(zip(MODELS, times, strict=True)):
        panel[2].plot([value], [height], MARKERS[1], color=colour_of(name), markersize=5)
    panel[2].plot([], [], MARKERS[1], color=GREY, markersize=5, label="median of the training times")
    log_axis(panel[2].xaxis, min(times) / 1.3, max(times) * 1.3)
    for axes, name in zip(panel, ("accuracy (fraction)", "perplexity", "seconds (log scale)"), strict=True):
        axes.set_xlabel(name)
    row_names(panel[0], list(MODELS.values()))
    figure.note(_orders(splits))
    legend(figure)
    return figure


def _of(rows: Rows, model: str, column: str) -> list[float]:
    """Return a column of the rows of a model."""
    return [float(row[column]) for row in rows if row["model"] == model]


def _timed(model: str) -> str:
    """Return the name of a model in the table of times."""
    return model.removesuffix("_reciprocal_newton")


def _orders(splits: Rows) -> str:
    """Return a sentence on the order of EDCM, DCM and multinomial for each method of the DCM."""
    parts = []
    for name in list(MODELS)[2:]:
        mean = {model: statistics.fmean(_of(splits, model, "accuracy")) for model in ("edcm", name, "multinomial")}
        ranked = sorted(mean, key=lambda model: -mean[model])
        parts.append(f"{MODELS[name]}: " + " > ".join(MODELS[model].split(",")[0] for model in ranked))
    return f"Order of the mean accuracies by method of the DCM: {'; '.join(parts)}."


def deviation_readings(data: FigureData) -> Sheet:
    """Draw both deviations of every reading against each other, with the printed pair.

    Options: published (``same``, ``own`` -> ids, percent).  Reads ``deviation_readings/readings.csv``: training,
    same, own.
    """
    rows = data.results.measure_table("deviation_readings", "readings")
    figure, (axes,) = panels(1, height=3.2)
    for series, (label, chosen) in enumerate(_trainings(rows).items()):
        x, y = ([100 * float(row[key]) for row in chosen] for key in ("same", "own"))
        look: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "linestyle": "none"}
        axes.plot([], [], markersize=5, label=f"{label} (n = {len(chosen)})", **look)
        axes.plot(x, y, markersize=3, alpha=0.5, markeredgewidth=0, **look)
    printed = {key: data.published_of(key) for key in ("same", "own")}
    if printed["same"] and printed["own"]:
        published_point(axes, 0, printed["own"].value, printed["same"])
    for axis, key in ((axes.xaxis, "same"), (axes.yaxis, "own")):
        shown = [100 * float(row[key]) for row in rows] + [number.value for number in (printed[key],) if number]
        log_axis(axis, min(shown) / 1.2, max(shown) * 1.2)
    axes.set_xlabel("deviation of q by the DCM's α (percent, log scale)")
    axes.set_ylabel("deviation of q by its own β\n(percent, log scale)")
    measured = data.results.measure("deviation_readings")
    both, number, other, n = (int(measured[key].value) for key in ("with_both", "with_same", "with_own", "readings"))
    figure.note(
        f"{n} readings: {both} give both printed numbers within a tenth, {number} the first, {other} the second."
    )
    legend(figure)
    return figure


def _trainings(rows: Rows) -> dict[str, Rows]:
    """Return the readings by the end of the training: maximum of the likelihood, stopped early, leave one out."""
    names = {"maximum": "maximum of the likelihood", "leave one out": "leave one out"}
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault(names.get(row["training"], "stopped early"), []).append(row)
    return dict(groups)


def perplexity_readings(data: FigureData) -> Sheet:
    """Draw the perplexity of multinomial and DCM against the smoothing constant, a line for each kind of documents.

    Options: published (model -> id).  Reads ``perplexity_readings/readings.csv``: model, method, smoothing, unit,
    documents, level, perplexity; lines are means of the classes, of the DCM at the maximum of the likelihood.
    """
    rows = data.results.measure_table("perplexity_readings", "readings")
    rows = [row for row in rows if row["level"] == "mean of the classes" and row["method"] != "leave_one_out"]
    figure, panel = panels(2, height=3.0)
    units = {"multinomial": "absolute", "dcm": "smallest"}
    for axes, (model, unit) in zip(panel, units.items(), strict=True):
        chosen = [row for row in rows if row["model"] == model and row["unit"] == unit]
        _perplexity_lines(axes, chosen)
        name = {"multinomial": "multinomial", "dcm": "DCM"}[model]
        published_line(axes, data.published_of(model), f"published, {name}")
        axes.set_title(name)
        axes.set_xlabel("smoothing constant (log scale)")
    panel[0].set_ylabel("perplexity")
    measured = data.results.measure("perplexity_readings")
    both, usual = (int(measured[key].value) for key in ("with_both", "with_both_at_0.01"))
    figure.note(f"Both printed numbers within 5 %: {both} pairs of readings, {usual} with 0.01 for the multinomial.")
    legend(figure)
    return figure


def _perplexity_lines(axes: Axes, rows: Rows) -> None:
    """Draw perplexity against the smoothing constant, a line for each kind of documents."""
    for series, documents in enumerate(dict.fromkeys(row["documents"] for row in rows)):
        line = [row for row in rows if row["documents"] == documents]
        x, y = ([float(row[key]) for row in line] for key in ("smoothing", "perplexity"))
        look: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "linestyle": DASHES[series]}
        axes.plot(x, y, markersize=4, label=f"documents: {documents}", **look)
    log_axis(axes.xaxis, min(x), max(x))
    marked(axes.xaxis, [value for value in (0.001, 0.01, 0.1, 1.0) if min(x) <= value <= max(x)])


def tfidf_forms(data: FigureData) -> Sheet:
    """Draw the accuracy of k-NN by each form of TF-IDF, with that of Bhattacharyya as lines.

    Reads ``tfidf_forms/forms.csv``: count, word, documents, vote, accuracy, spread, splits.
    """
    rows = data.results.measure_table("tfidf_forms", "forms")
    names = {"nearest": "a vote a neighbour", "similarity": "votes by similarity"}
    forms = list(dict.fromkeys(_form(row) for row in rows if row["word"]))
    figure, (axes,) = panels(1, height=1.0 + 0.24 * len(forms))
    for series, (vote, label) in enumerate(names.items()):
        chosen = {_form(row): row for row in rows if row["vote"] == vote}
        values, spreads = ([float(chosen[form][key]) for form in forms] for key in ("accuracy", "spread"))
        look: dict[str, Any] = {"marker": MARKERS[series], "color": colour_of("tfidf"), "linestyle": "none"}
        look |= {"markersize": 4.5, "markerfacecolor": PAPER if series else colour_of("tfidf"), "elinewidth": 0.9}
        at = [height + 0.2 * (2 * series - 1) for height in range(len(forms))]
        axes.errorbar(values, at, xerr=spreads if any(spreads) else None, label=f"TF-IDF, {label}", **look)
        level, line = float(chosen["bhattacharyya"]["accuracy"]), DASHES[series]
        colour = colour_of("bhattacharyya")
        axes.axvline(level, color=colour, linestyle=line, linewidth=1.1, label=f"Bhattacharyya, {label}")
    row_names(axes, forms)
    axes.set_xlabel("accuracy (fraction)")
    splits = int(rows[0]["splits"])
    over = f"means over {splits} splits with bars of one standard deviation" if splits > 1 else "one split without bars"
    figure.note(f"Vectors have length 1; {over}.")
    figure.note("x is the count, n the length, m its mean, d documents and o occurrences of the word, D all documents.")
    legend(figure)
    return figure


def _form(row: Mapping[str, str]) -> str:
    """Return the form of TF-IDF of a row in words; that of Bhattacharyya is its name."""
    if not row["word"]:
        return row["count"]
    named = [re.sub(r"^(log|sqrt) (.+ / .+)$", r"\1 (\2)", part) for part in (row["count"], row["word"])]
    factors = [f"({part})" if " " in part and not part.startswith(("log", "sqrt (")) else part for part in named]
    used = [part for part in factors if part != "1"] or ["1"]
    return " · ".join(used) + (", d of all documents" if row["documents"] == "all" else "")


def one_newsgroup(data: FigureData) -> Sheet:
    """Draw the numbers that the paper gives for one newsgroup, a mark for each newsgroup, with the printed number.

    Options: published (column -> id).  Reads ``dcm_parameters/groups.csv`` and ``gamma_ratio/groups.csv``: group and
    the columns of `OF_ONE_GROUP`.
    """
    figure, panel = grid_of_panels(len(OF_ONE_GROUP), 3, 1.45)
    for axes, (measure, column, title, factor) in zip(panel, OF_ONE_GROUP, strict=True):
        rows = data.results.measure_table(measure, "groups")
        values = {row["group"]: factor * float(row[column]) for row in rows}
        ordered = sorted(values, key=lambda group: values[group])
        look: dict[str, Any] = {"color": "C0", "alpha": 0.6, "markersize": 4, "markeredgewidth": 0}
        label = f"one newsgroup (n = {len(ordered)})"
        axes.plot([values[group] for group in ordered], range(len(ordered)), "o", label=label, **look)
        printed = data.published_of(column)
        if printed:
            axes.axvline(printed.value, color="C1", linestyle="--", linewidth=1.1, label="published")
            nearest = min(ordered, key=lambda group: abs(values[group] - printed.value))
            figure.note(f"{title}: {brief(printed.value)} in print, nearest {nearest} with {brief(values[nearest])}.")
        axes.set_title(title)
        axes.set_yticks([])
        axes.locator_params(axis="x", nbins=3)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    panel[-2].set_xlabel("value; the newsgroups in order, each in a row")
    legend(figure, panel[0])
    return figure
