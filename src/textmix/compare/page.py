"""The page of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textmix.pages.rendering import environment, style


def render(content: Mapping[str, Any]) -> str:
    """Return the page as HTML; ``content`` is what `textmix.compare.comparison` gathers."""
    pages = environment()
    pages.filters |= {"figure": figure, "seconds": seconds, "plain_words": lambda text: str(text).replace("_", " ")}
    return pages.get_template("compare.html").render(style=style("page.css", "compare.css"), **content)


def figure(value: Any) -> str:
    """Return a number with three decimals, a dash for none."""
    return "–" if value in (None, "") else f"{float(value):.3f}"


def seconds(value: float) -> str:
    """Return a time with its unit, one decimal below 10 s."""
    return f"{value:.1f} s" if value < 10 else f"{value:,.0f} s"
