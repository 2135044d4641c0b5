"""Figures of pruning and of sparse counts: error against the share of the vocabulary, gains, and densities."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reproduction.pages.colours import colour_of
from reproduction.pages.figures import FigureData
from reproduction.papers.thesis.drawing import difference, tables_of
from textmix.pages.marks import counted, legend, log_axis, marked, row_names, spread_of, with_bars
from textmix.pages.style import DASHES, GREY, Sheet, grid_of_panels, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Name of a score in the results -> its name in the legend.
SCORES = {
    "sensitivity": "sensitivity",
    "information_gain": "information gain",
    "chi_square": "chi-square",
    "document_frequency": "document frequency",
    "random": "random",
}

#: Measures of pruning: of the data that are always at hand, and of one further data set each.
MEASURES = ("pruning", "pruning_webkb", "pruning_lingspam", "pruning_spamassassin")


def pruning(data: FigureData) -> Sheet:
    """Draw the error against the share of the vocabulary that is kept, a panel a data set, a line a score.

    Option: labels (role -> title).  Reads the tables ``errors``.
    """
    tables = tables_of(data, MEASURES, "errors")
    figure, panel = grid_of_panels(len(tables), 2, 2.5)
    for axes, (role, rows) in zip(panel, tables.items(), strict=True):
        errors: dict[tuple[str, float], list[float]] = {}
        for row in rows:
            errors.setdefault((row["score"], float(row["share"])), []).append(float(row["error"]))
        whole = errors.pop(("none", 1.0))
        for series, (score, label) in enumerate(SCORES.items()):
            _curve(axes, series, label, {share: values for (name, share), values in errors.items() if name == score})
        if len(whole) > 1:
            figure.note("A bar reaches one standard deviation over the splits to each side of the mean.")
        axes.axhline(statistics.fmean(whole), color=GREY, linestyle=DASHES[1], label="whole vocabulary, mean")
        axes.set_title(counted(data.title_of(role) + ", splits", [len(whole)]))
        axes.set_xlabel("words kept (log scale)")
    for axes in panel[::2]:
        axes.set_ylabel("error (fraction of test documents)")
    legend(figure, panel[0])
    return figure


def _curve(axes: Axes, series: int, label: str, errors: Mapping[float, Sequence[float]]) -> None:
    """Draw the mean error of one score against the share."""
    shares = sorted(errors)
    log_axis(axes.xaxis, shares[0], shares[-1])
    marked(axes.xaxis, shares, [f"{100 * share:g} %" for share in shares])
    means, spreads = [[of(errors[share]) for share in shares] for of in (statistics.fmean, spread_of)]
    # The bars of the scores stand side by side.
    aside = 1.04 ** (series - (len(SCORES) - 1) / 2)
    bars = spreads if any(spreads) else None
    with_bars(axes, [share * aside for share in shares], means, bars, series, label=f"{label}, mean")


def pruning_gains(data: FigureData) -> Sheet:
    """Draw the error of each other vocabulary minus that of the one pruned by sensitivities, with intervals.

    Option: labels (role -> title).  Reads the tables ``gains`` and ``errors``.
    """
    tables, errors = (tables_of(data, MEASURES, name) for name in ("gains", "errors"))
    names = {"none": "whole vocabulary", **SCORES}
    figure, panel = grid_of_panels(len(tables), 2, 1.7, sharey=True)
    for axes, (role, rows) in zip(panel, tables.items(), strict=True):
        for height, row in enumerate(rows):
            difference(axes, height, *(float(row[key]) for key in ("value", "low", "high")))
        axes.axvline(0.0, color=GREY, linewidth=0.8)
        splits = sum(row["score"] == "none" for row in errors[role])
        axes.set_title(counted(f"{data.title_of(role)}, splits", [splits]))
        axes.set_xlabel("error minus that of\nsensitivities (fraction)")
        row_names(axes, [names[row["beside"]] for row in rows])
    figure.note("Bars are 95 % intervals over the splits; those in grey hold 0, where the vertical line stands.")
    legend(figure, *panel)
    return figure


def sparse_counts(data: FigureData) -> Sheet:
    """Draw the mean log density of documents under two Dirichlet densities as smoothing goes to 0.

    Reads ``sparse_counts/densities.csv``: alpha (fitted or raised), smoothing, log_density (nats a document).
    """
    rows = data.results.measure_table("sparse_counts", "densities")
    values = data.results.measure("sparse_counts")
    figure, (axes,) = panels(1, height=3.1)
    for series, (name, label) in enumerate((("fitted", "Dirichlet, α of the DCM"), ("raised", "Dirichlet, α + 1"))):
        points = sorted((float(row["smoothing"]), float(row["log_density"])) for row in rows if row["alpha"] == name)
        with_bars(axes, [x for x, _ in points], [y for _, y in points], None, 2 * series, label=label)
    axes.axhline(
        values["dcm"].value, color=colour_of("dcm"), linestyle=DASHES[1], label="DCM, counts without smoothing"
    )
    log_axis(axes.xaxis, min(float(row["smoothing"]) for row in rows), 1.0)
    axes.set_yscale("symlog", linthresh=1e3)
    marked(axes.yaxis, [sign * 10.0**power for sign in (-1, 1) for power in (3, 4, 5)] + [0.0])
    axes.margins(y=0.08)
    axes.set_xlabel("smoothing added to each count (log scale)")
    axes.set_ylabel("mean log density (nats, symlog scale)")
    figure.note(f"{100 * values['zeros'].value:.1f} % of the counts are 0.")
    legend(figure, axes)
    return figure
