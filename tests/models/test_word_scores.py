"""Scores of words: sensitivities, information gain, the words that are kept, and the pruned classifier."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import mutual_info_classif

from textmix.models.lsi import scores
from textmix.models.lsi.classifiers import LSIDensityClassifier, PrunedLSIClassifier
from textmix.models.lsi.scores import (
    COMPONENTS,
    SCORES,
    gradients,
    information_gain,
    kept_words,
    sensitivities,
    trained,
)
from textmix.models.lsi.transformer import LSITransformer


def documents(n_classes: int = 3) -> tuple[sparse.csr_array, np.ndarray]:
    """Return 60 documents of 30 words; words 0 to 8 tell the class, all further ones are noise."""
    rng = np.random.default_rng(1)
    codes = np.arange(60) % n_classes
    topics = np.full((n_classes, 30), 1.0)
    for code in range(n_classes):
        topics[code, 3 * code : 3 * code + 3] = 12.0
    return sparse.csr_array(np.vstack([rng.multinomial(20, topics[c] / topics[c].sum()) for c in codes])), codes


def test_a_class_that_a_network_never_saw_has_no_gradient() -> None:
    X, codes = documents()
    Z = LSITransformer(n_components=4, random_state=0).fit_transform(X)
    model = trained(Z[codes != 1], codes[codes != 1], 0)
    assert not gradients(model, Z[codes == 1], codes[codes == 1]).any()


def plain_sensitivities(X: sparse.csr_array, codes: np.ndarray, seed: int, networks: int) -> np.ndarray:
    """Return the sensitivities (B, V) by differences of probabilities as each weighted count moves."""
    rng, maps = np.random.default_rng(seed), []
    for _ in range(networks):
        order = rng.permutation(len(codes))
        half = -(-len(codes) // 2)
        inside, outside = order[:half], order[half:]
        seed = int(rng.integers(2**31))
        space = LSITransformer(n_components=COMPONENTS, unit_length=False, random_state=seed).fit(X[inside])
        Z = space.transform(X[inside])
        model = trained(Z / np.sqrt(np.mean(Z**2)), codes[inside], seed)
        weighted = space.weighted(sparse.csr_array(X[outside], dtype=float)).toarray()
        slopes = []
        for word in np.eye(X.shape[1]):
            moved = [(weighted + step * word) @ space.components_.T / np.sqrt(np.mean(Z**2)) for step in (1e-6, -1e-6)]
            up, down = (model.predict_proba(each)[np.arange(len(outside)), codes[outside]] for each in moved)
            slopes.append(np.abs((up - down) / 2e-6).mean())
        maps.append(slopes)
    return np.array(maps)


def test_sensitivities_are_those_of_differences_on_the_other_half_of_the_documents() -> None:
    X, codes = documents()
    X, codes = X[:41], codes[:41]
    maps = sensitivities(X, codes, np.random.default_rng(0), 2)
    np.testing.assert_allclose(maps, plain_sensitivities(X, codes, 0, 2), rtol=1e-4, atol=1e-8)
    assert maps.tobytes() == sensitivities(X, codes, np.random.default_rng(0), 2).tobytes()


def test_a_word_is_as_good_as_its_sensitivity_is_consistent(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = np.array([[1.0, 3.0, 2.0, 0.0], [3.0, 3.5, 2.0, 0.0]])
    monkeypatch.setattr(scores, "sensitivities", lambda *_: maps)
    X, codes = documents()
    found = scores.sensitivity(X, codes, np.random.default_rng(0))
    np.testing.assert_allclose(found, [2.0 / np.sqrt(2.0), 3.25 / np.sqrt(0.125), 0.0, 0.0])


@pytest.mark.parametrize("criterion", SCORES)
def test_the_pruned_classifier_is_that_of_the_kept_words_alone(criterion: str) -> None:
    X, codes = documents()
    X = sparse.csr_array(sparse.hstack([X, np.zeros((60, 2), dtype=np.int64), X[:, :1]]))
    for state in (0, 1):
        model = PrunedLSIClassifier(share=0.3, criterion=criterion, n_components=3, random_state=state).fit(X, codes)
        rng = np.random.default_rng(int(np.random.RandomState(state).randint(2**31)))
        order = np.argsort(-SCORES[criterion](X, codes, rng), kind="stable")
        seen = [word for word in order if word not in (30, 31)]
        assert model.kept_.tolist() == sorted(seen[:9])
        alone = LSIDensityClassifier(n_components=3, random_state=state).fit(X[:, model.kept_], codes)
        np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X[:, model.kept_]), rtol=1e-6)


def test_of_one_class_no_word_is_pruned() -> None:
    X, _ = documents()
    model = PrunedLSIClassifier(share=0.1, n_components=3, random_state=0).fit(X, np.zeros(60, dtype=int))
    assert model.kept_.tolist() == list(range(30))


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
