"""The promises of all count classifiers: invariances, exact weights and batches, probabilities, draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.early_stops import may_stop_early
from tests.naive.multinomial import corpus
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import DirichletSmoothedClassifier, MultinomialClassifier

MODELS = (MultinomialClassifier, DirichletSmoothedClassifier, EDCMClassifier, DCMClassifier)
INCREMENTAL = (MultinomialClassifier, DirichletSmoothedClassifier, EDCMClassifier)
seeds = st.integers(0, 2**32 - 1)
every_model = pytest.mark.parametrize("kind", MODELS)


def same(first: Any, second: Any, X: np.ndarray, rtol: float = 1e-9) -> None:
    """Assert that two models give the same joint probabilities."""
    left, right = first.predict_joint_log_proba(X), second.predict_joint_log_proba(X)
    np.testing.assert_allclose(left, right, rtol=rtol, atol=1e-8)


@every_model
@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=15)
def test_permuting_documents_words_and_classes_permutes_the_results(kind: Any, seed: int) -> None:
    X, y = corpus(seed)
    rng = np.random.default_rng(seed)
    documents, words = rng.permutation(len(X)), rng.permutation(X.shape[1])
    model = kind().fit(X, y)
    same(kind().fit(X[documents], y[documents]), model, X)
    joint = model.predict_joint_log_proba(X)
    again = kind().fit(X[:, words], y).predict_joint_log_proba(X[:, words])
    np.testing.assert_allclose(again, joint, rtol=1e-9, atol=1e-8)
    again = kind().fit(X, 2 - y).predict_joint_log_proba(X)
    np.testing.assert_allclose(again[:, ::-1], joint, rtol=1e-9, atol=1e-8)


@every_model
@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=15)
def test_weights_equal_copies_and_no_weight_equals_absence(kind: Any, seed: int) -> None:
    X, y = corpus(seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    weight[:3] = 1
    copies = np.repeat(np.arange(len(y)), weight)
    same(kind().fit(X, y, sample_weight=weight), kind().fit(X[copies], y[copies]), X)
    same(kind().fit(np.vstack([X, X]), np.tile(y, 2)), kind().fit(X, y, sample_weight=np.full(len(y), 2.0)), X)


@pytest.mark.parametrize("kind", INCREMENTAL)
@given(seeds, st.integers(1, 15))
@settings(deadline=None, derandomize=True, max_examples=15)
def test_batches_equal_one_fit(kind: Any, seed: int, cut: int) -> None:
    X, y = corpus(seed)
    parts = kind().partial_fit(X[:cut], y[:cut], classes=[0, 1, 2]).partial_fit(X[cut:], y[cut:])
    same(parts, kind().fit(X, y), X, rtol=1e-12)


@pytest.mark.parametrize("kind", INCREMENTAL)
def test_a_part_that_is_refused_leaves_no_trace(kind: Any) -> None:
    X, y = corpus(0)
    wrong = [(-X, y, {}), (X, y + 1, {}), (X, y, {"sample_weight": -np.ones(len(y))}), (X, y[:-1], {})]
    model = kind()
    with pytest.raises(ValueError, match="classes is missing"):
        model.partial_fit(X, y)
    for documents, labels, weights in wrong:
        with pytest.raises(ValueError):
            model.partial_fit(documents[:, :-1], labels, classes=[0, 1, 2, 9], **weights)
        assert not hasattr(model, "classes_") and not hasattr(model, "class_count_")
    model.partial_fit(X, y, classes=[0, 1, 2])
    same(model, kind().fit(X, y), X, rtol=1e-12)
    for documents, labels, weights in wrong:
        with pytest.raises(ValueError):
            model.partial_fit(documents, labels, **weights)
    with pytest.raises(ValueError, match=r"classes=\[0, 1\] are not those of the first call, \[0, 1, 2\]; leave"):
        model.partial_fit(X, y, classes=[0, 1])
    same(model, kind().fit(X, y), X, rtol=1e-12)


@pytest.mark.parametrize("kind", INCREMENTAL)
def test_parts_follow_a_fit_that_was_refused(kind: Any) -> None:
    X, y = corpus(0)
    model = kind()
    with pytest.raises(ValueError):
        model.fit(X, y, sample_weight=-np.ones(len(y)))
    same(model.partial_fit(X, y, classes=[0, 1, 2]), kind().fit(X, y), X, rtol=1e-12)


@may_stop_early
@every_model
def test_counts_beyond_32_bits_are_exact(kind: Any) -> None:
    X, y = corpus(3)
    X = X.astype(np.int64)
    X[8, 2] = 2**31 + 7
    X[9, 3] = 2**40
    model = kind().fit(X, y)
    joint = model.predict_joint_log_proba(X)
    assert np.all(np.isfinite(joint))
    same(kind().fit(X.astype(np.float64), y), model, X, rtol=1e-12)


@every_model
def test_an_empty_document_gets_the_prior(kind: Any) -> None:
    X, y = corpus(4)
    model = kind(delta=0.5).fit(X, y)
    empty = np.zeros((1, X.shape[1]), dtype=int)
    np.testing.assert_allclose(model.predict_log_proba(empty)[0], model.class_log_prior_, rtol=1e-12)
    assert model.log_likelihood(empty).tolist() == [[0.0] * 3]


@every_model
def test_probabilities_are_those_of_the_joint(kind: Any) -> None:
    X, y = corpus(5)
    model = kind().fit(X, y)
    joint = model.log_likelihood(X) + model.class_log_prior_
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.score_samples(X), np.logaddexp.reduce(joint, axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(joint, axis=1)])
    posterior = joint - model.score_samples(X)[:, np.newaxis]
    np.testing.assert_allclose(model.predict_log_proba(X), posterior, rtol=1e-9, atol=1e-9)


@every_model
def test_samples_have_the_lengths_and_classes_asked_for(kind: Any) -> None:
    X, y = corpus(7)
    model = kind().fit(X, np.array(["a", "b", "c"])[y])
    lengths, classes = np.array([0, 1, 5, 9]), np.array(["c", "a", "b", "b"])
    drawn, given_ = model.sample(lengths, y=classes, random_state=3)
    assert drawn.sum(axis=1).tolist() == lengths.tolist()
    assert drawn.shape == (4, X.shape[1])
    assert given_.tolist() == classes.tolist()
    again, _ = model.sample(lengths, y=classes, random_state=3)
    np.testing.assert_array_equal(drawn.toarray(), again.toarray())
    with pytest.raises(ValueError, match="'d' is not among the classes"):
        model.sample([1], y=["d"])
