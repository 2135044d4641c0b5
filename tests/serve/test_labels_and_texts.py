"""Texts and labels from Python: each is accepted as it is meant, or rejected; labels keep their type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import textmix
from textmix.compare import compare
from textmix.core.errors import ConfigError

KINDS = {"garden": ["rose", "hedge", "lawn", "tulip", "mulch"], "engine": ["piston", "clutch", "valve", "oil", "axle"]}


def texts_of(n_texts: int = 40) -> tuple[list[str], list[str]]:
    """Return texts of two kinds, and the kinds."""
    rng = np.random.default_rng(0)
    labels = [list(KINDS)[row % 2] for row in range(n_texts)]
    return [" ".join([*rng.choice(KINDS[label], size=4), "the", "was"]) for label in labels], labels


TEXTS, LABELS = texts_of()


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Return a comparison of texts with integer labels, and its output directory."""
    folder = tmp_path_factory.mktemp("compared") / "out"
    numbers = [10 if label == "garden" else 9 for label in LABELS]
    return compare(TEXTS, numbers, output_dir=folder, workers=1), folder


@pytest.fixture(scope="module")
def pipeline() -> Any:
    return make_pipeline(textmix.WordVectorizer(), textmix.MultinomialClassifier()).fit(TEXTS, LABELS)


def test_integer_labels_stay_integers_after_a_comparison_and_after_loading(
    compared: tuple[Any, Path], tmp_path: Path
) -> None:
    comparison, folder = compared
    numbers = [10 if label == "garden" else 9 for label in LABELS]
    textmix.save(comparison.best_, tmp_path / "again")
    # The output directory of the comparison stands for the model in it.
    for model in (comparison, comparison.best_, textmix.load(folder), textmix.load(tmp_path / "again")):
        predicted = model.predict(TEXTS)
        assert predicted.dtype.kind == "i" and predicted.tolist() == numbers
    assert comparison.best_.score(TEXTS, numbers) == comparison.best_.score(TEXTS, np.array(numbers)) == 1.0
    assert comparison.best_.classes_.tolist() == [9, 10]
    with pytest.raises(ValueError, match=r"y contains '.*', while the labels of the model are 9, 10"):
        comparison.best_.score(TEXTS, [str(number) for number in numbers])


def test_integer_label_sets_stay_integers() -> None:
    sets = [[1, 2] if row % 3 == 0 else [1 + row % 2] for row in range(len(TEXTS))]
    model = compare(TEXTS, sets, 20, workers=1).best_
    predicted = model.predict(TEXTS)
    assert {type(label) for labels in predicted for label in labels} == {int}
    assert 0.0 < model.score(TEXTS, sets) <= 1.0


@pytest.mark.parametrize("labels", [[True, False] * 20, [1.0, 2.0] * 20, ["a", "b"] * 20], ids=["bool", "float", "str"])
def test_labels_keep_their_type_in_a_saved_pipeline(labels: list[Any], tmp_path: Path) -> None:
    model = make_pipeline(textmix.WordVectorizer(), textmix.MultinomialClassifier()).fit(TEXTS, labels)
    textmix.save(model, tmp_path / "model")
    predicted = textmix.load(tmp_path / "model").predict(TEXTS)
    assert predicted.dtype == model.predict(TEXTS).dtype
    assert predicted.tolist() == model.predict(TEXTS).tolist()


def test_the_model_of_a_comparison_is_an_estimator(compared: tuple[Any, Path]) -> None:
    model = compared[0].best_
    assert is_classifier(model) and get_tags(model).input_tags.string
    assert list(model.named_steps) and model.estimators_[0].steps
    copy = clone(model)
    numbers = np.array([10 if label == "garden" else 9 for label in LABELS])
    half = len(TEXTS) // 2
    assert copy.fit(TEXTS[:half], numbers[:half]).predict(TEXTS[half:]).tolist() == numbers[half:].tolist()
    assert cross_val_score(model, TEXTS, numbers, cv=3).mean() == 1.0
    with pytest.raises(ValueError, match="y contains the label 3, which is not one of classes_: 9, 10"):
        copy.fit(TEXTS, [3] * len(TEXTS))


@pytest.mark.parametrize("name", ["WordVectorizer", "SequenceVectorizer", "SkipgramVectorizer"])
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a single text", "got a single str; pass"),
        (b"a single text", "got a single bytes; pass"),
        (None, "got None"),
        ({"a": 1}, "got a dict"),
        (["a rose", None], r"text 1 is None \(NoneType\), not a string; replace missing texts"),
        (["a rose", float("nan")], r"text 1 is nan \(float\), not a string"),
        (["a rose", b"a rose"], r"text 1 is b'a rose' \(bytes\), not a string; decode it"),
        (np.array([["a", "b"]]), r"got an array of shape \(1, 2\)"),
    ],
)
def test_what_is_not_a_list_of_texts_is_rejected(name: str, texts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(textmix, name)().fit_transform(texts)


def test_models_reject_what_vectorisers_reject(compared: tuple[Any, Path], pipeline: Any, tmp_path: Path) -> None:
    textmix.save(pipeline, tmp_path / "model")
    for model in (
        compared[0],
        compared[0].best_,
        textmix.load(compared[1]),
        pipeline,
        textmix.load(tmp_path / "model"),
    ):
        with pytest.raises(ValueError, match="got a single str"):
            model.predict("the rose hedge")
        with pytest.raises(ValueError, match="text 1 is None"):
            model.predict(["the rose hedge", None])
    with pytest.raises(ConfigError, match="got a single str"):
        compare("the rose", ["a"])
    with pytest.raises(ConfigError, match="labels is a single string"):
        compare(TEXTS, "a" * len(TEXTS))


def test_a_column_is_a_list_of_texts_whatever_holds_it(compared: tuple[Any, Path], pipeline: Any) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": TEXTS, "label": LABELS})
    expected = textmix.WordVectorizer().fit_transform(TEXTS)
    for texts in (table[["text"]], table["text"], np.array(TEXTS), np.array(TEXTS)[:, np.newaxis], iter(TEXTS)):
        assert (textmix.WordVectorizer().fit_transform(texts) != expected).nnz == 0
    for model in (compared[0], compared[0].best_, pipeline):
        assert model.predict(table[["text"]]).tolist() == model.predict(TEXTS).tolist()
        with pytest.raises(ValueError, match=r"expected a single column of texts, got 2 \(text, label\)"):
            model.predict(table)
    model = compare(table[["text"]], table[["label"]], 20, workers=1)
    assert model.predict(TEXTS).tolist() == LABELS
