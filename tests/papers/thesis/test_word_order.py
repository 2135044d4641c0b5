"""The measures of the thesis on small made documents, and that its checks name what the measures give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reproduction.flow.measures import Quantities, Repeated, run_measure
from reproduction.papers.thesis.word_order import transitions_apart
from tests.papers.thesis.example import SPEC, source
from textmix.core.config import load_yaml_strict

PAPER = Path(__file__).parents[3] / "config/papers/thesis"


def test_differences_have_intervals_over_the_trials() -> None:
    values = Quantities({"news": 0.0})
    for a, b in ((1.0, 0.5), (2.0, 1.0), (1.5, 0.75)):
        values.add("news", {"a": a, "b": b})
    assert values.means()["news_a"] == Repeated([1.0, 2.0, 1.5])
    ends = values.differences({"gain": ("a", "b"), "above": ("a", "")}, ["news"])
    assert ends["news_gain"] == pytest.approx(0.75)
    assert ends["news_gain_ci_low"] == pytest.approx(0.75 - 4.302653 * 0.25 / 3**0.5)
    assert ends["news_above"] == 1.5
    assert values.rows()[0] == {"role": "news", "name": "a", "trial": 0, "value": 1.0}


def test_equal_transitions_lie_nowhere_apart() -> None:
    transitions, other = np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([[0.1, 0.9], [0.9, 0.1]])
    assert transitions_apart(np.array([transitions, transitions])) == 0.0
    mean = 0.9 * np.log(0.9 / 0.5) + 0.1 * np.log(0.1 / 0.5)
    assert transitions_apart(np.array([transitions, other])) == pytest.approx(mean)


def test_word_order_gives_what_the_checks_name() -> None:
    data = source()
    settings = {
        **SPEC["measures"]["word_order"]["settings"],
        **{"documents": 25, "clusters": 4, "states": dict.fromkeys(("small", "whole", "own", "shared"), 2)},
        **{"lsi": {"n_components": [2], "width": [0.4]}, "max_iter": 5},
    }
    result = run_measure(
        "thesis",
        "word_order.word_order",
        dict.fromkeys(("bbc", "newsgroups"), data),
        settings,
        np.random.default_rng(0),
    )
    for name, check in load_yaml_strict(PAPER / "checks.yaml").items():
        for locator in check["left"]:
            measure, key = locator.removeprefix("measure:").split("/")
            if measure == "word_order":
                assert {key, f"{key}_ci_low", f"{key}_ci_high"} <= set(result.values), name
