"""Recorded specification curves: the latest value of a row under each specification.

``config/papers/<paper>/recorded/curves.csv`` provides the curves without the hours of computation that they require.
``snakemake record_curves`` writes the file from up-to-date curves; it must not be edited manually.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from reproduction.flow.alternatives import GridPoint, SpecificationGrid
from reproduction.flow.code_digests import SHORT
from reproduction.flow.curves import (
    FACTORS,
    POINT_COLUMNS,
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
#: Columns: the columns of ``curves.csv``, the digest of the specification, and the date and commit of its run.
COLUMNS = (*POINT_COLUMNS, "declared", "date", "commit")
#: Columns that are empty for a specification without a recorded value.
FIELDS_OF_POINT = ("value", "spread", "trials", "date", "commit")
#: Reason for a missing value in a recorded curve.
NOT_YET_RUN = "not run when the curve was recorded"
#: A recorded curve with fewer points is not shown.
MIN_POINTS = 2

Row = Mapping[str, object]


def point_digest(point: GridPoint) -> str:
    """Return a digest of the changes of a specification, which includes the content of the changed entries."""
    return digest_of([dict(point.names), dict(point.keys)])[:SHORT]


def record_curves(folder: Path, file: Path, registered: Sequence[SpecificationGrid], commit: str) -> list[str]:
    """Merge the curves of a folder into a paper's ``recorded/curves.csv``, point by point.

    A point without a value keeps its previous record.

    Parameters
    ----------
    folder : Path
        Folder of curves.
    file : Path
        File to update.
    registered : sequence of SpecificationGrid
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
    digests = {
        (grid.name, levels_text(point.levels)): point_digest(point) for grid in registered for point in grid.points
    }
    written = datetime.fromtimestamp(io.meta_path(folder).stat().st_mtime, UTC)
    record = {"date": written.strftime("%Y-%m-%d"), "commit": commit}
    curves = [curve for curve in read_curves(read_folder(folder)) if curve.evaluated]
    if not curves:
        raise IntegrityError(f"{folder}: no specification has a value; run snakemake specifications with full.yaml")
    new_points: list[Row] = []
    for row in (row for curve in curves for row in curve.rows()):
        digest = digests.get((str(row["specification"]), str(row["levels"])))
        if digest is None:
            problem = f"choices.yaml does not register the specification '{row['levels']}'"
            raise IntegrityError(f"{folder}: {problem}; run snakemake specifications again")
        if row["value"] is not None:
            new_points.append({**row, "declared": digest, **record})
    # A later point replaces an earlier one with the same row and levels.
    merged = {_point_key(row): row for row in (*current(_read(file), registered, 1), *new_points) if row["value"] != ""}
    io.write_text(file, io.format_csv(current(merged.values(), registered, 1), COLUMNS))
    return [curve.row for curve in curves]


def _point_key(row: Row) -> tuple[str, str, str]:
    return str(row["row"]), str(row["specification"]), str(row["levels"])


def recorded_curves(file: Path, registered: Sequence[SpecificationGrid]) -> dict[str, str]:
    """Return the recorded curves of the current specifications in the format of `read_folder`; may be empty."""
    rows = current(_read(file), registered)
    if not rows:
        return {}
    factors = factor_rows({grid.name: grid.factors for grid in registered})
    return {"curves.csv": io.format_csv(rows, COLUMNS), "factors.csv": io.format_csv(list(factors), FACTORS)}


def current(rows: Iterable[Row], registered: Sequence[SpecificationGrid], min_points: int = MIN_POINTS) -> list[Row]:
    """Return the recorded curves of the current specifications, in their order.

    Points that are no longer registered, or are registered with other changes, are dropped, and so are curves with
    fewer than ``min_points`` points left. Specifications without a record have no value.
    """
    curves: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        curves.setdefault((str(row["row"]), str(row["specification"])), []).append(row)
    return [
        point
        for grid in registered
        for row in grid.rows
        for point in _current(curves.get((row, grid.name), ()), grid, min_points)
    ]


def _current(curve: Sequence[Row], grid: SpecificationGrid, min_points: int) -> list[Row]:
    """Return a recorded curve with one row per current specification; empty if too few points are registered."""
    table = grid.points[0].levels
    points = {tuple(point.levels.items()): point for point in grid.points}
    recorded = {}
    for row in curve:
        # A factor that was added later has the level of the table.
        levels = tuple({**table, **levels_of(str(row["levels"]))}.items())
        if row["value"] != "" and levels in points and point_digest(points[levels]) == row["declared"]:
            recorded[levels] = row
    if len(recorded) < min_points:
        return []
    missing = {**curve[0], **dict.fromkeys(FIELDS_OF_POINT, ""), "inside": False, "reason": NOT_YET_RUN}
    rows: list[Row] = []
    for number, (levels, point) in enumerate(points.items()):
        row = {
            **recorded.get(levels, missing),
            "point": number,
            "levels": levels_text(dict(levels)),
            "product": grid.product,
            "declared": point_digest(point),
        }
        rows.append(row)
    return rows


def _read(file: Path) -> list[Row]:
    if not file.is_file():
        return []
    rows: list[Row] = list(io.read_csv(file))
    # Points recorded before the column ``trials`` existed do not have it.
    if rows and set(rows[0]) | {"trials"} != set(COLUMNS):
        raise ConfigError(f"{file}: not a record of curves; restore it, or run snakemake record_curves")
    return [{"trials": "", **row} for row in rows]
