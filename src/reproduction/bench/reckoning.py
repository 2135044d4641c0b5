"""Ten and a hundred million documents on paper, from the growth of each stage that the target millions measured.

Time follows the measured power law, of slope 1 at least; memory and files follow the straight line.  Nothing here is
measured at these sizes.  Labels of the held-out documents are left out, for they are few: the stage that labels the
whole file stands for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reproduction.bench.by_blocks import BLOCK, TOGETHER

#: The sizes, in million documents.
SIZES = (10, 100)
#: Stage -> documents that it holds at a time; where the smaller size has fewer, growth of memory says nothing.
AT_A_TIME = {"fit pmm1": BLOCK * TOGETHER}
#: ``hours_10``: hours of one processor for ten million documents.  ``gib_10``: largest memory of the process.
#: ``disk_gb_10``: new files.  ``ends_at``: millions of documents at which the memory reaches its limit; empty where it
#: does not grow, or its growth was not measured.
COLUMNS = (
    *("program", "stage"),
    *(f"{what}_{size}" for what in ("hours", "gib", "disk_gb") for size in SIZES),
    "ends_at",
)


def reckon(rows: Sequence[Mapping[str, Any]], memory_gib: float) -> list[dict[str, Any]]:
    """Return rows of `COLUMNS`: one for each stage with two sizes, and one for a study of the workflow.

    Parameters
    ----------
    rows : of `reproduction.bench.millions.COLUMNS`, as texts.
    memory_gib : limit of a process.
    """
    grown = {(row["program"], row["stage"]): row for row in rows if row["mib_per_million"]}
    start = max(float(row["processor_seconds"]) for row in rows if row["program"] == "every stage")
    sizes = [int(row["documents"]) for row in rows if row["stage"] == "count"]
    whole = [row for row in grown.values() if int(row["documents"]) == max(sizes) and row["program"] != "every stage"]
    known = [AT_A_TIME.get(row["stage"], 0) <= min(sizes) for row in whole]
    made = [_reckoned(row, start, memory_gib, measured) for row, measured in zip(whole, known, strict=True)]
    return [*made, _study(grown, memory_gib)]


def _reckoned(row: Mapping[str, Any], start: float, memory_gib: float, growth_known: bool) -> dict[str, Any]:
    """Return the row of one stage, without memory where its growth is not known."""
    measured, seconds = int(row["documents"]) / 1e6, float(row["processor_seconds"]) - start
    slope, further = max(1.0, float(row["slope"] or 1.0)), max(0.0, float(row["mib_per_million"])) / 1024
    gib, gigabytes = float(row["peak_mib"]) / 1024, float(row["written_mb"] or 0) / 1e3
    made: dict[str, Any] = {"program": row["program"], "stage": row["stage"]}
    for size in SIZES:
        made[f"hours_{size}"] = (start + seconds * (size / measured) ** slope) / 3600
        made[f"gib_{size}"] = gib + further * (size - measured) if growth_known else None
        made[f"disk_gb_{size}"] = gigabytes * size / measured
    return {**made, "ends_at": measured + (memory_gib - gib) / further if further and growth_known else None}


def _study(grown: Mapping[tuple[str, str], Mapping[str, Any]], memory_gib: float) -> dict[str, Any]:
    """Return the row of a study of the workflow, which holds the texts and the counts of all documents."""
    written, counted = grown["made documents", "write"], grown["textmix", "count"]
    held = int(grown["textmix", "predict multinomial"]["documents"])
    texts = float(written["written_mb"]) / (int(written["documents"]) + held)
    megabytes = texts + float(counted["written_mb"]) / int(counted["documents"])
    gib_per_million = megabytes * 1e12 / 2**30
    return {
        **dict.fromkeys(COLUMNS),
        **{"program": "snakemake own", "stage": "texts and counts in memory", "ends_at": memory_gib / gib_per_million},
        **{f"gib_{size}": gib_per_million * size for size in SIZES},
    }
