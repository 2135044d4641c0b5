"""The memory of a call."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from textmix.experiment.profiling import profile


@pytest.mark.parametrize("kept", [False, True])
def test_memory_of_a_call_is_what_it_took(kept):
    if kept and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        # As in a job after an earlier fit: the process keeps what it frees.
        mallopt(-4, 0)
        mallopt(-1, 2**31 - 1)
        np.ones(8_000_000)
    _, cost = profile(lambda: np.ones(8_000_000).sum())
    assert cost["seconds"] > 0
    assert cost["bytes"] is None or 50e6 < cost["bytes"] < 90e6
    assert profile(lambda: None)[1]["bytes"] in (None, *range(2_000_000))
