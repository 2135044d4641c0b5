"""Verification: every result and raw file is read again and compared with the digests recorded when it was made."""

from __future__ import annotations

from pathlib import Path

from reproduction.flow.cpu_features import processor
from textmix.core import digests, io
from textmix.core.errors import IntegrityError

#: Folders without records: the measured times of benchmarks, and of jobs, which Snakemake writes.
WITHOUT_RECORD = {"bench", "benchmarks", "own"}


def verify(results: Path, resources: Path) -> tuple[list[str], int]:
    """Return a sentence for each result or raw file that is not as recorded, and how many were read."""
    faults: list[str] = []
    records = sorted(p for p in results.rglob(f"*{io.META}") if p.name == io.META or p.name.endswith(f".{io.META}"))
    covered: set[Path] = set()
    for record in records:
        if any(map(io.is_leftover, record.relative_to(results).parts)):
            continue
        target = record.parent if record.name == io.META else record.with_name(record.name[: -len(io.META) - 1])
        covered |= {record, target} if target.suffix else {p for p in target.rglob("*") if p.is_file()}
        if not target.exists():
            faults.append(f"{target}: is gone, its record is left; run again")
            continue
        try:
            faults += [f"{target}: {name} was changed since it was made" for name in io.changed_files(target)]
            if not io.is_of_path(io.read_meta(target), target):
                faults.append(f"{target}: is a copy of another result; delete it and run again")
        except IntegrityError as error:
            faults.append(str(error))
    for path in sorted(p for p in results.rglob("*") if p.is_file()):
        parts = path.relative_to(results).parts
        if any(map(io.is_leftover, parts)):  # of a job that was killed; the job that makes the result again deletes it
            continue
        if path not in covered and parts[0] not in WITHOUT_RECORD and path.name not in io.FOREIGN:
            faults.append(f"{path}: was not made by the workflow; move it elsewhere")
    raw_faults, raw = _verify_raw(resources)
    return faults + raw_faults, len(records) + raw


def made_elsewhere(results: Path) -> int:
    """Return the number of results that were made on another processor: their last digits can differ from today's."""
    records = [path for path in results.rglob(f"*{io.META}") if not any(map(io.is_leftover, path.parts))]
    return sum(io.read_json(record).get("processor", processor()) != processor() for record in records)


def _verify_raw(resources: Path) -> tuple[list[str], int]:
    """Return the faults and the number of raw files, checked against the digests taken when they were fetched."""
    faults, checked = [], 0
    for record in sorted(resources.glob("*/fetch.json")):
        try:
            files = {entry["name"]: entry["sha256"] for entry in io.read_json(record).get("files", {}).values()}
        except (ValueError, KeyError, TypeError, AttributeError):
            faults.append(f"{record}: is damaged; delete it and run again")
            continue
        for name, digest in files.items():
            path = record.parent / name
            checked += 1
            if not path.is_file():
                faults.append(f"{path}: is gone; delete {record} and run again")
            elif digests.sha256_file(path) != digest:
                faults.append(f"{path}: does not have its sha256 {digest}; delete it and {record}, run again")
    return faults, checked
