"""The search of a comparison: fitted inside the training part, and never stopped by the end of a grid."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment import search as module
from textmix.experiment.entries import TEXT_VIEWS, least_of
from textmix.experiment.estimators import new_estimator
from textmix.experiment.ladders import beyond
from textmix.experiment.methods import load_methods
from textmix.experiment.represented import Represented, Views
from textmix.experiment.search import search
from textmix.text.features import build_features
from textmix.text.sequences import TokenSequences
from textmix.text.term_weighting import TermWeighting

RANDOM = np.random.default_rng(0)
COUNTS = sparse.csr_array(RANDOM.poisson(1.0, (60, 6)).astype(np.int32))
Y = RANDOM.integers(0, 2, 60)
METRIC = {"metric": "accuracy", "name": "search"}
PLAN = {"grid": {"C": [1.0, 10.0]}, "folds": 3, **METRIC}


class Peak(BaseEstimator):  # type: ignore[misc]
    """An estimator that is right on a share of the documents, which is largest at C = 1000 and on the view b."""

    fits: ClassVar[list[tuple[float, int]]] = []

    def __init__(self, C: float) -> None:
        self.C = C

    def fit(self, X: Any, y: np.ndarray) -> Peak:
        self.fits.append((self.C, X.shape[1]))
        self.right = 0.9 - 0.1 * abs(np.log10(self.C) - 3) - 0.2 * (X.shape[1] == 6)
        return self

    def predict(self, X: Any) -> np.ndarray:
        label_of = {tuple(row): label for row, label in zip(COUNTS.toarray()[:, :5].tolist(), Y.tolist(), strict=True)}
        labels = np.array([label_of[tuple(row)] for row in X.toarray()[:, :5].tolist()])
        wrong = np.arange(len(labels)) >= round(self.right * len(labels))
        return np.where(wrong, 1 - labels, labels)


def run(**plan: Any) -> tuple[str, dict[str, Any]]:
    views = Views({"a": COUNTS, "b": COUNTS[:, :5]}, {"a": {}, "b": {}})
    choices = [{"view": view, "weighting": "counts"} for view in "ab"]
    whole = {**PLAN, "choices": choices, **plan}
    return search("single", lambda point: Peak(**point), whole, (views, Y), np.random.default_rng(1))


def test_the_grid_goes_on_beyond_its_end_as_long_as_that_helps() -> None:
    name, point, _ = run()
    assert point == {"view": "b", "weighting": "counts", "C": 1000.0}
    assert name == "view=b;weighting=counts;C=1000.0"


def test_no_entrant_is_fitted_twice_on_one_fold_and_all_points_meet_all_folds() -> None:
    Peak.fits.clear()
    run(grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0]})
    assert {Peak.fits.count(fit) for fit in Peak.fits} == {3}


def test_of_many_documents_a_part_tells_the_better_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY", 60)
    monkeypatch.setattr(module, "PART", (20, 20))
    Peak.fits.clear()
    _, point, _ = run(grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0]})
    assert point["C"] == 1000.0
    assert Peak.fits.count((0.001, 5)) == 1
    assert Peak.fits.count((1000.0, 5)) == 4


def test_a_race_of_one_has_its_score_on_all_folds() -> None:
    Peak.fits.clear()
    views = Views({"a": COUNTS}, {"a": {}})
    plan = {"choices": [{"view": "a", "weighting": "counts"}], "grid": {}, **METRIC}
    _, point, score = search("single", lambda _: Peak(C=10.0), plan, (views, Y), np.random.default_rng(1))
    assert point == {"view": "a", "weighting": "counts"}
    assert len(Peak.fits) == 5
    assert 0.0 <= score <= 1.0


def test_few_documents_have_five_folds() -> None:
    Peak.fits.clear()
    views = Views({"a": COUNTS}, {"a": {}})
    plan = {"choices": [{"view": "a", "weighting": "counts"}], "grid": {"C": [1.0, 2.0]}, **METRIC}
    search("single", lambda point: Peak(**point), plan, (views, Y), np.random.default_rng(1))
    assert Peak.fits.count((1.0, 6)) == 5


class Warm(Peak):
    """An estimator that says at which points the same instance was fitted before."""

    seen: ClassVar[list[list[float]]] = []

    def __init__(self, C: float, warm_start: bool = False) -> None:
        super().__init__(C)
        self.warm_start = warm_start

    def fit(self, X: Any, y: np.ndarray) -> Warm:
        self.before = [*getattr(self, "before", []), self.C]
        self.seen.append(self.before)
        return super().fit(X, y)


def test_the_points_of_one_choice_start_from_each_other_on_the_same_fold() -> None:
    Warm.seen.clear()
    views = Views({"a": COUNTS}, {"a": {}})
    plan = {"choices": [{"view": "a", "weighting": "counts"}], "grid": {"C": [10.0, 100.0, 1000.0]}, **METRIC}
    best = search("single", lambda point: Warm(**point), plan, (views, Y), np.random.default_rng(1))
    assert best[1]["C"] == 1000.0
    assert Warm.seen.count([10.0, 100.0, 1000.0, 10000.0]) == 5


class Calibrated(Peak):
    """An estimator that says with which value of ``calibrate`` it was fitted."""

    seen: ClassVar[list[bool]] = []

    def __init__(self, C: float, calibrate: bool = True) -> None:
        super().__init__(C)
        self.calibrate = calibrate

    def fit(self, X: Any, y: np.ndarray) -> Calibrated:
        self.seen.append(self.calibrate)
        self.classes_ = np.unique(y)
        return super().fit(X, y)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        return np.log(np.full((X.shape[0], len(self.classes_)), 1.0 / len(self.classes_)))


@pytest.mark.parametrize(("metric", "calibrated"), [("accuracy", False), ("log_loss", True)])
def test_a_search_calibrates_only_where_its_metric_takes_probabilities(metric: str, calibrated: bool) -> None:
    Calibrated.seen.clear()
    views = Views({"a": COUNTS}, {"a": {}})
    plan = {"choices": [{"view": "a", "weighting": "counts"}], "grid": {"C": [1.0, 3.0]}, "metric": metric, "name": ""}
    search("single", lambda point: Calibrated(**point), plan, (views, Y), np.random.default_rng(1))
    assert set(Calibrated.seen) == {calibrated}


@pytest.mark.parametrize(
    ("values", "best", "expected"),
    [
        ([1.0, 10.0, 100.0], 100.0, 1000.0),
        ([1.0, 10.0, 100.0], 1.0, 0.1),
        ([1.0, 10.0, 100.0], 10.0, None),
        ([1, 4, 16], 16, 64),
        ([1, 4, 16], 1, None),
        ([0.5, 0.7, 0.9], 0.9, None),
        ([0.5, 0.9], 0.9, None),
        (["a", "b"], "b", None),
        ([None, 1.0], 1.0, None),
        ([1.0], 1.0, None),
    ],
)
def test_a_ladder_is_made_longer_and_no_other_list(values: list[Any], best: Any, expected: Any) -> None:
    assert beyond(values, best) == expected


def test_a_represented_estimator_sees_the_words_of_its_training_part_alone() -> None:
    counts = sparse.csr_array([[1, 0, 0], [1, 1, 0], [0, 0, 5]], dtype=np.int32)
    views = Views({"words": counts}, {"words": {"min_documents": 1}})

    class Seen(BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> None:
            self.shape_ = X.shape

        def predict_proba(self, X: Any) -> Any:
            return X.shape

    fitted = Represented(Seen(), {"view": "words", "weighting": "tfidf"}).fit(views[[0, 1]], np.array([0, 1]))
    assert fitted.shape_ == (2, 2)
    assert fitted.predict_proba(views[[2]]) == (1, 2)
    assert not hasattr(fitted, "predict_log_proba")
    np.testing.assert_array_equal(fitted.weighting.scale_, TermWeighting().fit(counts[:2]).scale_)


def test_a_hidden_markov_model_knows_the_words_of_its_training_part_alone() -> None:
    train = ["a b a b c", "a b a c b", "b a b a", "b b a a"]
    y, point = np.array([0, 0, 1, 1]), {"view": "sequences", "weighting": "order", "random_state": 0}
    found = []
    for test in (["a b b a", "c c"], ["a b b a", "d d"], ["a b b a", "c d d e f e f g g d"]):
        texts = Ragged.from_texts(text.encode() for text in [*train, *test, *test[1:]])
        labels, ids = label_matrix([[0]] * len(texts), 1), [str(row) for row in range(len(texts))]
        corpus = build_features(Corpus("made", ids, ["a"], labels, text=texts), TEXT_VIEWS["sequences"])
        views = Views({"sequences": TokenSequences.of_corpus(corpus)}, {"sequences": least_of(TEXT_VIEWS["sequences"])})
        fitted = new_estimator(load_methods()["hmm"], point).fit(views[:4], y)
        found.append((fitted.n_features_in_, fitted.predict_proba(views[4:5]), fitted.log_likelihood(views[4:5])))
    for n_words, probability, logs in found:
        assert n_words == 3
        np.testing.assert_array_equal(probability, found[0][1])
        np.testing.assert_array_equal(logs, found[0][2])
