"""Growth: the slope of a power law through measured sizes and times, with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import stdtrit

#: Columns of the measured times: processor seconds of one thread, bytes at the peak above those before, and the cells
#: that the result stores where it is a matrix.
COLUMNS = ("case", "step", "axis", "size", "repeat", "seconds", "bytes", "stored")
#: The axis of the time of a step that makes a matrix: the cells that are stored.
STORED = "stored features"
#: Columns of one measured quantity, ``seconds`` or ``bytes``, against what it grows by.
POINTS = ("case", "step", "axis", "size", "quantity", "value")
#: Columns of the slopes: of log seconds and of log bytes against log size, each with its 95 % interval.
SLOPES = ("case", "step", "axis", "sizes", "quantity", "slope", "low", "high")


def points(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what was measured, one quantity a row: rows of `POINTS`; zeros and missing values are left out.

    The time of a step that makes a matrix grows by the cells that it stores (`STORED`): more documents hold more
    different features that occur often enough, so that a step of constant time a feature has a slope above 1 by
    documents.  Every other quantity grows by the axis of the case.

    Parameters
    ----------
    rows : of `COLUMNS`; all values may be text.
    """
    found = []
    for row in rows:
        for quantity in ("seconds", "bytes"):
            if row[quantity] and float(row[quantity]) > 0:
                by_cells = quantity == "seconds" and row.get("stored")
                axis, size = (STORED, row["stored"]) if by_cells else (row["axis"], row["size"])
                values = (row["case"], row["step"], axis, float(size), quantity, float(row[quantity]))
                found.append(dict(zip(POINTS, values, strict=True)))
    return found


def slopes(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the slopes of all cases and steps: rows of `SLOPES`.

    Parameters
    ----------
    rows : of `POINTS`; a slope needs three different sizes.
    """
    points_of: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for row in rows:
        key = (row["case"], row["step"], row["axis"], row["quantity"])
        points_of.setdefault(key, []).append((row["size"], row["value"]))
    return [
        {
            **{"case": case, "step": step, "axis": axis, "sizes": len({size for size, _ in measured})},
            **{"quantity": quantity, **log_slope(np.array(measured))},
        }
        for (case, step, axis, quantity), measured in points_of.items()
        if len({size for size, _ in measured}) > 2
    ]


def log_slope(points: np.ndarray) -> dict[str, float]:
    """Return ``slope`` of the line of least squares through logarithms, and ``low`` and ``high``, its 95 % interval.

    Parameters
    ----------
    points : sizes and values, float (n, 2), both positive, of three different sizes or more.
    """
    x, y = np.log(points).T
    away = x - x.mean()
    slope = float(away @ y / (away @ away))
    residual = y - y.mean() - slope * away
    error = math.sqrt(float(residual @ residual) / (len(x) - 2) / float(away @ away))
    half = float(stdtrit(len(x) - 2, 0.975)) * error
    return {"slope": slope, "low": slope - half, "high": slope + half}
