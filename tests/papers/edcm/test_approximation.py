"""How near the EDCM is to the DCM."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reproduction.papers.edcm import approximation as likeness
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier


def test_log_probabilities_are_those_of_the_models(source):
    documents = Documents(source.corpus.features, source.corpus.classes())
    true_class = np.arange(len(documents.y)), documents.y
    for kind, function, name in (
        (DCMClassifier, likeness.log_dcm, "alpha_"),
        (EDCMClassifier, likeness.log_edcm, "beta_"),
    ):
        model = kind().fit(documents.X, documents.y)
        for convention in ("bag", "sequence"):
            expected = model.log_likelihood(documents.X, convention)[true_class]
            np.testing.assert_allclose(function(documents, getattr(model, name), convention), expected, rtol=1e-9)


def test_gamma_error_is_about_alpha_times_a_harmonic_number():
    error = likeness.relative_error(np.array([1, 2, 5, 20]), np.full(4, 0.01))
    exact = [abs(math.gamma(x) * a * math.gamma(a) / math.gamma(x + a) - 1) for x, a in ((2, 0.01), (5, 0.01))]
    assert error[0] == pytest.approx(0, abs=1e-12)
    assert error[1:3] == pytest.approx(exact)
    assert error[3] == pytest.approx(0.036, abs=0.002)


def test_early_steps_stand_between_both_models(measured):
    rows = measured[0]["dcm_parameters"].tables["steps"]
    assert [row["steps"] for row in rows] == [0, 1, 2, "converged"]
    assert rows[0]["correlation_alpha_beta"] == pytest.approx(1.0)
