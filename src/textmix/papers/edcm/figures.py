"""Figures of Kauchak, Madsen & Elkan, by name; here accuracy, training time and smoothing of the three models."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, PUBLISHED, log_axis_with_zero, panels, write_at
from textmix.papers.edcm import model_figures, neighbour_figures, topic_figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {"multinomial": "Multinomial", "dcm": "DCM", "edcm": "EDCM"}


def accuracy(data: FigureData) -> Figure:
    """Draw the accuracy of each model on every split; a grey line joins the models' accuracies on one split.

    Options: experiment, role, methods (in order); variants (method -> variant, where it has several) and published
    (method -> id of a published number) where there are any.
    """
    figure, (axes,) = panels(1)
    methods = data.option("methods")
    trials = [data.trials(data.option("role"), method, "accuracy") for method in methods]
    for split in zip(*trials, strict=True):
        axes.plot(range(len(methods)), split, color="#c9c9c4", linewidth=0.7, zorder=1)
    for place, (method, values) in enumerate(zip(methods, trials, strict=True)):
        axes.plot([place] * len(values), values, MARKERS[place], color=f"C{place}", alpha=0.75, zorder=2)
        mean = statistics.fmean(values)
        axes.plot([place - 0.16, place + 0.16], [mean, mean], color="#1b1b1b", linewidth=1.8, zorder=3)
        axes.annotate(f"{mean:.3f}", (place + 0.2, mean), va="center", fontsize=9)
        _mark_published(axes, data, method, lambda value, place=place: (place, value))  # type: ignore[misc]
    axes.plot([], [], color="#1b1b1b", linewidth=1.8, label="mean over splits (rebuilt)")
    axes.plot([], [], "o", color="#8a8a86", label="one split (rebuilt)")
    axes.set_xticks(range(len(methods)), [_label(method) for method in methods])
    axes.set_xlim(-0.5, len(methods) - 0.3)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("accuracy (fraction of test documents)")
    _legend_above(figure)
    return figure


def training_seconds(data: FigureData) -> Figure:
    """Draw the seconds one training takes, on a logarithmic axis, with the published seconds beside.

    Options: experiment, role, methods, published (method -> id of the published seconds).
    """
    figure, (axes,) = panels(1, height=2.2)
    methods = data.option("methods")
    for place, method in enumerate(methods):
        seconds = data.seconds(data.option("role"), method)
        median = statistics.median(seconds)
        axes.plot(seconds, [place] * len(seconds), MARKERS[place], color=f"C{place}", alpha=0.35)
        axes.plot([median], [place], MARKERS[place], color=f"C{place}", markersize=7)
        write_at(axes, f"{median:.3g} s", (median, place))
        _mark_published(axes, data, method, lambda value, place=place: (value, place), "{:g} s")  # type: ignore[misc]
    axes.plot([], [], "o", color="#8a8a86", markersize=7, label="rebuilt: median and single splits")
    axes.set_xscale("log")
    axes.set_yticks(range(len(methods)), [_label(method) for method in methods])
    axes.set_ylim(len(methods) - 0.5, -0.6)
    axes.margins(x=0.08)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("seconds for training on one split (logarithmic)")
    _legend_above(figure)
    return figure


def training_time_methods(data: FigureData) -> Figure:
    """Draw the seconds that training takes, measured in one run: a row a model, and a row a method of the DCM.

    Options: labels (model of the table -> name), published (model -> id of the published seconds).
    Reads ``training_time/seconds.csv``: model, repeat, seconds.
    """
    rows = data.results.measure_table("training_time", "seconds")
    labels = data.option("labels")
    figure, (axes,) = panels(1, height=2.8)
    for place, model in enumerate(labels):
        seconds = [float(row["seconds"]) for row in rows if row["model"] == model]
        median = statistics.median(seconds)
        axes.plot(seconds, [place] * len(seconds), "o", color="C0", alpha=0.35)
        axes.plot([median], [place], "o", color="C0", markersize=7)
        write_at(axes, f"{median:.3g} s", (median, place))
        _mark_published(axes, data, model, lambda value, place=place: (value, place), "{:g} s")  # type: ignore[misc]
    axes.plot([], [], "o", color="#8a8a86", markersize=7, label="rebuilt: median and single runs")
    axes.set_xscale("log")
    axes.set_yticks(range(len(labels)), list(labels.values()))
    axes.set_ylim(len(labels) - 0.5, -0.7)
    axes.margins(x=0.08)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("seconds for training on one split (logarithmic)")
    _legend_above(figure)
    return figure


def smoothing_sensitivity(data: FigureData) -> Figure:
    """Draw the mean accuracy against the smoothing constant, one line a model, with the range over splits.

    Options: experiment (whose methods have a grid), role, methods, parameter (its name in the grid).
    """
    figure, (axes,) = panels(1)
    for place, method in enumerate(data.option("methods")):
        points = data.grid(data.option("role"), method, "accuracy", data.option("parameter"))
        low, high = ([end(values) for values in points.values()] for end in (min, max))
        axes.fill_between(list(points), low, high, color=f"C{place}", alpha=0.15, linewidth=0)
        means = [statistics.fmean(values) for values in points.values()]
        axes.plot(
            list(points), means, color=f"C{place}", marker=MARKERS[place], linestyle=DASHES[place], label=_label(method)
        )
        log_axis_with_zero(axes, list(points))
    axes.set_xlabel("smoothing constant (logarithmic)")
    axes.set_ylabel("accuracy (fraction of test documents)")
    _legend_above(figure)
    return figure


def _label(method: str) -> str:
    """Return the name of a method as the paper writes it."""
    return LABELS.get(method, method)


def _mark_published(
    axes: Axes, data: FigureData, method: str, place: Callable[[float], tuple[float, float]], text: str = "{:g}"
) -> None:
    """Draw the published number of a method and write it, where one is printed; ``place`` turns it into a point."""
    value = data.published_of(method)
    if value is None:
        return
    label = None if "published" in axes.get_legend_handles_labels()[1] else "published"
    axes.plot(*([coordinate] for coordinate in place(value)), label=label, markersize=7, zorder=4, **PUBLISHED)
    write_at(axes, text.format(value), place(value))


def _legend_above(figure: Figure) -> None:
    """Place the legend above the panel, where it hides no point."""
    figure.legend(loc="outside upper left", ncols=3)


FIGURES: dict[str, Callable[[FigureData], Figure]] = {
    "accuracy": accuracy,
    "training_seconds": training_seconds,
    "smoothing_sensitivity": smoothing_sensitivity,
    "training_time_methods": training_time_methods,
    "table1": neighbour_figures.table1,
    "knn_curves": neighbour_figures.knn_curves,
    "knn_choices": neighbour_figures.knn_choices,
    "log_probabilities": model_figures.log_probabilities,
    "parameters": model_figures.parameters,
    "stopping": model_figures.stopping,
    "gamma_ratio": model_figures.gamma_ratio,
    "burstiness": model_figures.burstiness,
    "normaliser": model_figures.normaliser,
    "fisher_tfidf": model_figures.fisher_tfidf,
    "perplexity": model_figures.perplexity,
    "latent_topics": topic_figures.latent_topics,
    "newsgroup_topics": topic_figures.newsgroup_topics,
}
