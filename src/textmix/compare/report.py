"""Report of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textmix.compare.candidates import method_title
from textmix.pages.rendering import environment, style

#: Seconds below which a time is shown with a decimal.
MAX_SECONDS_WITH_DECIMAL = 10


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
