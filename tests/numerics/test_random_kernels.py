"""The generator of kernels is splitmix64: its published numbers, and its plain twin."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive.vectors import Splitmix
from textmix.numerics.random_kernels import STEP, hashed, uniform

#: The first numbers of S. Vigna's splitmix64.c from the state 1234567.
PUBLISHED = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


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
