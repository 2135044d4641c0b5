"""Figures of Ueda & Saito: F next to the published values, times, convergence, calibration, and labels of words."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from reproduction.figures.drawing import FigureData, read_available
from reproduction.figures.figure_elements import (
    PublishedValue,
    add_legend,
    add_trials_legend,
    annotate_point,
    draw_published_point,
    draw_trials,
    draw_with_bars,
    format_brief,
    label_rows,
    set_log_scale,
    with_sample_size,
)
from reproduction.figures.style import (
    DASHES,
    GREY,
    INK,
    PALE,
    PAPER,
    SMALL,
    WIDTH,
    Sheet,
    grid_of_panels,
    method_colour,
    panels,
)
from textmix.metrics.significance import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Method labels in the tables of the paper and in the ids of their cells. Variants have a suffix after a comma.
LABELS = {
    "nb": "NB",
    "svm": "SVM",
    "knn": "kNN",
    "nn": "NN",
    "pmm1": "PMM1",
    "pmm2": "PMM2",
    "pmm1_beam": "PMM1, beam",
    "pmm1_flip": "PMM1, flips",
    "pmm1_prior": "PMM1, prior",
    "pmm2_prior": "PMM2, prior",
    "nb_train_vocabulary": "NB, training words",
    "svm_grid": "SVM, J chosen",
    "knn_sum": "kNN, sums",
    "knn_share": "kNN, proportions",
    "nn_1000": "NN, 1,000 words",
    "nn_length": "NN, chosen length",
}
#: Labels of the models in the results on calibration.
PRIORS = {"paper": "uniform prior (paper)", "prior": "learned prior", "tempered": "learned prior, tempered"}
#: Height of a row and of the frame of a panel of F, in inches.
ROW_INCHES = 0.4
FRAME_INCHES = 0.6
#: Distance of the published value above the middle of its row.
PUBLISHED_OFFSET = 0.38
#: Smaller distances from the best J are drawn at this value.
MIN_DISTANCE = 1e-9
#: Proportions from this value on are labelled.
MIN_LABELLED_PROPORTION = 0.08
#: Bins with fewer labels are drawn pale.
MIN_BIN_LABELS = 10
N_BINS = 10


class TimeStyle(NamedTuple):
    """Style of a type of time: offset below the middle of the row, whether the marker is filled, and label."""

    offset: float
    is_filled: bool
    name: str


TIMES = {
    "fit_seconds": TimeStyle(-0.14, True, "training"),
    "predict_seconds": TimeStyle(0.14, False, "prediction"),
}


class Bin(NamedTuple):
    """Mean predicted probability, proportion of true labels and number of labels of a bin."""

    probability: float
    proportion: float
    size: float


def f_scores(data: FigureData) -> Sheet:
    """Draw F of each method on each problem next to the published value, one panel per problem.

    Each panel has its own horizontal scale, so that differences between methods are visible.

    Options: ``experiment``, ``roles``, ``methods``, ``labels`` (role to title), ``published`` (role to the start of the
    ids of its cells). Problems without results have no panel.
    """
    methods = data.option("methods")

    def read_percentages(role: str) -> list[list[float]]:
        """Return F of each method in each trial, in percent."""
        return [[100 * value for value in data.trials(role, method, "sample_f")] for method in methods]

    scores = read_available(data.option("roles"), read_percentages)
    height = FRAME_INCHES + ROW_INCHES * len(methods)
    figure, panel = grid_of_panels(len(scores), 2, height, sharey=True)
    for axes, (role, trials) in zip(panel, scores.items(), strict=True):
        _draw_f_panel(axes, data, role, trials)
    label_rows(panel[0], [LABELS.get(method, method) for method in methods])
    # The published value of the first row needs space above it.
    panel[0].set_ylim(top=-0.75)
    figure.supxlabel("sample-averaged F (percent)", fontsize=SMALL)
    add_legend(figure)
    return figure


def _draw_f_panel(axes: Axes, data: FigureData, role: str, trials: Sequence[Sequence[float]]) -> None:
    """Draw F of each method on one problem, in percent."""
    stem = data.options.get("published", {}).get(role)
    for height, (method, values) in enumerate(zip(data.option("methods"), trials, strict=True)):
        draw_trials(axes, height, values, method_colour(method), "trial")
        name = LABELS.get(method, method).split(",")[0]
        draw_published_point(axes, 0, height - PUBLISHED_OFFSET, data.published.get(f"{stem}.{name}"))
    add_trials_legend(axes, "trial", map(len, trials))
    axes.margins(x=0.08)
    axes.set_title(data.title_of(role))


def times(data: FigureData) -> Sheet:
    """Draw training and prediction times on a logarithmic axis, median and range over problems and trials.

    Options: ``experiment``, ``roles``, ``methods``, ``published`` (type of time to the id of the minutes of the PMMs).
    """
    methods = data.option("methods")
    figure, (axes,) = panels(1, height=1.1 + 0.3 * len(methods))
    sizes = set()
    all_seconds: list[float] = []
    for height, method in enumerate(methods):
        for kind, style in TIMES.items():
            seconds = _read_seconds(data, method, kind)
            sizes.add(len(seconds))
            all_seconds += seconds
            _draw_time(axes, method, style, seconds, height)
            published = data.published_of(kind) if method.startswith("pmm") else None
            if published is not None:
                published_seconds = 60 * published.value
                all_seconds.append(published_seconds)
                point = (published_seconds, height + style.offset)
                draw_published_point(axes, 0, point[1], PublishedValue(published_seconds))
                # The published times are close to each other, so that their labels are on different sides.
                annotate_point(axes, style.name, point, right=-6 if style.offset > 0 else 6, up=0)
    for style in TIMES.values():
        face = GREY if style.is_filled else PAPER
        axes.plot([], [], "o", label=f"{style.name}: median and range", color=GREY, markerfacecolor=face)
    set_log_scale(axes.xaxis, min(all_seconds), max(all_seconds))
    axes.margins(x=0.12)
    label_rows(axes, [LABELS.get(method, method) for method in methods])
    axes.set_xlabel(with_sample_size("seconds, log scale; trials of all problems", sizes))
    add_legend(figure)
    return figure


def _draw_time(axes: Axes, method: str, style: TimeStyle, seconds: Sequence[float], height: int) -> None:
    """Draw median and range of the times of a method."""
    colour = method_colour(method)
    y = height + style.offset
    axes.plot([min(seconds), max(seconds)], [y, y], color=colour, linewidth=1, alpha=0.6)
    face = colour if style.is_filled else PAPER
    axes.plot([statistics.median(seconds)], [y], "o", color=colour, markerfacecolor=face)


def _read_seconds(data: FigureData, method: str, kind: str) -> list[float]:
    """Return the times of a method in all trials of all problems."""
    seconds: list[float] = []
    for role in data.option("roles"):
        seconds += data.results.seconds(data.option("experiment"), role, method, kind)
    return seconds


def convergence(data: FigureData) -> Sheet:
    """Draw the relative distance of J from its largest final value against the EM iteration, one panel per model.

    Options: ``method``, the name of the measure.
    """
    figure, panel = panels(2, height=3.2, sharex=True, sharey=True)
    rows = data.results.measure_table(data.option("method"), "paths")
    roles = list(dict.fromkeys(row["role"] for row in rows))
    paths: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in rows:
        starts = paths.setdefault((row["model"], row["role"]), {})
        starts.setdefault(row["start"], []).append(float(row["objective"]))
    for axes, model in zip(panel, ("pmm1", "pmm2"), strict=True):
        for series, role in enumerate(roles):
            _draw_paths(axes, paths[model, role], series, _title_of_role(role))
        spread = max(_final_spread(paths[model, role]) for role in roles)
        figure.note(
            f"The final values of J of {LABELS[model]} differ by at most {format_brief(spread)} between starts."
        )
        axes.set_title(LABELS[model])
        axes.set_xlabel("iteration (log scale)")
    n_iterations = max(len(path) for starts in paths.values() for path in starts.values())
    set_log_scale(panel[0].xaxis, 1, n_iterations)
    set_log_scale(panel[0].yaxis, MIN_DISTANCE, 0.1)
    panel[0].set_ylim(MIN_DISTANCE / 2, None)
    panel[0].set_ylabel("relative distance of J from the best")
    n_random = [len(starts) - 1 for starts in paths.values()]
    label = with_sample_size("dotted, any colour: random start", n_random)
    panel[0].plot([], [], color=GREY, linestyle=DASHES[3], label=label)
    panel[0].plot([], [], "x", color=GREY, label="last iteration")
    least = format_brief(MIN_DISTANCE)
    figure.note(f"Differences are relative. Distances below {least} are drawn at {least}.")
    add_legend(figure, panel[0])
    return figure


def _draw_paths(axes: Axes, starts: Mapping[str, Sequence[float]], series: int, name: str) -> None:
    """Draw one line per start, solid for the default start and dotted for random ones, with a cross at its end."""
    best = max(path[-1] for path in starts.values())
    colour = f"C{series % 7}"
    for number, path in enumerate(starts.values()):
        distances = [max((best - value) / abs(best), MIN_DISTANCE) for value in path[1:]]
        is_default = number == 0
        label = f"{name}, default start" if is_default else None
        dash = DASHES[0] if is_default else DASHES[3]
        axes.plot(range(1, len(distances) + 1), distances, linewidth=1.2, color=colour, linestyle=dash, label=label)
        axes.plot([len(distances)], distances[-1:], "x", color=colour)


def _final_spread(starts: Mapping[str, Sequence[float]]) -> float:
    """Compute the range of the final values of J, relative to the absolute value of the largest one."""
    final = [path[-1] for path in starts.values()]
    return (max(final) - min(final)) / abs(max(final))


def calibration(data: FigureData) -> Sheet:
    """Draw the proportion of true labels against their probability, one line per prior, above the sizes of the bins.

    Options: ``method``, the name of the measure.
    """
    figure = Sheet(figsize=(WIDTH, 4.6))
    reliability, sizes = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
    rows = data.results.measure_table(data.option("method"), "reliability")
    values = data.results.measure(data.option("method"))
    reliability.plot([0, 1], [0, 1], color=PALE, linewidth=1, label="perfect calibration")
    errors = {}
    for series, (kind, name) in enumerate(PRIORS.items()):
        bins = _pool_bins([row for row in rows if row["kind"] == kind])
        errors[name] = float(values[f"{kind}_calibration_error"].value)
        _draw_reliability(reliability, list(bins.values()), series, f"{name}: mean error {errors[name]:.3f}")
        left_edges = [number / N_BINS + 0.03 * series + 0.005 for number in bins]
        counts = [bin_.size for bin_ in bins.values()]
        sizes.bar(left_edges, counts, width=0.028, align="edge", color=f"C{series}")
    best = min(errors, key=errors.__getitem__)
    figure.note(f"The {best} has the lowest mean error.")
    figure.note("Bars show the 95 % confidence interval of a proportion, as if labels were independent (Wilson).")
    set_log_scale(sizes.yaxis, 1, max(float(row["count"]) for row in rows))
    sizes.set_ylim(bottom=0.8)
    sizes.set_ylabel("labels (log scale)")
    sizes.set_xlabel("probability of a label")
    reliability.set_ylabel("proportion of true labels")
    reliability.set_ylim(-0.03, 1.03)
    add_legend(figure, reliability)
    return figure


def _pool_bins(rows: Sequence[Mapping[str, str]]) -> dict[int, Bin]:
    """Pool the bins of all data sets, weighted by their numbers of labels; keys are numbers of bins."""
    groups: dict[int, list[Bin]] = {}
    for row in rows:
        bin_ = Bin(float(row["proba"]), float(row["share"]), float(row["count"]))
        number = min(int(bin_.probability * N_BINS), N_BINS - 1)
        groups.setdefault(number, []).append(bin_)
    pooled = {}
    for number, bins in sorted(groups.items()):
        total = sum(bin_.size for bin_ in bins)
        probability = sum(bin_.probability * bin_.size for bin_ in bins) / total
        proportion = sum(bin_.proportion * bin_.size for bin_ in bins) / total
        pooled[number] = Bin(probability, proportion, total)
    return pooled


def _draw_reliability(axes: Axes, bins: Sequence[Bin], series: int, label: str) -> None:
    """Draw the proportion of true labels of each bin with its interval. Bins with few labels are pale."""
    large = [bin_ for bin_ in bins if bin_.size >= MIN_BIN_LABELS]
    small = [bin_ for bin_ in bins if bin_.size < MIN_BIN_LABELS]
    _draw_bins(axes, large, series, label=label)
    if small:
        _draw_bins(axes, small, series, label="", linestyle="none", alpha=0.3)


def _draw_bins(axes: Axes, bins: Sequence[Bin], series: int, *, label: str, **style: Any) -> None:
    """Draw bins with Wilson intervals."""
    downward, upward = [], []
    for bin_ in bins:
        low, high = wilson(min(bin_.proportion, 1.0), bin_.size)
        downward.append(max(bin_.proportion - low, 0.0))
        upward.append(max(high - bin_.proportion, 0.0))
    probabilities = [bin_.probability for bin_ in bins]
    proportions = [bin_.proportion for bin_ in bins]
    draw_with_bars(axes, probabilities, proportions, [downward, upward], series, label=label, **style)


def words(data: FigureData) -> Sheet:
    """Draw the proportion of each label in the words of one message, one bar per word.

    Options: ``method``, the name of the measure.
    """
    rows = data.results.measure_table(data.option("method"), "words")
    labels = [name for name in rows[0] if name not in ("word", "count")]
    figure, (axes,) = panels(1, height=0.8 + 0.17 * len(rows))
    left = [0.0] * len(rows)
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
    for series, label in enumerate(labels):
        percentages = [100 * float(row[label]) for row in rows]
        bars = axes.barh(
            range(len(rows)),
            percentages,
            left=left,
            height=0.82,
            linewidth=0.5,
            color=f"C{series % 7}",
            edgecolor=PAPER,
            label=label.replace("_", " "),
        )
        for height, (bar, percentage) in enumerate(zip(bars, percentages, strict=True)):
            if percentage >= 100 * MIN_LABELLED_PROPORTION:
                middle = bar.get_x() + percentage / 2
                text = f"{percentage:.0f}"
                axes.text(middle, height, text, ha="center", va="center", fontsize=SMALL, color=INK, bbox=box)
        left = [start + percentage for start, percentage in zip(left, percentages, strict=True)]
    label_rows(axes, [f"{row['word']} ({float(row['count']):g})" for row in rows])
    axes.set_xlim(0, 100)
    axes.grid(visible=False)
    axes.set_xlabel("percentage of each label in the word")
    axes.set_ylabel("word (its count in the message)")
    figure.note(f"Percentages below {100 * MIN_LABELLED_PROPORTION:.0f} are not labelled.")
    add_legend(figure)
    return figure


def _title_of_role(role: str) -> str:
    """Return the name of a problem for the legend, such as "Arts" for yahoo_arts."""
    return role.removeprefix("yahoo_").replace("_", " ").capitalize()


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "f_2000": f_scores,
    "f_500": f_scores,
    "f_reduced": f_scores,
    "f_newsgroups": f_scores,
    "variants": f_scores,
    "lengths": f_scores,
    "times": times,
    "convergence": convergence,
    "convergence_newsgroups": convergence,
    "calibration": calibration,
    "calibration_newsgroups": calibration,
    "words": words,
}
