"""Claims over means of trials in perfect replications, for `reproduction.verdict.yardstick`.

A claim is simulated if all its numbers are published and at least one is a mean over trials.  The published values are
the true values; the trials of two methods are drawn independently, because their correlation is not published.  The
check is evaluated by the rules of `reproduction.verdict.claims`.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from reproduction.flow.locators import Locator, MeasureLocator, ScoreLocator, SettingLocator, parse_locator
from reproduction.verdict.claims import COMPARISONS
from reproduction.verdict.published import CLAIM, Check, Published
from reproduction.verdict.report_rows import Item
from reproduction.verdict.wording import number
from reproduction.verdict.yardstick import N_REPLICATES, Cell, holm_columns
from textmix.metrics.significance import LEVEL

#: Kinds of checks that require the first number to be smaller.
_RISING_KINDS = ("rising", "at_most", "negative")


@dataclass(frozen=True)
class Operand:
    """A number of a check in every replicate, in stored units.

    Parameters
    ----------
    values : ndarray of shape (N_REPLICATES,)
        Reproduced values.
    deviation : float, default=0.0
        Standard deviation over trials; 0 for a number without trials.
    n_trials : float, default=inf
        Number of trials.
    by_role : ndarray of shape (n_roles, N_REPLICATES) or None, default=None
        Means of the data sets, for a mean over several of them.
    """

    values: np.ndarray
    deviation: float = 0.0
    n_trials: float = math.inf
    by_role: np.ndarray | None = None


@dataclass(frozen=True)
class PairTest:
    """Estimated differences of a pair in every replicate, their standard errors, and their degrees of freedom."""

    differences: np.ndarray
    errors: np.ndarray
    freedom: float

    def p_values(self) -> np.ndarray:
        return 2.0 * special.stdtr(self.freedom, -np.abs(self.differences) / self.errors)

    def half_width(self, level: float) -> np.ndarray:
        """Compute the half-widths of the intervals with this confidence level."""
        return np.asarray(special.stdtrit(self.freedom, (1.0 + level) / 2.0) * self.errors)


def simulate_claims(
    items: Iterable[Item], checks: Mapping[str, Check], spec: Mapping[str, Any], cells: Mapping[str, Cell]
) -> dict[str, np.ndarray]:
    """Return row id -> whether each perfect replication reproduces a judged claim, for the claims over cells.

    Parameters
    ----------
    items : iterable of Item
        All rows of a paper.
    checks : mapping of str to Check
        Its checks.
    spec : mapping
        Its ``paper.yaml``.
    cells : mapping of str to Cell
        Its simulated means over trials.
    """
    all_items = list(items)
    published: dict[Locator, Published] = {}
    for item in all_items:
        if item.printed and item.printed.locator is not None and number(item.printed.value) is not None:
            published.setdefault(item.printed.locator, item.printed)
    outcomes = {}
    for item in all_items:
        name = item.printed.check if item.printed else None
        if name is None or item.row.kind != CLAIM or item.known is None:
            continue
        outcome = simulate_check(checks[name], published, spec, cells, zlib.crc32(item.row.id.encode()))
        if outcome is not None:
            outcomes[item.row.id] = outcome
    return outcomes


def simulate_check(
    check: Check,
    published: Mapping[Locator, Published],
    spec: Mapping[str, Any],
    cells: Mapping[str, Cell],
    seed: int,
) -> np.ndarray | None:
    """Evaluate a check in every replicate.

    Parameters
    ----------
    check : Check
        Entry of ``checks.yaml``.
    published : mapping of Locator to Published
        Published number of each locator.
    spec, cells
        See `simulate_claims`.
    seed : int
        Seed of the variances of differences.

    Returns
    -------
    is_reproduced : ndarray of shape (N_REPLICATES,) or None
        None if the check is not over published means of trials.
    """
    locators_by_side = [[parse_locator(text) for text in check.get(side, ())] for side in ("left", "right")]
    locators = list(itertools.chain.from_iterable(locators_by_side))
    if not all(locator in published for locator in locators):
        return None
    if not any(published[locator].id in cells for locator in locators):
        return None
    simulated = [locator for locator in locators if published[locator].id in cells]
    ratio = _common_test_ratio(simulated, spec)
    if ratio is None:
        return None
    check_kind = check["kind"]
    is_mean = bool(check.get("average"))
    sides = [_side(side, published, cells, is_mean=is_mean) for side in locators_by_side]
    if "bound" in check:
        bound = float(check["bound"])
        sides[1] = [Operand(np.full(N_REPLICATES, bound))]
    elif check_kind in ("positive", "negative"):
        sides[1] = [Operand(np.zeros(N_REPLICATES))]
    pair_sides = COMPARISONS[check_kind][0]
    pairs: Sequence[tuple[Operand, Operand]] = pair_sides(*sides)  # type: ignore[arg-type, assignment]
    rng = np.random.default_rng(seed)
    factor = 1.0 if check_kind == "near" else float(check.get("factor", 1.0))
    tests = [_test(a, b, factor, ratio, rng) for a, b in pairs]
    if check_kind == "near":
        holding = _near(check, pairs, tests)
    else:
        holding = _ordered(check, pairs, tests, factor)
    is_reproduced: np.ndarray = np.sum(~holding, axis=0) <= check.get("exceptions", 0)
    return is_reproduced


def _side(
    locators: Sequence[Locator], published: Mapping[Locator, Published], cells: Mapping[str, Cell], *, is_mean: bool
) -> list[Operand]:
    """Return the numbers of one side of a check, or their mean."""
    operands = [_operand(locator, published[locator], cells) for locator in locators]
    if not is_mean or not operands:
        return operands
    roles = [locator.role if isinstance(locator, ScoreLocator) else "" for locator in locators]
    values = np.mean([operand.values for operand in operands], axis=0)
    if len(set(roles)) > 1:
        means = [
            np.mean([operand.values for operand, its in zip(operands, roles, strict=True) if its == role], axis=0)
            for role in dict.fromkeys(roles)
        ]
        return [Operand(values, by_role=np.array(means))]
    deviation = math.sqrt(sum(operand.deviation**2 for operand in operands)) / len(operands)
    return [Operand(values, deviation, min(operand.n_trials for operand in operands))]


def _operand(locator: Locator, printed: Published, cells: Mapping[str, Cell]) -> Operand:
    """Return a number of a check in stored units."""
    is_percent = printed.unit.startswith("percent") and not isinstance(locator, SettingLocator)
    scale = 0.01 if is_percent else 1.0
    cell = cells.get(printed.id)
    if cell is None:
        return Operand(np.full(N_REPLICATES, scale * float(printed.value)))
    return Operand(scale * cell.simulated.reproduced, scale * cell.deviation, cell.ours.n)


def _test(a: Operand, b: Operand, factor: float, ratio: float, rng: np.random.Generator) -> PairTest | None:
    """Return the corrected resampled t-test of a pair, or the paired t-test over data sets; None without trials."""
    if a.by_role is not None or b.by_role is not None:
        first = a.values if a.by_role is None else a.by_role
        second = b.values if b.by_role is None else b.by_role
        by_role = first - factor * second
        errors = by_role.std(axis=0, ddof=1) / math.sqrt(len(by_role))
        return PairTest(by_role.mean(axis=0), errors, len(by_role) - 1)
    n_trials = min(a.n_trials, b.n_trials)
    if math.isinf(n_trials):
        return None
    variance = a.deviation**2 + (factor * b.deviation) ** 2
    variances = variance * rng.chisquare(n_trials - 1, N_REPLICATES) / (n_trials - 1)
    return PairTest(a.values - factor * b.values, np.sqrt(variances * (1.0 / n_trials + ratio)), n_trials - 1)


def _ordered(
    check: Check, pairs: Sequence[tuple[Operand, Operand]], tests: Sequence[PairTest | None], factor: float
) -> np.ndarray:
    """Return which pairs hold in every replicate, an array of shape (n_pairs, N_REPLICATES)."""
    tested = [test for test in tests if test is not None]
    adjusted = iter(holm_columns(np.array([test.p_values() for test in tested])) if tested else ())
    holding = []
    for (a, b), test in zip(pairs, tests, strict=True):
        if test is None:
            is_decided = np.full(N_REPLICATES, check["kind"] != "significant")
            is_ordered = np.asarray(COMPARISONS[check["kind"]][2](a.values, factor * b.values))  # type: ignore[arg-type]
        else:
            is_decided = next(adjusted) < LEVEL
            is_ordered = test.differences < 0 if check["kind"] in _RISING_KINDS else test.differences > 0
        holding.append(is_decided & is_ordered)
    return np.array(holding)


def _near(check: Check, pairs: Sequence[tuple[Operand, Operand]], tests: Sequence[PairTest | None]) -> np.ndarray:
    """Return which pairs are within the margin in every replicate."""
    margin = float(check["margin"]) * (1 + 1e-9)
    holding = []
    for (a, b), test in zip(pairs, tests, strict=True):
        distances = np.abs(a.values - b.values)
        narrow = 0.0 if test is None else test.half_width(1.0 - 2.0 * LEVEL)
        holding.append(distances + narrow <= margin)
    return np.array(holding)


def _common_test_ratio(locators: Iterable[Locator], spec: Mapping[str, Any]) -> float | None:
    """Return the ratio of test to other documents of all splits; None if it is not stated or not common."""
    ratios = {_test_ratio(spec["splits"].get(_split_of(locator, spec), {})) for locator in locators}
    return ratios.pop() if len(ratios) == 1 else None


def _split_of(locator: Locator, spec: Mapping[str, Any]) -> str:
    """Return the name of the split behind a score or a measure on a single role; "" for other locators."""
    roles: Mapping[str, str] = {}
    if isinstance(locator, ScoreLocator):
        roles = spec["experiments"][locator.experiment]["roles"]
        return roles.get(locator.role, "")
    if isinstance(locator, MeasureLocator):
        roles = spec["measures"][locator.measure]["roles"]
    return next(iter(roles.values())) if len(roles) == 1 else ""


def _test_ratio(split: Mapping[str, Any]) -> float | None:
    """Return the ratio of test to other documents of a split; None if it depends on the number of documents."""
    match split.get("kind"):
        case "given":
            return 0.0
        case "folds":
            return 1.0 / (split["folds"] - 1)
        case "random" if isinstance(split["train"], float):
            test = split.get("test", 1.0 - split["train"])
            return float(test / (1.0 - test)) if isinstance(test, float) else None
    return None
