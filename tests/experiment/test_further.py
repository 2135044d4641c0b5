"""What a comparison stores beside predictions: confidence of the predicted sets, decisions, likelihood of texts."""

from __future__ import annotations

import numpy as np

from tests.models.test_cbm import documents
from tests.naive.multinomial import corpus
from textmix.experiment.further import DECISIONS, further
from textmix.models.label_sets.chains import ChainEnsemble
from textmix.models.label_sets.estimators import PowerSet
from textmix.models.label_sets.rerank import BRRerank
from textmix.models.naive_bayes.multinomial import MultinomialClassifier


def test_decisions_and_confidence_are_those_of_the_estimator():
    X, Y = documents(1)
    model = PowerSet().fit(X, Y)
    predicted = model.predict(X)
    found = further("multi", model, X, Y, predicted)
    np.testing.assert_allclose(found["confidence"], np.exp(model.set_log_proba(X, predicted)), rtol=1e-6)
    for place, decision in enumerate(DECISIONS):
        sets = np.unpackbits(found["decisions"][:, place], axis=1, count=3)
        np.testing.assert_array_equal(sets, model.decide(X, decision))


def test_a_method_without_probabilities_of_sets_gives_nothing_and_its_own_confidence_goes_first():
    X, Y = documents(2)
    assert further("multi", ChainEnsemble(n_chains=2, random_state=0).fit(X, Y), X, Y, Y) == {}
    rerank = BRRerank(trees=5, random_state=0).fit(X, Y)
    found = further("multi", rerank, X, Y, rerank.predict(X))
    np.testing.assert_allclose(found["confidence"], rerank.confidence(X), rtol=1e-6)
    assert set(found) == {"confidence"}


def test_texts_have_their_likelihood_and_words_and_unseen_classes_have_none():
    X, y = corpus(3)
    model = MultinomialClassifier().fit(X[y < 2], y[y < 2])
    (text,) = further("single", model, X, y, y).values()
    known = y < 2
    np.testing.assert_array_equal(np.isnan(text[:, 0]), ~known)
    np.testing.assert_array_equal(text[known, 1], X[known].sum(axis=1))
    expected = (X[known] * model.feature_log_prob_[y[known]]).sum(axis=1)
    np.testing.assert_allclose(text[known, 0], expected)
