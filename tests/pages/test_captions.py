"""Legends say what is drawn: no mark without a word."""

from __future__ import annotations

import pytest

from reproduction.pages.marks import Printed, legend, published_line
from reproduction.pages.style import panels, style
from tests.pages.drawings import assert_explained
from textmix.metrics.significance import wilson


def test_wilson_by_hand() -> None:
    low, high = wilson(0.5, 100)
    assert (low, high) == pytest.approx((0.40383, 0.59617), abs=1e-5)
    assert wilson(0.0, 10)[0] == pytest.approx(0.0) and wilson(1.0, 10)[1] == pytest.approx(1.0)


def test_a_line_without_a_word_is_found() -> None:
    with style():
        figure, (axes,) = panels(1)
        published_line(axes, Printed(0.5))
        legend(figure)
        assert_explained(figure)
        axes.axhline(0.25, linestyle="--")
        with pytest.raises(AssertionError, match="has no word"):
            assert_explained(figure)
