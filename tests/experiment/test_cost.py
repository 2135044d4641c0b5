"""The memory of a call."""

from __future__ import annotations

import numpy as np

from textmix.experiment.cost import measured

# --- costs ------------------------------------------------------------------------------------------------------------


def test_memory_of_a_call_is_what_it_took():
    _, cost = measured(lambda: np.ones(8_000_000).sum())
    assert cost["seconds"] > 0
    assert cost["bytes"] is None or 50e6 < cost["bytes"] < 90e6
    assert measured(lambda: None)[1]["bytes"] in (None, *range(2_000_000))
