"""Figures of Li, Wang, Pavlu & Aslam: K, variance, early stopping, training times, an example, EM, exact search."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch, Rectangle

from reproduction.figures.drawing import FigureData, read_available, read_columns
from reproduction.figures.figure_elements import (
    add_legend,
    add_trials_legend,
    draw_published_line,
    draw_published_point,
    draw_trials,
    draw_with_bars,
    label_rows,
    place_legend,
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
    PAPER,
    SMALL,
    WIDTH,
    Sheet,
    grid_of_panels,
    method_colour,
    panels,
)
from textmix.core.errors import MissingResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = list[dict[str, str]]
#: Minimum absolute correlation that is printed in its cell.
MIN_WRITTEN_CORRELATION = 0.3
#: Variance of logistic regression in the paper (supplement, table 1), by role.
PAPER_VARIANCE = {"scene": 1.0, "rcv1": 1e6}
METHOD_NAMES = {
    "binrel_lr": "BinRel LR",
    "powset_lr": "PowSet LR",
    "cc_lr": "CC LR",
    "pcc_lr": "PCC LR",
    "ecc_label_lr": "ECC-label LR",
    "ecc_subset_lr": "ECC-subset LR",
    "cdn_lr": "CDN LR",
    "paircrf": "pairCRF",
    "cbm_lr": "CBM LR",
}
#: Labels of the methods of `reproduction.papers.cbm.stopping`.
STOPPED_METHODS = {
    "binrel": "BinRel LR",
    "powset": "PowSet LR",
    "paircrf": "pairCRF",
    "chain": "CC LR",
    "cbm": "CBM LR",
}
STOPPED_COLOURS = {
    "binrel": method_colour("binrel"),
    "powset": method_colour("powset"),
    "paircrf": method_colour("paircrf"),
    "chain": method_colour("cc"),
    "cbm": method_colour("cbm"),
}
#: Labels of the variants of `reproduction.papers.cbm.variants.chain_variants`, in the order of their rows.
VARIANTS = {
    "greedy": "chain, greedy",
    "monte_carlo": "chain, ten samples",
    "beam": "chain, beam of 15",
    "exact": "chain, exact mode",
    "label_half": "labels, half of the votes",
    "label_calibrated": "labels, calibrated votes",
    "subset": "sets, most votes",
}
#: Maximum number of labels L for which the number of label sets, 2^L, is marked.
MAX_ENUMERATED_LABELS = 14
_NOTE_ON_BARS = "A bar reaches one standard deviation over random initialisations; a single one has no bar."


def components(data: FigureData) -> Sheet:
    """Plot subset accuracy against the number of components, for both base learners, with baselines.

    Options: ``labels``, ``published`` (role to id).
    """
    runs = {"CBM LR": data.results.measure_table("components", "runs")}
    baselines = data.results.measure_table("components", "baselines")
    with suppress(MissingResult):
        runs["CBM LR"] = [*runs["CBM LR"], *data.results.measure_table("components_tmc2007", "runs")]
        baselines = [*baselines, *data.results.measure_table("components_tmc2007", "baselines")]
    with suppress(MissingResult):
        runs["CBM GB"] = data.results.measure_table("components_boosted", "runs")
    roles = list(dict.fromkeys(row["role"] for row in runs["CBM LR"]))
    figure, axes = panels(len(roles), height=2.8)
    sizes: list[int] = []
    for panel, role in zip(axes, roles, strict=True):
        numbers: set[float] = set()
        for series, (label, rows) in enumerate(runs.items()):
            accuracies = _accuracies_by_components(rows, role)
            if accuracies:
                _draw_components(panel, accuracies, label, series)
                numbers.update(accuracies)
                sizes += map(len, accuracies.values())
        for series, row in enumerate(row for row in baselines if row["role"] == role):
            colour = method_colour(row["method"])
            name = METHOD_NAMES.get(row["method"], row["method"])
            panel.axhline(100.0 * float(row["subset_accuracy"]), color=colour, linestyle=DASHES[series], label=name)
        draw_published_line(panel, data.published_of(role), f"published, {data.title_of(role)}")
        set_log_scale(panel.xaxis, min(numbers), max(numbers))
        if len(numbers) < 6:  # more tick labels would overlap
            set_ticks(panel.xaxis, sorted(numbers))
        panel.set_title(data.title_of(role))
        panel.set_xlabel("components K (log scale)")
    figure.note(with_sample_size("Random initialisations of each K", sizes) + ".")
    figure.note(_NOTE_ON_BARS)
    axes[0].set_ylabel("subset accuracy (percent)")
    add_legend(figure)
    return figure


def _accuracies_by_components(rows: Rows, role: str) -> dict[float, list[float]]:
    """Return the subset accuracies (percent) of all runs on a data set, by K."""
    accuracies: dict[float, list[float]] = {}
    for row in rows:
        if row["role"] == role:
            accuracies.setdefault(float(row["components"]), []).append(100.0 * float(row["subset_accuracy"]))
    return accuracies


def _draw_components(axes: Axes, accuracies: Mapping[float, Sequence[float]], label: str, series: int) -> None:
    """Plot the mean accuracy over runs for each K."""
    means = [statistics.fmean(values) for values in accuracies.values()]
    deviations = [sample_sd(values) for values in accuracies.values()]
    bars = deviations if any(deviations) else None
    draw_with_bars(axes, list(accuracies), means, bars, series, label=label)


def stopping(data: FigureData) -> Sheet:
    """Plot the accuracy of the linear methods against the maximum number of iterations and against the tolerance.

    Options: ``labels``, ``published`` (method to id).
    """
    rows = data.results.measure_table("stopping", "runs")
    figure, axes = panels(2, height=3.6, sharey=True)
    rules = {"max_iter": "maximum iterations (log scale)", "tol": "tolerance (log scale)"}
    for panel, (rule, name) in zip(axes, rules.items(), strict=True):
        limits = [float(row["limit"]) for row in rows if row["rule"] == rule]
        for series, (method, label) in enumerate(STOPPED_METHODS.items()):
            points = [row for row in rows if (row["rule"], row["method"]) == (rule, method)]
            if not points:
                continue
            colour = STOPPED_COLOURS[method]
            marker = MARKERS[series % len(MARKERS)]
            dashes = DASHES[series % len(DASHES)]
            x = [float(row["limit"]) for row in points]
            percent = [100.0 * float(row["subset_accuracy"]) for row in points]
            panel.plot(x, percent, label=label, color=colour, marker=marker, linestyle=dashes)
            published = data.published_of(method)
            if published is not None:
                panel.axhline(published.value, color=colour, linewidth=0.7, linestyle=":")
        set_log_scale(panel.xaxis, min(limits), max(limits))
        panel.set_xlabel(name)
    figure.note("One given split and one seed; the accuracies have no bars. Dotted lines are published values.")
    axes[0].set_ylabel("subset accuracy (percent)")
    add_legend(figure)
    return figure


def times(data: FigureData) -> Sheet:
    """Plot published and measured training times of the linear methods, one panel per data set.

    Options: ``published`` (``experiment/role/method`` to id).
    """
    cells = [name.split("/") for name in data.option("published")]
    seconds = read_available(
        ["/".join(cell) for cell in cells], lambda name: statistics.median(data.results.seconds(*name.split("/")))
    )
    roles = list(dict.fromkeys(name.split("/")[1] for name in seconds))
    figure, axes = panels(len(roles), height=0.28 * len(METHOD_NAMES) + 1.4, sharey=True)
    values: list[float] = []
    for panel, role in zip(axes, roles, strict=True):
        for name, value in seconds.items():
            _, cell_role, method = name.split("/")
            if cell_role != role:
                continue
            height = list(METHOD_NAMES).index(method)
            panel.plot([value], [height], "o", color="C0", label="here, one thread")
            published = data.published_of(name)
            draw_published_point(panel, 0, height, published)
            values += [value] if published is None else [value, published.value]
        panel.set_title(data.title_of(role))
        panel.set_xlabel("seconds of training (log scale)")
    for panel in axes:
        set_log_scale(panel.xaxis, max(min(values), 1e-3), max(values))
    label_rows(axes[0], list(METHOD_NAMES.values()))
    figure.note("Wall-clock time; published values are those of 48 logical cores.")
    add_legend(figure)
    return figure


def variances(data: FigureData) -> Sheet:
    """Plot subset accuracy against the variance of the prior, one line per method.

    Published values are drawn at the variance of the paper.

    Options: ``experiment``, ``role``, ``methods``, ``published`` (method to id).
    """
    figure, (axes,) = panels(1, height=3.0)
    role = data.option("role")
    for series, method in enumerate(data.option("methods")):
        points = data.grid(role, method, "subset_accuracy", "variance")
        values = [100.0 * statistics.fmean(trials) for trials in points.values()]
        style: dict[str, Any] = {"marker": MARKERS[series], "linestyle": DASHES[series], "color": method_colour(method)}
        axes.plot(list(points), values, label=METHOD_NAMES.get(method, method), **style)
    for method in data.option("methods"):
        draw_published_point(axes, PAPER_VARIANCE[role], 0, data.published_of(method), across=False)
    axes.axvline(PAPER_VARIANCE[role], color=GREY, linestyle=DASHES[3], label="variance of the paper")
    figure.note("One given split; its accuracies have no bars.")
    set_log_scale(axes.xaxis, min(points), max(points))
    axes.set_xlabel("variance of the prior (log scale)")
    axes.set_ylabel("subset accuracy (percent)")
    add_legend(figure)
    return figure


def variants(data: FigureData) -> Sheet:
    """Plot the subset accuracy of each interpretation of the authors' tools, with the corresponding published value.

    Options: ``labels``, ``published`` (``role/variant`` to id).
    """
    accuracies: dict[str, dict[str, list[float]]] = {}
    for row in data.results.measure_table("chain_variants", "runs"):
        runs = accuracies.setdefault(row["role"], {}).setdefault(row["variant"], [])
        runs.append(100.0 * float(row["subset_accuracy"]))
    figure, axes = panels(len(accuracies), height=0.3 * len(VARIANTS) + 1.5, sharey=True)
    for panel, (role, variant) in zip(axes, accuracies.items(), strict=True):
        for height, name in enumerate(VARIANTS):
            draw_trials(panel, height, variant[name], method_colour("cc"), "run")
            draw_published_point(panel, 0, height, data.published_of(f"{role}/{name}"))
        add_trials_legend(panel, "run", map(len, variant.values()))
        panel.set_title(data.title_of(role))
        panel.set_xlabel("subset accuracy (percent)")
    label_rows(axes[0], list(VARIANTS.values()))
    add_legend(figure)
    return figure


def illustration(data: FigureData) -> Sheet:
    """Draw an example document: components with the largest weights, label marginals, and label correlations."""
    tables = {name: data.results.measure_table("illustration", name) for name in ("components", "labels")}
    labels = [row["label"] for row in tables["labels"]]
    correlations = data.results.measure_table("illustration", "correlations")
    height = max(0.17 * len(labels), 1.0)
    figure = Sheet(figsize=(WIDTH, 2 * height + 3.1))
    parts = figure.add_gridspec(2, 1)
    above = parts[0].subgridspec(1, 5, width_ratios=(1, 1, 1, 1, 1.6))
    grid = [figure.add_subplot(above[column]) for column in range(5)]
    for axes in grid[1:]:
        axes.sharey(grid[0])
        axes.tick_params(labelleft=False)
    for rank, axes in enumerate(grid[:-1]):
        _component(axes, [row for row in tables["components"] if row["component"] == str(rank)])
    _marginals(grid[-1], tables["labels"])
    label_rows(grid[0], labels)
    for axes in (grid[1], grid[-1]):
        axes.set_xlabel("probability")
    _correlations(figure.add_subplot(parts[1]), correlations, labels)
    names = [row["label"] for row in tables["labels"] if row["true"] == "1"]
    mode = [row["label"] for row in tables["labels"] if row["mode"] == "1"]
    of = int(data.results.measure("illustration")["labels"].value)
    figure.note(f"{len(labels)} of {of} labels are shown.")
    figure.note(
        f"The true labels are {', '.join(names) or 'none'}; the most probable set is {', '.join(mode) or 'empty'}."
    )
    in_component = Patch(facecolor="C0", label="probability in a component")
    in_mode = Patch(facecolor="C1", label="marginal of a label in the most probable set")
    not_in_mode = Patch(facecolor=PAPER, edgecolor="C1", label="marginal of another label")
    (true_label,) = grid[-1].plot([], [], "D", color=INK, label="true label")
    handles: list[Any] = [in_component, in_mode, not_in_mode, true_label]
    place_legend(figure, handles, [str(handle.get_label()) for handle in handles])
    return figure


def _component(axes: Axes, rows: Rows) -> None:
    probabilities = [float(row["probability"]) for row in rows]
    axes.barh(range(len(rows)), probabilities, color="C0", height=0.66)
    axes.set_xlim(0, 1)
    axes.set_xticks((0, 1))
    axes.grid(axis="y", visible=False)
    if rows:
        axes.set_title(f"π = {float(rows[0]['weight']):.2f}")


def _marginals(axes: Axes, rows: Rows) -> None:
    """Draw the marginals as bars, filled for labels in the most probable set, with markers for true labels."""
    heights = range(len(rows))
    colours = ["C1" if row["mode"] == "1" else PAPER for row in rows]
    marginals = [float(row["marginal"]) for row in rows]
    axes.barh(heights, marginals, color=colours, edgecolor="C1", height=0.66)
    true = [height for height in heights if rows[height]["true"] == "1"]
    if true:  # an unclipped line without points would break the layout
        axes.plot([1.07] * len(true), true, "D", color=INK, markersize=4, clip_on=False)
    axes.axvline(0.5, color=GREY, linewidth=1.0, linestyle=DASHES[3])
    axes.set_xlim(0, 1.14)
    axes.set_xticks((0, 0.5, 1), ("0", "0.5", "1"))
    axes.grid(axis="y", visible=False)
    axes.set_title("marginal")


def _correlations(axes: Axes, rows: Rows, labels: list[str]) -> None:
    """Draw the correlation matrix: orange for positive and blue for negative values, darker for larger magnitudes."""
    for cell, row in enumerate(rows):
        y, x = divmod(cell, len(labels))
        value = float(row["correlation"])
        if x == y:
            continue
        colour = "C1" if value > 0 else "C0"
        alpha = min(abs(value), 1.0)
        axes.add_patch(Rectangle((x, y), 1, 1, edgecolor="none", facecolor=colour, alpha=alpha))
        if abs(value) >= MIN_WRITTEN_CORRELATION:
            text = f"{value:.1f}".replace("-", "−")
            axes.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=SMALL)
    middle = [number + 0.5 for number in range(len(labels))]
    axes.set_xticks(middle, labels, rotation=90)
    axes.set_yticks(middle, labels)
    axes.set_xlim(0, len(labels))
    axes.set_ylim(len(labels), 0)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_title(f"correlation: positive orange, negative blue; values for magnitudes ≥ {MIN_WRITTEN_CORRELATION:g}")


def em_path(data: FigureData) -> Sheet:
    """Plot likelihood and accuracy after every iteration, with one row of panels per data set and one line per run.

    Options: ``labels``, ``published`` (role to id).
    """
    rows = data.results.measure_table("em_path", "path")
    roles = list(dict.fromkeys(row["role"] for row in rows))
    figure, grid = grid_of_panels(2 * len(roles), 2, 2.3, sharex=True)
    for likelihoods, accuracies, role in zip(grid[::2], grid[1::2], roles, strict=True):
        runs: dict[str, list[dict[str, str]]] = {}
        for row in (row for row in rows if row["role"] == role):
            runs.setdefault(row["run"], []).append(row)
        for path in runs.values():
            _path(likelihoods, accuracies, path)
        if len(runs) > 1:
            _final_accuracies(accuracies, [path[-1] for path in runs.values()])
            figure.note("A bar reaches one standard deviation over the random initialisations.")
        draw_published_line(accuracies, data.published_of(role), f"published, {data.title_of(role)}")
        likelihoods.set_title(with_sample_size(data.title_of(role) + ", initialisations", [len(runs)]))
        likelihoods.set_ylabel("penalised log-likelihood")
        accuracies.set_ylabel("subset accuracy (percent)")
        accuracies.margins(y=0.15)
    for axes in grid[-2:]:
        axes.set_xlabel("iteration of EM")
    add_legend(figure)
    return figure


def _path(likelihoods: Axes, accuracies: Axes, rows: Sequence[Mapping[str, str]]) -> None:
    """Plot the likelihood and the accuracy of one run; the accuracy is a step function of the iteration."""
    steps = [int(row["iteration"]) for row in rows]
    style: dict[str, Any] = {"color": method_colour("cbm"), "alpha": 0.55, "linewidth": 1}
    name = "one random initialisation"
    label = None if name in likelihoods.get_legend_handles_labels()[1] else name
    likelihoods.plot(steps, [float(row["objective"]) for row in rows], label=label, **style)
    accuracies.plot(steps, [100 * float(row["subset_accuracy"]) for row in rows], drawstyle="steps-post", **style)


def _final_accuracies(axes: Axes, rows: Rows) -> None:
    """Plot mean and standard deviation of the final accuracies, ``rows``, next to the last iteration."""
    finals = [100 * float(row["subset_accuracy"]) for row in rows]
    last = int(rows[0]["iteration"])
    style: dict[str, Any] = {"color": method_colour("cbm"), "marker": MARKERS[1], "linestyle": "none"}
    label = "mean of the final accuracies"
    mean = statistics.fmean(finals)
    deviation = sample_sd(finals)
    axes.errorbar([last * 1.05], [mean], yerr=[deviation], label=label, **style)


def evaluations(data: FigureData) -> Sheet:
    """Plot the number of label sets scored by the exact search against L, one line per K and one panel per data set.

    Options: ``labels``.
    """
    rows = data.results.measure_table("exact_search", "evaluations")
    roles = list(dict.fromkeys(row["role"] for row in rows))
    figure, axes = grid_of_panels(len(roles), 2, 2.6, sharey=True)
    numbers_of_labels = [float(row["labels"]) for row in rows]
    top = 2.0 ** max(n for n in numbers_of_labels if n <= MAX_ENUMERATED_LABELS)
    top = max(top, *(float(row["largest"]) for row in rows))
    for panel, role in zip(axes, roles, strict=True):
        searches = [row for row in rows if row["role"] == role]
        for series, number in enumerate(dict.fromkeys(row["components"] for row in searches)):
            rows_of_number = [row for row in searches if row["components"] == number]
            _searches(panel, rows_of_number, series)
        x = sorted({float(row["labels"]) for row in searches})
        for n in x:
            if n <= MAX_ENUMERATED_LABELS:
                panel.plot([n], [2.0**n], "_", color=INK, markersize=16, label="number of all sets, 2ᴸ")
            else:
                figure.note(f"There are 2^{n:g} sets of {n:g} labels, too many for the axis.")
        set_log_scale(panel.xaxis, min(x), max(x))
        set_ticks(panel.xaxis, x)
        panel.set_title(data.title_of(role))
        panel.set_xlabel("labels L (log scale)")
    set_log_scale(axes[0].yaxis, 1, top)
    for panel in axes[::2]:
        panel.set_ylabel("sets scored (log scale)")
    _note_repeats(figure, rows)
    add_legend(figure)
    return figure


def _searches(axes: Axes, rows: Rows, series: int) -> None:
    """Plot the mean number of scored sets for one K, with bars up to the maximum; x positions are shifted by K."""
    x, mean, largest = read_columns(rows, "labels", "evaluations", "largest")
    up = [most - value for most, value in zip(largest, mean, strict=True)]
    style = f"K = {rows[0]['components']}: mean and maximum"
    positions = [n * 1.03 ** (series - 1.5) for n in x]
    down = [0.0] * len(up)
    draw_with_bars(axes, positions, mean, [down, up], series, label=style)


def _note_repeats(figure: Sheet, rows: Rows) -> None:
    """Add a note that repeated sets are counted, with the most extreme case."""
    figure.note("A set that several components generate is scored and counted once for each of them.")
    row = max(rows, key=lambda row: float(row["evaluations"]) / 2.0 ** float(row["labels"]))
    mean = float(row["evaluations"])
    sets = 2.0 ** float(row["labels"])
    if mean > sets:
        figure.note(
            f"Hence the mean is {mean:.1f} for the {sets:g} sets of {row['labels']} labels and K = {row['components']}."
        )


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "components": components,
    "stopping": stopping,
    "times": times,
    "variances": variances,
    "variances_rcv1": variances,
    "variants": variants,
    "illustration": illustration,
    "em_path": em_path,
    "evaluations": evaluations,
}
