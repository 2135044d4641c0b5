"""Probabilities: calibration by bins, confidence of whole predictions, and perplexity, by hand; what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from textmix.metrics.probability import (
    calibration_error,
    coverage_curve,
    perplexity,
    selective_accuracy,
    set_calibration_error,
)


def test_calibration_error_is_that_of_the_definition():
    # The errors of the two bins have opposite signs, so that one bin for all would show almost none.
    probability, right = np.array([0.05, 0.05, 0.95, 1.0]), np.array([0, 1, 1, 0])
    assert calibration_error(probability, right, bins=10) == pytest.approx((0.9 + 0.95) / 4)
    assert calibration_error(probability, right, bins=1) == pytest.approx(0.05 / 4)


def test_a_probability_at_an_edge_is_in_the_bin_above_it_but_for_one():
    # A bin for 0.25 and 0.3, and one for 0.75 and 1; with the edge below, 0.25 would be alone.
    probability, right = np.array([0.25, 0.3, 0.75, 1.0]), np.array([1, 0, 1, 0])
    assert calibration_error(probability, right, bins=4) == pytest.approx((0.45 + 0.75) / 4)


def test_calibration_of_no_probability_is_nan_and_of_nonsense_an_error():
    assert math.isnan(calibration_error(np.array([np.nan, 0.5]), np.array([1, 0])))
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibration_error(np.array([1.5]), np.array([1]))
    with pytest.raises(ValueError, match="same shape"):
        calibration_error(np.array([0.5]), np.array([1, 0]))


@pytest.mark.parametrize("beyond", [1e-9, 1e-7, 1e-5, 1e-3])
def test_a_probability_may_lie_outside_by_rounding_alone(beyond):
    for probability in (-beyond, 1.0 + beyond):
        if beyond < 1e-6:
            assert calibration_error(np.array([probability]), np.array([1])) == pytest.approx(abs(1.0 - probability))
        else:
            with pytest.raises(ValueError, match="between 0 and 1"):
                calibration_error(np.array([probability]), np.array([1]))


def test_the_accuracy_at_each_coverage_by_hand():
    confidence, right = np.array([0.2, 0.9, 0.5, 0.7]), np.array([False, True, True, False])
    np.testing.assert_allclose(coverage_curve(confidence, right), [1.0, 1 / 2, 2 / 3, 2 / 4])
    assert selective_accuracy(confidence, right) == pytest.approx((1 + 1 / 2 + 2 / 3 + 1 / 2) / 4)


def test_the_order_of_equal_confidences_plays_no_part():
    confidence, right = np.array([0.5, 0.9, 0.5, 0.5]), np.array([True, False, False, True])
    order = np.array([3, 2, 1, 0])
    np.testing.assert_allclose(coverage_curve(confidence, right), coverage_curve(confidence[order], right[order]))
    np.testing.assert_allclose(coverage_curve(confidence, right)[1], (0 + 2 / 3) / 2)


def test_a_calibrated_confidence_has_no_error_and_a_wrong_one_has():
    right = np.arange(100) < 80
    assert set_calibration_error(np.full(100, 0.8), right) == pytest.approx(0.0, abs=1e-12)
    assert set_calibration_error(np.full(100, 0.3), right) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="same shape"):
        coverage_curve(np.ones(2), np.ones(3))


def test_perplexity_by_hand():
    text = np.array([[4 * np.log(0.25), 4.0], [np.log(0.5), 1.0], [np.nan, np.nan]])
    assert perplexity(text) == pytest.approx(np.exp(-(4 * np.log(0.25) + np.log(0.5)) / 5))
    assert np.isnan(perplexity(np.array([[0.0, 0.0]]))) and np.isinf(perplexity(np.array([[-np.inf, 3.0]])))
