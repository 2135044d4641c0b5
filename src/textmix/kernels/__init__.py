"""Numba kernels: pure functions over arrays, one equation or one sweep each.

Numba's on-disk cache does not notice an edited *imported* kernel (numba issue 9483), so the cache lies in a folder
named by a digest of all kernels' syntax trees: an edit of one moves them all to a fresh folder, a comment nothing.
"""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

import numba

from textmix.provenance import code_digest


def _cache_folder() -> str:
    """Return the cache folder of this version of the kernels, in the first place that can be written."""
    kernels = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")
    digest = code_digest([f"textmix.kernels.{name}" for name in kernels])[:16]
    name = f"textmix-{digest}-py{platform.python_version()}-numba{numba.__version__}"
    roots = [os.environ.get("TEXTMIX_CACHE"), os.environ.get("XDG_CACHE_HOME"), str(Path("~/.cache").expanduser())]
    for root in filter(None, roots):
        folder = Path(root) / "numba" / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    return tempfile.mkdtemp(prefix="textmix-numba-")


if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = _cache_folder()
