"""The templates, style sheets and scripts of all pages, and the way in which they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import jinja2
from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")


def with_minus(text: str) -> str:
    """Return a text with a minus sign in place of the hyphen before a negative number."""
    return re.sub(r"(?<![\w.,)-])-(?=\.?\d)", "−", text)


def environment(*folders: Path) -> jinja2.Environment:
    """Return a Jinja environment that escapes every value and raises an error for a missing one.  Filter ``thousands``
    separates by commas, ``minus`` is `with_minus`; test ``plain`` tells a value from a mapping.
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
    """Return style sheets or scripts as one text, not escaped: they are of a package and hold no value from outside."""
    return Markup("\n".join(file.read_text(encoding="utf-8") for file in files))  # noqa: S704


def style(*names: str) -> Markup:
    """Return style sheets of `TEMPLATES` as one text."""
    return source(*(TEMPLATES / name for name in names))
