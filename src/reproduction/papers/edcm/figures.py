"""Figures of Kauchak, Madsen & Elkan, by name; here accuracy, training time and smoothing of the three models."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence

from matplotlib.ticker import MaxNLocator

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from reproduction.papers.edcm import model_figures, neighbor_figures, study_figures, topic_figures, weight_figures
from textmix.pages.marks import (
    counted,
    explain_trials,
    legend,
    log_axis,
    marked,
    published_point,
    readable,
    row_names,
    spread_of,
    trials_row,
    with_bars,
    write_at,
    write_beside,
)
from textmix.pages.style import GREY, PALE, Sheet, panels

LABELS = {"multinomial": "multinomial", "dcm": "DCM", "edcm": "EDCM"}


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
        trials_row(axes, height, values, colour_of(method), "split")
        write_at(axes, f"{statistics.fmean(values):.3f}", (statistics.fmean(values), height - 0.13), up=6)
        published_point(axes, 0, height - 0.3, data.published_of(method))
    explain_trials(axes, "split", map(len, trials))
    axes.plot([], [], color=PALE, linewidth=1, label="the same split")
    row_names(axes, [_label(method) for method in methods])
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlabel("accuracy (fraction of test documents)")
    legend(figure)
    return figure


def training_seconds(data: FigureData) -> Sheet:
    """Draw the seconds one training takes, on a logarithmic axis, with the published seconds beside.

    Options: experiment, role, methods, published (method -> id of the published seconds).
    """
    methods = data.option("methods")
    times = {method: data.seconds(data.option("role"), method) for method in methods}
    return _times(data, times, [_label(method) for method in methods], "split")


def training_time_methods(data: FigureData) -> Sheet:
    """Draw the seconds that training takes, measured in one run: a row a model, and a row a method of the DCM.

    Options: labels (model of the table, or name of a row for published seconds alone -> name), published (model or row
    -> id of the published seconds).
    Reads ``training_time/seconds.csv``: model, repeat, seconds.
    """
    rows = data.results.measure_table("training_time", "seconds")
    labels = data.option("labels")
    times = {model: [float(row["seconds"]) for row in rows if row["model"] == model] for model in labels}
    return _times(data, times, list(labels.values()), "run")


def _times(data: FigureData, times: Mapping[str, Sequence[float]], names: Sequence[str], noun: str) -> Sheet:
    """Draw a row of seconds for each method: single trainings, and their median with its value at the right."""
    figure, (axes,) = panels(1, height=0.9 + 0.27 * len(times))
    printed = [data.published_of(name) for name in times]
    shown = [value for values in times.values() for value in values] + [number.value for number in printed if number]
    log_axis(axes.xaxis, min(shown), max(shown))
    for height, ((method, values), published) in enumerate(zip(times.items(), printed, strict=True)):
        published_point(axes, 0, height, published)
        if published:
            write_at(axes, f"{published.value:,g} s", (published.value, height), right=-6, up=0)
        if not values:
            continue
        median = statistics.median(values)
        axes.plot(values, [height] * len(values), "|", color=colour_of(method), alpha=0.6, markersize=9)
        axes.plot([median], [height], "o", color=colour_of(method), markersize=5.5, zorder=4)
        write_beside(axes, f"{readable(float(f'{median:.2g}'))} s", height)
    axes.plot([], [], "o", color=GREY, markersize=5.5, label="rebuilt: median")
    measured = counted(f"one {noun}", (len(values) for values in times.values() if values))
    axes.plot([], [], "|", color=GREY, alpha=0.6, markersize=9, label=measured)
    row_names(axes, names)
    axes.margins(x=0.05)
    axes.set_xlabel("seconds for training on one split (log scale)")
    legend(figure)
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
        label = counted(_label(method), map(len, points.values()))
        bars = [spread_of(values) for values in points.values()]
        with_bars(axes, [x * aside for x in points], means, bars, series, label=label, color=colour_of(method))
        log_axis(axes.xaxis, min(points), max(points))
        marked(axes.xaxis, list(points))
    figure.note("A bar reaches one standard deviation over the n splits to each side of the mean.")
    axes.set_xlabel("smoothing constant (log scale)")
    axes.set_ylabel("accuracy (fraction)")
    legend(figure)
    return figure


def _label(method: str) -> str:
    """Return the name of a method as the paper writes it."""
    return LABELS.get(method, method)


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "accuracy": accuracy,
    "training_seconds": training_seconds,
    "smoothing_sensitivity": smoothing_sensitivity,
    "training_time_methods": training_time_methods,
    "table1": neighbor_figures.table1,
    "knn_curves": neighbor_figures.knn_curves,
    "knn_choices": neighbor_figures.knn_choices,
    "log_probabilities": model_figures.log_probabilities,
    "parameters": model_figures.parameters,
    "stopping": model_figures.stopping,
    "gamma_ratio": model_figures.gamma_ratio,
    "burstiness": model_figures.burstiness,
    "normaliser": model_figures.normaliser,
    "fisher_tfidf": weight_figures.fisher_tfidf,
    "perplexity": weight_figures.perplexity,
    "dcm_methods": study_figures.dcm_methods,
    "deviation_readings": study_figures.deviation_readings,
    "perplexity_readings": study_figures.perplexity_readings,
    "tfidf_forms": study_figures.tfidf_forms,
    "one_newsgroup": study_figures.one_newsgroup,
    "latent_topics": topic_figures.latent_topics,
    "newsgroup_topics": topic_figures.newsgroup_topics,
}
