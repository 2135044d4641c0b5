"""Figures of the matrix: every method is in them once, bars and front are what was computed, bytes repeat."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from textmix.contest import figures as matrix
from textmix.contest.figures import Point, accuracy_against_time, critical_difference, front
from textmix.metrics import ranking

NAMES = ["EDCM", "DCM", "naive Bayes", "k nearest", "logistic"]
RANKS = [1.4, 1.9, 3.0, 4.2, 4.5]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return the figures that were drawn."""
    figures: list[Figure] = []
    whole = matrix.svg_bytes
    monkeypatch.setattr(matrix, "svg_bytes", lambda figure, title: figures.append(figure) or whole(figure, title))
    return figures


def test_the_diagram_has_every_method_and_a_bar_for_every_group(drawn: list[Figure]) -> None:
    groups = ranking.cliques(np.array(RANKS), 1.7)
    critical_difference(NAMES, RANKS, groups, 1.7, "Synthetic")
    (axes,) = drawn[0].axes
    texts = " ".join(text.get_text() for text in axes.texts)
    for name, rank in zip(NAMES, RANKS, strict=True):
        assert texts.count(name) == 1 + (name == "DCM") and f"{rank:.2f}" in texts
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 3.2]
    wanted = [[min(RANKS[i] for i in g) - 0.03, max(RANKS[i] for i in g) + 0.03] for g in groups]
    np.testing.assert_allclose(bars, wanted)
    assert "critical difference 1.70" in texts


def test_the_scale_of_the_difference_is_that_of_the_ranks(drawn: list[Figure]) -> None:
    critical_difference(NAMES, RANKS, [], 1.7, "Synthetic")
    bar = next(line for line in drawn[0].axes[0].lines if line.get_linewidth() == 1.6)
    assert list(bar.get_xdata()) == [1, 2.7]
    critical_difference(NAMES, RANKS, [(0, 1, 2, 3, 4)], np.inf, "Synthetic")
    assert "critical" not in " ".join(text.get_text() for text in drawn[1].axes[0].texts)


def test_the_front_holds_what_nothing_beats() -> None:
    rng = np.random.default_rng(0)
    points = [Point(str(i), v, v, v, s) for i, (v, s) in enumerate(rng.integers(0, 6, (40, 2)).astype(float))]
    indices = front(points)
    for i, p in enumerate(points):
        beaten = any(
            q.value >= p.value and q.seconds <= p.seconds and (q.value, q.seconds) != (p.value, p.seconds)
            for q in points
        )
        if i in indices:
            assert not beaten
        else:
            assert beaten or any((points[j].value, points[j].seconds) == (p.value, p.seconds) for j in indices)


def test_the_picture_numbers_methods_in_order_of_score(drawn: list[Figure]) -> None:
    points = [Point("a", 0.7, 0.6, 0.8, 1.0), Point("b", 0.9, -np.inf, np.inf, 10.0), Point("c", 0.6, 0.5, 0.7, 5.0)]
    accuracy_against_time(points, "accuracy", "Synthetic")
    panel, key = drawn[0].axes
    assert [text.get_text() for text in key.texts] == ["1", "b", "2", "a", "3", "c"]
    assert [text.get_text() for text in panel.texts] == ["1", "2", "3"]
    (step,) = [line for line in panel.lines if line.get_label() == "Pareto front"]
    assert list(step.get_xdata()) == [1.0, 10.0, 10.0] and list(step.get_ydata()) == [0.7, 0.9, 0.9]
    bold = [text.get_text() for text in key.texts if text.get_weight() == "bold"]
    assert bold == ["1", "b", "2", "a"]


def test_bytes_repeat() -> None:
    points = [Point(name, 0.8 - rank / 10, 0.0, 1.0, rank) for name, rank in zip(NAMES, RANKS, strict=True)]
    for draw in (
        lambda: critical_difference(NAMES, RANKS, [(0, 1)], 1.0, "Synthetic"),
        lambda: accuracy_against_time(points, "accuracy", "Synthetic"),
    ):
        first = draw()
        assert first == draw() and not re.search(rb"\d{4}-\d\d-\d\d", first)
