"""Published against rebuilt: every published number and claim gets one verdict and, unless plain, one reason.

Verdicts: ``reproduced`` and ``differs`` are judged by the row's tolerance class; ``data missing`` where the paper's
data are not at hand (a value rebuilt on other data is shown, not judged); ``not run`` where nothing has rebuilt it yet;
``open`` where the source leaves open what to judge.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import stdtrit

from textmix.core.errors import ConfigError, Hole, IntegrityError
from textmix.experiment.results import NotRun, Results, RoleEntry, Value
from textmix.verdict.claims import evaluate, short
from textmix.verdict.published import Check, Published

COLUMNS = (
    *("id", "paper", "artefact", "dataset", "method", "metric", "unit", "published", "spread"),
    *("rebuilt", "rebuilt_spread", "difference", "tolerance", "verdict", "reason"),
)
REPRODUCED, DIFFERS, MISSING, NOT_RUN, OPEN = VERDICTS = ("reproduced", "differs", "data missing", "not run", "open")
NO_SOURCE = "nothing in this version rebuilds it yet"
NOT_CHOSEN = "this configuration does not name the paper"
UNCONVERGED = "did not converge"
FOREIGN = "not the paper's data: shown, not judged"
LEFT_OPEN = "the source leaves open what to compare: shown, not judged"


@dataclass(frozen=True)
class Finding:
    """What was found for one published row: the rebuilt value as text or number, and the verdict on it."""

    verdict: str
    reason: str = ""
    rebuilt: float | str | None = None
    spread: float | None = None
    difference: float | None = None


def compare_paper(
    published: Sequence[Published], checks: Mapping[str, Check], results: Results
) -> list[dict[str, Any]]:
    """Return one row (`COLUMNS`) for every published row of a paper, in the given order.

    Parameters
    ----------
    published : the rows of ``published.csv``.
    checks : the paper's named checks.
    results : where its rebuilt values lie.

    Raises
    ------
    ConfigError : a source, tolerance or check is not what the contract allows.
    IntegrityError : a result was changed by hand.
    """
    return [_row(row, results.paper, _find(row, checks, results)) for row in published]


def not_chosen(published: Sequence[Published], paper: str) -> list[dict[str, Any]]:
    """Return the rows of a paper that the configuration leaves out: all not run."""
    return [_row(row, paper, Finding(NOT_RUN, NOT_CHOSEN)) for row in published]


def merge_comparisons(papers: Iterable[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Join the comparisons of several papers.

    Raises
    ------
    IntegrityError : an id stands twice.
    """
    merged: dict[str, dict[str, Any]] = {}
    for row in (row for rows in papers for row in rows):
        if row["id"] in merged:
            raise IntegrityError(
                f"the id '{row['id']}' stands twice in the comparisons; give each published row its own"
            )
        merged[row["id"]] = dict(row)
    return list(merged.values())


def count_verdicts(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rows have each verdict, in the order of `VERDICTS`."""
    counts = dict.fromkeys(VERDICTS, 0)
    for row in rows:
        counts[row["verdict"]] += 1
    return counts


def printed_numbers(comparison: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return id -> published number of a comparison; rows that print none are left out."""
    numbers = ((row["id"], number(row["published"])) for row in comparison)
    return {name: value for name, value in numbers if value is not None}


def _row(row: Published, paper: str, found: Finding) -> dict[str, Any]:
    """Return a published row and what was found as a row of the comparison."""
    return {
        **{name: getattr(row, name) for name in ("id", "artefact", "dataset", "method", "metric", "unit", "tolerance")},
        "paper": paper,
        "published": row.value,
        "spread": row.spread,
        "rebuilt": _rounded(found.rebuilt),
        "rebuilt_spread": _rounded(found.spread),
        "difference": _rounded(found.difference),
        "verdict": found.verdict,
        "reason": found.reason,
    }


def _rounded(value: Any) -> Any:
    """Drop the digits of a float that depend on the machine."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _find(row: Published, checks: Mapping[str, Check], results: Results) -> Finding:
    """Locate and judge one published row."""
    if not row.source:
        return _without_source(row, built=results.settings.get("status") == "built")
    try:
        if row.check is None:
            return _find_value(row, results)
        if row.check not in checks:
            raise ConfigError(f"{row.id}: there is no check '{row.check}'; write it in checks.yaml")
        return _find_claim(row.check, checks[row.check], results)
    except NotRun as hole:
        return Finding(NOT_RUN, hole.reason)
    except Hole as hole:
        return Finding(MISSING, hole.reason)


def _without_source(row: Published, built: bool) -> Finding:
    """Say why nothing rebuilds a row: it prints nothing to compare, its note says why, or nothing reaches it yet."""
    nothing_printed = not row.value and row.kind not in ("curve", "figure")
    if built and row.tolerance == "open" and (row.note or nothing_printed):
        return Finding(OPEN, row.note or "prints no number to compare")
    return Finding(NOT_RUN, row.note or NO_SOURCE)


def _find_value(row: Published, results: Results) -> Finding:
    """Judge a row whose source is one value."""
    value = results.locate(row.source)
    if isinstance(value.value, str):
        return _same_text(row, value.value)
    roles = results.role_names(row.source)
    entries = _entries([row.dataset] if row.dataset in roles else roles, results)
    scale = _scale(row.unit, row.source)
    rebuilt = value.value * scale if scale != 1 else value.value
    spread = None if value.spread is None else value.spread * scale
    target = number(row.value)
    difference = None if target is None else rebuilt - target
    verdict, reason = _without_judgement(row, entries) or judge(row, Value(rebuilt, spread, value.n))
    if value.unconverged:
        reason = _join(reason, f"{value.unconverged} fits {UNCONVERGED}")
    if verdict in (REPRODUCED, DIFFERS):
        reason = _join(reason, *_forms(entries, "nearly"))
    return Finding(verdict, reason, rebuilt, spread, difference)


def _scale(unit: str, source: str) -> float:
    """Return the factor from stored units (fractions, seconds) to a published row's unit; settings are as printed."""
    kind = source.partition(":")[0]
    if unit.startswith("percent") and kind != "setting":
        return 100.0
    return 1 / 60 if unit.startswith("minutes") and kind == "time" else 1.0


def _entries(roles: Iterable[str], results: Results) -> list[RoleEntry]:
    """Return the configuration's entries of roles, each data set once, in order of its name."""
    found = {entry.dataset or "": entry for entry in (results.roles[role] for role in roles if role in results.roles)}
    return [found[dataset] for dataset in sorted(found) if dataset]


def _forms(entries: Iterable[RoleEntry], comparable: str) -> list[str]:
    """Say on which data a value was rebuilt, for the entries that are comparable in the given degree."""
    return [
        f"rebuilt on {entry.dataset}{f' ({entry.note})' if entry.note else ''}"
        for entry in entries
        if entry.comparable == comparable
    ]


def _without_judgement(row: Published, entries: Sequence[RoleEntry]) -> tuple[str, str] | None:
    """Return the verdict of a row that must not be judged: other data, nothing printed, source garbled."""
    if foreign := _forms(entries, "not"):
        return MISSING, _join(*foreign, FOREIGN)
    if row.tolerance == "open":
        return OPEN, row.note or LEFT_OPEN
    if row.tolerance == "exact" and (near := _forms(entries, "nearly")):
        return MISSING, _join(*near, "the same collection in another form: shown, not judged exactly")
    return None if number(row.value) is not None else (OPEN, "the source prints no number: shown, not judged")


def _same_text(row: Published, rebuilt: str) -> Finding:
    """Judge a setting that is a word rather than a number."""
    if row.tolerance == "open":
        return Finding(OPEN, row.note or LEFT_OPEN, rebuilt)
    if rebuilt == row.value:
        return Finding(REPRODUCED, "", rebuilt)
    return Finding(DIFFERS, f"this reproduction uses {rebuilt} instead of {row.value}", rebuilt)


def number(text: Any) -> float | None:
    """Return a printed value as a number, or None where it is empty or a word."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def decimals(printed: str) -> int:
    """Return with how many decimals a number is printed; 0 for a whole number or a word."""
    _, _, fraction = printed.lower().partition("e")[0].partition(".")
    exponent = printed.lower().partition("e")[2]
    return max(0, len(fraction) - int(exponent or 0)) if number(printed) is not None else 0


def judge(row: Published, value: Value) -> tuple[str, str]:
    """Judge a rebuilt number by the row's tolerance class.

    Parameters
    ----------
    row : published row with a number and tolerance exact, sd or near.
    value : rebuilt number and spread in the row's unit.

    Returns
    -------
    verdict, reason : ``reproduced`` with no reason, or ``differs`` with the difference, what was allowed and, where
        there are several trials, the 95 % t interval of the rebuilt mean.

    Raises
    ------
    ConfigError : the tolerance cannot judge a number.
    """
    if row.tolerance not in ("exact", "sd", "near"):
        raise ConfigError(f"{row.id}: tolerance {row.tolerance} cannot judge a number; use exact, sd, near or open")
    rebuilt, target = float(value.value), float(row.value)
    if math.isnan(rebuilt):
        return DIFFERS, "the rebuilt value is not a number"
    allowed, words = _allowance(row, target)
    # Decimal fractions have no exact binary form: without the slack, 0.3 would not lie within 0.1 of 0.2.
    if abs(rebuilt - target) <= allowed + 1e-9 * max(abs(target), allowed):
        return REPRODUCED, ""
    difference = f"differs by {short(rebuilt - target, '+')}{_unit(row.unit)}"
    return DIFFERS, f"{difference} where {words} is allowed{_interval(value)}"


def _allowance(row: Published, target: float) -> tuple[float, str]:
    """Return the largest difference that a row's tolerance class allows, as a number and in words."""
    if row.tolerance == "exact":
        # Equal at the printed digits: half a unit of the last of them is rounding.
        return 0.5 * 10.0 ** -decimals(row.value), "only rounding"
    size = float(row.margin.removesuffix("%"))
    if row.tolerance == "sd":
        return size * float(row.spread), f"{size:g} times the published spread of {row.spread}"
    if row.margin.endswith("%"):
        return size / 100 * abs(target), f"{size:g} %"
    return size, f"{size:g}{_unit(row.unit)}"


def _unit(unit: str) -> str:
    """Return the unit as it follows a difference."""
    return " points" if unit.startswith("percent") else f" {unit}" if unit and unit != "fraction" else ""


def _interval(value: Value) -> str:
    """Return the 95 % t interval of a mean over trials in words, or nothing."""
    if value.spread is None or value.n is None or value.n < 2:
        return ""
    half = float(stdtrit(value.n - 1, 0.975)) * value.spread / math.sqrt(value.n)
    low, high = float(value.value) - half, float(value.value) + half
    return f"; 95 % interval of the rebuilt mean {short(low)} to {short(high)} ({value.n} trials)"


def _join(*parts: str) -> str:
    """Join the parts of a reason that are there."""
    return "; ".join(part for part in parts if part)


def _find_claim(name: str, check: Check, results: Results) -> Finding:
    """Judge a claim by its check."""
    outcome = evaluate(name, check, results)
    word = "holds" if outcome.holds else "fails"
    if outcome.holes:
        verdict = NOT_RUN if all(isinstance(hole, NotRun) for hole in outcome.holes) else MISSING
        reasons = list(dict.fromkeys(hole.reason for hole in outcome.holes))
        more = f"and {len(reasons) - 2} more reasons" if len(reasons) > 2 else ""
        share = f"{word} on {outcome.decided} of {outcome.pairs}" if outcome.decided else None
        return Finding(verdict, _join(*reasons[:2], more, outcome.seen), share)
    entries = _entries(outcome.roles, results)
    if foreign := _forms(entries, "not"):
        return Finding(MISSING, _join(outcome.seen, *foreign, FOREIGN), word)
    verdict = REPRODUCED if outcome.holds else DIFFERS
    return Finding(verdict, _join(outcome.seen, *_forms(entries, "nearly")), word)
