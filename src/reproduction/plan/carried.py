"""The files that the description of a run carries, so that the workflow runs from them."""

from __future__ import annotations

import re
from pathlib import Path

#: Files and folders from which the workflow runs, as far as they are there.
CARRIED = (
    *("Snakefile", "workflow", "config", "profiles", "src", "Makefile", "pyproject.toml", "setup.py"),
    *("requirements.lock", "requirements-bench.lock", "README.md", "LICENSE", "CITATION.cff"),
)
_GENERATED = re.compile(r"(^|/)(\.|__pycache__/|[^/]*\.egg-info/)")


def workflow_files(root: Path) -> list[str]:
    """Return the files from which the workflow runs, without those that Python made, relative to their folder."""
    found = [path for name in CARRIED for path in (root / name, *(root / name).rglob("*")) if path.is_file()]
    names = (path.relative_to(root).as_posix() for path in found)
    return sorted(name for name in names if not _GENERATED.search(name))
