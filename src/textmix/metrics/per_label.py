"""Details behind one number: precision and recall of each label, calibration, and the precision at a recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: Number of bins of stated probability.
BINS = 10


def by_label(true: np.ndarray, predicted: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each label that is true or predicted: support, precision, recall and F, the most frequent first.

    ``true`` and ``predicted`` are label indicators (T, L) of 0 and 1.
    """
    support, claimed = (np.asarray(indicators.sum(axis=0), dtype=float) for indicators in (true, predicted))
    hits = np.asarray((true & predicted).sum(axis=0), dtype=float)
    rows = []
    for i in np.lexsort((np.arange(len(names)), -support)):
        if support[i] + claimed[i] > 0:
            shares = {"precision": _share(hits[i], claimed[i]), "recall": _share(hits[i], support[i])}
            f = _share(2 * hits[i], support[i] + claimed[i])
            rows.append({"label": str(names[i]), "support": int(support[i]), **shares, "f": f})
    return rows


def _share(part: float, whole: float) -> float | None:
    """Return a share; None of nothing."""
    return float(part / whole) if whole else None


def calibration(probability: np.ndarray, happened: np.ndarray) -> list[dict[str, Any]]:
    """Return for each bin of stated probability with documents: mean ``stated``, ``observed`` share and ``number``."""
    stated, seen = np.ravel(probability).astype(float), np.ravel(happened).astype(float)
    if not len(stated) or np.isnan(stated).any():
        return []
    bin_of = np.minimum((stated * BINS).astype(int), BINS - 1)
    number = np.bincount(bin_of, minlength=BINS)
    sums = np.bincount(bin_of, stated, minlength=BINS), np.bincount(bin_of, seen, minlength=BINS)
    return [
        {"stated": float(sums[0][i] / number[i]), "observed": float(sums[1][i] / number[i]), "number": int(number[i])}
        for i in np.flatnonzero(number)
    ]


def precision_at_recall(probability: np.ndarray, true: np.ndarray, recall: float) -> tuple[float, float] | None:
    """Return the precision of a label at the largest threshold that reaches a recall above 0, and the threshold.

    ``probability`` of the label, (N,), counts as 0 where it is nan; ``true`` is whether each document has it, (N,).
    None where no document has it.
    """
    needed = int(np.ceil(recall * np.sum(true) - 1e-9))
    if not needed:
        return None
    stated = np.nan_to_num(np.asarray(probability, dtype=float))
    threshold = float(np.sort(stated[np.asarray(true, dtype=bool)])[-needed])
    found = stated >= threshold
    return float(np.mean(np.asarray(true, dtype=float)[found])), threshold
