"""Specification curves on disk: the value of a published row under each registered specification.

A folder of curves contains ``curves.csv`` (`POINT_COLUMNS`, one row per published row and specification),
``factors.csv`` (`FACTORS`, one row per level, with its reason) and the figures (`group_by_figure`).
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from textmix.core import io

#: Columns of ``curves.csv``: ``point`` 0 is the choice of the table; ``levels`` are ``factor=level``, joined by
#: semicolons; ``spread`` is the standard deviation of ``value`` over ``trials``; ``low`` and ``high`` are the limits of
#: the tolerance, in the unit of the row.
POINT_COLUMNS = (
    "row",
    "specification",
    "point",
    "levels",
    "value",
    "spread",
    "trials",
    "inside",
    "published",
    "rounding",
    "low",
    "high",
    "unit",
    "product",
    "reason",
)
#: Columns of ``factors.csv``.
FACTORS = ("specification", "factor", "level", "reason")
#: Unit of a claim: signed distance from its boundary, negative if the claim fails; its published value is 0.
CLAIM_UNIT = "beyond what the claim asks"
#: Number of published values up to which each value of a set of alternatives has a figure of its own.
MAX_SEPARATE_FIGURES = 3


@dataclass(frozen=True)
class CurvePoint:
    """The value of a row under one specification.

    Parameters
    ----------
    levels : mapping
        Factor -> level.
    value : float or None
        Value in the unit of the row; for a claim, the signed distance from its boundary.
    inside : bool
        Whether the value is within the tolerance, or the claim is satisfied.
    reason : str, default=""
        Reason why ``value`` is None.
    spread : float or None, default=None
        Standard deviation over trials.
    trials : int or None, default=None
        Number of trials; None if ``value`` is not a mean over trials, or if the number was not recorded.
    """

    levels: Mapping[str, str]
    value: float | None
    inside: bool
    reason: str = ""
    spread: float | None = None
    trials: int | None = None

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean over trials; None if spread or number of trials are unknown."""
        if self.spread is None or not self.trials:
            return None
        return self.spread / math.sqrt(self.trials)


@dataclass(frozen=True)
class Curve:
    """A published row under all its specifications.

    Parameters
    ----------
    row : str
        Id in published.csv.
    specification : str
        Name of the entry in ``choices.yaml``.
    unit : str
        Unit of the row, `CLAIM_UNIT` for a claim.
    published, rounding : float
        Published value, and half a unit of its last digit; both 0 for a claim.
    low, high : float
        Limits of the tolerance; infinite if unbounded.
    points : sequence of CurvePoint
        Values; the first is the choice of the table.
    product : int
        Number of all specifications; ``points`` contains all of them or a random sample.
    recorded : str, default=""
        Date of the latest point of a recorded curve, "" for a curve of this run.
    """

    row: str
    specification: str
    unit: str
    published: float
    rounding: float
    low: float
    high: float
    points: Sequence[CurvePoint]
    product: int
    recorded: str = ""

    @property
    def is_claim(self) -> bool:
        return self.unit == CLAIM_UNIT

    @property
    def evaluated(self) -> list[CurvePoint]:
        """The specifications with a value, sorted by value."""
        points = [point for point in self.points if point.value is not None]
        return sorted(points, key=lambda point: point.value or 0.0)

    @property
    def span(self) -> tuple[float, float] | None:
        """The minimum and maximum value; None if fewer than two specifications have a value."""
        values = [point.value for point in self.evaluated if point.value is not None]
        return (values[0], values[-1]) if len(values) > 1 else None

    @property
    def inside(self) -> int:
        """Number of specifications within the tolerance of the row."""
        return sum(point.inside for point in self.evaluated)

    @property
    def holds(self) -> bool | None:
        """Whether the range of values includes the published value, or any value satisfies the claim; None if < 2."""
        if self.span is None:
            return None
        if self.is_claim:
            return self.inside > 0
        low, high = self.span
        return low - self.rounding <= self.published <= high + self.rounding

    @property
    def position(self) -> str:
        """Description of the position of the published value relative to the range; contains no verdict."""
        if self.holds is None:
            return "the specifications were not run"
        if self.is_claim:
            return f"the claim holds under {self.inside or 'none'} of {len(self.evaluated)} specifications"
        n_evaluated = len(self.evaluated)
        n_distinct = len({point.value for point in self.evaluated})
        suffix = ""
        if n_distinct == 1:
            suffix = " with one value"
        elif n_distinct < n_evaluated:
            suffix = f" with {n_distinct} distinct values"
        side = "inside" if self.holds else "outside"
        return f"{side} the range of {n_evaluated} specifications{suffix}"

    @property
    def summary(self) -> str:
        """A clause with the position of the published value and the number of specifications within the tolerance."""
        if self.holds is None or self.is_claim:
            return self.position
        verb = "lies" if self.inside < 2 else "lie"
        within = f"{self.inside or 'none'} of them {verb} within the margin"
        return f"the published value is {self.position}; {within}"

    @property
    def sentence(self) -> str:
        """The summary as a sentence."""
        summary = self.summary
        return f"{summary[0].upper()}{summary[1:]}."

    def rows(self) -> list[dict[str, object]]:
        """Return the rows of the curve in ``curves.csv``."""
        shared_columns = ("row", "specification", "published", "rounding", "low", "high", "unit", "product")
        shared = {name: getattr(self, name) for name in shared_columns}
        rows = []
        for number, point in enumerate(self.points):
            row = {
                **shared,
                "point": number,
                "levels": levels_text(point.levels),
                "value": point.value,
                "spread": point.spread,
                "trials": point.trials,
                "inside": point.inside,
                "reason": point.reason,
            }
            rows.append(row)
        return rows


def group_by_figure(curves: Iterable[Curve]) -> dict[str, list[Curve]]:
    """Return the name of each figure and the curves that it shows.

    A claim has a figure of its own, and so has a published value, unless its set of alternatives has more than
    `MAX_SEPARATE_FIGURES` values: these share a figure.
    """
    evaluated = [curve for curve in curves if curve.evaluated]
    n_values = Counter(curve.specification for curve in evaluated if not curve.is_claim)
    groups: dict[str, list[Curve]] = {}
    for curve in evaluated:
        is_shared = not curve.is_claim and n_values[curve.specification] > MAX_SEPARATE_FIGURES
        name = figure_name(curve.specification if is_shared else curve.row)
        groups.setdefault(name, []).append(curve)
    return groups


def figure_name(name: str) -> str:
    """Return the name of the figure of a row or of a set of alternatives."""
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")


def read_folder(folder: Path) -> dict[str, str]:
    """Return file -> content of a folder of curves; raise IntegrityError if it was edited manually."""
    io.check_result(folder)
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".csv", ".svg"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def curve_rows(files: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of ``curves.csv`` from the output of `read_folder`; empty without curves."""
    return list(csv.DictReader(StringIO(files.get("curves.csv", ""))))


def read_curves(files: Mapping[str, str]) -> list[Curve]:
    """Parse the curves in the output of `read_folder`, in the order in which they were written."""
    grouped: dict[str, list[dict[str, str]]] = {}
    for row in curve_rows(files):
        grouped.setdefault(row["row"], []).append(row)
    return [_curve(rows) for rows in grouped.values()]


def _curve(rows: Sequence[Mapping[str, str]]) -> Curve:
    """Parse the rows of one curve."""
    first = rows[0]
    numbers = {name: float(first[name]) for name in ("published", "rounding", "low", "high")}
    points = [_parse_point(row) for row in rows]
    recorded = max(row.get("date", "") for row in rows)
    return Curve(
        row=first["row"],
        specification=first["specification"],
        unit=first["unit"],
        points=points,
        product=int(first["product"]),
        recorded=recorded,
        **numbers,
    )


def _parse_point(row: Mapping[str, str]) -> CurvePoint:
    """Parse a row of ``curves.csv``."""
    value = _optional_float(row["value"])
    spread = _optional_float(row["spread"])
    trials = int(row["trials"]) if row.get("trials") else None
    return CurvePoint(
        levels=levels_of(row["levels"]),
        value=value,
        inside=row["inside"] == "True",
        reason=row["reason"],
        spread=spread,
        trials=trials,
    )


def _optional_float(text: str) -> float | None:
    """Convert a cell to a number; an empty cell is None."""
    return float(text) if text else None


def levels_of(text: str) -> dict[str, str]:
    """Parse ``factor=level; factor=level`` of ``curves.csv`` into factor -> level."""
    return dict(assignment.partition("=")[::2] for assignment in text.split("; "))


def levels_text(levels: Mapping[str, str]) -> str:
    """Format levels as ``factor=level; factor=level`` for ``curves.csv``."""
    return "; ".join(f"{factor}={level}" for factor, level in levels.items())


def read_factors(files: Mapping[str, str]) -> dict[str, dict[str, dict[str, str]]]:
    """Return specification -> factor -> level -> reason why the paper allows it."""
    reasons: dict[str, dict[str, dict[str, str]]] = {}
    for row in csv.DictReader(StringIO(files["factors.csv"])):
        levels = reasons.setdefault(row["specification"], {}).setdefault(row["factor"], {})
        levels[row["level"]] = row["reason"]
    return reasons


def factor_rows(factors: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterable[dict[str, str]]:
    """Yield the rows of ``factors.csv``."""
    for name, factors_of_grid in factors.items():
        for factor, levels in factors_of_grid.items():
            for level, reason in levels.items():
                yield {"specification": name, "factor": factor, "level": level, "reason": reason}
