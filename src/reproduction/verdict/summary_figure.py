"""Summary figure: published against reproduced values of methods, and the verdicts on claims, by paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reproduction.figures.style import GREY, INK, PALE, PAPER, SMALL, SOFT, Sheet, figure_style, render_svg
from reproduction.verdict.evidence_levels import Point
from reproduction.verdict.wording import (
    CLAIMS_TITLE,
    DIFFERENCE_AXIS,
    DIFFERS,
    PUBLISHED_AXIS,
    REPRODUCED,
    REPRODUCED_AXIS,
    SUMMARY_TITLE,
    UNDECIDED,
    number_of_claims,
    number_of_numbers,
    number_of_scores,
    summary_note,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Verdict -> colour, marker and size of its dots.
DOT_STYLES: dict[str, dict[str, Any]] = {
    REPRODUCED: {"color": "#0072b2", "marker": "o", "s": 15, "linewidths": 0.5},
    UNDECIDED: {"color": "#009e73", "marker": "s", "s": 15, "linewidths": 0.5},
    DIFFERS: {"color": "#d55e00", "marker": "D", "s": 17, "linewidths": 0.5},
}
#: Relative differences with a tick, in percent.
TICKS = (-50, -10, -2, 0, 2, 10, 50)
#: Larger relative differences, in percent, are clipped to the end of the axis.
MAX_PERCENT = 100.0
#: Linear range of the symlog axis, in percent.
MAX_LINEAR_PERCENT = 1.0
#: Height of the dots of a paper, in rows.
ROW_HEIGHT = 0.72
#: Marks of claims side by side; further claims of a paper are drawn below.
CLAIMS_PER_LINE = 10


def draw_summary(
    points: Sequence[Point],
    papers: Iterable[str],
    claims: Mapping[str, Mapping[str, int]],
    *,
    narrow: bool = False,
) -> bytes:
    """Draw the summary figure.

    Parameters
    ----------
    points : sequence of Point
        The judged published numbers.
    papers : iterable of str
        The papers in the order of the rows.
    claims : mapping
        Paper -> verdict -> number of judged claims.
    narrow : bool, default=False
        Whether to stack the panels for a phone.

    Returns
    -------
    svg : bytes
    """
    with_points = {point.paper for point in points}
    rows = [paper for paper in papers if paper in with_points or any(claims.get(paper, {}).values())]
    with figure_style():
        figure = Sheet(figsize=(3.9, 8.0) if narrow else (8.0, 3.2))
        if narrow:
            panels = figure.subplots(3, 1, height_ratios=[1.35, 1.0, 0.75])
        else:
            panels = figure.subplots(1, 3, width_ratios=[1.0, 1.3, 0.62])
        _draw_scores(panels[0], [point for point in points if point.unit.startswith("percent")])
        _draw_papers(panels[1], points, rows)
        _draw_claims(panels[2], claims, rows)
        if not narrow:
            panels[2].set_yticklabels([str(sum(claims.get(paper, {}).values())) for paper in rows])
        handles = [
            panels[1].scatter([], [], edgecolors=PAPER, label=verdict, **look) for verdict, look in DOT_STYLES.items()
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize=SMALL)
        n_claims = sum(sum(counts.values()) for counts in claims.values())
        figure.note(summary_note(len(points), n_claims))
        return render_svg(figure, SUMMARY_TITLE)


def _draw_scores(axes: Axes, points: Sequence[Point]) -> None:
    """Plot reproduced against published scores, in percent."""
    axes.plot([0, 100], [0, 100], color=PALE, linewidth=0.8, zorder=1)
    for verdict, look in DOT_STYLES.items():
        dots = [point for point in points if point.verdict == verdict]
        published = [point.published for point in dots]
        reproduced = [point.reproduced for point in dots]
        axes.scatter(published, reproduced, edgecolors=PAPER, zorder=3, **look)
    axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
    axes.set_xlabel(PUBLISHED_AXIS)
    axes.set_ylabel(REPRODUCED_AXIS)
    axes.set_title(number_of_scores(len(points)), fontsize=SMALL + 0.6, color=SOFT)


def _draw_papers(axes: Axes, points: Sequence[Point], rows: Sequence[str]) -> None:
    """Plot the difference of each value relative to the published one, in percent, one row per paper."""
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=1)
    dots: dict[str, list[tuple[float, float]]] = {verdict: [] for verdict in DOT_STYLES}
    for height, paper in enumerate(rows):
        numbers = sorted(
            (point for point in points if point.paper == paper), key=lambda point: point.relative_difference
        )
        step = ROW_HEIGHT / max(len(numbers) - 1, 1)
        for rank, point in enumerate(numbers):
            percent = 100 * (point.reproduced - point.published) / abs(point.published)
            percent = max(-MAX_PERCENT, min(MAX_PERCENT, percent))
            y = height - ROW_HEIGHT / 2 + step * rank if len(numbers) > 1 else height
            dots[point.verdict].append((percent, y))
    for verdict, look in DOT_STYLES.items():
        axes.scatter(*np.reshape(dots[verdict], (-1, 2)).T, edgecolors=PAPER, zorder=3, **look)
    axes.set_xscale("symlog", linthresh=MAX_LINEAR_PERCENT)
    axes.set_xticks(TICKS, [f"{tick:+d}".replace("-", "−") if tick else "0" for tick in TICKS])
    axes.minorticks_off()
    axes.set_xlim(-1.2 * MAX_PERCENT, 1.2 * MAX_PERCENT)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    _label_rows(axes, rows, [sum(point.paper == paper for point in points) for paper in rows])
    axes.set_xlabel(DIFFERENCE_AXIS)
    axes.set_title(number_of_numbers(len(points)), fontsize=SMALL + 0.6, color=SOFT)


def _draw_claims(axes: Axes, claims: Mapping[str, Mapping[str, int]], rows: Sequence[str]) -> None:
    """Draw one mark for each claim, one row per paper."""
    for height, paper in enumerate(rows):
        counts = claims.get(paper, {})
        verdicts = [verdict for verdict in DOT_STYLES for _ in range(counts.get(verdict, 0))]
        n_lines = -(-len(verdicts) // CLAIMS_PER_LINE)
        for position, verdict in enumerate(verdicts):
            line, column = divmod(position, CLAIMS_PER_LINE)
            y = height + 0.3 * (line - (n_lines - 1) / 2)
            axes.scatter(column, y, edgecolors=PAPER, **DOT_STYLES[verdict])
    axes.set_xlim(-0.8, CLAIMS_PER_LINE - 0.2)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    _label_rows(axes, rows, [sum(claims.get(paper, {}).values()) for paper in rows])
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.set_xlabel(CLAIMS_TITLE)
    axes.set_title(
        number_of_claims(sum(sum(counts.values()) for counts in claims.values())), fontsize=SMALL + 0.6, color=SOFT
    )


def _label_rows(axes: Axes, rows: Sequence[str], counts: Sequence[int]) -> None:
    """Label the rows with the papers and the numbers of marks."""
    labels = [f"{paper.replace('_', ' ')} ({count})" for paper, count in zip(rows, counts, strict=True)]
    axes.set_yticks(range(len(rows)), labels)
    axes.tick_params(axis="y", length=0, colors=INK)
