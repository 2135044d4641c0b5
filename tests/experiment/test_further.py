"""Results of a comparison beside predictions: confidence of the predicted sets, decisions, likelihood of texts."""

from __future__ import annotations

import numpy as np

from tests.models.test_cbm import documents
from tests.naive.multinomial import corpus
from textmix.experiment.further import DECISIONS, further
from textmix.models.label_sets.chains import ChainEnsemble
from textmix.models.label_sets.estimators import PowerSet
from textmix.models.naive_bayes.multinomial import MultinomialClassifier


def test_decisions_and_confidence_are_those_of_the_estimator():
    X, Y = documents(1)
    model = PowerSet().fit(X, Y)
    predicted = model.predict(X)
    arrays = further("multi", model, X, Y, predicted)
    np.testing.assert_allclose(arrays["confidence"], np.exp(model.set_log_proba(X, predicted)), rtol=1e-6)
    for number, decision in enumerate(DECISIONS):
        sets = np.unpackbits(arrays["decisions"][:, number], axis=1, count=3)
        np.testing.assert_array_equal(sets, model.decide(X, decision))


def test_a_method_without_probabilities_of_sets_gives_nothing():
    X, Y = documents(2)
    assert further("multi", ChainEnsemble(n_chains=2, random_state=0).fit(X, Y), X, Y, Y) == {}


def test_texts_have_their_likelihood_and_words_and_unseen_classes_have_none():
    X, y = corpus(3)
    model = MultinomialClassifier().fit(X[y < 2], y[y < 2])
    (text,) = further("single", model, X, y, y).values()
    seen = y < 2
    np.testing.assert_array_equal(np.isnan(text[:, 0]), ~seen)
    np.testing.assert_array_equal(text[seen, 1], X[seen].sum(axis=1))
    expected = (X[seen] * model.feature_log_prob_[y[seen]]).sum(axis=1)
    np.testing.assert_allclose(text[seen, 0], expected)
