"""Figures of the EDCM paper's models: approximation, burstiness, normaliser, perplexity and word weights."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, PUBLISHED, panels, write_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MODELS = {"multinomial": "multinomial", "dcm": "DCM", "edcm": "EDCM"}
_DARK = "#1b1b1b"
#: One document in this many is drawn: a drawing of all documents would take megabytes.
EVERY = 10


def _columns(rows: Sequence[Mapping[str, str]], *names: str) -> list[list[float]]:
    """Return the named columns of a table, each as a list of numbers."""
    return [[float(row[name]) for row in rows] for name in names]


def _diagonal(axes: Axes, low: float, high: float) -> None:
    """Draw the line on which both axes are equal."""
    axes.plot([low, high], [low, high], color="#8a8a86", linewidth=0.8, zorder=1, label="equal")


def _legend(figure: Figure, *axes: Axes, columns: int = 3) -> None:
    """Place one legend above all panels, each label once."""
    entries: dict[str, Any] = {}
    for one in axes:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure.legend(list(entries.values()), list(entries), loc="outside upper left", ncols=columns)


def log_probabilities(data: FigureData) -> Figure:
    """Draw log q against log p of one document in `EVERY`, and how far log q deviates, against the document's length.

    Options: published (``same``, ``own`` -> id of the printed mean deviation, percent).
    Reads ``approximation/documents.csv``: length, log_p, log_q_same, log_q_own.
    """
    rows = data.results.measure_table("approximation", "documents")[::EVERY]
    length, p, same, own = (np.array(column) for column in _columns(rows, "length", "log_p", "log_q_same", "log_q_own"))
    figure, (left, right) = panels(2)
    for place, (name, q) in enumerate((("same", same), ("own", own))):
        label = {"same": r"$q_\alpha$, the DCM's parameters", "own": r"$q_\beta$, its own parameters"}[name]
        style: dict[str, Any] = {"color": f"C{place}", "alpha": 0.35, "markersize": 2.5}
        left.plot(p, q, MARKERS[place], **style)
        right.plot(length, 100 * np.abs(q - p) / np.abs(p), MARKERS[place], **style)
        printed = data.published_of(name)
        if printed is not None:
            right.axhline(printed, color=f"C{place}", linestyle=DASHES[1], linewidth=1.2)
            write_at(right, f"published mean {printed:g} %", (900.0, printed), up=3.0)
        left.plot([], [], MARKERS[place], color=f"C{place}", markersize=5, label=label)
    _diagonal(left, min(p), 0)
    left.set_xlabel(r"$\log\,p_\alpha(x)$, DCM")
    left.set_ylabel(r"$\log\,q(x)$, EDCM")
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_ylim(1e-3, 30)
    right.set_xlabel("words in the document (logarithmic)")
    right.set_ylabel(r"$|\log q - \log p|\,/\,|\log p|$ (percent)")
    _legend(figure, left)
    return figure


def parameters(data: FigureData) -> Figure:
    """Draw both models' parameters against each other: s of every class, and words.

    Options: published (``correlation`` -> id of the printed correlation).  Reads ``dcm_parameters/concentrations.csv``:
    s_dcm, s_edcm; ``approximation/parameters.csv``: alpha, beta.
    """
    figure, (left, right) = panels(2)
    s_dcm, s_edcm = _columns(data.results.measure_table("dcm_parameters", "concentrations"), "s_dcm", "s_edcm")
    left.plot(s_dcm, s_edcm, MARKERS[0], color="C0", label="one newsgroup")
    _diagonal(left, 0, max(s_dcm))
    left.set_xlabel(r"$s$ of the DCM")
    left.set_ylabel(r"$s$ of the EDCM")
    alpha, beta = _columns(data.results.measure_table("approximation", "parameters"), "alpha", "beta")
    right.plot(alpha, beta, MARKERS[1], color="C1", alpha=0.4, markersize=2.5)
    right.plot([], [], MARKERS[1], color="C1", markersize=5, label="one word of one newsgroup")
    _diagonal(right, min(alpha), max(alpha))
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_xlabel(r"$\alpha_w$ of the DCM (logarithmic)")
    right.set_ylabel(r"$\beta_w$ of the EDCM (logarithmic)")
    printed, ours = data.published_of("correlation"), data.results.measure("approximation")["correlation_alpha_beta"]
    text = f"correlation {float(ours.value):.4f}" + (f"\npublished {printed:g}" if printed is not None else "")
    right.annotate(text, (0.05, 0.95), xycoords="axes fraction", va="top", fontsize=9)
    _legend(figure, left, right)
    return figure


def stopping(data: FigureData) -> Figure:
    """Draw the statistics of the DCM's parameters in sections 3 and 4 against the number of training steps.

    Options: published (column of the table -> id).  Reads ``dcm_parameters/steps.csv``: steps ("converged" at the end),
    mean_alpha, above_0.5, correlation_alpha_beta.
    """
    rows = data.results.measure_table("dcm_parameters", "steps")
    ticks = [row["steps"].replace("converged", "end") for row in rows]
    titles = {
        "mean_alpha": r"mean $\alpha_w$",
        "above_0.5": r"words with $\alpha_w > 0.5$",
        "correlation_alpha_beta": r"correlation of $\alpha$ and $\beta$",
    }
    figure, panel = panels(3)
    for place, (axes, (column, title)) in enumerate(zip(panel, titles.items(), strict=True)):
        (values,) = _columns(rows, column)
        axes.plot(range(len(rows)), values, color=f"C{place}", marker=MARKERS[place], markersize=4, label=None)
        printed = data.published_of(column)
        if printed is not None:
            axes.axhline(printed, color=_DARK, linestyle=DASHES[1], linewidth=1, label="published")
        axes.set_title(title)
        axes.set_xticks(range(len(rows)), ticks, fontsize=8)
        axes.margins(y=0.12)
    panel[1].set_xlabel("steps of Minka's fixed point from the EDCM's parameters")
    _legend(figure, *panel)
    return figure


def gamma_ratio(data: FigureData) -> Figure:
    """Draw the error of the Gamma ratio's approximation against the count: by alpha, and as met in the documents.

    Options: published (``mean`` -> id of the printed mean error, percent).  Reads ``gamma_ratio/growth.csv``: alpha,
    count, error; ``gamma_ratio/by_count.csv``: count, mean_error, counts.
    """
    growth = data.results.measure_table("gamma_ratio", "growth")
    figure, (axes,) = panels(1)
    for place, alpha in enumerate(dict.fromkeys(row["alpha"] for row in growth)):
        x, error = _columns([row for row in growth if row["alpha"] == alpha and row["count"] != "1"], "count", "error")
        axes.plot(x, [100 * e for e in error], color=f"C{place}", linestyle=DASHES[place % len(DASHES)],
                  marker=MARKERS[place], markersize=4, label=rf"$\alpha$ = {float(alpha):g}")  # fmt: skip
    seen = [row for row in data.results.measure_table("gamma_ratio", "by_count") if row["count"] != "1"]
    x, error = _columns(seen, "count", "mean_error")
    axes.plot(x, [100 * e for e in error], "x", color=_DARK, markersize=7, label="met in 20 Newsgroups")
    mean = 100 * float(data.results.measure("gamma_ratio")["mean_relative_error"].value)
    axes.axhline(mean, color=_DARK, linewidth=0.9, label=f"mean over all counts, {mean:.1f} %")
    printed = data.published_of("mean")
    if printed is not None:
        axes.axhline(printed, color=_DARK, linestyle=DASHES[1], linewidth=1.2, label=f"published, {printed:g} %")
    axes.set_xscale("log")
    axes.set_yscale("log")
    ticks = sorted({int(row["count"]) for row in growth if row["count"] != "1"})
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("count x of a word (logarithmic); there is no error at x = 1")
    axes.set_ylabel("relative error (percent)")
    _legend(figure, axes, columns=4)
    return figure


def burstiness(data: FigureData) -> Figure:
    """Draw how often words occur exactly m times in a document, in the text and as each model expects it.

    Reads ``burstiness/occurrences.csv``: band, m, seen, multinomial, dcm, edcm.
    """
    rows = data.results.measure_table("burstiness", "occurrences")
    bands = list(dict.fromkeys(row["band"] for row in rows))
    figure, panel = panels(len(bands), sharey=True)
    for axes, band in zip(panel, bands, strict=True):
        chosen = [row for row in rows if row["band"] == band]
        m, seen = _columns(chosen, "m", "seen")
        shown = [(a, b) for a, b in zip(m, seen, strict=True) if b > 0]
        axes.plot(*zip(*shown, strict=True), "x", color=_DARK, markersize=6, label="in the documents")
        for place, (model, label) in enumerate(MODELS.items()):
            (expected,) = _columns(chosen, model)
            axes.plot(m, expected, color=f"C{place}", linestyle=DASHES[place], label=label)
        axes.set_yscale("log")
        axes.set_ylim(1e-8, 1)
        axes.set_title(f"{band} words")
        axes.set_xticks(m[1::2])
        axes.set_xlabel("occurrences m")
    panel[0].set_ylabel("share of (document, word) pairs")
    _legend(figure, panel[0], columns=4)
    return figure


def normaliser(data: FigureData) -> Figure:
    """Draw the sum of the EDCM's q(x) over all documents of a length, against the length; one line a class.

    Reads ``normalisation/totals.csv``: class, length, total.
    """
    rows = data.results.measure_table("normalisation", "totals")
    figure, (axes,) = panels(1)
    for c in dict.fromkeys(row["class"] for row in rows):
        length, total = _columns([row for row in rows if row["class"] == c], "length", "total")
        axes.plot(length, total, color="C0", alpha=0.5, linewidth=1, label="EDCM of one newsgroup")
    axes.axhline(1, color=_DARK, linestyle=DASHES[1], linewidth=1, label="a distribution")
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("words in the document, n")
    axes.set_ylabel(r"$\sum_x q(x)$ over all documents of n words")
    _legend(figure, axes)
    return figure


def fisher_tfidf(data: FigureData) -> Figure:
    """Draw the weight of a word by document frequency and by count, Fisher-DCM score beside TF-IDF.

    Reads ``fisher_tfidf/weights.csv``: frequency (10, 100 and 1000 among them), count (1 among them), fisher, tfidf.
    """
    rows = data.results.measure_table("fisher_tfidf", "weights")
    figure, (left, right) = panels(2)
    once = [row for row in rows if row["count"] == "1"]
    frequency, fisher, tfidf = _columns(once, "frequency", "fisher", "tfidf")
    for place, (values, label) in enumerate(((tfidf, "TF-IDF"), (fisher, "Fisher-DCM"))):
        left.plot(frequency, [v / values[0] for v in values], color=f"C{place}", marker=MARKERS[place],
                  markersize=4, label=label)  # fmt: skip
    left.set_xscale("log")
    left.set_yscale("log")
    left.set_xlabel("training documents with the word, df")
    left.set_ylabel("weight, relative to df = 1")
    for dash, chosen in enumerate(("10", "100", "1000")):
        count, values = _columns([row for row in rows if row["frequency"] == chosen], "count", "fisher")
        right.plot(count, [v / values[0] for v in values], color="C1", linestyle=DASHES[dash], marker=MARKERS[1],
                   markersize=3, label=f"Fisher-DCM, word of {chosen} documents")  # fmt: skip
    right.plot(count, count, color="C0", marker=MARKERS[0], markersize=4)
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_xlabel("count x of the word in the document")
    right.set_ylabel("weight, relative to x = 1")
    _legend(figure, left, right, columns=2)
    return figure


def perplexity(data: FigureData) -> Figure:
    """Draw the perplexity of every class under both models, and that of mixtures of multinomials.

    Options: published (``multinomial``, ``dcm`` -> id of the printed mean).  Reads ``perplexity/classes.csv``: class,
    multinomial, dcm, edcm; ``mixtures/curve.csv``: smoothing, components, perplexity.
    """
    figure, (left, right) = panels(2)
    rows = data.results.measure_table("perplexity", "classes")
    values = dict(zip(MODELS, _columns(rows, *MODELS), strict=True))
    for place, (model, of_classes) in enumerate(values.items()):
        left.plot([place] * len(of_classes), of_classes, MARKERS[place], color=f"C{place}", alpha=0.5, markersize=4)
        mean = statistics.fmean(of_classes)
        left.plot([place - 0.25, place + 0.25], [mean, mean], color=_DARK, linewidth=1.8, label="mean (rebuilt)")
        printed = data.published_of(model)
        if printed is not None:
            left.plot([place + 0.35], [printed], markersize=7, label="published mean", **PUBLISHED)
    left.set_xticks(range(len(MODELS)), list(MODELS.values()))
    left.set_xlim(-0.5, len(MODELS) - 0.4)
    left.set_ylim(bottom=0)
    left.set_ylabel("perplexity of unseen documents")
    curve = data.results.measure_table("mixtures", "curve")
    for place, smoothing in enumerate(dict.fromkeys(row["smoothing"] for row in curve)):
        x, y = _columns([row for row in curve if row["smoothing"] == smoothing], "components", "perplexity")
        right.plot(x, y, color=f"C{place}", linestyle=DASHES[place], marker=MARKERS[place], markersize=4,
                   label=f"mixture, {float(smoothing):g} added")  # fmt: skip
    right.axhline(float(data.results.measure("mixtures")["dcm"].value), color=_DARK, linewidth=1.2, label="one DCM")
    right.set_xscale("log")
    right.set_ylim(bottom=0)
    right.set_xlabel("multinomials a class (logarithmic)")
    _legend(figure, left, right)
    return figure
