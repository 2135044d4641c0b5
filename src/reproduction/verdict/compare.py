"""Comparison of a paper: every published value and claim gets one verdict and, if needed, a reason.

The verdicts are:

- ``reproduced`` or ``differs``: the reproduced value was judged by the tolerance of the published row;
- ``undecided``: neither test is conclusive; the reason states whether more of our trials could decide;
- ``data missing``: the paper's data are not available; a value reproduced on other data is shown but not judged;
- ``not run``: no job has reproduced the value;
- ``open``: the paper does not specify what to judge.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from reproduction.flow.locators import CheckLocator, Locator, ScoreLocator, SettingLocator, TestLocator, TimeLocator
from reproduction.flow.results import NotRun, Results, RoleEntry, rounded
from reproduction.verdict.claims import MethodNames, Outcome, evaluate, method_names
from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.evidence import Evidence
from reproduction.verdict.placebo import Placebo, placebos
from reproduction.verdict.published import KINDS, NUMBER, Check, Published
from reproduction.verdict.resolve import Reproduced, locate, roles_behind
from reproduction.verdict.wording import (
    DIFFERS,
    FOREIGN,
    JUDGED,
    LEFT_OPEN,
    MISSING,
    NO_NUMBER,
    NO_SOURCE,
    NOT_CHOSEN,
    NOT_RUN,
    NOTHING_TO_COMPARE,
    OPEN,
    REPRODUCED,
    UNDECIDED,
    VERDICTS,
    data_reason,
    join_clauses,
    missing_reasons,
    number,
    partial_claim,
    setting_reason,
    test_reason,
    untested_reason,
)
from textmix.core.errors import IntegrityError, MissingResult
from textmix.metrics.significance import LEVEL, from_error, holm

#: Metrics that are proportions of the test documents.
PROPORTIONS = ("accuracy", "error_rate", "subset_accuracy")
#: Minimum number of cells for a mean difference.
MIN_CELLS_OF_MEAN = 3
#: Outcome of a check -> its word, and the verdict on the claim.
CLAIM_VERDICTS = {True: ("holds", REPRODUCED), False: ("fails", DIFFERS), None: ("undecided", UNDECIDED)}


@dataclass(frozen=True, kw_only=True)
class MethodMean:
    """Mean difference of a method over the judged cells of a table; a row of ``means.csv``.

    Parameters
    ----------
    paper, artefact, method, unit : str
        The table and the method.
    cells : int
        Number of cells.
    difference, ci_low, ci_high, p : float
        Mean of reproduced minus published, its 95 % interval, and the p-value of no difference.
    margin, margin_p : float
        Mean margin of the cells, and the p-value of the two one-sided tests for it.
    verdict, corrected : str
        The verdict by both tests, uncorrected and after Holm's correction over the methods of the table.
    """

    paper: str
    artefact: str
    method: str
    unit: str
    cells: int
    difference: float
    ci_low: float
    ci_high: float
    p: float
    margin: float
    margin_p: float
    verdict: str
    corrected: str = ""


#: Columns of ``means.csv``.
MEAN_COLUMNS = tuple(field.name for field in fields(MethodMean))


def compare_paper(published: Sequence[Published], checks: Mapping[str, Check], results: Results) -> list[ComparisonRow]:
    """Judge all published rows of a paper.

    Parameters
    ----------
    published : sequence of Published
        Published rows.
    checks : mapping of str to Check
        Checks of the claims, by name.
    results : Results
        Results of the paper; ``results.read`` is updated with the results that each row depends on.

    Returns
    -------
    rows : list of ComparisonRow
        One row per published row, in the same order.
    """
    rows = []
    methods = method_names(published)
    for printed in published:
        with results.reading(printed.id):
            rows.append(_judge(printed, checks, results, methods))
    return _with_placebos(_correct_tables(rows), published, checks)


def not_chosen(published: Sequence[Published], checks: Mapping[str, Check], paper: str) -> list[ComparisonRow]:
    """Return the rows of a paper that the configuration does not select, all with the verdict ``not run``."""
    rows = [ComparisonRow.of(printed, paper, NOT_RUN, NOT_CHOSEN) for printed in published]
    return _with_placebos(rows, published, checks)


def merge_comparisons(papers: Iterable[Sequence[ComparisonRow]]) -> list[ComparisonRow]:
    """Concatenate the rows of several papers; raise IntegrityError for a duplicate id."""
    merged: dict[str, ComparisonRow] = {}
    for rows in papers:
        for row in rows:
            if row.id in merged:
                raise IntegrityError(f"duplicate id '{row.id}' in the comparisons; give each published row its own")
            merged[row.id] = row
    return list(merged.values())


def count_by_kind(rows: Iterable[ComparisonRow]) -> dict[str, dict[str, int]]:
    """Count rows by kind and verdict, with all kinds and verdicts in their standard order."""
    counts = {row_kind: dict.fromkeys(VERDICTS, 0) for row_kind in KINDS}
    for row in rows:
        counts[row.kind][row.verdict] += 1
    return counts


def published_numbers(rows: Iterable[ComparisonRow]) -> dict[str, tuple[float, float | None]]:
    """Return id -> published value and standard deviation in the unit of the row, for rows with a published value."""
    numbers = {}
    for row in rows:
        value = number(row.published)
        if value is not None:
            numbers[row.id] = (value, number(row.published_sd))
    return numbers


def verdict_of_tests(margin_p: float, difference_p: float) -> str:
    """Return the verdict on a mean from the p-values of its two tests."""
    if margin_p < LEVEL:
        return REPRODUCED
    if difference_p < LEVEL:
        return DIFFERS
    return UNDECIDED


def _correct_tables(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Add the verdicts after Holm's correction over each table (the rows of one artefact).

    Tests for differences and tests for margins are separate families.  ``verdict`` does not change, because each row is
    a family by itself; ``corrected`` is the verdict with the table as one family.
    """
    corrected = {row.id: replace(row, corrected=row.verdict) for row in rows}
    for artefact in {row.artefact for row in rows}:
        tested = [row for row in rows if row.artefact == artefact and row.is_judged and row.margin_p is not None]
        difference_ps = holm([_numeric(row.difference_p) for row in tested])
        margin_ps = holm([_numeric(row.margin_p) for row in tested])
        for row, difference_p, margin_p in zip(tested, difference_ps, margin_ps, strict=True):
            verdict = verdict_of_tests(margin_p, difference_p)
            corrected[row.id] = replace(
                row, difference_p=float(difference_p), margin_p=float(margin_p), corrected=verdict
            )
    return [_round_p_values(row) for row in corrected.values()]


def _round_p_values(row: ComparisonRow) -> ComparisonRow:
    return replace(row, difference_p=rounded(row.difference_p), margin_p=rounded(row.margin_p))


def _with_placebos(
    rows: Sequence[ComparisonRow], published: Sequence[Published], checks: Mapping[str, Check]
) -> list[ComparisonRow]:
    """Add the placebo test of each row that has one."""
    tests = placebos(published, checks)
    return [_with_placebo(row, tests[row.id]) if row.id in tests else row for row in rows]


def _with_placebo(row: ComparisonRow, placebo: Placebo) -> ComparisonRow:
    return replace(
        row,
        placebo=placebo.name,
        n_placebo=placebo.n_tried or None,
        n_placebo_passed=placebo.n_passed,
        weak=placebo.weak,
    )


def _judge(printed: Published, checks: Mapping[str, Check], results: Results, methods: MethodNames) -> ComparisonRow:
    row = ComparisonRow.of(printed, results.paper)
    locator = printed.locator
    if locator is None:
        return _without_source(row, is_built=results.settings.get("status") == "built")
    try:
        if isinstance(locator, TestLocator):
            return _judge_test(row, locator, results)
        if isinstance(locator, CheckLocator):
            outcome = evaluate(locator.check, checks[locator.check], results, methods)
            return _judge_claim(row, outcome, results)
        return _judge_value(row, printed, locator, results)
    except NotRun as missing:
        return replace(row, verdict=NOT_RUN, reason=missing.reason)
    except MissingResult as missing:
        return replace(row, verdict=MISSING, reason=missing.reason)


def _judge_test(row: ComparisonRow, locator: TestLocator, results: Results) -> ComparisonRow:
    outcome = results.tests.get(locator.name)
    if outcome is None:
        return replace(row, verdict=NOT_RUN, reason=untested_reason(locator.name))
    verdict = REPRODUCED if outcome == "passed" else DIFFERS
    reason = test_reason(locator.name)
    return replace(row, verdict=verdict, reason=reason, reproduced=outcome)


def _without_source(row: ComparisonRow, is_built: bool) -> ComparisonRow:
    """Return the verdict on a row without a locator of a reproduced value."""
    if is_built and row.tolerance == "open" and (row.note or not row.published):
        return replace(row, verdict=OPEN, reason=row.note or NOTHING_TO_COMPARE)
    return replace(row, verdict=NOT_RUN, reason=row.note or NO_SOURCE)


def _judge_value(row: ComparisonRow, printed: Published, locator: Locator, results: Results) -> ComparisonRow:
    value = locate(results, locator)
    if isinstance(value.value, str):
        return _judge_setting(row, value.value)
    roles = roles_behind(results, locator)
    if row.dataset in roles:
        roles = [row.dataset]
    entries = _entries(roles, results)
    evidence = Evidence(printed, in_unit_of(printed, locator, value))
    shown_only = _shown_only(row, entries)
    if shown_only is not None:
        return row.judge(evidence, shown_only)
    documents = _test_documents(locator, value, results)
    chance = evidence.chance(documents) if documents else ""
    clauses = [chance, *_data_reasons(entries, "nearly")]
    return row.judge(evidence, None, clauses)


def _test_documents(locator: Locator, value: Reproduced, results: Results) -> int | None:
    """Return the number of test documents if a value is a proportion of them in a single fit, otherwise None."""
    if not isinstance(locator, ScoreLocator) or locator.metric not in PROPORTIONS or value.n != 1:
        return None
    experiment = results.settings["experiments"][locator.experiment]
    split = experiment["roles"][locator.role]
    if results.settings["splits"][split]["kind"] != "given":
        return None
    n_documents: int | None = results.statistics(locator.role).get("test")
    return n_documents


def in_unit_of(printed: Published, locator: Locator, value: Reproduced) -> Reproduced:
    """Convert a reproduced value to the unit of a published row; settings are stored in that unit already."""
    if printed.unit.startswith("percent") and not isinstance(locator, SettingLocator):
        return value.scaled(100.0)
    if printed.unit.startswith("minutes") and isinstance(locator, TimeLocator):
        return value.scaled(1 / 60)
    return value


def _entries(roles: Iterable[str], results: Results) -> list[RoleEntry]:
    """Return the entries of these roles that have a data set, unique and sorted by data set."""
    entries = (results.roles[role] for role in roles if role in results.roles)
    by_dataset = {entry.dataset: entry for entry in entries if entry.dataset}
    return [by_dataset[dataset] for dataset in sorted(by_dataset)]


def _data_reasons(entries: Iterable[RoleEntry], comparable: str) -> list[str]:
    """Return a clause with data set and note, for each entry with this comparability."""
    return [data_reason(entry.data, entry.note) for entry in entries if entry.comparable == comparable]


def _shown_only(row: ComparisonRow, entries: Sequence[RoleEntry]) -> tuple[str, str] | None:
    """Return verdict and reason of a row that is shown but not judged, or None for a row to judge."""
    foreign = _data_reasons(entries, "not")
    if foreign:
        return MISSING, join_clauses(*foreign, FOREIGN)
    if row.tolerance == "open":
        return OPEN, row.note or LEFT_OPEN
    if number(row.published) is None:
        return OPEN, NO_NUMBER
    return None


def _judge_setting(row: ComparisonRow, value: str) -> ComparisonRow:
    if row.tolerance == "open":
        return replace(row, verdict=OPEN, reason=row.note or LEFT_OPEN, reproduced=value)
    if value == row.published:
        return replace(row, verdict=REPRODUCED, reproduced=value)
    reason = setting_reason(value, row.published)
    return replace(row, verdict=DIFFERS, reason=reason, reproduced=value)


def _judge_claim(row: ComparisonRow, outcome: Outcome, results: Results) -> ComparisonRow:
    word, verdict = CLAIM_VERDICTS[outcome.holds]
    if outcome.missing:
        return _partly_missing(row, outcome, word)
    entries = _entries(outcome.roles, results)
    foreign = _data_reasons(entries, "not")
    if foreign:
        reason = join_clauses(outcome.pairs_text, *foreign, FOREIGN)
        return replace(row, verdict=MISSING, reason=reason, reproduced=word)
    reason = join_clauses(outcome.pairs_text, *_data_reasons(entries, "nearly"))
    return replace(row, verdict=verdict, reason=reason, reproduced=word)


def _partly_missing(row: ComparisonRow, outcome: Outcome, word: str) -> ComparisonRow:
    """Return the verdict on a claim with missing values, and describe the pairs that could be compared."""
    is_not_run = all(isinstance(missing, NotRun) for missing in outcome.missing)
    verdict = NOT_RUN if is_not_run else MISSING
    reasons = missing_reasons(missing.reason for missing in outcome.missing)
    reason = join_clauses(*reasons, outcome.pairs_text)
    reproduced = None
    if outcome.n_compared:
        reproduced = partial_claim(word, outcome.n_compared, outcome.n_pairs)
    return replace(row, verdict=verdict, reason=reason, reproduced=reproduced)


def method_means(rows: Iterable[ComparisonRow]) -> list[MethodMean]:
    """Compute the mean difference of each method over the cells of a table, which single cells do not show.

    A mean covers at least `MIN_CELLS_OF_MEAN` cells of a method that are judged by the same margin and have a standard
    error.  The standard error assumes independent cells; the degrees of freedom follow Welch and Satterthwaite.
    """
    cells: dict[tuple[str, str, str, str], list[ComparisonRow]] = {}
    for row in rows:
        if row.kind == NUMBER and row.verdict in JUDGED and row.std_error and row.method:
            key = (row.paper, row.artefact, row.method, row.unit)
            cells.setdefault(key, []).append(row)
    means = [_method_mean(group) for group in cells.values() if len(group) >= MIN_CELLS_OF_MEAN]
    corrected = {}
    for table in {(mean.paper, mean.artefact) for mean in means}:
        methods = [mean for mean in means if (mean.paper, mean.artefact) == table]
        difference_ps = holm([mean.p for mean in methods])
        margin_ps = holm([mean.margin_p for mean in methods])
        for mean, difference_p, margin_p in zip(methods, difference_ps, margin_ps, strict=True):
            verdict = verdict_of_tests(margin_p, difference_p)
            corrected[mean] = replace(mean, corrected=verdict)
    return [corrected[mean] for mean in means]


def _method_mean(cells: Sequence[ComparisonRow]) -> MethodMean:
    variances = [_numeric(cell.std_error) ** 2 for cell in cells]
    freedoms = [_numeric(cell.degrees_of_freedom) for cell in cells]
    ratios = (variance**2 / freedom for variance, freedom in zip(variances, freedoms, strict=True))
    freedom = sum(variances) ** 2 / sum(ratios)
    margin = statistics.fmean(_numeric(cell.margin) for cell in cells)
    difference = statistics.fmean(_numeric(cell.difference) for cell in cells)
    n_cells = len(cells)
    std_error = math.sqrt(sum(variances)) / n_cells
    estimate, margin_p = from_error(difference, std_error, freedom, margin)
    cell = cells[0]
    verdict = verdict_of_tests(margin_p, estimate.p)
    low = rounded(estimate.low)
    high = rounded(estimate.high)
    return MethodMean(
        paper=cell.paper,
        artefact=cell.artefact,
        method=cell.method,
        unit=cell.unit,
        cells=n_cells,
        difference=rounded(difference),
        ci_low=low,
        ci_high=high,
        p=rounded(estimate.p),
        margin=margin,
        margin_p=rounded(margin_p),
        verdict=verdict,
    )


def _numeric(value: Any) -> float:
    return float(value)
