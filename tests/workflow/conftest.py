"""Two runs that all workers share; tests that run or edit something use a copy of one of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone, made_once, make_clone

#: Code added to the library of a clone: a job fails if it opens or lists an undeclared file.  `verify` and
#: `forget_missing`, which read whole folders, are not targets of the run.
WATCH = """

_unwatched = job


@contextmanager
def job(snakemake, **options):
    declared = [os.path.abspath(path) for part in (snakemake.input, snakemake.output, snakemake.log) for path in part]
    folders = [os.path.abspath(name) for name in ("results", "resources", "config", "workflow/schemas")]

    def allowed(path):
        for known in declared:
            folder, name = os.path.split(known)
            # A result's record lies beside it, as does its half-made form; raw files lie beside their record.
            if path == known or path.startswith((f"{known}/", f"{known}.meta.json", f"{folder}/.{name}.")):
                return True
            # A page copies the records of the results behind its rows, all of which precede its comparison.
            if snakemake.rule in ("page", "page_of_paper") and path.endswith(("meta.json", ".yaml")):
                return True
            if name == "fetch.json" and (path == folder or path.startswith(f"{folder}/")):
                return True
        return False

    # Before it writes a result, a job looks beside it for what a killed job left of it.
    beside = {os.path.dirname(os.path.abspath(path)) for path in snakemake.output}

    def watch(event, arguments):
        if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, os.PathLike)):
            path = os.path.abspath(os.fspath(arguments[0]))
            listed = event != "open" and path in beside
            if any(path.startswith(f"{folder}/") for folder in folders) and not allowed(path) and not listed:
                raise RuntimeError(f"rule {snakemake.rule} does not declare {path}")

    sys.addaudithook(watch)
    with _unwatched(snakemake, **options) as running:
        yield running
"""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers of this session share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def pristine(shared: Path) -> Clone:
    """A clone in which nothing has run; run and edit only copies of it."""
    return made_once(shared / "pristine", make_clone)


@pytest.fixture(scope="session")
def clean(shared: Path, pristine: Clone) -> Clone:
    """A clone after one run of the papers; run and edit only copies of it."""

    def make(folder: Path) -> None:
        done = pristine.copy(folder).run_warm("--cores", "2", unlike=False)
        assert done.returncode == 0, done.stdout

    return made_once(shared / "clean", make)


@pytest.fixture(scope="session")
def everything(shared: Path, pristine: Clone) -> Clone:
    """A clone after a run under conditions that differ from those of `clean`, with all file accesses audited."""

    def make(folder: Path) -> None:
        clone = pristine.copy(folder)
        runtime = folder / "src/reproduction/flow/job_context.py"
        runtime.write_text(runtime.read_text(encoding="utf-8") + WATCH, encoding="utf-8")
        done = clone.run_warm("--cores", "1")
        assert done.returncode == 0, done.stdout

    return made_once(shared / "a folder with späces", make)


@pytest.fixture
def copy(clean: Clone, tmp_path: Path) -> Clone:
    """A copy of the clean clone, results and Snakemake's records included."""
    return clean.copy(tmp_path / "copy")


@pytest.fixture
def fresh(pristine: Clone, tmp_path: Path) -> Clone:
    """A copy of the pristine clone."""
    return pristine.copy(tmp_path / "fresh")
