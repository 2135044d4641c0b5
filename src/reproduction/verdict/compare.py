"""The comparison of a paper: every published number and claim gets one verdict and, where needed, one reason.

The verdicts are:

- ``reproduced`` or ``differs``: the rebuilt value was judged by the tolerance of the published row;
- ``undecided``: neither test decides; the reason says whether more trials of ours could;
- ``data missing``: the paper's data are not at hand; a value rebuilt on other data is shown and not judged;
- ``not run``: no job has rebuilt the value;
- ``open``: the paper does not say what to judge.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reproduction.flow.locators import CheckLocator, Locator, ScoreLocator, SettingLocator, TestLocator, TimeLocator
from reproduction.flow.results import NotRun, Results, RoleEntry, rounded
from reproduction.verdict.claims import Outcome, evaluate
from reproduction.verdict.equivalence import allowance, bound, chance, difference, judge, margin_share, samples
from reproduction.verdict.placebo import Placebo, placebos
from reproduction.verdict.published import KINDS, NUMBER, Check, Published
from reproduction.verdict.resolve import Rebuilt, locate, roles_behind
from reproduction.verdict.wording import (
    DIFFERS,
    JUDGED,
    MISSING,
    NOT_RUN,
    OPEN,
    REPRODUCED,
    UNDECIDED,
    VERDICTS,
    number,
)
from textmix.core.errors import IntegrityError, MissingResult
from textmix.metrics.significance import LEVEL, Estimate, from_error, holm, standard_error

#: Metrics that are shares of the test documents.
SHARES = ("accuracy", "error_rate", "subset_accuracy")
#: Columns of ``comparison.csv``: ``spread`` and ``rebuilt_spread`` are standard deviations over the trials, ``trials``
#: the number of ours, ``difference`` is rebuilt less published, ``low`` and ``high`` are the ends of its 95 % interval,
#: ``error`` and ``freedom`` its standard error and degrees of freedom; all numbers of a row are in its unit.
#: ``difference_p`` and ``margin_p`` are the p-values of Welch's test and of the two one-sided tests for the margin,
#: both after Holm's correction over the table; ``verdict`` rests on both before the correction, ``corrected`` on both
#: after it.  ``margin_share`` is the least share of its margin by which a number would be reproduced.  ``placebo``,
#: ``tried``, ``passed`` and ``weak`` are of `reproduction.verdict.placebo.Placebo`; a weak number counts apart.
#: ``where`` (the place in the source) and ``note`` are those of the published row.
COMPARISON_COLUMNS = (
    *("id", "paper", "artefact", "kind", "dataset", "method", "metric", "unit", "published", "spread"),
    *("rebuilt", "rebuilt_spread", "trials", "difference", "low", "high", "error", "freedom"),
    *("tolerance", "margin", "verdict", "corrected", "reason", "difference_p", "margin_p", "margin_share"),
    *("placebo", "tried", "passed", "weak", "where", "note"),
)
#: Columns that a comparison takes from the published row as they are.
_PRINTED = ("id", "artefact", "kind", "dataset", "method", "metric", "unit", "tolerance", "where", "note")
#: Columns that it takes from the judgement, of which each is a field.
_OF_JUDGEMENT = (
    *("rebuilt", "rebuilt_spread", "trials", "difference", "verdict", "corrected", "reason"),
    *("difference_p", "margin_p", "margin_share"),
)
#: Columns of ``means.csv`` (`method_means`), and the least number of cells of a mean.
MEANS = (
    *("paper", "artefact", "method", "unit", "cells", "difference", "low", "high", "p", "margin", "margin_p"),
    *("verdict", "corrected"),
)
LEAST_CELLS = 3
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
        ``undecided``, with the share of the pairs that were compared if some numbers are missing; else None.
    rebuilt_spread : the standard deviation of ``rebuilt`` over the trials, in the row's unit.
    difference : rebuilt less published, in the row's unit.
    test : ``difference`` with its 95 % interval and p-value; None, as the next three, where the spread is not known.
    error : standard error and degrees of freedom of ``difference``.
    difference_p, margin_p : p-values of the tests for a difference and for the margin.
    trials : number of trials behind ``rebuilt``, or None where it is no mean.
    margin_share : the least share of its margin by which the number would be reproduced, or None where no margin
        judges it.
    corrected : the verdict where both tests are corrected over the table.
    """

    verdict: str
    reason: str = ""
    rebuilt: float | str | None = None
    rebuilt_spread: float | None = None
    difference: float | None = None
    test: Estimate | None = None
    trials: int | None = None
    error: tuple[float, float] | None = None
    difference_p: float | None = None
    margin_p: float | None = None
    margin_share: float | None = None
    corrected: str = ""


def compare_paper(
    published: Sequence[Published], checks: Mapping[str, Check], results: Results
) -> list[dict[str, Any]]:
    """Return one row of ``comparison.csv`` (`COMPARISON_COLUMNS`) for each published row, in the given order.
    Afterwards ``results.read`` names for each row the results that it rests on.
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
    """Return copies of the rows of several papers' comparisons as one list; IntegrityError if an id stands twice."""
    merged: dict[str, dict[str, Any]] = {}
    for row in (row for rows in papers for row in rows):
        if row["id"] in merged:
            raise IntegrityError(
                f"the id '{row['id']}' stands twice in the comparisons; give each published row its own"
            )
        merged[row["id"]] = dict(row)
    return list(merged.values())


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
    """Return the judgements with both tests after Holm's correction over each table, which is the rows of one artefact.

    The tests for differences are one family and those for margins another.  No verdict changes: each row is a family of
    its own, and ``corrected`` says what the table as one family would give.
    """
    corrected = [replace(one, corrected=one.verdict) for one in found]
    for artefact in {row.artefact for row in published}:
        places = [
            place
            for place, (row, one) in enumerate(zip(published, found, strict=True))
            if row.artefact == artefact and one.verdict in JUDGED and one.margin_p is not None
        ]
        families = [[getattr(found[place], name) for place in places] for name in ("difference_p", "margin_p")]
        for place, differs, within in zip(places, *map(holm, families), strict=True):
            verdict = REPRODUCED if within < LEVEL else DIFFERS if differs < LEVEL else UNDECIDED
            moved = {"difference_p": float(differs), "margin_p": float(within), "corrected": verdict}
            corrected[place] = replace(found[place], **moved)
    return corrected


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
        **{name: rounded(getattr(found, name)) for name in _OF_JUDGEMENT},
        "paper": paper,
        "published": row.value,
        "spread": row.spread,
        "low": rounded(found.test.low) if found.test else None,
        "high": rounded(found.test.high) if found.test else None,
        "error": rounded(found.error[0]) if found.error else None,
        "freedom": rounded(found.error[1]) if found.error else None,
        "margin": _margin(row),
        "placebo": placebo.name,
        "tried": placebo.tried or "",
        "passed": rounded(placebo.passed),
        "weak": placebo.weak,
    }


def _margin(row: Published) -> float | None:
    """Return the margin of a row in its unit; None where no margin judges it."""
    if row.tolerance != "near" or number(row.value) is None:
        return None
    margin: float = rounded(allowance(row, float(row.value))[0])
    return margin


def _judged(row: Published, checks: Mapping[str, Check], results: Results) -> Judgement:
    locator = row.locator
    if locator is None:
        return _without_source(row, built=results.settings.get("status") == "built")
    try:
        if isinstance(locator, TestLocator):
            return _judge_test(locator, results)
        if not isinstance(locator, CheckLocator):
            return _judge_value(row, locator, results)
        return _judge_claim(locator.check, checks[locator.check], results)
    except NotRun as missing:
        return Judgement(NOT_RUN, missing.reason)
    except MissingResult as missing:
        return Judgement(MISSING, missing.reason)


def _judge_test(locator: TestLocator, results: Results) -> Judgement:
    outcome = results.tests.get(locator.name)
    if outcome is None:
        return Judgement(NOT_RUN, f"make test has not run tests/{locator.name} with this code")
    return Judgement(REPRODUCED if outcome == "passed" else DIFFERS, f"tests/{locator.name}", outcome)


def _without_source(row: Published, built: bool) -> Judgement:
    """Return the verdict on a row that names no rebuilt value."""
    if built and row.tolerance == "open" and (row.note or not row.value):
        return Judgement(OPEN, row.note or "prints no number to compare")
    return Judgement(NOT_RUN, row.note or NO_SOURCE)


def _judge_value(row: Published, locator: Locator, results: Results) -> Judgement:
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
    test, both = difference(row, found), samples(row, found)
    error = standard_error(*both) if both else None
    shown = (found.value, found.standard_deviation, off, test, found.n, error)
    if verdict not in JUDGED:
        return Judgement(verdict, reason, *shown)
    documents = _shared_by(locator, found, results)
    reason = _join(reason, chance(row, found, documents) if documents else "", *_forms(entries, "nearly"))
    return Judgement(verdict, reason, *shown, test.p if test else None, bound(row, found), margin_share(row, found))


def _shared_by(locator: Locator, found: Rebuilt, results: Results) -> int | None:
    """Return the number of test documents of which a value is a share; None of one that is no share or of many fits."""
    if not isinstance(locator, ScoreLocator) or locator.metric not in SHARES or found.n != 1:
        return None
    split = results.settings["experiments"][locator.experiment]["roles"][locator.role]
    if results.settings["splits"][split]["kind"] != "given":
        return None
    number_of: int | None = results.statistics(locator.role).get("test")
    return number_of


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
    """Return verdict and reason of a row that is shown and must not be judged, or None for a row to judge."""
    if foreign := _forms(entries, "not"):
        return MISSING, _join(*foreign, FOREIGN)
    if row.tolerance == "open":
        return OPEN, row.note or LEFT_OPEN
    return None if number(row.value) is not None else (OPEN, "the source prints no number: shown, not judged")


def _judge_word(row: Published, rebuilt: str) -> Judgement:
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
    outcome = evaluate(name, check, results)
    word, verdict = _WORDS[outcome.holds]
    if outcome.missing:
        return _partly_missing(outcome, word)
    entries = _entries(outcome.roles, results)
    if foreign := _forms(entries, "not"):
        return Judgement(MISSING, _join(outcome.seen, *foreign, FOREIGN), word)
    return Judgement(verdict, _join(outcome.seen, *_forms(entries, "nearly")), word)


def _partly_missing(outcome: Outcome, word: str) -> Judgement:
    """Return the judgement on a claim of which some numbers are missing, with the pairs that could be compared."""
    verdict = NOT_RUN if all(isinstance(one, NotRun) for one in outcome.missing) else MISSING
    reasons = list(dict.fromkeys(one.reason for one in outcome.missing))
    more = f"and {len(reasons) - 2} more reasons" if len(reasons) > 2 else ""
    share = f"{word} on {outcome.decided} of {outcome.pairs}" if outcome.decided else None
    return Judgement(verdict, _join(*reasons[:2], more, outcome.seen), share)


def method_means(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the mean difference of each method over the cells of a table (`MEANS`), which says what no cell can say
    alone.

    It is over three or more cells of a method that are judged by the same margin and whose spreads are known.  Its
    standard error is that of independent cells, its degrees of freedom are those of Welch and Satterthwaite.  ``rows``
    are of ``comparison.csv``, in memory or read; ``corrected`` is after Holm's correction of both tests over the
    methods.
    """
    cells: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["kind"] == NUMBER and row["verdict"] in JUDGED and number(row["error"]) and row["method"]:
            cells.setdefault((row["paper"], row["artefact"], row["method"], row["unit"]), []).append(row)
    found = [_method_mean(key, each) for key, each in cells.items() if len(each) >= LEAST_CELLS]
    for artefact in {(one["paper"], one["artefact"]) for one in found}:
        table = [one for one in found if (one["paper"], one["artefact"]) == artefact]
        families = [holm([one[name] for one in table]) for name in ("p", "margin_p")]
        for one, differs, within in zip(table, *families, strict=True):
            one["corrected"] = REPRODUCED if within < LEVEL else DIFFERS if differs < LEVEL else UNDECIDED
    return found


def _method_mean(key: tuple[str, ...], cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    errors = [float(cell["error"]) ** 2 for cell in cells]
    freedom = sum(errors) ** 2 / sum(e**2 / float(cell["freedom"]) for e, cell in zip(errors, cells, strict=True))
    margin = statistics.fmean(float(cell["margin"]) for cell in cells)
    mean, error = statistics.fmean(float(cell["difference"]) for cell in cells), math.sqrt(sum(errors)) / len(cells)
    estimate, within = from_error(mean, error, freedom, margin)
    verdict = REPRODUCED if within < LEVEL else DIFFERS if estimate.p < LEVEL else UNDECIDED
    place = dict(zip(MEANS, key, strict=False)) | {"cells": len(cells)}
    shown = {"difference": mean, "low": estimate.low, "high": estimate.high, "p": estimate.p, "margin_p": within}
    return {**place, **{key: rounded(value) for key, value in shown.items()}, "margin": margin, "verdict": verdict}
