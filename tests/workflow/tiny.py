"""Temporary clones of the workflow with small synthetic data, which the workflow tests run and break."""

from __future__ import annotations

import atexit
import compileall
import fcntl
import functools
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from py_compile import PycInvalidationMode

import numpy as np
import yaml

from reproduction.flow.locators import parse_locator
from reproduction.flow.published_table import PUBLISHED_COLUMNS
from reproduction.verdict.recorded_run import recorded_files
from reproduction.verdict.reference_check import check_locator
from textmix.core.errors import ConfigError
from textmix.core.io import format_csv, read_csv

ROOT = Path(__file__).resolve().parents[2]
#: Short forms of two papers' paper.yaml, so that the tests do not grow with the papers.
PROFILE = Path(__file__).with_name("profile")
#: The papers of a run, and a paper that is only present for its benchmarks.
BUILT, IDLE = ("edcm", "naive_bayes"), "pmm"
PARTS = ("workflow", "config", "src", "profiles", "requirements.lock")
#: Hash seed, encoding and time zone of the processes of `Clone.run_warm`, except for the run `clean`.
UNLIKE = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
#: Pages that show measured times.
TIMED_PAGES = tuple(f"results/report/{name}.html" for name in ("provenance", "index", "numbers", "edcm"))
#: Description of the run as an RO-Crate: its configuration and workflow.
DESCRIBED = tuple(
    f"results/report/{name}" for name in ("ro-crate-", "config.json", "README.md.meta", "source/", "files/")
)
#: Measured times, the pages that show them and the description of the run, which differ between runs.
MEASURED = ("results/timings/", "results/benchmarks/", "results/papers/edcm/report/", *DESCRIBED, *TIMED_PAGES)


def synthetic_tab(seed: int, documents: int) -> str:
    """Return a .tab file of random words in three classes with different word distributions."""
    generator = np.random.default_rng(seed)
    words = np.array(["".join(generator.choice(list("abcdefghij"), 5)) for _ in range(120)])
    lines = ["Category\tText", "d\tstring", "class\t", ""]
    for row in range(documents):
        kind = row % 3
        weights = generator.dirichlet(np.where(np.arange(120) % 3 == kind, 0.3, 0.08))
        lines.append(f"class.{kind}\t{' '.join(generator.choice(words, 30, p=weights))}")
    return "\n".join(lines) + "\n"


def _entry(name: str, mirror: Path, seed: int) -> dict:
    """Write the files of a data set to the mirror; return its registry entry."""
    files = {}
    for role, documents in (("train", 60), ("test", 30)):
        path = mirror / f"{name}-{role}.tab"
        path.write_text(synthetic_tab(seed + documents, documents), encoding="utf-8")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        files[role] = {"path": path.name, "sha256": digest, "bytes": path.stat().st_size}
    return {
        "title": f"Synthetic {name}",
        "citation": "none: made for tests",
        "terms": "none",
        "reader": {"name": "tab_file", "options": {}},
        "files": {role: f"{name}-{role}.tab" for role in files},
        "sources": [{"mirror": files}],
        "expect": {"documents": 90, "labels": 3, "train": 60, "test": 30},
    }


def make_clone(folder: Path) -> Clone:
    """Copy the workflow to a folder, compile it to byte code, and add small data and a short configuration."""
    folder.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
        else:
            shutil.copy(source, folder / part)
    # Jobs may not be able to write byte code; this one is validated by the content of the source.
    compileall.compile_dir(folder / "src", quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    for paper in (folder / "config/papers").iterdir():
        if paper.name in BUILT:
            _shorten_paper(paper)
        elif paper.name != IDLE:
            shutil.rmtree(paper)
    for path in recorded_files((folder / "config/papers").iterdir()):  # of the true data
        path.unlink()
    mirror = folder / "mirror"
    mirror.mkdir()
    names = ("tiny_news", "tiny_reuters", "tiny_absent")
    registry = {name: _entry(name, mirror, seed) for seed, name in enumerate(names, start=1)}
    for path in mirror.glob("tiny_absent*"):
        path.unlink()
    (folder / "config/datasets.yaml").write_text(yaml.safe_dump(registry), encoding="utf-8")
    config = yaml.load((ROOT / "config/config.yaml").read_bytes(), yaml.CSafeLoader)
    for role, entry in config["roles"].items():
        entry["dataset"] = {"newsgroups": "tiny_news", "r52": "tiny_reuters"}.get(role)
        entry.pop("substitutes", None)
    config |= {"papers": list(BUILT), "max_trials": 2}
    (folder / "config/config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return Clone(folder)


def _shorten_paper(folder: Path) -> None:
    """Shorten a paper: remove settings, later works, causes, and sources that the short form does not have."""
    shutil.copy(PROFILE / f"{folder.name}.yaml", folder / "paper.yaml")
    spec = yaml.safe_load((folder / "paper.yaml").read_text(encoding="utf-8"))
    checks = yaml.load((folder / "checks.yaml").read_bytes(), yaml.CSafeLoader)
    kept = {name: check for name, check in checks.items() if all(_is_short(text, spec) for text in _compared(check))}
    (folder / "checks.yaml").write_text(yaml.safe_dump(kept), encoding="utf-8")
    published = folder / "published.csv"
    rows = [row for row in read_csv(published) if row["kind"] != "beyond" and not row["source"].startswith("setting:")]
    for row in rows:
        row["dataset"] *= row["dataset"] in spec["roles"]
        name = row["source"].removeprefix("check:")
        if name not in kept and (name != row["source"] or (name and not _is_short(name, spec))):
            row |= {"source": "", "tolerance": "open", "margin": ""}
    published.write_text(format_csv(rows, PUBLISHED_COLUMNS), encoding="utf-8")
    choices = folder / "choices.yaml"
    entries = yaml.load(choices.read_bytes(), yaml.CSafeLoader)
    omitted_keys = ("effect", "explains", "alternatives")
    short = [{key: value for key, value in entry.items() if key not in omitted_keys} for entry in entries]
    choices.write_text(yaml.safe_dump(short), encoding="utf-8")


def _compared(check: dict) -> list[str]:
    """Return the locators of a check."""
    return [*check["left"], *check.get("right", ())]


def _is_short(text: str, spec: dict) -> bool:
    """Check whether a locator refers to the short form of a paper."""
    try:
        check_locator(parse_locator(text), spec, text, ROOT / "tests")
    except ConfigError:
        return False
    return True


def made_once(folder: Path, make: Callable[[Path], None]) -> Clone:
    """Return the clone in a shared folder; the first worker creates it while the others wait."""
    made = folder.with_name(f"{folder.name}.made")
    with open(folder.with_name(f"{folder.name}.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            assert not folder.exists(), "the run failed in another worker"
            make(folder)
            made.touch()
    return Clone(folder)


class Warm:
    """Server process with imported modules, and a Python executable that runs programs in forks of it.

    Parameters
    ----------
    **environment : str
        Environment variables of the server, in addition to those of this process.
    """

    def __init__(self, **environment: str) -> None:
        folder, here = Path(tempfile.mkdtemp(prefix="textmix-warm-")), Path(__file__).parent
        self.python = folder / "python"
        client = [sys.executable, "-I", "-S", str(here / "warm_client.py"), str(folder / "socket")]
        self.python.write_text(f'#!/bin/sh\nexec {shlex.join(client)} "$@"\n', encoding="utf-8")
        self.python.chmod(0o755)
        command = [sys.executable, str(here / "warm_server.py"), str(folder / "socket"), str(self.python)]
        self.process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None and self.process.stdout.readline() == b"ready\n"
        atexit.register(shutil.rmtree, folder)


@functools.cache
def warm(unlike: bool) -> Warm:
    """Return one of the two servers of this process: with its own environment or with `UNLIKE`."""
    return Warm(**UNLIKE) if unlike else Warm()


class Clone:
    """A folder with a workflow, and methods that run it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a run: library and mirror of the clone, and a shared cache."""
        cache = os.environ.get("TEXTMIX_CACHE", str(Path("~/.cache").expanduser()))
        mine = {"PYTHONPATH": str(self.folder / "src"), "TEXTMIX_MIRROR": str(self.folder / "mirror")}
        return {**os.environ, **mine, "TEXTMIX_CACHE": cache, **more}

    def command(self, *arguments: str, python: str = sys.executable) -> list[str]:
        """Return the command line of a run."""
        return [python, "-m", "snakemake", *arguments]

    def run_warm(self, *arguments: str, unlike: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake like `run`, in forks of a process that has imported its modules."""
        differs = UNLIKE if unlike else {}
        return self.run(*arguments, python=str(warm(unlike).python), **{**differs, **environment})

    def run(
        self, *arguments: str, python: str = sys.executable, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run Snakemake; return its output (both streams in ``stdout``) and exit code."""
        return subprocess.run(
            self.command(*arguments, python=python),
            cwd=self.folder,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )

    def start(self, *arguments: str, python: str = sys.executable) -> subprocess.Popen[bytes]:
        """Start Snakemake in the background."""
        return subprocess.Popen(
            self.command(*arguments, python=python),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def copy(self, folder: Path) -> Clone:
        """Return a copy of the clone with its results."""
        shutil.copytree(self.folder, folder, symlinks=False)
        return Clone(folder)

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 digests of all results that must not differ between runs."""
        files = sorted(p for p in (self.folder / "results").rglob("*") if p.is_file())
        names = {p.relative_to(self.folder).as_posix(): p for p in files if p.name != ".snakemake_timestamp"}
        return {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in names.items()
            if not name.startswith(MEASURED)
        }

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text in a file of the clone; fail if the file does not contain it."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


#: Results with measured seconds; all other rows must be equal.
SHOW_TIME = {"results/papers/edcm/comparison.csv", "results/report/comparison.csv", "results/report/summary.json"}


def content(clone: Clone, name: str) -> object:
    """Return the reproducible content of a result: without measured rows and, in records, measured inputs."""
    path = clone.folder / name
    if name.endswith(".meta.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        of = name.removesuffix(".meta.json")
        record["inputs"] = {
            key: digest
            for key, digest in record["inputs"].items()
            if key not in SHOW_TIME and not key.startswith(("results/timings/", "results/benchmarks/"))
        }
        return {key: value for key, value in record.items() if key != "files" or of not in SHOW_TIME}
    if name in SHOW_TIME and name.endswith(".csv"):
        return [line for line in path.read_text(encoding="utf-8").splitlines() if "edcm.time." not in line]
    return path.read_bytes()


def unlike(made: Clone, other: Clone) -> list[str]:
    """Return the names of results that differ from those of another clone."""
    here, there = made.digests(), other.digests()
    differ = [name for name in here if here[name] != there.get(name)]
    return [name for name in differ if name not in there or content(made, name) != content(other, name)]


def descendants(pid: int) -> list[int]:
    """Return the ids of all descendants of a process."""
    asked = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    direct = [int(word) for word in asked.stdout.split()]
    return direct + [deeper for child in direct for deeper in descendants(child)]
