"""Pass results to the function that draws a figure, and render what it returns."""

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
    """Results, published values and options of one figure.

    Parameters
    ----------
    results : Results
        Results of the paper.
    published : mapping of str to PublishedValue
        Published values by id of their row, in the unit of the row.
    options : mapping of str to object
        Entry of the figure in ``paper.yaml``. The methods of this class read ``experiment``, ``variants`` (method to
        variant), ``labels`` (role to title) and ``published`` (method or role to id of a row).
    """

    results: Results
    published: Mapping[str, PublishedValue]
    options: Mapping[str, Any]

    def option(self, name: str) -> Any:
        """Return a required option of the figure."""
        return entry_of(self.options, name, f"{self.results.paper}: figure in paper.yaml")

    def trials(self, role: str, method: str, metric: str) -> list[float]:
        """Return the metric in each trial of the figure's experiment, in stored units.

        The variant of the method is the one named in the option ``variants``, or else the unnamed or only one.
        """
        scores = self._scores(role, method, metric)
        where = f"{self.results.paper}: figure in paper.yaml, method {method}, metric {metric}"
        variant = choose_variant(scores, self.options.get("variants", {}).get(method), where)
        return scores[variant]

    def grid(self, role: str, method: str, metric: str, parameter: str) -> dict[float, list[float]]:
        """Return the metric in each trial by value of a grid parameter, in increasing order of the parameter."""
        points = {}
        for variant, scores in self._scores(role, method, metric).items():
            parameters = point_of(variant)
            value = entry_of(parameters, parameter, f"variant '{variant}' of {method}")
            points[float(value)] = scores
        return dict(sorted(points.items()))

    def _scores(self, role: str, method: str, metric: str) -> dict[str, list[float]]:
        """Return the metric in each trial by variant of the method."""
        return self.results.scores(self.option("experiment"), role, method, metric)

    def seconds(self, role: str, method: str) -> list[float]:
        """Return the training time of a method in each trial of the figure's experiment, in seconds."""
        return self.results.seconds(self.option("experiment"), role, method)

    def title_of(self, role: str) -> str:
        """Return the title of a data set's panel: the option ``labels``, or else the role."""
        return str(self.options.get("labels", {}).get(role, role))

    def published_of(self, name: str) -> PublishedValue | None:
        """Return the published value that the option ``published`` assigns to a method or role, or None."""
        row = self.options.get("published", {}).get(name, "")
        return self.published.get(row)


def read_columns(rows: Sequence[Mapping[str, str]], *names: str) -> list[list[float]]:
    """Return columns of a table as lists of numbers."""
    return [[float(row[name]) for row in rows] for name in names]


def read_available(names: Iterable[str], read: Callable[[str], Value]) -> dict[str, Value]:
    """Read the results that exist.

    Parameters
    ----------
    names : iterable of str
    read : callable
        Reads the results of a name and raises MissingResult if they do not exist.

    Returns
    -------
    dict of str to object
        Results by name, for the names that have any.

    Raises
    ------
    MissingResult
        If no name has results. It is the error of the first name.
    """
    results: dict[str, Value] = {}
    errors: list[MissingResult] = []
    for name in names:
        try:
            results[name] = read(name)
        except MissingResult as error:
            errors.append(error)
    if not results:
        raise errors[0]
    return results


def draw(paper: str, name: str, data: FigureData) -> bytes:
    """Draw a figure of a paper with its own function or a shared one.

    Parameters
    ----------
    paper, name : str
        Names of the paper and of the figure.
    data : FigureData
        If its options have ``template``, the function of that name in `reproduction.figures.shared_figures` draws the
        figure, otherwise the function of the figure's name in the module ``figures`` of the paper.

    Returns
    -------
    bytes
        Content of an SVG file.
    """
    template = data.options.get("template")
    module = f"{package_of(paper)}.figures" if template is None else "reproduction.figures.shared_figures"
    functions: dict[str, Callable[[FigureData], Sheet]] = importlib.import_module(module).FIGURES
    if template is None and name not in functions:
        available = ", ".join(sorted(functions))
        raise ConfigError(f"{paper}: unknown figure '{name}' in paper.yaml; available: {available}")
    with figure_style():
        figure = functions[template or name](data)
        return render_svg(figure, str(data.options.get("title", name)))
