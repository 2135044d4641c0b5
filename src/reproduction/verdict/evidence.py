"""Evidence on one row: the published value, the reproduced value, and the tests between them.

A mean over trials is reproduced if two one-sided tests at `LEVEL` bound its difference from the published value by the
margin, which is equivalent to a 90 % interval inside the margin.  It differs if Welch's test finds a difference.  If
neither test decides, the value is undecided.  Each row is a separate family, for both tests
(`reproduction.verdict.compare` adds the verdicts after Holm's correction).  A published single run of a stochastic
method (a row with one trial) is treated as one more trial.  A value without a standard deviation is reproduced if it
lies within the margin; a published value for an unspecified part of the data, such as one newsgroup, if it lies within
the range over all parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from reproduction.verdict.published import Published
from reproduction.verdict.resolve import Reproduced
from reproduction.verdict.wording import (
    DIFFERS,
    NOT_A_NUMBER,
    REPRODUCED,
    UNDECIDED,
    chance_reason,
    decimals,
    difference_reason,
    margin_text,
    number,
    overlap_reason,
    range_reason,
    trials_text,
    undecided_reason,
)
from textmix.core.errors import ConfigError
from textmix.metrics.significance import LEVEL, Estimate, Sample, equivalence, mean_difference, standard_error

#: Candidate numbers of trials for an undecided row, in steps of about ten percent.
CANDIDATE_TRIALS = tuple(dict.fromkeys(round(1.1**step) for step in range(8, 100)))


@dataclass(frozen=True)
class Evidence:
    """A published value, the reproduced one, and their tests, which are computed lazily and cached.

    Parameters
    ----------
    printed : Published
        The published row.
    reproduced : Reproduced
        Reproduced value in the unit of the row.
    """

    printed: Published
    reproduced: Reproduced

    @cached_property
    def value(self) -> float:
        """The reproduced value."""
        return float(self.reproduced.value)

    @cached_property
    def target(self) -> float | None:
        """The published value, or None if the paper does not report one."""
        return number(self.printed.value)

    @cached_property
    def difference(self) -> float | None:
        """Reproduced minus published, or None without a published value."""
        return None if self.target is None else self.value - self.target

    @cached_property
    def samples(self) -> tuple[Sample, Sample] | None:
        """The reproduced and the published value as means over trials; None without a reproduced standard deviation.

        If the published number of trials is known but not the standard deviation, the reproduced one is used; a single
        trial is one run of a stochastic method.  Without a number of trials the published value is treated as exact.
        """
        row = self.printed
        deviation = self.reproduced.standard_deviation
        n_trials = self.reproduced.n
        if self.target is None or row.tolerance in ("exact", "range") or not deviation or not n_trials:
            return None
        ours = Sample(self.value, deviation, n_trials)
        if not row.trials:
            return ours, Sample(self.target, 0.0, math.inf)
        return ours, Sample(self.target, float(row.spread) if row.spread else None, float(row.trials))

    @cached_property
    def test(self) -> Estimate | None:
        """The difference with its 95 % interval by Welch's test; None without `samples`."""
        return mean_difference(*self.samples) if self.samples else None

    @cached_property
    def error(self) -> tuple[float | None, float | None]:
        """Standard error and degrees of freedom of the difference; None without `samples`."""
        return standard_error(*self.samples) if self.samples else (None, None)

    @cached_property
    def bound(self) -> float | None:
        """P-value of the two one-sided tests for the margin; None without `samples` or a margin."""
        if self.samples is None or self.target is None or self.printed.tolerance != "near":
            return None
        return equivalence(*self.samples, slack(self.printed, self.target))

    @cached_property
    def proportion(self) -> float | None:
        """The smallest fraction of the margin that still gives "reproduced"; None if no margin judges the row."""
        if self.target is None or self.printed.tolerance != "near" or math.isnan(self.value):
            return None
        allowed = slack(self.printed, self.target)
        if self.samples is None:
            return abs(self.value - self.target) / allowed
        narrow = mean_difference(*self.samples, 1.0 - 2.0 * LEVEL)
        return max(-narrow.low, narrow.high) / allowed

    @cached_property
    def verdict(self) -> str:
        """The verdict on the reproduced value."""
        if self.printed.tolerance == "range":
            low, high = self._range
            return REPRODUCED if low <= float(self.printed.value) <= high else DIFFERS
        if math.isnan(self.value):
            return DIFFERS
        if self._is_inside:
            return REPRODUCED
        return DIFFERS if self.test is None or self.test.p < LEVEL else UNDECIDED

    @cached_property
    def reason(self) -> str:
        """The reason of the verdict; "" if the value is within a margin."""
        row = self.printed
        if row.tolerance == "range":
            return range_reason(*self._range)
        if math.isnan(self.value):
            return NOT_A_NUMBER
        if self.verdict == REPRODUCED or self.difference is None:
            return ""
        allowed = margin_text(row.tolerance, row.margin, row.unit)
        reason = difference_reason(self.difference, float(row.value), row.unit, row.margin, allowed)
        n_trials = self.reproduced.n
        if self.verdict == DIFFERS or n_trials is None:
            return reason + trials_text(n_trials) + self._overlap
        return reason + undecided_reason(n_trials, self._trials_needed)

    def chance(self, documents: int) -> str:
        """Describe the standard error of a proportion of the test documents of a single split.

        Returns "" if the margin is at least twice the standard error.  The verdict does not change: both scores are on
        the same documents and therefore correlated, to an extent that is not published.
        """
        scale = 100.0 if self.printed.unit == "percent" else 1.0
        error = math.sqrt(self.value * (scale - self.value) / documents)
        if self.printed.tolerance != "near" or 2.0 * error <= margin_of(self.printed, float(self.printed.value)):
            return ""
        return chance_reason(documents, error, self.printed.unit)

    @property
    def _range(self) -> tuple[float, float]:
        if self.reproduced.range is None:
            row = self.printed
            raise ConfigError(f"{row.id}: the measure has no _lowest and _highest of {row.source}; use near or open")
        return self.reproduced.range

    @property
    def _is_inside(self) -> bool:
        """Whether the value is within its margin, by the two one-sided tests for a mean over trials."""
        if self.bound is not None:
            return self.bound < LEVEL
        target = float(self.printed.value)
        return abs(self.value - target) <= slack(self.printed, target)

    @property
    def _trials_needed(self) -> int | None:
        """The number of our trials that would decide an undecided value; None if no number would."""
        assert self.samples is not None  # noqa: S101 - a number without a standard deviation is never undecided
        ours, published = self.samples
        allowed = slack(self.printed, published.mean)
        for n_trials in CANDIDATE_TRIALS:
            larger = ours._replace(n=n_trials)
            if n_trials > ours.n and (
                equivalence(larger, published, allowed) < LEVEL or mean_difference(larger, published).p < LEVEL
            ):
                return n_trials
        return None

    @property
    def _overlap(self) -> str:
        """Explanation of a significant difference despite overlapping ranges of trials; "" if they do not overlap."""
        deviation = self.reproduced.standard_deviation
        if self.test is None or not self.printed.spread or not deviation:
            return ""
        distance = abs(self.value - float(self.printed.value))
        if distance > float(self.printed.spread) + deviation:
            return ""
        return overlap_reason(self.test.p)


def margin_of(row: Published, target: float) -> float:
    """Return the largest difference that the tolerance of a row accepts, in the unit of the row."""
    if row.tolerance == "exact":
        # Two numbers agree at the printed digits if they differ by at most half a unit of the last digit.
        return 0.5 * 10.0 ** -decimals(row.value)
    size = float(row.margin.removesuffix("%"))
    return size / 100 * abs(target) if row.margin.endswith("%") else size


def slack(row: Published, target: float) -> float:
    """Return the margin of a row with an allowance for rounding errors: 0.3 must lie within 0.1 of 0.2."""
    allowed = margin_of(row, target)
    return allowed + 1e-9 * max(abs(target), allowed)
