"""Provenance: data and times of a run, and the settings, jobs and records of a row."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any

from reproduction.flow.lineage import Origin
from reproduction.verdict.wording import number
from textmix.core import io
from textmix.core.errors import MissingResult

#: Folder of a report with copies of the files that its pages link to, under their paths in the folder of the run,
FILES = "files"
#: and their extension: a browser shows them as text, and the copy of a record is no record.
COPY = ".txt"
#: Folder of results -> folder of the logs of the corresponding jobs.
LOG_FOLDERS = {"predictions": "fit", "timings": "fit", "scores": "score", "datasets": "parse", "features": "features"}
_LINKED_FILE = re.compile(rf'href="{FILES}/([^"#?]+){re.escape(COPY)}"')
#: Snakemake polls a job twice a second during its first seconds,
SECONDS_OF_FREQUENT_LOOKS = 15.0
#: and then at this interval.
SECONDS_BETWEEN_LOOKS = 30.0


def data_digests(folders: Iterable[Path], *, with_reasons: bool = True) -> dict[str, str]:
    """Return data set -> digest of its content, or reason why it is missing."""
    return {folder.name: _digest(folder, with_reasons) for folder in folders}


def _digest(folder: Path, with_reason: bool) -> str:
    try:
        io.check_result(folder)
    except MissingResult as missing:
        reason = missing.reason if with_reason else "see the front page"
        return f"missing: {reason}"
    corpus = io.read_json(folder / "corpus.json")
    return str(corpus["content_digest"])


def seconds_by_stage(benchmarks: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return stage -> total wall-clock time of its jobs, such as ``12.3 s``, from one folder of files per stage."""
    totals: dict[str, float] = {}
    for path in sorted(files):
        seconds = _wall_clock_seconds(path)
        if seconds is not None:
            stage = path.relative_to(benchmarks).parts[0]
            totals[stage] = totals.get(stage, 0.0) + seconds
    return {stage: f"{seconds:.1f} s" for stage, seconds in totals.items()}


def _wall_clock_seconds(path: Path) -> float | None:
    """Return the wall-clock seconds in a benchmark file; None if it is empty."""
    rows = _read_benchmark(path)
    if not rows:
        return None
    return sum(float(row["s"]) for row in rows)


def _read_benchmark(path: Path) -> list[dict[str, str]]:
    """Return the rows of a benchmark file, one per run of its job."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def cpu_seconds(files: Iterable[Path]) -> float:
    """Return the total CPU seconds of all measured jobs.

    Snakemake records the CPU time when it last polls a job; the remaining CPU time is extrapolated at the same rate.
    """
    return sum(_cpu_seconds_of_job(row) for path in files for row in _read_benchmark(path))


def _cpu_seconds_of_job(row: Mapping[str, str]) -> float:
    """Return the CPU seconds in a row of a benchmark file; 0 for a job that ended before the first poll."""
    measured = number(row["cpu_time"])
    seconds = float(row["s"])
    last_look = seconds
    if seconds >= SECONDS_OF_FREQUENT_LOOKS:
        n_looks = (seconds - SECONDS_OF_FREQUENT_LOOKS) // SECONDS_BETWEEN_LOOKS
        last_look = SECONDS_OF_FREQUENT_LOOKS + SECONDS_BETWEEN_LOOKS * n_looks
    return measured * seconds / last_look if measured else 0.0


def run_times(files: Sequence[Path]) -> tuple[str, str]:
    """Return the start of the first and the end of the last measured job (ISO 8601, UTC), from file times."""
    jobs = [(path.stat().st_mtime, seconds) for path in files if (seconds := _wall_clock_seconds(path)) is not None]
    if not jobs:
        raise MissingResult("no job of this run was measured")
    first_start = min(end - seconds for end, seconds in jobs)
    last_end = max(end for end, _ in jobs)
    return _iso(first_start), _iso(last_end)


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


def links_to_sources(paper: str, origin: Origin | None, spec: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (label, address) of the settings, code, results and logs of a row."""
    links: dict[tuple[str, str], None] = {}
    for path in origin.results.split() if origin else ():
        keys = PurePosixPath(path).parts[1:]
        links |= dict.fromkeys(_settings(paper, keys, spec))
        links |= dict.fromkeys(_job(path))
    entries = list(links) or [("settings", f"config/papers/{paper}/paper.yaml")]
    return [(label, f"{FILES}/{path}{COPY}") for label, path in entries]


def copy_linked_files(pages: Iterable[str], folder: Path, roots: Sequence[Path]) -> None:
    """Copy the files that pages link to into a folder, so that the report can be moved.

    Parameters
    ----------
    pages : iterable of str
        HTML pages; addresses below `FILES` are copied.
    folder : Path
        Folder of the copies.
    roots : sequence of Path
        Folders in which the files are searched, in this order.
    """
    for path in sorted({unescape(path) for page in pages for path in _LINKED_FILE.findall(page)}):
        copy = folder / f"{path}{COPY}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        original = next((root / path for root in roots if (root / path).is_file()), None)
        if original is None:
            copy.write_text(f"{path} does not exist in the folder of this run.\n", encoding="utf-8")
        else:
            shutil.copyfile(original, copy)


def _settings(paper: str, keys: Sequence[str], spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (label, location) of the settings and code of a result; ``keys`` is its path below ``results``."""
    file = f"config/papers/{paper}/paper.yaml"
    match keys[0]:
        case "papers":
            measure = keys[3]
            yield f"settings of the measure {measure}", file
            entry = spec.get("measures", {}).get(measure, {})
            module, _, function = entry.get("function", "").rpartition(".")
            if module:
                code = f"src/reproduction/papers/{paper}/{module.replace('.', '/')}.py"
                yield f"code of {module}.{function}", code
        case "predictions" | "scores" | "timings":
            experiment = keys[2]
            method = keys[4].removesuffix(".csv")
            yield f"settings of the experiment {experiment}, method {method}", file
            methods = spec.get("experiments", {}).get(experiment, {}).get("methods", {})
            estimator = methods.get(method, {}).get("use", method)
            yield f"code of {estimator} (see its estimator)", "config/methods.yaml"
        case "datasets" | "features":
            dataset = keys[1].removesuffix(".csv")
            yield f"entry of the data set {dataset} with its reader", "config/datasets.yaml"


def links_to_evidence(
    paper: str, row_id: str, figures: Mapping[str, Any], tables: Iterable[str]
) -> list[tuple[str, str]]:
    """Return (label, address) of the tables and figures that show a row; ``figures`` maps name -> options."""
    links = [(f"table {table.replace('_', ' ')}", f"{paper}.html#table-{table}") for table in tables]
    for figure, options in figures.items():
        # Figures with many cells specify a common prefix of their ids.
        published = options.get("published", {}).values()
        is_drawn = any(row_id == name or row_id.startswith(f"{name}.") for name in published)
        if is_drawn or row_id in options.get("published_rows", ()):
            label = f"figure {figure.replace('_', ' ')}"
            links.append((label, f"{paper}.html#f-{paper}-{figure}"))
    return links


def _job(path: str) -> Iterator[tuple[str, str]]:
    """Yield (label, location) of a result's record, which contains its code digests, and of the log of its job."""
    _, stage, *names = PurePosixPath(path).parts
    folder = LOG_FOLDERS.get(stage)
    stem = "/".join(names).removesuffix(".csv")
    if stage == "papers":
        stage = folder = "measure"
        stem = f"{names[0]}/{names[2]}"
    suffix = ".meta.json" if path.endswith(".csv") else "/meta.json"
    yield f"record of {stage} {stem}", f"{path}{suffix}"
    if folder:
        yield "log", f"logs/{folder}/{stem}.log"
