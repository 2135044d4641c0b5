"""The look of the gallery's figures: that of the report."""

from __future__ import annotations

from typing import Any

import matplotlib

from reproduction.figures.style import STYLE_FILE


def reset(gallery: dict[str, Any], script: str) -> None:
    """Set the style before a script of the gallery runs; Sphinx-Gallery calls it with its settings."""
    matplotlib.rc_file(STYLE_FILE)
    matplotlib.rcParams["savefig.dpi"] = 110
    matplotlib.rcParams["backend"] = "agg"
