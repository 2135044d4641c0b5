"""Convert the JSON of pytest-benchmark to tables and a figure: ``python benchmarks/table.py BENCH.json``.

``bench.csv`` has a row for each candidate and size: time ratio to its peer with a 95 % interval, target, memory, score,
and fraction of the machine's limit.  ``slopes.csv`` has the slope of log time against log size.  ``bench.svg`` shows
the ratios at the largest size.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from roofline import Work, limit_seconds
from scipy import stats

from reproduction.figures.style import figure_style

#: ``ratio``: geometric mean of the candidate's seconds over the peer's; ``low``, ``high``: its 95 % interval (Welch).
#: ``target``, ``mib``, ``seconds_wanted``: limits on ratio, memory and seconds; ``met``: whether all are satisfied.
COLUMNS = (
    *("group", "size", "candidate", "peer", "seconds", "rounds", "ratio", "low", "high", "target", "peak_mib", "mib"),
    *("seconds_wanted", "met", "measure", "score", "limit_share"),
)
SLOPES = ("group", "candidate", "sizes", "slope", "low", "high")
Row = dict[str, Any]


def ratio(left: Sequence[float], right: Sequence[float]) -> tuple[float, float | None, float | None]:
    """Return the ratio of the geometric means of two samples, and the limits of its 95 % interval."""
    logs = np.log(left), np.log(right)
    middle = math.exp(logs[0].mean() - logs[1].mean())
    if min(map(len, logs)) < 2:
        return middle, None, None
    if not logs[0].var() + logs[1].var():  # a candidate compared with itself
        return middle, middle, middle
    interval = stats.ttest_ind(*logs, equal_var=False).confidence_interval()
    return middle, math.exp(interval.low), math.exp(interval.high)


def slope(points: Iterable[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the least-squares slope of log y against log x, and the limits of its 95 % interval."""
    x, y = np.log(list(points)).T
    found = stats.linregress(x, y)
    half = stats.t.ppf(0.975, len(x) - 2) * found.stderr
    return found.slope, found.slope - half, found.slope + half


def rows_of(benchmarks: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the rows of the table (`COLUMNS`); without a timed peer a candidate has no ratio."""
    timed = {(bench["group"], *map(bench["extra_info"].get, ("size", "candidate"))): bench for bench in benchmarks}
    if len(timed) < len(benchmarks):
        raise ValueError("two benchmarks have the same group, size and candidate; tell them apart by `case`")
    rows = []
    for bench in benchmarks:
        facts = bench["extra_info"]
        seconds, peer = bench["stats"]["data"], timed.get((bench["group"], facts["size"], facts["peer"]))
        value, low, high = ratio(seconds, peer["stats"]["data"]) if peer else (None, None, None)
        median = statistics.median(seconds)
        if "mib_share" in facts and peer and peer["extra_info"]["peak_mib"]:
            facts["mib"] = facts["mib_share"] * peer["extra_info"]["peak_mib"]
        pairs = ((value, "target"), (facts["peak_mib"], "mib"), (median, "seconds_wanted"))
        kept = [given <= facts[most] for given, most in pairs if given is not None and most in facts]
        row = {"group": bench["group"], "seconds": median, "rounds": len(seconds), "met": all(kept) if kept else None}
        share = limit_seconds(Work(facts["bytes"], facts["operations"])) / median
        rows.append({**facts, **row, "ratio": value, "low": low, "high": high, "limit_share": share})
    return rows


def slopes_of(benchmarks: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the slope of each candidate with at least two sizes (`SLOPES`), fitted to the times of all rounds."""
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for bench in benchmarks:
        key = (bench["group"], bench["extra_info"]["candidate"])
        points.setdefault(key, []).extend((bench["extra_info"]["size"], value) for value in bench["stats"]["data"])
    sizes = {key: len({size for size, _ in measured}) for key, measured in points.items()}
    return [
        dict(zip(SLOPES, (*key, sizes[key], *slope(measured)), strict=True))
        for key, measured in points.items()
        if sizes[key] > 1 and len(measured) > 2
    ]


def figure(rows: Sequence[Row]) -> Any:
    """Plot the ratios at the largest size: one row per candidate, with its interval and target."""
    largest: dict[str, float] = {}
    for row in rows:
        largest[row["group"]] = max(row["size"], largest.get(row["group"], 0))
    shown = [r for r in rows if r["ratio"] and r["candidate"] != r["peer"] and r["size"] == largest[r["group"]]][::-1]
    drawn, axes = plt.subplots(figsize=(7, 1 + 0.17 * len(shown)))
    for height, row in enumerate(shown):
        axes.plot([row["low"] or row["ratio"], row["high"] or row["ratio"]], [height, height], color="C0")
        axes.plot(row["ratio"], height, "o", color="C1" if row["met"] is False else "C0", markersize=4)
        if row.get("target"):
            axes.plot(row["target"], height, "|", color="black")
    axes.set(
        xscale="log", xlabel="time over that of the peer (bar: target; other colour: missed)", ylim=(-1, len(shown))
    )
    axes.set_yticks(range(len(shown)), [f"{row['group']}: {row['candidate']} / {row['peer']}" for row in shown], size=6)
    axes.axvline(1.0, color="0.7", zorder=0)
    return drawn


def sentence(row: Row) -> str:
    """Describe a row with a target in a sentence."""
    told = "not beside its peer" if row["ratio"] is None else f"{row['ratio']:.3g} times the seconds of {row['peer']}"
    memory = f", {row['peak_mib']:.0f} MiB of {row['mib']:.0f}" if row.get("mib") and row.get("peak_mib") else ""
    wanted = f", wanted {row['target']:.3g}" if row.get("target") else ""
    wanted += f", {row['seconds']:.3g} s of {row['seconds_wanted']:.3g}" if row.get("seconds_wanted") else ""
    kept = {True: "met", False: "MISSED", None: "not judged"}[row["met"]]
    return f"{row['group']}, size {row['size']:g}: {row['candidate']}: {told}{wanted}{memory}: {kept}"


def main(path: Path) -> None:
    """Write tables and figure next to the JSON file, and print which targets are met."""
    benchmarks = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
    rows = rows_of(benchmarks)
    pd.DataFrame(rows, columns=COLUMNS).to_csv(path.with_name("bench.csv"), index=False)
    pd.DataFrame(slopes_of(benchmarks), columns=SLOPES).to_csv(path.with_name("slopes.csv"), index=False)
    with figure_style():
        figure(rows).savefig(path.with_name("bench.svg"), bbox_inches="tight")
    sys.stdout.writelines(f"{sentence(row)}\n" for row in rows if row.get("target") or row.get("mib"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
