"""Figures of Ueda & Saito: F beside the published, times, convergence, calibration, and the labels of single words."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from textmix.core.errors import MissingResult
from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, PUBLISHED, panels

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
    "knn_share": "kNN, shares",
}
KINDS = {"paper": "uniform prior (paper)", "prior": "learnt prior", "tempered": "learnt prior, tempered"}
#: The times that the paper prints for training and for test, in seconds.
TRAINING_SECONDS, TEST_SECONDS = 300.0, 60.0


def f_scores(data: FigureData) -> Figure:
    """Draw F of every method on each problem, a panel a problem, with the published value in the same row.

    Options: experiment, roles, methods, labels (role -> title), published (role -> how the ids of its cells begin).
    A missing problem has no panel.

    Raises
    ------
    MissingResult : all problems are missing; the reason is that of the first.
    """
    methods = data.option("methods")
    found, absent = {}, []
    for role in data.option("roles"):
        try:
            found[role] = [[100 * value for value in data.trials(role, method, "sample_f")] for method in methods]
        except MissingResult as missing:
            absent.append(missing)
    if not found:
        raise absent[0]
    figure, panel = panels(len(found), height=2.8, sharey=True)
    for axes, (role, trials) in zip(panel, found.items(), strict=True):
        _f_panel(axes, data, role, trials)
    panel[0].set_yticks(range(len(methods)), [LABELS.get(method, method) for method in methods])
    panel[0].set_ylim(len(methods) - 0.4, -0.6)
    figure.supxlabel("sample-averaged F (percent)", fontsize=10)
    figure.legend(*panel[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _f_panel(axes: Axes, data: FigureData, role: str, trials: list[list[float]]) -> None:
    """Draw F of every method on one problem, in percent: ``trials`` has the values of each method."""
    stem = data.options.get("published", {}).get(role)
    for place, (method, values) in enumerate(zip(data.option("methods"), trials, strict=True)):
        first = place == 0
        axes.plot(
            values, [place] * len(values), "o", color="C0", alpha=0.3, markersize=3, label="trials" if first else None
        )
        axes.plot(
            [statistics.fmean(values)], [place], "o", color="C0", markersize=6, label="mean, rebuilt" if first else None
        )
        printed = data.published.get(f"{stem}.{LABELS.get(method, method).split(',')[0]}")
        if printed is not None:
            axes.plot([printed], [place], label="published" if first else None, zorder=4, **PUBLISHED)
    axes.set_title(data.options.get("labels", {}).get(role, role))
    axes.margins(x=0.12)


def times(data: FigureData) -> Figure:
    """Draw the seconds of training and of prediction on a logarithmic axis, median and range over problems and trials.

    Options: experiment, roles, methods.
    """
    figure, (axes,) = panels(1, height=2.6)
    roles, methods = data.option("roles"), data.option("methods")
    for place, method in enumerate(methods):
        for kind, up, fill in (("fit_seconds", -0.12, "C0"), ("predict_seconds", 0.12, "white")):
            seconds = [
                value for role in roles for value in data.results.seconds(data.option("experiment"), role, method, kind)
            ]
            median = statistics.median(seconds)
            axes.plot([min(seconds), max(seconds)], [place + up] * 2, color="C0", linewidth=1, alpha=0.5)
            kind_label = {"fit_seconds": "training, 2,000 pages", "predict_seconds": "prediction, 3,000 pages"}[kind]
            axes.plot(
                [median],
                [place + up],
                "o",
                color="C0",
                markerfacecolor=fill,
                label=None if place else kind_label,
                markersize=6,
            )
        if method.startswith("pmm"):
            label = None if "published" in axes.get_legend_handles_labels()[1] else "published"
            axes.plot([TRAINING_SECONDS, TEST_SECONDS], [place - 0.12, place + 0.12], label=label, **PUBLISHED)
    axes.set_xscale("log")
    axes.set_yticks(range(len(methods)), [LABELS.get(method, method) for method in methods])
    axes.set_ylim(len(methods) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("seconds (logarithmic): median and range over problems and trials")
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def convergence(data: FigureData) -> Figure:
    """Draw the relative distance of J from its largest final value against the EM iteration, a panel a model.

    Option: method, the name of the measure.  Reads its ``paths.csv``: role, model, start, iteration, objective.
    """
    figure, panel = panels(2, sharey=True)
    rows = data.results.measure_table(data.option("method"), "paths")
    roles = list(dict.fromkeys(row["role"] for row in rows))
    paths: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        paths.setdefault((row["role"], row["model"], row["start"]), []).append(float(row["objective"]))
    for axes, model in zip(panel, ("pmm1", "pmm2"), strict=True):
        for place, role in enumerate(roles):
            own = {start: path for (r, m, start), path in paths.items() if (r, m) == (role, model)}
            best = max(path[-1] for path in own.values())
            for start, path in own.items():
                gap = [max((best - value) / abs(best), 1e-10) for value in path[1:]]
                label = _role_name(role) if start == "0" else None
                style = DASHES[0] if start == "0" else DASHES[3]
                axes.plot(range(1, len(gap) + 1), gap, color=f"C{place}", linestyle=style, linewidth=1.2, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(LABELS[model])
        axes.set_xlabel("iteration (logarithmic)")
    panel[0].set_ylabel("distance of J from its best, relative")
    panel[0].plot([], [], color="#8a8a86", linestyle=DASHES[3], label="random starts")
    figure.legend(*panel[0].get_legend_handles_labels(), loc="outside upper left", ncols=5)
    return figure


def calibration(data: FigureData) -> Figure:
    """Draw the share of true labels against their probability in ten bins, a line a kind of prior.

    Option: method, the name of the measure.  Reads its ``reliability.csv`` (role, kind, proba, share, count), which is
    summed over the data sets.
    """
    figure, (axes,) = panels(1, height=3.2)
    rows = data.results.measure_table(data.option("method"), "reliability")
    errors = data.results.measure(data.option("method"))
    axes.plot([0, 1], [0, 1], color="#c9c9c4", linewidth=1)
    for place, (kind, name) in enumerate(KINDS.items()):
        bins: dict[int, list[tuple[float, float, float]]] = {}
        for row in rows:
            if row["kind"] == kind:
                proba, share, count = (float(row[key]) for key in ("proba", "share", "count"))
                bins.setdefault(min(int(proba * 10), 9), []).append((proba, share, count))
        points = []
        for _, parts in sorted(bins.items()):
            total = sum(count for *_, count in parts)
            points.append([sum(part[i] * part[2] for part in parts) / total for i in (0, 1)])
        error = float(errors[f"{kind}_calibration_error"].value)
        label = f"{name} (mean error {error:.3f})"
        axes.plot(
            *zip(*points, strict=True), marker=MARKERS[place], color=f"C{place}", linestyle=DASHES[place], label=label
        )
    axes.set_xlabel("probability of a label")
    axes.set_ylabel("share of true labels")
    axes.set_aspect("equal")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0))
    return figure


def words(data: FigureData) -> Figure:
    """Draw the share of each label in the words of one page, a bar a word.

    Option: method, the name of the measure.  Reads its ``words.csv``: word, count, and a column a label.
    """
    rows = data.results.measure_table(data.option("method"), "words")
    names = [name for name in rows[0] if name not in ("word", "count")]
    figure, (axes,) = panels(1, height=0.6 + 0.19 * len(rows))
    left = [0.0] * len(rows)
    for place, name in enumerate(names):
        shares = [float(row[name]) for row in rows]
        axes.barh(range(len(rows)), shares, left=left, color=f"C{place}", height=0.82, label=name.replace("_", " "))
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.set_yticks(range(len(rows)), [f"{row['word']} ({float(row['count']):g})" for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.grid(visible=False)
    axes.set_xlabel("share of each label in the word (fraction)")
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def _role_name(role: str) -> str:
    """Return the role of a problem as a name for the legend, such as "Arts" for yahoo_arts."""
    return role.removeprefix("yahoo_").replace("_", " ").capitalize()


FIGURES: dict[str, Callable[[FigureData], Figure]] = {
    **dict.fromkeys(("f_2000", "f_500", "f_reduced", "f_newsgroups", "variants"), f_scores),
    "times": times,
    **dict.fromkeys(("convergence", "convergence_newsgroups"), convergence),
    **dict.fromkeys(("calibration", "calibration_newsgroups"), calibration),
    "words": words,
}
