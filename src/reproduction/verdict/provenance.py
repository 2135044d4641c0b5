"""Where results come from: the data and seconds of a run, and of a row its place in the paper, its jobs and records."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from reproduction.flow.lineage import Origin
from reproduction.verdict.wording import number
from textmix.core import io
from textmix.core.errors import MissingResult

if TYPE_CHECKING:
    from reproduction.verdict.tables import PaperTable

#: The folder of the workflow as seen from the pages in ``results/report``; those of one paper's report lie deeper.
HOME = "../../"
#: Folder of results -> the folder of the logs of the jobs that make them.
_LOGS = {"predictions": "fit", "timings": "fit", "scores": "score", "datasets": "parse", "features": "features"}
#: Part of the name of an artefact -> where that stands in a paper.
_PARTS = {
    **{"claims": "claims of the text", "data": "description of the data", "eq": "equations", "time": "times"},
    **{"figs": "figures", "stat": "statistics of the data", "hyper": "settings", "derived": "derived from its tables"},
    **{
        "perp": "perplexities",
        "approx": "the approximation",
        "methods": "overview of the methods",
        "illus": "illustration",
    },
    **{"stmt": "statements of the text", "sel": "selection of skip-grams", "rare": "rare skip-grams"},
    **{"wv": "word vectors", "extract": "extraction of skip-grams", "imdb": "results on IMDB", "examples": "examples"},
    **{"counts": "numbers of skip-grams", "four": "four data sets"},
    **{"beyond": "later works", "extra_data": "public descriptions of the data", "related": "related work"},
}

#: Seconds from the start of a job in which Snakemake measures it often, and between two looks at it after these.
_OFTEN, _SELDOM = 15.0, 30.0
#: The forms of ``where`` that do not say the place in words: lines or equations of a document, and the two words.
_CATALOGUED = re.compile(r"\d{3}(:.*)?|derived|public")


def data_digests(folders: Iterable[Path], *, reasons: bool = True) -> dict[str, str]:
    """Return data set -> the digest of its content, or why it is missing."""
    return {folder.name: _digest(folder, reasons) for folder in folders}


def _digest(folder: Path, reasons: bool) -> str:
    try:
        io.check_result(folder)
    except MissingResult as missing:
        return f"missing: {missing.reason if reasons else 'the front page says why'}"
    return str(io.read_json(folder / "corpus.json")["content_digest"])


def seconds_by_stage(benchmarks: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return stage -> wall-clock time of its jobs, such as ``12.3 s``, from files below a folder with one a stage."""
    spent: dict[str, float] = {}
    for path in sorted(files):
        seconds = _seconds(path)
        if seconds is not None:
            stage = path.relative_to(benchmarks).parts[0]
            spent[stage] = spent.get(stage, 0.0) + seconds
    return {stage: f"{whole:.1f} s" for stage, whole in spent.items()}


def _seconds(path: Path) -> float | None:
    """Return the wall-clock seconds in a benchmark file; None where it is empty."""
    rows = _measured(path)
    return sum(float(row["s"]) for row in rows) if rows else None


def _measured(path: Path) -> list[dict[str, str]]:
    """Return the rows of a benchmark file, one for each time that its job ran."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def processor_seconds(files: Iterable[Path]) -> float:
    """Return the seconds of the processor that all measured jobs took.

    Snakemake looks at a job twice a second until `_OFTEN`, and then every `_SELDOM` seconds, and writes what it had
    taken at the last look.  What came after that is reckoned at the same rate.
    """
    return sum(_processor_seconds(row) for path in files for row in _measured(path))


def _processor_seconds(row: Mapping[str, str]) -> float:
    """Return the seconds of the processor in a row of a benchmark file; 0 of a job that ended before the first look."""
    taken, seconds = number(row["cpu_time"]), float(row["s"])
    looked = seconds if seconds < _OFTEN else _OFTEN + _SELDOM * ((seconds - _OFTEN) // _SELDOM)
    return taken * seconds / looked if taken else 0.0


def run_times(files: Sequence[Path]) -> tuple[str, str]:
    """Return the start of the first and the end of the last measured job, ISO 8601 in UTC, by their files' times."""
    spent = [(path.stat().st_mtime, seconds) for path in files if (seconds := _seconds(path)) is not None]
    if not spent:
        raise MissingResult("no job of this run was measured")
    return _iso(min(end - seconds for end, seconds in spent)), _iso(max(end for end, _ in spent))


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


def place_in_paper(artefact: str, where: str) -> str:
    """Return the place of a published row in words, such as ``Table 1, line 341``."""
    if not _CATALOGUED.fullmatch(where):
        return where
    name = artefact.partition(".")[2]
    numbered = re.fullmatch(r"([tf])(\d+)(\..*)?", name)
    part = _PARTS.get(name.partition(".")[0], name.replace(".", " ").replace("_", " "))
    if numbered:
        part = f"{'Table' if numbered[1] == 't' else 'Figure'} {numbered[2]}"
    lines = _lines(where)
    equations = re.findall(r"\((\d+)\)", where)
    if lines:
        part += f", {lines}"
    if equations:
        part += f", equation {'–'.join(equations)}"
    return part


def where_in_words(where: str) -> str:
    """Return a place of ``choices.yaml`` in words: lines such as ``001:L341``, or ``unsaid``; other words stay."""
    if where == "unsaid":
        return "the document does not say"
    return _lines(where) if re.fullmatch(r"\d{3}:L[-L\d,]+", where) else where


def _lines(where: str) -> str:
    """Return the lines of a place in words, such as ``line 341`` or ``lines 21, 30–32``; empty where it has none."""
    lines = re.findall(r"L(\d+)(?:-L(\d+))?", where)
    numbers = ", ".join(f"{first}–{last}" if last else first for first, last in lines)
    return f"line{'s' if len(lines) > 1 or lines[0][1] else ''} {numbers}" if numbers else ""


def made_by(paper: str, origin: Origin | None, spec: Mapping[str, Any], home: str = HOME) -> list[tuple[str, str]]:
    """Return (label, address) of what made a row: its settings, its code, and of each job its result and its log."""
    links: dict[tuple[str, str], None] = {}
    for path in origin.results.split() if origin else ():
        links |= dict.fromkeys([*_settings(paper, PurePosixPath(path).parts[1:], spec), *_job(path)])
    named = list(links) or [("settings", f"config/papers/{paper}/paper.yaml")]
    return [(label, f"{home}{place}") for label, place in named]


def _settings(paper: str, parts: Sequence[str], spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the settings of a result, whose path below ``results`` has these parts, and its code, with their places."""
    file = f"config/papers/{paper}/paper.yaml"
    if parts[0] == "papers":
        yield f"settings of the measure {parts[3]}", file
        module, _, function = spec.get("measures", {}).get(parts[3], {}).get("function", "").rpartition(".")
        if module:
            folder = f"src/reproduction/papers/{paper}/{module.replace('.', '/')}.py"
            yield f"code of {module}.{function}", folder
    elif parts[0] in ("predictions", "scores", "timings"):
        experiment, method = parts[2], parts[4].removesuffix(".csv")
        yield f"settings of the experiment {experiment}, method {method}", file
        named = spec.get("experiments", {}).get(experiment, {}).get("methods", {}).get(method, {}).get("use", method)
        yield f"code of {named}, by its estimator", "config/methods.yaml"
    elif parts[0] in ("datasets", "features"):
        yield f"entry of the data set {parts[1].removesuffix('.csv')}, with its reader", "config/datasets.yaml"
        yield "code of the readers", "src/textmix/data/readers"


def shown_in(paper: str, name: str, figures: Mapping[str, Any], tables: Iterable[PaperTable]) -> list[tuple[str, str]]:
    """Return (label, address) of the drawn figures, given with their options, and of the tables that show a row."""
    links = [
        (f"table {table.name.replace('_', ' ')}", f"{paper}.html#table-{table.name}")
        for table in tables
        if table.filled and any(cell.id == name for cell in table.cells)
    ]
    for figure, options in figures.items():
        # A figure of many cells names how their ids begin.
        printed = options.get("published", {}).values()
        drawn = any(name == one or name.startswith(f"{one}.") for one in printed)
        if drawn or name in options.get("published_rows", ()):
            links.append((f"figure {figure.replace('_', ' ')}", f"{paper}.html#f-{paper}-{figure}"))
    return links


def _job(path: str) -> Iterator[tuple[str, str]]:
    """Yield the places of a result's record, which names the code by its digests, and of the log of its job."""
    parts = PurePosixPath(path).parts[1:]
    stem = "/".join(parts[1:]).removesuffix(".csv")
    kind, folder = parts[0], _LOGS.get(parts[0])
    if kind == "papers":
        kind, folder, stem = "measure", "measure", f"{parts[1]}/{parts[3]}"
    record = f"{path}.meta.json" if path.endswith(".csv") else f"{path}/meta.json"
    yield f"record of {kind} {stem}", record
    if folder:
        yield "log", f"logs/{folder}/{stem}.log"
