"""Densities of sparse counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

from reproduction.flow.measures import MeasureData
from reproduction.papers.thesis.sparse_counts import dcm_log_probabilities, log_densities, sparse_counts
from textmix.models.dirichlet.dcm import DCMClassifier


def test_densities_are_those_of_scipy() -> None:
    X = sparse.csr_array(np.array([[2, 0, 1], [0, 3, 0]]))
    alpha = np.array([0.5, 2.0, 1.5])
    smoothed = X.toarray() + 0.01
    expected = [stats.dirichlet.logpdf(row / row.sum(), alpha) for row in smoothed]
    np.testing.assert_allclose(log_densities(X, alpha, 0.01), expected)
    expected = [stats.dirichlet_multinomial.logpmf(row, alpha, row.sum()) for row in X.toarray()]
    np.testing.assert_allclose(dcm_log_probabilities(X, alpha), expected)


def test_the_density_of_sparse_counts_has_no_limit(data: MeasureData) -> None:
    settings = {"smoothing": [0, -3, -6, -9], "label": 0}
    values = sparse_counts({"made": data}, settings, np.random.default_rng(0)).values
    raised = [values[f"raised_{number}"] for number in range(4)]
    assert raised == sorted(raised, reverse=True) and raised[3] < 2 * raised[1]
    rows = data.splits.train[0]
    X = data.corpus.features[rows[data.corpus.classes()[rows] == 0]]
    model = DCMClassifier(smoothing=0.0).fit(X, np.zeros(X.shape[0], dtype=int))
    assert values["dcm"] == pytest.approx(dcm_log_probabilities(X, model.alpha_[0]).mean())
