"""Confidence of whole predictions: curves by hand, ties without order, and perplexity by hand."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.metrics.probability import coverage_curve, perplexity, selective_accuracy, set_calibration_error


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
    with pytest.raises(ValueError, match="as many confidences"):
        coverage_curve(np.ones(2), np.ones(3))


def test_perplexity_by_hand():
    text = np.array([[4 * np.log(0.25), 4.0], [np.log(0.5), 1.0], [np.nan, np.nan]])
    assert perplexity(text) == pytest.approx(np.exp(-(4 * np.log(0.25) + np.log(0.5)) / 5))
    assert np.isnan(perplexity(np.array([[0.0, 0.0]]))) and np.isinf(perplexity(np.array([[-np.inf, 3.0]])))
