"""The stable order of numbers and the sorted integers are those of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.numerics.sort_kernels import RUN, sort_integers, stable_order


@pytest.mark.parametrize("kind", [np.float64, np.int64])
@pytest.mark.parametrize("n", [0, 1, 2, RUN - 1, RUN, RUN + 1, 2 * RUN, 4 * RUN + 3, 1000])
def test_the_order_is_that_of_numpy(n: int, kind: type) -> None:
    rng = np.random.default_rng(n)
    for largest in (1, 3, 10 * n + 1):
        values = rng.integers(-largest, largest, n).astype(kind)
        np.testing.assert_array_equal(stable_order(values), np.argsort(values, kind="stable"))


def test_nan_is_last_and_both_zeros_are_equal() -> None:
    values = np.random.default_rng(0).choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], 5 * RUN)
    np.testing.assert_array_equal(stable_order(values), np.argsort(values, kind="stable"))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("n", [0, 1, 2, RUN, RUN + 1, RUN + 2, 4 * RUN + 3, 1000, 20_000])
def test_sorted_integers_are_those_of_numpy(n: int, kind: type) -> None:
    rng = np.random.default_rng(n)
    drawn = [rng.integers(-largest, largest, n) for largest in (1, 3, 10 * n + 1)]
    organ = np.minimum(np.arange(n), np.arange(n)[::-1])  # a median of three finds the worst split of it
    for made in (*drawn, np.arange(n), np.arange(n)[::-1], organ, np.full(n, np.iinfo(kind).max)):
        values = made.astype(kind)
        wanted = np.sort(values)
        sort_integers(values)
        np.testing.assert_array_equal(values, wanted)
