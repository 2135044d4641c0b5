"""Conventions of scikit-learn that its own checks leave out: votes, names of columns, tables of labels, messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import textmix
from tests.early_stops import may_stop_early
from tests.models.public import CLASSIFIERS, OF_MATRICES, SEVERAL, SINGLE, make

TEXTS = [
    "the goal and the ball",
    "paint on the stage",
    "a goal on the stage",
    "the team and a ball",
    "paint, paint",
] * 4
SETS = [["sport"], ["art"], ["art", "sport"], ["sport"], ["art"]] * 4
TABLE = pd.DataFrame({"art": ["art" in row for row in SETS], "sport": ["sport" in row for row in SETS]}, dtype=int)
COUNTS = CountVectorizer().fit_transform(TEXTS)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        *((name, {"n_neighbors": k}) for name in ("KNNClassifier", "LSINeighbors") for k in (1, 2, 4)),
        ("KNNClassifier", {"n_neighbors": 4, "ties": "first"}),
        ("KNNClassifier", {"n_neighbors": 4, "weights": "similarity"}),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_largest_share_of_votes_is_that_of_the_elected_class(name: str, params: Any, n_classes: int) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.poisson(1.0, (40, 6)), rng.integers(n_classes, size=40)
    model = make(name, **params).fit(X, y)
    scores, predicted = model.decision_function(X), model.predict(X)
    assert scores.shape == ((40,) if n_classes == 2 else (40, n_classes))
    np.testing.assert_array_equal((scores > 0) if n_classes == 2 else scores.argmax(axis=1), predicted)


@pytest.mark.parametrize("name", ["SVMPowerSet", "SVMRelevance", "BinaryRelevance"])
def test_the_labels_of_a_positive_decision_are_predicted(name: str) -> None:
    model = make(name).fit(COUNTS, TABLE.to_numpy())
    decision = model.decision_function(COUNTS)
    np.testing.assert_array_equal(decision >= 0, model.predict(COUNTS))


def test_a_label_of_all_training_sets_has_no_set_without_it() -> None:
    model = textmix.SVMPowerSet().fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1, 0, 1], [1, 0, 0], [1, 0, 1]])
    decision = model.decision_function([[1.0, 0.0]])
    assert decision[0, 0] == np.inf and decision[0, 1] == -np.inf and np.isfinite(decision[0, 2])


@may_stop_early
@pytest.mark.parametrize("name", SEVERAL)
def test_labels_of_a_table_keep_their_names(name: str) -> None:
    model, plain = make(name).fit(COUNTS, TABLE), make(name).fit(COUNTS, TABLE.to_numpy())
    assert model.classes_.tolist() == ["art", "sport"] and plain.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(model.predict(COUNTS), plain.predict(COUNTS))
    assert model.score(COUNTS, TABLE) == plain.score(COUNTS, TABLE.to_numpy())
    if hasattr(model, "set_log_proba"):
        with pytest.raises(ValueError, match=r"y has the columns \['sport', 'art'\], but the training y had"):
            model.set_log_proba(COUNTS, TABLE[["sport", "art"]])


@may_stop_early
@pytest.mark.parametrize("name", SEVERAL)
def test_the_score_of_label_sets_is_that_of_their_indicators(name: str) -> None:
    weight = np.linspace(1.0, 2.0, len(SETS))
    model, plain = make(name).fit(COUNTS, TABLE), make(name).fit(COUNTS, TABLE.to_numpy())
    numbers = [{["art", "sport"].index(label) for label in row} for row in SETS]
    for weights in (None, weight):
        expected = plain.score(COUNTS, TABLE.to_numpy(), weights)
        assert expected > 0
        assert model.score(COUNTS, [row[::-1] for row in SETS], weights) == pytest.approx(expected)
        assert plain.score(COUNTS, numbers, weights) == pytest.approx(expected)
    with pytest.raises(ValueError, match="unknown label 'sport'"):
        plain.score(COUNTS, SETS)
    with pytest.raises(ValueError, match=r"y has the columns \['sport', 'art'\], but the training y had"):
        model.score(COUNTS, TABLE[["sport", "art"]])


def test_a_classifier_of_one_class_a_document_scores_classes_and_no_label_sets() -> None:
    y = np.array([row[0] for row in SETS])
    model = make("AbsoluteDiscountingClassifier").fit(COUNTS, y)
    expected = np.mean(model.predict(COUNTS) == y)
    assert expected > 0.5
    for form in (y, y.tolist(), pd.Series(y), pd.DataFrame({"kind": y})):
        assert model.score(COUNTS, form) == pytest.approx(expected)
    with pytest.raises(ValueError, match="y contains label sets"):
        model.score(COUNTS, SETS)


@pytest.mark.parametrize("form", ["table", "indicators", "sets", "numbers"])
def test_a_saved_model_predicts_in_the_form_of_its_labels(form: str, tmp_path: Path) -> None:
    numbers = [[1 + 6 * (label == "art") for label in row] for row in SETS]
    y = {"table": TABLE, "indicators": TABLE.to_numpy(), "sets": SETS, "numbers": [set(row) for row in numbers]}[form]
    model = textmix.BinaryRelevance().fit(COUNTS, y)
    textmix.save(model, tmp_path / "model")
    back = textmix.load(tmp_path / "model")
    assert back.classes_.tolist() == model.classes_.tolist()
    np.testing.assert_array_equal(back.predict(COUNTS), model.predict(COUNTS))
    assert back.predict(COUNTS).dtype == model.predict(COUNTS).dtype


@pytest.mark.parametrize("name", [name for name in SEVERAL if name not in SINGLE])
@pytest.mark.parametrize(
    "y", [[1, 0] * 10, np.array([1, 0] * 10), pd.Series(["a", "b"] * 10)], ids=["list", "array", "series"]
)
def test_one_value_a_document_is_told_in_a_sentence(name: str, y: Any) -> None:
    with pytest.raises(ValueError, match=r"y has one (value|string) per document.*pass a list of labels for each"):
        make(name).fit(COUNTS, y)


@may_stop_early
@pytest.mark.parametrize("name", [name for name in OF_MATRICES if hasattr(make(name), "transform")])
def test_a_transformer_names_its_columns(name: str) -> None:
    counter = CountVectorizer()
    table = pd.DataFrame(counter.fit_transform(TEXTS).toarray(), columns=counter.get_feature_names_out())
    small = {"LSITransformer": {"n_components": 2}}.get(name, {})
    model = make(name, **small).fit(table)
    names = model.get_feature_names_out()
    assert names.dtype == object and len(names) == model.transform(table).shape[1]
    expected = table.columns.tolist() if name == "TermWeighting" else [f"{name.lower()}{k}" for k in range(2)]
    assert names.tolist() == expected
    if name != "TermWeighting":  # whose matrix is sparse, which no table takes
        assert make(name, **small).set_output(transform="pandas").fit_transform(table).columns.tolist() == expected


def test_the_columns_that_a_weighting_keeps_have_their_names() -> None:
    table = pd.DataFrame([[3, 0, 1], [1, 1, 0]], columns=["goal", "ball", "team"])
    model = textmix.TermWeighting(min_df=2).fit(table)
    assert model.get_feature_names_out().tolist() == ["goal"]
    with pytest.raises(ValueError, match="input_features is not equal"):
        model.get_feature_names_out(["x", "y", "z"])
    assert textmix.TermWeighting(min_df=2).fit(table.to_numpy()).get_feature_names_out().tolist() == ["x0"]
    assert model.__sklearn_tags__().input_tags.sparse


@may_stop_early
@pytest.mark.parametrize("name", SEVERAL)
def test_a_label_without_documents_is_never_predicted(name: str) -> None:
    rng = np.random.default_rng(0)
    X, new = rng.poisson(1.0, (60, 6)), rng.poisson(1.0, (300, 6))
    new[:20] = 0
    Y = (X[:, :3] + rng.poisson(0.3, (60, 3)) > 1).astype(int)
    Y[:, 1] = 0
    predicted = make(name).fit(X, Y).predict(new)
    assert predicted.any() or name == "MajoritySet"
    assert not predicted[:, 1].any()


@may_stop_early
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name in OF_MATRICES])
def test_probabilities_of_large_counts_are_probabilities(name: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.poisson(1.0, (40, 6))
    Y = (X[:, :3] + rng.poisson(0.3, (40, 3)) > 1).astype(int)
    model = make(name, **({"calibrate": True} if "calibrate" in make(name).get_params() else {}))
    model.fit(X, Y if name in SEVERAL and name not in SINGLE else Y[:, 0])
    if not hasattr(model, "predict_proba"):
        return
    for scale in (1, 10**3, 10**6, 10**8):
        shares = model.predict_proba(scale * rng.poisson(1.0, (20, 6)))
        assert ((shares >= 0) & (shares <= 1 + 1e-9)).all()
        if name in SINGLE:
            np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
