"""Claims of a paper as checks: a claim becomes comparisons between pairs of rebuilt numbers.

The kinds of check and their keys are described in ``workflow/schemas/checks.schema.yaml``.  Numbers that are means over
random splits are compared by the corrected resampled t-test over the splits that both have, means over several data
sets by the paired t-test over the data sets, with Holm's correction over the pairs of a check.  A pair that no test
decides leaves the claim undecided, unless enough other pairs decide it.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reproduction.flow.locators import (
    DataLocator,
    FeaturesLocator,
    Locator,
    MeasureLocator,
    ScoreLocator,
    TimeLocator,
    parse_locator,
)
from reproduction.flow.results import Results
from reproduction.verdict.published import Check
from reproduction.verdict.resolve import Rebuilt, Trials, locate, roles_of_check
from reproduction.verdict.wording import first_of, short
from textmix.core.errors import ConfigError, MissingResult
from textmix.metrics.significance import LEVEL, Estimate, holm, resampled_difference

#: Clause of a reason: scores on the source's own split, which are one trial each.
SINGLE = "; one split: compared as they are, without a test"
#: Number of pairs, or of chains of pairs, that a reason lists in full.
_SHOWN_PAIRS = 4


@dataclass(frozen=True)
class Operand:
    """One number of a check.

    Parameters
    ----------
    name : short name of the number, as the reason shows it; empty for a bound.
    value : the number or bound, in stored units (fractions and seconds).
    trials : the random splits, or the data sets, of which ``value`` is the mean, or None where it is no such mean.
    interval : ends of its 95 % interval, of a ratio of times or of a measure that writes one; else None.
    single : whether it is a score on the source's own single split, so that no test over trials compares it.
    role : the data set of a score; else empty.
    """

    name: str
    value: float
    trials: Trials | None = None
    interval: tuple[float, float] | None = None
    single: bool = False
    role: str = ""

    def __str__(self) -> str:
        return f"{self.name} {short(self.value)}".strip()


@dataclass(frozen=True)
class Outcome:
    """The result of a check.

    Parameters
    ----------
    holds : True if at most as many of the decided pairs fail, or are left undecided by their test, as the check allows
        (``exceptions``); False if more fail; else None.
    seen : the compared numbers in words; of a check that fails or is undecided the pairs that do not hold only.
    decided : number of pairs of which both numbers are at hand, out of all ``pairs``.
    missing : for each pair that is not decided, the missing result of its first missing number.
    roles : the roles of all numbers of the check, missing ones included, sorted.
    """

    holds: bool | None
    seen: str
    decided: int
    pairs: int
    missing: Sequence[MissingResult]
    roles: Sequence[str]


_Side = Sequence["Operand | MissingResult"]
_Pair = tuple[Operand, Operand]
_Pairs = list[tuple["Operand | MissingResult", "Operand | MissingResult"]]
_Compared = Sequence[tuple[_Pair, bool | None]]


def _left_with_right(left: _Side, right: _Side) -> _Pairs:
    """Pair the sides one to one where they have the same length, else each left with each right."""
    return list(zip(left, right, strict=True)) if len(left) == len(right) else list(itertools.product(left, right))


def _each_with_next(left: _Side, _: _Side) -> _Pairs:
    return list(itertools.pairwise(left))


def _first_with_rest(left: _Side, right: _Side) -> _Pairs:
    """Pair the first left with all further numbers of both sides."""
    return [(left[0], other) for other in (*left[1:], *right)]


#: Kind of check -> function that pairs the left with the right numbers, sign shown between the numbers of a pair, and
#: test (a, b) of a pair of numbers without trials.  ``near`` and ``significant`` have rules of their own.
COMPARISONS: dict[str, tuple[Callable[[_Side, _Side], _Pairs], str, Callable[[float, float], bool]]] = {
    "above": (_left_with_right, ">", lambda a, b: a > b),
    "near": (_left_with_right, "≈", lambda a, b: a == b),
    "largest": (_first_with_rest, "≥", lambda a, b: a >= b),
    "rising": (_each_with_next, "<", lambda a, b: a < b),
    "falling": (_each_with_next, ">", lambda a, b: a > b),
    "at_least": (_left_with_right, "≥", lambda a, b: a >= b),
    "at_most": (_left_with_right, "≤", lambda a, b: a <= b),
    "positive": (_left_with_right, ">", lambda a, b: a > b),
    "negative": (_left_with_right, "<", lambda a, b: a < b),
    "holds": (_left_with_right, "=", lambda a, b: a == b),
    "significant": (_left_with_right, "significantly >", lambda a, b: a > b),
}


def evaluate(name: str, check: Check, results: Results) -> Outcome:
    """Compare the rebuilt numbers of a check; a missing number does not raise but stands in `Outcome.missing`."""
    pairs = _pairs(name, check, results)
    if not pairs:
        raise ConfigError(f"check {name}: there is nothing to compare; name at least two numbers")
    decided = [(a, b) for a, b in pairs if isinstance(a, Operand) and isinstance(b, Operand)]
    missing = [next(one for one in pair if isinstance(one, MissingResult)) for pair in pairs if pair not in decided]
    found = list(zip(decided, compare_pairs(name, check, decided), strict=True))
    seen = _seen(check, found) + (SINGLE if any(one.single for pair in decided for one in pair) else "")
    roles = sorted(roles_of_check(results, check))
    return Outcome(_holds(check, found), seen, len(decided), len(pairs), missing, roles)


def distance(name: str, check: Check, results: Results) -> float:
    """Return how far a check is from its boundary: the least distance of its pairs, but for those that may fail."""
    found = sorted(
        _distance(check, a.value, b.value)
        for a, b in _pairs(name, check, results)
        if isinstance(a, Operand) and isinstance(b, Operand)
    )
    return found[check.get("exceptions", 0)]


def _distance(check: Check, a: float, b: float) -> float:
    """Return how far a pair is from the boundary of its check."""
    match check["kind"]:
        case "near":
            return float(check["margin"]) - abs(a - b)
        case "holds":
            return -abs(a - b)
        case "rising" | "at_most" | "negative":
            return b - a
    return a - float(check.get("factor", 1.0)) * b


def compare_pairs(name: str, check: Check, pairs: Sequence[_Pair]) -> list[bool | None]:
    """Return for each pair of a check whether it holds; None where its trials do not tell."""
    if check["kind"] == "near":
        return [_near(name, check["margin"], pair) for pair in pairs]
    estimates = [_estimate(name, pair, check.get("factor", 1.0)) for pair in pairs]
    adjusted = iter(holm([estimate.p for estimate in estimates if estimate is not None]))
    return [
        _plain(check, pair) if estimate is None else _tested(check, estimate.value, float(next(adjusted)))
        for pair, estimate in zip(pairs, estimates, strict=True)
    ]


def _plain(check: Check, pair: _Pair) -> bool | None:
    """Compare two numbers without trials; both ends of an interval must agree, and none decides a significance."""
    if check["kind"] == "significant":
        return None
    if pair[0].interval is not None:
        low, high = (COMPARISONS[check["kind"]][2](end, pair[1].value) for end in pair[0].interval)
        return low if low == high else None
    return COMPARISONS[check["kind"]][2](pair[0].value, check.get("factor", 1.0) * pair[1].value)


def _tested(check: Check, value: float, p: float) -> bool | None:
    """Decide a pair by the sign of its difference, if the adjusted p-value is below the level."""
    if p >= LEVEL:
        return None
    return (value < 0) if check["kind"] in ("rising", "at_most", "negative") else (value > 0)


def _near(name: str, margin: float, pair: _Pair) -> bool | None:
    """Decide whether two numbers are within a margin, for means over trials by two one-sided tests."""
    narrow, wide = (_estimate(name, pair, level=level) for level in (1.0 - 2.0 * LEVEL, 1.0 - LEVEL))
    slack = margin * (1 + 1e-9)  # Decimal fractions have no exact binary form.
    if narrow is None or wide is None:
        return abs(pair[0].value - pair[1].value) <= slack
    if -slack <= narrow.low and narrow.high <= slack:
        return True
    return False if wide.low > slack or wide.high < -slack else None


def _estimate(name: str, pair: _Pair, factor: float = 1.0, level: float = 1.0 - LEVEL) -> Estimate | None:
    """Return ``a - factor b`` over the trials that both have; None where neither number has trials.  Schemes that
    differ in the number of trials alone share their first trials.
    """
    known = [operand.trials for operand in pair if operand.trials is not None]
    if not known:
        return None
    if len(known) == 2 and known[0].scheme != known[1].scheme:
        raise ConfigError(f"check {name}: {pair[0]} and {pair[1]} are means over different splits; compare others")
    n = min(len(trials.values) for trials in known)
    a, b = (operand.trials.values[:n] if operand.trials else [operand.value] * n for operand in pair)
    return resampled_difference(a, [factor * value for value in b], known[0].test_ratio, level)


def _pairs(name: str, check: Check, results: Results) -> _Pairs:
    """Return the pairs of numbers that a check compares; the right side is its own, the check's bound, 1, or 0."""
    left, right = (_side(name, check, side, results) for side in ("left", "right"))
    fixed = {"holds": 1.0, "positive": 0.0, "negative": 0.0}.get(check["kind"], check.get("bound"))
    return COMPARISONS[check["kind"]][0](left, right if fixed is None else [Operand("", float(fixed))])


def _side(name: str, check: Check, side: str, results: Results) -> list[Operand | MissingResult]:
    """Return the numbers of one side of a check; with the key ``average`` their mean alone."""
    found = [_operand(parse_locator(text, f"check {name}"), results) for text in check.get(side, ())]
    if not check.get("average"):
        return found
    absent = next((one for one in found if isinstance(one, MissingResult)), None)
    return [absent or _mean([one for one in found if isinstance(one, Operand)])] if found else []


def _mean(operands: Sequence[Operand]) -> Operand:
    """Return the mean of several numbers; its trials are the means a data set, or the trials of the one data set."""
    by_role: dict[str, list[Operand]] = {}
    for operand in operands:
        by_role.setdefault(operand.role, []).append(operand)
    known = [operand.trials for operand in operands if operand.trials is not None]
    trials = None
    if len(by_role) > 1:
        values = [statistics.fmean(operand.value for operand in each) for each in by_role.values()]
        trials = Trials(values, f"data sets {', '.join(by_role)}", 0.0)
    elif len(known) == len(operands):
        rows = zip(*(one.values for one in known), strict=False)
        trials = Trials([statistics.fmean(row) for row in rows], known[0].scheme, known[0].test_ratio)
    over = len(by_role) if len(by_role) > 1 else len(operands)
    name = f"mean of {operands[0].name.partition(' on ')[0]} on {over}"
    single = len(by_role) == 1 and any(operand.single for operand in operands)
    return Operand(name, statistics.fmean(operand.value for operand in operands), trials, single=single)


def _operand(locator: Locator, results: Results) -> Operand | MissingResult:
    """Return one number of a check, or the reason why it is missing."""
    try:
        found: Rebuilt = locate(results, locator)
    except MissingResult as missing:
        return missing
    if isinstance(found.value, str):
        raise ConfigError(f"locator '{locator}' is the word '{found.value}', not a number; a check compares numbers")
    single = isinstance(locator, ScoreLocator) and found.trials is None
    role = locator.role if isinstance(locator, ScoreLocator) else ""
    return Operand(_name(locator).replace("_", " "), float(found.value), found.trials, found.interval, single, role)


def _name(locator: Locator) -> str:
    """Return a short name of a value for a reason: method and role, or the last part of its locator."""
    match locator:
        case ScoreLocator(method=method, variant=variant, role=role):
            return f"{method} {variant} on {role}" if variant else f"{method} on {role}"
        case TimeLocator(method=method, role=role):
            return f"{method} on {role}"
        case DataLocator(statistic=name) | FeaturesLocator(statistic=name) | MeasureLocator(key=name):
            return name
    return str(locator).partition(":")[2]


def _holds(check: Check, found: _Compared) -> bool | None:
    """Return whether a check holds: its failing and undecided pairs, counted against the exceptions that it allows."""
    failing, undecided = (sum(word is wanted for _, word in found) for wanted in (False, None))
    allowed = check.get("exceptions", 0)
    if failing > allowed:
        return False
    return True if failing + undecided <= allowed else None


def _seen(check: Check, found: _Compared) -> str:
    """Return the compared pairs in words; of a check that does not hold the pairs that break it or are undecided."""
    sign, factor = COMPARISONS[check["kind"]][1], check.get("factor", 1.0)
    sign = sign if factor == 1.0 else f"{sign} {factor:g} ×"
    failing, undecided, holding = (
        _listed([pair for pair, word in found if word is wanted], shown)
        for wanted, shown in ((False, f"not {sign}"), (None, f"undecided {sign}"), (True, sign))
    )
    allowed = check.get("exceptions", 0)
    broken = "; ".join(filter(None, (failing, undecided)))
    if _holds(check, found) is not True:
        return broken
    return f"{broken} ({allowed} such allowed); {holding}" if broken else holding


def _listed(pairs: Sequence[_Pair], sign: str) -> str:
    """Return the first pairs in words and the number of the rest; pairs that share a number become one chain."""
    texts: list[str] = []
    last: Operand | None = None
    for a, b in pairs:
        if texts and a is last:
            texts[-1] += f" {sign} {b}"
        else:
            texts.append(f"{a} {sign} {b}")
        last = b
    return first_of(texts, _SHOWN_PAIRS)
