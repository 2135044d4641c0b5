"""One paper of the report: items, tables, figures and causes, with derived counts and statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from reproduction.figures.svg_sanitize import Drawing
from reproduction.flow.curves import Curve
from reproduction.verdict.causes import Cause
from reproduction.verdict.compare import MethodMean
from reproduction.verdict.evidence_levels import (
    EvidenceLevel,
    EvidenceLevels,
    evidence_levels,
    known_items,
    own_methods,
)
from reproduction.verdict.main_claims import AnsweredClaim, answer_claims
from reproduction.verdict.missing_data import RESULT_KINDS, DataUsed, is_unnamed
from reproduction.verdict.provenance import links_to_evidence, links_to_sources
from reproduction.verdict.published import CLAIM, FACT, PHRASE, Check, Choice
from reproduction.verdict.recorded_run import OUT_OF_DATE
from reproduction.verdict.replication import Scorecard, scorecard
from reproduction.verdict.report_rows import WEAK, Item
from reproduction.verdict.simulated_claims import simulate_claims
from reproduction.verdict.tables import PaperTable
from reproduction.verdict.wording import (
    ABSENT_RESULT,
    DIFFERS,
    EQUAL,
    JUDGED,
    MISSING,
    NOT_EXPLAINED,
    TIMED,
    UNEQUAL,
    UNKNOWN_CAUSE,
    VERDICTS,
    alternatives_not_run_text,
    span_text,
)
from reproduction.verdict.yardstick import Yardstick


@dataclass(frozen=True)
class DrawnCurve:
    """A specification curve on a page.

    Parameters
    ----------
    curve : Curve
    title : str
        Data set, method and metric of the row.
    drawing : Drawing
        Its figure, which other curves may share.
    """

    curve: Curve
    title: str
    drawing: Drawing


@dataclass(frozen=True)
class SpecificationCurves:
    """The specification curves of a paper.

    Parameters
    ----------
    drawn : sequence of DrawnCurve
    factors : mapping
        Specification -> factor -> level -> reason why the paper allows it.
    registered : mapping
        Specification -> ids of its rows, for all registered alternatives.
    """

    drawn: Sequence[DrawnCurve] = ()
    factors: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    registered: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def curves(self) -> list[Curve]:
        return [item.curve for item in self.drawn]

    @property
    def figures(self) -> dict[str, list[Drawing]]:
        """Specification -> its distinct figures."""
        figures: dict[str, dict[str, Drawing]] = {}
        for item in self.drawn:
            figures.setdefault(item.curve.specification, {})[item.drawing.name] = item.drawing
        return {name: list(drawings.values()) for name, drawings in figures.items()}

    @property
    def registered_rows(self) -> list[str]:
        """The rows with registered alternatives."""
        return list(dict.fromkeys(row for rows in self.registered.values() for row in rows))

    @property
    def evaluated_rows(self) -> set[str]:
        """The rows with a current value of at least one specification."""
        return {curve.row for curve in self.curves if curve.evaluated}

    @property
    def not_run(self) -> dict[str, list[str]]:
        """Specification -> rows without a current value, for the specifications that have such rows."""
        evaluated = self.evaluated_rows
        missing = {name: [row for row in rows if row not in evaluated] for name, rows in self.registered.items()}
        return {name: rows for name, rows in missing.items() if rows}


@dataclass(frozen=True)
class Unexplained:
    """A number or claim that differs without a sufficient explanation.

    Parameters
    ----------
    item : Item
        The number or claim.
    why : str
        Reason why it counts as unexplained.
    attempts : str, default=""
        Previous attempts: the remaining part of the cause, and the values of the specification curve.
    """

    item: Item
    why: str
    attempts: str = ""


def find_unexplained(
    differing: Iterable[Item], causes: Mapping[str, Cause], curves: Iterable[Curve]
) -> list[Unexplained]:
    """Return the items that differ without an identified cause, or that no alternative reproduces."""
    by_row = {curve.row: curve for curve in curves}
    unexplained = []
    for item in differing:
        curve = by_row.get(item.row.id)
        cause = causes.get(item.row.id)
        is_outside = curve is not None and curve.holds is False
        has_no_cause = cause is None or cause.reason.startswith(NOT_EXPLAINED)
        if not is_outside and not has_no_cause:
            continue
        why = [UNKNOWN_CAUSE] if has_no_cause else []
        attempts = [cause.reason.removeprefix(NOT_EXPLAINED).strip()] if cause and has_no_cause else []
        if curve and curve.span:
            why.append(curve.sentence)
            attempts.append(span_text(curve.points[0].levels, *curve.span, is_claim=curve.is_claim))
        unexplained.append(Unexplained(item, " ".join(why), " ".join(filter(None, attempts))))
    return unexplained


def count_verdicts(verdicts: Iterable[str]) -> dict[str, int]:
    """Return verdict -> number of occurrences, in the order of `VERDICTS`."""
    counts = Counter(verdicts)
    return {verdict: counts[verdict] for verdict in VERDICTS}


class ItemGroup:
    """Rows of comparisons, in order, with derived counts.

    A *result* is a published number or claim about a method that is not weak.  A result is *evaluated* if a run judged
    it as reproduced, differing or undecided.  All counts of verdicts in the report are counts of results.
    """

    items: Sequence[Item]
    data: Sequence[DataUsed]

    @property
    def results(self) -> list[Item]:
        """The results: numbers and claims that are not weak."""
        return [item for item in self.items if item.counts_as in RESULT_KINDS]

    @property
    def weak(self) -> list[Item]:
        """The numbers that are not counted because their margins are too wide."""
        return [item for item in self.items if item.row.weak]

    @property
    def weak_counts(self) -> dict[str, int]:
        """Verdict -> number of weak numbers."""
        return count_verdicts(item.verdict for item in self.weak)

    @property
    def known(self) -> list[Item]:
        """The items that this run or the recorded one judged."""
        return known_items(self.items)

    @property
    def levels(self) -> EvidenceLevels:
        return evidence_levels(self.known)

    @property
    def evaluated(self) -> list[Item]:
        """The results that this run judged."""
        return [item for item in self.results if item.row.is_judged]

    @property
    def recorded_evaluated(self) -> list[Item]:
        """The results that the recorded run judged."""
        return [item for item in self.results if item.recorded and item.recorded.verdict in JUDGED]

    @property
    def unnamed(self) -> list[Item]:
        """The results for which the paper names no data set; a reproduced value is shown and never judged."""
        roles = {used.role: used for used in self.data}
        return [item for item in self.results if item.verdict == MISSING and is_unnamed(item, roles)]

    @property
    def n_waiting(self) -> int:
        """Number of results that this run could not evaluate because their data are missing."""
        return self.counts[MISSING] - len(self.unnamed)

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> number of results."""
        return count_verdicts(item.verdict for item in self.results)

    @property
    def recorded_counts(self) -> dict[str, int]:
        """Verdict -> number of results in the recorded run."""
        return count_verdicts(item.recorded.verdict for item in self.results if item.recorded)

    @property
    def n_out_of_date(self) -> int:
        """Number of results whose protocol was changed after the recorded run."""
        return sum(item.recorded.verdict == OUT_OF_DATE for item in self.results if item.recorded)

    @property
    def repeated(self) -> dict[str, list[Item]]:
        """``equal`` and ``not equal`` -> results, by comparison of their values with the recorded run."""
        return {standing: [item for item in self.results if item.standing == standing] for standing in (EQUAL, UNEQUAL)}

    @property
    def n_timed(self) -> int:
        """Number of evaluated results that are measured times, which differ from run to run."""
        return sum(item.standing == TIMED for item in self.evaluated)

    @property
    def not_counted(self) -> Counter[str]:
        """Kind -> number of items that are not results."""
        return Counter(item.counts_as for item in self.items if item.counts_as not in RESULT_KINDS)

    @property
    def substitutes(self) -> list[DataUsed]:
        """The data sets that this run read instead of data sets that the papers name."""
        return [used for used in self.data if used.is_substitute]

    @property
    def broken_data(self) -> list[DataUsed]:
        """The data sets that this run found but could not read."""
        return [used for used in self.data if used.is_broken]

    @property
    def bounded(self) -> list[Item]:
        """The means over trials that two one-sided tests judge as reproduced."""
        return [item for item in self.reproduced if item.row.margin_p is not None]

    @property
    def reproduced(self) -> list[Item]:
        return [item for item in self.results if item.row.is_reproduced]

    @property
    def differing(self) -> list[Item]:
        """The results that differ, failed claims first."""
        return sorted((item for item in self.results if item.verdict == DIFFERS), key=_numbers_last)

    @property
    def other_differing(self) -> list[Item]:
        """The weak numbers, phrase counts and facts that differ; they are not results."""
        kinds = (WEAK, PHRASE, FACT)
        return [item for item in self.items if item.counts_as in kinds and item.verdict == DIFFERS]

    @property
    def recorded_differing(self) -> list[Item]:
        """The results that differ in the recorded run and that this run did not judge, claims first."""
        only_recorded = [item for item in self.results if item.is_only_recorded]
        items = [item for item in only_recorded if item.recorded and item.recorded.verdict == DIFFERS]
        return sorted(items, key=_numbers_last)


def _numbers_last(item: Item) -> bool:
    return item.row.kind != CLAIM


@dataclass(frozen=True, kw_only=True)
class PaperSection(ItemGroup):
    """The section of one paper.

    Parameters
    ----------
    name : str
        Name of the paper.
    spec : mapping
        Its ``paper.yaml``.
    items : sequence of Item
        All rows of its comparison, in order.
    tables, figures : sequence
        Its tables and figures in the order of ``paper.yaml``.
    choices : sequence of Choice
        The entries of ``choices.yaml``.
    data : sequence of DataUsed
        Data set of each of its roles.
    causes : mapping of str to Cause
        Id of a published row -> cause of the difference.
    specification : SpecificationCurves
        Its specification curves; empty if they were not drawn or are out of date.
    cause_values : mapping of str to str
        Locator of a result cited by a cause -> formatted value, or reason why this run has none.
    means : sequence of MethodMean
        The mean differences of its methods.
    checks : mapping of str to Check
        Its checks by name.
    experience : mapping
        Key of `reproduction.verdict.main_claims.EXPERIENCE_KEYS` -> texts on the reproduction.
    """

    name: str
    spec: Mapping[str, Any]
    items: Sequence[Item]
    tables: Sequence[PaperTable] = ()
    figures: Sequence[Drawing] = ()
    choices: Sequence[Choice] = ()
    data: Sequence[DataUsed] = ()
    causes: Mapping[str, Cause] = field(default_factory=dict)
    specification: SpecificationCurves = field(default_factory=SpecificationCurves)
    cause_values: Mapping[str, str] = field(default_factory=dict)
    means: Sequence[MethodMean] = ()
    checks: Mapping[str, Check] = field(default_factory=dict)
    experience: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def own_patterns(self) -> Sequence[str]:
        """Patterns of the row ids of the paper's own methods."""
        patterns: Sequence[str] = self.spec.get("own_methods", ())
        return patterns

    @property
    def own(self) -> EvidenceLevel:
        """The number of judged and reproduced values of the paper's own methods."""
        return own_methods(self.known, self.own_patterns)

    @cached_property
    def yardstick(self) -> Yardstick:
        """Simulated perfect replications of the paper's rows."""
        yardstick = Yardstick.of(self.items)
        claims = simulate_claims(self.items, self.checks, self.spec, yardstick.cells)
        return replace(yardstick, claims=claims)

    @cached_property
    def scorecard(self) -> Scorecard:
        """Counts, expected counts and replication criteria of the paper."""
        return scorecard(self.known, self.own_patterns, self.specification.curves, self.yardstick)

    @cached_property
    def main_claims(self) -> list[AnsweredClaim]:
        """The main claims of the paper with their answers."""
        roles = {used.role: used for used in self.data}
        unnamed = {item.row.id for item in self.items if not item.known and is_unnamed(item, roles)}
        claims = self.spec.get("main_claims", ())
        return answer_claims(claims, self.items, f"{self.name}/paper.yaml: main_claims", unnamed)

    @property
    def drawn(self) -> set[str]:
        """The figures that have been drawn."""
        return {figure.name for figure in self.figures if figure.svg}

    @property
    def table_names(self) -> set[str]:
        return {table.name for table in self.tables}

    def by_cause(self, items: Iterable[Item]) -> list[tuple[Cause | None, list[Item]]]:
        """Group differing items by cause, most frequent causes first and unexplained items last."""
        groups: dict[Cause | None, list[Item]] = {}
        for item in items:
            groups.setdefault(self.causes.get(item.row.id), []).append(item)
        return sorted(groups.items(), key=lambda group: (group[0] is None, -len(group[1])))

    @property
    def unexplained(self) -> list[Unexplained]:
        """The results of this run that differ without a sufficient explanation."""
        return find_unexplained(self.differing, self.causes, self.specification.curves)

    @property
    def recorded_unexplained(self) -> list[Unexplained]:
        """The results of the recorded run that differ without a sufficient explanation and were not judged here."""
        return find_unexplained(self.recorded_differing, self.causes, self.specification.curves)

    @property
    def not_run_alternatives(self) -> str:
        """Sentence on the registered alternatives without a value, and the command that computes them."""
        not_run = self.specification.not_run
        rows = {row for rows in not_run.values() for row in rows}
        n_without_data = sum(item.row.id in rows and item.verdict == MISSING for item in self.items)
        hours = self.spec.get("alternatives_cpu_hours")
        return alternatives_not_run_text(len(rows), len(self.specification.registered_rows), n_without_data, hours)

    @property
    def curve_findings(self) -> dict[str, str]:
        """Row -> clause on its published value and its specification curve, for the rows that have one."""
        return {curve.row: curve.summary for curve in self.specification.curves if curve.holds is not None}

    def results_of(self, cause: Cause) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
        """Return the results cited by a cause: (name, value) pairs of this run, and reason -> missing results."""
        present: list[tuple[str, str]] = []
        missing: dict[str, list[str]] = {}
        for locator in cause.values:
            name = locator.partition(":")[2]
            value = self.cause_values.get(locator, ABSENT_RESULT)
            if value.startswith(ABSENT_RESULT):
                why = value.removeprefix(ABSENT_RESULT).strip(": ").partition(":")[0]
                missing.setdefault(why, []).append(name)
            else:
                present.append((name, value))
        return present, missing

    def links_to_sources(self, item: Item) -> list[tuple[str, str]]:
        """Return (label, address) of the settings, code, records and logs of an item."""
        return links_to_sources(self.name, item.origin, self.spec)

    def links_to_evidence(self, item: Item) -> list[tuple[str, str]]:
        """Return (label, address) of the tables and figures that show an item."""
        tables = [
            table.name
            for table in self.tables
            if table.has_values and any(cell.row.id == item.row.id for cell in table.items)
        ]
        figures = {name: entry for name, entry in self.spec.get("figures", {}).items() if name in self.drawn}
        return links_to_evidence(self.name, item.row.id, figures, tables)

    def of_kind(self, kind: str) -> list[Item]:
        """Return the items of a kind that are not in any table; for claims, all items."""
        in_tables = {item.row.id for table in self.tables for item in table.items}
        items = [item for item in self.items if item.row.kind == kind]
        return items if kind == CLAIM else [item for item in items if item.row.id not in in_tables]
