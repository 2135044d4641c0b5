"""Figures of the EDCM paper's models: approximation, parameters, burstiness and normaliser."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import NullLocator

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from textmix.pages.marks import brief, legend, log_axis, marked, published_line, readable
from textmix.pages.style import DASHES, GREY, INK, MARKERS, SMALL, Sheet, grid_of_panels, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MODELS = {"multinomial": "multinomial", "dcm": "DCM", "edcm": "EDCM"}
#: Kind of q -> the model whose parameters it has, and their name.
KINDS = {"same": ("dcm", "the DCM's α"), "own": ("edcm", "the EDCM's own β")}
#: One document in this many is drawn: a drawing of all documents would take megabytes.
EVERY = 10
#: Least deviation that has a place on its axis (percent).
LEAST = 1e-3
#: Column of the steps -> its title.
SIZES = {
    "mean_alpha": "mean α of a word",
    "above_0.5": "words with α > 0.5",
    "correlation_alpha_beta": "correlation of α, β",
}


def columns(rows: Sequence[Mapping[str, str]], *names: str) -> list[list[float]]:
    """Return the named columns of a table, each as a list of numbers."""
    return [[float(row[name]) for row in rows] for name in names]


def _diagonal(axes: Axes, low: float, high: float) -> None:
    """Draw the line on which both axes are equal."""
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=1, label="both equal")


def log_probabilities(data: FigureData) -> Sheet:
    """Draw log q against log p of one document in `EVERY`, and how far log q deviates, a column a kind of q.

    Options: published (``same``, ``own`` -> id of the printed mean deviation, percent).
    Reads ``approximation/documents.csv``: length, log_p, log_q_same, log_q_own.
    """
    every = data.results.measure_table("approximation", "documents")
    length, p = columns(every[::EVERY], "length", "log_p")
    figure, panel = grid_of_panels(4, 2, 2.4, sharex="row", sharey="row")
    for series, (kind, (model, name)) in enumerate(KINDS.items()):
        scatter, deviations = panel[series], panel[2 + series]
        (q,) = columns(every[::EVERY], f"log_q_{kind}")
        look: dict[str, Any] = {"color": colour_of(model), "linestyle": "none", "marker": MARKERS[series]}
        look |= {"markersize": 2.6, "alpha": 0.4, "markeredgewidth": 0}
        scatter.plot([-value for value in p], [-value for value in q], **look)
        percent = [100 * abs(b - a) / abs(a) for a, b in zip(p, q, strict=True)]
        deviations.plot(length, [max(value, LEAST) for value in percent], **look)
        scatter.plot([], [], label=f"q by {name}", **(look | {"alpha": 1.0, "markersize": 5}))
        _mean_deviation(deviations, data, kind, every)
        _diagonal(scatter, -max(p), -min(p))
        for axes, low, high in ((scatter, -max(p), -min(p)), (deviations, min(length), max(length))):
            log_axis(axes.xaxis, low, high)
        scatter.set_xlabel("−log p, DCM (log scale)")
        deviations.set_xlabel("words in document (log scale)")
    log_axis(panel[0].yaxis, -max(p), -min(p))
    log_axis(panel[2].yaxis, LEAST, 100)
    panel[2].set_ylim(bottom=LEAST)
    panel[0].set_ylabel("−log q, EDCM (log scale)")
    panel[2].set_ylabel("deviation (percent, log scale)")
    figure.note(f"Marks show {len(p):,} of the {len(every):,} documents, every {EVERY}th; means are over all of them.")
    figure.note(f"A deviation below {LEAST:g} % stands at the lower end of the axis.")
    legend(figure)
    return figure


def _mean_deviation(axes: Axes, data: FigureData, kind: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Draw the mean deviation over all documents as a line, and the published mean as a dashed line of its colour."""
    p, q = columns(rows, "log_p", f"log_q_{kind}")
    mean = 100 * statistics.fmean(abs(b - a) / abs(a) for a, b in zip(p, q, strict=True))
    sign, colour = {"same": "α", "own": "β"}[kind], colour_of(KINDS[kind][0])
    axes.axhline(mean, color=colour, linewidth=1.4, label=f"mean by {sign}, {mean:.2g} %")
    printed = data.published_of(kind)
    if printed is not None:
        label = f"published mean by {sign}, {printed.value:g} %"
        axes.axhline(printed.value, color=colour, linestyle=DASHES[1], linewidth=1.4, label=label)


def parameters(data: FigureData) -> Sheet:
    """Draw both models' parameters against each other: s of every class, and words.

    Options: published (``correlation`` -> id of the printed correlation).  Reads ``dcm_parameters/concentrations.csv``:
    s_dcm, s_edcm; ``approximation/parameters.csv``: alpha, beta.
    """
    figure, (sums, words) = panels(2, height=3.0)
    s_dcm, s_edcm = columns(data.results.measure_table("dcm_parameters", "concentrations"), "s_dcm", "s_edcm")
    sums.plot(s_dcm, s_edcm, MARKERS[0], color="C0", label=f"one newsgroup (n = {len(s_dcm)})")
    _diagonal(sums, 0, max(s_dcm))
    sums.set_xlabel("sum s of the DCM's α")
    sums.set_ylabel("sum s of the EDCM's β")
    alpha, beta = columns(data.results.measure_table("approximation", "parameters"), "alpha", "beta")
    label = f"one word of one newsgroup (n = {len(alpha)})"
    words.plot([], [], MARKERS[1], color="C1", markersize=5, label=label)
    words.plot(alpha, beta, MARKERS[1], color="C1", alpha=0.4, markersize=2.6, markeredgewidth=0)
    low, high = min(*alpha, *beta), max(*alpha, *beta)
    _diagonal(words, low, high)
    log_axis(words.xaxis, low, high)
    log_axis(words.yaxis, low, high)
    words.set_xlabel("α of the DCM (log scale)")
    words.set_ylabel("β of the EDCM (log scale)")
    printed, ours = data.published_of("correlation"), data.results.measure("approximation")["correlation_alpha_beta"]
    text = f"correlation {float(ours.value):.4f}" + (f"\npublished {printed.value:g}" if printed else "")
    words.annotate(text, (0.04, 0.97), xycoords="axes fraction", va="top", fontsize=SMALL)
    legend(figure, sums, words)
    return figure


def stopping(data: FigureData) -> Sheet:
    """Draw the statistics of the DCM's parameters in sections 3 and 4 against the number of training steps.

    Options: published (column of the table -> id).  Reads ``dcm_parameters/steps.csv``: steps ("converged" at the end),
    mean_alpha, above_0.5, correlation_alpha_beta; ``groups.csv``: the same of each newsgroup at the
    maximum.
    """
    rows = data.results.measure_table("dcm_parameters", "steps")
    taken = [float(row["steps"]) for row in rows if row["steps"] != "converged"]
    end = 4 * max(taken)
    groups = data.results.measure_table("dcm_parameters", "groups")
    figure, panel = panels(3, height=2.6)
    for panel_number, (axes, (column, title)) in enumerate(zip(panel, SIZES.items(), strict=True)):
        (values,) = columns(rows, column)
        axes.set_xscale("symlog", linthresh=1.0, linscale=0.5)
        axes.plot(taken, values[: len(taken)], color="C0", marker=MARKERS[0], markersize=4, label="after the steps")
        single = [float(row[column]) for row in groups]
        label = f"at the maximum: one newsgroup (n = {len(groups)})"
        axes.plot([end] * len(single), single, MARKERS[1], color="C1", alpha=0.3, markeredgewidth=0, label=label)
        axes.plot([end], values[-1:], MARKERS[1], color="C1", label="at the maximum")
        published_line(axes, data.published_of(column), ("A", "B", "C")[panel_number] + ": published")
        axes.set_title(f"{'ABC'[panel_number]}  {title}")
        marked(axes.xaxis, [0, 1, 3, 10, max(taken), end], ["0", "1", "3", "10", f"{max(taken):g}", "end"])
        axes.margins(y=0.12)
    panel[1].set_xlabel("steps of Minka's fixed point (log scale from 1)")
    figure.note(f"Each full mark is the median over {len(groups)} newsgroups.")
    legend(figure)
    return figure


def gamma_ratio(data: FigureData) -> Sheet:
    """Draw the error of the Gamma ratio's approximation against the count: by alpha, and as met in the documents.

    Options: published (``mean`` -> id of the printed mean error, percent).  Reads ``gamma_ratio/growth.csv``: alpha,
    count, error; ``gamma_ratio/by_count.csv``: count, mean_error, counts.
    """
    growth = data.results.measure_table("gamma_ratio", "growth")
    figure, (axes,) = panels(1, height=3.2)
    for series, alpha in enumerate(dict.fromkeys(row["alpha"] for row in growth)):
        x, error = columns([row for row in growth if row["alpha"] == alpha], "count", "error")
        look: dict[str, Any] = {
            "color": f"C{series}",
            "linestyle": DASHES[series],
            "marker": MARKERS[series],
            "markersize": 4,
        }
        axes.plot(x, [100 * e for e in error], label=f"α = {float(alpha):g}", **look)
    x, error = columns(data.results.measure_table("gamma_ratio", "by_count"), "count", "mean_error")
    axes.plot(x, [100 * e for e in error], "x", color=INK, markersize=7, label="mean in 20 Newsgroups")
    mean = 100 * float(data.results.measure("gamma_ratio")["mean_relative_error"].value)
    axes.axhline(mean, color=INK, linewidth=1.1, label=f"mean over all counts, {mean:.1f}")
    published_line(axes, data.published_of("mean"))
    # The ratio is exact at x = 1, where most counts stand: 0 needs a place on the axis.
    axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
    marked(axes.yaxis, [0, 0.1, 1, 10, 100])
    axes.set_ylim(-0.04, 130)
    log_axis(axes.xaxis, 1, 50)
    marked(axes.xaxis, sorted({float(row["count"]) for row in growth}))
    axes.set_xlabel("count x of a word (log scale)")
    axes.set_ylabel("relative error (percent, symlog scale)")
    legend(figure)
    return figure


def burstiness(data: FigureData) -> Sheet:
    """Draw how often words occur exactly m times in a document, in the text and as each model expects it.

    Reads ``burstiness/occurrences.csv``: band, m, seen, multinomial, dcm, edcm.
    """
    rows = data.results.measure_table("burstiness", "occurrences")
    bands = list(dict.fromkeys(row["band"] for row in rows))
    figure, panel = panels(len(bands), height=2.7, sharex=True, sharey=True)
    for axes, band in zip(panel, bands, strict=True):
        chosen = [row for row in rows if row["band"] == band and float(row["seen"]) > 0]
        m, seen = columns(chosen, "m", "seen")
        axes.plot(m, seen, "x", color=INK, markersize=6, label="in the documents")
        for series, (model, label) in enumerate(MODELS.items()):
            (expected,) = columns(chosen, model)
            axes.plot(m, expected, color=colour_of(model), linestyle=DASHES[series], label=f"expected by {label}")
        axes.set_title(f"{band} words")
        marked(axes.xaxis, m[1::2])
        axes.set_xlabel("occurrences m")
    for model, label in MODELS.items():
        ratios = "; ".join(_seen_over_expected(rows, band, model) for band in bands)
        figure.note(f"Seen over expected by the {label}: {ratios}.")
    log_axis(panel[0].yaxis, 1e-8, 1)
    panel[0].set_ylim(1e-8, 1)
    panel[0].set_ylabel("share of pairs (log scale)")
    legend(figure, panel[0])
    return figure


def _seen_over_expected(rows: Sequence[Mapping[str, str]], band: str, model: str) -> str:
    """Return the ratio of the seen to the expected share at the largest m that occurs in a band of words, as text."""
    last = [row for row in rows if row["band"] == band and float(row["seen"]) > 0][-1]
    return f"{brief(float(last['seen']) / float(last[model]))} ({band} words, m = {last['m']})"


def normaliser(data: FigureData) -> Sheet:
    """Draw the sum of the EDCM's q(x) over all documents of a length, against the length; a mark a class.

    Reads ``normalisation/totals.csv``: class, length, total.
    """
    groups: dict[float, list[float]] = {}
    for row in data.results.measure_table("normalisation", "totals"):
        groups.setdefault(float(row["length"]), []).append(float(row["total"]))
    figure, (axes,) = panels(1)
    for number, (length, totals) in enumerate(groups.items()):
        label = None if number else f"EDCM of one newsgroup (n = {len(totals)})"
        axes.plot([length] * len(totals), totals, "o", color=colour_of("edcm"), alpha=0.45, markersize=3.2, label=label)
        axes.plot([length], [statistics.median(totals)], "_", color=INK, markersize=15, markeredgewidth=1.8,
                  label=None if number else "median")  # fmt: skip
    axes.axhline(1, color=GREY, linewidth=1, label="sum of a distribution")
    figure.note(f"The sum is exact at the {len(groups)} lengths marked; nothing was computed between them.")
    medians = [statistics.median(totals) for totals in groups.values()]
    last = readable(max(groups))
    figure.note(
        f"Its median is {medians[0]:.3f} at {readable(min(groups))} word and {medians[-1]:.3f} at {last} words."
    )
    log_axis(axes.xaxis, min(groups), max(groups))
    marked(axes.xaxis, list(groups))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("words in the document, n (log scale)")
    axes.set_ylabel("sum of q over all documents")
    legend(figure)
    return figure
