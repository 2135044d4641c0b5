"""The data that a figure of a paper draws, and the call of the function that draws it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from reproduction.figures.figure_elements import PublishedValue
from reproduction.figures.style import Sheet, figure_style, render_svg
from reproduction.flow.folders import package_of
from reproduction.flow.results import Results, choose_variant, entry_of
from textmix.core.errors import ConfigError, MissingResult
from textmix.experiment.methods import point_of

Value = TypeVar("Value")


@dataclass(frozen=True)
class FigureData:
    """The data of one figure of a paper.

    ``published`` maps id of a row -> printed number and its standard deviation, in the row's unit.  ``options`` is the
    figure's entry in ``paper.yaml``; methods here read ``experiment``, ``variants`` (method -> variant) and
    ``published`` (method or role -> row id).
    """

    results: Results
    published: Mapping[str, PublishedValue]
    options: Mapping[str, Any]

    def option(self, name: str) -> Any:
        """Return an option that the figure needs."""
        return entry_of(self.options, name, f"{self.results.paper}: figure in paper.yaml")

    def trials(self, role: str, method: str, metric: str) -> list[float]:
        """Return a metric of one variant of a method in every trial of the figure's experiment, in stored units;
        without the option ``variants`` the variant is the unnamed one or the only one.
        """
        groups = self._scores(role, method, metric)
        where = f"{self.results.paper}: figure in paper.yaml, method {method}, metric {metric}"
        return groups[choose_variant(groups, self.options.get("variants", {}).get(method), where)]

    def grid(self, role: str, method: str, metric: str, parameter: str) -> dict[float, list[float]]:
        """Return value of a grid parameter -> the metric in every trial (stored units), with increasing keys."""
        points = {}
        for variant, values in self._scores(role, method, metric).items():
            parameters = point_of(variant)
            points[float(entry_of(parameters, parameter, f"variant '{variant}' of {method}"))] = values
        return dict(sorted(points.items()))

    def _scores(self, role: str, method: str, metric: str) -> dict[str, list[float]]:
        """Return variant -> a metric in every trial of the figure's experiment, in stored units."""
        return self.results.scores(self.option("experiment"), role, method, metric)

    def seconds(self, role: str, method: str) -> list[float]:
        """Return the seconds of training of a method in every trial of the figure's experiment."""
        return self.results.seconds(self.option("experiment"), role, method)

    def title_of(self, role: str) -> str:
        """Return the title of a data set's panel: the option ``labels``, else the role."""
        return str(self.options.get("labels", {}).get(role, role))

    def published_of(self, name: str) -> PublishedValue | None:
        """Return the published number that the option ``published`` gives a method or role, or None without one."""
        return self.published.get(self.options.get("published", {}).get(name, ""))


def read_columns(rows: Sequence[Mapping[str, str]], *names: str) -> list[list[float]]:
    """Return the named columns of a table, each as a list of numbers."""
    return [[float(row[name]) for row in rows] for name in names]


def read_available(names: Iterable[str], read: Callable[[str], Value]) -> dict[str, Value]:
    """Return name -> what ``read`` returns, of the names whose results are there."""
    found, absent = dict[str, Value](), list[MissingResult]()
    for name in names:
        try:
            found[name] = read(name)
        except MissingResult as missing:
            absent.append(missing)
    if not found:
        raise absent[0]
    return found


def draw(paper: str, name: str, data: FigureData) -> bytes:
    """Return one figure of a paper as SVG bytes, drawn by a function of its own or by a stock one."""
    figures: dict[str, Callable[[FigureData], Sheet]]
    stock = data.options.get("template")
    module = f"{package_of(paper)}.figures" if stock is None else "reproduction.figures.shared_figures"
    figures = importlib.import_module(module).FIGURES
    if stock is None and name not in figures:
        raise ConfigError(f"{paper}: paper.yaml names the figure '{name}'; there are {', '.join(sorted(figures))}")
    with figure_style():
        return render_svg(figures[stock or name](data), str(data.options.get("title", name)))
