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
        return round(100 * self.n_reproduced / self.n_judged) if self.n_judged else 0


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
    return EvidenceLevels(
        all_judged=_level(ALL_JUDGED, items),
        without_facts=_level(WITHOUT_FACTS, [item for item in items if item.row.kind != FACT]),
        method_results=_level(METHOD_RESULTS, results),
        narrow_margins=EvidenceLevel(NARROW_MARGINS, n_narrow, len(results)),
        corrected=EvidenceLevel(CORRECTED, n_corrected, len(results)),
        chosen_before=_level(CHOSEN_BEFORE, [item for item in results if not item.mark]),
    )


def known_rows(items: Iterable[Item]) -> list[ComparisonRow]:
    """Return the judged rows of items, of this run or the recorded one."""
    return [item.known for item in items if item.known]


def _level(name: str, items: Sequence[Item]) -> EvidenceLevel:
    return EvidenceLevel(name, sum(row.is_reproduced for row in known_rows(items)), len(items))


def own_methods(items: Iterable[Item], patterns: Sequence[str]) -> EvidenceLevel:
    """Count the published values of a paper's own methods, selected by patterns of row ids."""
    numbers = [item for item in items if item.row.kind == NUMBER]
    own = [item for item in numbers if any(fnmatch.fnmatchcase(item.row.id, pattern) for pattern in patterns)]
    return _level(OWN_METHODS, own)


def summary(papers: Mapping[str, tuple[Sequence[Item], Sequence[str]]]) -> dict[str, Any]:
    """Return the evidence levels and counts; ``papers`` maps paper -> judged items and patterns of own methods."""
    items = [item for paper_items, _ in papers.values() for item in paper_items]
    results = results_of(items)
    corrected = Counter(row.corrected for row in known_rows(results))
    return {
        "ladder": [astuple(level) for level in evidence_levels(items).levels],
        "papers": {paper: _count_verdicts(*entry) for paper, entry in papers.items()},
        "corrected": {verdict: corrected[verdict] for verdict in (REPRODUCED, DIFFERS, UNDECIDED)},
        "recorded": sum(not item.row.is_judged for item in results),
    }


def _count_verdicts(items: Sequence[Item], patterns: Sequence[str]) -> dict[str, Any]:
    """Count the results of a paper by verdict, in total and for its own methods."""
    verdicts = Counter(row.verdict for row in known_rows(results_of(items)))
    own = own_methods(items, patterns)
    counts: dict[str, Any] = {verdict: verdicts[verdict] for verdict in JUDGED}
    return {**counts, "own": [own.n_reproduced, own.n_judged]}


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
            numbers.append(Point(row.paper, published, reproduced, row.unit, row.verdict))
    return numbers


def _number_of(text: str) -> float | None:
    """Parse the number of a formatted value, without its standard deviation."""
    return number(text.replace(",", "").partition(" ±")[0])
