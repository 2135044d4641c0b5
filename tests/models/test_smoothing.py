"""Later smoothings, mixtures of EDCMs and labelled LDA: each equals its plain twin, and EM never loses likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import ComplementNB

from tests.naive import smoothing as naive
from tests.naive.multinomial import corpus
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.dirichlet.edcm_mixture import MixedEDCMClassifier
from textmix.models.naive_bayes.multinomial import DirichletSmoothedClassifier, MultinomialClassifier
from textmix.models.naive_bayes.smoothing import (
    JelinekMercerClassifier,
    PitmanYorClassifier,
    SharedDirichletClassifier,
    TwoStageClassifier,
)
from textmix.models.topics.labelled_lda import LabelledLDA, _document_topics

CASES = [
    (JelinekMercerClassifier(mixing=0.2), lambda c, p: naive.jelinek_mercer(c, p, 0.2)),
    (TwoStageClassifier(mu=7.0, mixing=0.3), lambda c, p: naive.two_stage(c, p, 7.0, 0.3)),
    (PitmanYorClassifier(discount=0.4, strength=3.0), lambda c, p: naive.pitman_yor(c, p, 0.4, 3.0)),
]


@pytest.mark.parametrize(("model", "plain"), CASES, ids=lambda each: type(each).__name__)
def test_word_probabilities_are_those_of_the_formula(model, plain):
    X, y = corpus(3)
    found = np.exp(model.fit(X, y).feature_log_prob_)
    expected = [plain(naive.class_text(X, y, c), naive.background(X)) for c in model.classes_]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-10)


def test_without_discount_and_mixing_the_smoothings_are_the_dirichlet_one():
    X, y = corpus(4)
    plain = DirichletSmoothedClassifier(mu=20.0, delta=0.0).fit(X, y).feature_log_prob_
    for model in (PitmanYorClassifier(discount=0.0, strength=20.0), TwoStageClassifier(mu=20.0, mixing=0.0)):
        np.testing.assert_allclose(model.fit(X, y).feature_log_prob_, plain, rtol=1e-10)


def test_the_shared_prior_is_the_likeliest_and_its_constant_is_additive_smoothing():
    X, y = corpus(5)
    X[:, 0] += 1
    model = SharedDirichletClassifier(smoothing=0.0).fit(X, y)
    texts = np.array([naive.class_text(X, y, c) for c in model.classes_])
    best = naive.dirichlet_likelihood(texts[:, model.alpha_ > 0], model.alpha_[model.alpha_ > 0])
    for factor in (0.8, 0.95, 1.05, 1.25):
        assert naive.dirichlet_likelihood(texts[:, model.alpha_ > 0], factor * model.alpha_[model.alpha_ > 0]) < best
    counts = texts + model.alpha_
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), counts / counts.sum(axis=1, keepdims=True), rtol=1e-9)


def test_a_class_without_text_gets_the_background():
    X, y = corpus(6)
    X[y == 1] = 0
    for model, _ in CASES:
        found = np.exp(model.fit(X, y).feature_log_prob_)
        if not isinstance(model, TwoStageClassifier):
            np.testing.assert_allclose(found[1], naive.background(X), rtol=1e-10)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-10)


def test_scikit_learns_complement_is_another_classifier_than_the_multinomial():
    # The registry takes scikit-learn's ComplementNB as it is; this only pins down that its norm is Rennie's.
    X, y = corpus(7)
    plain, normed = (ComplementNB(alpha=0.5, norm=norm).fit(X, y).feature_log_prob_ for norm in (False, True))
    np.testing.assert_allclose(np.abs(normed).sum(axis=1), 1.0)
    rest = X.sum(axis=0) - np.array([naive.class_text(X, y, c) for c in range(3)]) + 0.5
    np.testing.assert_allclose(-plain, np.log(rest / rest.sum(axis=1, keepdims=True)))
    assert plain.shape == MultinomialClassifier().fit(X, y).feature_log_prob_.shape


def bursty(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return documents of two classes, each with two kinds of documents of other words."""
    rng = np.random.default_rng(seed)
    kind, alpha = np.arange(n) % 4, np.full((4, 12), 0.05)
    for k in range(4):
        alpha[k, 3 * k : 3 * k + 3] = 1.0
    shares = np.array([rng.dirichlet(alpha[k]) for k in kind])
    return np.array([rng.multinomial(20, share) for share in shares]), kind // 2


def test_one_component_is_the_edcm():
    X, y = bursty(0)
    one = MixedEDCMClassifier(n_components=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(one.log_likelihood(X), EDCMClassifier().fit(X, y).log_likelihood(X), rtol=1e-9)


@pytest.mark.parametrize("temperatures", [(1.0,), (25.0, 5.0, 1.0)])
def test_em_never_loses_likelihood_and_finds_the_kinds(temperatures):
    X, y = bursty(1)
    model = MixedEDCMClassifier(n_components=2, temperatures=temperatures, smoothing=0.0, tol=0.0, random_state=0)
    path = model.fit(X, y).objective_path_
    assert (np.diff(path) >= -1e-9 * np.abs(path[1:])).all() and len(path) > 1
    one = MixedEDCMClassifier(n_components=1, smoothing=0.0, random_state=0).fit(X, y)
    assert path[-1] > one.objective_path_[-1] + 10.0


def test_a_component_of_few_documents_does_not_lose_the_smoothing_of_its_class():
    X, y = bursty(4, n=200)
    train, test = slice(0, 100), slice(100, 200)
    right = [
        MixedEDCMClassifier(n_components=m, random_state=0).fit(X[train], y[train]).score(X[test], y[test])
        for m in (1, 4)
    ]
    assert right[1] >= right[0] - 0.05


def test_temperatures_end_with_one():
    X, y = bursty(2)
    for wrong in ((5.0,), (0.5, 1.0)):
        with pytest.raises(ValueError, match="at least 1 and end with 1"):
            MixedEDCMClassifier(temperatures=wrong).fit(X, y)


def test_samples_of_a_mixture_have_the_lengths_asked_for():
    X, y = bursty(3)
    model = MixedEDCMClassifier(random_state=0).fit(X, y)
    assert model.sample([0, 3, 9], random_state=0)[0].sum(axis=1).tolist() == [0, 3, 9]


def labelled(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return documents of label-specific and common words, and their label indicators."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((40, 3)) < 0.5).astype(np.int8)
    Y[~Y.any(axis=1), 0] = 1
    share = np.hstack([np.kron(Y, np.ones(4)), np.full((40, 3), 0.7)])
    return np.array([rng.multinomial(40, p / p.sum()) for p in share]), Y


def test_a_sweep_of_labelled_lda_is_that_of_its_plain_twin():
    X, Y = labelled(0)
    X, Y = X[:6], Y[:6]
    counts, labels = sparse.csr_array(X), sparse.csr_array(Y.astype(float))
    topics, first = _document_topics(labels)
    lists = [topics[first[d] : first[d + 1]].tolist() for d in range(6)]
    assert lists == [[*np.flatnonzero(row), 3] for row in Y]
    model = LabelledLDA(alpha=0.5, beta=0.1, max_iter=2).fit(X, Y)
    gamma = [{w: dict.fromkeys(lists[d], 1 / len(lists[d])) for w in np.flatnonzero(X[d])} for d in range(6)]
    for _ in range(2):
        naive.labelled_lda_sweep(X, lists, gamma, 0.5, 0.1)
    word = np.zeros((X.shape[1], 4))
    for d, w in zip(*counts.nonzero(), strict=True):
        for k, share in gamma[d][w].items():
            word[w, k] += X[d, w] * share
    np.testing.assert_allclose(model.phi_, (word + 0.1) / (word.sum(axis=0) + 0.1 * len(word)), rtol=1e-9)


def test_labelled_lda_finds_the_words_of_the_labels_and_the_labels():
    X, Y = labelled(1)
    model = LabelledLDA(alpha=0.5).fit(X, Y)
    for label in range(3):
        assert set(np.argsort(-model.phi_[:, label])[:4].tolist()) == set(range(4 * label, 4 * label + 4))
    np.testing.assert_allclose(model.label_shares(X).sum(axis=1), 1.0)
    assert (model.predict(X) == Y).mean() > 0.9
    np.testing.assert_allclose(model.predict(X).sum(), Y.sum(), rtol=0.05)
