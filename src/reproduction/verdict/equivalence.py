"""The verdict on one rebuilt number: by its margin, and by tests where its spread over trials is known.

A mean over trials is reproduced if two one-sided tests at `LEVEL` bound its difference from the published value by the
margin, which is the same as a 90 % interval inside the margin.  It differs if Welch's test finds a difference.  If
neither test decides, the number is undecided.  Each row is a family of its own, for both tests
(`reproduction.verdict.compare` has the counts after Holm's correction).  A printed single value of a random method, a
row of one trial, is one further draw.  A value without a spread is reproduced if it lies within the margin; a published
number of one part of the data, such as one newsgroup that the source does not name, if it lies within the range over
all parts.
"""

from __future__ import annotations

import math

from reproduction.verdict.published import Published
from reproduction.verdict.resolve import Rebuilt
from reproduction.verdict.wording import DIFFERS, REPRODUCED, UNDECIDED, decimals, number, short
from textmix.core.errors import ConfigError
from textmix.metrics.significance import LEVEL, Estimate, Sample, equivalence, mean_difference

#: Numbers of trials that are tried for an undecided row, in steps of about a tenth.
_TRIALS = tuple(dict.fromkeys(round(1.1**step) for step in range(8, 100)))


def judge(row: Published, found: Rebuilt) -> tuple[str, str]:
    """Return verdict and reason of a rebuilt number, in the row's unit; no reason where it is reproduced."""
    if row.tolerance == "range":
        return _judge_range(row, found)
    rebuilt, target = float(found.value), float(row.value)
    if math.isnan(rebuilt):
        return DIFFERS, "the rebuilt value is not a number"
    words = allowance(row, target)[1]
    test, bounded = difference(row, found), bound(row, found)
    inside = abs(rebuilt - target) <= slack(row, target) if bounded is None else bounded < LEVEL
    if inside:
        return REPRODUCED, ""
    reason = f"differs by {short(rebuilt - target, '+')}{_unit(row.unit)} where {words} is allowed"
    if test is None or test.p < LEVEL:
        return DIFFERS, reason + _trials(found) + _overlap(row, found, test)
    reason += f"; no test bounds the difference by that or shows it{_trials(found)}"
    return UNDECIDED, f"{reason}; {_enough(row, found)}"


def _judge_range(row: Published, found: Rebuilt) -> tuple[str, str]:
    """Judge a number of one part of the data by the range over all parts, both in the row's unit."""
    if found.range is None:
        raise ConfigError(f"{row.id}: the measure has no _lowest and _highest of {row.source}; use near or open")
    low, high = found.range
    reason = f"the range over the parts of the data is {short(low)} to {short(high)}"
    return (REPRODUCED if low <= float(row.value) <= high else DIFFERS), reason


def difference(row: Published, found: Rebuilt) -> Estimate | None:
    """Return rebuilt less published with its 95 % interval; None where the rebuilt value has no spread over trials."""
    both = samples(row, found)
    return mean_difference(*both) if both else None


def bound(row: Published, found: Rebuilt) -> float | None:
    """Return the p-value of the two one-sided tests for the margin; None without a spread over trials, or a margin."""
    both = samples(row, found)
    if both is None or row.tolerance != "near":
        return None
    return equivalence(*both, slack(row, float(row.value)))


def margin_share(row: Published, found: Rebuilt) -> float | None:
    """Return the least share of its margin by which a number would be reproduced; None where no margin judges it."""
    if row.tolerance != "near" or math.isnan(float(found.value)):
        return None
    target, both = float(row.value), samples(row, found)
    if both is None:
        return abs(float(found.value) - target) / slack(row, target)
    narrow = mean_difference(*both, 1.0 - 2.0 * LEVEL)
    return max(-narrow.low, narrow.high) / slack(row, target)


def samples(row: Published, found: Rebuilt) -> tuple[Sample, Sample] | None:
    """Return rebuilt and published value as means over trials; None where the rebuilt one has no spread.

    A published mean of a known number of trials without a printed spread has that of the rebuilt one; with one trial it
    is a draw of a random method.  Without a number of trials it counts as a number without error.
    """
    target = number(row.value)
    if target is None or row.tolerance in ("exact", "range") or not found.standard_deviation or not found.n:
        return None
    rebuilt = Sample(float(found.value), found.standard_deviation, found.n)
    if not row.trials:
        return rebuilt, Sample(target, 0.0, math.inf)
    return rebuilt, Sample(target, float(row.spread) if row.spread else None, float(row.trials))


def _enough(row: Published, found: Rebuilt) -> str:
    """Return how many trials of ours would decide an undecided number, or that none would."""
    both = samples(row, found)
    assert both is not None  # noqa: S101 - a number without a spread is never undecided
    rebuilt, printed = both

    def decided(n: float) -> bool:
        more = rebuilt._replace(n=n)
        if equivalence(more, printed, slack(row, printed.mean)) < LEVEL:
            return True
        return mean_difference(more, printed).p < LEVEL

    enough = next((n for n in _TRIALS if n > rebuilt.n and decided(n)), None)
    if enough is None:
        return "no number of our trials can decide it, for the printed value is too uncertain"
    return f"about {enough} of our trials would decide it, with this difference and spread"


def chance(row: Published, found: Rebuilt, documents: int) -> str:
    """Return the standard error of a share of one split's test documents; empty if twice of it are within the margin.
    The verdict stays: both scores are of the same documents, so that chance moves them together, and by how much is not
    printed.
    """
    whole = 100.0 if row.unit == "percent" else 1.0
    error = math.sqrt(float(found.value) * (whole - float(found.value)) / documents)
    if row.tolerance != "near" or 2.0 * error <= allowance(row, float(row.value))[0]:
        return ""
    return f"a share of {documents} documents has a standard error of {short(error)}{_unit(row.unit)}"


def slack(row: Published, target: float) -> float:
    """Return the largest difference that counts as none, in the row's unit.  Decimal fractions have no exact binary
    form: without the slack, 0.3 would not lie within 0.1 of 0.2.
    """
    allowed = allowance(row, target)[0]
    return allowed + 1e-9 * max(abs(target), allowed)


def allowance(row: Published, target: float) -> tuple[float, str]:
    """Return the largest difference that a row's tolerance allows, in the row's unit and in words."""
    if row.tolerance == "exact":
        # Two numbers agree at the printed digits if they differ by at most half a unit of the last digit.
        return 0.5 * 10.0 ** -decimals(row.value), "only rounding"
    size = float(row.margin.removesuffix("%"))
    if row.margin.endswith("%"):
        return size / 100 * abs(target), f"{size:g} %"
    unit = _unit(row.unit)
    return size, f"{size:g}{unit.replace('points', 'point') if size == 1 else unit}"


def _unit(unit: str) -> str:
    """Return the unit as it follows a difference, with a leading blank; empty for a fraction or no unit."""
    return " points" if unit.startswith("percent") else f" {unit}" if unit and unit != "fraction" else ""


def _trials(found: Rebuilt) -> str:
    """Return the number of trials of a mean in brackets; empty for a value that is no mean over trials."""
    return f" ({found.n} trials)" if found.n and found.n > 1 else ""


def _overlap(row: Published, found: Rebuilt, test: Estimate | None) -> str:
    """Return why two numbers differ whose spreads over trials overlap; empty where they do not."""
    if test is None or not row.spread or not found.standard_deviation:
        return ""
    apart = abs(float(found.value) - float(row.value))
    if apart > float(row.spread) + found.standard_deviation:
        return ""
    return f"; the spreads over trials overlap, but the means of so many differ, p = {test.p:.2g} by Welch's test"
