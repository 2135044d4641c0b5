"""What all pages have in common: where their templates lie, how they are read, and their style."""

from __future__ import annotations

from pathlib import Path

import jinja2
from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")


def environment() -> jinja2.Environment:
    """Return an environment that escapes every value and refuses one that is missing."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def style(*sheets: str) -> Markup:
    """Return style sheets of `TEMPLATES`; they are ours and hold no value from outside, so they need no escaping."""
    return Markup("\n".join((TEMPLATES / sheet).read_text(encoding="utf-8") for sheet in sheets))  # noqa: S704
