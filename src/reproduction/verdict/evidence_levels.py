"""The ladder: how many judged rows came out, from all of them to those that were hardest to pass.

A row that this run did not judge counts with the verdict of the recorded run, where that judged it.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reproduction.verdict.published import COUNTED, FACT, NUMBER, PHRASE
from reproduction.verdict.report_rows import Item, Judged
from reproduction.verdict.wording import DIFFERS, JUDGED, REPRODUCED, UNDECIDED, number

#: A number is reproduced with room where this share of its margin would do.
ROOM = 0.75


@dataclass(frozen=True)
class Rung:
    """A rung of the ladder: its name in words, and the numbers of rows that came out and that were judged."""

    name: str
    reproduced: int
    judged: int

    @property
    def percent(self) -> int:
        return round(100 * self.reproduced / self.judged) if self.judged else 0


def all_known(items: Iterable[Item]) -> list[Item]:
    """Return the numbers, claims, counts of phrases and facts that are not weak and that a run judged."""
    return [item for item in items if item.counts_as in (*COUNTED, FACT) and item.known]


def results_of(items: Iterable[Item]) -> list[Item]:
    """Return the results of methods: numbers and claims without facts of data files and counts of phrases."""
    return [item for item in items if item.kind not in (FACT, PHRASE)]


def ladder(items: Sequence[Item]) -> list[Rung]:
    """Return the rungs, from all judged rows to the results of methods under the hardest test."""
    texts, results = [item for item in items if item.kind != FACT], results_of(items)
    unmarked = [item for item in results if not item.mark]
    corrected = Counter(one.corrected for one in _judgements(results))
    room = sum(one.margin_share is None or one.margin_share <= ROOM for one in _judgements(results, REPRODUCED))
    return [
        _rung("all judged rows", items),
        _rung("without facts of data files", texts),
        _rung("results of methods", results),
        Rung("… with margins three quarters as wide", room, len(results)),
        Rung("… with both tests corrected over each table", corrected[REPRODUCED], len(results)),
        _rung("… whose margin and reading were chosen before results were seen", unmarked),
    ]


def _judgements(items: Iterable[Item], *verdicts: str) -> list[Judged]:
    """Return the judgements of judged items, of all or of those with a verdict."""
    found = [item.known for item in items if item.known]
    return [one for one in found if not verdicts or one.verdict in verdicts]


def _rung(name: str, items: Sequence[Item]) -> Rung:
    """Return a rung: the reproduced ones of judged items."""
    return Rung(name, len(_judgements(items, REPRODUCED)), len(items))


def own(items: Iterable[Item], patterns: Sequence[str]) -> Rung:
    """Return the printed numbers of a paper's own methods, whose ids match one of its patterns."""
    numbers = [item for item in items if item.kind == NUMBER]
    found = [item for item in numbers if any(fnmatch.fnmatchcase(item.cell.id, pattern) for pattern in patterns)]
    return _rung("own methods", found)


def summary(papers: Mapping[str, tuple[Sequence[Item], Sequence[str]]]) -> dict[str, Any]:
    """Return ladder and counts of papers, given as paper -> judged items and patterns of its own methods."""
    items = [item for found, _ in papers.values() for item in found]
    results = results_of(items)
    counts = {
        paper: {
            **{verdict: len(_judgements(results_of(found), verdict)) for verdict in JUDGED},
            "own": [(rung := own(found, patterns)).reproduced, rung.judged],
        }
        for paper, (found, patterns) in papers.items()
    }
    corrected = Counter(one.corrected for one in _judgements(results))
    return {
        "ladder": [[rung.name, rung.reproduced, rung.judged] for rung in ladder(items)],
        "papers": counts,
        "corrected": {verdict: corrected[verdict] for verdict in (REPRODUCED, DIFFERS, UNDECIDED)},
        "recorded": sum(not item.judged for item in results),
    }


def points(items: Iterable[Item]) -> list[tuple[str, float, float, str, str]]:
    """Return (paper, printed, rebuilt, unit, verdict) of each judged printed number of a method."""
    found = []
    for item in results_of(items):
        one = item.known
        if item.kind == NUMBER and one:
            texts = item.cell.published, one.value
            printed, rebuilt = (number(text.replace(",", "").partition(" ±")[0]) for text in texts)
            if printed and rebuilt is not None:
                found.append((item.paper, printed, rebuilt, item.cell.unit, one.verdict))
    return found
