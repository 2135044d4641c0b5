"""The timing harness of the bench: candidates and their peers in turns in one run, medians, ratios, peak memory."""

from __future__ import annotations

import math
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scipy.special import stdtrit

from reproduction.bench.roofline import OF_MEMORY, Known, with_limits
from reproduction.plan.suites import FEW, PEERS, ROUNDS

#: ``bench``: name of the comparison.  ``ratio_to_peer``: the candidate's time or memory (``quantity``) over the peer's.
#: ``ratio_low``, ``ratio_high``: ends of its 95 % interval, of times of two rounds or more, else empty.
#: ``target``: largest ratio allowed, or empty.  ``met``: whether the ratio is at most the target.  ``peak_mib``: MiB.
#: ``limit_share``: share of the machine's limit, which ``limit`` tells (`reproduction.bench.roofline`); without a share
#: ``limit`` tells why.
COLUMNS = (
    *("bench", "candidate", "peer", "quantity", "median_seconds", "ratio_to_peer", "ratio_low", "ratio_high"),
    *("target", "met", "peak_mib", "limit_share", "limit", "note"),
)

#: An untimed call counts as the last of few rounds where it took so many seconds, and this share at most more or less
#: than the first round: then it compiled nothing that matters.
LONG, ALIKE = 5.0, 0.2
#: Untimed calls of all candidates that take less together, seconds, are brief.
BRIEF = 2.0


def is_quick(repeats: int) -> bool:
    """Return whether a number of rounds is that of a quick bench."""
    return repeats == FEW


def fit_predict(model: Any, X: Any, y: Any) -> Callable[[], object]:
    """Return a candidate of `compare` that fits a model to X and y and predicts X."""
    return lambda: model.fit(X, y).predict(X)


def compare(
    candidates: Mapping[str, Callable[[], object]],
    repeats: int = ROUNDS,
    clock: Callable[[], float] = time.perf_counter,
) -> list[dict[str, Any]]:
    """Time each candidate ``repeats`` times, all in turns, after one untimed call each, then measure its memory.

    In turns, a slow moment of the machine affects all candidates alike; the untimed call compiles and fills caches.
    Few rounds (`reproduction.plan.suites.FEW`) are for a quick look: they measure no memory, a long untimed call takes
    the place of the last round (`LONG`), and brief calls run as often as in a whole bench (`BRIEF`).  A candidate that
    needs a package of `reproduction.plan.suites.PEERS` which is not installed is named as missing and has no time.

    Parameters
    ----------
    candidates : name -> call without arguments.
    repeats : number of rounds.
    clock : returns seconds; `time.process_time` counts the processor time of this process alone, so that other
        processes on the machine do not lengthen it.

    Returns
    -------
    one row for each candidate: ``candidate``, ``seconds`` of each round, ``median_seconds``, and ``peak_mib`` (see
    `peak_mib`), None where there are few rounds.
    """
    missing, first = dict[str, str](), dict[str, float]()
    for name, call in candidates.items():
        start = clock()
        if note := _missing(call):
            missing[name] = note
        else:
            first[name] = clock() - start
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    rounds = ROUNDS if is_quick(repeats) and sum(first.values()) < BRIEF else repeats
    for number in range(rounds):
        for name, untimed in first.items():
            last = rounds == FEW and number == FEW - 1
            if last and untimed >= LONG and abs(untimed - seconds[name][0]) <= ALIKE * seconds[name][0]:
                seconds[name].append(untimed)
                continue
            start = clock()
            candidates[name]()
            seconds[name].append(clock() - start)
    nothing: dict[str, Any] = {"seconds": [], "median_seconds": None, "peak_mib": None}
    return [
        {"candidate": name, **nothing, "note": missing[name]}
        if name in missing
        else {
            "candidate": name,
            "seconds": seconds[name],
            "median_seconds": statistics.median(seconds[name]),
            "peak_mib": peak_mib(call) if repeats > FEW else None,
        }
        for name, call in candidates.items()
    ]


def _missing(call: Callable[[], object]) -> str:
    """Call a candidate; return a sentence if it needs a peer that is not installed."""
    try:
        call()
    except ModuleNotFoundError as error:
        return not_installed(error)
    return ""


def not_installed(error: ModuleNotFoundError) -> str:
    """Return the sentence on a package of `reproduction.plan.suites.PEERS` that is missing; else raise the error."""
    name = str(error.name).partition(".")[0]
    if name not in PEERS:
        raise error
    return f"{name} is not installed; run make bench"


def peak_mib(call: Callable[[], object]) -> float:
    """Return the most memory that one call holds at a time, in MiB.

    The measure is that of `tracemalloc`: it includes the arrays of NumPy, and excludes the memory that a C library
    allocates for itself.
    """
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def judge(
    bench: str,
    rows: Sequence[Mapping[str, Any]],
    peer: str,
    targets: Mapping[str, float],
    work: Known | Mapping[str, Known],
) -> list[dict[str, Any]]:
    """Add to each row the ratio of its time to the peer's, its verdict, and its share of the machine's limit.

    Parameters
    ----------
    bench : name of the comparison.
    rows : of `compare`.
    peer : the candidate whose time is the denominator of the ratios.
    targets : candidate -> largest ratio allowed; a candidate that is not named gets no verdict.
    work : what the candidates must do at least, see `reproduction.bench.roofline.with_limits`.

    Returns
    -------
    the rows with all of `COLUMNS`; ``quantity`` is "time".
    """
    beside = next(row for row in rows if row["candidate"] == peer)
    ratios = {row["candidate"]: _ratio(row["median_seconds"], beside["median_seconds"]) for row in rows}
    judged = _judge({"bench": bench, "peer": peer, "quantity": "time"}, rows, ratios, targets)
    for row, timed in zip(judged, rows, strict=True):
        low, high = ratio_interval(timed.get("seconds", ()), beside.get("seconds", ()))
        row |= {"ratio_low": low, "ratio_high": high}
    return with_limits(judged, work)


def _ratio(numerator: float | None, denominator: float | None) -> float | None:
    """Return a ratio of times; None where one is missing."""
    return None if numerator is None or denominator is None else numerator / denominator


def ratio_interval(numerator: Sequence[float], denominator: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the ends of the 95 % t interval of the ratio of two times, over rounds in which both were timed.

    The interval is that of the mean logarithm of the ratio, as an ordinary ratio; (None, None) for fewer than two
    common rounds.
    """
    if len(numerator) != len(denominator) or len(numerator) < 2:
        return None, None
    logs = [math.log(a / b) for a, b in zip(numerator, denominator, strict=True)]
    reach = float(stdtrit(len(logs) - 1, 0.975)) * statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.fmean(logs)
    return math.exp(mean - reach), math.exp(mean + reach)


def judge_memory(
    bench: str, rows: Sequence[Mapping[str, Any]], what: str, mib: float, targets: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Add to the rows of candidates with a target the ratio of their peak memory to a given memory.

    Parameters
    ----------
    bench : name of the comparison.
    rows : of `compare`.
    what : name of the thing whose memory is the denominator of the ratios.
    mib : its memory, MiB.
    targets : candidate -> largest ratio allowed; the rows of other candidates are left out.

    Returns
    -------
    the rows with all of `COLUMNS`; ``quantity`` is "memory".  A candidate whose memory was not measured has none.
    """
    judged = [row for row in rows if row["candidate"] in targets and row["peak_mib"] is not None]
    ratios = {row["candidate"]: row["peak_mib"] / mib for row in judged}
    return _judge({"bench": bench, "peer": what, "quantity": "memory"}, judged, ratios, targets)


def _judge(
    named: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
    ratios: Mapping[str, float | None],
    targets: Mapping[str, float],
) -> list[dict[str, Any]]:
    """Add to each row the columns of ``named``, its ratio, its target and its verdict."""
    judged = []
    for row in rows:
        ratio, target = ratios[row["candidate"]], targets.get(row["candidate"])
        met = None if target is None or ratio is None else bool(ratio <= target)
        columns = {name: value for name, value in row.items() if name != "seconds"}
        no_interval = {"ratio_low": None, "ratio_high": None, "limit_share": None, "limit": OF_MEMORY}
        judged.append(
            {**named, "ratio_to_peer": ratio, **no_interval, "target": target, "met": met, "note": "", **columns}
        )
    return judged
