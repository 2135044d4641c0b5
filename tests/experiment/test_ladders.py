"""Ladders: the values between two of them, and which values are their steps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from textmix.experiment.ladders import LEAST_RATIO, between, beyond, on_ladder

NUMBERS = st.floats(1e-4, 1e4)


@given(NUMBERS, NUMBERS)
def test_a_value_between_two_lies_between_them_or_there_is_none(one: float, other: float) -> None:
    found = between(one, other)
    if max(one, other) / min(one, other) < LEAST_RATIO:
        assert found is None
    else:
        assert found is not None
        assert min(one, other) < found < max(one, other)
        assert found == between(other, one)


def test_whole_numbers_have_whole_numbers_between_them_and_other_values_none() -> None:
    assert between(4, 16) == 8
    assert between(1, 2) is None
    assert between(0, 4) is None
    assert between(False, True) is None
    assert between("pooled", "per_class") is None


def test_steps_beyond_both_ends_are_on_the_ladder_and_values_between_are_not() -> None:
    grid = [0.25, 1.0, 4.0]
    above, below = beyond(grid, 4.0), beyond(grid, 0.25)
    assert on_ladder(grid, above)
    assert on_ladder(grid, below)
    assert not on_ladder(grid, between(1.0, 4.0))
    assert on_ladder([False, True], False)
