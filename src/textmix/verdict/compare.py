"""The comparison of a paper: every published number and claim gets one verdict and, where needed, one reason.

The verdicts are:

- ``reproduced`` or ``differs``: the rebuilt value was judged by the tolerance of the published row;
- ``not distinguishable``: the trials are too few to tell whether the rebuilt value is the published one;
- ``data missing``: the paper's data are not at hand; a value rebuilt on other data is shown and not judged;
- ``not run``: no job has rebuilt the value;
- ``open``: the paper does not say what to judge.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scipy.special import stdtrit

from textmix.core.errors import ConfigError, IntegrityError, MissingResult
from textmix.experiment.results import NotRun, Results, RoleEntry
from textmix.metrics.significance import Sample, welch
from textmix.plan.locators import CheckLocator, Locator, SettingLocator, TimeLocator
from textmix.verdict.claims import Outcome, evaluate, short
from textmix.verdict.locate import Rebuilt, locate, roles_behind
from textmix.verdict.published import COUNTED, KINDS, Check, Published

#: Columns of ``comparison.csv``: ``spread`` and ``rebuilt_spread`` are standard deviations over the trials,
#: ``difference`` is rebuilt less published, and ``low`` and ``high`` are the ends of its 95 % interval; all numbers of
#: a row are in its unit.
COMPARISON_COLUMNS = (
    *("id", "paper", "artefact", "kind", "dataset", "method", "metric", "unit", "published", "spread"),
    *("rebuilt", "rebuilt_spread", "difference", "low", "high", "tolerance", "verdict", "reason"),
)
#: Columns that a comparison takes from the published row as they are.
_PRINTED = ("id", "artefact", "kind", "dataset", "method", "metric", "unit", "tolerance")
#: Verdicts in the order of the page.
VERDICTS = ("reproduced", "differs", "not distinguishable", "data missing", "not run", "open")
REPRODUCED, DIFFERS, INDISTINCT, MISSING, NOT_RUN, OPEN = VERDICTS
#: Parts of reasons.
NO_SOURCE = "nothing in this version rebuilds it yet"
NOT_CHOSEN = "this configuration does not name the paper"
UNCONVERGED = "did not converge"
FOREIGN = "not the paper's data: shown, not judged"
LEFT_OPEN = "the source leaves open what to compare: shown, not judged"


@dataclass(frozen=True)
class Judgement:
    """The verdict on one published row.

    Parameters
    ----------
    verdict : one of `VERDICTS`.
    reason : one clause or several, joined by semicolons; may be empty.
    rebuilt : the rebuilt number in the row's unit; the word of a setting; of a claim ``holds`` or ``fails``, with the
        share of the pairs that were compared if some numbers are missing; or None where nothing is rebuilt.
    standard_deviation : that of ``rebuilt`` over the trials, in the row's unit, or None.
    difference : rebuilt less published, in the row's unit, or None.
    interval : ends of the 95 % confidence interval of ``difference``, or None where the spread is not known.
    """

    verdict: str
    reason: str = ""
    rebuilt: float | str | None = None
    standard_deviation: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None


def compare_paper(
    published: Sequence[Published], checks: Mapping[str, Check], results: Results
) -> list[dict[str, Any]]:
    """Return one row of ``comparison.csv`` (`COMPARISON_COLUMNS`) for each published row, in the given order.

    Parameters
    ----------
    published : the rows of ``published.csv``.
    checks : the checks of the paper by name.
    results : the results of the paper.

    Raises
    ------
    ConfigError : a row names a check that is not in ``checks``, or a value that the results do not hold.
    IntegrityError : a result was changed by hand.
    """
    return [_row(row, results.paper, _judged(row, checks, results)) for row in published]


def not_chosen(published: Sequence[Published], paper: str) -> list[dict[str, Any]]:
    """Return the rows of ``comparison.csv`` of a paper that the configuration does not name: all are ``not run``."""
    return [_row(row, paper, Judgement(NOT_RUN, NOT_CHOSEN)) for row in published]


def merge_comparisons(papers: Iterable[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return copies of the rows of several papers' comparisons as one list, in the same order.

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
    """Return how many numbers and claims (`COUNTED`) have each verdict, in the order of `VERDICTS`."""
    by_kind = count_by_kind(rows)
    return {verdict: sum(by_kind[kind][verdict] for kind in COUNTED) for verdict in VERDICTS}


def count_by_kind(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return kind -> verdict -> number of rows, for all kinds and verdicts in their order."""
    counts = {kind: dict.fromkeys(VERDICTS, 0) for kind in KINDS}
    for row in rows:
        counts[row["kind"]][row["verdict"]] += 1
    return counts


def printed_numbers(comparison: Iterable[Mapping[str, Any]]) -> dict[str, tuple[float, float | None]]:
    """Return id -> published number and standard deviation in the row's unit, for the rows with a printed number."""
    numbers = ((row["id"], number(row["published"]), number(row["spread"])) for row in comparison)
    return {name: (value, spread) for name, value, spread in numbers if value is not None}


def _row(row: Published, paper: str, found: Judgement) -> dict[str, Any]:
    """Return a published row and its judgement as a row of ``comparison.csv``."""
    return {
        **{name: getattr(row, name) for name in _PRINTED},
        "paper": paper,
        "published": row.value,
        "spread": row.spread,
        "rebuilt": _rounded(found.rebuilt),
        "rebuilt_spread": _rounded(found.standard_deviation),
        "difference": _rounded(found.difference),
        "low": _rounded(found.interval[0]) if found.interval else None,
        "high": _rounded(found.interval[1]) if found.interval else None,
        "verdict": found.verdict,
        "reason": found.reason,
    }


def _rounded(value: Any) -> Any:
    """Round a float to ten significant digits, since further digits depend on the machine."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _judged(row: Published, checks: Mapping[str, Check], results: Results) -> Judgement:
    """Locate and judge one published row."""
    locator = row.locator
    if locator is None:
        return _without_source(row, built=results.settings.get("status") == "built")
    try:
        if not isinstance(locator, CheckLocator):
            return _judge_value(row, locator, results)
        if locator.check not in checks:
            raise ConfigError(f"{row.id}: there is no check '{locator.check}'; write it in checks.yaml")
        return _judge_claim(locator.check, checks[locator.check], results)
    except NotRun as missing:
        return Judgement(NOT_RUN, missing.reason)
    except MissingResult as missing:
        return Judgement(MISSING, missing.reason)


def _without_source(row: Published, built: bool) -> Judgement:
    """Return the verdict on a row that names no rebuilt value.

    It is ``open`` if the paper is built, the row's tolerance is ``open`` and the row has a note or prints nothing that
    could be compared; else ``not run``.
    """
    if built and row.tolerance == "open" and (row.note or not row.value):
        return Judgement(OPEN, row.note or "prints no number to compare")
    return Judgement(NOT_RUN, row.note or NO_SOURCE)


def _judge_value(row: Published, locator: Locator, results: Results) -> Judgement:
    """Judge a row whose locator names one value."""
    found = locate(results, locator)
    if isinstance(found.value, str):
        return _judge_word(row, found.value)
    found = _in_unit_of(row, locator, found)
    roles = roles_behind(results, locator)
    entries = _entries([row.dataset] if row.dataset in roles else roles, results)
    target = number(row.value)
    difference = None if target is None else float(found.value) - target
    interval = _difference_interval(row, found)
    verdict, reason = _without_judgement(row, entries) or judge(row, found)
    if found.unconverged:
        reason = _join(reason, f"{found.unconverged} fits {UNCONVERGED}")
    if verdict in (REPRODUCED, DIFFERS):
        reason = _join(reason, *_forms(entries, "nearly"))
    return Judgement(verdict, reason, found.value, found.standard_deviation, difference, interval)


def _difference_interval(row: Published, found: Rebuilt) -> tuple[float, float] | None:
    """Return the ends of the 95 % interval of rebuilt less published; None where the rebuilt value has no spread.

    A published mean without a printed spread gets that of the rebuilt one where its number of trials is known, else it
    counts as a number without error.
    """
    target = number(row.value)
    if target is None or not found.standard_deviation or not found.n:
        return None
    spread = float(row.spread) if row.spread and row.trials else found.standard_deviation
    printed = Sample(target, spread, float(row.trials) if row.trials else math.inf)
    return welch(Sample(float(found.value), found.standard_deviation, found.n), printed).interval()


def _in_unit_of(row: Published, locator: Locator, found: Rebuilt) -> Rebuilt:
    """Return a rebuilt number in the unit of a published row; a setting is stored in that unit already."""
    scale = 1.0
    if row.unit.startswith("percent") and not isinstance(locator, SettingLocator):
        scale = 100.0
    elif row.unit.startswith("minutes") and isinstance(locator, TimeLocator):
        scale = 1 / 60
    if scale == 1.0:
        return found
    deviation = found.standard_deviation
    return replace(
        found,
        value=float(found.value) * scale,
        standard_deviation=None if deviation is None else deviation * scale,
    )


def _entries(roles: Iterable[str], results: Results) -> list[RoleEntry]:
    """Return the entries of the given roles that have a data set, one for each data set, sorted by its name."""
    found = {entry.dataset or "": entry for entry in (results.roles[role] for role in roles if role in results.roles)}
    return [found[dataset] for dataset in sorted(found) if dataset]


def _forms(entries: Iterable[RoleEntry], comparable: str) -> list[str]:
    """Return a clause, with data set and note, for each entry whose comparability is ``comparable``."""
    return [
        f"rebuilt on {entry.dataset}{f' ({entry.note})' if entry.note else ''}"
        for entry in entries
        if entry.comparable == comparable
    ]


def _without_judgement(row: Published, entries: Sequence[RoleEntry]) -> tuple[str, str] | None:
    """Return verdict and reason of a row that must not be judged, or None for a row to judge.

    A value is shown and not judged if its data are not the paper's, if the row's tolerance is ``open``, if the
    tolerance is ``exact`` and the data are nearly the paper's, or if the paper prints no number.
    """
    if foreign := _forms(entries, "not"):
        return MISSING, _join(*foreign, FOREIGN)
    if row.tolerance == "open":
        return OPEN, row.note or LEFT_OPEN
    if row.tolerance == "exact" and (near := _forms(entries, "nearly")):
        return MISSING, _join(*near, "the same collection in another form: shown, not judged exactly")
    return None if number(row.value) is not None else (OPEN, "the source prints no number: shown, not judged")


def _judge_word(row: Published, rebuilt: str) -> Judgement:
    """Judge a setting that is a word rather than a number."""
    if row.tolerance == "open":
        return Judgement(OPEN, row.note or LEFT_OPEN, rebuilt)
    if rebuilt == row.value:
        return Judgement(REPRODUCED, "", rebuilt)
    return Judgement(DIFFERS, f"this reproduction uses {rebuilt} instead of {row.value}", rebuilt)


def number(text: Any) -> float | None:
    """Return a cell of a comparison (text, number or None) as a number, or None where it is empty or a word."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def decimals(printed: str) -> int:
    """Return the number of decimals of a number as printed: 4 for ``1.5e-3``, 0 for a whole number or a word."""
    _, _, fraction = printed.lower().partition("e")[0].partition(".")
    exponent = printed.lower().partition("e")[2]
    return max(0, len(fraction) - int(exponent or 0)) if number(printed) is not None else 0


def judge(row: Published, found: Rebuilt) -> tuple[str, str]:
    """Judge a rebuilt number by the row's tolerance.

    Parameters
    ----------
    row : published row with a number and tolerance exact, sd or near.
    found : rebuilt number and standard deviation in the row's unit.

    Returns
    -------
    verdict, reason : ``reproduced`` with no reason, or ``differs`` with the difference, the allowed difference and, for
        a mean over trials, its 95 % t interval.

    Raises
    ------
    ConfigError : the tolerance cannot judge a number.
    """
    if row.tolerance not in ("exact", "sd", "near"):
        raise ConfigError(f"{row.id}: tolerance {row.tolerance} cannot judge a number; use exact, sd, near or open")
    rebuilt, target = float(found.value), float(row.value)
    if math.isnan(rebuilt):
        return DIFFERS, "the rebuilt value is not a number"
    allowed, words = allowance(row, target)
    # Decimal fractions have no exact binary form: without the slack, 0.3 would not lie within 0.1 of 0.2.
    if abs(rebuilt - target) <= allowed + 1e-9 * max(abs(target), allowed):
        return REPRODUCED, ""
    difference = f"differs by {short(rebuilt - target, '+')}{_unit(row.unit)}"
    return DIFFERS, f"{difference} where {words} is allowed{_interval(found)}"


def allowance(row: Published, target: float) -> tuple[float, str]:
    """Return the largest difference that a row's tolerance allows, in the row's unit and in words."""
    if row.tolerance == "exact":
        # Two numbers agree at the printed digits if they differ by at most half a unit of the last digit.
        return 0.5 * 10.0 ** -decimals(row.value), "only rounding"
    size = float(row.margin.removesuffix("%"))
    if row.tolerance == "sd":
        return size * float(row.spread), f"{size:g} times the published spread of {row.spread}"
    if row.margin.endswith("%"):
        return size / 100 * abs(target), f"{size:g} %"
    return size, f"{size:g}{_unit(row.unit)}"


def _unit(unit: str) -> str:
    """Return the unit as it follows a difference, with a leading blank; empty for a fraction or no unit."""
    return " points" if unit.startswith("percent") else f" {unit}" if unit and unit != "fraction" else ""


def _interval(found: Rebuilt) -> str:
    """Return the 95 % t interval of a mean over trials in words; empty for a value that is no such mean."""
    if found.standard_deviation is None or found.n is None or found.n < 2:
        return ""
    half = float(stdtrit(found.n - 1, 0.975)) * found.standard_deviation / math.sqrt(found.n)
    low, high = float(found.value) - half, float(found.value) + half
    return f"; 95 % interval of the rebuilt mean {short(low)} to {short(high)} ({found.n} trials)"


def _join(*parts: str) -> str:
    """Join the parts of a reason by semicolons; empty parts are left out."""
    return "; ".join(part for part in parts if part)


def _judge_claim(name: str, check: Check, results: Results) -> Judgement:
    """Return the judgement on a claim by its check."""
    outcome = evaluate(name, check, results)
    word = "holds" if outcome.holds else "fails"
    if outcome.missing:
        return _partly_missing(outcome, word)
    entries = _entries(outcome.roles, results)
    if foreign := _forms(entries, "not"):
        return Judgement(MISSING, _join(outcome.seen, *foreign, FOREIGN), word)
    verdict = REPRODUCED if outcome.holds else DIFFERS
    return Judgement(verdict, _join(outcome.seen, *_forms(entries, "nearly")), word)


def _partly_missing(outcome: Outcome, word: str) -> Judgement:
    """Return the judgement on a claim of which some numbers are missing; it shows the pairs that could be compared.

    The verdict is ``not run`` if no job has made any of the missing numbers, else ``data missing``.
    """
    verdict = NOT_RUN if all(isinstance(one, NotRun) for one in outcome.missing) else MISSING
    reasons = list(dict.fromkeys(one.reason for one in outcome.missing))
    more = f"and {len(reasons) - 2} more reasons" if len(reasons) > 2 else ""
    share = f"{word} on {outcome.decided} of {outcome.pairs}" if outcome.decided else None
    return Judgement(verdict, _join(*reasons[:2], more, outcome.seen), share)
