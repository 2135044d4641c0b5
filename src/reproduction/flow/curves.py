"""Specification curves on disk: the value of a published row under every declared reading.

A folder of curves holds ``readings.csv`` (`READINGS`, one row a published row and reading), ``factors.csv`` (`FACTORS`,
one row a level with its reason) and a drawing a published row.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from textmix.core import io

#: Columns of ``readings.csv``: ``point`` 0 is the choice of the table; ``levels`` are ``factor=level``, joined by
#: semicolons; ``spread`` is the standard deviation of ``value`` over its trials; ``low`` and ``high`` are the ends of
#: the margin, in the row's unit.
READINGS = (
    *("row", "specification", "point", "levels", "value", "spread", "inside"),
    *("published", "rounding", "low", "high", "unit", "product", "reason"),
)
#: Columns of ``factors.csv``.
FACTORS = ("specification", "factor", "level", "reason")
#: Unit of a claim: how far it is from its boundary, negative where it fails; its printed value is 0.
CLAIM_UNIT = "beyond what the claim asks"


@dataclass(frozen=True)
class Reading:
    """The value of a row under one reading: ``levels`` maps factor -> level, ``spread`` is over the trials.  ``value``
    is in the row's unit, of a claim its distance from its boundary; where it is None, ``reason`` says why.  ``inside``:
    it lies within the margin, or the claim holds.
    """

    levels: Mapping[str, str]
    value: float | None
    inside: bool
    reason: str = ""
    spread: float | None = None


@dataclass(frozen=True)
class Curve:
    """A published row under every reading.

    Parameters
    ----------
    specification : the entry of ``choices.yaml``.
    published, rounding : the printed value, and half a unit of its last digit; both 0 of a claim.
    low, high : ends of the margin; infinite where there is none.
    readings : the first is the choice of the table.
    product : number of all readings, of which ``readings`` are all or a draw.
    recorded : the day on which a recorded curve was made; empty for one of this run.
    """

    row: str
    specification: str
    unit: str
    published: float
    rounding: float
    low: float
    high: float
    readings: Sequence[Reading]
    product: int
    recorded: str = ""

    @property
    def is_claim(self) -> bool:
        return self.unit == CLAIM_UNIT

    @property
    def made(self) -> list[Reading]:
        """The readings that have a value, in increasing order of it."""
        return sorted((one for one in self.readings if one.value is not None), key=lambda one: one.value or 0.0)

    @property
    def span(self) -> tuple[float, float] | None:
        """The smallest and the largest value; None if fewer than two readings have one."""
        values = [one.value for one in self.made if one.value is not None]
        return (values[0], values[-1]) if len(values) > 1 else None

    @property
    def inside(self) -> int:
        """Number of the readings within the margin of the row."""
        return sum(one.inside for one in self.made)

    @property
    def holds(self) -> bool | None:
        """Whether the readings' range has the printed value, or one makes the claim hold; None below two values."""
        if self.span is None:
            return None
        if self.is_claim:
            return self.inside > 0
        return self.span[0] - self.rounding <= self.published <= self.span[1] + self.rounding

    @property
    def standing(self) -> str:
        """Where the printed value lies beside the range of the readings, in words; never the word of a verdict."""
        if self.holds is None:
            return "the readings were not run"
        if self.is_claim:
            return f"the claim holds under {self.inside or 'none'} of {len(self.made)} readings"
        distinct = len({one.value for one in self.made})
        values = "one value" if distinct == 1 else f"{distinct} distinct values"
        alike = f" with {values}" if distinct < len(self.made) else ""
        return f"{'inside' if self.holds else 'outside'} the range of {len(self.made)} readings{alike}"

    @property
    def finding(self) -> str:
        """A clause that says where the printed value lies, and how many of the readings lie within the margin."""
        if self.holds is None or self.is_claim:
            return self.standing
        within = f"{self.inside or 'none'} of them {'lies' if self.inside < 2 else 'lie'} within the margin"
        return f"the printed value is {self.standing}; {within}"

    @property
    def sentence(self) -> str:
        return f"{self.finding[0].upper()}{self.finding[1:]}."

    @property
    def drawing(self) -> str:
        return f"{re.sub('[^a-z0-9]+', '-', self.row.lower()).strip('-')}.svg"

    def rows(self) -> list[dict[str, object]]:
        """Return its rows of ``readings.csv``."""
        of_curve = ("row", "specification", "published", "rounding", "low", "high", "unit", "product")
        shared = {name: getattr(self, name) for name in of_curve}
        return [
            {
                **shared,
                "point": point,
                "levels": levels_text(one.levels),
                "value": one.value,
                "spread": one.spread,
                "inside": one.inside,
                "reason": one.reason,
            }
            for point, one in enumerate(self.readings)
        ]


def read_folder(folder: Path) -> dict[str, str]:
    """Return file -> content of a folder of curves; IntegrityError if it was changed by hand."""
    io.check_result(folder)
    names = sorted(path.name for path in folder.iterdir() if path.suffix in (".csv", ".svg"))
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def reading_rows(files: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of ``readings.csv`` of a folder of curves, given as `read_folder` does; none without curves."""
    return list(csv.DictReader(StringIO(files.get("readings.csv", ""))))


def read_curves(files: Mapping[str, str]) -> list[Curve]:
    """Return the curves of a folder, given as `read_folder` does, in the order in which they were written."""
    grouped: dict[str, list[dict[str, str]]] = {}
    for row in reading_rows(files):
        grouped.setdefault(row["row"], []).append(row)
    return [_curve(rows) for rows in grouped.values()]


def _curve(rows: Sequence[Mapping[str, str]]) -> Curve:
    first = rows[0]
    published, rounding, low, high = (float(first[key]) for key in ("published", "rounding", "low", "high"))
    head = first["row"], first["specification"], first["unit"]
    readings = [_reading(row) for row in rows]
    return Curve(*head, published, rounding, low, high, readings, int(first["product"]), first.get("date", ""))


def _reading(row: Mapping[str, str]) -> Reading:
    value, spread = (float(row[key]) if row[key] else None for key in ("value", "spread"))
    return Reading(levels_of(row["levels"]), value, row["inside"] == "True", row["reason"], spread)


def levels_of(text: str) -> dict[str, str]:
    """Return factor -> level of ``factor=level; factor=level``, as ``readings.csv`` has them."""
    return dict(part.partition("=")[::2] for part in text.split("; "))


def levels_text(levels: Mapping[str, str]) -> str:
    """Return ``factor=level; factor=level``, as ``readings.csv`` has it."""
    return "; ".join(f"{factor}={level}" for factor, level in levels.items())


def read_factors(files: Mapping[str, str]) -> dict[str, dict[str, dict[str, str]]]:
    """Return specification -> factor -> level -> why the source allows it."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in csv.DictReader(StringIO(files["factors.csv"])):
        found.setdefault(row["specification"], {}).setdefault(row["factor"], {})[row["level"]] = row["reason"]
    return found


def factor_rows(factors: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterable[dict[str, str]]:
    """Yield the rows of ``factors.csv``."""
    for name, each in factors.items():
        for factor, levels in each.items():
            for level, because in levels.items():
                yield dict(zip(FACTORS, (name, factor, level, because), strict=True))
