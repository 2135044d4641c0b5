"""Figures of Kauchak, Madsen & Elkan: the three models. Figures of the other studies are in ``study_figures``."""

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
    draw_labelled_line,
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
#: Model that provides the parameters of each variant of q, and the symbol of the parameters.
KINDS = {"same": ("dcm", "the DCM's α"), "own": ("edcm", "the EDCM's own β")}
#: One in this many documents is drawn, because a drawing of all documents would have several megabytes.
DOCUMENT_STEP = 10
#: Smaller deviations (percent) are drawn at this value.
MIN_DEVIATION = 1e-3
#: Titles of the panels of `stopping`, by column of the table.
SIZES = {
    "mean_alpha": "mean α of a word",
    "above_0.5": "words with α > 0.5",
    "correlation_alpha_beta": "correlation of α, β",
}
#: Document frequencies in the right panel of `fisher_tfidf`, if the table has them.
FREQUENCIES = (10.0, 100.0, 1000.0)
Rows = Sequence[Mapping[str, str]]


def accuracy(data: FigureData) -> Sheet:
    """Draw the accuracy of each model on every split. Pale lines join the models' accuracies on the same split.

    Options: ``experiment``, ``role``, ``methods`` (in order), ``variants`` (method to variant, if it has several),
    ``published`` (method to id of a published value).
    """
    methods = data.option("methods")
    figure, (axes,) = panels(1, height=2.4)
    trials = [data.trials(data.option("role"), method, "accuracy") for method in methods]
    for split in zip(*trials, strict=True):
        heights = [height + 0.13 for height in range(len(methods))]
        axes.plot(split, heights, color=PALE, linewidth=0.6, zorder=1)
    for height, (method, values) in enumerate(zip(methods, trials, strict=True)):
        draw_trials(axes, height, values, method_colour(method), "split")
        annotate_row(axes, f"{statistics.fmean(values):.3f}", height - 0.13)
        draw_published_point(axes, 0, height - 0.34, data.published_of(method))
    add_trials_legend(axes, "split", map(len, trials))
    axes.plot([], [], color=PALE, linewidth=1, label="the same split")
    label_rows(axes, [MODELS.get(method, method) for method in methods])
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlabel("accuracy (fraction of test documents)")
    low, high = axes.get_xlim()
    figure.note(f"The axis covers {high - low:.3f} only. Means are to the right of the rows.")
    add_legend(figure)
    return figure


def training_seconds(data: FigureData) -> Sheet:
    """Draw the training times of each method in the experiment next to the published ones.

    Options: ``experiment``, ``role``, ``methods``, ``published`` (method to id of the published seconds).
    """
    methods = data.option("methods")
    times = {method: data.seconds(data.option("role"), method) for method in methods}
    return _draw_training_times(data, times, [MODELS.get(method, method) for method in methods], "split")


def training_time_methods(data: FigureData) -> Sheet:
    """Draw the training times measured in turns: one row per model, and one per method of the DCM.

    Options: ``labels`` (model of the table, or name of a row with published seconds only, to its label), ``published``
    (model or row to id of the published seconds).
    """
    rows = data.results.measure_table("training_time", "seconds")
    labels = data.option("labels")
    times = {model: [float(row["seconds"]) for row in rows if row["model"] == model] for model in labels}
    return _draw_training_times(data, times, list(labels.values()), "run")


def _draw_training_times(
    data: FigureData, times: Mapping[str, Sequence[float]], names: Sequence[str], noun: str
) -> Sheet:
    """Draw one row of training times per method, with their median to the right, on a logarithmic axis."""
    figure, (axes,) = panels(1, height=0.9 + 0.27 * len(times))
    published = {method: data.published_of(method) for method in times}
    seconds = [value for values in times.values() for value in values]
    seconds += [value.value for value in published.values() if value]
    set_log_scale(axes.xaxis, min(seconds), max(seconds))
    for height, (method, values) in enumerate(times.items()):
        value = published[method]
        draw_published_point(axes, 0, height, value)
        if value:
            annotate_point(axes, f"{value.value:,g} s", (value.value, height), right=-6, up=0)
        if values:
            median = statistics.median(values)
            colour = method_colour(method)
            axes.plot(values, [height] * len(values), "|", color=colour, alpha=0.6, markersize=9)
            axes.plot([median], [height], "o", color=colour, markersize=5.5, zorder=4)
            annotate_row(axes, f"{format_brief(median)} s", height)
    axes.plot([], [], "o", color=GREY, markersize=5.5, label="reproduced: median")
    sizes = [len(values) for values in times.values() if values]
    label = with_sample_size(f"one {noun}", sizes)
    axes.plot([], [], "|", color=GREY, alpha=0.6, markersize=9, label=label)
    label_rows(axes, names)
    axes.margins(x=0.05)
    axes.set_xlabel("seconds for training on one split (log scale)")
    add_legend(figure)
    return figure


def smoothing_sensitivity(data: FigureData) -> Sheet:
    """Draw the mean accuracy against the smoothing constant, one line per model, with standard deviations over splits.

    Options: ``experiment`` (with a parameter grid), ``role``, ``methods``, ``parameter`` (its name in the grid).
    """
    figure, (axes,) = panels(1)
    methods = data.option("methods")
    for series, method in enumerate(methods):
        points = data.grid(data.option("role"), method, "accuracy", data.option("parameter"))
        # Bars of different models are next to each other. The second of three models is at the constant itself.
        factor = 1.12 ** (series - (len(methods) - 1) / 2)
        x = [constant * factor for constant in points]
        means = [statistics.fmean(values) for values in points.values()]
        deviations = [sample_sd(values) for values in points.values()]
        label = with_sample_size(MODELS.get(method, method), map(len, points.values()))
        draw_with_bars(axes, x, means, deviations, series, label=label, color=method_colour(method))
        set_log_scale(axes.xaxis, min(points), max(points))
        set_ticks(axes.xaxis, list(points))
    figure.note("Bars show one standard deviation over the n splits.")
    axes.set_xlabel("smoothing constant (log scale)")
    axes.set_ylabel("accuracy (fraction)")
    add_legend(figure)
    return figure


def _draw_diagonal(axes: Axes, low: float, high: float) -> None:
    """Draw the line of equal coordinates."""
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=1, label="both equal")


def log_probabilities(data: FigureData) -> Sheet:
    """Draw log q against log p of one in `DOCUMENT_STEP` documents, above the deviation of log q; one column per q.

    Options: ``published`` (``same``, ``own`` to id of the published mean deviation, percent).
    """
    documents = data.results.measure_table("approximation", "documents")
    drawn = documents[::DOCUMENT_STEP]
    length, log_p = read_columns(drawn, "length", "log_p")
    minus_log_p = [-value for value in log_p]
    figure, panel = grid_of_panels(4, 2, 2.4, sharex="row", sharey="row")
    for series, (kind, (model, name)) in enumerate(KINDS.items()):
        scatter, deviations = panel[series], panel[2 + series]
        (log_q,) = read_columns(drawn, f"log_q_{kind}")
        style: dict[str, Any] = {"color": method_colour(model), "linestyle": "none", "marker": MARKERS[series]}
        points: dict[str, Any] = {**style, "markersize": 2.6, "alpha": 0.4, "markeredgewidth": 0}
        percent = [100 * abs(q - p) / abs(p) for p, q in zip(log_p, log_q, strict=True)]
        scatter.plot(minus_log_p, [-value for value in log_q], **points)
        deviations.plot(length, [max(value, MIN_DEVIATION) for value in percent], **points)
        scatter.plot([], [], label=f"q by {name}", markersize=5, markeredgewidth=0, **style)
        _draw_mean_deviation(deviations, data, kind, documents)
        _draw_diagonal(scatter, min(minus_log_p), max(minus_log_p))
        set_log_scale(scatter.xaxis, min(minus_log_p), max(minus_log_p))
        set_log_scale(deviations.xaxis, min(length), max(length))
        scatter.set_xlabel("−log p, DCM (log scale)")
        deviations.set_xlabel("words in document (log scale)")
    set_log_scale(panel[0].yaxis, min(minus_log_p), max(minus_log_p))
    set_log_scale(panel[2].yaxis, MIN_DEVIATION, 100)
    panel[2].set_ylim(bottom=MIN_DEVIATION)
    panel[0].set_ylabel("−log q, EDCM (log scale)")
    panel[2].set_ylabel("deviation (percent, log scale)")
    figure.note(
        f"Markers show every {DOCUMENT_STEP}th of the {len(documents):,} documents; means are over all documents."
    )
    figure.note(f"Deviations below {MIN_DEVIATION:g} % are drawn at the lower end of the axis.")
    add_legend(figure)
    return figure


def _draw_mean_deviation(axes: Axes, data: FigureData, kind: str, rows: Rows) -> None:
    """Draw the mean deviation over all documents as a line, and the published mean as a dashed line of its colour."""
    log_p, log_q = read_columns(rows, "log_p", f"log_q_{kind}")
    mean = 100 * statistics.fmean(abs(q - p) / abs(p) for p, q in zip(log_p, log_q, strict=True))
    sign = {"same": "α", "own": "β"}[kind]
    colour = method_colour(KINDS[kind][0])
    axes.axhline(mean, color=colour, linewidth=1.4, label=f"mean by {sign}, {mean:.2g} %")
    published = data.published_of(kind)
    if published is not None:
        label = f"published mean by {sign}, {published.value:g} %"
        axes.axhline(published.value, color=colour, linestyle=DASHES[1], linewidth=1.4, label=label)


def parameters(data: FigureData) -> Sheet:
    """Draw the parameters of both models against each other: s of every class, and words.

    Options: ``published`` (``correlation`` to id of the published correlation).
    """
    figure, (sums, words) = panels(2, height=3.0)
    s_dcm, s_edcm = read_columns(data.results.measure_table("dcm_parameters", "concentrations"), "s_dcm", "s_edcm")
    sums.plot(s_dcm, s_edcm, MARKERS[0], color="C0", label=f"one newsgroup (n = {len(s_dcm)})")
    _draw_diagonal(sums, 0, max(s_dcm))
    sums.set_xlabel("sum s of the DCM's α")
    sums.set_ylabel("sum s of the EDCM's β")
    alpha, beta = read_columns(data.results.measure_table("approximation", "parameters"), "alpha", "beta")
    label = f"one word in one newsgroup (n = {len(alpha)})"
    words.plot([], [], MARKERS[1], color="C1", markersize=5, label=label)
    words.plot(alpha, beta, MARKERS[1], color="C1", alpha=0.4, markersize=2.6, markeredgewidth=0)
    low, high = min(*alpha, *beta), max(*alpha, *beta)
    _draw_diagonal(words, low, high)
    set_log_scale(words.xaxis, low, high)
    set_log_scale(words.yaxis, low, high)
    words.set_xlabel("α of the DCM (log scale)")
    words.set_ylabel("β of the EDCM (log scale)")
    published = data.published_of("correlation")
    reproduced = data.results.measure("approximation")["correlation_alpha_beta"]
    text = f"correlation {float(reproduced.value):.4f}"
    if published:
        text += f"\npublished {published.value:g}"
    words.annotate(text, (0.04, 0.97), xycoords="axes fraction", va="top", fontsize=SMALL)
    add_legend(figure, sums, words)
    return figure


def stopping(data: FigureData) -> Sheet:
    """Draw the statistics of the DCM's parameters in sections 3 and 4 against the number of training steps.

    Options: ``published`` (column of the table to id).
    """
    rows = data.results.measure_table("dcm_parameters", "steps")
    groups = data.results.measure_table("dcm_parameters", "groups")
    steps = [float(row["steps"]) for row in rows if row["steps"] != "converged"]
    x_converged = 4 * max(steps)
    figure, panel = panels(3, height=2.6)
    for axes, (column, title) in zip(panel, SIZES.items(), strict=True):
        (values,) = read_columns(rows, column)
        axes.set_xscale("symlog", linthresh=1.0, linscale=0.5)
        axes.plot(steps, values[: len(steps)], color="C0", marker=MARKERS[0], markersize=4, label="after the steps")
        of_groups = [float(row[column]) for row in groups]
        label = f"at the maximum: one newsgroup (n = {len(groups)})"
        x = [x_converged] * len(of_groups)
        axes.plot(x, of_groups, MARKERS[1], color="C1", alpha=0.3, markeredgewidth=0, label=label)
        axes.plot([x_converged], values[-1:], MARKERS[1], color="C1", label="at the maximum")
        draw_labelled_line(axes, data.published_of(column))
        axes.set_title(title)
        set_ticks(axes.xaxis, [0, 1, 3, 10, max(steps), x_converged], ["0", "1", "3", "10", f"{max(steps):g}", "end"])
        axes.margins(y=0.12)
    panel[1].set_xlabel("steps of Minka's fixed point (0, then log scale)")
    figure.note(f"Full markers show the median over {len(groups)} newsgroups.")
    add_legend(figure)
    return figure


def gamma_ratio(data: FigureData) -> Sheet:
    """Draw the error of the approximated Gamma ratio against the count: by alpha, and as it occurs in the documents.

    Options: ``published`` (``mean`` to id of the published mean error, percent).
    """
    growth = data.results.measure_table("gamma_ratio", "growth")
    figure, (axes,) = panels(1, height=3.2)
    for series, alpha in enumerate(dict.fromkeys(row["alpha"] for row in growth)):
        rows = [row for row in growth if row["alpha"] == alpha]
        counts, errors = read_columns(rows, "count", "error")
        percent = [100 * error for error in errors]
        axes.plot(
            counts,
            percent,
            color=f"C{series}",
            linestyle=DASHES[series],
            marker=MARKERS[series],
            markersize=4,
            label=f"α = {float(alpha):g}",
        )
    counts, errors = read_columns(data.results.measure_table("gamma_ratio", "by_count"), "count", "mean_error")
    percent = [100 * error for error in errors]
    axes.plot(counts, percent, "x", color=INK, markersize=7, label="mean in 20 Newsgroups")
    mean = 100 * float(data.results.measure("gamma_ratio")["mean_relative_error"].value)
    axes.axhline(mean, color=INK, linewidth=1.1, label=f"mean over all counts, {mean:.1f}")
    draw_published_line(axes, data.published_of("mean"))
    # Most counts are 1, for which the ratio is exact, so that the axis must include 0.
    axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
    set_ticks(axes.yaxis, [0, 0.1, 1, 10, 100])
    axes.set_ylim(-0.04, 130)
    set_log_scale(axes.xaxis, 1, 50)
    set_ticks(axes.xaxis, sorted({float(row["count"]) for row in growth}))
    axes.set_xlabel("count x of a word (log scale)")
    axes.set_ylabel("relative error (percent; linear\nbelow 0.1, logarithmic above)")
    add_legend(figure)
    return figure


def burstiness(data: FigureData) -> Sheet:
    """Draw how often words occur exactly m times in a document, in the text and as expected by each model."""
    rows = data.results.measure_table("burstiness", "occurrences")
    bands = list(dict.fromkeys(row["band"] for row in rows))
    figure, panel = panels(len(bands), height=2.7, sharex=True, sharey=True)
    for axes, band in zip(panel, bands, strict=True):
        observed = _observed_rows(rows, band)
        m, proportions = read_columns(observed, "m", "seen")
        axes.plot(m, proportions, "x", color=INK, markersize=6, label="in the documents")
        for series, (model, label) in enumerate(MODELS.items()):
            (expected,) = read_columns(observed, model)
            axes.plot(m, expected, color=method_colour(model), linestyle=DASHES[series], label=f"expected by {label}")
        axes.set_title(f"{band} words")
        set_ticks(axes.xaxis, m[1::2])
        axes.set_xlabel("occurrences m")
    for model, label in MODELS.items():
        ratios = "; ".join(_describe_ratio(rows, band, model) for band in bands)
        figure.note(f"Observed divided by expected proportion, {label}: {ratios}.")
    set_log_scale(panel[0].yaxis, 1e-8, 1)
    panel[0].set_ylim(1e-8, 1)
    panel[0].set_ylabel("proportion of pairs (log scale)")
    add_legend(figure, panel[0])
    return figure


def _observed_rows(rows: Rows, band: str) -> list[Mapping[str, str]]:
    """Return the rows of a band of words for the numbers of occurrences m that are observed."""
    return [row for row in rows if row["band"] == band and float(row["seen"]) > 0]


def _describe_ratio(rows: Rows, band: str, model: str) -> str:
    """Return the ratio of observed to expected proportion at the largest observed m of a band of words, as text."""
    last = _observed_rows(rows, band)[-1]
    ratio = format_brief(float(last["seen"]) / float(last[model]))
    return f"{ratio} ({band} words, m = {last['m']})"


def normaliser(data: FigureData) -> Sheet:
    """Draw the sum of the EDCM's q(x) over all documents of a length against the length, one marker per class."""
    groups: dict[float, list[float]] = {}
    for row in data.results.measure_table("normalisation", "totals"):
        groups.setdefault(float(row["length"]), []).append(float(row["total"]))
    medians = {length: statistics.median(totals) for length, totals in groups.items()}
    figure, (axes,) = panels(1)
    colour = method_colour("edcm")
    for number, (length, totals) in enumerate(groups.items()):
        is_first = number == 0
        label = f"EDCM of one newsgroup (n = {len(totals)})" if is_first else None
        axes.plot([length] * len(totals), totals, "o", color=colour, alpha=0.45, markersize=3.2, label=label)
        label = "median" if is_first else None
        axes.plot([length], [medians[length]], "_", color=INK, markersize=15, markeredgewidth=1.8, label=label)
    axes.axhline(1, color=GREY, linewidth=1, label="sum of a distribution")
    figure.note(f"The sum is exact and was computed at the {len(groups)} marked lengths only.")
    first, last = min(groups), max(groups)
    start = f"{medians[first]:.3f} at {format_number(first)} word"
    end = f"{medians[last]:.3f} at {format_number(last)} words"
    figure.note(f"Its median is {start} and {end}.")
    set_log_scale(axes.xaxis, first, last)
    set_ticks(axes.xaxis, list(groups))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("words in the document, n (log scale)")
    axes.set_ylabel("sum of q over all documents")
    add_legend(figure)
    return figure


def fisher_tfidf(data: FigureData) -> Sheet:
    """Draw the weight of a word against document frequency and count, for the Fisher-DCM score and TF-IDF."""
    rows = data.results.measure_table("fisher_tfidf", "weights")
    figure, (by_frequency, by_count) = panels(2, height=3.0)
    single = [row for row in rows if row["count"] == "1"]
    frequency, fisher, tfidf = read_columns(single, "frequency", "fisher", "tfidf")
    _draw_relative(by_frequency, frequency, tfidf, 0, "TF-IDF")
    _draw_relative(by_frequency, frequency, fisher, 1, "Fisher-DCM, x = 1 (left)")
    growth = []
    available = [f"{df:g}" for df in frequency if df in FREQUENCIES]
    for series, df in enumerate(available, start=2):
        rows_of_df = [row for row in rows if row["frequency"] == df]
        count, values, tfidf_by_count = read_columns(rows_of_df, "count", "fisher", "tfidf")
        _draw_relative(by_count, count, values, series, f"Fisher-DCM, df = {int(df):,} (right)")
        growth.append(f"{_format_growth(values)} (df = {int(df):,})")
    _draw_relative(by_count, count, tfidf_by_count, 0, "TF-IDF")
    set_log_scale(by_frequency.xaxis, 1, max(frequency))
    set_log_scale(by_frequency.yaxis, 1e-4, 1)
    set_log_scale(by_count.xaxis, 1, max(count))
    set_log_scale(by_count.yaxis, 1, max(count))
    by_frequency.set_xlabel("documents with the word, df (log scale)")
    by_frequency.set_ylabel("weight relative to df = 1 (log scale)")
    by_count.set_xlabel("count x of the word (log scale)")
    by_count.set_ylabel("weight relative to x = 1 (log scale)")
    figure.note(f"From x = 1 to {count[-1]:g} the Fisher-DCM score increases by a factor of {', '.join(growth)}.")
    decrease, decrease_tfidf = _format_growth(fisher[::-1]), _format_growth(tfidf[::-1])
    interval = f"From df = 1 to {frequency[-1]:,.0f}"
    figure.note(f"{interval} the Fisher-DCM score decreases by a factor of {decrease}, TF-IDF by {decrease_tfidf}.")
    add_legend(figure, by_frequency, by_count)
    return figure


def _draw_relative(axes: Axes, x: Sequence[float], values: Sequence[float], series: int, label: str) -> None:
    """Draw values relative to the first one. Series 0 is TF-IDF, and the others are scores of the Fisher kernel."""
    relative = [value / values[0] for value in values]
    method = "fisher_dcm" if series else "tfidf"
    axes.plot(
        x,
        relative,
        color=method_colour(method),
        marker=MARKERS[series],
        linestyle=DASHES[series],
        markersize=4,
        label=label,
    )


def _format_growth(values: Sequence[float]) -> str:
    """Format the ratio of the last to the first value."""
    ratio = values[-1] / values[0]
    return f"{ratio:,.4g}" if ratio >= 1000 else f"{ratio:.3g}"


def perplexity(data: FigureData) -> Sheet:
    """Draw the perplexity of each class under each model, and the perplexities of mixtures of multinomials.

    Options: ``published`` (``multinomial``, ``dcm`` to id of the published mean).
    """
    figure, (classes, mixtures) = panels(2, height=3.2, sharey=True)
    rows = data.results.measure_table("perplexity", "classes")
    for series, model in enumerate(MODELS):
        (values,) = read_columns(rows, model)
        style: dict[str, Any] = {"color": method_colour(model), "marker": MARKERS[series], "linestyle": "none"}
        classes.plot([series - 0.12] * len(rows), values, alpha=0.45, markersize=3.2, markeredgewidth=0, **style)
        label = None if series else f"mean ± standard deviation of {len(rows)} newsgroups"
        mean = statistics.fmean(values)
        classes.errorbar([series + 0.06], [mean], yerr=[sample_sd(values)], markersize=5, label=label, **style)
        draw_published_point(classes, series + 0.28, 0, data.published_of(model), across=False)
    classes.set_xticks(range(len(MODELS)), list(MODELS.values()))
    classes.set_xlim(-0.5, len(MODELS) - 0.4)
    classes.set_ylim(bottom=0)
    classes.set_title("one model per newsgroup")
    classes.set_ylabel("perplexity of held-out documents")
    normalised = data.results.measure("perplexity")["edcm_normalised_on_first_split"].value
    figure.note(
        f"If q is normalised for each length, the perplexity of the EDCM on the first split is {normalised:,.0f}."
    )
    _draw_mixtures(mixtures, data)
    add_legend(figure, classes, mixtures)
    return figure


def _draw_mixtures(axes: Axes, data: FigureData) -> None:
    """Draw the perplexities of mixtures against the number of components, and the perplexity of a single DCM."""
    curve = data.results.measure_table("mixtures", "curve")
    for series, smoothing in enumerate(dict.fromkeys(row["smoothing"] for row in curve)):
        rows = [row for row in curve if row["smoothing"] == smoothing]
        n_components, values = read_columns(rows, "components", "perplexity")
        axes.plot(
            n_components,
            values,
            color=f"C{series + 3}",
            linestyle=DASHES[series],
            marker=MARKERS[series + 3],
            markersize=4,
            label=f"mixture, {float(smoothing):g} added to each count",
        )
    set_log_scale(axes.xaxis, min(n_components), max(n_components))
    set_ticks(axes.xaxis, n_components)
    dcm = float(data.results.measure("mixtures")["dcm"].value)
    axes.axhline(dcm, color=method_colour("dcm"), linewidth=1.2, label="one DCM, the same split")
    annotate_point(axes, f"{dcm:,.0f}", (max(n_components), dcm), up=4)
    best = min(float(row["perplexity"]) for row in curve)
    figure = get_sheet(axes)
    relation = "higher" if best > dcm else "lower"
    figure.note(f"The lowest perplexity of a mixture, {best:,.0f}, is {relation} than that of one DCM, {dcm:,.0f}.")
    figure.note("The right panel shows one split, without bars.")
    axes.set_title("mixtures of multinomials")
    axes.set_xlabel("multinomials per newsgroup (log scale)")


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
