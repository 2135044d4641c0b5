"""A job uses one thread and ends with a result or a one-sentence error."""

from __future__ import annotations

import errno
import importlib
import json
import logging
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from reproduction.flow import fingerprint as recipe
from reproduction.flow.fingerprint import Code
from reproduction.flow.job_context import job
from textmix.core import digests, io
from textmix.core.errors import ConfigError, MissingResult
from textmix.core.progress import Paced, progress


class Named(list):
    """List of named values, like Snakemake's inputs, outputs, parameters and wildcards."""

    def __init__(self, *values: object, **named: object) -> None:
        super().__init__([*values, *named.values()])
        self.named = named
        vars(self).update(named)

    def items(self):
        return self.named.items()

    def get(self, name: str, default: object = None) -> object:
        return self.named.get(name, default)


@pytest.fixture
def snakemake(tmp_path, monkeypatch):
    """Return a stand-in for the object ``snakemake`` of a script, and restore the logging handlers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    handlers = logging.root.handlers[:]
    Path("config").mkdir()
    Path("config/published.csv").write_text("id\n1\n")
    io.write_result("results/scores/a.csv", "x\n1\n", {})
    monkeypatch.setattr(recipe, "SCRIPTS", tmp_path)
    (tmp_path / "fit.py").write_text("import numpy\n")
    settings = {"spec": {"use": "dcm", "grid": {"s": [0.1, 1]}}, "seed": 7}
    yield SimpleNamespace(
        rule="fit",
        input=Named("results/scores/a.csv", published="config/published.csv"),
        output=Named(predictions="results/predictions/a", timings="results/timings/a.csv"),
        params=Named(settings=settings, code=Code("fit").parameter()),
        wildcards=Named(method="dcm", dataset="news"),
        log=Named("logs/fit.log"),
    )
    for handler in logging.root.handlers[:]:
        if handler not in handlers:
            logging.root.removeHandler(handler)
            handler.close()
    logging.root.handlers[:] = handlers


def log_of(snakemake: SimpleNamespace) -> str:
    return Path(snakemake.log[0]).read_text(encoding="utf-8")


# --- threads ----------------------------------------------------------------------------------------------------------


def test_thread_limit_applies_to_loaded_libraries():
    program = (
        "import numpy, scipy.linalg, sklearn, threadpoolctl, textmix.numerics.seeding;"
        "threadpoolctl.threadpool_limits(2); textmix.numerics.seeding.limit_threads();"
        "numpy.ones((300, 300)) @ numpy.ones((300, 300));"
        "print([pool['num_threads'] for pool in threadpoolctl.threadpool_info()])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    threads = json.loads(run.stdout)
    assert threads and set(threads) == {1}


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_record_describes_the_result_without_paths_or_times(snakemake, tmp_path):
    with job(snakemake) as running:
        first = running.record
    assert first["script"] == "fit"
    assert first["wildcards"] == {"dataset": "news", "method": "dcm"}
    assert first["inputs"] == {
        "config/published.csv": digests.sha256_file("config/published.csv"),
        "results/scores/a.csv": io.result_digest("results/scores/a.csv"),
    }
    assert first["settings"].keys() == {"spec", "seed"}
    assert {"fit.py", "reproduction.flow.cpu_features"} <= first["code"].keys()
    assert first["environment"].items() >= {"python": platform.python_version(), "numpy": np.__version__}.items()
    text = io.canonical_json(first)
    assert str(tmp_path) not in text and str(Path.home()) not in text and time.strftime("%Y-%m") not in text
    time.sleep(0.01)
    with job(snakemake) as running:
        assert running.record == first


def test_job_imports_only_modules_that_the_plan_can_import(snakemake, tmp_path, monkeypatch):
    """Snakemake adds the folder of the script and the working directory of the plan to the search path."""
    (tmp_path / "beside.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = sys.path[:]
    with pytest.raises(ModuleNotFoundError, match="beside"), job(snakemake):
        importlib.import_module("beside")
    assert sys.path == before


def test_job_rejects_another_environment(snakemake, monkeypatch):
    monkeypatch.setattr(recipe, "environment", lambda packages: {"numpy": "0.1"})
    with pytest.raises(SystemExit), job(snakemake):
        pytest.fail("the job ran")
    assert "the code of this job changed since the run began" in log_of(snakemake)


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("fit.py", "import numpy\nX = 1\n", "the code of this job changed since the run began"),
        ("config/published.csv", "id\n2\n", "config/published.csv changed while it was used"),
    ],
)
def test_job_writes_no_result_if_code_or_input_changes_during_the_run(snakemake, path, text, message):
    with pytest.raises(SystemExit), job(snakemake) as running:
        Path(path).write_text(text)
        io.write_result(snakemake.output.timings, "x\n1\n", running.record)
    assert message in log_of(snakemake)
    assert not Path(snakemake.output.timings).exists()


def test_missing_result_is_written_to_all_outputs_with_a_record(snakemake):
    io.write_missing("results/scores/a.csv", MissingResult("the host is down; try again", broken=True), {})
    with job(snakemake):
        io.check_result(snakemake.input[0])
        pytest.fail("the missing result was not met")
    for path in snakemake.output:
        with pytest.raises(MissingResult, match="the host is down; try again") as caught:
            io.check_result(path)
        assert caught.value.broken
        assert io.read_meta(path)["script"] == "fit"
    assert Path(snakemake.output.predictions).is_dir()
    assert Path(snakemake.output.timings).is_file()
    assert log_of(snakemake) == "left out: the host is down; try again\n"


def test_missing_result_replaces_outputs_written_earlier(snakemake):
    with job(snakemake) as running:
        io.write_result(snakemake.output.timings, "x\n1\n", running.record)
        raise MissingResult("too late")
    with pytest.raises(MissingResult, match="too late"):
        io.check_result(snakemake.output.timings)


def test_missing_result_is_raised_to_a_script_that_tolerates_it(snakemake):
    with pytest.raises(MissingResult), job(snakemake, tolerate_missing=True):
        raise MissingResult("mine to deal with")
    assert not Path(snakemake.output.timings).exists()


@pytest.mark.parametrize("when", ["in the script", "in the record"])
def test_textmix_error_ends_the_job_with_one_sentence(snakemake, when):
    if when == "in the record":
        io.meta_path("results/scores/a.csv").write_text("{")
    with pytest.raises(SystemExit) as caught, job(snakemake):
        raise ConfigError("config.yaml: seed: -1 is too small; give one from 0")
    assert caught.value.code == 1
    lines = log_of(snakemake).splitlines()
    assert len(lines) == 1
    if when == "in the script":
        assert lines == ["ConfigError: config.yaml: seed: -1 is too small; give one from 0"]
    else:
        assert lines[0].startswith("IntegrityError: results/scores/a.csv: the record a.csv.meta.json is damaged")
    assert not any(Path(path).exists() for path in snakemake.output)


@pytest.mark.parametrize(
    ("number", "message"),
    [(errno.ENOSPC, "no space left"), (errno.EFBIG, "no space left"), (errno.EACCES, "no write permission")],
)
def test_output_that_cannot_be_written_ends_the_job_with_one_sentence(snakemake, number, message):
    with pytest.raises(SystemExit) as caught, job(snakemake):
        raise OSError(number, os.strerror(number), snakemake.output.timings)
    assert caught.value.code == 1
    (line,) = log_of(snakemake).splitlines()
    assert line.startswith("StorageError: results/timings/a.csv: ") and message in line


def test_full_disk_names_the_output_instead_of_a_temporary_file(snakemake):
    with pytest.raises(SystemExit), job(snakemake):
        raise OSError(errno.ENOSPC, "full", os.path.abspath("results/predictions/.a.x1.tmp/scores.npy"))
    assert log_of(snakemake).startswith("StorageError: results/predictions/a: no space left")


def test_input_that_cannot_be_read_is_not_called_a_missing_write_permission(snakemake):
    with pytest.raises(PermissionError), job(snakemake):
        raise PermissionError(errno.EACCES, "Permission denied", "results/scores/a.csv")
    assert "write permission" not in log_of(snakemake)


def test_memory_error_is_logged_in_one_sentence(snakemake):
    with pytest.raises(MemoryError), job(snakemake):
        raise MemoryError("Unable to allocate 3 GiB")
    assert log_of(snakemake).splitlines() == [
        "out of memory in rule fit: Unable to allocate 3 GiB; give it more or use a smaller data set"
    ]


def test_unexpected_error_is_logged_with_traceback_and_raised(snakemake):
    with pytest.raises(ZeroDivisionError), job(snakemake):
        _ = 1 / 0
    log = log_of(snakemake)
    assert log.startswith("rule fit failed; the cause is in the last line\nTraceback")
    assert log.endswith("ZeroDivisionError: division by zero\n")


def test_job_limits_libraries_to_one_thread(snakemake):
    os.environ["OPENBLAS_NUM_THREADS"] = "4"
    with job(snakemake):
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


# --- progress ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """Clock that a test can set."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_progress_shows_iteration_objective_and_remaining_time(clock, caplog):
    caplog.set_level(logging.INFO, logger="textmix")
    report = progress("EM of dcm", 200)
    clock[0] += 10
    report(50, -1234.5678)
    assert caplog.messages == ["EM of dcm: iteration 50 of 200, objective -1234.57, 30 s left"]


def test_progress_is_throttled_on_the_terminal_and_in_the_log(clock, caplog):
    caplog.set_level(logging.INFO, logger="textmix")
    terminal, log, told = Paced(2.0), Paced(60.0), {"terminal": [], "log": []}
    reports = [progress("fit", 100), progress("path", 100)]
    for iteration in range(1, 71):
        clock[0] += 0.9
        for report in reports:
            report(iteration)
            told["terminal"] += [iteration] * terminal.filter(caplog.records[-1])
            told["log"] += [iteration] * log.filter(caplog.records[-1])
    assert told["terminal"][:4] == [3, 3, 6, 6]
    assert told["log"] == [67, 67]
    assert caplog.messages[5] == "path: iteration 3 of 100, 87 s left"


def test_other_messages_are_not_throttled(caplog):
    caplog.set_level(logging.INFO, logger="textmix")
    for _ in range(2):
        logging.getLogger("textmix").info("left out")
    assert all(map(Paced(60.0).filter, caplog.records))


def test_progress_without_a_total_has_no_remaining_time(clock, caplog):
    caplog.set_level(logging.INFO, logger="textmix")
    report = progress("fit")
    clock[0] += 3
    report(0, 1.0)
    assert caplog.messages == ["fit: iteration 0, objective 1"]


# --- facts for the report ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="malloc of another library")
def test_freed_memory_is_kept_by_the_process():
    program = """
import sys
from pathlib import Path
import numpy as np
from reproduction.flow import job_context as job
def mebibytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) / 256
if sys.argv[1:]:
    job._keep_freed_memory()
before = mebibytes()
np.ones(16_000_000)
print(mebibytes() - before)
"""
    freed, kept = (
        float(subprocess.run([sys.executable, "-c", program, *option], capture_output=True, check=True).stdout)
        for option in ([], ["keep"])
    )
    assert freed < 30
    assert kept > 100
