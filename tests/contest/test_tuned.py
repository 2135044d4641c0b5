"""The choices of tuning, and choices at an end of a grid."""

from __future__ import annotations

import re

from tests.contest.example import corpus, fit_in_comparison
from textmix.contest.tuned import at_the_end, chosen_points


def test_what_tuning_chose_is_counted(tmp_path):
    tune = {"grid": {"smoothing": [0.01, 0.1]}, "folds": 2, "metric": "accuracy"}
    (predictions, _), _ = fit_in_comparison(corpus(), "multinomial", tune=tune)
    predictions.save(tmp_path / "folder", {})
    points = chosen_points(tmp_path / "folder")
    assert sum(points.values()) == 2
    assert all(re.fullmatch(r"view=words;weighting=counts;smoothing=[\d.]+", point) for point in points)


def test_a_choice_at_an_end_of_its_grid_is_named() -> None:
    grid = {"smoothing": [0.1, 1.0, 10.0], "kind": ["a", "b", "c"], "two": [1, 2]}
    points = {"smoothing=100000.0;kind=a;two=2": 3, "smoothing=1.0;kind=c;two=2": 2}
    assert at_the_end(points, grid) == ["smoothing"]
    assert at_the_end({**points, "smoothing=1.0;kind=b;two=1": 2}, grid) == []
    assert at_the_end({}, grid) == []


def test_an_end_of_the_grid_beyond_which_a_value_was_tried_is_no_end() -> None:
    assert at_the_end({"C=10.0": 3}, {"C": [0.1, 1.0, 10.0]}) == []
    assert at_the_end({"C=100000.0": 3}, {"C": [0.1, 1.0, 10.0]}) == ["C"]
    assert at_the_end({"delta=0.9": 3}, {"delta": [0.3, 0.6, 0.9]}) == ["delta"]
    assert at_the_end({"n=1": 3}, {"n": [1, 4, 16]}) == ["n"]
