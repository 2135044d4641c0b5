"""Draw the figures of the gallery in the style of the report."""

from __future__ import annotations

from typing import Any

import matplotlib

from reproduction.figures.style import STYLE_FILE


def reset(gallery: dict[str, Any], script: str) -> None:
    """Set the Matplotlib style before Sphinx-Gallery runs a script."""
    matplotlib.rc_file(STYLE_FILE)
    matplotlib.rcParams["savefig.dpi"] = 110
    matplotlib.rcParams["backend"] = "agg"
