"""Figures of words fused with part-of-speech tags: learning curves, and the gains with their intervals."""

from __future__ import annotations

import statistics
from collections import Counter

from reproduction.pages.figures import FigureData
from reproduction.papers.thesis.drawing import difference, tables_of
from textmix.pages.marks import brief, counted, legend, log_axis, marked, row_names, spread_of, with_bars
from textmix.pages.style import GREY, Sheet, grid_of_panels

#: Measures of the fusion, one data set each.
MEASURES = ("fusion", "fusion_newsgroups", "fusion_webkb", "fusion_lingspam", "fusion_spamassassin")
#: Column of the table -> its name in the legend.
SERIES = {"words": "words alone", "fused": "words with tags"}
#: Value of the measure -> its row, from the top.
GAINS = {"gain": "all sizes", "few_gain": "few documents", "few_above_many": "few minus many"}


def fusion(data: FigureData) -> Sheet:
    """Draw the error against the number of training documents a class, a panel a data set.

    Option: labels (role -> title).  Reads the tables ``curves``.
    """
    curves = tables_of(data, MEASURES, "curves")
    figure, panel = grid_of_panels(len(curves), 2, 2.3)
    for axes, (role, rows) in zip(panel, curves.items(), strict=True):
        sizes = sorted({int(row["size"]) for row in rows})
        errors = {
            (size, name): [float(row[name]) for row in rows if int(row["size"]) == size]
            for size in sizes
            for name in (*SERIES, "binding")
        }
        log_axis(axes.xaxis, sizes[0], sizes[-1])
        marked(axes.xaxis, sizes)
        for series, (name, label) in enumerate(SERIES.items()):
            means = [statistics.fmean(errors[size, name]) for size in sizes]
            bars = [spread_of(errors[size, name]) for size in sizes]
            with_bars(axes, sizes, means, bars, series, label=f"{label}: mean ± standard deviation")
        axes.set_title(counted(data.title_of(role) + ", splits", [len(errors[sizes[0], "words"])]))
        axes.set_xlabel("training documents a class (log scale)")
    for axes in panel[::2]:
        axes.set_ylabel("error (fraction of test documents)")
    chosen = [float(row["binding"]) for rows in curves.values() for row in rows]
    figure.note(f"The binding coefficient was {brief(statistics.median(chosen))} in the median of all fits.")
    legend(figure, *panel)
    return figure


def fusion_gains(data: FigureData) -> Sheet:
    """Draw the gains by tags with their intervals, a panel a data set.

    Option: labels (role -> title).  Reads the tables ``curves``, to find the measures at hand, and their values.
    """
    measured = [role for measure in MEASURES for role in data.results.measure_roles(measure)]
    roles = tables_of(data, MEASURES, "curves")
    figure, panel = grid_of_panels(len(roles), 2, 1.4, sharey=True)
    at = dict(zip(measured, MEASURES, strict=True))
    for axes, role in zip(panel, roles, strict=True):
        values = data.results.measure(at[role])
        for height, name in enumerate(GAINS):
            difference(axes, height, *(values[f"{role}_{name}{end}"].value for end in ("", "_ci_low", "_ci_high")))
        axes.axvline(0.0, color=GREY, linewidth=0.8)
        sizes = Counter(row["size"] for row in roles[role])
        axes.set_title(counted(f"{data.title_of(role)}, splits", sizes.values()))
        axes.set_xlabel("error of words alone\nminus that with tags")
        row_names(axes, list(GAINS.values()))
    figure.note("Bars are 95 % intervals over the splits; those in grey hold 0, where the vertical line stands.")
    legend(figure, *panel)
    return figure
