"""Figures of Ueda & Saito: F beside the published, times, convergence, calibration, and the labels of single words."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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

#: Method -> its name in the paper's tables and in the ids of their cells.
LABELS = {"nb": "NB", "svm": "SVM", "knn": "kNN", "nn": "NN", "pmm1": "PMM1", "pmm2": "PMM2"}
LABELS |= {
    "pmm1_beam": "PMM1, beam",
    "pmm1_flip": "PMM1, flips",
    "pmm1_prior": "PMM1, prior",
    "pmm2_prior": "PMM2, prior",
    "nb_train_vocabulary": "NB, training words",
    "svm_grid": "SVM, J chosen",
    "knn_sum": "kNN, sums",
    "nn_1000": "NN, 1,000 words",
    "nn_length": "NN, chosen length",
    "knn_share": "kNN, shares",
}
KINDS = {"paper": "uniform prior (paper)", "prior": "learnt prior", "tempered": "learnt prior, tempered"}
#: Kind of time -> its offset below the middle of the row, whether its mark is filled, and its name.
TIMES = {"fit_seconds": (-0.14, True, "training"), "predict_seconds": (0.14, False, "prediction")}
#: Least distance from the best J that has a place on its axis.
LEAST = 1e-9
#: A share of at least this is written into its bar.
WRITTEN = 0.08


def f_scores(data: FigureData) -> Sheet:
    """Draw F of every method on each problem, a panel a problem, with the published value in the same row.
    Options: experiment, roles, methods, labels (role -> title), published (role -> how the ids of its cells begin).  A
    missing problem has no panel.
    """
    methods = data.option("methods")
    trials_of = read_available(
        data.option("roles"),
        lambda role: [[100 * value for value in data.trials(role, method, "sample_f")] for method in methods],
    )
    figure, panel = grid_of_panels(len(trials_of), 2, 0.4 + 0.34 * len(methods), sharex=True, sharey=True)
    for axes, (role, trials) in zip(panel, trials_of.items(), strict=True):
        _f_panel(axes, data, role, trials)
    label_rows(panel[0], [LABELS.get(method, method) for method in methods])
    figure.supxlabel("sample-averaged F (percent)", fontsize=SMALL)
    add_legend(figure)
    return figure


def _f_panel(axes: Axes, data: FigureData, role: str, trials: list[list[float]]) -> None:
    """Draw F of every method on one problem, in percent: ``trials`` has the values of each method."""
    stem = data.options.get("published", {}).get(role)
    for height, (method, values) in enumerate(zip(data.option("methods"), trials, strict=True)):
        draw_trials(axes, height, values, method_colour(method), "trial")
        printed = data.published.get(f"{stem}.{LABELS.get(method, method).split(',')[0]}")
        draw_published_point(axes, 0, height - 0.38, printed)
    add_trials_legend(axes, "trial", map(len, trials))
    axes.set_title(data.title_of(role))


def times(data: FigureData) -> Sheet:
    """Draw the seconds of training and of prediction on a logarithmic axis, median and range over problems and trials.
    Options: experiment, roles, methods, published (kind of time -> id of the PMMs' minutes).
    """
    methods = data.option("methods")
    figure, (axes,) = panels(1, height=1.1 + 0.3 * len(methods))
    sizes, shown = set(), []
    for height, method in enumerate(methods):
        for kind, (below, filled, name) in TIMES.items():
            seconds = _seconds(data, method, kind)
            sizes.add(len(seconds))
            shown += seconds
            colour = method_colour(method)
            axes.plot([min(seconds), max(seconds)], [height + below] * 2, color=colour, linewidth=1, alpha=0.6)
            fill = colour if filled else PAPER
            axes.plot([statistics.median(seconds)], [height + below], "o", color=colour, markerfacecolor=fill)
            printed = data.published_of(kind) if method.startswith("pmm") else None
            if printed is not None:
                shown.append(60 * printed.value)
                draw_published_point(axes, 0, height + below, PublishedValue(60 * printed.value))
                # The published times lie close together: each name stands on its own side.
                annotate_point(axes, name, (60 * printed.value, height + below), right=-6 if below > 0 else 6, up=0)
    for _, filled, name in TIMES.values():
        style: dict[str, Any] = {"color": GREY, "markerfacecolor": GREY if filled else PAPER}
        axes.plot([], [], "o", label=f"{name}: median and range", **style)
    set_log_scale(axes.xaxis, min(shown), max(shown))
    axes.margins(x=0.12)
    label_rows(axes, [LABELS.get(method, method) for method in methods])
    axes.set_xlabel(with_sample_size("seconds, log scale; trials of all problems", sizes))
    add_legend(figure)
    return figure


def _seconds(data: FigureData, method: str, kind: str) -> list[float]:
    """Return the seconds of one kind of a method in all trials of all problems at hand."""
    seconds = []
    for role in data.option("roles"):
        seconds += data.results.seconds(data.option("experiment"), role, method, kind)
    return seconds


def convergence(data: FigureData) -> Sheet:
    """Draw the relative distance of J from its largest final value against the EM iteration, a panel a model.
    Option: method, the name of the measure.
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
            _gaps(axes, paths[model, role], series, _role_name(role))
        spread = max(_final_spread(paths[model, role]) for role in roles)
        figure.note(
            f"The final values of J of {LABELS[model]} from all starts differ by at most {format_brief(spread)}."
        )
        axes.set_title(LABELS[model])
        axes.set_xlabel("iteration (log scale)")
    set_log_scale(panel[0].xaxis, 1, max(len(path) for starts in paths.values() for path in starts.values()))
    set_log_scale(panel[0].yaxis, LEAST, 0.1)
    panel[0].set_ylim(LEAST / 2, None)
    panel[0].set_ylabel("relative distance of J from the best")
    random = [len(starts) - 1 for starts in paths.values()]
    panel[0].plot([], [], color=GREY, linestyle=DASHES[3], label=with_sample_size("random start", random))
    panel[0].plot([], [], "x", color=GREY, label="end of a start")
    figure.note(f"Differences are relative. A distance below {format_brief(LEAST)} stands at {format_brief(LEAST)}.")
    add_legend(figure, panel[0])
    return figure


def _gaps(axes: Axes, starts: Mapping[str, Sequence[float]], series: int, name: str) -> None:
    """Draw a line a start: full for the first, dotted for the random ones, with a cross at its end."""
    best = max(path[-1] for path in starts.values())
    for start, path in starts.items():
        gap = [max((best - value) / abs(best), LEAST) for value in path[1:]]
        first = start == next(iter(starts))
        label = f"{name}, default start" if first else None
        style: dict[str, Any] = {
            "color": f"C{series % 7}",
            "linestyle": DASHES[0] if first else DASHES[3],
            "label": label,
        }
        axes.plot(range(1, len(gap) + 1), gap, linewidth=1.2, **style)
        axes.plot([len(gap)], gap[-1:], "x", color=f"C{series % 7}")


def _final_spread(starts: Mapping[str, Sequence[float]]) -> float:
    """Return the largest final J less the smallest, over the largest in absolute value."""
    ends = [path[-1] for path in starts.values()]
    return (max(ends) - min(ends)) / abs(max(ends))


def calibration(data: FigureData) -> Sheet:
    """Draw the share of true labels against their probability in ten bins, a line a kind of prior, and the bins' sizes.
    Option: method, the name of the measure.
    """
    figure = Sheet(figsize=(WIDTH, 4.6))
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
    rows = data.results.measure_table(data.option("method"), "reliability")
    values = data.results.measure(data.option("method"))
    upper.plot([0, 1], [0, 1], color=PALE, linewidth=1, label="equal")
    errors = {}
    for series, (kind, name) in enumerate(KINDS.items()):
        bins = _bins([row for row in rows if row["kind"] == kind])
        errors[name] = float(values[f"{kind}_calibration_error"].value)
        _reliability(upper, bins, series, f"{name}: mean error {errors[name]:.3f}")
        wide = [number / 10 + 0.03 * series + 0.005 for number in bins]
        lower.bar(wide, [count for *_, count in bins.values()], width=0.028, align="edge", color=f"C{series}")
    best = min(errors, key=errors.__getitem__)
    figure.note(f"Of the mean errors that of the {best} is the least.")
    figure.note("A bar is the 95 % interval of the share in a bin, as if its labels were independent (Wilson).")
    set_log_scale(lower.yaxis, 1, max(float(row["count"]) for row in rows))
    lower.set_ylim(bottom=0.8)
    lower.set_ylabel("labels (log scale)")
    lower.set_xlabel("probability of a label")
    upper.set_ylabel("share of true labels")
    upper.set_ylim(-0.03, 1.03)
    add_legend(figure, upper)
    return figure


def _bins(rows: Sequence[Mapping[str, str]]) -> dict[int, tuple[float, float, float]]:
    """Return number of a bin -> mean probability, share of true labels and number of labels, over the data sets."""
    parts: dict[int, list[list[float]]] = {}
    for row in rows:
        part = [float(row[key]) for key in ("proba", "share", "count")]
        parts.setdefault(min(int(part[0] * 10), 9), []).append(part)
    bins = {}
    for number, parts_of_bin in sorted(parts.items()):
        total = sum(count for *_, count in parts_of_bin)
        proba, share = (sum(part[i] * part[2] for part in parts_of_bin) / total for i in (0, 1))
        bins[number] = (proba, share, total)
    return bins


def _reliability(axes: Axes, bins: Mapping[int, tuple[float, float, float]], series: int, label: str) -> None:
    """Draw the share of true labels of each bin with its interval."""
    probas, shares, _ = zip(*bins.values(), strict=True)
    ends = [wilson(min(share, 1.0), count) for _, share, count in bins.values()]
    down = [max(share - low, 0.0) for share, (low, _) in zip(shares, ends, strict=True)]
    up = [max(high - share, 0.0) for share, (_, high) in zip(shares, ends, strict=True)]
    draw_with_bars(axes, probas, shares, [down, up], series, label=label)


def words(data: FigureData) -> Sheet:
    """Draw the share of each label in the words of one page, a bar a word.
    Option: method, the name of the measure.
    """
    rows = data.results.measure_table(data.option("method"), "words")
    names = [name for name in rows[0] if name not in ("word", "count")]
    figure, (axes,) = panels(1, height=0.8 + 0.17 * len(rows))
    starts = [0.0] * len(rows)
    for series, name in enumerate(names):
        shares = [float(row[name]) for row in rows]
        style: dict[str, Any] = {"color": f"C{series % 7}", "edgecolor": PAPER, "label": name.replace("_", " ")}
        bars = axes.barh(range(len(rows)), shares, left=starts, height=0.82, linewidth=0.5, **style)
        text = [f"{100 * share:.0f}" if share >= WRITTEN else "" for share in shares]
        axes.bar_label(bars, text, label_type="center", fontsize=SMALL, color=PAPER)
        starts = [a + b for a, b in zip(starts, shares, strict=True)]
    label_rows(axes, [f"{row['word']} ({float(row['count']):g})" for row in rows])
    axes.set_xlim(0, 1)
    axes.grid(visible=False)
    axes.set_xlabel("share of each label in the word (fraction; percent in the bars)")
    add_legend(figure)
    return figure


def _role_name(role: str) -> str:
    """Return the role of a problem as a name for the legend, such as "Arts" for yahoo_arts."""
    return role.removeprefix("yahoo_").replace("_", " ").capitalize()


FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    **dict.fromkeys(("f_2000", "f_500", "f_reduced", "f_newsgroups", "variants", "lengths"), f_scores),
    "times": times,
    **dict.fromkeys(("convergence", "convergence_newsgroups"), convergence),
    **dict.fromkeys(("calibration", "calibration_newsgroups"), calibration),
    "words": words,
}
