"""Recorded specification curves: the latest value of a row under each specification.

``config/papers/<paper>/recorded/curves.csv`` provides the curves without the hours of computation that they require.
``snakemake record_curves`` writes the file from up-to-date curves; it must not be edited manually.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from reproduction.flow.alternatives import DeclaredReading, Specification
from reproduction.flow.code_digests import SHORT
from reproduction.flow.curves import (
    FACTORS,
    READINGS,
    factor_rows,
    levels_of,
    levels_text,
    read_curves,
    read_folder,
)
from textmix.core import io
from textmix.core.digests import digest_of
from textmix.core.errors import ConfigError, IntegrityError

#: Name of the file in a paper's folder.
RECORDED_CURVES = "recorded/curves.csv"
#: Columns: the columns of ``readings.csv``, the digest of the specification, and the date and commit of its run.
COLUMNS = (*READINGS, "declared", "date", "commit")
#: Columns that are empty for a specification without a recorded value.
FIELDS_OF_POINT = ("value", "spread", "trials", "date", "commit")
#: Reason for a missing value in a recorded curve.
LATER = "not run when the curve was recorded"
#: A recorded curve with fewer points is not shown.
MIN_POINTS = 2

Row = Mapping[str, object]


def declared_digest(point: DeclaredReading) -> str:
    """Return a digest of the changes of a specification, which includes the content of the changed entries."""
    return digest_of([dict(point.names), dict(point.keys)])[:SHORT]


def record_curves(folder: Path, file: Path, declared: Sequence[Specification], commit: str) -> list[str]:
    """Merge the curves of a folder into a paper's ``recorded/curves.csv``, point by point.

    A point without a value keeps its previous record.

    Parameters
    ----------
    folder : Path
        Folder of curves.
    file : Path
        File to update.
    declared : sequence of Specification
        Current specifications of the paper.
    commit : str
        Commit of the run.

    Returns
    -------
    list of str
        Ids of the rows with new points.

    Raises
    ------
    IntegrityError
        If the folder was edited manually, contains a specification that is not registered, or has no values.
    """
    points = [(specification.name, point) for specification in declared for point in specification.points]
    digests = {(name, levels_text(point.levels)): declared_digest(point) for name, point in points}
    written = datetime.fromtimestamp(io.meta_path(folder).stat().st_mtime, UTC)
    facts = {"date": written.strftime("%Y-%m-%d"), "commit": commit}
    curves = [curve for curve in read_curves(read_folder(folder)) if curve.made]
    if not curves:
        raise IntegrityError(f"{folder}: no specification has a value; run snakemake specifications with full.yaml")
    new_points: list[Row] = []
    for row in (row for curve in curves for row in curve.rows()):
        digest = digests.get((str(row["specification"]), str(row["levels"])))
        if digest is None:
            problem = f"choices.yaml does not register the specification '{row['levels']}'"
            raise IntegrityError(f"{folder}: {problem}; run snakemake specifications again")
        if row["value"] is not None:
            new_points.append({**row, "declared": digest, **facts})
    # A later point replaces an earlier one with the same row and levels.
    merged = {_point_key(row): row for row in (*current(_read(file), declared, 1), *new_points) if row["value"] != ""}
    io.write_text(file, io.format_csv(current(merged.values(), declared, 1), COLUMNS))
    return [curve.row for curve in curves]


def _point_key(row: Row) -> tuple[str, str, str]:
    return str(row["row"]), str(row["specification"]), str(row["levels"])


def recorded_curves(file: Path, declared: Sequence[Specification]) -> dict[str, str]:
    """Return the recorded curves of the current specifications in the format of `read_folder`; may be empty."""
    rows = current(_read(file), declared)
    if not rows:
        return {}
    factors = factor_rows({one.name: one.factors for one in declared})
    return {"readings.csv": io.format_csv(rows, COLUMNS), "factors.csv": io.format_csv(list(factors), FACTORS)}


def current(rows: Iterable[Row], declared: Sequence[Specification], min_points: int = MIN_POINTS) -> list[Row]:
    """Return the recorded curves of the current specifications, in their order.

    Points that are no longer registered, or are registered with other changes, are dropped, and so are curves with
    fewer than ``min_points`` points left. Specifications without a record have no value.
    """
    curves: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        curves.setdefault((str(row["row"]), str(row["specification"])), []).append(row)
    registered = [(row, specification) for specification in declared for row in specification.rows]
    return [
        point
        for row, specification in registered
        for point in _current(curves.get((row, specification.name), ()), specification, min_points)
    ]


def _current(curve: Sequence[Row], specification: Specification, min_points: int) -> list[Row]:
    """Return a recorded curve with one row per current specification; empty if too few points are registered."""
    table = specification.points[0].levels
    points = {tuple(point.levels.items()): point for point in specification.points}
    recorded = {}
    for row in curve:
        # A factor that was added later has the level of the table.
        levels = tuple({**table, **levels_of(str(row["levels"]))}.items())
        if row["value"] != "" and levels in points and declared_digest(points[levels]) == row["declared"]:
            recorded[levels] = row
    if len(recorded) < min_points:
        return []
    missing = {**curve[0], **dict.fromkeys(FIELDS_OF_POINT, ""), "inside": False, "reason": LATER}
    return [
        {
            **recorded.get(levels, missing),
            "point": number,
            "levels": levels_text(dict(levels)),
            "product": specification.product,
            "declared": declared_digest(point),
        }
        for number, (levels, point) in enumerate(points.items())
    ]


def _read(file: Path) -> list[Row]:
    if not file.is_file():
        return []
    rows: list[Row] = list(io.read_csv(file))
    # Points recorded before the column ``trials`` existed do not have it.
    if rows and set(rows[0]) | {"trials"} != set(COLUMNS):
        raise ConfigError(f"{file}: is no record of curves; restore it, or write it anew with snakemake record_curves")
    return [{"trials": "", **row} for row in rows]
