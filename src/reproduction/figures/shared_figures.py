"""Figures that any paper can use: the key ``template`` of a figure in ``paper.yaml`` names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reproduction.figures.drawing import FigureData
from reproduction.figures.figure_elements import (
    add_legend,
    add_trials_legend,
    draw_published_point,
    draw_trials,
    label_rows,
)
from reproduction.figures.style import COLOURS, GREY, Sheet, grid_of_panels, method_colour
from textmix.core.errors import MissingResult

MAX_COLUMNS = 3
#: Height of one row, in inches.
ROW_INCHES = 0.34
#: Height of the axis and the title of a panel, in inches.
FRAME_INCHES = 0.9


def scores(data: FigureData) -> Sheet:
    """Draw the metric of each method in every trial, one panel per role, with the published value next to the mean.

    Options: ``experiment``, ``roles``, ``methods`` (in order), ``metric``; ``unit``, ``variants``, ``labels`` and
    ``published`` (method to id of a published value without its last component, which is the role). The panel of a
    role without data shows published values only.
    """
    roles, methods, metric = data.option("roles"), data.option("methods"), data.option("metric")
    is_percent = data.options.get("unit") == "percent"
    scale = 100.0 if is_percent else 1.0
    height_of_panel = FRAME_INCHES + ROW_INCHES * len(methods)
    figure, axes = grid_of_panels(len(roles), MAX_COLUMNS, height_of_panel, sharey=True)
    sizes: list[int] = []
    missing: dict[str, MissingResult] = {}
    for role, panel in zip(roles, axes, strict=True):
        for height, method in enumerate(methods):
            try:
                values = [scale * value for value in data.trials(role, method, metric)]
                colour = method_colour(method) if method in COLOURS else GREY
                draw_trials(panel, height, values, colour, "trial")
                sizes.append(len(values))
            except MissingResult as error:
                missing[role] = error
            stem = data.options.get("published", {}).get(method)
            draw_published_point(panel, 0, height, data.published.get(f"{stem}.{role}"))
        panel.set_title(data.title_of(role))
        unit = " (percent)" if is_percent else ""
        panel.set_xlabel(metric.replace("_", " ") + unit)
    if not sizes:
        raise next(iter(missing.values()))
    for role, reason in missing.items():
        figure.note(f"No reproduced values for {role}: {reason.reason}.")
    add_trials_legend(axes[0], "trial", sizes)
    label_rows(axes[0], [method.replace("_", " ") for method in methods])
    add_legend(figure)
    return figure


#: Drawing functions by template name.
FIGURES: Mapping[str, Callable[[FigureData], Sheet]] = {"scores": scores}
