"""Figures of Madsen's thesis, for the methods that are in no other paper."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reproduction.figures.drawing import FigureData, read_available
from reproduction.figures.figure_elements import (
    add_legend,
    add_trials_legend,
    draw_trials,
    draw_with_bars,
    format_brief,
    label_rows,
    sample_sd,
    set_log_scale,
    set_ticks,
    title_with_splits,
)
from reproduction.figures.style import DASHES, GREY, MARKERS, PAPER, Sheet, grid_of_panels, method_colour, panels
from textmix.metrics.significance import LEVEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def tables_of(data: FigureData, measures: Sequence[str], name: str) -> dict[str, list[Mapping[str, str]]]:
    """Read the rows of a table by role, from the measures that have results."""

    def read_table(measure: str) -> Sequence[Mapping[str, str]]:
        """Read the table of a measure."""
        return data.results.measure_table(measure, name)

    tables: dict[str, list[Mapping[str, str]]] = {}
    for rows in read_available(measures, read_table).values():
        for row in rows:
            tables.setdefault(row["role"], []).append(row)
    return tables


def draw_difference(axes: Axes, height: int, value: float, low: float, high: float) -> None:
    """Draw a difference in a row with its confidence interval, in grey if the interval contains 0."""
    is_significant = low > 0 or high < 0
    colour = "C0" if is_significant else GREY
    label = "difference, 95 % interval" if is_significant else "difference, 95 % interval contains 0"
    labels = axes.get_legend_handles_labels()[1]
    bar = [[value - low], [high - value]]
    new_label = None if label in labels else label
    axes.errorbar(value, height, xerr=bar, color=colour, marker=MARKERS[0], linestyle="none", label=new_label)


#: Labels of the methods, in the order of their rows.
NAMES = {
    "multinomial": "multinomial",
    "dirichlet_smoothed": "Dirichlet-smoothed",
    "absolute_discounting": "absolute discounting",
    "dcm": "DCM",
    "edcm": "EDCM",
    "knn": "k-NN",
    "logistic_regression": "logistic regression",
    "linear_svm": "linear SVM",
    "lsi_density": "LSI, densities",
    "lsi_knn": "LSI, k-NN",
    "lsi_logistic_regression": "LSI, logistic regr.",
    "pruned_lsi": "LSI, 10 % of words",
    "hmm": "HMM",
    "hmm_clusters": "HMM, clusters",
    "hmm_shared": "HMM, shared",
    "lda": "LDA, 10 topics",
}


def comparison(data: FigureData) -> Sheet:
    """Draw the accuracy of each method for each number of training documents, one panel per data set.

    Options: ``labels`` (role to title).
    """
    accuracies: dict[str, dict[str, dict[int, list[float]]]] = {}
    for row in data.results.measure_table("comparison", "accuracies"):
        points = accuracies.setdefault(row["role"], {}).setdefault(row["method"], {})
        points.setdefault(int(row["size"]), []).append(float(row["accuracy"]))
    available = {method for methods in accuracies.values() for method in methods}
    names = {method: name for method, name in NAMES.items() if method in available}
    n_columns = 3 if len(accuracies) == 3 else 2
    height_of_panel = 0.7 + 0.17 * len(names)
    figure, panel = grid_of_panels(len(accuracies), n_columns, height_of_panel, sharex=True, sharey=True)
    trials = set()
    for axes, (role, methods) in zip(panel, accuracies.items(), strict=True):
        for height, method in enumerate(names):
            points = methods.get(method, {})
            _draw_accuracies(axes, height, method, points)
            trials |= {len(values) for values in points.values()}
        axes.set_title(data.title_of(role))
        axes.set_xlabel("accuracy (fraction)")
        at_largest_size = {method: statistics.fmean(points[max(points)]) for method, points in methods.items()}
        best = max(at_largest_size, key=at_largest_size.__getitem__)
        result = f"{NAMES[best]} is the most accurate ({at_largest_size[best]:.3f})"
        figure.note(f"{data.title_of(role)}: with the most training documents {result}.")
    label_rows(panel[0], list(names.values()))
    if max(trials) > 1:
        figure.note(f"Bars show one standard deviation over the {max(trials)} splits.")
    else:
        figure.note("Accuracies are those of one split of each data set, without bars.")
    points_of_all = [points for methods in accuracies.values() for points in methods.values()]
    sizes = sorted({size for points in points_of_all for size in points})
    _explain_sizes(panel[0], sizes, "mean of the splits" if max(trials) > 1 else "one split")
    add_legend(figure)
    return figure


def _draw_accuracies(axes: Axes, height: int, method: str, points: Mapping[int, Sequence[float]]) -> None:
    """Draw the mean accuracies of a method in its row, joined by a line; the largest size has a filled marker."""
    sizes = sorted(points)
    means = [statistics.fmean(points[size]) for size in sizes]
    axes.plot(means, [height] * len(sizes), color=method_colour(method), linewidth=0.8, alpha=0.5, zorder=1)
    for number, (size, mean) in enumerate(zip(sizes, means, strict=True)):
        bar = [sample_sd(points[size])] if len(points[size]) > 1 else None
        style = _size_style(method_colour(method), number, len(sizes))
        axes.errorbar([mean], [height], xerr=bar, markersize=4.5, **style)


def _size_style(colour: str, number: int, sizes: int) -> dict[str, Any]:
    """Return the style of a number of training documents. The largest has a filled marker."""
    return {
        "color": colour,
        "marker": MARKERS[number],
        "markerfacecolor": colour if number == sizes - 1 else PAPER,
        "linestyle": "none",
        "elinewidth": 0.9,
    }


def _explain_sizes(axes: Axes, sizes: Sequence[int], of: str) -> None:
    """Add the markers of the numbers of training documents to the legend."""
    for number, size in enumerate(sizes):
        label = f"{size:,} training documents, {of}"
        axes.errorbar([], [], xerr=[], markersize=4.5, label=label, **_size_style(GREY, number, len(sizes)))


def comparison_ranks(data: FigureData) -> Sheet:
    """Draw the mean rank of each method over the data sets for the largest size, and its median time."""
    ranks = {row["method"]: float(row["rank"]) for row in data.results.measure_table("comparison", "ranks")}
    values = data.results.measure("comparison")
    seconds: dict[str, list[float]] = {}
    for row in data.results.measure_table("comparison_time", "seconds"):
        seconds.setdefault(row["method"], []).append(float(row["seconds"]))
    order = sorted(ranks, key=ranks.__getitem__)
    figure, (mean_ranks, times) = panels(2, height=4.2, sharey=True)
    for height, method in enumerate(order):
        style: dict[str, Any] = {"color": method_colour(method), "marker": "o", "linestyle": "none"}
        mean_ranks.plot([ranks[method]], [height], **style)
        times.plot([statistics.median(seconds[method])], [height], **style)
    difference = values["critical_difference"].value
    best = ranks[order[0]]
    if difference < len(ranks):
        label = "critical difference from the best"
        mean_ranks.axvspan(best, best + difference, color=GREY, alpha=0.15, linewidth=0, label=label)
        n_close = sum(rank <= best + difference for rank in ranks.values())
        figure.note(f"{n_close} of the {len(ranks)} methods cannot be distinguished from the best one.")
    label_rows(mean_ranks, [NAMES[method] for method in order])
    mean_ranks.set_xlabel("mean rank (1 is the best)")
    medians = [statistics.median(values_of) for values_of in seconds.values()]
    set_log_scale(times.xaxis, min(medians), max(medians), between=False)
    times.set_xlabel("seconds, median (log scale)")
    n = int(values["datasets"].value)
    p = values["friedman_p"].value
    test = f"{len(ranks)} methods on {n} data sets: Friedman's test, p = {p:.2g}"
    if difference < len(ranks):
        figure.note(f"{test}. Ranks that differ by {difference:.1f} or more are distinguishable (Nemenyi, {LEVEL}).")
    else:
        figure.note(f"{test}. {n} data sets are too few for Nemenyi's test to distinguish any two methods.")
    add_legend(figure, mean_ranks)
    return figure


#: Labels of the scores in the legend.
SCORES = {
    "sensitivity": "sensitivity",
    "information_gain": "information gain",
    "chi_square": "chi-square",
    "document_frequency": "document frequency",
    "random": "random",
}

#: Measures of pruning: for the data sets that are always available, and for one other data set each.
PRUNING = ("pruning", "pruning_webkb", "pruning_lingspam", "pruning_spamassassin")


def pruning(data: FigureData) -> Sheet:
    """Draw the error against the proportion of the vocabulary that is kept, one panel per data set.

    Options: ``labels`` (role to title).
    """
    tables = tables_of(data, PRUNING, "errors")
    figure, panel = grid_of_panels(len(tables), 2, 2.5)
    for axes, (role, rows) in zip(panel, tables.items(), strict=True):
        errors: dict[tuple[str, float], list[float]] = {}
        for row in rows:
            errors.setdefault((row["score"], float(row["share"])), []).append(float(row["error"]))
        whole = errors.pop(("none", 1.0))
        for series, (score, label) in enumerate(SCORES.items()):
            errors_of_score = {share: values for (name, share), values in errors.items() if name == score}
            _draw_errors(axes, series, label, errors_of_score)
        if len(whole) > 1:
            figure.note("Bars show one standard deviation over the splits.")
        axes.axhline(statistics.fmean(whole), color=GREY, linestyle=DASHES[1], label="whole vocabulary, mean")
        axes.set_title(title_with_splits(data.title_of(role), [len(whole)]))
        axes.set_xlabel("words kept (log scale)")
    for axes in panel[::2]:
        axes.set_ylabel("error (fraction of test documents)")
    add_legend(figure, panel[0])
    return figure


def _draw_errors(axes: Axes, series: int, label: str, errors: Mapping[float, Sequence[float]]) -> None:
    """Draw the mean errors of a score. Bars of different scores are next to each other."""
    shares = sorted(errors)
    set_log_scale(axes.xaxis, shares[0], shares[-1])
    set_ticks(axes.xaxis, shares, [f"{100 * share:g} %" for share in shares])
    means = [statistics.fmean(errors[share]) for share in shares]
    deviations = [sample_sd(errors[share]) for share in shares]
    aside = 1.04 ** (series - (len(SCORES) - 1) / 2)
    bars = deviations if any(deviations) else None
    draw_with_bars(axes, [share * aside for share in shares], means, bars, series, label=f"{label}, mean")


def pruning_gains(data: FigureData) -> Sheet:
    """Draw the excess error of every other vocabulary over the one pruned by sensitivity, with intervals.

    Options: ``labels`` (role to title).
    """
    tables = tables_of(data, PRUNING, "gains")
    errors = tables_of(data, PRUNING, "errors")
    names = {"none": "whole vocabulary", **SCORES}
    figure, panel = grid_of_panels(len(tables), 2, 1.7, sharey=True)
    for axes, (role, rows) in zip(panel, tables.items(), strict=True):
        for height, row in enumerate(rows):
            draw_difference(axes, height, float(row["value"]), float(row["low"]), float(row["high"]))
        axes.axvline(0.0, color=GREY, linewidth=0.8)
        splits = sum(row["score"] == "none" for row in errors[role])
        axes.set_title(title_with_splits(data.title_of(role), [splits]))
        axes.set_xlabel("error minus that of\nsensitivity (fraction)")
        label_rows(axes, [names[row["beside"]] for row in rows])
    figure.note("Bars show 95 % intervals over the splits, in grey if they contain 0.")
    add_legend(figure, *panel)
    return figure


def sparse_counts(data: FigureData) -> Sheet:
    """Draw the mean log density of documents under two Dirichlet distributions as smoothing goes to 0."""
    rows = data.results.measure_table("sparse_counts", "densities")
    values = data.results.measure("sparse_counts")
    figure, (axes,) = panels(1, height=3.1)
    names = {"fitted": "Dirichlet, α of the DCM", "raised": "Dirichlet, α + 1"}
    for series, (name, label) in enumerate(names.items()):
        rows_of_name = [row for row in rows if row["alpha"] == name]
        points = sorted((float(row["smoothing"]), float(row["log_density"])) for row in rows_of_name)
        x = [smoothing for smoothing, _ in points]
        y = [log_density for _, log_density in points]
        draw_with_bars(axes, x, y, None, 2 * series, label=label)
    level = values["dcm"].value
    axes.axhline(level, color=method_colour("dcm"), linestyle=DASHES[1], label="DCM, counts without smoothing")
    lowest = min(float(row["smoothing"]) for row in rows)
    set_log_scale(axes.xaxis, lowest, 1.0)
    axes.set_yscale("symlog", linthresh=1e3)
    set_ticks(axes.yaxis, [sign * 10.0**power for sign in (-1, 1) for power in (3, 4, 5)] + [0.0])
    axes.margins(y=0.08)
    axes.set_xlabel("smoothing added to each count (log scale)")
    axes.set_ylabel("mean log density (nats; linear\nwithin ±1,000, logarithmic outside)")
    figure.note(f"{100 * values['zeros'].value:.1f} % of the counts are 0.")
    add_legend(figure, axes)
    return figure


#: Measures of fusion, one data set each.
FUSION = ("fusion", "fusion_newsgroups", "fusion_webkb", "fusion_lingspam", "fusion_spamassassin")
#: Labels of the columns in the legend.
SERIES = {"words": "words alone", "fused": "words with tags"}
#: Labels of the values of the measure, from the top.
FUSION_GAINS = {"gain": "all sizes", "few_gain": "small sizes", "few_above_many": "small − large sizes"}


def fusion(data: FigureData) -> Sheet:
    """Draw the error against the number of training documents per class, one panel per data set.

    Options: ``labels`` (role to title).
    """
    curves = tables_of(data, FUSION, "curves")
    figure, panel = grid_of_panels(len(curves), 2, 2.3)
    for axes, (role, rows) in zip(panel, curves.items(), strict=True):
        sizes = sorted({int(row["size"]) for row in rows})
        errors: dict[tuple[int, str], list[float]] = {}
        for row in rows:
            for name in SERIES:
                errors.setdefault((int(row["size"]), name), []).append(float(row[name]))
        set_log_scale(axes.xaxis, sizes[0], sizes[-1])
        set_ticks(axes.xaxis, sizes)
        for series, (name, label) in enumerate(SERIES.items()):
            means = [statistics.fmean(errors[size, name]) for size in sizes]
            bars = [sample_sd(errors[size, name]) for size in sizes]
            draw_with_bars(axes, sizes, means, bars, series, label=f"{label}: mean ± standard deviation")
        n_splits = len(errors[sizes[0], "words"])
        axes.set_title(title_with_splits(data.title_of(role), [n_splits]))
        axes.set_xlabel("training documents per class (log scale)")
    for axes in panel[::2]:
        axes.set_ylabel("error (fraction of test documents)")
    coefficients = [float(row["binding"]) for rows in curves.values() for row in rows]
    median = format_brief(statistics.median(coefficients))
    figure.note(f"The median binding coefficient of all fits is {median}.")
    add_legend(figure, *panel)
    return figure


def fusion_gains(data: FigureData) -> Sheet:
    """Draw the gains from tags with their intervals, one panel per data set.

    Options: ``labels`` (role to title).
    """
    measured = [role for measure in FUSION for role in data.results.measure_roles(measure)]
    roles = tables_of(data, FUSION, "curves")
    figure, panel = grid_of_panels(len(roles), 2, 1.4, sharey=True)
    measure_of = dict(zip(measured, FUSION, strict=True))
    for axes, role in zip(panel, roles, strict=True):
        values = data.results.measure(measure_of[role])
        for height, name in enumerate(FUSION_GAINS):
            key = f"{role}_{name}"
            low = values[f"{key}_ci_low"].value
            high = values[f"{key}_ci_high"].value
            draw_difference(axes, height, values[key].value, low, high)
        axes.axvline(0.0, color=GREY, linewidth=0.8)
        sizes = Counter(row["size"] for row in roles[role])
        axes.set_title(title_with_splits(data.title_of(role), sizes.values()))
        axes.set_xlabel("error of words alone\nminus that with tags")
        label_rows(axes, list(FUSION_GAINS.values()))
    figure.note("Bars show 95 % intervals over the splits, in grey if they contain 0.")
    add_legend(figure, *panel)
    return figure


#: Measures of LDA, one data set each.
LATENT_TOPICS = ("latent_topics", "latent_topics_newsgroups", "latent_topics_webkb")
#: Labels of the models, from the top. LDA follows with its numbers of topics.
MODELS = {"multinomial": "multinomial", "dcm": "DCM", "edcm": "EDCM", "pmm1": "PMM1"}

Numbers = Mapping[str, Sequence[float]]


def _numbers(data: FigureData, measures: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """Read the values of the trials by role and name, from the tables ``trials`` of measures."""
    numbers: dict[str, dict[str, list[float]]] = {}
    for role, rows in tables_of(data, measures, "trials").items():
        for row in rows:
            numbers.setdefault(role, {}).setdefault(row["name"], []).append(float(row["value"]))
    return numbers


def latent_topics(data: FigureData) -> Sheet:
    """Draw perplexity and accuracy of each model on every split, one row of panels per data set.

    Options: ``labels`` (role to title).
    """
    numbers_by_role = _numbers(data, LATENT_TOPICS)
    figure, panel = grid_of_panels(2 * len(numbers_by_role), 2, 2.2)
    for row, (role, numbers) in enumerate(numbers_by_role.items()):
        bounds = [name for name in numbers if name.endswith("_bound_nats")]
        topics = sorted(int(name[3 : -len("_bound_nats")]) for name in bounds)
        names = MODELS | {f"lda{k}": f"LDA, {k} topics" for k in topics}
        perplexities, accuracies = panel[2 * row : 2 * row + 2]
        _draw_perplexities(perplexities, numbers, names)
        _draw_rows(accuracies, numbers, names, "_accuracy")
        perplexities.set_title(f"{data.title_of(role)}, perplexity")
        perplexities.set_xlabel("perplexity")
        accuracies.set_title(f"{data.title_of(role)}, accuracy")
        accuracies.set_xlabel("accuracy (fraction)")
    add_legend(figure, *panel)
    return figure


def _draw_perplexities(axes: Axes, numbers: Numbers, names: Mapping[str, str]) -> None:
    """Draw the perplexities, with open markers for the variational bound."""
    perplexities = {name: list(np.exp(values)) for name, values in numbers.items() if name.endswith("_nats")}
    available = {name: label for name, label in names.items() if f"{name}_nats" in perplexities}
    _draw_rows(axes, perplexities, available, "_nats")
    label = "mean by the variational bound"
    for height, name in enumerate(available):
        if f"{name}_bound_nats" in perplexities:
            mean = statistics.fmean(perplexities[f"{name}_bound_nats"])
            axes.plot([mean], [height], color=GREY, marker="D", fillstyle="none", linestyle="none", label=label)


def _draw_rows(axes: Axes, numbers: Numbers, names: Mapping[str, str], end: str = "") -> None:
    """Draw one row of trials per model; the keys of ``numbers`` are model names with a suffix."""
    for height, name in enumerate(names):
        prefix, *_ = name.split("_")
        colour = method_colour("hmm" if prefix in HMMS else name)
        draw_trials(axes, height, numbers[name + end], colour, "split")
    label_rows(axes, list(names.values()))
    add_trials_legend(axes, "split", [len(numbers[name + end]) for name in names])


def longer(data: FigureData) -> Sheet:
    """Draw the gains over the multinomial against the number of joined documents, one row of panels per data set.

    Options: ``labels`` (role to title).
    """
    return _draw_gains(data, "longer", "documents joined into one")


def thinned(data: FigureData) -> Sheet:
    """Draw the gains over the multinomial against the percentage of words kept, one row of panels per data set.

    Options: ``labels`` (role to title).
    """
    return _draw_gains(data, "thinned", "words kept (percent)")


def _draw_gains(data: FigureData, measure: str, length: str) -> Sheet:
    """Draw the gains of a measure against document length, with ``length`` as label of the axis."""
    numbers_by_role = _numbers(data, (measure,))
    figure, panel = grid_of_panels(2 * len(numbers_by_role), 2, 2.2)
    for row, (role, numbers) in enumerate(numbers_by_role.items()):
        likelihoods, accuracies = panel[2 * row : 2 * row + 2]
        _draw_growth(likelihoods, numbers, "nats", {"dcm": "DCM"}, -1.0)
        _draw_growth(accuracies, numbers, "accuracy", {"dcm": "DCM", "edcm": "EDCM"}, 1.0)
        title = title_with_splits(data.title_of(role), map(len, numbers.values()))
        for axes, label in ((likelihoods, "likelihood gain (nats per word)"), (accuracies, "accuracy gain (fraction)")):
            axes.set_title(title)
            axes.set_xlabel(length)
            axes.set_ylabel(label)
    figure.note("Bars show one standard deviation of the gain over the splits.")
    add_legend(figure, *panel)
    return figure


def _draw_growth(axes: Axes, numbers: Numbers, quantity: str, names: Mapping[str, str], sign: float) -> None:
    """Draw the gain of models over the multinomial for each document length."""
    start = "multinomial_"
    end = f"_{quantity}"
    names_of_lengths = [name for name in numbers if name.startswith(start) and name.endswith(end)]
    lengths = sorted(int(name.removeprefix(start).removesuffix(end)) for name in names_of_lengths)
    for series, (model, label) in enumerate(names.items()):
        gains = []
        for m in lengths:
            values = numbers[f"{model}_{m}{end}"]
            gains.append(sign * np.subtract(values, numbers[f"{start}{m}{end}"]))
        bars = [sample_sd(list(gain)) for gain in gains]
        aside = 0.06 * (2 * series + 1 - len(names))
        style = {"label": f"{label} minus multinomial, mean", "color": method_colour(model)}
        x = [position + aside for position in range(len(lengths))]
        means = [float(gain.mean()) for gain in gains]
        draw_with_bars(axes, x, means, bars if any(bars) else None, series, **style)
    set_ticks(axes.xaxis, range(len(lengths)), [str(m) for m in lengths])
    axes.axhline(0.0, color=GREY, linewidth=0.8)


#: Labels of the values of the measure, from the top.
ACCURACIES = {
    "lsi": "LSI + PNN",
    "multinomial": "naive Bayes",
    "small": "HMM, clusters of words",
    "small_shuffled": "… words shuffled",
    "whole": "HMM, topics as emissions",
    "whole_shuffled": "… words shuffled",
    "own": "HMM, class emissions",
    "shared": "HMM, shared emissions",
}
#: Prefixes of the results of hidden Markov models.
HMMS = ("small", "whole", "own", "shared")
ORDER_GAINS = {"small_order": "clusters of words", "whole_order": "topics as emissions"}
DISTANCES = {
    "small_apart": "clusters, classes",
    "small_random": "clusters, random groups",
    "whole_apart": "topics, classes",
    "whole_random": "topics, random groups",
}


def hmm_accuracy(data: FigureData) -> Sheet:
    """Draw the accuracy of each model on every split, one panel per data set.

    Options: ``labels`` (role to title).
    """
    by_role = _numbers(data, ("word_order",))
    figure, panel = panels(len(by_role), height=1.0 + 0.27 * len(ACCURACIES), sharey=True)
    for axes, (role, numbers) in zip(panel, by_role.items(), strict=True):
        _draw_rows(axes, numbers, ACCURACIES)
        axes.set_title(data.title_of(role))
        axes.set_xlabel("accuracy (fraction)")
    add_legend(figure, *panel)
    return figure


def hmm_order(data: FigureData) -> Sheet:
    """Draw the gain from the true order (left) and the distance of the transitions (right) for the first data set.

    Options: ``labels`` (role to title).
    """
    role, numbers = next(iter(_numbers(data, ("word_order",)).items()))
    figure, panel = panels(2, height=2.2)
    gains, distances = panel
    _draw_rows(gains, numbers, ORDER_GAINS)
    gains.set_xlabel("gain from the true order\n(nats per word)")
    _draw_rows(distances, numbers, DISTANCES)
    distances.set_xlabel("distance of the transitions\n(nats per step)")
    for axes in panel:
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    figure.note(f"The data set is {data.title_of(role)}.")
    add_legend(figure, *panel)
    return figure


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "comparison": comparison,
    "comparison_ranks": comparison_ranks,
    "fusion": fusion,
    "fusion_gains": fusion_gains,
    "hmm_accuracy": hmm_accuracy,
    "hmm_order": hmm_order,
    "latent_topics": latent_topics,
    "longer": longer,
    "pruning": pruning,
    "pruning_gains": pruning_gains,
    "sparse_counts": sparse_counts,
    "thinned": thinned,
}
