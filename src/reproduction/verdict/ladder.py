"""The ladder: how many judged rows came out, from all of them to those that were hardest to pass.

A row that this run did not judge counts with the verdict of the recorded run, where that judged it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reproduction.verdict.items import Item
from reproduction.verdict.published import COUNTED, FACT, NUMBER, PHRASE
from reproduction.verdict.words import DIFFERS, JUDGED, REPRODUCED, UNDECIDED, number

#: A number is reproduced with room where this share of its margin would do.
ROOM = 0.75


@dataclass(frozen=True)
class Known:
    """What is known of a row: by this run, or by the recorded one.

    Parameters
    ----------
    item : the row.
    rebuilt : its value; a word of a claim.
    verdict, corrected : the verdict, before and after Holm's correction of both tests over the table.
    margin_share : the least share of its margin by which it would be reproduced; None where no margin judges it.
    recorded : whether the recorded run judged it and this one did not.
    """

    item: Item
    rebuilt: str
    verdict: str
    corrected: str
    margin_share: float | None
    recorded: bool


@dataclass(frozen=True)
class Rung:
    """A rung of the ladder.

    Parameters
    ----------
    name : in words.
    reproduced, judged : number of the rows that came out, and of all that were judged.
    """

    name: str
    reproduced: int
    judged: int

    @property
    def percent(self) -> int:
        """The share that came out, in per cent."""
        return round(100 * self.reproduced / self.judged) if self.judged else 0


def known(item: Item) -> Known | None:
    """Return what is known of a row; None where neither run judged it."""
    if item.judged:
        return Known(item, item.cell.rebuilt, item.cell.verdict, item.corrected, item.margin_share, recorded=False)
    then = item.recorded
    if then is None or then.verdict not in JUDGED:
        return None
    return Known(item, then.value, then.verdict, then.corrected, then.margin_share, recorded=True)


def all_known(items: Iterable[Item]) -> list[Known]:
    """Return what is known of the numbers, claims, counts of phrases and facts that are not weak."""
    return [one for item in items if item.counts_as in (*COUNTED, FACT) and (one := known(item)) is not None]


def results_of(rows: Iterable[Known]) -> list[Known]:
    """Return the results of methods: numbers and claims without facts of data files and counts of phrases."""
    return [one for one in rows if one.item.kind not in (FACT, PHRASE)]


def ladder(rows: Sequence[Known]) -> list[Rung]:
    """Return the rungs, from all judged rows to the results of methods under the hardest test."""
    texts = [one for one in rows if one.item.kind != FACT]
    results = results_of(rows)
    room = [one for one in results if one.margin_share is None or one.margin_share <= ROOM]
    return [
        _rung("all that was judged", rows, rows),
        _rung("without facts of the data files", texts, texts),
        _rung("without counts of phrases: results of methods", results, results),
        _rung("of these, with margins three quarters as wide", room, results),
        Rung(
            "of these, with both tests corrected over each table",
            sum(one.corrected == REPRODUCED for one in results),
            len(results),
        ),
    ]


def _rung(name: str, passing: Iterable[Known], judged: Sequence[Known]) -> Rung:
    """Return a rung: the reproduced ones of some rows, of all that were judged."""
    return Rung(name, sum(one.verdict == REPRODUCED for one in passing), len(judged))


def own(rows: Iterable[Known], patterns: Sequence[str]) -> Rung:
    """Return the printed numbers of a paper's own methods, whose ids match one of its patterns."""
    numbers = [one for one in rows if one.item.kind == NUMBER]
    found = [one for one in numbers if any(fnmatch.fnmatchcase(one.item.cell.id, pattern) for pattern in patterns)]
    return _rung("own methods", found, found)


def summary(papers: Mapping[str, tuple[Sequence[Known], Sequence[str]]]) -> dict[str, Any]:
    """Return the ladder of all papers and the counts of each, for ``summary.json``.

    Parameters
    ----------
    papers : paper -> what is known of its rows, and the patterns of its own methods.
    """
    rows = [one for known_rows, _ in papers.values() for one in known_rows]
    counts = {
        paper: {
            **{verdict: sum(one.verdict == verdict for one in results_of(found)) for verdict in JUDGED},
            "own": [(rung := own(found, patterns)).reproduced, rung.judged],
        }
        for paper, (found, patterns) in papers.items()
    }
    return {
        "ladder": [[rung.name, rung.reproduced, rung.judged] for rung in ladder(rows)],
        "papers": counts,
        "corrected": {
            verdict: sum(one.corrected == verdict for one in results_of(rows))
            for verdict in (REPRODUCED, DIFFERS, UNDECIDED)
        },
        "recorded": sum(one.recorded for one in results_of(rows)),
    }


def points(rows: Iterable[Known]) -> list[tuple[str, float, float, str, str]]:
    """Return (paper, printed, rebuilt, unit, verdict) of each printed number of a method that is known."""
    found = []
    for one in results_of(rows):
        printed, rebuilt = (
            number(text.replace(",", "").partition(" ±")[0]) for text in (one.item.cell.published, one.rebuilt)
        )
        if one.item.kind == NUMBER and printed and rebuilt is not None:
            found.append((one.item.paper, printed, rebuilt, one.item.cell.unit, one.verdict))
    return found
