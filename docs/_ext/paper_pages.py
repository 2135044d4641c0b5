"""Generate the part of a paper's page that depends on the configuration: judged rows, choices and history.

Each build writes ``docs/papers/generated/<paper>.md``, which the hand-written page of the paper includes, and
``datasets.md``, the table of data sets with citations and licence terms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from reproduction.flow.availability import available_roles, packages_alone
from reproduction.flow.recorded_curves import RECORDED_CURVES
from reproduction.verdict.published import COUNTED, Published, Record, read_record
from reproduction.verdict.quoted_values import quoted
from reproduction.verdict.recorded_run import read_recorded, recorded_files
from textmix.core.config import load_yaml_strict
from textmix.core.io import read_csv
from textmix.data.registry import load_registry

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ROOT / "config/papers"
Roles = Mapping[str, Mapping[str, Any]]


def plain(text: Any) -> str:
    """Escape the special characters of Markdown and join the lines."""
    return re.sub(r"([\\`*_\[\]<>$|#{}~^])", r"\\\1", " ".join(str(text).split()))


def table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Format rows as a Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *([plain(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def roles_of(*, packed: bool) -> Roles:
    """Return the configuration of each role; with `packed`, only data sets from Python packages are available."""
    roles: Roles = load_yaml_strict(ROOT / "config/config.yaml")["roles"]
    return available_roles(roles, packages_alone(load_registry(ROOT / "config/datasets.yaml"))) if packed else roles


def why_not(row: Published, roles: Roles) -> str:
    """Return the reason why a published value is not judged with the available data, or an empty string."""
    if row.tolerance == "open":
        return f"open: {row.note or 'the source leaves it open'}"
    entry = roles.get(row.dataset)
    if entry is None:
        return ""
    if entry["dataset"] is None:
        return f"no data for {row.dataset}: {entry['note']}"
    return f"other data for {row.dataset}: {entry['note']}" if entry["comparable"] == "not" else ""


def judged(rows: list[Published]) -> Iterator[str]:
    """Yield the section on judged and unjudged published values."""
    packed, full = roles_of(packed=True), roles_of(packed=False)
    artefacts = list(dict.fromkeys(row.artefact for row in rows))
    yield "## Judged rows\n\nThe number of published values and claims of each table, figure or passage, "
    yield "and how many of them can be judged with data from Python packages only and with all data sets.\n\n"
    counts = []
    for artefact in artefacts:
        part = [row for row in rows if row.artefact == artefact]
        counts.append(
            [artefact, len(part), *(sum(not why_not(row, roles) for row in part) for roles in (packed, full))]
        )
    counts.append(["all", *map(sum, zip(*(row[1:] for row in counts), strict=True))])
    yield table(("table or figure", "published", "judged with data from packages", "judged with all data"), counts)
    yield "\n## Values that are not judged\n\n"
    reasons = Counter(reason for row in rows if (reason := why_not(row, full)))
    if reasons:
        yield table(("rows", "reason"), ([number, reason] for reason, number in reasons.most_common()))
    else:
        yield "Every published value and claim is judged.\n"


def verdicts(paper: str) -> Iterator[str]:
    """Yield the section on the verdicts of the run in ``results/``, if there is one."""
    path = ROOT / "results/papers" / paper / "comparison.csv"
    if not path.is_file():
        return
    rows = [row for row in read_csv(path) if row.get("kind", "number") in COUNTED]
    counted = Counter(row["verdict"] for row in rows)
    yield "\n## Verdicts of the run in this folder\n\n"
    yield ", ".join(f"{number} {verdict}" for verdict, number in counted.most_common()) + ".\n"
    differ = [row for row in rows if row["verdict"] == "differs"]
    if differ:
        columns = ("id", "published", "reproduced", "tolerance", "reason")
        yield "\nRows that differ:\n\n" + table(columns, ([row[column] for column in columns] for row in differ))


def choices(paper: str, record: Record) -> Iterator[str]:
    """Yield the section on what the paper leaves open and the choices made in this project."""
    published = {row.id: row for row in record.rows}
    recorded, curves = read_recorded(recorded_files(PAPERS.iterdir())), PAPERS / paper / RECORDED_CURVES
    curve_points = read_csv(curves) if curves.is_file() else []
    yield "\n## What the paper leaves open\n\n"
    if recorded and (run := recorded.of(paper)):
        yield f"The values come from the run recorded on {run.day} and the recorded specification curves.\n\n"
    for entry in record.choices:
        location = f"config/papers/{paper}/choices.yaml: {entry.id}.effect"
        text = quoted(entry.effect, published, recorded.rows if recorded else {}, curve_points, location)
        effect = f"\n\n**Effect.** {plain(text)}" if text else ""
        yield f":::{{dropdown}} {plain(entry.id.replace('_', ' '))} ({plain(entry.where)})\n"
        yield f"**Source.** {plain(entry.source_says)}\n\n**Choice.** {plain(entry.we_do)}\n\n"
        yield f"**Reason.** {plain(entry.why)}{effect}\n:::\n\n"


def page(paper: str) -> str:
    """Return the generated part of a paper's page."""
    spec = load_yaml_strict(PAPERS / paper / "paper.yaml")
    record = read_record(PAPERS / paper, ROOT / "workflow/schemas")
    rows = [row for row in record.rows if row.kind in COUNTED]
    history = PAPERS / paper / "history.md"
    parts = [f"## Source\n\n{plain(spec['citation'])} Run it: `snakemake {paper}`.\n\n"]
    parts += [*judged(rows), *verdicts(paper), *choices(paper, record)]
    if history.is_file():
        text = history.read_text(encoding="utf-8").replace("\n## ", "\n### ")
        parts.append("## Changes after results were seen\n" + text.partition("\n")[2])
    return "".join(parts)


def write(app: Sphinx) -> None:
    """Write the generated part of every paper's page."""
    folder = Path(app.srcdir) / "papers/generated"
    folder.mkdir(parents=True, exist_ok=True)
    pages = {path.parent.name: page(path.parent.name) for path in sorted(PAPERS.glob("*/paper.yaml"))}
    for name, text in pages.items():
        target = folder / f"{name}.md"
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the files before Sphinx collects its sources."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
