"""The content of the report page, one section for each paper, read from the configuration and the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reproduction.plan.scope import is_left_out
from reproduction.stored.curves import Curve, read_curves, read_factors
from reproduction.stored.origins import Origin, read_origins
from reproduction.stored.results import Results, RoleEntry
from reproduction.verdict.causes import Cause, causes_of
from reproduction.verdict.compare import not_chosen
from reproduction.verdict.coverage import DataUsed
from reproduction.verdict.items import Beside, Item, make_items, without_notes
from reproduction.verdict.ledger import widened
from reproduction.verdict.published import CLAIM, COUNTED, Deviation, Record, read_record
from reproduction.verdict.recorded import EQUAL, UNEQUAL, RecordedRun
from reproduction.verdict.tables import PaperTable, make_table
from reproduction.verdict.trail import HOME, made_by, shown_in
from reproduction.verdict.unexplained import Unexplained, unexplained
from reproduction.verdict.words import DIFFERS, MISSING, NOT_RUN, REPRODUCED, VERDICTS, short
from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult
from textmix.pages.drawing import Drawing, inline_svg, notes_of

#: How the words begin for a result that this run does not have.
ABSENT_RESULT = "not in this run"
#: Where no run is recorded and no origin is known.
NOTHING = Beside()


@dataclass(frozen=True)
class Specified:
    """The specification curves of a paper.

    Parameters
    ----------
    curves : each with its drawing.
    factors : specification -> factor -> level -> why the source allows it.
    """

    curves: Sequence[tuple[Curve, Drawing]] = ()
    factors: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class PaperSection:
    """The section of one paper.

    Parameters
    ----------
    name : name of the paper.
    title, citation, status : as in its ``paper.yaml``; status is ``built`` or ``planned``.
    items : all rows of its comparison, in order.
    tables, figures : in the order of ``paper.yaml``.
    deviations : as in ``deviations.yaml``.
    data : the data set that stands for each of its roles.
    causes : id of a published row -> why it is not reproduced.
    url : address of the document; empty where none is known.
    spec : its ``paper.yaml``.
    given : locator of a result that a cause names -> its value in words, or why this run has none.
    specified : its specification curves; none where they were not drawn, or are those of other results.
    home : the folder of the workflow as seen from the pages.
    """

    name: str
    title: str
    citation: str
    status: str
    items: Sequence[Item]
    tables: Sequence[PaperTable]
    figures: Sequence[Drawing]
    deviations: Sequence[Deviation]
    data: Sequence[DataUsed]
    causes: Mapping[str, Cause]
    url: str = ""
    spec: Mapping[str, Any] = field(default_factory=dict)
    specified: Specified = field(default_factory=Specified)
    home: str = HOME
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def counted(self) -> list[Item]:
        """The items that the counts of verdicts count: numbers and claims that are not weak."""
        return [item for item in self.items if item.counts_as in COUNTED]

    @property
    def weak(self) -> list[Item]:
        """The numbers that count apart, for their margins accept too much."""
        return [item for item in self.items if item.weak]

    @property
    def drawn(self) -> set[str]:
        """Names of the figures that were drawn."""
        return {figure.name for figure in self.figures if figure.svg}

    @property
    def tabled(self) -> set[str]:
        """Names of the tables."""
        return {table.name for table in self.tables}

    @property
    def judged(self) -> list[Item]:
        """The counted items that this run judged."""
        return [item for item in self.counted if item.judged]

    @property
    def waiting(self) -> int:
        """Number of the counted items that wait for data."""
        return self.counts[MISSING]

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> number of the counted items."""
        found = Counter(item.cell.verdict for item in self.counted)
        return {verdict: found[verdict] for verdict in VERDICTS}

    @property
    def recorded_counts(self) -> dict[str, int]:
        """Verdict -> number of the counted items in the recorded run."""
        found = Counter(item.recorded.verdict for item in self.counted if item.recorded)
        return {verdict: found[verdict] for verdict in VERDICTS}

    @property
    def repeated(self) -> dict[str, list[Item]]:
        """``equal`` and ``not equal`` -> the counted items whose value from the same data is so beside the record."""
        known = [(item, item.recorded.standing) for item in self.counted if item.recorded]
        return {said: [item for item, standing in known if standing == said] for said in (EQUAL, UNEQUAL)}

    @property
    def beside(self) -> Counter[str]:
        """Kind -> number of the items that the counts leave out."""
        return Counter(item.counts_as for item in self.items if item.counts_as not in COUNTED)

    @property
    def bounded(self) -> list[Item]:
        """The reproduced numbers that are means over trials, which two one-sided tests bound by their margin."""
        return [one for one in self.reproduced if one.margin_p is not None]

    @property
    def reproduced(self) -> list[Item]:
        """The reproduced numbers and claims."""
        return [one for one in self.counted if one.cell.verdict == REPRODUCED]

    @property
    def differing(self) -> list[Item]:
        """The numbers and claims that differ, weak ones too, failed claims first."""
        found = [item for item in (*self.counted, *self.weak) if item.cell.verdict == DIFFERS]
        return sorted(found, key=lambda item: item.kind != CLAIM)

    @property
    def recorded_differing(self) -> list[Item]:
        """The numbers and claims that differ in the recorded run and that this one did not judge, claims first."""
        then = [one for one in (*self.counted, *self.weak) if one.recorded and one.recorded.absent]
        found = [one for one in then if one.recorded and one.recorded.verdict == DIFFERS]
        return sorted(found, key=lambda item: item.kind != CLAIM)

    def by_cause(self, items: Iterable[Item]) -> list[tuple[Cause | None, list[Item]]]:
        """Return items that differ by their cause, causes of most items first and unknown ones last."""
        groups: dict[Cause | None, list[Item]] = {}
        for item in items:
            groups.setdefault(self.causes.get(item.cell.id), []).append(item)
        return sorted(groups.items(), key=lambda group: (group[0] is None, -len(group[1])))

    @property
    def unexplained(self) -> list[Unexplained]:
        """The numbers and claims that differ and are not explained."""
        return unexplained(self.differing, self.causes, [curve for curve, _ in self.specified.curves])

    @property
    def standings(self) -> dict[str, str]:
        """Where the printed value of a row stands beside the span of its readings, for the rows that have a curve."""
        return {curve.row: curve.counted for curve, _ in self.specified.curves if curve.holds is not None}

    def results_of(self, cause: Cause) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
        """Return the results that a cause names: (name, value) of those of this run, and why -> names of the others."""
        had, absent = [], dict[str, list[str]]()
        for locator in cause.gives:
            name, value = locator.partition(":")[2], self.given.get(locator, ABSENT_RESULT)
            if value.startswith(ABSENT_RESULT):
                absent.setdefault(value.removeprefix(ABSENT_RESULT).strip(": ").partition(":")[0], []).append(name)
            else:
                had.append((name, value))
        return had, absent

    def made_by(self, item: Item) -> list[tuple[str, str]]:
        """Return label and address of the settings, code, records and logs behind an item."""
        return made_by(self.name, item.origin, self.spec, self.home)

    def shown_in(self, item: Item) -> list[tuple[str, str]]:
        """Return label and address of the figures and tables that show an item."""
        figures = {name: entry for name, entry in self.spec.get("figures", {}).items() if name in self.drawn}
        return shown_in(self.name, item.cell.id, figures, self.tables)

    def of_kind(self, kind: str) -> list[Item]:
        """Return the items of a kind that stand in none of the tables."""
        shown = {cell.id for table in self.tables for cell in table.cells}
        return [item for item in self.items if item.kind == kind and (kind == CLAIM or item.cell.id not in shown)]


@dataclass(frozen=True)
class ReportInputs:
    """The folders and entries from which the page is made.

    Parameters
    ----------
    folders : paper -> its folder of configuration.
    schemas, results : the folders ``workflow/schemas`` and ``results``.
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
    """Read the sections of all papers.

    Returns
    -------
    sections : one for each paper.
    comparisons : for each paper the rows of its ``comparison.csv``; all rows of a paper that the configuration does not
        name have the verdict ``not run``.

    Raises
    ------
    ConfigError : a configuration file is at fault.
    IntegrityError : a result was changed by hand.
    """
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
        marked = widened(text, [row.id for row in record.rows])
        beside = Beside(run.rows if run else {}, _origins(inputs, name), marked)
        section = make_section(name, spec, record, rows, results, figures=figures, data=data, beside=beside)
        specified, given = _specified(inputs, name, record), _given(inputs, name)
        sections.append(replace(section, specified=specified, given=given, home=inputs.home))
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
    """Return the section of a paper.

    Parameters
    ----------
    name : name of the paper.
    spec : its ``paper.yaml``.
    record : the published rows, checks and deviations of the paper.
    rows : the rows of its ``comparison.csv``.
    results : its results, which know its roles and measures; none is read.
    figures, data : its drawings and data sets.
    beside : what stands beside the rows: the recorded run, and the origins of the values.

    Raises
    ------
    ConfigError : an entry of ``tables`` in ``paper.yaml`` is wrong (see `reproduction.verdict.tables.make_table`), or
        one of ``explains`` in ``deviations.yaml`` (see `reproduction.verdict.causes.causes_of`).
    """
    brief = without_notes(rows, results.roles)
    items = make_items(name, record, brief, results, beside)
    known = {item.cell.id: item.recorded for item in items if item.recorded and item.recorded.absent}
    then = {name: {"recorded": found.value, "recorded_verdict": found.verdict} for name, found in known.items()}
    cells = [{**row, **then.get(row["id"], {})} for row in brief]
    tables = [make_table(key, entry, cells) for key, entry in spec["tables"].items()]
    head = (name, spec["title"], spec["citation"], spec["status"])
    causes = causes_of(record.deviations, record.rows)
    return PaperSection(*head, items, tables, figures, record.deviations, data, causes, spec.get("url", ""), spec)


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
    said = f"Recorded on {curve.recorded}. {notes_of(svg)}" if curve.recorded else notes_of(svg)
    return Drawing(name, title, said, inline_svg(svg, f"s-{paper}-{name}", curve.drawing))


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
    caption = f"{entry['caption']} {notes_of(svg)}".strip()
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
