"""The two-piece approximation of the digamma function."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from reproduction.papers.edcm import weights


def test_two_pieces_are_near_the_digamma():
    z = np.array([1e-4, 0.05, 1.0, 3.0, 30.0])
    np.testing.assert_allclose(weights.approximate_digamma(z), digamma(z), rtol=0.25)
    assert weights.approximate_digamma(np.array([0.01]))[0] == pytest.approx(digamma(0.01), abs=0.02)
