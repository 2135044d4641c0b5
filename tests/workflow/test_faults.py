"""Faults on purpose: kills, tampering, wrong keys, missing and broken data, and what the workflow says of them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow


def children(pid: int) -> list[int]:
    """Return the process ids of a process's descendants."""
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    direct = [int(word) for word in done.stdout.split()]
    return direct + [deeper for child in direct for deeper in children(child)]


@pytest.mark.parametrize("with_jobs", [False, True], ids=["scheduler", "scheduler and its jobs"])
def test_killed_run_resumes_to_the_same_bytes(clean: Clone, fresh: Clone, with_jobs: bool) -> None:
    running = fresh.start("--cores", "2", "edcm")
    deadline = time.monotonic() + 120
    while not any((fresh.folder / "results/predictions").rglob("meta.json")) and time.monotonic() < deadline:
        assert running.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    victims = [running.pid, *(children(running.pid) if with_jobs else [])]
    orphans = children(running.pid)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    running.wait()
    wait_for(orphans)
    assert fresh.run("--unlock").returncode == 0
    done = fresh.run("--cores", "2", "edcm")
    assert done.returncode == 0, done.stdout
    kept, made = (
        {name: digest for name, digest in clone.digests().items() if name.startswith("results/scores/edcm/")}
        for clone in (clean, fresh)
    )
    assert kept == made
    assert kept
    assert not list(fresh.folder.rglob("*.tmp")) or with_jobs


def wait_for(pids: list[int]) -> None:
    """Wait until jobs that outlived their scheduler have ended."""
    for pid in pids:
        while Path(f"/proc/{pid}").exists() and "zombie" not in Path(f"/proc/{pid}/status").read_text():
            time.sleep(0.1)


WRONG = {
    "unknown key": ("config/config.yaml", "strict:", "stirct:", ["stirct", "strict"]),
    "duplicate key": ("config/config.yaml", "seed:", "seed: 1\nseed:", ["seed", "twice"]),
    "wrong type": ("config/config.yaml", "strict: false", "strict: maybe", ["strict", "maybe"]),
    "negative number": ("config/config.yaml", "max_trials: 2", "max_trials: -2", ["max_trials", "-2"]),
    "zero trials": ("config/config.yaml", "max_trials: 2", "max_trials: 0", ["max_trials", "0"]),
    "unknown data set": ("config/config.yaml", "dataset: tiny_news", "dataset: tiny_nwes", ["tiny_nwes", "tiny_news"]),
    "path as a data set": ("config/config.yaml", "dataset: tiny_news", "dataset: ../x", ["../x"]),
    "command as a data set": ("config/config.yaml", "dataset: tiny_news", "dataset: 'a;touch b;'", ["a;touch b;"]),
    "unknown paper": ("config/config.yaml", "- edcm", "- edmc", ["edmc", "edcm"]),
    "unknown comparable": ("config/config.yaml", "comparable: nearly", "comparable: almost", ["almost", "nearly"]),
    "not YAML": ("config/config.yaml", "strict: false", "strict: [", ["config.yaml", "line"]),
    "unknown method": ("config/papers/edcm/paper.yaml", "use: edcm", "use: edmc", ["edmc", "edcm"]),
    "unknown split": (
        "config/papers/edcm/paper.yaml",
        "newsgroups: random_80_20",
        "newsgroups: random_90",
        ["random_90"],
    ),
    "unknown features": (
        "config/papers/edcm/paper.yaml",
        "features: rainbow",
        "features: rainbwo",
        ["rainbwo", "rainbow"],
    ),
    "unknown role": ("config/papers/edcm/paper.yaml", "{newsgroups: random", "{newsgruops: random", ["newsgruops"]),
    "unknown tokenizer": (
        "config/papers/edcm/paper.yaml",
        "tokenizer: letters",
        "tokenizer: leters",
        ["leters", "letters"],
    ),
    "unknown metric": (
        "config/papers/edcm/paper.yaml",
        "metrics: [accuracy",
        "metrics: [acuracy",
        ["acuracy", "accuracy"],
    ),
    "bad split": ("config/papers/edcm/paper.yaml", "train: 0.8", "train: -0.8", ["-0.8"]),
    "duplicate key in a paper": (
        "config/papers/edcm/paper.yaml",
        "status: built",
        "status: built\nstatus: built",
        ["status", "twice"],
    ),
    "unknown key in the registry": ("config/datasets.yaml", "terms:", "termz:", ["termz", "terms"]),
    "bad name in the registry": ("config/datasets.yaml", "tiny_news:", "Tiny News:", ["Tiny News"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_configuration_fails_and_names_key_and_remedy(fresh: Clone, name: str) -> None:
    path, old, new, words = WRONG[name]
    fresh.edit(path, old, new)
    done = fresh.run("-n")
    assert done.returncode != 0
    assert all(word in done.stdout for word in words), done.stdout
    assert not (fresh.folder / "results").exists()
    assert not (fresh.folder / "b").exists()


def test_tampered_result_stops_the_next_stage_and_verify_names_it(copy: Clone) -> None:
    victim = copy.folder / "results/predictions/edcm/table1/tiny_news/edcm/classes.npy"
    stamp = victim.stat()
    data = bytearray(victim.read_bytes())
    data[-1] ^= 1
    victim.write_bytes(bytes(data))
    os.utime(victim, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    verified = copy.run("--cores", "1", "verify")
    assert verified.returncode != 0
    assert "classes.npy" in verified.stdout
    scored = copy.run("--cores", "1", "-R", "score")
    assert scored.returncode != 0
    assert "classes.npy" in scored.stdout


def test_verify_accepts_an_untouched_run(clean: Clone) -> None:
    done = clean.run("--cores", "1", "verify")
    assert done.returncode == 0, done.stdout


def test_missing_data_leave_a_missing_result_and_strict_makes_it_an_error(fresh: Clone) -> None:
    fresh.edit("config/config.yaml", "- edcm\n", "")
    for path in (fresh.folder / "mirror").glob("tiny_reuters*"):
        path.unlink()
    done = fresh.run("--cores", "2")
    assert done.returncode == 0, done.stdout
    page = (fresh.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert "tiny_reuters" in page
    assert "data missing" in page
    strict = fresh.run("--cores", "2", "--config", "strict=true")
    assert strict.returncode != 0
    assert "tiny_reuters" in strict.stdout


def test_flipped_byte_in_raw_data_is_refused_and_the_other_document_is_still_rebuilt(fresh: Clone) -> None:
    raw = fresh.folder / "mirror/tiny_reuters-train.tab"
    data = bytearray(raw.read_bytes())
    data[500] ^= 1
    raw.write_bytes(bytes(data))
    done = fresh.run("--cores", "2")
    assert "tiny_reuters" in done.stdout
    rows = (fresh.folder / "results/papers/edcm/comparison.csv").read_text(encoding="utf-8")
    assert "edcm.t1" in rows
    assert not list((fresh.folder / "resources/tiny_reuters").glob("*.tab"))


def test_no_mirror_and_no_network_say_what_to_do(fresh: Clone) -> None:
    fresh.edit("config/config.yaml", "- edcm\n", "")
    done = fresh.run("--cores", "2", TEXTMIX_MIRROR="/nonexistent")
    assert done.returncode == 0, done.stdout
    assert "by hand" in done.stdout


def test_two_runs_at_once_leave_the_first_unharmed(fresh: Clone) -> None:
    first = fresh.start("--cores", "1", "edcm")
    deadline = time.monotonic() + 60
    while not list((fresh.folder / ".snakemake/locks").glob("*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    second = fresh.run("--cores", "1", "edcm")
    assert second.returncode != 0
    assert "lock" in second.stdout.lower()
    assert first.wait(timeout=300) == 0


def test_dry_run_of_a_fresh_clone_imports_no_compiler_and_fetches_nothing(fresh: Clone) -> None:
    done = fresh.run("-n", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0, done.stdout
    assert not [line for line in done.stdout.splitlines() if line.endswith((" numba", " sklearn"))]
    assert not (fresh.folder / "resources").exists()


def test_every_target_rule_has_a_sentence(fresh: Clone) -> None:
    done = fresh.run("--list-target-rules")
    for target in ("all", "pmm", "edcm", "report", "figures", "tables", "verify", "bench", "naive_bayes"):
        line = next(line for line in done.stdout.splitlines() if line.strip().split()[:1] == [target])
        assert len(line.split()) > 4, line
