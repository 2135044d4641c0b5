"""The record: what the last whole run of each paper gave for its published rows, beside which every run is set.

``config/papers/<paper>/recorded/`` holds the rows (``rows.csv``) and the facts about the run that gave them
(``run.json``).  ``snakemake record`` writes both from a finished run (`reproduction.verdict.record_writer`),
and nobody by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from reproduction.flow.lineage import Origin
from reproduction.flow.results import is_left_out
from reproduction.verdict.published import COUNTED, FACT
from reproduction.verdict.wording import JUDGED, MISSING, REPRODUCED, decimals, number, short, text_of
from textmix.core import io
from textmix.core.errors import ConfigError

#: The two files in the folder of a paper.
RECORDED, RUN = "recorded/rows.csv", "recorded/run.json"
#: How a rebuilt value stands to the recorded one.
EQUAL, UNEQUAL, OTHER_DATA, ABSENT, TIMED = ("equal", "not equal", "other data", "not rebuilt here", "a measured time")


@dataclass(frozen=True)
class RecordedRow:
    """The values of the recorded run for one published row, as text, as in ``comparison.csv``.

    Parameters
    ----------
    reason : the first clause of the reason there, without notes on data sets.
    data, settings, code : digests as in `reproduction.flow.lineage.Origin`.
    """

    id: str
    rebuilt: str
    rebuilt_spread: str
    trials: str
    verdict: str
    corrected: str
    margin_share: str
    reason: str
    data: str
    settings: str
    code: str


RECORDED_COLUMNS = tuple(field.name for field in fields(RecordedRow))


@dataclass(frozen=True)
class Facts:
    """The facts about a run.

    Parameters
    ----------
    date : when its last job ended, ISO 8601 in UTC.
    commit : commit of its code, and what git knows of changes since.
    lock : sha256 of its ``requirements.lock``.
    minutes : from the start of its first job to the end of its last one.
    processor_minutes : of the processor, of all jobs together.
    processor : its kind; several are joined by commas.
    """

    date: str
    commit: str
    lock: str
    minutes: int
    processor_minutes: int
    processor: str

    @property
    def day(self) -> str:
        return self.date[:10]


@dataclass(frozen=True)
class RecordedRun:
    """The last recorded run of each paper: all rows by id, and paper -> the facts about the run that gave them."""

    rows: Mapping[str, RecordedRow]
    papers: Mapping[str, Facts]

    @property
    def runs(self) -> dict[Facts, list[str]]:
        """The runs that gave the rows, by date, and the papers of each, by name."""
        runs = sorted(set(self.papers.values()), key=lambda facts: (facts.date, facts.commit))
        return {run: sorted(paper for paper, facts in self.papers.items() if facts == run) for run in runs}

    @property
    def day(self) -> str:
        """The day on which the runs ended, or the first and the last one."""
        days = sorted({facts.day for facts in self.runs})
        return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

    @property
    def minutes(self) -> int:
        return sum(facts.minutes for facts in self.runs)

    def of(self, paper: str) -> RecordedRun | None:
        """Return the recorded run with the facts of one paper alone; None where it was not recorded."""
        return RecordedRun(self.rows, {paper: self.papers[paper]}) if paper in self.papers else None


def recorded_files(folders: Iterable[Path]) -> list[Path]:
    """Return the files of the recorded runs that there are, of the papers with these folders."""
    paths = (folder / name for folder in sorted(folders) for name in (RUN, RECORDED))
    return [path for path in paths if path.is_file()]


def read_recorded(files: Sequence[Path]) -> RecordedRun | None:
    """Return the recorded run, None without files; ConfigError for damage, a file without the other, or an id twice."""
    rows: dict[str, RecordedRow] = {}
    papers: dict[str, Facts] = {}
    for folder in sorted({path.parent for path in files}):
        papers[folder.parent.name] = _read_facts(folder / Path(RUN).name)
        for row in _read_rows(folder / Path(RECORDED).name):
            if row.id in rows:
                raise ConfigError(f"{folder}: '{row.id}' stands twice; write it anew with snakemake record")
            rows[row.id] = row
    return RecordedRun(rows, papers) if papers else None


def _read_facts(path: Path) -> Facts:
    try:
        return Facts(**io.read_json(path))
    except (OSError, TypeError, ValueError) as error:
        raise ConfigError(f"{path}: is damaged; restore it, or write it anew with snakemake record") from error


def _read_rows(path: Path) -> list[RecordedRow]:
    try:
        return [RecordedRow(**row) for row in io.read_csv(path)]
    except (OSError, TypeError, ValueError) as error:
        raise ConfigError(
            f"{path}: is no record of a run; restore it, or write it anew with snakemake record"
        ) from error


def standing(row: Mapping[str, Any], origin: Origin | None, recorded: RecordedRow) -> str:
    """Return how a row of a comparison stands to the recorded one.

    ``equal`` or ``not equal`` at the printed digits, of a value that both runs rebuilt from the same data; else ``other
    data``, ``a measured time``, or ``not rebuilt here`` where this run did not judge what the record judged; empty
    where the record did not judge the row.  ``origin`` is None where nothing was read for the row.
    """
    if recorded.verdict not in JUDGED:
        return ""
    if row["verdict"] not in JUDGED:
        return ABSENT
    if origin is not None and origin.timed:
        return TIMED
    if (origin.data if origin else "") != recorded.data:
        return OTHER_DATA
    return EQUAL if same_digits(row["rebuilt"], recorded.rebuilt, row["published"]) else UNEQUAL


def same_digits(one: Any, other: Any, printed: str) -> bool:
    """Return whether values are equal at the digits of a printed number, four where none is printed, or as words."""
    left, right = number(one), number(other)
    if left is None or right is None:
        return text_of(one) == text_of(other)
    if number(printed) is None:
        return short(left) == short(right)
    return abs(left - right) <= 0.5 * 10.0 ** -decimals(printed)


#: Why a row of the record is not compared: its results are times, a full run makes them, or they rest on other things.
PASSED = TIMES, FULL, DATA, SETTINGS = ("times", "left to the full run", "other data", "other settings by a cap")


def lost_verdicts(
    rows: Iterable[Mapping[str, Any]], origins: Mapping[str, Origin], run: RecordedRun, *, fewer_trials: bool = False
) -> tuple[list[str], dict[str, int]]:
    """Return a sentence for each counted row that the record judged better with the same data, and counts of rows.

    A row that rests on no data and no settings but on a test is compared too.  A row for which this run read nothing is
    passed over only if its data are missing; with ``fewer_trials`` (a cap) also a row rebuilt by other settings.
    The counts are of the rows that were ``compared``, and of those passed over for each reason in `PASSED`.
    """
    lost, counts = [], dict.fromkeys(("compared", *PASSED), 0)
    for row in rows:
        recorded = run.rows.get(row["id"])
        if recorded is None or row["kind"] not in (*COUNTED, FACT) or recorded.verdict not in JUDGED:
            continue
        passed = _passed(row, origins.get(row["id"]), recorded, fewer_trials)
        counts[passed or "compared"] += 1
        worse = recorded.verdict == REPRODUCED or row["verdict"] not in JUDGED
        if not passed and worse and row["verdict"] != recorded.verdict:
            lost.append(f"{row['id']} was {recorded.verdict} and is {row['verdict']}")
    return lost, counts


def _passed(row: Mapping[str, Any], origin: Origin | None, recorded: RecordedRow, fewer_trials: bool) -> str:
    """Return the reason in `PASSED` for which a row is not compared with the record; empty where it is."""
    data, settings, timed = (origin.data, origin.settings, origin.timed) if origin else ("", "", False)
    if timed or is_left_out(row["reason"]):
        return TIMES if timed else FULL
    if data != recorded.data and (data or row["verdict"] == MISSING):
        return DATA
    return SETTINGS if fewer_trials and data == recorded.data and settings not in ("", recorded.settings) else ""
