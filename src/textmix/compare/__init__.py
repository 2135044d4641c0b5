"""Methods compared on the user's own texts: the pipeline an expert writes by hand first, and what is ahead of it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from textmix.core.errors import extra

if TYPE_CHECKING:
    from textmix.compare.comparison import Comparison as Comparison
    from textmix.compare.comparison import compare as compare

__all__ = ["Comparison", "compare"]
#: Packages of the extra that a comparison needs at its end; it tells what is missing before it begins.
NEEDED = ("yaml", "jinja2", "defusedxml")


def __getattr__(name: str) -> Any:
    """Return a public name after an import; raises ModuleNotFoundError that names a missing extra."""
    if name not in __all__:
        raise AttributeError(f"textmix.compare has no {name!r}")
    with extra("compare"):
        for needed in NEEDED:
            importlib.import_module(needed)
    return getattr(importlib.import_module("textmix.compare.comparison"), name)
