"""What the measures of the thesis share: small samples of each split, and numbers over the splits with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from reproduction.stored.measures import MeasureData
from textmix.metrics.significance import resampled_difference


def samples(source: MeasureData, most: int, generator: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the training and the test rows of each trial, at most ``most`` random ones of each, in order."""
    for trial in range(len(source.splits)):
        parts = source.splits.train[trial], source.splits.test[trial]
        train, test = (np.sort(generator.permutation(part)[:most]) for part in parts)
        yield train, test


class Found:
    """Numbers of several roles over the trials.

    Parameters
    ----------
    test_ratio : n_test / n_train of a trial, for the corrected resampled t-test.
    """

    def __init__(self, test_ratio: float) -> None:
        self.test_ratio = test_ratio
        self._numbers: dict[tuple[str, str], list[float]] = defaultdict(list)

    def add(self, role: str, numbers: Mapping[str, float]) -> None:
        """Add the numbers of one trial."""
        for name, value in numbers.items():
            self._numbers[role, name].append(value)

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each role, name and trial."""
        return [
            {"role": role, "name": name, "trial": trial, "value": value}
            for (role, name), values in self._numbers.items()
            for trial, value in enumerate(values)
        ]

    def means(self) -> dict[str, float | tuple[float, float]]:
        """Return the mean of each number over the trials, with its standard deviation where there are several."""
        return {
            f"{role}_{name}": (float(np.mean(values)), float(np.std(values, ddof=1)))
            if len(values) > 1
            else float(values[0])
            for (role, name), values in self._numbers.items()
        }

    def differences(self, pairs: Mapping[str, tuple[str, str]], roles: Sequence[str]) -> dict[str, float]:
        """Return for each role the mean of ``left - right`` with its 95 % interval over the trials.

        Parameters
        ----------
        pairs : key of the difference -> names of left and right; the empty name stands for 0.
        roles : those for which to compare.

        Returns
        -------
        ``<role>_<key>`` with its ends ``_ci_low`` and ``_ci_high``.
        """
        found: dict[str, float] = {}
        for role in roles:
            for key, (left, right) in pairs.items():
                high = self._numbers[role, left]
                low = self._numbers[role, right] if right else [0.0] * len(high)
                estimate = resampled_difference(high, low, self.test_ratio)
                name = f"{role}_{key}"
                found |= {name: estimate.value, f"{name}_ci_low": estimate.low, f"{name}_ci_high": estimate.high}
        return found
