"""Claims as checks: a sentence of a paper becomes comparisons of pairs of rebuilt numbers.

The kinds of check and their keys are in ``workflow/schemas/checks.schema.yaml``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textmix.core.errors import ConfigError, Hole
from textmix.experiment.results import Results, split_locator
from textmix.metrics.significance import paired_t_test
from textmix.verdict.published import Check

_SHOWN_PAIRS = 4


@dataclass(frozen=True)
class Operand:
    """One number of a check by name; where it is a mean over trials, their values too."""

    name: str
    value: float
    trials: Sequence[float] = ()

    def __str__(self) -> str:
        return f"{self.name} {short(self.value)}".strip()


@dataclass(frozen=True)
class Outcome:
    """What became of a check.

    Parameters
    ----------
    holds : whether at most the allowed number of the pairs that could be compared fail.
    seen : the numbers in words; of a failing check the failing pairs.
    decided, pairs : number of pairs that could be compared, and of all.
    holes : why the others could not, one a pair.
    roles : roles of the data sets that the numbers rest on.
    """

    holds: bool
    seen: str
    decided: int
    pairs: int
    holes: Sequence[Hole]
    roles: Sequence[str]


_Pairs = list[tuple["Operand | Hole", "Operand | Hole"]]


def _against(left: Sequence[Operand | Hole], right: Sequence[Operand | Hole]) -> _Pairs:
    """Pair one to one where both sides are equally long, else each with each."""
    return list(zip(left, right, strict=True)) if len(left) == len(right) else list(itertools.product(left, right))


def _neighbours(left: Sequence[Operand | Hole], _: Sequence[Operand | Hole]) -> _Pairs:
    """Pair each with the next."""
    return list(itertools.pairwise(left))


def _first(left: Sequence[Operand | Hole], right: Sequence[Operand | Hole]) -> _Pairs:
    """Pair the first with all others."""
    return [(left[0], other) for other in (*left[1:], *right)]


def _significant(a: Operand, b: Operand, level: float) -> bool:
    """Return whether a is above b, and a paired t-test over their trials is below the level."""
    return a.value > b.value and paired_t_test(a.trials, b.trials) < level


#: kind -> how to pair left and right, the sign shown between them, and when a pair (a, b) holds within a margin.
_KINDS: dict[str, tuple[Callable[..., _Pairs], str, Callable[[Operand, Operand, float], bool]]] = {
    "above": (_against, ">", lambda a, b, _: a.value > b.value),
    # Decimal fractions have no exact binary form, hence the slack.
    "near": (_against, "≈", lambda a, b, margin: abs(a.value - b.value) <= margin * (1 + 1e-9)),
    "largest": (_first, "≥", lambda a, b, _: a.value >= b.value),
    "rising": (_neighbours, "<", lambda a, b, _: a.value < b.value),
    "falling": (_neighbours, ">", lambda a, b, _: a.value > b.value),
    "at_least": (_against, "≥", lambda a, b, _: a.value >= b.value),
    "at_most": (_against, "≤", lambda a, b, _: a.value <= b.value),
    "holds": (_against, "=", lambda a, b, _: a.value == b.value),
    "significant": (_against, "significantly >", _significant),
}


def evaluate(name: str, check: Check, results: Results) -> Outcome:
    """Compare the rebuilt numbers of a check.

    Parameters
    ----------
    name : its name, for messages.
    check : its entry in ``checks.yaml``.
    results : where the numbers lie.

    Raises
    ------
    ConfigError : the kind is unknown, there is nothing to compare, or a locator names no number.
    """
    if check["kind"] not in _KINDS:
        raise ConfigError(f"check {name}: unknown kind '{check['kind']}'; allowed: {', '.join(_KINDS)}")
    pairing, sign, test = _KINDS[check["kind"]]
    sources = {side: check.get(side, ()) for side in ("left", "right")}
    pairs = pairing([_operand(source, results) for source in sources["left"]], _right(check, results))
    if not pairs:
        raise ConfigError(f"check {name}: there is nothing to compare; name at least two numbers")
    decided = [(a, b) for a, b in pairs if isinstance(a, Operand) and isinstance(b, Operand)]
    holes = [next(one for one in pair if isinstance(one, Hole)) for pair in pairs if pair not in decided]
    margin, allowed = float(check.get("margin", check.get("level", 0.0))), check.get("exceptions", 0)
    failing = [(a, b) for a, b in decided if not test(a, b, margin)]
    holding = [pair for pair in decided if pair not in failing]
    holds = len(failing) <= allowed
    parts = [_listed(failing, f"not {sign}"), _listed(holding, sign)]
    exception = f"{parts[0]} ({allowed} such allowed); " if failing else ""
    seen = exception + parts[1] if holds else parts[0]
    roles = {role for source in (*sources["left"], *sources["right"]) for role in results.role_names(source)}
    return Outcome(holds, seen, len(decided), len(pairs), holes, sorted(roles))


def _right(check: Check, results: Results) -> list[Operand | Hole]:
    """Return the right side of a check: numbers, or the bound that every left number is held against."""
    if check["kind"] == "holds":
        return [Operand("", 1.0)]
    if "bound" in check:
        return [Operand("", float(check["bound"]))]
    return [_operand(source, results) for source in check.get("right", ())]


def _operand(source: str, results: Results) -> Operand | Hole:
    """Locate one number of a check, by the shortest name that tells it from the others."""
    kind, parts = split_locator(source)
    name = f"{' '.join([parts[2], *parts[4:]])} on {parts[1]}" if kind in ("score", "time") else parts[-1]
    try:
        found = results.locate(source)
    except Hole as hole:
        return hole
    if isinstance(found.value, str):
        raise ConfigError(f"locator '{source}' is the word '{found.value}', not a number; a check compares numbers")
    return Operand(name.replace("_", " "), float(found.value), found.trials)


def _listed(pairs: Sequence[tuple[Operand, Operand]], sign: str) -> str:
    """Return pairs with the sign between them as one line: the first few in full, neighbours as a chain."""
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
    """Return a number with four significant digits, plain between 1e-4 and 1e7."""
    if not math.isfinite(value) or (value and not 1e-4 <= abs(value) < 1e7):
        return f"{value:{sign}.3g}"
    digits = 3 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:{sign}.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
