"""`TopWordsDisplay`: the words of the largest weights, for every public class that has weights of words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from tests.models.public import CLASSES, OF_MATRICES, SEVERAL, TWO_CLASSES, make
from textmix import BinaryRelevance, KNNClassifier, LSILogisticRegression, MultinomialClassifier, TopWordsDisplay

TOPICS = {"art": ["paint", "music", "stage"], "money": ["bank", "loan", "price"], "sport": ["ball", "goal", "team"]}
ATTRIBUTES = ("coef_", "feature_log_prob_", "theta_", "alpha_", "beta_")
#: Public classes whose docstrings name one of these attributes, but for weights of other things than words.
WITH_WEIGHTS = [
    name
    for name in OF_MATRICES
    if any(each in (CLASSES[name].__doc__ or "") for each in ATTRIBUTES)
    and name not in {"LSILogisticRegression", "LatentTopicEDCM"}
]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def fitted(name: str) -> Any:
    """Return a pipeline from texts to a class of weights."""
    rng, topics = np.random.default_rng(3), list(TOPICS)[: 2 if name in TWO_CLASSES else 3]
    labels = [topics[row % len(topics)] for row in range(36)]
    texts = [" ".join([*rng.choice(TOPICS[label], size=8), "the", "day"]) for label in labels]
    return make_pipeline(CountVectorizer(), make(name)).fit(
        texts, [[each] for each in labels] if name in SEVERAL else labels
    )


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_the_top_words_of_a_class_are_the_words_of_its_topic(name: str) -> None:
    shown = TopWordsDisplay.from_estimator(fitted(name), n_words=3)
    assert sorted(shown.titles) == list(TOPICS)[: len(shown.titles)] and len(shown.axes_) == len(shown.titles) >= 2
    for words, values, title, panel in zip(shown.words, shown.values, shown.titles, shown.axes_, strict=True):
        assert set(words) == set(TOPICS[title])
        assert values == sorted(values, reverse=True) and np.isfinite(values).all()
        assert [tick.get_text() for tick in panel.get_yticklabels()] == words and panel.get_title() == title
        np.testing.assert_allclose([bar.get_width() for bar in panel.patches], values)


def test_log_ratios_are_those_of_the_definition() -> None:
    model = MultinomialClassifier(smoothing=0.5).fit([[5, 1, 2], [1, 4, 1], [0, 1, 7]], ["a", "b", "c"])
    shown = TopWordsDisplay.from_estimator(model, feature_names=["x", "y", "z"], classes=["b"])
    p = np.exp(model.feature_log_prob_)
    expected = {word: np.log(p[1, i]) - np.log((p[0, i] + p[2, i]) / 2) for i, word in enumerate("xyz")}
    assert shown.words == [sorted(expected, key=lambda word: -expected[word])]
    np.testing.assert_allclose(shown.values[0], sorted(expected.values(), reverse=True))


def test_panels_are_drawn_on_given_axes_and_drawn_again() -> None:
    model = BinaryRelevance().fit([[4, 0], [0, 3], [2, 2]], [["a"], ["b"], ["a", "b"]])
    figure, axes = plt.subplots(2)
    shown = TopWordsDisplay.from_estimator(model, feature_names=["x", "y"], axes=axes)
    assert shown.figure_ is figure and shown.plot().figure_ is not figure


def test_a_display_that_cannot_be_drawn_says_why() -> None:
    X, y = [[4, 0], [0, 3], [2, 1], [1, 2]], ["a", "b", "a", "b"]
    model, names = MultinomialClassifier().fit(X, y), ["x", "y"]
    for arguments, message in (
        ({}, "feature_names is missing"),
        ({"feature_names": ["x"]}, "feature_names has 1 names, the model 2 features"),
        ({"feature_names": names, "n_words": 0}, "n_words: 0 is below 1"),
        ({"feature_names": names, "classes": ["c"]}, "classes: 'c' is unknown; choose among a, b"),
        ({"feature_names": names, "axes": []}, "axes: 0 for 2 classes"),
    ):
        with pytest.raises(ValueError, match=message):
            TopWordsDisplay.from_estimator(model, **arguments)
    for kind in (KNNClassifier(), LSILogisticRegression(n_components=1)):
        with pytest.raises(ValueError, match="has no weights of words"):
            TopWordsDisplay.from_estimator(kind.fit(X, y), feature_names=names)
    with pytest.raises(NotFittedError):
        TopWordsDisplay.from_estimator(MultinomialClassifier(), feature_names=names)
