"""The figures that the workflow draws without code of a paper: ``stock`` of a figure in ``paper.yaml`` names one."""

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

#: Most panels side by side.
_COLUMNS = 3
#: Inches of a row, and of the axis and the title of a panel.
_ROW, _FRAME = 0.34, 0.9


def scores(data: FigureData) -> Sheet:
    """Draw the metric of each method in every trial, a panel a role, with the printed number beside the mean.
    Options: experiment, roles, methods (in order), metric; unit, variants, labels, and published (method -> id of a
    printed number without its last part, which is the role).  A role without data leaves its panel to printed numbers.
    """
    roles, methods, metric = data.option("roles"), data.option("methods"), data.option("metric")
    scale = 100.0 if data.options.get("unit") == "percent" else 1.0
    figure, axes = grid_of_panels(len(roles), _COLUMNS, _FRAME + _ROW * len(methods), sharey=True)
    sizes: list[int] = []
    lost: dict[str, MissingResult] = {}
    for role, panel in zip(roles, axes, strict=True):
        for height, method in enumerate(methods):
            try:
                values = [scale * value for value in data.trials(role, method, metric)]
                draw_trials(panel, height, values, method_colour(method) if method in COLOURS else GREY, "trial")
                sizes.append(len(values))
            except MissingResult as missing:
                lost[role] = missing
            beside = data.options.get("published", {}).get(method)
            draw_published_point(panel, 0, height, data.published.get(f"{beside}.{role}"))
        panel.set_title(data.title_of(role))
        panel.set_xlabel(f"{metric.replace('_', ' ')}{' (percent)' if scale > 1 else ''}")
    if not sizes:
        raise next(iter(lost.values()))
    for role, why in lost.items():
        figure.note(f"Nothing is rebuilt on {role}: {why.reason}.")
    add_trials_legend(axes[0], "trial", sizes)
    label_rows(axes[0], [method.replace("_", " ") for method in methods])
    add_legend(figure)
    return figure


#: Name in ``stock`` -> its function.
FIGURES: Mapping[str, Callable[[FigureData], Sheet]] = {"scores": scores}
