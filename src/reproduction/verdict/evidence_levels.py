"""Evidence levels: how many judged rows were reproduced, from all rows to those with the strictest test.

A row that this run did not judge counts with the verdict of the recorded run, if available.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.published import COUNTED, FACT, NUMBER, PHRASE
from reproduction.verdict.report_rows import Item
from reproduction.verdict.wording import (
    ALL_JUDGED,
    CHOSEN_BEFORE,
    CORRECTED,
    DIFFERS,
    JUDGED,
    METHOD_RESULTS,
    NARROW_MARGINS,
    OWN_METHODS,
    REPRODUCED,
    UNDECIDED,
    WITHOUT_FACTS,
    number,
)

#: Fraction of the margins that is used at the level `EvidenceLevels.narrow_margins`.
NARROW_MARGIN = 0.75


@dataclass(frozen=True)
class EvidenceLevel:
    """An evidence level: its name, and the number of reproduced and of judged rows."""

    name: str
    n_reproduced: int
    n_judged: int

    @property
    def percent(self) -> int:
        if not self.n_judged:
            return 0
        return round(100 * self.n_reproduced / self.n_judged)


@dataclass(frozen=True, kw_only=True)
class EvidenceLevels:
    """The evidence levels, from all judged rows to the strictest test.

    Parameters
    ----------
    all_judged : EvidenceLevel
        All judged rows.
    without_facts : EvidenceLevel
        Rows other than facts about data files.
    method_results : EvidenceLevel
        Results of methods, without facts about data files and phrase counts.  The other levels are subsets of these.
    narrow_margins : EvidenceLevel
        With margins scaled by `NARROW_MARGIN`.
    corrected : EvidenceLevel
        With both tests corrected over each table.
    chosen_before : EvidenceLevel
        Without rows for which the margin or interpretation was chosen after seeing results.
    """

    all_judged: EvidenceLevel
    without_facts: EvidenceLevel
    method_results: EvidenceLevel
    narrow_margins: EvidenceLevel
    corrected: EvidenceLevel
    chosen_before: EvidenceLevel

    @property
    def levels(self) -> list[EvidenceLevel]:
        """All levels in order."""
        return [getattr(self, field.name) for field in fields(self)]


def known_items(items: Iterable[Item]) -> list[Item]:
    """Return the judged numbers, claims, phrase counts and facts that are not weak."""
    return [item for item in items if item.counts_as in (*COUNTED, FACT) and item.known]


def results_of(items: Iterable[Item]) -> list[Item]:
    """Return the results of methods: numbers and claims without facts of data files and phrase counts."""
    return [item for item in items if item.row.kind not in (FACT, PHRASE)]


def evidence_levels(items: Sequence[Item]) -> EvidenceLevels:
    """Count judged items at each evidence level."""
    results = results_of(items)
    rows = known_rows(results)
    reproduced = [row for row in rows if row.is_reproduced]
    n_narrow = sum(row.margin_share is None or row.margin_share <= NARROW_MARGIN for row in reproduced)
    n_corrected = sum(row.corrected == REPRODUCED for row in rows)
    n_results = len(results)
    without_facts = [item for item in items if item.row.kind != FACT]
    chosen_before = [item for item in results if not item.mark]
    return EvidenceLevels(
        all_judged=_level(ALL_JUDGED, items),
        without_facts=_level(WITHOUT_FACTS, without_facts),
        method_results=_level(METHOD_RESULTS, results),
        narrow_margins=EvidenceLevel(NARROW_MARGINS, n_narrow, n_results),
        corrected=EvidenceLevel(CORRECTED, n_corrected, n_results),
        chosen_before=_level(CHOSEN_BEFORE, chosen_before),
    )


def known_rows(items: Iterable[Item]) -> list[ComparisonRow]:
    """Return the judged rows of items, of this run or the recorded one."""
    return [item.known for item in items if item.known]


def _level(name: str, items: Sequence[Item]) -> EvidenceLevel:
    n_reproduced = sum(row.is_reproduced for row in known_rows(items))
    return EvidenceLevel(name, n_reproduced, len(items))


def own_methods(items: Iterable[Item], patterns: Sequence[str]) -> EvidenceLevel:
    """Count the published values of a paper's own methods, selected by patterns of row ids."""
    numbers = [item for item in items if item.row.kind == NUMBER]
    selected = [item for item in numbers if matches_any(item.row.id, patterns)]
    return _level(OWN_METHODS, selected)


def matches_any(row_id: str, patterns: Iterable[str]) -> bool:
    """Check whether a row id matches one of several patterns."""
    return any(fnmatch.fnmatchcase(row_id, pattern) for pattern in patterns)


def summary(papers: Mapping[str, tuple[Sequence[Item], Sequence[str]]]) -> dict[str, Any]:
    """Return the evidence levels and counts; ``papers`` maps paper -> judged items and patterns of own methods."""
    items = [item for paper_items, _ in papers.values() for item in paper_items]
    results = results_of(items)
    ladder = [astuple(level) for level in evidence_levels(items).levels]
    counts = {paper: _count_verdicts(*entry) for paper, entry in papers.items()}
    corrected = Counter(row.corrected for row in known_rows(results))
    return {
        "ladder": ladder,
        "papers": counts,
        "corrected": {verdict: corrected[verdict] for verdict in (REPRODUCED, DIFFERS, UNDECIDED)},
        "recorded": sum(not item.row.is_judged for item in results),
    }


def _count_verdicts(items: Sequence[Item], patterns: Sequence[str]) -> dict[str, Any]:
    """Count the results of a paper by verdict, in total and for its own methods."""
    verdicts = Counter(row.verdict for row in known_rows(results_of(items)))
    counts: dict[str, Any] = {verdict: verdicts[verdict] for verdict in JUDGED}
    level = own_methods(items, patterns)
    counts["own"] = [level.n_reproduced, level.n_judged]
    return counts


@dataclass(frozen=True)
class Point:
    """A judged published value of a method in the summary figure; both values are in the unit of the row."""

    paper: str
    published: float
    reproduced: float
    unit: str
    verdict: str

    @property
    def relative_difference(self) -> float:
        return (self.reproduced - self.published) / abs(self.published)


def points(items: Iterable[Item]) -> list[Point]:
    """Return the judged published values of methods."""
    numbers = []
    for item in results_of(items):
        row = item.known
        if item.row.kind != NUMBER or row is None:
            continue
        published = _number_of(row.published_text)
        reproduced = _number_of(row.reproduced_text)
        if published and reproduced is not None:
            point = Point(row.paper, published, reproduced, row.unit, row.verdict)
            numbers.append(point)
    return numbers


def _number_of(text: str) -> float | None:
    """Parse the number of a formatted value, without its standard deviation."""
    value, _, _ = text.replace(",", "").partition(" ±")
    return number(value)
