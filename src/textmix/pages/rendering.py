"""The templates and style sheets of all pages, and the way in which they are read."""

from __future__ import annotations

from pathlib import Path

import jinja2
from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")


def environment() -> jinja2.Environment:
    """Return a Jinja environment that escapes every value and raises an error for a missing one."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def style(*sheets: str) -> Markup:
    """Return style sheets as one text.

    The sheets are part of this package and hold no value from outside, so they are not escaped.

    Parameters
    ----------
    sheets : names of files in the folder `TEMPLATES`.
    """
    return Markup("\n".join((TEMPLATES / sheet).read_text(encoding="utf-8") for sheet in sheets))  # noqa: S704
