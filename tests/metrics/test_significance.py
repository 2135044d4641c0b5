"""Intervals and tests on pairs: exact where a formula is known, and fair where nothing differs."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.metrics.significance import bootstrap_interval, sign_test


def test_the_interval_of_a_share_is_the_normal_one_for_many_documents():
    values = np.repeat([0.0, 1.0], [700, 300])
    found = bootstrap_interval(values, np.random.default_rng(0), resamples=4000)
    half = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert found.mean == 0.3
    np.testing.assert_allclose([found.low, found.high], [0.3 - half, 0.3 + half], atol=0.003)


def test_equal_documents_have_an_interval_of_no_width():
    assert bootstrap_interval(np.full(5, 0.25), np.random.default_rng(0)) == (0.25, 0.25, 0.25)


def test_the_sign_test_is_binomial_on_the_documents_that_differ():
    first = np.array([1, 1, 1, 1, 1, 0, 1, 0])
    second = np.array([0, 0, 0, 0, 0, 0, 1, 0])
    np.testing.assert_allclose(sign_test(first, second), 2 * 0.5**5)
    assert sign_test(first, second) == sign_test(second, first)
    assert sign_test(first, first) == 1.0


def test_lists_of_other_documents_are_refused():
    with pytest.raises(ValueError, match="same documents"):
        sign_test(np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="at least one document"):
        bootstrap_interval(np.array([]), np.random.default_rng(0))
