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
#: The axis of a slope against the cells that are stored.
STORED = "stored features"
#: Columns of the slopes: of log seconds and of log bytes against log size, each with its 95 % interval.
SLOPES = ("case", "step", "axis", "sizes", "quantity", "slope", "low", "high")


def slopes(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the slopes of all cases and steps: rows of `SLOPES`.

    Parameters
    ----------
    rows : of `COLUMNS`; zeros and missing values are left out, and a slope needs three different sizes.  Where a step
        makes a matrix, a further slope is that of seconds against its stored cells (`STORED`): more documents give more
        different features a document, so that a step of constant time a feature has a slope above 1 by documents.
    """
    points_of: dict[tuple[str, str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        for quantity in ("seconds", "bytes"):
            if row[quantity] and float(row[quantity]) > 0:
                key = (row["case"], row["step"], row["axis"], quantity)
                points_of.setdefault(key, []).append((float(row["size"]), float(row[quantity])))
        if row.get("stored") and row["seconds"] and float(row["seconds"]) > 0:
            key = (row["case"], row["step"], STORED, "seconds")
            points_of.setdefault(key, []).append((float(row["stored"]), float(row["seconds"])))
    return [
        {
            **{"case": case, "step": step, "axis": axis, "sizes": len({size for size, _ in points})},
            **{"quantity": quantity, **log_slope(np.array(points))},
        }
        for (case, step, axis, quantity), points in points_of.items()
        if len({size for size, _ in points}) > 2
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
