"""The workflow runs in another folder than its own, and as a module of another workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow

OUTER = """
configfile: "{source}/config/config.yaml"


module textmix:
    snakefile:
        "{source}/Snakefile"
    config:
        config


use rule * from textmix
"""


def compared(folder: Path) -> str:
    """Return the comparison of the lecture in a folder of results."""
    return (folder / "results/papers/naive_bayes/comparison.csv").read_text(encoding="utf-8")


def test_workflow_runs_in_another_folder_and_as_a_module(fresh: Clone, tmp_path: Path) -> None:
    elsewhere, outer = tmp_path / "elsewhere", tmp_path / "outer"
    target = "results/papers/naive_bayes/comparison.csv"
    done = fresh.run("--cores", "2", target, "--directory", str(elsewhere))
    assert done.returncode == 0, done.stdout
    assert "zh." in compared(elsewhere)
    outer.mkdir()
    (outer / "Snakefile").write_text(OUTER.format(source=fresh.folder), encoding="utf-8")
    place = ("--snakefile", str(outer / "Snakefile"), "--directory", str(outer))
    done = fresh.run("--cores", "2", target, *place)
    assert done.returncode == 0, done.stdout
    assert compared(outer) == compared(elsewhere)
    assert not (fresh.folder / "results").exists()
    assert not (fresh.folder / "resources").exists()
