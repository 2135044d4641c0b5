"""Latent topics beside the models of the thesis."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

from reproduction.flow.measures import MeasureData
from reproduction.papers.thesis.generative import (
    dcm_log_probabilities,
    fit_most_likely,
    join,
    latent_topics,
    log_densities,
    longer,
    nats,
    pooled_topics,
    samples,
    sparse_counts,
    thin,
    thinned,
)
from tests.papers.thesis.example import source
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.topics.lda import LDAClassifier


def test_the_likeliest_smoothing_is_chosen() -> None:
    documents = Documents(sparse.csr_array(np.tile([[5, 0], [0, 5]], (10, 1))), np.tile([0, 1], 10))
    model = fit_most_likely(MultinomialClassifier, [{"smoothing": 10.0}, {"smoothing": 0.01}], documents)
    assert model.smoothing == 0.01
    assert nats(model, documents) < 0.1


def test_the_perplexity_of_topics_is_that_under_the_own_class_of_each_document() -> None:
    documents = next(samples(source().documents(), source().splits, 40, np.random.default_rng(0))).train
    model = documents.fitted(LDAClassifier(n_components=2, random_state=0))
    every = model.log_likelihood(documents.X, "sequence")
    own = every[np.arange(len(documents)), np.searchsorted(model.classes_, documents.y)]
    assert len(model.classes_) > 1 and nats(model, documents) == -own.sum() / documents.X.sum()


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


def test_joined_documents_are_sums_within_a_class() -> None:
    X = sparse.csr_array(np.arange(10).reshape(5, 2))
    sums, labels = join(X, np.array([0, 1, 0, 1, 0]), 2)
    assert labels.tolist() == [0, 0, 1]
    assert sums.toarray().tolist() == [[0 + 4, 1 + 5], [8, 9], [2 + 6, 3 + 7]]
    alone, labels = join(X, np.zeros(5, dtype=int), 1)
    assert alone.toarray().tolist() == X.toarray().tolist() and len(labels) == 5


def test_thinned_documents_keep_each_occurrence_by_chance() -> None:
    X = sparse.csr_array(np.array([[4000, 0, 2], [1, 8000, 0]]))
    thinned_counts = thin(X, 0.25, np.random.default_rng(0))
    assert (thinned_counts.toarray() <= X.toarray()).all()
    np.testing.assert_allclose([thinned_counts[0, 0], thinned_counts[1, 1]], [1000, 2000], rtol=0.1)
    assert (thinned_counts.data > 0).all() and (thin(X, 1.0, np.random.default_rng(0)) != X).nnz == 0


def test_long_documents_alone_are_thinned() -> None:
    data, settings = source(), {"percent": [20, 100], "words": 0, "smoothing": [0.1]}
    every = thinned({"made": data}, settings, np.random.default_rng(0)).values
    length = np.asarray(data.corpus.features.sum(axis=1)).ravel()
    long = thinned({"made": data}, {**settings, "words": int(np.median(length))}, np.random.default_rng(0)).values
    for measure in (every, long):
        gains = [measure[f"made_multinomial_{m}_nats"].mean - measure[f"made_dcm_{m}_nats"].mean for m in (20, 100)]
        np.testing.assert_allclose(measure["made_dcm_nats_growth"], gains[1] - gains[0])
    assert every["made_dcm_100_nats"] != long["made_dcm_100_nats"]


def test_growth_is_the_gain_at_most_joined_less_that_at_one() -> None:
    measure = longer({"made": source()}, {"joined": [1, 2], "smoothing": [0.1]}, np.random.default_rng(0)).values

    def gain(m: int) -> float:
        """Return the mean gain of the DCM in likelihood."""
        return measure[f"made_multinomial_{m}_nats"].mean - measure[f"made_dcm_{m}_nats"].mean

    np.testing.assert_allclose(measure["made_dcm_nats_growth"], gain(2) - gain(1))
    assert measure["made_dcm_nats_growth_ci_low"] <= measure["made_dcm_nats_growth"]


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
