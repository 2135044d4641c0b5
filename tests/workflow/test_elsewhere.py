"""The workflow runs in another folder than its own, and as a module of another workflow."""

from __future__ import annotations

import shutil
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
#: A data set from its raw files on, and a result that reads the configuration of a paper.
READ, COMPARED = "results/datasets/tiny_news", "results/papers/naive_bayes/comparison.csv"


def half_done(clean: Clone, folder: Path) -> Path:
    """Bring the results of the clean run to a folder, but for those that the test makes again."""
    for part in ("results", "resources", ".snakemake"):
        shutil.copytree(clean.folder / part, folder / part)
    for gone in ("resources/tiny_news", READ):
        shutil.rmtree(folder / gone)
    (folder / COMPARED).unlink()
    return folder


def result(folder: Path) -> tuple[str, str]:
    """Return the record of the data set and the comparison."""
    data, compared = folder / f"{READ}/meta.json", folder / COMPARED
    return data.read_text(encoding="utf-8"), compared.read_text(encoding="utf-8")


def test_workflow_runs_in_another_folder_and_as_a_module(clean: Clone, tmp_path: Path) -> None:
    before = clean.digests()
    elsewhere, outer = (half_done(clean, tmp_path / name) for name in ("elsewhere", "outer"))
    done = clean.run_warm("--cores", "2", READ, COMPARED, "--directory", str(elsewhere))
    assert done.returncode == 0, done.stdout
    assert result(elsewhere) == result(clean.folder)
    (outer / "Snakefile").write_text(OUTER.format(source=clean.folder), encoding="utf-8")
    place = ("--snakefile", str(outer / "Snakefile"), "--directory", str(outer))
    done = clean.run_warm("--cores", "2", READ, COMPARED, *place)
    assert done.returncode == 0, done.stdout
    assert result(outer) == result(clean.folder)
    assert clean.digests() == before
