"""The recorded run: results of the last complete run of each paper, the baseline for all other runs.

``config/papers/<paper>/recorded/`` contains the rows (``rows.csv``) and metadata of the run (``run.json``).
``snakemake record`` writes both from a finished run (`reproduction.verdict.record_writer`); do not edit them manually.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from textmix.core import io
from textmix.core.errors import ConfigError

#: Recorded files in the folder of a paper.
RECORDED = "recorded/rows.csv"
RUN = "recorded/run.json"
#: Verdict of a recorded row if its protocol was changed after the recorded run.
OUT_OF_DATE = "out of date"
#: Heading of an entry of ``history.md``, and its items that list out-of-date recorded rows.
_HEADING = re.compile(r"^## (.+)$", flags=re.MULTILINE)
_OUT_OF_DATE_ITEM = re.compile(r"^- Out of date:((?:.|\n(?=  ))*)", flags=re.MULTILINE)


@dataclass(frozen=True)
class RecordedRow:
    """Results of the recorded run for one published row, as text, as in ``comparison.csv``.

    Parameters
    ----------
    id, reproduced, reproduced_sd, trials, verdict, corrected, margin_share : str
        Cells of its `reproduction.verdict.comparison_row.ComparisonRow`.
    reason : str
        First clause of the reason there, without notes on data sets.
    data, settings, code : str
        Digests as in `reproduction.flow.lineage.Origin`.
    """

    id: str
    reproduced: str
    reproduced_sd: str
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
    """Metadata of a run.

    Parameters
    ----------
    date : str
        End of its last job (ISO 8601, UTC).
    commit : str
        Commit of its code, and git's description of later changes.
    lock : str
        SHA-256 digest of its ``requirements.lock``.
    minutes : int
        Wall-clock minutes from the start of the first job to the end of the last one.
    processor_minutes : int
        CPU minutes of all jobs.
    processor : str
        Processor model; several are joined by commas.
    history_entries : int
        Number of entries in the history of the paper at the time of the run. Papers of one run may differ in it.
    """

    date: str
    commit: str
    lock: str
    minutes: int
    processor_minutes: int
    processor: str
    history_entries: int = field(compare=False)

    @property
    def day(self) -> str:
        return self.date[:10]


@dataclass(frozen=True)
class RecordedRun:
    """Last recorded run of each paper: all rows by id, and paper -> metadata of its run."""

    rows: Mapping[str, RecordedRow]
    papers: Mapping[str, Facts]

    @property
    def runs(self) -> dict[Facts, list[str]]:
        """The runs by date, each with its papers."""
        runs = sorted(set(self.papers.values()), key=lambda facts: (facts.date, facts.commit))
        return {run: sorted(paper for paper, facts in self.papers.items() if facts == run) for run in runs}

    @property
    def day(self) -> str:
        """The date of the runs, or the first and the last date."""
        days = sorted({facts.day for facts in self.runs})
        return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

    @property
    def minutes(self) -> int:
        return sum(facts.minutes for facts in self.runs)

    def of(self, paper: str) -> RecordedRun | None:
        """Return the recorded run with the metadata of one paper only; None if the paper is not recorded."""
        return RecordedRun(self.rows, {paper: self.papers[paper]}) if paper in self.papers else None


def recorded_files(folders: Iterable[Path]) -> list[Path]:
    """Return the existing recorded files of papers with these folders."""
    paths = (folder / name for folder in sorted(folders) for name in (RUN, RECORDED))
    return [path for path in paths if path.is_file()]


def read_recorded(files: Sequence[Path]) -> RecordedRun | None:
    """Read the recorded run, None without files; raise ConfigError for an invalid or missing file or a duplicate id."""
    rows: dict[str, RecordedRow] = {}
    papers: dict[str, Facts] = {}
    for folder in sorted({path.parent for path in files}):
        facts = _read_facts(folder / Path(RUN).name)
        papers[folder.parent.name] = facts
        patterns = out_of_date_patterns(folder.parent / "history.md", facts.history_entries)
        for row in _read_rows(folder / Path(RECORDED).name):
            if row.id in rows:
                raise ConfigError(f"{folder}: duplicate id '{row.id}'; write it anew with snakemake record")
            is_out_of_date = any(fnmatch.fnmatchcase(row.id, pattern) for pattern in patterns)
            rows[row.id] = replace(row, verdict=OUT_OF_DATE) if is_out_of_date else row
    return RecordedRun(rows, papers) if papers else None


def out_of_date_patterns(history: Path, n_recorded: int) -> list[str]:
    """Return ids and patterns of the rows with a protocol that was changed after the recorded run.

    Later entries of ``history.md``, that is, all but the first ``n_recorded``, list them in an item that begins with
    ``- Out of date:``.
    """
    entries = history_entries(history.read_text(encoding="utf-8") if history.is_file() else "")
    later = list(entries.values())[n_recorded:]
    items = _OUT_OF_DATE_ITEM.findall("".join(later))
    return re.findall(r"`([^`]+)`", "".join(items))


def history_entries(history: str) -> dict[str, str]:
    """Return heading -> text of each entry of a ``history.md``: the changes made after seeing results."""
    _, *sections = _HEADING.split(history)
    headings = sections[::2]
    texts = sections[1::2]
    return dict(zip(headings, texts, strict=True))


def _read_facts(path: Path) -> Facts:
    try:
        return Facts(**io.read_json(path))
    except (OSError, TypeError, ValueError) as error:
        raise ConfigError(f"{path}: damaged file; restore it, or write it anew with snakemake record") from error


def _read_rows(path: Path) -> list[RecordedRow]:
    try:
        return [RecordedRow(**row) for row in io.read_csv(path)]
    except (OSError, TypeError, ValueError) as error:
        raise ConfigError(f"{path}: not a recorded run; restore it, or write it anew with snakemake record") from error
