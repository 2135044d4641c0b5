"""Numbers are read as Python reads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given

from tests.data.readers.numbers import NUMBERS, quick
from textmix.data import number_kernels as kernels


@quick
@given(NUMBERS)
@example("123456789012345678")
@example("0.1e-21")
def test_a_number_is_the_double_that_python_reads(text: str) -> None:
    value, after, state = kernels.read_number(np.frombuffer(text.encode(), dtype=np.uint8), 0)
    assert after == len(text)
    if state == kernels.EXACT:
        assert value == float(text)
    else:
        assert state == kernels.LONG
        assert np.isnan(value)


@pytest.mark.parametrize("text", ["", ".", "-", "+", "e5", "1e", "1e+", "nan", "inf", "-inf", "?", "x", "--1", "'1'"])
def test_what_is_no_number_is_refused(text: str) -> None:
    assert kernels.read_number(np.frombuffer(text.encode(), dtype=np.uint8), 0)[2] == kernels.BAD


def test_the_fast_path_covers_ordinary_numbers() -> None:
    """Otherwise the kernel would silently fall back to Python for all of them."""
    for text in ("3", "0.983225", "-12.5e-3", "1e22", "9007199254740992"):
        assert kernels.read_number(np.frombuffer(text.encode(), dtype=np.uint8), 0)[2] == kernels.EXACT
