"""Claims of a paper as checks: a claim becomes comparisons between pairs of rebuilt numbers.

The kinds of check and their keys are described in ``workflow/schemas/checks.schema.yaml``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textmix.core.errors import ConfigError, MissingResult
from textmix.experiment.results import Results
from textmix.metrics.significance import paired_t_test
from textmix.plan.locators import (
    DataLocator,
    FeaturesLocator,
    Locator,
    MeasureLocator,
    ScoreLocator,
    TimeLocator,
    parse_locator,
)
from textmix.verdict.locate import locate, roles_behind
from textmix.verdict.published import Check

#: Number of pairs, or of chains of pairs, that a reason lists in full.
_SHOWN_PAIRS = 4


@dataclass(frozen=True)
class Operand:
    """One number of a check.

    Parameters
    ----------
    name : short name of the number, as the reason shows it; empty for a bound.
    value : the number, in stored units (fractions and seconds); a bound is in the same units.
    trials : the values of which ``value`` is the mean, in the order of the trials; empty where it is no mean.
    """

    name: str
    value: float
    trials: Sequence[float] = ()

    def __str__(self) -> str:
        return f"{self.name} {short(self.value)}".strip()


@dataclass(frozen=True)
class Outcome:
    """The result of a check.

    Parameters
    ----------
    holds : whether at most as many of the decided pairs fail as the check allows (``exceptions``).
    seen : the compared numbers in words; of a failing check the failing pairs only.
    decided : number of pairs of which both numbers are at hand.
    pairs : number of all pairs.
    missing : for each pair that is not decided, the missing result of its first missing number.
    roles : the roles of all numbers of the check, missing ones included, sorted.
    """

    holds: bool
    seen: str
    decided: int
    pairs: int
    missing: Sequence[MissingResult]
    roles: Sequence[str]


_Side = Sequence["Operand | MissingResult"]
_Pairs = list[tuple["Operand | MissingResult", "Operand | MissingResult"]]


def _left_with_right(left: _Side, right: _Side) -> _Pairs:
    """Pair the sides one to one where they have the same length, else each left with each right."""
    return list(zip(left, right, strict=True)) if len(left) == len(right) else list(itertools.product(left, right))


def _each_with_next(left: _Side, _: _Side) -> _Pairs:
    """Pair each left with the next left."""
    return list(itertools.pairwise(left))


def _first_with_rest(left: _Side, right: _Side) -> _Pairs:
    """Pair the first left with all further numbers of both sides."""
    return [(left[0], other) for other in (*left[1:], *right)]


def _significant(a: Operand, b: Operand, level: float) -> bool:
    """Return whether a is above b and the p-value of a paired t-test over their trials is below the level."""
    return a.value > b.value and paired_t_test(a.trials, b.trials) < level


#: Kind of check -> function that pairs the left with the right numbers, sign shown between the numbers of a pair, and
#: test (a, b, bound) of whether a pair holds, where ``bound`` is the margin or the level of the check.
COMPARISONS: dict[str, tuple[Callable[..., _Pairs], str, Callable[[Operand, Operand, float], bool]]] = {
    "above": (_left_with_right, ">", lambda a, b, _: a.value > b.value),
    # Decimal fractions have no exact binary form, hence the slack.
    "near": (_left_with_right, "≈", lambda a, b, margin: abs(a.value - b.value) <= margin * (1 + 1e-9)),
    "largest": (_first_with_rest, "≥", lambda a, b, _: a.value >= b.value),
    "rising": (_each_with_next, "<", lambda a, b, _: a.value < b.value),
    "falling": (_each_with_next, ">", lambda a, b, _: a.value > b.value),
    "at_least": (_left_with_right, "≥", lambda a, b, _: a.value >= b.value),
    "at_most": (_left_with_right, "≤", lambda a, b, _: a.value <= b.value),
    "holds": (_left_with_right, "=", lambda a, b, _: a.value == b.value),
    "significant": (_left_with_right, "significantly >", _significant),
}


def evaluate(name: str, check: Check, results: Results) -> Outcome:
    """Compare the rebuilt numbers of a check; a missing number does not raise but stands in `Outcome.missing`.

    Parameters
    ----------
    name : name of the check, for messages.
    check : its entry in ``checks.yaml``, with role lists expanded.
    results : the results that hold the numbers.

    Raises
    ------
    ConfigError : the kind is unknown, there is no pair to compare, or a locator names no number.
    IntegrityError : a result was changed by hand.
    """
    if check["kind"] not in COMPARISONS:
        raise ConfigError(f"check {name}: unknown kind '{check['kind']}'; allowed: {', '.join(COMPARISONS)}")
    pairing, sign, test = COMPARISONS[check["kind"]]
    left, right = ([parse_locator(text, f"check {name}") for text in check.get(side, ())] for side in ("left", "right"))
    pairs = pairing([_operand(locator, results) for locator in left], _right_side(check, right, results))
    if not pairs:
        raise ConfigError(f"check {name}: there is nothing to compare; name at least two numbers")
    decided = [(a, b) for a, b in pairs if isinstance(a, Operand) and isinstance(b, Operand)]
    missing = [next(one for one in pair if isinstance(one, MissingResult)) for pair in pairs if pair not in decided]
    bound = float(check.get("margin", check.get("level", 0.0)))
    failing = [(a, b) for a, b in decided if not test(a, b, bound)]
    holds = len(failing) <= check.get("exceptions", 0)
    roles = {role for locator in (*left, *right) for role in roles_behind(results, locator)}
    return Outcome(holds, _seen(check, sign, decided, failing), len(decided), len(pairs), missing, sorted(roles))


def _right_side(check: Check, locators: Sequence[Locator], results: Results) -> list[Operand | MissingResult]:
    """Return the numbers with which the left side is compared: the right side's own, the check's bound, or 1."""
    if check["kind"] == "holds":
        return [Operand("", 1.0)]
    if "bound" in check:
        return [Operand("", float(check["bound"]))]
    return [_operand(locator, results) for locator in locators]


def _operand(locator: Locator, results: Results) -> Operand | MissingResult:
    """Return one number of a check, or the reason why it is missing."""
    try:
        found = locate(results, locator)
    except MissingResult as missing:
        return missing
    if isinstance(found.value, str):
        raise ConfigError(f"locator '{locator}' is the word '{found.value}', not a number; a check compares numbers")
    return Operand(_name(locator).replace("_", " "), float(found.value), found.trials)


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


_Operands = Sequence[tuple[Operand, Operand]]


def _seen(check: Check, sign: str, decided: _Operands, failing: _Operands) -> str:
    """Return the compared pairs in words; of a check that fails the failing pairs only."""
    failures, allowed = _listed(failing, f"not {sign}"), check.get("exceptions", 0)
    if len(failing) > allowed:
        return failures
    holding = _listed([pair for pair in decided if pair not in failing], sign)
    return f"{failures} ({allowed} such allowed); {holding}" if failing else holding


def _listed(pairs: _Operands, sign: str) -> str:
    """Return the first pairs in words and the number of the rest; pairs that share a number become one chain."""
    texts: list[str] = []
    last: Operand | None = None
    for a, b in pairs:
        if a is last:
            texts[-1] += f" {sign} {b}"
        else:
            texts.append(f"{a} {sign} {b}")
        last = b
    more = len(texts) - _SHOWN_PAIRS
    return ", ".join(texts[:_SHOWN_PAIRS]) + (f" and {more} more" if more > 0 else "")


def short(value: float, sign: str = "") -> str:
    """Return a number with at most four significant digits and no trailing zeros after the decimal point.

    An absolute value below 1e-4 or from 1e7 on has three digits in scientific notation; inf and nan stand as words.

    Parameters
    ----------
    value : the number.
    sign : ``+`` to show the sign of a positive number too.
    """
    if not math.isfinite(value) or (value and not 1e-4 <= abs(value) < 1e7):
        return f"{value:{sign}.3g}"
    digits = 3 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:{sign}.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
