"""Compare text classification methods on user data, starting from the TF-IDF + linear model baseline."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from textmix.core.errors import extra

if TYPE_CHECKING:
    from textmix.compare.comparison import Comparison as Comparison
    from textmix.compare.comparison import compare as compare

__all__ = ["Comparison", "compare"]
#: Packages of the extra that are required at the end of a comparison; imported early, so that it fails fast.
NEEDED = ("yaml", "jinja2", "defusedxml")


def __getattr__(name: str) -> Any:
    """Import a public attribute lazily; raise ModuleNotFoundError if the extra ``compare`` is not installed."""
    if name not in __all__:
        raise AttributeError(f"textmix.compare has no {name!r}")
    with extra("compare"):
        for needed in NEEDED:
            importlib.import_module(needed)
    return getattr(importlib.import_module("textmix.compare.comparison"), name)
