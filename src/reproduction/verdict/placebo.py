"""Placebo test of each row: how often its tolerance or check would accept wrong values.

A number is replaced by the values that the paper reports for other methods, which its margin should reject.  The
numbers of a claim are permuted at random.  Both tests need only the published rows and the checks, not the results.  A
claim that is true for random words is of kind `identity`; tests generate the words.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reproduction.verdict.claims import COMPARISONS, Operand
from reproduction.verdict.evidence import margin_of, slack
from reproduction.verdict.published import CLAIM, IDENTITY, NUMBER, PHRASE, Check, Published
from reproduction.verdict.wording import (
    PLACEBO_ORDERS,
    PLACEBO_SIGNS,
    PLACEBO_VALUES,
    PLACEBO_WORDS,
    number,
    weak_by_values,
    weak_by_width,
)

#: A number is weak if its margin accepts more than this fraction of the other values,
MAX_ACCEPTED_PROPORTION = 0.5
#: or if the margin is at least this fraction of the number itself.
MAX_RELATIVE_MARGIN = 0.25
#: Claims on at most this many numbers are tested with all permutations,
MAX_NUMBERS_FOR_ALL_ORDERS = 7
#: larger ones with this many random permutations.
N_RANDOM_ORDERS = 5_000
#: Columns of ``placebo.csv``, see `reproduction.verdict.comparison_row.ComparisonRow`.
PLACEBO_COLUMNS = ("id", "paper", "kind", "verdict", "placebo", "n_placebo", "n_placebo_passed", "weak")


@dataclass(frozen=True)
class Placebo:
    """Result of the placebo test of a row.

    Parameters
    ----------
    name : str, default=""
        Type of the wrong values; "" if the row was not tested.
    n_tried, n_passed : int, default=0
        Number of wrong values, and how many of them the row would accept.
    weak : str, default=""
        Reason why the row is too weak; may be empty.
    """

    name: str = ""
    n_tried: int = 0
    n_passed: int | None = None
    weak: str = ""


def placebos(rows: Sequence[Published], checks: Mapping[str, Check]) -> dict[str, Placebo]:
    """Return id -> placebo test, for each number, claim and identity of a paper."""
    tested = {}
    for row in rows:
        if row.kind in (NUMBER, PHRASE) and row.tolerance in ("near", "exact") and number(row.value) is not None:
            tested[row.id] = _test_number(row, rows)
        elif row.kind == CLAIM and row.check is not None:
            tested[row.id] = _test_claim(checks[row.check])
        elif row.kind == IDENTITY:
            tested[row.id] = Placebo(PLACEBO_WORDS, 1, 1)
    return tested


def _test_number(row: Published, rows: Iterable[Published]) -> Placebo:
    """Test a number with the other published values in its row of the table, or else in the whole table."""
    wrong_values = [(cell, value) for cell in rows if (value := _wrong_value(row, cell)) is not None]
    in_same_row = [value for cell, value in wrong_values if _is_same_row(row, cell)]
    in_same_unit = [value for cell, value in wrong_values if cell.unit == row.unit]
    values = in_same_row if len(in_same_row) > 1 else in_same_unit
    target = float(row.value)
    n_accepted = sum(abs(value - target) <= slack(row, target) for value in values)
    weak = ""
    if n_accepted > MAX_ACCEPTED_PROPORTION * len(values):
        weak = weak_by_values(n_accepted, len(values))
    elif row.tolerance == "near" and margin_of(row, target) >= MAX_RELATIVE_MARGIN * abs(target):
        weak = weak_by_width()
    return Placebo(PLACEBO_VALUES, len(values), n_accepted if values else None, weak)


def _wrong_value(row: Published, cell: Published) -> float | None:
    """Return another published number of the table; None if it equals the value of the row or is not a number."""
    is_own_method = bool(row.method) and cell.method == row.method and _is_same_row(row, cell)
    is_printed = cell.artefact == row.artefact and cell.kind in (NUMBER, PHRASE, "derived")
    if cell.id == row.id or is_own_method or not is_printed:
        return None
    return number(cell.value)


def _is_same_row(row: Published, cell: Published) -> bool:
    """Check that two numbers of a table have the same data set, metric and unit, ignoring notes on the metric."""
    return _table_row(row) == _table_row(cell)


def _table_row(row: Published) -> tuple[str, str, str]:
    metric, *_ = re.split("[,(]", row.metric)
    return row.dataset, metric.strip(), row.unit


def _test_claim(check: Check) -> Placebo:
    """Test a claim with random permutations of its numbers, or with random signs of its gains."""
    kind = check["kind"]
    if kind in ("positive", "negative"):
        n_signs = 2 ** len(check["left"])
        return Placebo(PLACEBO_SIGNS, n_signs, 1)
    if kind not in ("above", "significant", "largest", "rising", "falling"):
        return Placebo()
    if check.get("average"):
        return Placebo(PLACEBO_ORDERS, 2, 1)
    pair_sides, _, holds = COMPARISONS[kind]
    left = [Operand(name, 0.0) for name in check.get("left", ())]
    right = [Operand(name, 0.0) for name in check.get("right", ())]
    pairs = []
    for a, b in pair_sides(left, right):
        if isinstance(a, Operand) and isinstance(b, Operand):
            pairs.append((a.name, b.name))
    names = sorted({name for pair in pairs for name in pair})
    n_passed = 0
    for order in _orders(len(names)):
        rank = dict(zip(names, order, strict=True))
        n_failing = sum(not holds(rank[a], rank[b]) for a, b in pairs)
        n_passed += n_failing <= check.get("exceptions", 0)
    n_tried = N_RANDOM_ORDERS
    if len(names) <= MAX_NUMBERS_FOR_ALL_ORDERS:
        n_tried = math.factorial(len(names))
    return Placebo(PLACEBO_ORDERS, n_tried, n_passed)


def _orders(size: int) -> Iterable[Sequence[int]]:
    """Return all permutations of a small set, or random permutations of a larger one."""
    if size <= MAX_NUMBERS_FOR_ALL_ORDERS:
        return itertools.permutations(range(size))
    generator = random.Random(0)  # noqa: S311
    return (generator.sample(range(size), size) for _ in range(N_RANDOM_ORDERS))
