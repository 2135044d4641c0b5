"""The placebo of each row: how often its tolerance or check would pass where it should not.

A number is given the values that the source prints for other methods: its margin should not accept them.  A claim is
given its numbers in a random order.  Both need the published rows and the checks alone, and no result.  A claim that
holds for words drawn at random has the kind `identity`; tests draw the words.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reproduction.verdict.claims import COMPARISONS, Operand
from reproduction.verdict.equivalence import allowance, slack
from reproduction.verdict.published import CLAIM, IDENTITY, NUMBER, PHRASE, Check, Published
from reproduction.verdict.wording import number

#: A number is weak if its margin accepts more than this share of its rivals, or has this share of the number itself.
MOST_RIVALS, WIDEST = 0.5, 0.25
#: A claim on at most so many numbers is tried with all their orders, one on more with so many random orders.
WHOLE, ORDERS = 7, 5_000
#: Columns of ``placebo.csv``: ``tried`` values, orders or signs, the share of them that would pass, and why the row is
#: weak.
PLACEBO_COLUMNS = ("id", "paper", "kind", "verdict", "placebo", "tried", "passed", "weak")
RIVALS, ORDER, SIGN, RANDOM = ("other printed values", "orders", "signs", "random words")


@dataclass(frozen=True)
class Placebo:
    """The placebo of a row, ``name`` one of `RIVALS`, `ORDER`, `SIGN` or `RANDOM`, empty where nothing tries the row.
    ``passed`` is the share of the ``tried`` that it would accept; ``weak`` says why it tells too little, if it does.
    """

    name: str = ""
    tried: int = 0
    passed: float | None = None
    weak: str = ""


def placebos(rows: Sequence[Published], checks: Mapping[str, Check]) -> dict[str, Placebo]:
    """Return id -> placebo of each number, claim and identity of a paper."""
    found = {}
    for row in rows:
        if row.kind in (NUMBER, PHRASE) and row.tolerance in ("near", "exact") and number(row.value) is not None:
            found[row.id] = _of_number(row, rows)
        elif row.kind == CLAIM and row.check is not None:
            found[row.id] = _of_claim(checks[row.check])
        elif row.kind == IDENTITY:
            found[row.id] = Placebo(RANDOM, 1, 1.0, "")
    return found


def _of_number(row: Published, rows: Iterable[Published]) -> Placebo:
    """Return the placebo of a number: the other printed values of its row of the table, else of the table."""
    others = [(other, value) for other in rows if (value := _rival(row, other)) is not None]
    narrow = [value for other, value in others if _same_row(row, other)]
    values = narrow if len(narrow) > 1 else [value for other, value in others if other.unit == row.unit]
    target = float(row.value)
    accepted = sum(abs(value - target) <= slack(row, target) for value in values)
    wide = row.tolerance == "near" and allowance(row, target)[0] >= WIDEST * abs(target)
    weak = "its margin is a quarter of it or more" if wide else ""
    if accepted > MOST_RIVALS * len(values):
        weak = f"its margin accepts {accepted} of {len(values)} other printed values"
    return Placebo(RIVALS, len(values), accepted / len(values) if values else None, weak)


def _rival(row: Published, other: Published) -> float | None:
    """Return another printed number of a row's table; None where it is the row's own or no number."""
    own = other.id == row.id or (bool(row.method) and other.method == row.method and _same_row(row, other))
    printed = other.artefact == row.artefact and other.kind in (NUMBER, PHRASE, "derived")
    return None if own or not printed else number(other.value)


def _same_row(row: Published, other: Published) -> bool:
    """Return whether two numbers of a table are of one data set, metric and unit; remarks on a metric do not count."""
    places = [(one.dataset, re.split("[,(]", one.metric)[0].strip(), one.unit) for one in (row, other)]
    return places[0] == places[1]


def _of_claim(check: Check) -> Placebo:
    """Return the placebo of a claim: its numbers in random orders, or gains with random signs."""
    lefts, kind = check["left"], check["kind"]
    if kind in ("positive", "negative"):
        return Placebo(SIGN, 2 ** len(lefts), 0.5 ** len(lefts))
    if kind not in ("above", "significant", "largest", "rising", "falling"):
        return Placebo()
    if check.get("average"):
        return Placebo(ORDER, 2, 0.5)
    sides = [[Operand(name, 0.0) for name in check.get(side, ())] for side in ("left", "right")]
    paired = COMPARISONS[kind][0](*sides)
    pairs = [(a.name, b.name) for a, b in paired if isinstance(a, Operand) and isinstance(b, Operand)]
    names, holds = sorted({name for pair in pairs for name in pair}), COMPARISONS[kind][2]
    generator = random.Random(0)  # noqa: S311
    orders: Iterable[Sequence[int]] = itertools.permutations(range(len(names)))
    if len(names) > WHOLE:
        orders = (generator.sample(range(len(names)), len(names)) for _ in range(ORDERS))
    tried, passed = 0, 0
    for order in orders:
        rank = dict(zip(names, order, strict=True))
        tried += 1
        passed += sum(not holds(rank[a], rank[b]) for a, b in pairs) <= check.get("exceptions", 0)
    return Placebo(ORDER, tried, passed / tried)
