"""Every public class of texts or matrices within scikit-learn: pipelines, searches, labels, pickles, names."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer

import textmix
from tests.early_stops import may_stop_early
from tests.models.battery import TOOLS, tried
from tests.models.public import (
    CLASSES,
    CLASSIFIERS,
    OF_MATRICES,
    OF_SEQUENCES,
    OF_TEXTS,
    SEVERAL,
    SINGLE,
    TWO_CLASSES,
    make,
)

#: Parameters to search over; the first that an estimator has is searched.
MORE = ("width", "max_iter", "n_neighbors", "n_lambdas", "quantiles", "rate")
SEARCHED = ("smoothing", "xi", "variance", "mu", "alpha", "C", "delta", "threshold", "trees", *MORE)

#: Classifiers of sequences of words, which no table holds, are tried behind their vectoriser.
ORDERED = [name for name in CLASSIFIERS if name in OF_SEQUENCES]
VECTORISERS = [name for name in OF_TEXTS if name != "SequenceVectorizer"]
NAMES = sorted([*OF_MATRICES, *VECTORISERS])
#: Without a parameter there is nothing to search.
SEARCHABLE = [name for name in SEVERAL if name != "MajoritySet"]
TOPICS = {"sport": "ball goal team", "art": "paint music stage", "money": "bank loan price"}


def documents(several: bool, topics: int = 3, n: int = 36) -> tuple[list[str], list[list[str]]]:
    """Return texts and the list of labels of each; with ``several`` every other text has two."""
    rng, names = np.random.default_rng(2), list(TOPICS)[:topics]
    texts, labels = [], []
    for d in range(n):
        chosen = [names[(d + shift) % topics] for shift in range(1 + several * (d % 2))]
        words = " ".join(TOPICS[name] for name in chosen).split()
        texts.append(" ".join([*rng.choice(words, size=8), "the", "day"]))
        labels.append(chosen)
    return texts, labels


def problem(name: str) -> tuple[list[str], Any]:
    """Return texts and the targets of a class: label sets, class names, or None."""
    if name not in CLASSIFIERS:
        return documents(False)[0], None
    single = name in SINGLE
    texts, labels = documents(not single, 2 if name in TWO_CLASSES else 3)
    return texts, [row[0] for row in labels] if single else labels


def in_pipeline(name: str) -> Any:
    """Return the pipeline from texts to the estimator."""
    counter = textmix.SequenceVectorizer() if name in ORDERED else CountVectorizer()
    return make(name) if name in VECTORISERS else make_pipeline(counter, make(name))


def results(fitted: Any, texts: list[str]) -> np.ndarray:
    """Return what an estimator makes of texts."""
    for method in ("predict", "transform", "score_samples"):
        if hasattr(fitted, method):
            found = getattr(fitted, method)(texts)
            return found.toarray() if hasattr(found, "toarray") else found
    raise AssertionError("neither predicts nor transforms")


@may_stop_early
@pytest.mark.parametrize("name", [*NAMES, *ORDERED])
def test_a_pipeline_of_texts_is_fitted_pickled_and_cloned(name: str) -> None:
    texts, y = problem(name)
    pipeline = in_pipeline(name)
    copied = clone(pipeline)
    expected = results(pipeline.fit(texts, y), texts)
    np.testing.assert_array_equal(results(pickle.loads(pickle.dumps(pipeline)), texts), expected)
    np.testing.assert_array_equal(results(copied.fit(texts, y), texts), expected)


@may_stop_early
@pytest.mark.parametrize("name", SINGLE)
def test_class_names_are_learnt_searched_and_cross_validated(name: str) -> None:
    texts, y = problem(name)
    fitted = _search(in_pipeline(name), name, 3).fit(texts, y)
    assert fitted.classes_.tolist() == sorted(set(y))
    assert set(fitted.predict(texts)) == set(y)
    assert fitted.cv_results_["mean_test_score"][0] > 0.9, "of the value by default"


@may_stop_early
@pytest.mark.parametrize("name", SEARCHABLE)
def test_label_sets_are_learnt_searched_and_cross_validated(name: str) -> None:
    texts, y = documents(True)
    pipeline, folds = in_pipeline(name), KFold(3)
    fitted = _search(pipeline, name, folds).fit(texts, y)
    assert fitted.classes_.tolist() == sorted(TOPICS)
    assert min(fitted.cv_results_[f"split{fold}_test_score"][0] for fold in range(3)) > 0.3, "of the value by default"
    found = fitted.predict(texts)
    assert all(isinstance(row, tuple) and set(row) <= set(TOPICS) for row in found)
    same = np.mean([set(a) == set(b) for a, b in zip(found, y, strict=True)])
    assert fitted.score(texts, y) == pytest.approx(same)
    assert cross_val_predict(pipeline, texts, [set(row) for row in y], cv=3).shape == (len(texts),)


def _search(pipeline: Any, name: str, cv: Any) -> GridSearchCV:
    """Return a grid search over one parameter of the last step of a pipeline."""
    last, step = pipeline.steps[-1]
    params = step.get_params()
    key = next(key for key in SEARCHED if params.get(key) is not None)
    value = params[key]
    grid = {f"{last}__{key}": [value, value * 1.1 if isinstance(value, float) else value * 2]}
    return GridSearchCV(pipeline, grid, cv=cv, error_score="raise")


@may_stop_early
@pytest.mark.parametrize("name", SEARCHABLE)
def test_label_sets_are_indicators_in_another_form(name: str) -> None:
    texts, y = documents(True)
    X, binarizer = CountVectorizer().fit_transform(texts), MultiLabelBinarizer()
    Y = binarizer.fit_transform(y)
    named, plain = make(name).fit(X, y), make(name).fit(X, Y)
    expected = plain.predict(X)
    assert named.predict(X).tolist() == binarizer.inverse_transform(expected)
    assert named.score(X, y) == pytest.approx(plain.score(X, Y))
    assert plain.classes_.tolist() == [0, 1, 2] and expected.dtype == np.int64
    if hasattr(plain, "predict_proba"):
        np.testing.assert_array_equal(named.predict_proba(X), plain.predict_proba(X))
    if hasattr(plain, "set_log_proba"):
        np.testing.assert_array_equal(named.set_log_proba(X, y), plain.set_log_proba(X, Y))
    weight = np.linspace(1, 2, len(y))
    assert named.score(X, y, weight) == pytest.approx(plain.score(X, Y, weight))


@may_stop_early
@pytest.mark.parametrize("name", [name for name in NAMES if name not in VECTORISERS])
def test_names_of_columns_are_remembered_and_compared(name: str) -> None:
    texts, y = problem(name)
    counter = CountVectorizer()
    table = pd.DataFrame(counter.fit_transform(texts).toarray(), columns=counter.get_feature_names_out())
    fitted = make(name).fit(table, y)
    assert fitted.feature_names_in_.tolist() == counter.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        results(fitted, table[table.columns[::-1]])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("ab", "a single string"),
        (["a", "b"], "one string per document"),
        ([1, 2], "one value per document"),
        ([["a"], "b"], "'b' among label sets"),
        ([{"a"}, {1}], "strings and integers"),
        ([{"a"}, {(1, 2)}], r"the label \(1, 2\)"),
        ([set(), set()], "no label"),
        ([[0], [1]], "indicators or label sets"),
        ([[0, 1], [1, 0]], "indicators or label sets"),
        ([["a"], ["b"], ["c"]], "inconsistent numbers of samples"),
    ],
)
def test_targets_that_are_no_label_sets_are_told(y: Any, message: str) -> None:
    for name in ("PMM1", "BinaryRelevance", "AbsoluteDiscountingBinary"):
        with pytest.raises(ValueError, match=message):
            make(name).fit(np.eye(2), y)


def test_a_label_that_the_fit_did_not_have_is_told() -> None:
    fitted = make("PMM1").fit(np.eye(2), [["a"], ["b"]])
    with pytest.raises(ValueError, match="unknown label 'c'"):
        fitted.score_samples(np.eye(2), [["a"], ["c"]])
    assert fitted.score(np.eye(2), [["a"], ["c"]]) == 0.5
    whole = make("BinaryRelevance").fit(np.eye(2), [{1}, {7, 1}])
    assert whole.classes_.tolist() == [1, 7] and whole.predict(np.eye(2))[1] in {(1,), (1, 7)}


def test_the_advice_on_label_sets_in_the_documentation_works() -> None:
    texts, lists = documents(True)
    sets = [set(labels) for labels in lists]
    pipeline = make_pipeline(CountVectorizer(), textmix.BinaryRelevance())
    scores = cross_val_score(pipeline, texts, sets, cv=3, error_score="raise")
    np.testing.assert_array_equal(cross_val_score(pipeline, texts, lists, cv=KFold(3), error_score="raise"), scores)
    search = GridSearchCV(pipeline, {"binaryrelevance__variance": [1.0, 2.0]}, error_score="raise").fit(texts, sets)
    scoring = textmix.scorer("micro_f")
    assert search.best_score_ > 0.5 and cross_val_score(pipeline, texts, sets, scoring=scoring).min() > 0.5
    indicators = MultiLabelBinarizer().fit_transform(lists)
    assert cross_val_predict(pipeline, texts, indicators, cv=3, method="predict_proba").shape == indicators.shape
    strata = [str(sorted(labels)) for labels in lists]
    strata[-1] = strata[0]  # the last label set of these texts occurs once
    assert len(train_test_split(texts, lists, stratify=strata)) == 4
    for y in (lists, sets, pd.Series(lists)):
        assert textmix.metrics.micro_f(y, pipeline.fit(texts, y).predict(texts)) == 1.0


def test_lists_of_integers_are_label_sets() -> None:
    X = np.eye(3)
    for y in ([[0], [2], [0, 2]], [[], [1], [3, 1]], [[5], [6], [7]]):
        fitted = make("BinaryRelevance").fit(X, y)
        assert fitted.classes_.tolist() == sorted({label for labels in y for label in labels})
        assert all(isinstance(labels, tuple) for labels in fitted.predict(X))
    rows_of_indicators = [[0, 0, 1], [1, 0, 0], [1, 1, 0]]
    assert make("BinaryRelevance").fit(X, rows_of_indicators).predict(X).shape == (3, 3)


@may_stop_early
@pytest.mark.parametrize("name", ["PowerSet", "CBMClassifier"])
def test_decide_returns_the_format_of_predict(name: str) -> None:
    texts, y = documents(True)
    X = CountVectorizer().fit_transform(texts)
    fitted = make(name).fit(X, y)
    for decision in ("mode", "expected_f", "marginal"):
        assert all(isinstance(labels, tuple) for labels in fitted.decide(X, decision))


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_tool_that_has_a_meaning_works(name: str) -> None:
    assert tried(name).keys() == TOOLS.keys()
