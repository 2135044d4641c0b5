"""Parts that several figures of the thesis share: a table of several measures, and a difference with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reproduction.pages.figures import FigureData
from textmix.core.errors import MissingResult
from textmix.pages.style import GREY, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def tables_of(data: FigureData, measures: Sequence[str], name: str) -> dict[str, list[Mapping[str, str]]]:
    """Return role -> rows of a table, from the measures that have results.

    Raises
    ------
    MissingResult : no measure has results; the reason is that of the first.
    """
    tables: dict[str, list[Mapping[str, str]]] = {}
    absent = []
    for measure in measures:
        try:
            for row in data.results.measure_table(measure, name):
                tables.setdefault(row["role"], []).append(row)
        except MissingResult as missing:
            absent.append(missing)
    if not tables:
        raise absent[0]
    return tables


def difference(axes: Axes, height: int, value: float, low: float, high: float) -> None:
    """Draw a difference on a row with its interval, in grey if that holds 0."""
    colour = "C0" if low > 0 or high < 0 else GREY
    axes.errorbar(value, height, xerr=[[value - low], [high - value]], color=colour, marker=MARKERS[0])
