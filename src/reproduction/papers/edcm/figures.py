"""Figures of Kauchak, Madsen & Elkan, by name; here those of the three models."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import MaxNLocator, NullLocator

from reproduction.figures.drawing import FigureData, read_columns
from reproduction.figures.figure_elements import (
    add_legend,
    add_trials_legend,
    annotate_point,
    annotate_row,
    draw_published_line,
    draw_published_point,
    draw_trials,
    draw_with_bars,
    format_brief,
    format_number,
    get_sheet,
    label_rows,
    sample_sd,
    set_log_scale,
    set_ticks,
    with_sample_size,
)
from reproduction.figures.style import (
    DASHES,
    GREY,
    INK,
    MARKERS,
    PALE,
    SMALL,
    Sheet,
    grid_of_panels,
    method_colour,
    panels,
)
from reproduction.papers.edcm import study_figures

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
#: The document frequencies whose words the right panel shows, if the table has them.
FREQUENCIES = (10.0, 100.0, 1000.0)


def accuracy(data: FigureData) -> Sheet:
    """Draw the accuracy of each model on every split; a pale line joins the models' accuracies on one split.
    Options: experiment, role, methods (in order); variants (method -> variant, where it has several) and published
    (method -> id of a published number) where there are any.
    """
    figure, (axes,) = panels(1, height=2.2)
    methods = data.option("methods")
    trials = [data.trials(data.option("role"), method, "accuracy") for method in methods]
    for split in zip(*trials, strict=True):
        axes.plot(split, [height + 0.13 for height in range(len(methods))], color=PALE, linewidth=0.6, zorder=1)
    for height, (method, values) in enumerate(zip(methods, trials, strict=True)):
        draw_trials(axes, height, values, method_colour(method), "split")
        annotate_point(axes, f"{statistics.fmean(values):.3f}", (statistics.fmean(values), height - 0.13), up=6)
        draw_published_point(axes, 0, height - 0.3, data.published_of(method))
    add_trials_legend(axes, "split", map(len, trials))
    axes.plot([], [], color=PALE, linewidth=1, label="the same split")
    label_rows(axes, [MODELS.get(method, method) for method in methods])
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlabel("accuracy (fraction of test documents)")
    add_legend(figure)
    return figure


def training_seconds(data: FigureData) -> Sheet:
    """Draw the seconds one training takes, on a logarithmic axis, with the published seconds beside.
    Options: experiment, role, methods, published (method -> id of the published seconds).
    """
    methods = data.option("methods")
    times = {method: data.seconds(data.option("role"), method) for method in methods}
    return _training_rows(data, times, [MODELS.get(method, method) for method in methods], "split")


def training_time_methods(data: FigureData) -> Sheet:
    """Draw the seconds that training takes, measured in one run: a row a model, and a row a method of the DCM.
    Options: labels (model of the table, or name of a row for published seconds alone -> name), published (model or row
    -> id of the published seconds).
    """
    rows = data.results.measure_table("training_time", "seconds")
    labels = data.option("labels")
    times = {model: [float(row["seconds"]) for row in rows if row["model"] == model] for model in labels}
    return _training_rows(data, times, list(labels.values()), "run")


def _training_rows(data: FigureData, times: Mapping[str, Sequence[float]], names: Sequence[str], noun: str) -> Sheet:
    """Draw a row of seconds for each method: single trainings, and their median with its value at the right."""
    figure, (axes,) = panels(1, height=0.9 + 0.27 * len(times))
    printed = [data.published_of(name) for name in times]
    shown = [value for values in times.values() for value in values] + [number.value for number in printed if number]
    set_log_scale(axes.xaxis, min(shown), max(shown))
    for height, ((method, values), published) in enumerate(zip(times.items(), printed, strict=True)):
        draw_published_point(axes, 0, height, published)
        if published:
            annotate_point(axes, f"{published.value:,g} s", (published.value, height), right=-6, up=0)
        if not values:
            continue
        median = statistics.median(values)
        axes.plot(values, [height] * len(values), "|", color=method_colour(method), alpha=0.6, markersize=9)
        axes.plot([median], [height], "o", color=method_colour(method), markersize=5.5, zorder=4)
        annotate_row(axes, f"{format_number(float(f'{median:.2g}'))} s", height)
    axes.plot([], [], "o", color=GREY, markersize=5.5, label="rebuilt: median")
    measured = with_sample_size(f"one {noun}", (len(values) for values in times.values() if values))
    axes.plot([], [], "|", color=GREY, alpha=0.6, markersize=9, label=measured)
    label_rows(axes, names)
    axes.margins(x=0.05)
    axes.set_xlabel("seconds for training on one split (log scale)")
    add_legend(figure)
    return figure


def smoothing_sensitivity(data: FigureData) -> Sheet:
    """Draw the mean accuracy against the smoothing constant, one line a model, with the deviation over splits.
    Options: experiment (whose methods have a grid), role, methods, parameter (its name in the grid).
    """
    figure, (axes,) = panels(1)
    methods = data.option("methods")
    for series, method in enumerate(methods):
        points = data.grid(data.option("role"), method, "accuracy", data.option("parameter"))
        # The bars stand side by side: the second of three models is at the constant itself.
        aside = 1.12 ** (series - (len(methods) - 1) / 2)
        means = [statistics.fmean(values) for values in points.values()]
        label = with_sample_size(MODELS.get(method, method), map(len, points.values()))
        bars = [sample_sd(values) for values in points.values()]
        draw_with_bars(axes, [x * aside for x in points], means, bars, series, label=label, color=method_colour(method))
        set_log_scale(axes.xaxis, min(points), max(points))
        set_ticks(axes.xaxis, list(points))
    figure.note("A bar reaches one standard deviation over the n splits to each side of the mean.")
    axes.set_xlabel("smoothing constant (log scale)")
    axes.set_ylabel("accuracy (fraction)")
    add_legend(figure)
    return figure


def _diagonal(axes: Axes, low: float, high: float) -> None:
    """Draw the line on which both axes are equal."""
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=1, label="both equal")


def log_probabilities(data: FigureData) -> Sheet:
    """Draw log q against log p of one document in `EVERY`, and how far log q deviates, a column a kind of q.
    Options: published (``same``, ``own`` -> id of the printed mean deviation, percent).
    """
    every = data.results.measure_table("approximation", "documents")
    length, p = read_columns(every[::EVERY], "length", "log_p")
    figure, panel = grid_of_panels(4, 2, 2.4, sharex="row", sharey="row")
    for series, (kind, (model, name)) in enumerate(KINDS.items()):
        scatter, deviations = panel[series], panel[2 + series]
        (q,) = read_columns(every[::EVERY], f"log_q_{kind}")
        style: dict[str, Any] = {"color": method_colour(model), "linestyle": "none", "marker": MARKERS[series]}
        style |= {"markersize": 2.6, "alpha": 0.4, "markeredgewidth": 0}
        scatter.plot([-value for value in p], [-value for value in q], **style)
        percent = [100 * abs(b - a) / abs(a) for a, b in zip(p, q, strict=True)]
        deviations.plot(length, [max(value, LEAST) for value in percent], **style)
        scatter.plot([], [], label=f"q by {name}", **(style | {"alpha": 1.0, "markersize": 5}))
        _mean_deviation(deviations, data, kind, every)
        _diagonal(scatter, -max(p), -min(p))
        for axes, low, high in ((scatter, -max(p), -min(p)), (deviations, min(length), max(length))):
            set_log_scale(axes.xaxis, low, high)
        scatter.set_xlabel("−log p, DCM (log scale)")
        deviations.set_xlabel("words in document (log scale)")
    set_log_scale(panel[0].yaxis, -max(p), -min(p))
    set_log_scale(panel[2].yaxis, LEAST, 100)
    panel[2].set_ylim(bottom=LEAST)
    panel[0].set_ylabel("−log q, EDCM (log scale)")
    panel[2].set_ylabel("deviation (percent, log scale)")
    figure.note(f"Marks show {len(p):,} of the {len(every):,} documents, every {EVERY}th; means are over all of them.")
    figure.note(f"A deviation below {LEAST:g} % stands at the lower end of the axis.")
    add_legend(figure)
    return figure


def _mean_deviation(axes: Axes, data: FigureData, kind: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Draw the mean deviation over all documents as a line, and the published mean as a dashed line of its colour."""
    p, q = read_columns(rows, "log_p", f"log_q_{kind}")
    mean = 100 * statistics.fmean(abs(b - a) / abs(a) for a, b in zip(p, q, strict=True))
    sign, colour = {"same": "α", "own": "β"}[kind], method_colour(KINDS[kind][0])
    axes.axhline(mean, color=colour, linewidth=1.4, label=f"mean by {sign}, {mean:.2g} %")
    printed = data.published_of(kind)
    if printed is not None:
        label = f"published mean by {sign}, {printed.value:g} %"
        axes.axhline(printed.value, color=colour, linestyle=DASHES[1], linewidth=1.4, label=label)


def parameters(data: FigureData) -> Sheet:
    """Draw both models' parameters against each other: s of every class, and words.
    Options: published (``correlation`` -> id of the printed correlation).
    """
    figure, (sums, words) = panels(2, height=3.0)
    s_dcm, s_edcm = read_columns(data.results.measure_table("dcm_parameters", "concentrations"), "s_dcm", "s_edcm")
    sums.plot(s_dcm, s_edcm, MARKERS[0], color="C0", label=f"one newsgroup (n = {len(s_dcm)})")
    _diagonal(sums, 0, max(s_dcm))
    sums.set_xlabel("sum s of the DCM's α")
    sums.set_ylabel("sum s of the EDCM's β")
    alpha, beta = read_columns(data.results.measure_table("approximation", "parameters"), "alpha", "beta")
    label = f"one word of one newsgroup (n = {len(alpha)})"
    words.plot([], [], MARKERS[1], color="C1", markersize=5, label=label)
    words.plot(alpha, beta, MARKERS[1], color="C1", alpha=0.4, markersize=2.6, markeredgewidth=0)
    low, high = min(*alpha, *beta), max(*alpha, *beta)
    _diagonal(words, low, high)
    set_log_scale(words.xaxis, low, high)
    set_log_scale(words.yaxis, low, high)
    words.set_xlabel("α of the DCM (log scale)")
    words.set_ylabel("β of the EDCM (log scale)")
    printed, ours = data.published_of("correlation"), data.results.measure("approximation")["correlation_alpha_beta"]
    text = f"correlation {float(ours.value):.4f}" + (f"\npublished {printed.value:g}" if printed else "")
    words.annotate(text, (0.04, 0.97), xycoords="axes fraction", va="top", fontsize=SMALL)
    add_legend(figure, sums, words)
    return figure


def stopping(data: FigureData) -> Sheet:
    """Draw the statistics of the DCM's parameters in sections 3 and 4 against the number of training steps.
    Options: published (column of the table -> id).
    """
    rows = data.results.measure_table("dcm_parameters", "steps")
    steps = [float(row["steps"]) for row in rows if row["steps"] != "converged"]
    end = 4 * max(steps)
    groups = data.results.measure_table("dcm_parameters", "groups")
    figure, panel = panels(3, height=2.6)
    for panel_number, (axes, (column, title)) in enumerate(zip(panel, SIZES.items(), strict=True)):
        (values,) = read_columns(rows, column)
        axes.set_xscale("symlog", linthresh=1.0, linscale=0.5)
        axes.plot(steps, values[: len(steps)], color="C0", marker=MARKERS[0], markersize=4, label="after the steps")
        single = [float(row[column]) for row in groups]
        label = f"at the maximum: one newsgroup (n = {len(groups)})"
        axes.plot([end] * len(single), single, MARKERS[1], color="C1", alpha=0.3, markeredgewidth=0, label=label)
        axes.plot([end], values[-1:], MARKERS[1], color="C1", label="at the maximum")
        draw_published_line(axes, data.published_of(column), ("A", "B", "C")[panel_number] + ": published")
        axes.set_title(f"{'ABC'[panel_number]}  {title}")
        set_ticks(axes.xaxis, [0, 1, 3, 10, max(steps), end], ["0", "1", "3", "10", f"{max(steps):g}", "end"])
        axes.margins(y=0.12)
    panel[1].set_xlabel("steps of Minka's fixed point (log scale from 1)")
    figure.note(f"Each full mark is the median over {len(groups)} newsgroups.")
    add_legend(figure)
    return figure


def gamma_ratio(data: FigureData) -> Sheet:
    """Draw the error of the Gamma ratio's approximation against the count: by alpha, and as met in the documents.
    Options: published (``mean`` -> id of the printed mean error, percent).
    """
    growth = data.results.measure_table("gamma_ratio", "growth")
    figure, (axes,) = panels(1, height=3.2)
    for series, alpha in enumerate(dict.fromkeys(row["alpha"] for row in growth)):
        x, error = read_columns([row for row in growth if row["alpha"] == alpha], "count", "error")
        style: dict[str, Any] = {
            "color": f"C{series}",
            "linestyle": DASHES[series],
            "marker": MARKERS[series],
            "markersize": 4,
        }
        axes.plot(x, [100 * e for e in error], label=f"α = {float(alpha):g}", **style)
    x, error = read_columns(data.results.measure_table("gamma_ratio", "by_count"), "count", "mean_error")
    axes.plot(x, [100 * e for e in error], "x", color=INK, markersize=7, label="mean in 20 Newsgroups")
    mean = 100 * float(data.results.measure("gamma_ratio")["mean_relative_error"].value)
    axes.axhline(mean, color=INK, linewidth=1.1, label=f"mean over all counts, {mean:.1f}")
    draw_published_line(axes, data.published_of("mean"))
    # The ratio is exact at x = 1, where most counts stand: 0 needs a place on the axis.
    axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
    set_ticks(axes.yaxis, [0, 0.1, 1, 10, 100])
    axes.set_ylim(-0.04, 130)
    set_log_scale(axes.xaxis, 1, 50)
    set_ticks(axes.xaxis, sorted({float(row["count"]) for row in growth}))
    axes.set_xlabel("count x of a word (log scale)")
    axes.set_ylabel("relative error (percent, symlog scale)")
    add_legend(figure)
    return figure


def burstiness(data: FigureData) -> Sheet:
    """Draw how often words occur exactly m times in a document, in the text and as each model expects it."""
    rows = data.results.measure_table("burstiness", "occurrences")
    bands = list(dict.fromkeys(row["band"] for row in rows))
    figure, panel = panels(len(bands), height=2.7, sharex=True, sharey=True)
    for axes, band in zip(panel, bands, strict=True):
        chosen = [row for row in rows if row["band"] == band and float(row["seen"]) > 0]
        m, seen = read_columns(chosen, "m", "seen")
        axes.plot(m, seen, "x", color=INK, markersize=6, label="in the documents")
        for series, (model, label) in enumerate(MODELS.items()):
            (expected,) = read_columns(chosen, model)
            axes.plot(m, expected, color=method_colour(model), linestyle=DASHES[series], label=f"expected by {label}")
        axes.set_title(f"{band} words")
        set_ticks(axes.xaxis, m[1::2])
        axes.set_xlabel("occurrences m")
    for model, label in MODELS.items():
        ratios = "; ".join(_seen_over_expected(rows, band, model) for band in bands)
        figure.note(f"Seen over expected by the {label}: {ratios}.")
    set_log_scale(panel[0].yaxis, 1e-8, 1)
    panel[0].set_ylim(1e-8, 1)
    panel[0].set_ylabel("share of pairs (log scale)")
    add_legend(figure, panel[0])
    return figure


def _seen_over_expected(rows: Sequence[Mapping[str, str]], band: str, model: str) -> str:
    """Return the ratio of the seen to the expected share at the largest m that occurs in a band of words, as text."""
    last = [row for row in rows if row["band"] == band and float(row["seen"]) > 0][-1]
    return f"{format_brief(float(last['seen']) / float(last[model]))} ({band} words, m = {last['m']})"


def normaliser(data: FigureData) -> Sheet:
    """Draw the sum of the EDCM's q(x) over all documents of a length, against the length; a mark a class."""
    groups: dict[float, list[float]] = {}
    for row in data.results.measure_table("normalisation", "totals"):
        groups.setdefault(float(row["length"]), []).append(float(row["total"]))
    figure, (axes,) = panels(1)
    for number, (length, totals) in enumerate(groups.items()):
        label = None if number else f"EDCM of one newsgroup (n = {len(totals)})"
        axes.plot(
            [length] * len(totals), totals, "o", color=method_colour("edcm"), alpha=0.45, markersize=3.2, label=label
        )
        axes.plot([length], [statistics.median(totals)], "_", color=INK, markersize=15, markeredgewidth=1.8,
                  label=None if number else "median")  # fmt: skip
    axes.axhline(1, color=GREY, linewidth=1, label="sum of a distribution")
    figure.note(f"The sum is exact at the {len(groups)} lengths marked; nothing was computed between them.")
    medians = [statistics.median(totals) for totals in groups.values()]
    last = format_number(max(groups))
    figure.note(
        f"Its median is {medians[0]:.3f} at {format_number(min(groups))} word and {medians[-1]:.3f} at {last} words."
    )
    set_log_scale(axes.xaxis, min(groups), max(groups))
    set_ticks(axes.xaxis, list(groups))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("words in the document, n (log scale)")
    axes.set_ylabel("sum of q over all documents")
    add_legend(figure)
    return figure


def fisher_tfidf(data: FigureData) -> Sheet:
    """Draw the weight of a word by document frequency and by count, Fisher-DCM score beside TF-IDF."""
    rows = data.results.measure_table("fisher_tfidf", "weights")
    figure, (by_frequency, by_count) = panels(2, height=3.0)
    frequency, fisher, tfidf = read_columns(
        [row for row in rows if row["count"] == "1"], "frequency", "fisher", "tfidf"
    )
    _relative(by_frequency, frequency, tfidf, 0, "TF-IDF")
    _relative(by_frequency, frequency, fisher, 1, "Fisher-DCM, x = 1")
    shown = [f"{df:g}" for df in frequency if df in FREQUENCIES]
    grown = []
    for series, chosen in enumerate(shown):
        count, values, plain = read_columns(
            [row for row in rows if row["frequency"] == chosen], "count", "fisher", "tfidf"
        )
        _relative(by_count, count, values, 2 + series, f"Fisher-DCM, df = {int(chosen):,}")
        grown.append(f"{_growth(values)}-fold (df = {int(chosen):,})")
    _relative(by_count, count, plain, 0, "TF-IDF")
    set_log_scale(by_frequency.xaxis, 1, max(frequency))
    set_log_scale(by_frequency.yaxis, 1e-4, 1)
    set_log_scale(by_count.xaxis, 1, max(count))
    set_log_scale(by_count.yaxis, 1, max(count))
    by_frequency.set_xlabel("documents with the word, df (log scale)")
    by_frequency.set_ylabel("weight relative to df = 1 (log scale)")
    by_count.set_xlabel("count x of the word (log scale)")
    by_count.set_ylabel("weight relative to x = 1 (log scale)")
    figure.note(f"From x = 1 to {count[-1]:g} the Fisher-DCM score grows {', '.join(grown)}.")
    span = f"From df = 1 to {frequency[-1]:,.0f}"
    figure.note(f"{span} the Fisher-DCM score falls {_growth(fisher[::-1])}-fold, TF-IDF {_growth(tfidf[::-1])}-fold.")
    add_legend(figure, by_frequency, by_count)
    return figure


def _relative(axes: Axes, x: list[float], values: list[float], series: int, label: str) -> None:
    """Draw values divided by the first of them: the series 0 is TF-IDF, each other is a score of the Fisher kernel."""
    colour = method_colour("fisher_dcm" if series else "tfidf")
    style: dict[str, Any] = {"color": colour, "marker": MARKERS[series], "linestyle": DASHES[series]}
    axes.plot(x, [value / values[0] for value in values], markersize=4, label=label, **style)


def _growth(values: list[float]) -> str:
    """Return the last value over the first as text."""
    return f"{values[-1] / values[0]:,.4g}" if values[-1] >= 1000 * values[0] else f"{values[-1] / values[0]:.3g}"


def perplexity(data: FigureData) -> Sheet:
    """Draw the perplexity of every class under the models, and that of mixtures of multinomials.
    Options: published (``multinomial``, ``dcm`` -> id of the printed mean).
    """
    figure, (classes, mixtures) = panels(2, height=3.2, sharey=True)
    rows = data.results.measure_table("perplexity", "classes")
    for series, (model, of_classes) in enumerate(zip(MODELS, read_columns(rows, *MODELS), strict=True)):
        style: dict[str, Any] = {"color": method_colour(model), "marker": MARKERS[series], "linestyle": "none"}
        classes.plot([series - 0.12] * len(rows), of_classes, alpha=0.45, markersize=3.2, markeredgewidth=0, **style)
        label = f"mean ± standard deviation of {len(rows)} newsgroups"
        classes.errorbar([series + 0.06], [statistics.fmean(of_classes)], yerr=[sample_sd(of_classes)], markersize=5,
                      label=None if series else label, **style)  # fmt: skip
        draw_published_point(classes, series + 0.28, 0, data.published_of(model), across=False)
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
    add_legend(figure, classes, mixtures)
    return figure


def _mixtures(axes: Axes, data: FigureData) -> None:
    """Draw the perplexity of mixtures against the number of their components, with that of one DCM."""
    curve = data.results.measure_table("mixtures", "curve")
    for series, smoothing in enumerate(dict.fromkeys(row["smoothing"] for row in curve)):
        x, y = read_columns([row for row in curve if row["smoothing"] == smoothing], "components", "perplexity")
        style: dict[str, Any] = {"color": f"C{series + 3}", "linestyle": DASHES[series], "marker": MARKERS[series + 3]}
        axes.plot(x, y, markersize=4, label=f"mixture, {float(smoothing):g} added to each count", **style)
    set_log_scale(axes.xaxis, min(x), max(x))
    set_ticks(axes.xaxis, x)
    dcm = float(data.results.measure("mixtures")["dcm"].value)
    axes.axhline(dcm, color=method_colour("dcm"), linewidth=1.2, label="one DCM, the same split")
    best = min(float(row["perplexity"]) for row in curve)
    annotate_point(axes, f"{dcm:,.0f}", (max(x), dcm), up=4)
    figure = get_sheet(axes)
    side = "above" if best > dcm else "below"
    figure.note(f"The least perplexity of a mixture, {best:,.0f}, is {side} that of one DCM, {dcm:,.0f}.")
    figure.note("The right panel shows one split and has no bars.")
    axes.set_title("mixtures of multinomials")
    axes.set_xlabel("multinomials a newsgroup (log scale)")


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "accuracy": accuracy,
    "training_seconds": training_seconds,
    "smoothing_sensitivity": smoothing_sensitivity,
    "training_time_methods": training_time_methods,
    "table1": study_figures.table1,
    "knn_curves": study_figures.knn_curves,
    "knn_choices": study_figures.knn_choices,
    "log_probabilities": log_probabilities,
    "parameters": parameters,
    "stopping": stopping,
    "gamma_ratio": gamma_ratio,
    "burstiness": burstiness,
    "normaliser": normaliser,
    "fisher_tfidf": fisher_tfidf,
    "perplexity": perplexity,
    "dcm_methods": study_figures.dcm_methods,
    "deviation_readings": study_figures.deviation_readings,
    "perplexity_readings": study_figures.perplexity_readings,
    "tfidf_forms": study_figures.tfidf_forms,
    "one_newsgroup": study_figures.one_newsgroup,
    "latent_topics": study_figures.latent_topics,
    "newsgroup_topics": study_figures.newsgroup_topics,
}
