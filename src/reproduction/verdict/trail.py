"""From a row back to what made it: its place in the paper, its settings, its jobs with their logs and records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from reproduction.stored.origins import Origin

#: The folder of the workflow as seen from the pages in ``results/report``.
_HOME = "../../"
#: Folder of results -> the folder of the logs of the jobs that make them.
_LOGS = {"predictions": "fit", "timings": "fit", "scores": "score", "datasets": "parse", "features": "features"}
#: Part of the name of an artefact -> where that stands in a paper.
_PARTS = {
    **{"claims": "claims of the text", "data": "description of the data", "eq": "equations", "time": "times"},
    **{"figs": "figures", "stat": "statistics of the data", "hyper": "settings", "derived": "derived from its tables"},
    **{"beyond": "later works", "extra_data": "public descriptions of the data", "related": "related work"},
}


def place_in_paper(artefact: str, where: str) -> str:
    """Return the place of a published row in words, such as ``Table 1, line 341``.

    Parameters
    ----------
    artefact, where : as in ``published.csv``.
    """
    name = artefact.partition(".")[2]
    numbered = re.fullmatch(r"([tf])(\d+)(\..*)?", name)
    part = _PARTS.get(name.partition(".")[0], name.replace(".", " ").replace("_", " "))
    if numbered:
        part = f"{'Table' if numbered[1] == 't' else 'Figure'} {numbered[2]}"
    lines = re.findall(r"L(\d+)(?:-L(\d+))?", where)
    said = ", ".join(f"{first}–{last}" if last else first for first, last in lines)
    equations = re.findall(r"\((\d+)\)", where)
    if said:
        part += f", line{'s' if len(lines) > 1 or lines[0][1] else ''} {said}"
    if equations:
        part += f", equation {'–'.join(equations)}"
    return part


def made_by(paper: str, origin: Origin | None) -> list[tuple[str, str]]:
    """Return (label, address) of what made a row: its settings, and of each job its result and its log."""
    links = [("settings", f"{_HOME}config/papers/{paper}/paper.yaml")]
    for path in origin.results.split() if origin else ():
        links += _job(path)
    return links


def _job(path: str) -> Iterator[tuple[str, str]]:
    """Yield the links to a result's record, which names the code by its digests, and to the log of its job."""
    parts = PurePosixPath(path).parts[1:]
    stem = "/".join(parts[1:]).removesuffix(".csv")
    kind, folder = parts[0], _LOGS.get(parts[0])
    if kind == "papers":
        kind, folder, stem = "measure", "measure", f"{parts[1]}/{parts[3]}"
    record = f"{path}.meta.json" if path.endswith(".csv") else f"{path}/meta.json"
    yield f"record of {kind} {stem}", f"{_HOME}{record}"
    if folder:
        yield "log", f"{_HOME}logs/{folder}/{stem}.log"
