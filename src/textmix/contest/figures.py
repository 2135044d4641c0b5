"""Figures of a comparison: the critical-difference diagram, and the score against time with its Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.ticker import MaxNLocator

from textmix.pages.marks import log_axis, write_at
from textmix.pages.style import INK, PALE, PAPER, SMALL, WIDTH, Sheet, style, svg_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of a line of text in a diagram, in inches.
LINE = 0.19


class Point(NamedTuple):
    """A method in the figure of score against time.

    Parameters
    ----------
    name : of the method.
    value, low, high : mean score and the ends of its interval; larger is better, since a loss has its sign turned.
    seconds : to fit and predict one trial.
    """

    name: str
    value: float
    low: float
    high: float
    seconds: float

    def as_loss(self) -> Point:
        """Return the point with the loss itself, of which less is better, in place of the loss with its sign turned."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low)


def critical_difference(
    names: Sequence[str], ranks: Sequence[float], groups: Sequence[Sequence[int]], difference: float, title: str
) -> bytes:
    """Draw mean ranks on an axis, best at the left, with bars that join methods that are not distinguishable.

    Demsar (2006), figure 1.  The labels of the better half stand at the left, the remaining labels at the right.

    Parameters
    ----------
    names, ranks : K methods and their mean ranks.
    groups : indices of the methods that each bar joins (`textmix.metrics.ranking.cliques`).
    difference : the critical difference, drawn to scale at the top unless it is infinite.
    title : of the figure.

    Returns
    -------
    SVG bytes.
    """
    k = len(names)
    order = np.argsort(ranks, kind="stable")
    rows = (k + 1) // 2
    below = 0.6 * len(groups) + 0.8
    with style():
        figure = Sheet(figsize=(WIDTH, 0.75 + LINE * (below + rows)))
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_title(title)
        margin = 0.42 * (k - 1) + 0.1
        axes.set_xlim(1 - margin, k + margin)
        axes.set_ylim(below + rows + 0.2, -2.6)
        _scale(axes, k, difference)
        for number, group in enumerate(groups):
            ends = [min(ranks[i] for i in group) - 0.03, max(ranks[i] for i in group) + 0.03]
            axes.plot(ends, [0.6 * number + 0.6] * 2, color="C1", linewidth=3.2, solid_capstyle="round", zorder=3)
        for position, method in enumerate(order):
            at_left = position < rows
            height = below + (position if at_left else k - 1 - position) + 0.3
            end = 1 - 0.06 * margin if at_left else k + 0.06 * margin
            axes.plot([ranks[method]] * 2 + [end], [0, height, height], color=INK, linewidth=0.8, zorder=2)
            axes.plot([ranks[method]], [0], "o", color="C0", markersize=4, zorder=4, clip_on=False)
            label = f"{names[method]}  {ranks[method]:.2f}" if at_left else f"{ranks[method]:.2f}  {names[method]}"
            write_at(axes, label, (end, height), right=-4 if at_left else 4, up=0, color=INK)
        return svg_bytes(figure, f"Mean ranks, {title}")


def _scale(axes: Axes, k: int, difference: float) -> None:
    """Draw the axis of ranks and the critical difference."""
    axes.plot([1, k], [0, 0], color=INK, linewidth=0.8)
    step = max(1, k // 10)
    for rank in range(1, k + 1, step):
        axes.plot([rank, rank], [-0.25, 0], color=INK, linewidth=0.8)
        axes.text(rank, -0.35, str(rank), ha="center", va="bottom", fontsize=SMALL)
    if np.isfinite(difference):
        axes.plot([1, 1 + difference], [-1.75, -1.75], color="C1", linewidth=1.6)
        for end in (1, 1 + difference):
            axes.plot([end, end], [-1.95, -1.55], color="C1", linewidth=1.6)
        write_at(axes, f"critical difference {difference:.2f}", (1 + difference, -1.75), right=5, up=0, color=INK)
    write_at(axes, "mean rank, 1 is best", (k, 0), right=8, up=0)


def front(points: Sequence[Point]) -> list[int]:
    """Return the Pareto front: indices of the points than which no other point is both as good and as fast.

    The order is that of increasing seconds.  Of points with equal value and equal seconds the first is on the front.
    """
    indices: list[int] = []
    for index in sorted(range(len(points)), key=lambda i: (points[i].seconds, -points[i].value)):
        if not indices or points[index].value > points[indices[-1]].value:
            indices.append(index)
    return indices


def accuracy_against_time(points: Sequence[Point], metric: str, where: str, *, loss: bool = False) -> bytes:
    """Draw the score of each method against its seconds, numbered from the best score on, with the Pareto front.

    Parameters
    ----------
    points : the methods, at least one, each with positive seconds.
    metric : name of the score, for its axis.
    where : the kind of data, for the title.
    loss : whether the score is a loss, which is drawn as it is, so that the best method is the lowest.

    Returns
    -------
    SVG bytes.
    """
    order = sorted(range(len(points)), key=lambda i: (-points[i].value, points[i].seconds))
    best = front(points)
    drawn = [point.as_loss() for point in points] if loss else points
    with style():
        figure = Sheet(figsize=(WIDTH, max(3.2, 0.6 + LINE * len(points))))
        axes, key = figure.subplots(1, 2, width_ratios=[2.2, 1])
        axes.set_title(where)
        # The front is level from each of its points to the next better, slower one.
        seconds = [*(points[i].seconds for i in best), max(point.seconds for point in points)]
        axes.step(
            seconds,
            [*(drawn[i].value for i in best), drawn[order[0]].value],
            where="post",
            color="C1",
            linewidth=1.2,
            zorder=1,
            label="Pareto front",
        )
        key.set_axis_off()
        for number, index in enumerate(order, start=1):
            _numbered(axes, drawn[index], number, index in best)
            strong = "bold" if index in best else "normal"
            height = 1 - (number - 0.5) / max(len(points), 12)
            for x, text, ha in ((0.07, str(number), "right"), (0.12, points[index].name, "left")):
                key.text(x, height, text, ha=ha, va="center", fontsize=SMALL, weight=strong, transform=key.transAxes)
        log_axis(axes.xaxis, min(point.seconds for point in points), max(point.seconds for point in points))
        axes.margins(x=0.08, y=0.1)
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlabel("seconds to fit and predict (log scale)")
        axes.set_ylabel(metric)
        axes.legend(loc="upper right" if loss else "lower right")  # the front leaves the other corner free
        return svg_bytes(figure, f"{metric} against time, {where}")


def _numbered(axes: Axes, point: Point, number: int, best: bool) -> None:
    """Draw one method as a numbered disc over its interval; the disc is filled if ``best``, on the Pareto front."""
    height = [[point.value - point.low], [point.high - point.value]]
    if np.isfinite(height).all():
        axes.errorbar([point.seconds], [point.value], height, color=PALE, linewidth=1.0, capsize=2, zorder=2)
    above = 3 + 0.001 * number
    look: dict[str, Any] = {"color": "C0" if best else PAPER, "markeredgecolor": "C0", "markersize": 11}
    axes.plot([point.seconds], [point.value], "o", zorder=above, **look)
    ink = PAPER if best else INK
    write_at(axes, str(number), (point.seconds, point.value), up=0, color=ink, zorder=above)
