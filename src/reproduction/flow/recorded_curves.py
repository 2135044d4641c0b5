"""Recorded specification curves: the values of a row under each specification when they were last computed completely.

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
#: Reason for a missing value in a recorded curve.
LATER = "declared after the curve was recorded"

Row = Mapping[str, object]


def declared_digest(point: DeclaredReading) -> str:
    """Return a digest of the changes of a specification, which includes the content of the changed entries."""
    return digest_of([dict(point.names), dict(point.keys)])[:SHORT]


def record_curves(folder: Path, file: Path, declared: Sequence[Specification], commit: str) -> list[str]:
    """Merge the curves of a folder into a paper's ``recorded/curves.csv``.

    A curve with missing values keeps its previous record.

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
        Ids of the recorded rows.

    Raises
    ------
    IntegrityError
        If the folder was edited manually, or none of its curves is complete.
    """
    points = [(one.name, point) for one in declared for point in one.points]
    digests = {(name, levels_text(point.levels)): declared_digest(point) for name, point in points}
    written = datetime.fromtimestamp(io.meta_path(folder).stat().st_mtime, UTC)
    facts = {"date": written.strftime("%Y-%m-%d"), "commit": commit}
    whole = [curve for curve in read_curves(read_folder(folder)) if len(curve.made) == len(curve.readings)]
    if not whole:
        raise IntegrityError(f"{folder}: no curve has all its readings; run snakemake specifications with full.yaml")
    made: list[Row] = []
    for found in (one for curve in whole for one in curve.rows()):
        digest = digests.get((str(found["specification"]), str(found["levels"])))
        if digest is None:
            raise IntegrityError(f"{folder}: choices.yaml declares no reading '{found['levels']}' today; run it again")
        made.append({**found, "declared": digest, **facts})
    rows: dict[str, list[Row]] = {}
    for row in (*current(_read(file), declared), *made):
        rows.setdefault(str(row["row"]), []).append(row)
    for curve in whole:  # if a curve was recorded before, keep the later one
        rows[curve.row] = rows[curve.row][-len(curve.readings) :]
    order = [row for one in declared for row in one.rows if row in rows]
    io.write_text(file, io.format_csv([row for name in order for row in rows[name]], COLUMNS))
    return [curve.row for curve in whole]


def recorded_curves(file: Path, declared: Sequence[Specification]) -> dict[str, str]:
    """Return the recorded curves of the current specifications in the format of `read_folder`; may be empty."""
    rows = current(_read(file), declared)
    if not rows:
        return {}
    factors = factor_rows({one.name: one.factors for one in declared})
    return {"readings.csv": io.format_csv(rows, COLUMNS), "factors.csv": io.format_csv(list(factors), FACTORS)}


def current(rows: Iterable[Row], declared: Sequence[Specification]) -> list[Row]:
    """Return the recorded curves that match the current specifications.

    Specifications of factors or levels added since then have no value.  A curve is dropped if one of its points is no
    longer registered.
    """
    curves: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        curves.setdefault((str(row["row"]), str(row["specification"])), []).append(row)
    known = {(row, one.name): one for one in declared for row in one.rows}
    return [row for place, curve in curves.items() if place in known for row in _current(curve, known[place])]


def _current(curve: Sequence[Row], specification: Specification) -> list[Row]:
    """Return a recorded curve with one row per current specification; empty if a point is no longer registered."""
    table = specification.points[0].levels
    points = {tuple(point.levels.items()): point for point in specification.points}
    found = {}
    for row in curve:
        levels = tuple({**table, **levels_of(str(row["levels"]))}.items())
        if levels not in points or declared_digest(points[levels]) != row["declared"]:
            return []
        found[levels] = row
    lacking = {**curve[0], "value": "", "spread": "", "inside": False, "reason": LATER}
    return [
        {
            **found.get(levels, lacking),
            "point": place,
            "levels": levels_text(dict(levels)),
            "product": specification.product,
            "declared": declared_digest(point),
        }
        for place, (levels, point) in enumerate(points.items())
    ]


def _read(file: Path) -> list[Row]:
    if not file.is_file():
        return []
    rows: list[Row] = list(io.read_csv(file))
    if rows and set(rows[0]) != set(COLUMNS):
        raise ConfigError(f"{file}: is no record of curves; restore it, or write it anew with snakemake record_curves")
    return rows
