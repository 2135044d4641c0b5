"""Folders of a run and of the code of papers."""

from __future__ import annotations

from pathlib import Path

RESULTS, RESOURCES = Path("results"), Path("resources")
#: Folder of the packages of this repository's papers.
CODE = Path(__file__).resolve().parents[1] / "papers"


def package_of(paper: str) -> str:
    """Return the package with the code of a paper; a paper outside the repository is a top-level package."""
    return f"reproduction.papers.{paper}" if (CODE / paper).is_dir() else paper
