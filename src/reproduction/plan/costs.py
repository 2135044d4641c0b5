"""Time and memory of jobs as measured before: the table config/costs.csv, from which a run plans what a job may need.

No result depends on the table: it decides which jobs a run takes, how work is cut into jobs, and how much a cluster is
asked for.  The target ``costs`` writes it, from the logs and Snakemake's benchmark files of the folder in which the
workflow ran.  A cost is in seconds of the processor: beside other work a job waits, which they do not count.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path

from reproduction.job.spent import read_spent
from reproduction.plan.stages import benchmark_of, log_of
from textmix.core.io import format_csv, write_text

#: A fit job of more seconds than this is cut into jobs of one fit each, which run side by side.
COSTLY = 60.0
#: Cells of a benchmark file of a job that ended before Snakemake looked at it.
UNSEEN = ("NA", "-", "0.00")
#: Share of a megabyte in Snakemake's unit of memory; its benchmark files count in MiB.
MEBIBYTE = 1.048576


@dataclass(frozen=True)
class Cost:
    """Time and memory of one job, or of each job of a cheap stage.

    Parameters
    ----------
    stage : the rule.
    job : the job's name within the stage, its benchmark file's path without ending; empty for a whole stage.
    method : what it did: the method of a fit, the features of a count, the measure; empty where there is one way.
    documents : size of its data set; 0 where it is not known.
    seconds : of the processor, of all its fits together where they are jobs of their own; of a stage the median.
    megabytes : largest resident memory.
    """

    stage: str
    job: str
    method: str
    documents: int
    seconds: float
    megabytes: int


#: The end of the name of an entry of a declared reading (`reproduction.flow.readings`).
_READING = re.compile(r"_r[0-9a-f]{8}(?=/|$)")
COLUMNS = tuple(each.name for each in fields(Cost))


def load_costs(path: Path) -> list[Cost]:
    """Return the rows of a table of costs."""
    with open(path, encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    return [
        Cost(
            *(row["stage"], row["job"], row["method"]),
            *(int(row["documents"]), float(row["seconds"]), int(row["megabytes"])),
        )
        for row in rows
    ]


def save_costs(path: Path, rows: Iterable[Cost]) -> None:
    """Write a table of costs, sorted by stage and job; of two rows of one job the later one stays."""
    kept = {(row.stage, row.job): row for row in rows}
    write_text(path, format_csv([asdict(kept[key]) for key in sorted(kept)], COLUMNS))


@dataclass(frozen=True)
class Measured:
    """Time and memory of a job that was run.

    Parameters
    ----------
    seconds : of the processor, from the start of its Python on, as the last line of its log tells them.
    megabytes : largest resident memory that Snakemake saw.
    """

    seconds: float
    megabytes: int


def read_measured(node: str, folder: Path) -> Measured | None:
    """Return what a job took; None where it has not told its seconds, or Snakemake has not measured it.

    The load in Snakemake's benchmark file is that up to its last look at the job, which may be 30 s before the end, so
    that the seconds of the processor come from the job itself.

    Parameters
    ----------
    node : the job's name among the jobs of all stages.
    folder : in which the workflow ran.
    """
    benchmark, spent = folder / benchmark_of(node), read_spent(folder / log_of(node))
    if spent is None or not benchmark.is_file():
        return None
    head, *rows = [line.split("\t") for line in benchmark.read_text(encoding="utf-8").splitlines()] or [[]]
    found = [dict(zip(head, row, strict=True))["max_rss"] for row in rows]
    # A job of less than a second may end before its memory was looked at.
    memory = max((float(one) for one in found if one not in UNSEEN), default=0.0)
    return Measured(spent.total, round(memory * MEBIBYTE))


@dataclass(frozen=True)
class Costs:
    """The costs that are known, by which the cost of a job is estimated."""

    rows: Mapping[tuple[str, str], Cost] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[Cost]) -> Costs:
        """Return the costs of the rows of a table."""
        return cls({(row.stage, row.job): row for row in rows})

    @cached_property
    def _alike(self) -> dict[tuple[str, str], list[Cost]]:
        """Stage and method -> the rows of a known size."""
        found: dict[tuple[str, str], list[Cost]] = {}
        for row in self.rows.values():
            if row.documents:
                found.setdefault((row.stage, row.method), []).append(row)
        return found

    def estimate(self, stage: str, job: str = "", method: str = "", documents: int = 0) -> Cost | None:
        """Return the cost of a job: its own row, else that of the most alike job, scaled by the number of documents.

        A reading that was not measured costs what the entry does that it reads otherwise.
        Alike are the jobs of the stage that did the same by ``method``; the one with the nearest number of documents is
        taken.  Without one the row of the whole stage stands; None where there is none.
        """
        own = self.rows.get((stage, job)) or self.rows.get((stage, _READING.sub("", job)))
        if own is not None:
            return own
        alike = self._alike.get((stage, method), []) if documents else []
        if not alike:
            return self.rows.get((stage, ""))
        near = min(alike, key=lambda row: abs(row.documents - documents))
        share = documents / near.documents
        return Cost(stage, job, method, documents, near.seconds * share, round(near.megabytes * max(1.0, share)))
