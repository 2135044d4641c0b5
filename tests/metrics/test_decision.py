"""The two decision rules: what they give at every threshold, at ties and at the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from tests.naive.discounting import accumulated_set, threshold_set
from textmix.metrics.threshold import (
    accumulated_sets,
    accumulated_sweep,
    class_thresholds,
    threshold_sets,
    threshold_sweep,
)

SETTINGS = settings(deadline=None, derandomize=True, max_examples=200)
#: Multiples of 1/64 add up without rounding, so that a threshold can be met exactly.
SHARES = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.integers(0, 64).map(lambda k: k / 64)
)
THRESHOLDS = st.integers(0, 64).map(lambda k: k / 64)


@SETTINGS
@given(scores=SHARES, threshold=THRESHOLDS)
def test_accumulated_sets_are_those_of_exact_arithmetic(scores, threshold):
    expected = [accumulated_set(row, threshold) for row in scores]
    np.testing.assert_array_equal(accumulated_sets(scores, threshold), expected)


@SETTINGS
@given(scores=SHARES, low=THRESHOLDS, high=THRESHOLDS)
def test_accumulated_sets_grow_with_the_threshold_and_are_never_empty(scores, low, high):
    small, large = (accumulated_sets(scores, threshold) for threshold in sorted((low, high)))
    assert (small <= large).all()
    assert small.any(axis=1).all()


@pytest.mark.parametrize("power", [3, 9, 15])
def test_thresholds_near_one_tell_posteriors_near_one_apart(power):
    # In a sum from the largest, 1 - 1e-15 + 1e-16 is 1 - 1e-15: only the sum from the smallest sees the difference.
    rest = 10.0**-power
    scores = [[1 - 2 * rest, 1.5 * rest, 0.5 * rest]]
    np.testing.assert_array_equal(accumulated_sets(scores, 1 - 4 * rest), [[1, 0, 0]])
    np.testing.assert_array_equal(accumulated_sets(scores, 1 - rest), [[1, 1, 0]])
    np.testing.assert_array_equal(accumulated_sets(scores, 1 - rest / 4), [[1, 1, 1]])


@SETTINGS
@given(scores=SHARES, data=st.data())
def test_threshold_sets_are_decided_label_by_label(scores, data):
    limits = data.draw(arrays.arrays(np.float64, scores.shape[1], elements=THRESHOLDS))
    expected = [threshold_set(row, limits) for row in scores]
    np.testing.assert_array_equal(threshold_sets(scores, limits), expected)
    np.testing.assert_array_equal(threshold_sets(scores, 0.5), scores >= 0.5)


@SETTINGS
@given(scores=SHARES, data=st.data())
def test_no_set_is_empty_on_demand_and_a_set_that_was_none_keeps_its_labels(scores, data):
    few = [*np.linspace(0, 1, 5), np.inf]
    thresholds = np.array(data.draw(st.lists(st.sampled_from(few), min_size=scores.shape[1], max_size=scores.shape[1])))
    plain, full = threshold_sets(scores, thresholds), threshold_sets(scores, thresholds, never_empty=True)
    for row, before, after in zip(scores, plain, full, strict=True):
        if before.any():
            np.testing.assert_array_equal(after, before)
        else:
            nearest = min(range(len(row)), key=lambda label: (thresholds[label] - row[label], -row[label], label))
            assert np.flatnonzero(after).tolist() == [nearest]


def test_a_score_at_the_threshold_reaches_it_and_infinite_scores_are_scores():
    scores = [[0.3, 0.5, np.inf, -np.inf]]
    np.testing.assert_array_equal(threshold_sets(scores, 0.5), [[False, True, True, False]])
    np.testing.assert_array_equal(threshold_sets(scores, -np.inf), [[True, True, True, True]])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.5, np.nan]], "not a number"),
        ([[0.5, -0.1]], "negative"),
        ([[0.5, np.inf]], "finite"),
        ([0.5, 0.5], "dimensions"),
        (np.empty((2, 0)), "no columns"),
    ],
)
def test_scores_that_are_no_shares_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        accumulated_sets(scores, 0.5)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan])
def test_accumulated_thresholds_outside_of_zero_to_one_are_refused(threshold):
    with pytest.raises(ValueError, match="between 0 and 1"):
        accumulated_sets([[1.0]], threshold)
    with pytest.raises(ValueError, match="between 0 and 1"):
        accumulated_sweep([[1.0]], [[1]], [0.5, threshold])


def test_a_score_that_is_not_a_number_is_refused():
    with pytest.raises(ValueError, match="not a number"):
        threshold_sets([[np.nan]], 0.5)


def test_labels_of_another_shape_and_no_documents_are_refused():
    with pytest.raises(ValueError, match=r"shape \(1, 2\).*\(1, 3\)"):
        threshold_sweep([[0.1, 0.2, 0.3]], [[1, 0]], [0.5])
    with pytest.raises(ValueError, match="no document"):
        class_thresholds(np.empty((0, 2)), np.empty((0, 2)), default=0.5)


def test_sparse_labels_are_labels():
    Y = np.array([[1, 0], [1, 1]])
    dense, packed = (threshold_sweep([[0.9, 0.2], [0.6, 0.7]], labels, [0.5]) for labels in (Y, sparse.csr_array(Y)))
    assert (dense.exact, dense.correct) == (packed.exact, packed.correct) == ([2], [3])
