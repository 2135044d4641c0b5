"""One clean run of the tiny clone, shared by the workflow tests; each test that edits works on a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflow.tiny import Clone, make_clone


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone after one run of the whole tiny workflow on two cores."""
    clone = make_clone(tmp_path_factory.mktemp("clean") / "clone")
    done = clone.run("--cores", "2")
    assert done.returncode == 0, done.stdout
    return clone


@pytest.fixture
def copy(clean: Clone, tmp_path: Path) -> Clone:
    """A copy of the clean clone, results and Snakemake's records included."""
    return clean.copy(tmp_path / "copy")


@pytest.fixture
def fresh(tmp_path: Path) -> Clone:
    """A clone in which nothing has run."""
    return make_clone(tmp_path / "fresh")
