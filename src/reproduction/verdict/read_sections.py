"""Read the content of the report, one section per paper, from the configuration and the results."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reproduction.figures.svg_sanitize import Drawing, inline_svg, read_notes
from reproduction.flow.curves import Curve, curve_rows, figure_name, group_by_figure, read_curves, read_factors
from reproduction.flow.lineage import Origin, read_origins
from reproduction.flow.results import Results, RoleEntry, is_skipped_result
from reproduction.verdict.causes import causes_of
from reproduction.verdict.compare import method_means, not_chosen
from reproduction.verdict.comparison_row import ComparisonRow, read_comparison
from reproduction.verdict.main_claims import experience_of
from reproduction.verdict.missing_data import DataUsed
from reproduction.verdict.paper_section import DrawnCurve, PaperSection, SpecificationCurves
from reproduction.verdict.published import Choice, Record, read_record
from reproduction.verdict.quoted_values import quoted
from reproduction.verdict.recorded_run import RecordedRun, history_entries
from reproduction.verdict.report_rows import Context, make_items, shorten_reasons
from reproduction.verdict.tables import make_table
from reproduction.verdict.wording import (
    ABSENT_RESULT,
    MISSING,
    NO_DATASET_CONFIGURED,
    NOT_DRAWN,
    NOT_READ,
    NOT_RUN,
    history_mark,
    join_clauses,
    no_digest_text,
    recorded_caption,
    short,
    size_text,
)
from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult

#: Context without a recorded run and without origins.
NO_CONTEXT = Context()


@dataclass(frozen=True, kw_only=True)
class ReportInputs:
    """Folders and entries that the report is generated from.

    Parameters
    ----------
    folders : mapping of str to Path
        Paper -> its configuration folder.
    schemas, results : Path
        Folders of the schemas and of the results.
    papers : mapping
        Paper -> its ``paper.yaml``, in the order of the pages.
    roles : mapping of str to RoleEntry
        Role -> its data set.
    chosen : sequence of str
        The papers selected by the configuration.
    titles : mapping
        Data set -> its ``title`` and ``terms`` of use in the registry.
    made : collection of Path
        Results of this run; other existing results are stale and not shown.
    recorded : RecordedRun or None, default=None
        The recorded run, if available.
    unnamed : collection of str, default=()
        Roles for which the papers name no data set.
    wanted : mapping of str to tuple, default={}
        Role -> name and title of the data set that the configuration prefers.
    curves, recorded_curves : mapping
        Paper -> file -> content of its up-to-date specification curves, and of the recorded ones, with figures.
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
    unnamed: Collection[str] = ()
    wanted: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    curves: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    recorded_curves: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def read_sections(inputs: ReportInputs) -> tuple[list[PaperSection], list[list[ComparisonRow]]]:
    """Return the section and the comparison of each paper."""
    comparisons = {}
    sections = []
    for name in inputs.papers:
        record = read_record(inputs.folders[name], inputs.schemas)
        comparisons[name] = _read_comparison(inputs, name, record)
        sections.append(_read_section(inputs, name, record, comparisons[name]))
    return sections, list(comparisons.values())


def _read_section(inputs: ReportInputs, name: str, record: Record, rows: Sequence[ComparisonRow]) -> PaperSection:
    """Build the section of a paper from its results and the recorded run."""
    spec = inputs.papers[name]
    history = inputs.folders[name] / "history.md"
    history_text = history.read_text(encoding="utf-8") if history.is_file() else ""
    recorded = inputs.recorded.rows if inputs.recorded else {}
    origins = _read_origins(inputs, name)
    marks = marks_of_history(history_text, [row.id for row in record.rows])
    context = Context(recorded, origins, marks)
    results = Results(inputs.results, name, inputs.roles, spec)
    figures = [_read_figure(inputs, name, figure, entry) for figure, entry in spec["figures"].items()]
    data = [_data_used(inputs, role) for role in spec["roles"]]
    section = make_section(name, spec, record, rows, results, figures=figures, data=data, context=context)
    return replace(
        section,
        choices=_quote_effects(inputs, name, record),
        experience=experience_of(spec, _quoting(inputs, name, record)),
        specification=_read_specification(inputs, name, record),
        cause_values=_read_cause_values(inputs, name),
        means=method_means(rows),
    )


def make_section(
    name: str,
    spec: Mapping[str, Any],
    record: Record,
    rows: Sequence[ComparisonRow],
    results: Results,
    *,
    figures: Sequence[Drawing] = (),
    data: Sequence[DataUsed] = (),
    context: Context = NO_CONTEXT,
) -> PaperSection:
    """Build the section of a paper from its rows; see `PaperSection` for the parameters."""
    shortened = shorten_reasons(rows, results.roles)
    items = make_items(record, shortened, results, context)
    tables = [make_table(table, entry, items) for table, entry in spec["tables"].items()]
    causes = causes_of(record.choices, record.rows)
    return PaperSection(
        name=name,
        spec=spec,
        items=items,
        tables=tables,
        figures=figures,
        choices=record.choices,
        data=data,
        causes=causes,
        checks=record.checks,
    )


def _read_comparison(inputs: ReportInputs, paper: str, record: Record) -> list[ComparisonRow]:
    """Return the rows of a paper's comparison; all are ``not run`` if the configuration does not select the paper."""
    if paper not in inputs.chosen:
        return not_chosen(record.rows, record.checks, paper)
    return read_comparison(inputs.results / "papers" / paper / "comparison.csv")


def _read_origins(inputs: ReportInputs, paper: str) -> dict[str, Origin]:
    """Return row id -> results that the reproduced value was read from."""
    path = inputs.results / "papers" / paper / "origins.csv"
    if path not in inputs.made:
        return {}
    io.check_result(path)
    return read_origins(path)


def _read_cause_values(inputs: ReportInputs, paper: str) -> dict[str, str]:
    """Return locator -> formatted result, for the results cited by the causes of a paper."""
    path = inputs.results / "papers" / paper / "causes.csv"
    if path not in inputs.made:
        return {}
    io.check_result(path)
    values = {}
    for row in io.read_csv(path):
        value = row["value"]
        values[row["locator"]] = short(float(value)) if value else f"{ABSENT_RESULT}: {row['reason']}"
    return values


def _quote_effects(inputs: ReportInputs, paper: str, record: Record) -> list[Choice]:
    """Return the choices of a paper with recorded values inserted in their effects.

    An effect without recorded values is dropped, because a sentence with a gap is not informative.
    """
    quote = _quoting(inputs, paper, record)
    choices = []
    for choice in record.choices:
        try:
            effect = quote(choice.effect, f"choices.yaml: {choice.id}.effect")
        except ConfigError:
            effect = ""
        choices.append(replace(choice, effect=effect))
    return choices


def _quoting(inputs: ReportInputs, paper: str, record: Record) -> Callable[[str, str], str]:
    """Return a function of a text and its place that inserts recorded values."""
    published = {row.id: row for row in record.rows}
    recorded = inputs.recorded.rows if inputs.recorded else {}
    points = curve_rows(inputs.recorded_curves.get(paper, {}))
    return lambda text, location: quoted(text, published, recorded, points, location)


def _read_specification(inputs: ReportInputs, paper: str, record: Record) -> SpecificationCurves:
    """Return the specification curves of a paper from this run, complemented by recorded curves of other rows."""
    files = inputs.curves.get(paper, {})
    recorded_files = inputs.recorded_curves.get(paper, {})
    titles = {
        row.id: ", ".join(filter(None, (row.dataset.replace("_", " "), row.method, row.metric))) for row in record.rows
    }
    recorded_curves = read_curves(recorded_files) if recorded_files else []
    factors = read_factors(recorded_files) if recorded_files else {}
    of_run = read_curves(files) if files else []
    if files:
        factors = factors | read_factors(files)
    drawings = _curve_drawings(files, of_run, paper, titles)
    recorded_drawings = _curve_drawings(recorded_files, recorded_curves, paper, titles)
    drawn = [DrawnCurve(curve, titles[curve.row], drawings[curve.row]) for curve in of_run if curve.evaluated]
    shown = {item.curve.row for item in drawn}
    for curve in recorded_curves:
        if curve.row not in shown:
            drawn.append(DrawnCurve(curve, titles[curve.row], recorded_drawings[curve.row]))
            shown.add(curve.row)
    for curve in of_run:
        if curve.row not in shown:
            reason = f"{NOT_RUN}: {curve.points[0].reason}"
            drawing = Drawing(figure_name(curve.row), titles[curve.row], "", None, reason)
            drawn.append(DrawnCurve(curve, titles[curve.row], drawing))
    specifications = {item.curve.specification for item in drawn}
    drawn_factors = {name: levels for name, levels in factors.items() if name in specifications}
    registered = {
        name: tuple(entry["rows"]) for choice in record.choices for name, entry in choice.alternatives.items()
    }
    return SpecificationCurves(drawn, drawn_factors, registered)


def _curve_drawings(
    files: Mapping[str, str], curves: Sequence[Curve], paper: str, titles: Mapping[str, str]
) -> dict[str, Drawing]:
    """Return row -> figure of its curve, from the files of some curves and row -> title."""
    drawings: dict[str, Drawing] = {}
    for name, group in group_by_figure(curves).items():
        file = f"{name}.svg"
        svg = files[file].encode()
        caption = read_notes(svg)
        recorded = max(curve.recorded for curve in group)
        if recorded:
            caption = recorded_caption(recorded, caption)
        title = titles[group[0].row]
        if len(group) > 1:
            title = f"{group[0].specification.replace('_', ' ')}: {len(group)} values"
        drawing = Drawing(name, title, caption, inline_svg(svg, f"s-{paper}-{name}", file))
        drawings |= dict.fromkeys((curve.row for curve in group), drawing)
    return drawings


def _read_figure(inputs: ReportInputs, paper: str, figure: str, entry: Mapping[str, Any]) -> Drawing:
    """Return a figure of a paper, or the reason why it is missing."""
    path = inputs.results / "papers" / paper / "figures" / f"{figure}.svg"
    title = entry["title"]
    caption = entry["caption"]
    if path not in inputs.made:
        return Drawing(figure, title, caption, None, NOT_DRAWN)
    try:
        io.check_result(path)
    except MissingResult as missing:
        reason = missing.reason if is_skipped_result(missing.reason) else f"{MISSING}: {missing.reason}"
        return Drawing(figure, title, caption, None, reason)
    svg = path.read_bytes()
    caption = f"{caption} {read_notes(svg)}".strip()
    return Drawing(figure, title, caption, inline_svg(svg, f"f-{paper}-{figure}", path.name))


def _data_used(inputs: ReportInputs, role: str) -> DataUsed:
    """Return the data set of a role, with its terms, and its size or the reason why it is missing."""
    entry = inputs.roles[role]
    is_named = role not in inputs.unnamed
    if entry.data is None or entry.dataset is None:
        missing = entry.note or NO_DATASET_CONFIGURED
        return DataUsed(role, "", "", "", entry.comparable, entry.note, "", missing, is_named)
    if entry.data not in inputs.titles:
        raise ConfigError(f"config/datasets.yaml: no data set '{entry.data}', which roles.{role} names; add it")
    registered = inputs.titles[entry.data]
    title = registered["title"]
    preferred, preferred_title = inputs.wanted.get(role, (entry.data, title))
    folder = inputs.results / "datasets" / entry.dataset
    size, missing, is_broken = _size(folder) if folder in inputs.made else ("", NOT_READ, False)
    digest_note = no_digest_text(registered.get("no_digest", ""))
    return DataUsed(
        role=role,
        dataset=entry.data,
        title=title,
        terms=registered["terms"],
        comparable=entry.comparable,
        note=join_clauses(entry.note, digest_note),
        size=size,
        missing=missing,
        is_named=is_named,
        is_broken=is_broken,
        parsed=entry.dataset,
        wanted=preferred,
        wanted_title=preferred_title,
    )


def _size(folder: Path) -> tuple[str, str, bool]:
    """Return the size of a parsed data set as text, the reason why it is missing, and whether it could not be read."""
    try:
        io.check_result(folder)
    except MissingResult as missing:
        return "", missing.reason, missing.broken
    statistics = io.read_json(folder / "corpus.json")["statistics"]
    size = size_text(statistics["documents"], statistics["labels"])
    return size, "", False


def names_item(text: str, item: str) -> bool:
    """Check whether a text mentions an item in backticks, by name or by a pattern such as ``pmm.t1.*``.

    A pattern without letters or digits, such as ``*``, would match every item and is ignored.
    """
    quoted_names = re.findall(r"`([^`]+)`", text)
    patterns = [name for name in quoted_names if re.search(r"[A-Za-z0-9]", name)]
    return any(fnmatch.fnmatchcase(item, pattern) for pattern in patterns)


def marks_of_history(history: str, ids: Iterable[str]) -> dict[str, str]:
    """Return id -> note, for rows with a margin or interpretation that was chosen after seeing test results.

    History entries list them by id or pattern in an item that begins with ``- Widened:`` or ``- Chosen:``.
    """
    row_ids = list(ids)
    marks: dict[str, str] = {}
    for heading, text in history_entries(history).items():
        for word, item in re.findall(r"^- (Widened|Chosen):((?:.|\n(?=  ))*)", text, flags=re.MULTILINE):
            mark = history_mark(word, heading)
            marks |= {row_id: mark for row_id in row_ids if names_item(item, row_id)}
    return marks
