"""Report of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from textmix.compare.candidates import method_title
from textmix.pages.rendering import environment, style

#: Seconds below which a time is shown with a decimal.
MAX_SECONDS_WITH_DECIMAL = 10
#: Size of the reliability diagram, its margin, and the radii of its smallest and largest points, in pixels.
DIAGRAM_SIZE = 220
DIAGRAM_MARGIN = 36
MIN_POINT_RADIUS = 2.5
MAX_POINT_RADIUS = 8.0


def render(content: Mapping[str, Any]) -> str:
    """Render the report as HTML.

    Parameters
    ----------
    content : mapping
        What `textmix.compare.finish.draw_report` collects.

    Returns
    -------
    str
    """
    templates = environment()
    templates.filters["reliability_diagram"] = reliability_diagram
    templates.filters["figure"] = format_number
    templates.filters["seconds"] = format_seconds
    templates.filters["method_title"] = method_title
    templates.filters["plain_words"] = lambda text: str(text).replace("_", " ")
    return templates.get_template("compare.html").render(style=style("page.css", "compare.css"), **content)


def format_number(value: Any) -> str:
    """Format a number with three decimals, or a missing value as a dash."""
    return "–" if value in (None, "") else f"{float(value):.3f}"


def format_seconds(value: float) -> str:
    """Format a time with its unit."""
    return f"{value:.1f} s" if value < MAX_SECONDS_WITH_DECIMAL else f"{value:,.0f} s"


def reliability_diagram(bins: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw the observed frequency against the predicted probability, as SVG.

    Parameters
    ----------
    bins : sequence of mapping
        Result of `textmix.metrics.per_label.calibration`: ``stated``, ``observed`` and ``number`` of each bin.

    Returns
    -------
    Markup
        A point for each bin, the larger the more predictions it has; calibrated probabilities lie on the diagonal.
    """
    length = DIAGRAM_SIZE - 2 * DIAGRAM_MARGIN
    first = DIAGRAM_MARGIN
    last = DIAGRAM_MARGIN + length
    most = max(row["number"] for row in bins)
    points = []
    for row in bins:
        x = first + length * row["stated"]
        y = last - length * row["observed"]
        radius = MIN_POINT_RADIUS + (MAX_POINT_RADIUS - MIN_POINT_RADIUS) * (row["number"] / most) ** 0.5
        points.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="currentColor" fill-opacity="0.6"/>')
    middle = DIAGRAM_SIZE / 2
    label_y = DIAGRAM_SIZE - DIAGRAM_MARGIN / 4
    ticks = []
    for value in (0.0, 0.5, 1.0):
        x = first + length * value
        y = last - length * value + 4
        ticks.append(f'<text x="{x:.1f}" y="{last + 13}" text-anchor="middle">{value:g}</text>')
        ticks.append(f'<text x="{first - 5}" y="{y:.1f}" text-anchor="end">{value:g}</text>')
    label_x = DIAGRAM_MARGIN / 4
    aria_label = "Reliability diagram: observed frequency by predicted probability, as in the table below"
    size = f'viewBox="0 0 {DIAGRAM_SIZE} {DIAGRAM_SIZE}" width="{DIAGRAM_SIZE}" height="{DIAGRAM_SIZE}"'
    box = f'<rect x="{first}" y="{first}" width="{length}" height="{length}" fill="none" stroke="currentColor"/>'
    ends = f'x1="{first}" y1="{last}" x2="{last}" y2="{first}"'
    diagonal = f'<line {ends} stroke="currentColor" stroke-dasharray="4 3"/>'
    x_title = f'<text x="{middle}" y="{label_y}" text-anchor="middle">predicted probability</text>'
    rotation = f'transform="rotate(-90 {label_x} {middle})"'
    y_title = f'<text x="{label_x}" y="{middle}" text-anchor="middle" {rotation}>observed frequency</text>'
    head = f'<svg class="reliability" role="img" aria-label="{aria_label}" {size} font-size="10" fill="currentColor">'
    content = "".join([head, box, diagonal, *points, *ticks, x_title, y_title, "</svg>"])
    return Markup(content)  # noqa: S704 - numbers only
