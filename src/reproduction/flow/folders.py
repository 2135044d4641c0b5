"""The folders of a run and of the code of papers."""

from __future__ import annotations

from pathlib import Path

RESULTS, RESOURCES = Path("results"), Path("resources")
#: The folder of the packages of the papers of this repository.
CODE = Path(__file__).resolve().parents[1] / "papers"


def package_of(paper: str) -> str:
    """Return the package with the code of a paper; one outside the repository is a package by itself."""
    return f"reproduction.papers.{paper}" if (CODE / paper).is_dir() else paper
