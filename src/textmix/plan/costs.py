"""Time and memory of jobs as measured before: a committed table, from which a run plans what a job may need.

No result depends on the table: it decides how work is cut into jobs, and how much a cluster is asked for.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

#: A fit job of more seconds than this is cut into jobs of one fit each, which run side by side.
COSTLY = 60.0


@dataclass(frozen=True)
class Cost:
    """What one job took, or what the jobs of a cheap stage take at most.

    Parameters
    ----------
    stage : the rule.
    job : the job's name within the stage, its benchmark file's path without ending; empty for a whole stage.
    method : what it did: the method of a fit, the features of a count, the measure; empty where there is one way.
    documents : size of its data set; 0 where it is not known.
    seconds : by the clock, of all its fits together where they are jobs of their own.
    megabytes : largest resident memory.
    """

    stage: str
    job: str
    method: str
    documents: int
    seconds: float
    megabytes: float


COLUMNS = tuple(field.name for field in fields(Cost))


def load_costs(path: Path) -> list[Cost]:
    """Return the rows of a table of costs."""
    with open(path, encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    return [
        Cost(
            *(row["stage"], row["job"], row["method"]),
            *(int(row["documents"]), float(row["seconds"]), float(row["megabytes"])),
        )
        for row in rows
    ]


@dataclass(frozen=True)
class Costs:
    """The costs that are known, by which the cost of a job is estimated."""

    rows: Mapping[tuple[str, str], Cost]

    @classmethod
    def of(cls, rows: Iterable[Cost]) -> Costs:
        """Return the costs of the rows of a table."""
        return cls({(row.stage, row.job): row for row in rows})

    def estimate(self, stage: str, job: str = "", method: str = "", documents: int = 0) -> Cost | None:
        """Return the cost of a job: its own row, else that of the most alike job, scaled by the number of documents.

        Alike are the jobs of the stage that did the same by ``method``; the one with the nearest number of documents is
        taken.  None where neither is known.
        """
        own = self.rows.get((stage, job))
        if own is not None:
            return own
        alike = [row for row in self.rows.values() if (row.stage, row.method) == (stage, method) and row.documents]
        if not alike or not documents:
            return None
        return _scaled(min(alike, key=lambda row: abs(row.documents - documents)), job, documents)


def _scaled(row: Cost, job: str, documents: int) -> Cost:
    """Return the cost of a job like another, on another number of documents."""
    share = documents / row.documents
    return Cost(row.stage, job, row.method, documents, row.seconds * share, row.megabytes * max(1.0, share))
