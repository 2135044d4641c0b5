"""The recorded specification curves: what the readings of a row gave when they were last run to the end.

``config/papers/<paper>/recorded/curves.csv`` holds them, so that a page shows them to a reader who has not the hours to
run the readings.  ``snakemake record_curves`` writes the file from curves that are those of today, and never by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from reproduction.flow.curves import (
    FACTORS,
    READINGS,
    factor_rows,
    read_curves,
    read_folder,
)
from reproduction.flow.readings import Specification
from textmix.core import io
from textmix.core.digests import digest_of
from textmix.core.errors import ConfigError, IntegrityError

#: Name of a paper's file.
RECORDED_CURVES = "recorded/curves.csv"
#: Its columns: those of ``readings.csv``, the digest of the readings, and when and with which commit they ran.
COLUMNS = (*READINGS, "declared", "date", "commit")
#: Digits of a digest.
_SHORT = 12

Row = Mapping[str, object]


def declared_digest(specification: Specification) -> str:
    """Return a digest of the readings of some rows: their levels, and the entries of paper.yaml that they change.

    The name of a changed entry holds the digest of its content, so that another value of a level is another digest.
    """
    return digest_of([[dict(point.levels), dict(point.names)] for point in specification.points])[:_SHORT]


def record_curves(folder: Path, file: Path, declared: Sequence[Specification], commit: str) -> list[str]:
    """Write the curves of a folder into a paper's file beside those that are there; return the rows that it wrote.

    A curve that lacks the value of a reading is not recorded: it stays as it was recorded before.

    Parameters
    ----------
    folder : curves as the job ``readings`` writes them.
    file : the paper's ``recorded/curves.csv``.
    declared : the specifications of the paper.
    commit : of the code that ran.

    Raises
    ------
    IntegrityError : the folder was changed by hand, or none of its curves has all its readings.
    """
    digests = {one.name: declared_digest(one) for one in declared}
    written = datetime.fromtimestamp(io.meta_path(folder).stat().st_mtime, UTC)
    facts = {"date": written.strftime("%Y-%m-%d"), "commit": commit}
    whole = [curve for curve in read_curves(read_folder(folder)) if len(curve.made) == len(curve.readings)]
    if not whole:
        raise IntegrityError(f"{folder}: no curve has all its readings; run snakemake specifications with full.yaml")
    made = [{**row, "declared": digests[curve.specification], **facts} for curve in whole for row in curve.rows()]
    rows: dict[str, list[Row]] = {}
    for row in (*current(_read(file), declared), *made):
        rows.setdefault(str(row["row"]), []).append(row)
    for curve in whole:  # of a curve that was recorded before, the later one stays
        rows[curve.row] = rows[curve.row][-len(curve.readings) :]
    order = [row for one in declared for row in one.rows if row in rows]
    io.write_text(file, io.format_csv([row for name in order for row in rows[name]], COLUMNS))
    return [curve.row for curve in whole]


def recorded_curves(file: Path, declared: Sequence[Specification]) -> dict[str, str]:
    """Return the recorded curves of the readings that are declared today, as `read_folder` returns a folder.

    Parameters
    ----------
    file : a paper's ``recorded/curves.csv``; there are none where it is not there.
    declared : the specifications of the paper.
    """
    rows = current(_read(file), declared)
    if not rows:
        return {}
    factors = factor_rows({one.name: one.factors for one in declared})
    return {"readings.csv": io.format_csv(rows, COLUMNS), "factors.csv": io.format_csv(list(factors), FACTORS)}


def current(rows: Iterable[Row], declared: Sequence[Specification]) -> list[Row]:
    """Return the recorded rows whose readings are those that are declared today."""
    digests = {(row, one.name): declared_digest(one) for one in declared for row in one.rows}
    return [row for row in rows if digests.get((str(row["row"]), str(row["specification"]))) == row["declared"]]


def _read(file: Path) -> list[Row]:
    """Return the rows of a paper's file."""
    if not file.is_file():
        return []
    rows: list[Row] = list(io.read_csv(file))
    if rows and set(rows[0]) != set(COLUMNS):
        raise ConfigError(f"{file}: is no record of curves; restore it, or write it anew with snakemake record_curves")
    return rows
