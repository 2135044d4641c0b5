"""The one picture of a reproduction: every judged printed number of a method beside the rebuilt one, by paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reproduction.figures.style import GREY, INK, PALE, PAPER, SMALL, SOFT, Sheet, figure_style, render_svg
from reproduction.verdict.wording import DIFFERS, REPRODUCED, UNDECIDED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Verdict -> colour, marker and size of its dots.
LOOK: dict[str, dict[str, Any]] = {
    REPRODUCED: {"color": "#0072b2", "marker": "o", "s": 15, "linewidths": 0.5},
    UNDECIDED: {"color": "#009e73", "marker": "s", "s": 15, "linewidths": 0.5},
    DIFFERS: {"color": "#d55e00", "marker": "D", "s": 17, "linewidths": 0.5},
}
#: Relative differences, in per cent, at which the axis has a mark; a larger one is drawn at its end.
_TICKS, _END, _LINEAR = (-50, -10, -2, 0, 2, 10, 50), 100.0, 1.0

Pair = tuple[str, float, float, str, str]


def draw_summary(points: Sequence[Pair], papers: Iterable[str], *, narrow: bool = False) -> bytes:
    """Return the picture of (paper, printed, rebuilt, unit, verdict) as SVG, side by side, or narrow for a phone."""
    rows = [paper for paper in papers if any(point[0] == paper for point in points)]
    with figure_style():
        figure = Sheet(figsize=(3.7, 6.0) if narrow else (8.0, 3.1))
        first, second = figure.subplots(2, 1) if narrow else figure.subplots(1, 2, width_ratios=[1.0, 1.45])
        _scores(first, [point for point in points if point[3].startswith("percent")])
        _by_paper(second, points, rows)
        handles = [second.scatter([], [], edgecolors=PAPER, label=verdict, **look) for verdict, look in LOOK.items()]
        figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize=SMALL)
        return render_svg(figure, "Printed and rebuilt results of methods")


def _scores(axes: Axes, points: Sequence[Pair]) -> None:
    """Draw rebuilt against printed scores in per cent."""
    axes.plot([0, 100], [0, 100], color=PALE, linewidth=0.8, zorder=1)
    for verdict, look in LOOK.items():
        chosen = [point for point in points if point[4] == verdict]
        axes.scatter([point[1] for point in chosen], [point[2] for point in chosen], edgecolors=PAPER, zorder=3, **look)
    axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
    axes.set_xlabel("printed, %")
    axes.set_ylabel("rebuilt, %")
    axes.set_title(f"{len(points)} scores", fontsize=SMALL + 0.6, color=SOFT)


def _by_paper(axes: Axes, points: Sequence[Pair], rows: Sequence[str]) -> None:
    """Draw the difference of each number in per cent of the printed one, a row a paper."""
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=1)
    dots: dict[str, list[tuple[float, float]]] = {verdict: [] for verdict in LOOK}
    for place, paper in enumerate(rows):
        found = sorted(
            (point for point in points if point[0] == paper), key=lambda one: (one[2] - one[1]) / abs(one[1])
        )
        step = 0.72 / max(len(found) - 1, 1)
        for rank, (_, printed, rebuilt, _, verdict) in enumerate(found):
            share = max(-_END, min(_END, 100 * (rebuilt - printed) / abs(printed)))
            dots[verdict].append((share, place - 0.36 + step * rank if len(found) > 1 else place))
    for verdict, look in LOOK.items():
        axes.scatter(*np.reshape(dots[verdict], (-1, 2)).T, edgecolors=PAPER, zorder=3, **look)
    axes.set_xscale("symlog", linthresh=_LINEAR)
    axes.set_xticks(_TICKS, [f"{tick:+d}".replace("-", "−") if tick else "0" for tick in _TICKS])
    axes.minorticks_off()
    axes.set_xlim(-1.2 * _END, 1.2 * _END)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    labels = [f"{paper.replace('_', ' ')} ({sum(point[0] == paper for point in points)})" for paper in rows]
    axes.set_yticks(range(len(rows)), labels)
    axes.tick_params(axis="y", length=0, colors=INK)
    axes.set_xlabel("rebuilt less printed, % of the printed number")
    axes.set_title("all numbers of methods", fontsize=SMALL + 0.6, color=SOFT)
