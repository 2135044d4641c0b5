"""Verify every result and raw file against the digest that was recorded when it was written."""

from __future__ import annotations

from pathlib import Path

from reproduction.flow.cpu_features import processor
from textmix.core import digests, io
from textmix.core.errors import IntegrityError

#: Entries without records: measured times, comparisons of a user's own texts, and the description of the folder.
WITHOUT_RECORD = {"bench", "benchmarks", "own", "README.md"}


def verify(results: Path, resources: Path) -> tuple[list[str], int]:
    """Check all results and raw files.

    Parameters
    ----------
    results, resources : Path
        Folders of the results and of the raw files.

    Returns
    -------
    errors : list of str
        One sentence for each file that differs from its record.
    n_checked : int
        Number of results and raw files that were read.
    """
    errors: list[str] = []
    records = sorted(path for path in results.rglob(f"*{io.META}") if _is_record(path))
    covered: set[Path] = set()
    for record in records:
        if _is_leftover(record, results):
            continue
        target = record.parent if record.name == io.META else record.with_name(record.name[: -len(io.META) - 1])
        covered |= {record, target} if target.suffix else {path for path in target.rglob("*") if path.is_file()}
        errors += _check_result(target)
    for path in sorted(path for path in results.rglob("*") if path.is_file()):
        is_foreign = path.relative_to(results).parts[0] in WITHOUT_RECORD or path.name in io.FOREIGN
        if path not in covered and not is_foreign and not _is_leftover(path, results):
            errors.append(f"{path}: not a file of the workflow; move it to another folder")
    raw_errors, n_raw = _verify_raw(resources)
    return errors + raw_errors, len(records) + n_raw


def _is_record(path: Path) -> bool:
    return path.name == io.META or path.name.endswith(f".{io.META}")


def _is_leftover(path: Path, results: Path) -> bool:
    """Check whether a file was left by a killed job; the job deletes it when it runs again."""
    return any(map(io.is_leftover, path.relative_to(results).parts))


def _check_result(target: Path) -> list[str]:
    """Compare a result with its record."""
    if not target.exists():
        return [f"{target}: missing, but its record exists; run snakemake again"]
    try:
        errors = [f"{target}: {name} was changed since it was written" for name in io.changed_files(target)]
        if not io.is_of_path(io.read_meta(target), target):
            errors.append(f"{target}: copy of another result; delete it and run snakemake again")
    except IntegrityError as error:
        return [str(error)]
    return errors


def made_elsewhere(results: Path) -> int:
    """Count the results of other processors, which may differ in the last digits."""
    records = [path for path in results.rglob(f"*{io.META}") if not any(map(io.is_leftover, path.parts))]
    return sum(io.read_json(record).get("processor", processor()) != processor() for record in records)


def _verify_raw(resources: Path) -> tuple[list[str], int]:
    """Verify raw files against the digests that were recorded when they were fetched."""
    errors: list[str] = []
    n_checked = 0
    for record in sorted(resources.glob("*/fetch.json")):
        try:
            files = {entry["name"]: entry["sha256"] for entry in io.read_json(record).get("files", {}).values()}
        except (ValueError, KeyError, TypeError, AttributeError):
            errors.append(f"{record}: cannot be read; delete it and run snakemake again")
            continue
        for name, digest in files.items():
            path = record.parent / name
            n_checked += 1
            if not path.is_file():
                errors.append(f"{path}: missing; delete {record} and run snakemake again")
            elif digests.sha256_file(path) != digest:
                errors.append(f"{path}: sha256 is not {digest}; delete the file and {record}, then run snakemake again")
    return errors, n_checked
