"""A sweep counts at every threshold what deciding again at each would count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.naive.discounting import best_class_value, counts_of, sklearn_figures
from textmix.metrics.threshold import (
    accumulated_sets,
    accumulated_sweep,
    class_thresholds,
    threshold_sets,
    threshold_sweep,
)

SETTINGS = settings(deadline=None, derandomize=True, max_examples=150)
RULES = [(accumulated_sets, accumulated_sweep), (threshold_sets, threshold_sweep)]
GRID = st.integers(0, 32).map(lambda k: k / 32)


@st.composite
def scored(draw):
    """Draw scores with many ties, labels (rows of none, of all) and thresholds, some of them equal."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 5)))
    thresholds = draw(st.lists(GRID, min_size=1, max_size=8))
    return (
        draw(arrays.arrays(np.float64, shape, elements=GRID)),
        draw(arrays.arrays(np.bool_, shape)),
        np.array(thresholds),
    )


@pytest.mark.parametrize("rule", RULES, ids=["accumulated", "threshold"])
@SETTINGS
@given(case=scored())
def test_sweep_equals_deciding_at_each_threshold(rule, case):
    sets, sweep = rule
    scores, Y, thresholds = case
    swept = sweep(scores, Y, thresholds)
    np.testing.assert_array_equal(swept.thresholds, np.sort(thresholds))
    expected = [counts_of(sets(scores, threshold), Y) for threshold in np.sort(thresholds)]
    np.testing.assert_array_equal(np.column_stack([swept.detected, swept.correct, swept.exact]), expected)
    assert (swept.reference, swept.documents) == (Y.sum(), len(Y))


@pytest.mark.parametrize("rule", RULES, ids=["accumulated", "threshold"])
def test_figures_are_those_of_scikit_learn(rule):
    sets, sweep = rule
    generator = np.random.default_rng(5)
    scores = generator.dirichlet(np.full(6, 0.3), size=80)
    Y = generator.random((80, 6)) < scores + 0.1
    swept = sweep(scores, Y, np.linspace(0.01, 0.99, 40))
    figures = [sklearn_figures(sets(scores, threshold), Y) for threshold in swept.thresholds]
    np.testing.assert_allclose(np.column_stack([swept.precision, swept.recall, swept.set_error]), figures, atol=1e-15)
    np.testing.assert_allclose(
        swept.f1, 2 * swept.precision * swept.recall / (swept.precision + swept.recall), atol=1e-15
    )


def test_infinite_scores_and_thresholds_have_their_places():
    swept = threshold_sweep([[np.inf, -np.inf], [0.0, 1.0]], [[1, 0], [0, 1]], [-np.inf, -1e300, 0.5, np.inf])
    np.testing.assert_array_equal(swept.detected, [4, 3, 2, 1])
    np.testing.assert_array_equal(swept.exact, [0, 1, 2, 1])


def test_nothing_detected_is_never_wrong_and_nothing_to_find_never_missed():
    swept = threshold_sweep([[0.1], [0.2]], [[0], [0]], [0.15, 0.5])
    np.testing.assert_array_equal(swept.precision, [0.0, 1.0])
    np.testing.assert_array_equal(swept.recall, [1.0, 1.0])
    np.testing.assert_array_equal(swept.f1, [0.0, 1.0])
    np.testing.assert_array_equal(swept.set_error, [0.5, 0.0])


def test_lowest_set_error_is_the_lowest_of_equally_good_thresholds():
    swept = threshold_sweep([[0.9, 0.1], [0.8, 0.3]], [[1, 0], [1, 0]], [0.7, 0.2, 0.5, 0.4])
    np.testing.assert_array_equal(swept.exact, [1, 2, 2, 2])
    assert swept.thresholds[swept.lowest_set_error()] == 0.4


@pytest.mark.parametrize("criterion", ["errors", "f1"])
@SETTINGS
@given(case=scored())
def test_class_threshold_is_as_good_as_any(criterion, case):
    scores, Y, _ = case
    found = class_thresholds(scores, Y, default=np.inf, criterion=criterion)
    for label in range(scores.shape[1]):
        given_, member = scores[:, label] >= found[label], Y[:, label]
        correct, total = np.sum(given_ & member), given_.sum() + member.sum()
        value = 2 * correct / max(total, 1) if criterion == "f1" else -np.sum(given_ != member)
        assert value == best_class_value(scores[:, label], member, criterion)


def test_class_threshold_lies_half_way_to_the_next_score():
    found = class_thresholds([[0.9, 0.2], [0.7, np.inf], [0.3, 0.1]], [[1, 0], [1, 1], [0, 0]], default=0.5)
    np.testing.assert_allclose(found, [0.5, np.inf])


def test_class_without_documents_keeps_the_common_threshold():
    np.testing.assert_array_equal(class_thresholds([[0.9, 0.2], [0.1, 0.4]], [[1, 0], [0, 0]], default=7.0), [0.5, 7.0])


def test_class_of_few_documents_keeps_the_common_threshold():
    scores, Y = [[0.9, 0.9], [0.8, 0.2], [0.1, 0.1]], [[1, 1], [1, 0], [0, 0]]
    np.testing.assert_allclose(class_thresholds(scores, Y, default=7.0, least=2), [0.45, 7.0])


def test_class_whose_classifier_knows_nothing_keeps_the_common_threshold():
    # Both documents of a class that training has not seen: to give it to all would be the best F1.
    scores, Y = [[-np.inf, 0.9], [-np.inf, 0.3]], [[1, 1], [1, 0]]
    np.testing.assert_array_equal(class_thresholds(scores, Y, default=7.0, criterion="f1"), [7.0, 0.6])
    np.testing.assert_array_equal(class_thresholds([[2.0], [-np.inf]], [[1], [1]], default=7.0, criterion="f1"), [2.0])


def test_threshold_between_neighbouring_numbers_is_the_upper():
    upper = np.nextafter(0.5, 1.0)
    assert class_thresholds([[upper], [0.5]], [[1], [0]], default=9.0) == upper


def test_unknown_criterion_is_refused():
    with pytest.raises(ValueError, match="errors, f1"):
        class_thresholds([[0.5]], [[1]], default=0.5, criterion="recall")
