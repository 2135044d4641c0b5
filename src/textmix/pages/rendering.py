"""Read the templates, style sheets and scripts of all pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import jinja2
from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")


def with_minus(text: str) -> str:
    """Replace the hyphen before a negative number by a minus sign."""
    return re.sub(r"(?<![\w.,)-])-(?=\.?\d)", "−", text)


def environment(*folders: Path) -> jinja2.Environment:
    """Create a Jinja environment that escapes all values and raises an error for missing ones.

    The filter ``thousands`` adds thousands separators, ``minus`` is `with_minus`, and the test ``plain`` is true for
    all values except mappings.

    Parameters
    ----------
    *folders : Path
        Folders of templates in addition to `TEMPLATES`.
    """
    pages = jinja2.Environment(
        loader=jinja2.FileSystemLoader([TEMPLATES, *folders]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["thousands"] = "{:,}".format
    pages.filters["minus"] = with_minus
    pages.tests["plain"] = lambda value: not isinstance(value, Mapping)
    return pages


def source(*files: Path) -> Markup:
    """Join style sheets or scripts without escaping: they are part of the package and contain no external values."""
    return Markup("\n".join(file.read_text(encoding="utf-8") for file in files))  # noqa: S704


def style(*names: str) -> Markup:
    """Join style sheets of `TEMPLATES`."""
    return source(*(TEMPLATES / name for name in names))
