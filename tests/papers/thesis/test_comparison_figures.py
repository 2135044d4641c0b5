"""The figures of the comparison of methods."""

from __future__ import annotations

from reproduction.papers.thesis.comparison_figures import FAMILIES
from tests.papers.thesis.example import SPEC


def test_every_method_of_the_figure_has_a_name() -> None:
    compared = SPEC["measures"]["comparison"]["methods"]
    assert {method for methods in FAMILIES.values() for method in methods} == set(compared)
