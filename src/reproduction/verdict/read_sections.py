"""The content of the report page, one section for each paper, read from the configuration and the results."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reproduction.figures.svg_sanitize import Drawing, inline_svg, read_notes
from reproduction.flow.curves import Curve, read_curves, read_factors, reading_rows
from reproduction.flow.lineage import Origin, read_origins
from reproduction.flow.results import Results, RoleEntry, is_left_out
from reproduction.verdict.causes import causes_of
from reproduction.verdict.compare import method_means, not_chosen
from reproduction.verdict.missing_data import DataUsed
from reproduction.verdict.paper_section import ABSENT_RESULT, PaperSection, Specified
from reproduction.verdict.provenance import HOME
from reproduction.verdict.published import Choice, Record, read_record
from reproduction.verdict.quoted_values import quoted
from reproduction.verdict.recorded_run import RecordedRun
from reproduction.verdict.report_rows import Beside, make_items, without_notes
from reproduction.verdict.tables import make_table
from reproduction.verdict.wording import MISSING, NOT_RUN, short
from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult

#: Where no run is recorded and no origin is known.
NOTHING = Beside()


@dataclass(frozen=True)
class ReportInputs:
    """The folders and entries from which the page is made.

    Parameters
    ----------
    folders : paper -> its folder of configuration.
    papers : paper -> its ``paper.yaml``, in the order of the page.
    roles : role -> the data set that stands for it.
    chosen : the papers that the configuration names.
    titles : data set -> its ``title`` and ``terms`` of use in the registry.
    made : paths of the results that this run makes; a result of an earlier run that is not among them is not shown.
    recorded : the recorded run, or None where none is recorded.
    curves : paper -> file -> content of its specification curves, where they are those of today.
    home : the folder of the workflow as seen from the pages.
    recorded_curves : the same of the recorded curves, with their drawings.
    """

    folders: Mapping[str, Path]
    schemas: Path
    results: Path
    papers: Mapping[str, Mapping[str, Any]]
    roles: Mapping[str, RoleEntry]
    chosen: Sequence[str]
    titles: Mapping[str, Mapping[str, str]]
    made: Collection[Path]
    recorded: RecordedRun | None = None
    curves: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    home: str = HOME
    recorded_curves: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def read_sections(inputs: ReportInputs) -> tuple[list[PaperSection], list[list[dict[str, Any]]]]:
    """Return the section and the rows of ``comparison.csv`` of each paper."""
    sections, comparisons = [], []
    run = inputs.recorded
    for name, spec in inputs.papers.items():
        record = read_record(inputs.folders[name], inputs.schemas)
        rows = _comparison(inputs, name, record)
        data = [_data_used(inputs, role) for role in spec["roles"]]
        figures = [_drawing(inputs, name, figure, entry) for figure, entry in spec["figures"].items()]
        results = Results(inputs.results, name, inputs.roles, spec)
        history = inputs.folders[name] / "history.md"
        text = history.read_text(encoding="utf-8") if history.is_file() else ""
        marks = marked(text, [row.id for row in record.rows])
        beside = Beside(run.rows if run else {}, _origins(inputs, name), marks)
        section = make_section(name, spec, record, rows, results, figures=figures, data=data, beside=beside)
        specified, given = _specified(inputs, name, record), _given(inputs, name)
        choices, means = _with_effects(inputs, name, record), method_means(rows)
        section = replace(section, choices=choices, specified=specified, means=means)
        sections.append(replace(section, given=given, home=inputs.home))
        comparisons.append(rows)
    return sections, comparisons


def make_section(
    name: str,
    spec: Mapping[str, Any],
    record: Record,
    rows: Sequence[Mapping[str, Any]],
    results: Results,
    *,
    figures: Sequence[Drawing] = (),
    data: Sequence[DataUsed] = (),
    beside: Beside = NOTHING,
) -> PaperSection:
    brief = without_notes(rows, results.roles)
    items = make_items(record, brief, results, beside)
    known = {item.cell.id: item.recorded for item in items if item.recorded and item.recorded.absent}
    then = {name: {"recorded": found.value, "recorded_verdict": found.verdict} for name, found in known.items()}
    cells = [{**row, **then.get(row["id"], {})} for row in brief]
    tables = [make_table(key, entry, cells) for key, entry in spec["tables"].items()]
    causes = causes_of(record.choices, record.rows)
    return PaperSection(name, spec, items, tables, figures, record.choices, data, causes)


def _comparison(inputs: ReportInputs, paper: str, record: Record) -> list[dict[str, Any]]:
    """Return the rows of a paper's comparison; all are ``not run`` where the configuration does not name the paper."""
    if paper not in inputs.chosen:
        return not_chosen(record.rows, record.checks, paper)
    path = inputs.results / "papers" / paper / "comparison.csv"
    io.check_result(path)
    return list(io.read_csv(path))


def _origins(inputs: ReportInputs, paper: str) -> dict[str, Origin]:
    """Return what the rebuilt values of a paper came from, by the ids of its rows."""
    path = inputs.results / "papers" / paper / "origins.csv"
    if path not in inputs.made:
        return {}
    io.check_result(path)
    return read_origins(path)


def _given(inputs: ReportInputs, paper: str) -> dict[str, str]:
    """Return the results that the causes of a paper name, in words, by their locators."""
    path = inputs.results / "papers" / paper / "causes.csv"
    if path not in inputs.made:
        return {}
    io.check_result(path)
    return {
        row["locator"]: short(float(row["value"])) if row["value"] else f"{ABSENT_RESULT}: {row['reason']}"
        for row in io.read_csv(path)
    }


def _with_effects(inputs: ReportInputs, paper: str, record: Record) -> list[Choice]:
    """Return the choices of a paper with recorded values in their effects, without those whose values are not recorded:
    a sentence with a gap says nothing.
    """
    published, run = {row.id: row for row in record.rows}, inputs.recorded
    known = (published, run.rows if run else {}, reading_rows(inputs.recorded_curves.get(paper, {})))
    found = []
    for choice in record.choices:
        try:
            effect = quoted(choice.effect, *known, f"choices.yaml: {choice.id}.effect")
        except ConfigError:
            effect = ""
        found.append(replace(choice, effect=effect))
    return found


def _specified(inputs: ReportInputs, paper: str, record: Record) -> Specified:
    """Return the specification curves of a paper: those of today, and for the other rows the recorded ones."""
    files, recorded = inputs.curves.get(paper, {}), inputs.recorded_curves.get(paper, {})
    metrics = {row.id: " ".join(filter(None, (row.method, row.metric))) for row in record.rows}
    of_today, found = (read_curves(one) if one else [] for one in (files, recorded))
    of_then, drawn = {curve.row: curve for curve in found}, []
    for curve in of_today:
        if curve.made:
            drawn.append((curve, _curve_drawing(files, curve, paper, metrics[curve.row])))
            of_then.pop(curve.row, None)
        elif curve.row not in of_then:
            why = f"{NOT_RUN}: {curve.readings[0].reason}"
            drawn.append((curve, Drawing(curve.drawing.removesuffix(".svg"), metrics[curve.row], "", None, why)))
    drawn += [(curve, _curve_drawing(recorded, curve, paper, metrics[curve.row])) for curve in of_then.values()]
    factors = {**(read_factors(recorded) if recorded else {}), **(read_factors(files) if files else {})}
    shown = {curve.specification for curve, _ in drawn}
    return Specified(drawn, {name: levels for name, levels in factors.items() if name in shown})


def _curve_drawing(files: Mapping[str, str], curve: Curve, paper: str, title: str) -> Drawing:
    """Return the drawing of a curve of a folder of curves."""
    name, svg = curve.drawing.removesuffix(".svg"), files[curve.drawing].encode()
    caption = f"Recorded on {curve.recorded}. {read_notes(svg)}" if curve.recorded else read_notes(svg)
    return Drawing(name, title, caption, inline_svg(svg, f"s-{paper}-{name}", curve.drawing))


def _drawing(inputs: ReportInputs, paper: str, figure: str, entry: Mapping[str, Any]) -> Drawing:
    """Return a figure of a paper, or the reason why there is none."""
    path = inputs.results / "papers" / paper / "figures" / f"{figure}.svg"
    head = (figure, entry["title"], entry["caption"])
    if path not in inputs.made:
        return Drawing(*head, None, f"{NOT_RUN}: this run did not draw it")
    try:
        io.check_result(path)
    except MissingResult as missing:
        why = missing.reason if is_left_out(missing.reason) else f"{MISSING}: {missing.reason}"
        return Drawing(*head, None, why)
    svg = path.read_bytes()
    caption = f"{entry['caption']} {read_notes(svg)}".strip()
    return Drawing(figure, entry["title"], caption, inline_svg(svg, f"f-{paper}-{figure}", path.name))


def _data_used(inputs: ReportInputs, role: str) -> DataUsed:
    """Return the data set that stands for a role, with its terms and its size or the reason why it is missing."""
    entry = inputs.roles[role]
    name = entry.data
    if name is None or entry.dataset is None:
        missing = entry.note or "the configuration names none"
        return DataUsed(role, "", "", "", entry.comparable, entry.note, "", missing)
    if name not in inputs.titles:
        raise ConfigError(f"config/datasets.yaml: there is no '{name}', which roles.{role} names; add it")
    known = inputs.titles[name]
    folder = inputs.results / "datasets" / entry.dataset
    size, missing = _size(folder) if folder in inputs.made else ("", "not read in this run")
    unknown = known.get("no_digest", "")
    note = "; ".join(part for part in (entry.note, unknown and f"no sha256 is known: {unknown}") if part)
    return DataUsed(role, name, known["title"], known["terms"], entry.comparable, note, size, missing)


def _size(folder: Path) -> tuple[str, str]:
    """Return the size of a parsed data set in words, and the reason why it is missing; one of them is empty."""
    try:
        io.check_result(folder)
    except MissingResult as missing:
        return "", missing.reason
    found = io.read_json(folder / "corpus.json")["statistics"]
    return f"{found['documents']:,} documents, {found['labels']:,} labels", ""


def sections(history: str) -> dict[str, str]:
    """Return heading -> text of each entry of a ``history.md``, which has the changes made after results were seen."""
    parts = re.split(r"^## (.+)$", history, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def names(text: str, item: str) -> bool:
    """Return whether a text names an item in backticks, by its name or by a pattern such as ``pmm.t1.*``."""
    return any(fnmatch.fnmatchcase(item, pattern) for pattern in re.findall(r"`([^`]+)`", text))


def marked(history: str, ids: Iterable[str]) -> dict[str, str]:
    """Return id -> mark of the rows whose margin or reading was chosen after test results had been seen.  An entry
    names them, by id or pattern, in an item that begins with ``- Widened:`` or ``- Chosen:``.
    """
    found: dict[str, str] = {}
    for heading, text in sections(history).items():
        for word, item in re.findall(r"^- (Widened|Chosen):((?:.|\n(?=  ))*)", text, flags=re.MULTILINE):
            what = "Its margin was widened" if word == "Widened" else "Its reading was chosen"
            mark = f"{what} after test results had been seen: history.md, {heading}"
            found |= {name: mark for name in ids if names(item, name)}
    return found
