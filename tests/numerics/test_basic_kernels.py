"""Basic kernels: sorting order equals that of NumPy, and the generator equals a reference splitmix64."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive.vectors import Splitmix
from textmix.numerics.basic_kernels import RUN, STEP, hashed, sort_integers, stable_order, uniform

#: The first numbers of S. Vigna's splitmix64.c from the state 1234567.
PUBLISHED = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


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


def test_the_generator_gives_the_published_numbers() -> None:
    state = np.array([1234567], dtype=np.uint64)
    assert [uniform(state) for _ in PUBLISHED] == [(number >> 11) / 2**53 for number in PUBLISHED]
    assert int(state[0]) == (1234567 + len(PUBLISHED) * int(STEP)) % 2**64


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**64 - 1])
def test_numbers_are_those_of_the_plain_twin(seed: int) -> None:
    plain, state = Splitmix(seed), np.array([seed], dtype=np.uint64)
    assert [uniform(state) for _ in range(100)] == [plain.uniform() for _ in range(100)]
    with np.errstate(over="ignore"):
        assert hashed(np.uint64(seed) + STEP) == Splitmix(seed).uniform()
