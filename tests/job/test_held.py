"""A job whose process ran other code than its files hold ends with an error, also where the edit was undone."""

from __future__ import annotations

import importlib
import itertools
import os
import py_compile
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import cache_from_source
from pathlib import Path
from types import SimpleNamespace

import pytest

from reproduction.flow.job import job
from reproduction.flow.recipe import Code, Recipe
from tests.job.test_runtime import Named, log_of, snakemake  # noqa: F401 - the fixture
from textmix.core import io

_NUMBER = itertools.count()
EDITED, UNEDITED = "VALUE = 2\n", "VALUE = 1\n"


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a module of the user's own that no process has imported; it was written a while ago."""
    path = tmp_path / f"own/late{next(_NUMBER)}.py"
    io.write_text(path, UNEDITED)
    (path.parent / path.stem).mkdir()
    (path.parent / path.stem / "words.txt").write_text("a")
    monkeypatch.syspath_prepend(str(path.parent))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(path.parent), os.environ.get("PYTHONPATH", "")]))
    yield path
    sys.modules.pop(path.stem, None)


def run(snakemake: SimpleNamespace, late: Path, script: Callable[[], object]) -> int:  # noqa: F811 - the fixture
    """Run a job that imports the module late in its script; return the exit code."""
    origin = Code(late.parent.parent / "fit.py", (late.stem,))
    recipe = Recipe("fit", {}, {}, *origin.state(), origin=origin)
    assert late.stem in recipe.code
    snakemake.params = Named(recipe=recipe)
    time.sleep(0.02)
    Path("started.py").write_text("")
    time.sleep(0.02)
    try:
        with job(snakemake) as running:
            script()
            io.write_result(snakemake.output.timings, "x\n1\n", running.record)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_code_that_was_edited_imported_and_restored_is_noticed(snakemake: SimpleNamespace, late: Path) -> None:  # noqa: F811
    def script() -> None:
        late.write_text(EDITED)
        assert importlib.import_module(late.stem).VALUE == 2
        late.write_text(UNEDITED)

    assert run(snakemake, late, script) == 1
    assert f"{late.name} was written while this job imported it; run the same command again" in log_of(snakemake)
    assert not Path(snakemake.output.timings).exists()


def test_an_edit_that_was_undone_before_the_import_harms_nothing(snakemake: SimpleNamespace, late: Path) -> None:  # noqa: F811
    def script() -> None:
        late.write_text(EDITED)
        late.write_text(UNEDITED)
        assert importlib.import_module(late.stem).VALUE == 1

    assert run(snakemake, late, script) == 0


def test_byte_code_of_an_edit_in_the_same_second_is_noticed_and_deleted(snakemake: SimpleNamespace, late: Path) -> None:  # noqa: F811
    stamp = late.stat()
    late.write_text(EDITED)
    os.utime(late, ns=(stamp.st_mtime_ns, stamp.st_mtime_ns))
    py_compile.compile(str(late))
    late.write_text(UNEDITED)
    os.utime(late, ns=(stamp.st_mtime_ns, stamp.st_mtime_ns))
    assert run(snakemake, late, lambda: importlib.import_module(late.stem)) == 1
    assert sys.modules.pop(late.stem).VALUE == 2, "Python itself took the byte code"
    assert not Path(cache_from_source(late)).exists()
    assert run(snakemake, late, lambda: importlib.import_module(late.stem)) == 0
    assert sys.modules[late.stem].VALUE == 1


def test_byte_code_that_was_stored_within_the_second_after_an_edit_is_noticed(
    snakemake: SimpleNamespace,  # noqa: F811
    late: Path,
) -> None:
    date = late.stat().st_mtime_ns
    late.write_text(EDITED)
    os.utime(late, ns=(date, date))
    py_compile.compile(str(late))
    late.write_text(UNEDITED)
    os.utime(late, ns=(date, date))
    stored = late.stat().st_ctime_ns + 10**9
    os.utime(cache_from_source(late), ns=(stored, stored))
    assert run(snakemake, late, lambda: importlib.import_module(late.stem)) == 1
    assert f"{late.name} was written while this job imported it" in log_of(snakemake)


def test_data_that_were_edited_and_restored_are_noticed(snakemake: SimpleNamespace, late: Path) -> None:  # noqa: F811
    def script() -> None:
        (late.parent / late.stem / "words.txt").write_text("b")
        (late.parent / late.stem / "words.txt").write_text("a")

    assert run(snakemake, late, script) == 1
    assert "words.txt was written while this job used it" in log_of(snakemake)


def test_code_that_ran_often_is_still_that_of_its_file(snakemake: SimpleNamespace, late: Path) -> None:  # noqa: F811
    late.write_text("def often(x):\n    return x.real + len([x]) * 2\n\n\nVALUE = sum(map(often, range(1000)))\n")

    def script() -> None:
        module = importlib.import_module(late.stem)
        for number in range(10_000):
            module.often(number)
        late.write_text("# A comment.\n" + late.read_text())

    assert run(snakemake, late, script) == 0


def test_other_code_under_the_name_of_a_file_is_not_taken_for_it(snakemake: SimpleNamespace, late: Path) -> None:  # noqa: F811
    def script() -> None:
        importlib.import_module(late.stem)
        exec(compile("VALUE = 3", str(late), "exec"), {})  # as Numba does while it compiles a kernel

    assert run(snakemake, late, script) == 0
    assert run(snakemake, late, lambda: late.write_text(late.read_text())) == 0


def test_a_fit_whose_kernels_are_compiled_is_that_of_its_files() -> None:
    program = """
from reproduction.job import held
held.watch_imports()
from pathlib import Path
from textmix import EDCMClassifier
EDCMClassifier().fit([[3, 0, 1], [0, 2, 2]], [0, 1])
assert any("edcm_kernels" in name for name in held._ran)
held.check_held([Path(name) for name in held._ran], 0)
"""
    with tempfile.TemporaryDirectory() as cache:  # all kernels are compiled anew
        environment = {**os.environ, "TEXTMIX_CACHE": cache, "NUMBA_DISABLE_JIT": "0"}
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)
