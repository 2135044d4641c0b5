"""The comparison of a paper: every published number and claim gets one verdict and, where needed, one reason.

The verdicts are:

- ``reproduced`` or ``differs``: the rebuilt value was judged by the tolerance of the published row;
- ``undecided``: the trials are too few to tell whether the rebuilt value is the published one;
- ``data missing``: the paper's data are not at hand; a value rebuilt on other data is shown and not judged;
- ``not run``: no job has rebuilt the value;
- ``open``: the paper does not say what to judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reproduction.flow.locators import CheckLocator, Locator, SettingLocator, TestLocator, TimeLocator
from reproduction.flow.results import NotRun, Results, RoleEntry
from reproduction.verdict.claims import Outcome, evaluate
from reproduction.verdict.locate import Rebuilt, locate, roles_behind
from reproduction.verdict.numbers import bound, difference, judge, judge_spread, margin_share, spreads
from reproduction.verdict.placebo import Placebo, is_counted, placebos
from reproduction.verdict.published import KINDS, Check, Published
from reproduction.verdict.words import DIFFERS, JUDGED, MISSING, NOT_RUN, OPEN, REPRODUCED, UNDECIDED, VERDICTS, number
from textmix.core.errors import ConfigError, IntegrityError, MissingResult
from textmix.metrics.significance import LEVEL, Estimate, holm

#: Columns of ``comparison.csv``: ``spread`` and ``rebuilt_spread`` are standard deviations over the trials,
#: ``difference`` is rebuilt less published, and ``low`` and ``high`` are the ends of its 95 % interval; all numbers of
#: a row are in its unit.  ``margin_p`` is the p-value of the two one-sided tests for the margin after Holm's correction
#: over the table; verdicts rest on it before the correction.  ``margin_share`` is the least share of its margin by
#: which a number would still be reproduced.  ``spread_low`` and ``spread_high`` are the ends of the 95 % interval of
#: the rebuilt standard deviation over the printed one, which ``spread_verdict`` judges.  ``placebo``, ``tried``,
#: ``passed`` and ``weak`` are of `reproduction.verdict.placebo.Placebo`; a weak number counts apart.
#: ``where`` (the place in the source) and ``note`` are those of the published row.
COMPARISON_COLUMNS = (
    *("id", "paper", "artefact", "kind", "dataset", "method", "metric", "unit", "published", "spread"),
    *("rebuilt", "rebuilt_spread", "difference", "low", "high", "tolerance", "verdict", "reason"),
    *("margin_p", "margin_share", "spread_low", "spread_high", "spread_verdict"),
    *("placebo", "tried", "passed", "weak", "where", "note"),
)
#: Columns that a comparison takes from the published row as they are.
_PRINTED = ("id", "artefact", "kind", "dataset", "method", "metric", "unit", "tolerance", "where", "note")
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
    rebuilt : the rebuilt number in the row's unit; the word of a setting; of a claim ``holds``, ``fails`` or
        ``undecided``, with the share of the pairs that were compared if some numbers are missing; or None where nothing
        is rebuilt.
    standard_deviation : that of ``rebuilt`` over the trials, in the row's unit, or None.
    difference : rebuilt less published, in the row's unit, or None.
    test : ``difference`` with its 95 % interval and p-value, or None where the spread is not known.
    spread : the rebuilt standard deviation over the printed one with interval and p-value, or None.
    spread_verdict : the verdict on the printed standard deviation; empty where there is none.
    margin_p : p-value of the two one-sided tests for the margin, or None where the spread is not known.
    margin_share : the least share of its margin by which the number would be reproduced, or None where no margin
        judges it.
    """

    verdict: str
    reason: str = ""
    rebuilt: float | str | None = None
    standard_deviation: float | None = None
    difference: float | None = None
    test: Estimate | None = None
    spread: Estimate | None = None
    spread_verdict: str = ""
    margin_p: float | None = None
    margin_share: float | None = None


def compare_paper(
    published: Sequence[Published], checks: Mapping[str, Check], results: Results
) -> list[dict[str, Any]]:
    """Return one row of ``comparison.csv`` (`COMPARISON_COLUMNS`) for each published row, in the given order.

    Parameters
    ----------
    published : the rows of ``published.csv``.
    checks : the checks of the paper by name.
    results : the results of the paper; afterwards ``results.read`` names for each row the results that it rests on.

    Raises
    ------
    ConfigError : a row names a check that is not in ``checks``, or a value that the results do not hold.
    IntegrityError : a result was changed by hand.
    """
    found = []
    for row in published:
        with results.reading(row.id):
            found.append(_judged(row, checks, results))
    return _rows(published, checks, results.paper, _corrected(published, found))


def not_chosen(published: Sequence[Published], checks: Mapping[str, Check], paper: str) -> list[dict[str, Any]]:
    """Return the rows of ``comparison.csv`` of a paper that the configuration does not name: all are ``not run``."""
    return _rows(published, checks, paper, [Judgement(NOT_RUN, NOT_CHOSEN)] * len(published))


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
    """Return how many numbers and claims that are not weak have each verdict, in the order of `VERDICTS`."""
    found = Counter(row["verdict"] for row in rows if is_counted(row))
    return {verdict: found[verdict] for verdict in VERDICTS}


def count_weak(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many weak numbers have each verdict, in the order of `VERDICTS`."""
    found = Counter(row["verdict"] for row in rows if row["weak"])
    return {verdict: found[verdict] for verdict in VERDICTS}


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


def _corrected(published: Sequence[Published], found: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements after Holm's correction over each table, which is the rows of one artefact.

    Differences of means and of spreads are two families of tests.  The tests for margins are a third, which changes no
    verdict: each reproduced number stands for itself, and its corrected p-value says whether the table does.
    """
    corrected = list(found)
    for artefact in {row.artefact for row in published}:
        for family, doubt in (("test", _doubt_mean), ("spread", _doubt_spread)):
            tests = {
                place: getattr(one, family)
                for place, (row, one) in enumerate(zip(published, found, strict=True))
                if row.artefact == artefact and one.verdict in JUDGED and getattr(one, family)
            }
            for place, p in zip(tests, holm([estimate.p for estimate in tests.values()]), strict=True):
                if p >= LEVEL:
                    corrected[place] = doubt(corrected[place], float(p), len(tests))
        _correct_margins([place for place, row in enumerate(published) if row.artefact == artefact], corrected)
    return corrected


def _correct_margins(places: Sequence[int], found: list[Judgement]) -> None:
    """Correct the p-values of the tests for margins by Holm's method over one table, in place."""
    bounded = {place: p for place in places if (p := found[place].margin_p) is not None}
    for place, p in zip(bounded, holm(list(bounded.values())), strict=True):
        found[place] = replace(found[place], margin_p=float(p))


def _doubt_mean(found: Judgement, p: float, tests: int) -> Judgement:
    """Return a judgement whose difference of means is not significant among the tests of its table."""
    if found.verdict != DIFFERS:
        return found
    reason = _join(found.reason, f"p = {p:.2f} after Holm's correction over {tests} values")
    return replace(found, verdict=UNDECIDED, reason=reason)


def _doubt_spread(found: Judgement, _p: float, _tests: int) -> Judgement:
    """Return a judgement whose ratio of spreads is not significant among the tests of its table."""
    return replace(found, spread_verdict=UNDECIDED) if found.spread_verdict == DIFFERS else found


def _rows(
    published: Sequence[Published], checks: Mapping[str, Check], paper: str, found: Iterable[Judgement]
) -> list[dict[str, Any]]:
    """Return published rows and their judgements as rows of ``comparison.csv``."""
    tried = placebos(published, checks)
    return [_row(row, paper, one, tried.get(row.id, Placebo())) for row, one in zip(published, found, strict=True)]


def _row(row: Published, paper: str, found: Judgement, placebo: Placebo) -> dict[str, Any]:
    """Return a published row, its judgement and its placebo as a row of ``comparison.csv``."""
    return {
        **{name: getattr(row, name) for name in _PRINTED},
        "paper": paper,
        "published": row.value,
        "spread": row.spread,
        "rebuilt": _rounded(found.rebuilt),
        "rebuilt_spread": _rounded(found.standard_deviation),
        "difference": _rounded(found.difference),
        **_ends(found.test),
        "verdict": found.verdict,
        "reason": found.reason,
        "margin_p": _rounded(found.margin_p),
        "margin_share": _rounded(found.margin_share),
        **_ends(found.spread, "spread_"),
        "spread_verdict": found.spread_verdict,
        "placebo": placebo.name,
        "tried": placebo.tried or "",
        "passed": _rounded(placebo.passed),
        "weak": placebo.weak,
    }


def _ends(estimate: Estimate | None, prefix: str = "") -> dict[str, Any]:
    """Return the ends of an interval as the columns ``low`` and ``high``; empty where there is none."""
    low, high = (estimate.low, estimate.high) if estimate else (None, None)
    return {f"{prefix}low": _rounded(low), f"{prefix}high": _rounded(high)}


def _rounded(value: Any) -> Any:
    """Round a float to ten significant digits, since further digits depend on the machine."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _judged(row: Published, checks: Mapping[str, Check], results: Results) -> Judgement:
    """Locate and judge one published row."""
    locator = row.locator
    if locator is None:
        return _without_source(row, built=results.settings.get("status") == "built")
    try:
        if isinstance(locator, TestLocator):
            return _judge_test(locator, results)
        if not isinstance(locator, CheckLocator):
            return _judge_value(row, locator, results)
        if locator.check not in checks:
            raise ConfigError(f"{row.id}: there is no check '{locator.check}'; write it in checks.yaml")
        return _judge_claim(locator.check, checks[locator.check], results)
    except NotRun as missing:
        return Judgement(NOT_RUN, missing.reason)
    except MissingResult as missing:
        return Judgement(MISSING, missing.reason)


def _judge_test(locator: TestLocator, results: Results) -> Judgement:
    """Return the judgement on a formula by the last outcome of its test."""
    outcome = results.evidence.tests.get(locator.name)
    if outcome is None:
        return Judgement(NOT_RUN, f"make test has not run tests/{locator.name} with this code")
    return Judgement(REPRODUCED if outcome == "passed" else DIFFERS, f"tests/{locator.name}", outcome)


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
    found = in_unit_of(row, locator, found)
    roles = roles_behind(results, locator)
    entries = _entries([row.dataset] if row.dataset in roles else roles, results)
    target = number(row.value)
    off = None if target is None else float(found.value) - target
    verdict, reason = _without_judgement(row, entries) or judge(row, found)
    if found.unconverged:
        reason = _join(reason, f"{found.unconverged} fits {UNCONVERGED}")
    shown = (found.value, found.standard_deviation, off, difference(row, found), spreads(row, found))
    if verdict not in JUDGED:
        return Judgement(verdict, reason, *shown)
    reason = _join(reason, *_forms(entries, "nearly"))
    return Judgement(verdict, reason, *shown, judge_spread(row, found), bound(row, found), margin_share(row, found))


def in_unit_of(row: Published, locator: Locator, found: Rebuilt) -> Rebuilt:
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
        range=None if found.range is None else (found.range[0] * scale, found.range[1] * scale),
    )


def _entries(roles: Iterable[str], results: Results) -> list[RoleEntry]:
    """Return the entries of the given roles that have a data set, one for each data set, sorted by its name."""
    found = {entry.dataset or "": entry for entry in (results.roles[role] for role in roles if role in results.roles)}
    return [found[dataset] for dataset in sorted(found) if dataset]


def _forms(entries: Iterable[RoleEntry], comparable: str) -> list[str]:
    """Return a clause, with data set and note, for each entry whose comparability is ``comparable``."""
    return [
        f"rebuilt on {entry.data}{f' ({entry.note})' if entry.note else ''}"
        for entry in entries
        if entry.comparable == comparable
    ]


def _without_judgement(row: Published, entries: Sequence[RoleEntry]) -> tuple[str, str] | None:
    """Return verdict and reason of a row that must not be judged, or None for a row to judge.

    A value is shown and not judged if its data are not the paper's, if the row's tolerance is ``open``, or if the paper
    prints no number.  An exact count on nearly the paper's data is judged as any other.
    """
    if foreign := _forms(entries, "not"):
        return MISSING, _join(*foreign, FOREIGN)
    if row.tolerance == "open":
        return OPEN, row.note or LEFT_OPEN
    return None if number(row.value) is not None else (OPEN, "the source prints no number: shown, not judged")


def _judge_word(row: Published, rebuilt: str) -> Judgement:
    """Judge a setting that is a word rather than a number."""
    if row.tolerance == "open":
        return Judgement(OPEN, row.note or LEFT_OPEN, rebuilt)
    if rebuilt == row.value:
        return Judgement(REPRODUCED, "", rebuilt)
    return Judgement(DIFFERS, f"this reproduction uses {rebuilt} instead of {row.value}", rebuilt)


def _join(*parts: str) -> str:
    """Join the parts of a reason by semicolons; empty parts are left out."""
    return "; ".join(part for part in parts if part)


#: Outcome of a check -> its word, and the verdict on the claim.
_WORDS = {True: ("holds", REPRODUCED), False: ("fails", DIFFERS), None: ("undecided", UNDECIDED)}


def _judge_claim(name: str, check: Check, results: Results) -> Judgement:
    """Return the judgement on a claim by its check."""
    outcome = evaluate(name, check, results)
    word, verdict = _WORDS[outcome.holds]
    if outcome.missing:
        return _partly_missing(outcome, word)
    entries = _entries(outcome.roles, results)
    if foreign := _forms(entries, "not"):
        return Judgement(MISSING, _join(outcome.seen, *foreign, FOREIGN), word)
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
