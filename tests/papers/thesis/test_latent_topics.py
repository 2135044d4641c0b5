"""Latent topics beside the models of the thesis."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from reproduction.papers.thesis.latent_topics import chosen, latent_topics, nats, pooled_topics
from tests.papers.thesis.example import source
from textmix.experiment.trial import Documents
from textmix.models.naive_bayes.multinomial import MultinomialClassifier


def test_the_likeliest_smoothing_is_chosen() -> None:
    documents = Documents(sparse.csr_array(np.tile([[5, 0], [0, 5]], (10, 1))), np.tile([0, 1], 10))
    model = chosen(MultinomialClassifier, [{"smoothing": 10.0}, {"smoothing": 0.01}], documents)
    assert model.smoothing == 0.01
    assert nats(model, documents) < 0.1


def test_topics_and_dcm_are_measured_on_the_same_documents() -> None:
    settings = {"documents": 30, "topics": [2], "betas": [0.1], "smoothing": [0.1], "particles": 2, "max_iter": 2}
    measure = latent_topics({"made": source()}, settings, np.random.default_rng(0)).values
    np.testing.assert_allclose(
        measure["made_dcm_above_lda2"], measure["made_dcm_nats"].mean - measure["made_lda2_nats"].mean
    )
    assert measure["made_lda2_bound_nats"].mean > 0
    for name in ("multinomial", "dcm", "edcm", "pmm1", "lda2"):
        assert 0.3 < measure[f"made_{name}_accuracy"].mean <= 1.0
    # With one label a document PMM1 is naive Bayes with another smoothing.
    assert abs(measure["made_pmm1_accuracy"].mean - measure["made_multinomial_accuracy"].mean) < 0.1


def test_one_lda_for_all_classes_does_not_see_the_classes() -> None:
    settings = {"documents": 30, "topics": [2], "betas": [0.1], "smoothing": [0.1], "particles": 2, "max_iter": 2}
    made = source()
    pooled = pooled_topics({"made": made}, settings, np.random.default_rng(0)).values
    apart = latent_topics({"made": made}, settings, np.random.default_rng(0)).values
    assert pooled["made_dcm_nats"] == apart["made_dcm_nats"], "the same documents"
    assert pooled["made_lda2_nats"].mean != apart["made_lda2_nats"].mean
    np.testing.assert_allclose(
        pooled["made_dcm_above_lda2"], pooled["made_dcm_nats"].mean - pooled["made_lda2_nats"].mean
    )
