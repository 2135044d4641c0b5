"""Scores of words: gradients of the networks, information gain, the words that are kept, and the pruned classifier."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import mutual_info_classif

from textmix.models.lsi.pruned import PrunedLSIClassifier
from textmix.models.lsi.scores import SCORES, gradients, information_gain, kept_words, sensitivities, trained
from textmix.models.lsi.transformer import LSITransformer


def documents(n_classes: int = 3) -> tuple[sparse.csr_array, np.ndarray]:
    """Return 60 documents of 30 words; words 0 to 8 tell the class, all further ones are noise."""
    rng = np.random.default_rng(1)
    codes = np.arange(60) % n_classes
    topics = np.full((n_classes, 30), 1.0)
    for code in range(n_classes):
        topics[code, 3 * code : 3 * code + 3] = 12.0
    return sparse.csr_array(np.vstack([rng.multinomial(20, topics[c] / topics[c].sum()) for c in codes])), codes


@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradients_are_those_of_differences(n_classes: int) -> None:
    X, codes = documents(n_classes)
    Z = LSITransformer(n_components=4, random_state=0).fit_transform(X)
    model = trained(Z, codes, 0)
    found, step = gradients(model, Z, codes), 1e-6
    for k in range(4):
        moved = [model.predict_proba(Z + sign * step * np.eye(4)[k])[np.arange(60), codes] for sign in (1, -1)]
        np.testing.assert_allclose(found[:, k], (moved[0] - moved[1]) / (2 * step), atol=1e-6)


def test_a_class_that_a_network_never_saw_has_no_gradient() -> None:
    X, codes = documents()
    Z = LSITransformer(n_components=4, random_state=0).fit_transform(X)
    model = trained(Z[codes != 1], codes[codes != 1], 0)
    assert not gradients(model, Z[codes == 1], codes[codes == 1]).any()


def test_sensitivities_follow_the_chain_rule_through_the_space() -> None:
    X, codes = documents()
    maps = sensitivities(X, codes, np.random.default_rng(0), 2)
    assert maps.shape == (2, 30) and (maps >= 0).all()
    again = sensitivities(X, codes, np.random.default_rng(0), 2)
    assert maps.tobytes() == again.tobytes()


def test_information_gain_is_that_of_scikit_learn() -> None:
    X, codes = documents()
    expected = mutual_info_classif((X.toarray() > 0).astype(int), codes, discrete_features=True)
    np.testing.assert_allclose(information_gain(X, codes, np.random.default_rng(0)), expected, atol=1e-12)


@pytest.mark.parametrize("score", [name for name in SCORES if name not in ("random", "document_frequency")])
def test_words_that_tell_the_class_are_kept(score: str) -> None:
    X, codes = documents()
    model = PrunedLSIClassifier(share=0.3, criterion=score, n_components=3, random_state=0).fit(X, codes)
    assert len(set(model.kept_) & set(range(9))) >= 7
    assert (model.lsi_.components_[:, np.setdiff1d(np.arange(30), model.kept_)] == 0).all()
    assert np.mean(model.predict(X) == codes) > 0.9


def test_kept_words_are_the_best_of_those_that_occur() -> None:
    scores, frequency = np.array([5.0, 1.0, 3.0, 3.0, 9.0]), np.array([1, 1, 1, 1, 0])
    assert kept_words(scores, frequency, 0.5).tolist() == [0, 2]
    assert kept_words(scores, frequency, 0.01).tolist() == [0]
    assert kept_words(scores, frequency, 1.0).tolist() == [0, 1, 2, 3]
