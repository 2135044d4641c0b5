"""Seeds: purposes that differ in any axis draw other numbers, and a purpose draws the same ones for ever."""

from __future__ import annotations

import itertools

from textmix.numerics.seeding import rng


def test_purposes_that_are_cut_in_other_places_draw_other_numbers() -> None:
    purposes = [(1, "2"), (12,), (1, "2", ""), (1, "ab", "c"), (1, "a", "bc"), (1, "a", "b", "c"), (1, "abc")]
    drawn = [rng(*purpose).integers(2**63) for purpose in purposes]
    assert all(one != other for one, other in itertools.combinations(drawn, 2))


def test_the_numbers_of_a_purpose_stay_as_they_were() -> None:
    assert rng(0, "machines").integers(2**63) == 5816752641923399971
    assert rng(7, "newsgroups", "split", 3).integers(2**63) == 919275298505193616
