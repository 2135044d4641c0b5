"""One clean run of the tiny clone, shared by all workers; each test that runs or edits something works on a copy."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone, make_clone


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone after one run of the whole tiny workflow, made by the first worker; run and edit only copies of it."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, made = shared / "clean", shared / "clean.made"
    with open(shared / "clean.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            assert not folder.exists(), "the clean run failed in another worker"
            done = make_clone(folder).run("--cores", "2")
            assert done.returncode == 0, done.stdout
            made.touch()
    return Clone(folder)


@pytest.fixture
def copy(clean: Clone, tmp_path: Path) -> Clone:
    """A copy of the clean clone, results and Snakemake's records included."""
    return clean.copy(tmp_path / "copy")


@pytest.fixture
def fresh(tmp_path: Path) -> Clone:
    """A clone in which nothing has run."""
    return make_clone(tmp_path / "fresh")
