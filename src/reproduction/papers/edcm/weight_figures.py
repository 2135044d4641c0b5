"""Figures of the EDCM paper: the weights of words in the Fisher kernel, and the perplexity of unseen documents."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from reproduction.papers.edcm.model_figures import MODELS, columns
from textmix.pages.marks import legend, log_axis, marked, published_point, sheet_of, spread_of, write_at
from textmix.pages.style import DASHES, MARKERS, Sheet, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The document frequencies whose words the right panel shows, if the table has them.
FREQUENCIES = (10.0, 100.0, 1000.0)


def fisher_tfidf(data: FigureData) -> Sheet:
    """Draw the weight of a word by document frequency and by count, Fisher-DCM score beside TF-IDF.

    Reads ``fisher_tfidf/weights.csv``: frequency (one of `FREQUENCIES` among them), count (1 too), fisher, tfidf.
    """
    rows = data.results.measure_table("fisher_tfidf", "weights")
    figure, (by_frequency, by_count) = panels(2, height=3.0)
    frequency, fisher, tfidf = columns([row for row in rows if row["count"] == "1"], "frequency", "fisher", "tfidf")
    _relative(by_frequency, frequency, tfidf, 0, "TF-IDF")
    _relative(by_frequency, frequency, fisher, 1, "Fisher-DCM, x = 1")
    shown = [f"{df:g}" for df in frequency if df in FREQUENCIES]
    grown = []
    for series, chosen in enumerate(shown):
        count, values, plain = columns([row for row in rows if row["frequency"] == chosen], "count", "fisher", "tfidf")
        _relative(by_count, count, values, 2 + series, f"Fisher-DCM, df = {int(chosen):,}")
        grown.append(f"{_times(values)}-fold (df = {int(chosen):,})")
    _relative(by_count, count, plain, 0, "TF-IDF")
    log_axis(by_frequency.xaxis, 1, max(frequency))
    log_axis(by_frequency.yaxis, 1e-4, 1)
    log_axis(by_count.xaxis, 1, max(count))
    log_axis(by_count.yaxis, 1, max(count))
    by_frequency.set_xlabel("documents with the word, df (log scale)")
    by_frequency.set_ylabel("weight relative to df = 1 (log scale)")
    by_count.set_xlabel("count x of the word (log scale)")
    by_count.set_ylabel("weight relative to x = 1 (log scale)")
    figure.note(f"From x = 1 to {count[-1]:g} the Fisher-DCM score grows {', '.join(grown)}.")
    span = f"From df = 1 to {frequency[-1]:,.0f}"
    figure.note(f"{span} the Fisher-DCM score falls {_times(fisher[::-1])}-fold, TF-IDF {_times(tfidf[::-1])}-fold.")
    legend(figure, by_frequency, by_count)
    return figure


def _relative(axes: Axes, x: list[float], values: list[float], series: int, label: str) -> None:
    """Draw values divided by the first of them: the series 0 is TF-IDF, each other is a score of the Fisher kernel."""
    colour = colour_of("fisher_dcm" if series else "tfidf")
    look: dict[str, Any] = {"color": colour, "marker": MARKERS[series], "linestyle": DASHES[series]}
    axes.plot(x, [value / values[0] for value in values], markersize=4, label=label, **look)


def _times(values: list[float]) -> str:
    """Return the last value over the first as text."""
    return f"{values[-1] / values[0]:,.4g}" if values[-1] >= 1000 * values[0] else f"{values[-1] / values[0]:.3g}"


def perplexity(data: FigureData) -> Sheet:
    """Draw the perplexity of every class under the models, and that of mixtures of multinomials.

    Options: published (``multinomial``, ``dcm`` -> id of the printed mean).  Reads the values of ``perplexity``, and
    ``perplexity/classes.csv``: class, multinomial, dcm, edcm; ``mixtures/curve.csv``: smoothing, components,
    perplexity.
    """
    figure, (classes, mixtures) = panels(2, height=3.2, sharey=True)
    rows = data.results.measure_table("perplexity", "classes")
    for series, (model, of_classes) in enumerate(zip(MODELS, columns(rows, *MODELS), strict=True)):
        look: dict[str, Any] = {"color": colour_of(model), "marker": MARKERS[series], "linestyle": "none"}
        classes.plot([series - 0.12] * len(rows), of_classes, alpha=0.45, markersize=3.2, markeredgewidth=0, **look)
        label = f"mean ± standard deviation of {len(rows)} newsgroups"
        classes.errorbar([series + 0.06], [statistics.fmean(of_classes)], yerr=[spread_of(of_classes)], markersize=5,
                      label=None if series else label, **look)  # fmt: skip
        published_point(classes, series + 0.28, 0, data.published_of(model), across=False)
    classes.set_xticks(range(len(MODELS)), list(MODELS.values()))
    classes.set_xlim(-0.5, len(MODELS) - 0.4)
    classes.set_ylim(bottom=0)
    classes.set_title("one model a newsgroup")
    classes.set_ylabel("perplexity of unseen documents")
    normalised = data.results.measure("perplexity")["edcm_normalised_on_first_split"].value
    figure.note(
        f"With q divided by its sum over all documents of a length, the EDCM has {normalised:,.0f} on the first split."
    )
    _mixtures(mixtures, data)
    legend(figure, classes, mixtures)
    return figure


def _mixtures(axes: Axes, data: FigureData) -> None:
    """Draw the perplexity of mixtures against the number of their components, with that of one DCM."""
    curve = data.results.measure_table("mixtures", "curve")
    for series, smoothing in enumerate(dict.fromkeys(row["smoothing"] for row in curve)):
        x, y = columns([row for row in curve if row["smoothing"] == smoothing], "components", "perplexity")
        look: dict[str, Any] = {"color": f"C{series + 3}", "linestyle": DASHES[series], "marker": MARKERS[series + 3]}
        axes.plot(x, y, markersize=4, label=f"mixture, {float(smoothing):g} added to each count", **look)
    log_axis(axes.xaxis, min(x), max(x))
    marked(axes.xaxis, x)
    dcm = float(data.results.measure("mixtures")["dcm"].value)
    axes.axhline(dcm, color=colour_of("dcm"), linewidth=1.2, label="one DCM, the same split")
    best = min(float(row["perplexity"]) for row in curve)
    write_at(axes, f"{dcm:,.0f}", (max(x), dcm), up=4)
    figure = sheet_of(axes)
    side = "above" if best > dcm else "below"
    figure.note(f"The least perplexity of a mixture, {best:,.0f}, is {side} that of one DCM, {dcm:,.0f}.")
    figure.note("The right panel shows one split and has no bars.")
    axes.set_title("mixtures of multinomials")
    axes.set_xlabel("multinomials a newsgroup (log scale)")
