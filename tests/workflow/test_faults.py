"""Injected failures: killed and failed jobs, edited results, invalid keys, missing and corrupt data."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone, descendants
from textmix.core.io import changed_files

pytestmark = pytest.mark.workflow

#: Output of a fit, and the scores that depend on it.
FIT = "results/predictions/edcm/smoothing/tiny_news/edcm"
SCORE = "results/scores/edcm/smoothing/tiny_news/edcm.csv"
#: Timeout of waiting tests in seconds.
HUNG = 600


def hold(clone: Clone, script: str, line: str) -> None:
    """Make the jobs of a script write the file ``held`` before a line and wait for the file ``go``."""
    path = clone.folder / f"workflow/scripts/{script}.py"
    before, indent, after = re.split(rf"^( +)(?={re.escape(line)})", path.read_text("utf-8"), flags=re.MULTILINE)
    waiting = f"while not os.path.exists('go') and time.time() < {time.time() + HUNG}: time.sleep(0.05)"
    wait = "".join(f"{indent}{part}\n" for part in ("import os, time", "open('held', 'w').close()", waiting))
    path.write_text(f"{before}{wait}{indent}{after}", encoding="utf-8")


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + HUNG
    while not condition():
        assert time.monotonic() < deadline, "the test hung"
        time.sleep(0.05)


def ended(pid: int) -> bool:
    """Check whether a process has ended."""
    try:
        return "zombie" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def kill(clone: Clone, with_jobs: bool) -> None:
    """Start a run, kill it while its fit waits before the second output, and unlock the folder."""
    (clone.folder / "go").unlink(missing_ok=True)
    (clone.folder / "held").unlink(missing_ok=True)
    running = clone.start("--cores", "2", SCORE)
    wait_until((clone.folder / "held").exists)
    assert running.poll() is None, "the run ended before it could be killed"
    jobs = descendants(running.pid)
    for pid in [running.pid, *(jobs if with_jobs else [])]:
        os.kill(pid, signal.SIGKILL)
    running.wait()
    (clone.folder / "go").touch()
    wait_until(lambda: all(map(ended, jobs)))
    assert clone.run_warm("--unlock").returncode == 0


def test_killed_run_resumes_to_the_same_bytes(clean: Clone, copy: Clone) -> None:
    fit = copy.folder / "workflow/scripts/fit.py"
    whole = fit.read_text(encoding="utf-8")
    hold(copy, "fit", "write_result(snakemake.output.timings")
    shutil.rmtree(copy.folder / FIT)
    (copy.folder / SCORE).unlink()
    kill(copy, with_jobs=False)
    assert not list(copy.folder.rglob("*.tmp")), "the job was left alone and ended well"
    kill(copy, with_jobs=True)
    fit.write_text(whole, encoding="utf-8")
    done = copy.run_warm("--cores", "2", SCORE)
    assert done.returncode == 0, done.stdout
    assert "Report:" not in done.stdout, "a run without the report says nothing about its verdicts"
    kept, made = (
        {name: digest for name, digest in clone.digests().items() if name.startswith((FIT, SCORE))}
        for clone in (clean, copy)
    )
    assert kept == made
    assert SCORE in kept and len(kept) > 2


#: The tests of the plan cover each error; these check that the message reaches the user from the reader of a file, from
#: the plan and from the rows of a paper.
WRONG = {
    "key twice": ("config/config.yaml", "seed:", "seed: 1\nseed:", ["config.yaml", "seed", "duplicate"]),
    "command as a data set": ("config/config.yaml", "dataset: tiny_news", "dataset: 'a;touch b;'", ["a;touch b;"]),
    "no such experiment": (
        "config/papers/edcm/published.csv",
        "score:table1/",
        "score:tabel1/",
        ["unknown experiment 'tabel1'; did you mean 'table1'?"],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_configuration_is_rejected_with_key_and_remedy(fresh: Clone, name: str) -> None:
    path, old, new, words = WRONG[name]
    fresh.edit(path, old, new)
    done = fresh.run_warm("-n")
    assert done.returncode != 0
    assert all(word in done.stdout for word in words), done.stdout
    assert "Traceback" not in done.stdout
    assert not (fresh.folder / "results").exists()
    assert not (fresh.folder / "b").exists()


def test_edited_result_stops_the_next_job_and_is_reported_by_verify(copy: Clone) -> None:
    victim = copy.folder / FIT / "classes.npy"
    stamp = victim.stat()
    data = bytearray(victim.read_bytes())
    data[-1] ^= 1
    victim.write_bytes(bytes(data))
    os.utime(victim, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    verified = copy.run_warm("--cores", "1", "verify")
    assert verified.returncode != 0
    assert "classes.npy" in verified.stdout
    scored = copy.run_warm("--cores", "1", "-R", "score", "--", SCORE)
    assert scored.returncode != 0
    assert "classes.npy" in scored.stdout


def test_failed_run_marks_the_report_until_a_run_succeeds(copy: Clone) -> None:
    accepted = "results/papers/edcm/accepted.json"
    report = copy.folder / "results/papers/edcm/report"
    pages = [report / f"{name}.html" for name in ("index", "numbers", "edcm")]
    script = copy.folder / "workflow/scripts/score.py"
    original = script.read_text(encoding="utf-8")
    copy.edit("workflow/scripts/score.py", "    rows = score(", "    raise ValueError('<injected>')\n    rows = score(")
    for _ in range(2):
        failed = copy.run_warm("--cores", "2", accepted)
        assert failed.returncode != 0
        assert f"; see {report.relative_to(copy.folder)}/index.html" in failed.stdout, failed.stdout
        for page in pages:
            text = page.read_text(encoding="utf-8")
            assert text.count('class="failed"') == 1
            assert text.index("did not complete") < text.index("<h1>")
            assert "logs/score/edcm/smoothing/tiny_news/edcm.log" in text
            assert "ValueError: &lt;injected&gt;" in text
            assert not changed_files(page)
    other = copy.folder / "results/report/index.html"
    assert 'class="failed"' not in other.read_text(encoding="utf-8"), "the run did not include this report"
    script.write_text(original, encoding="utf-8")
    succeeded = copy.run_warm("--cores", "2", accepted)
    assert succeeded.returncode == 0, succeeded.stdout
    assert not any('class="failed"' in page.read_text(encoding="utf-8") for page in pages)
    assert (report / "summary.json").exists()


def test_interrupted_first_run_leaves_a_page_that_says_so(fresh: Clone) -> None:
    hold(fresh, "fit", "write_result(snakemake.output.timings")
    running = fresh.start("--cores", "2", "edcm")
    wait_until((fresh.folder / "held").exists)
    os.kill(running.pid, signal.SIGTERM)
    (fresh.folder / "go").touch()
    assert running.wait() != 0
    page = (fresh.folder / "results/papers/edcm/report/index.html").read_text(encoding="utf-8")
    assert "did not complete" in page and "It wrote no report" in page


def test_missing_data_are_a_missing_result_and_an_error_if_strict(copy: Clone) -> None:
    for path in (copy.folder / "mirror").glob("tiny_reuters*"):
        path.unlink()
    shutil.rmtree(copy.folder / "resources/tiny_reuters")
    shutil.rmtree(copy.folder / "results/datasets/tiny_reuters")
    accepted = "results/report/accepted.json"  # the last output except the description of the report
    done = copy.run_warm("--cores", "2", accepted)
    assert done.returncode == 0, done.stdout
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (copy.folder / "results/report").glob("*.html")}
    assert "tiny_reuters is out of reach" in "".join(pages.values())
    assert "data missing" in pages["index"]
    strict = copy.run_warm("--cores", "2", accepted, "--config", "strict=true")
    assert strict.returncode != 0
    assert "tiny_reuters" in strict.stdout


def test_a_mirror_that_does_not_exist_is_rejected_before_the_run(fresh: Clone) -> None:
    done = fresh.run_warm("-n", TEXTMIX_MIRROR="/nonexistent")
    assert done.returncode != 0 and "TEXTMIX_MIRROR: /nonexistent does not exist" in done.stdout


def test_unavailable_data_set_comes_with_instructions(fresh: Clone, tmp_path: Path) -> None:
    done = fresh.run_warm("--cores", "1", "resources/tiny_reuters/fetch.json", TEXTMIX_MIRROR=str(tmp_path))
    assert done.returncode == 0, done.stdout
    assert "by hand" in (fresh.folder / "logs/fetch/tiny_reuters.log").read_text(encoding="utf-8")
