"""The persisted average: it answers as its parts do by hand, comes back from its folder, and refuses a forged one."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, softmax

from tests.serve.test_persisted_model import forge
from textmix import LinearSVM, MultinomialClassifier, SVMRelevance, WordVectorizer, load
from textmix.core.errors import DataFormatError
from textmix.serve.average_model import AVERAGE_FILE, AveragedModel, load_model
from textmix.serve.model import PersistedModel

TEXTS = ["goal ball goal", "paint stage", "ball team", "stage paint colour", "soup salt", "salt oven soup"]
KINDS = np.array([0, 1, 0, 1, 2, 2])
NAMES = ["sport", "art", "food"]
SETS = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 1, 1]])


def part(estimator: Any, y: np.ndarray, task: str) -> PersistedModel:
    """Return a model of words."""
    words = WordVectorizer()
    return PersistedModel([("words", words), ("model", estimator.fit(words.fit_transform(TEXTS), y))], task, NAMES)


def single() -> AveragedModel:
    """Return the average of two models of one label a text."""
    return AveragedModel(
        [part(LinearSVM(), KINDS, "single"), part(MultinomialClassifier(), KINDS, "single")], [2.0, 0.5]
    )


def several(**more: Any) -> AveragedModel:
    """Return one model of several labels a text, with thresholds."""
    return AveragedModel([part(SVMRelevance(), SETS, "multi")], [1.5], thresholds=np.array([0.4, 0.6, np.inf]), **more)


def test_one_label_is_that_of_the_mean_of_both_softmaxes() -> None:
    model = single()
    svm, bayes = (each.steps for each in model.parts)
    first = softmax(2.0 * svm[1][1].decision_function(svm[0][1].transform(TEXTS)), axis=1)
    second = softmax(0.5 * bayes[1][1].predict_log_proba(bayes[0][1].transform(TEXTS)), axis=1)
    np.testing.assert_allclose(model.predict_proba(TEXTS), (first + second) / 2, rtol=1e-10)
    assert model.predict(TEXTS).tolist() == [NAMES[k] for k in np.argmax(first + second, axis=1)]
    assert model.score(TEXTS, [NAMES[kind] for kind in KINDS]) == 1.0


def test_several_labels_are_those_that_reach_their_thresholds() -> None:
    model = several()
    words, svm = (step for _, step in model.parts[0].steps)
    p = expit(1.5 * svm.decision_function(words.transform(TEXTS)))
    wanted = [tuple(n for n, q, t in zip(NAMES, row, (0.4, 0.6, np.inf), strict=True) if q >= t) for row in p]
    assert model.predict(TEXTS).tolist() == wanted
    assert () in wanted


def test_the_score_compares_sets_of_labels_in_any_order() -> None:
    model = AveragedModel([part(SVMRelevance(), SETS, "multi")], [1.5], thresholds=np.zeros(3))
    assert model.predict(TEXTS).tolist() == [tuple(NAMES)] * 6
    orders: list[Any] = [NAMES[::-1], tuple(NAMES[::-1]), set(NAMES), np.array(NAMES[::-1]), NAMES[:2], ["art"]]
    assert model.score(TEXTS, orders) == pytest.approx(4 / 6)
    assert model.score(TEXTS, [[]] * 6) == 0.0
    for wrong in (SETS, SETS.tolist(), ["art"] * 6):
        with pytest.raises(ValueError, match=r"y (does not contain label sets|contains 0)"):
            model.score(TEXTS, wrong)


def test_no_answer_is_empty_where_the_user_says_so() -> None:
    assert all(several(never_empty=True).predict([*TEXTS, "", "unknown"]).tolist())


@pytest.mark.parametrize("make", [single, several])
def test_an_average_comes_back_from_its_folder(make: Any, tmp_path: Path) -> None:
    model = make()
    model.save(tmp_path / "model", {})
    for found in (load_model(tmp_path / "model"), load(tmp_path / "model")):
        np.testing.assert_array_equal(found.predict_proba(TEXTS), model.predict_proba(TEXTS))
        assert found.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()


@pytest.mark.parametrize(
    "change",
    [{"slopes": [1.0]}, {"slopes": [1.0, -1.0]}, {"parts": 1}, {"parts": 3}, {"task": "multi"}, {"format": 1}],
    ids=str,
)
def test_a_forged_average_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    single().save(tmp_path / "model", {})

    def rewrite(folder: Path) -> None:
        (folder / AVERAGE_FILE).write_text(json.dumps({**json.loads((folder / AVERAGE_FILE).read_text()), **change}))

    with pytest.raises(DataFormatError):
        load_model(forge(tmp_path / "model", tmp_path / "forged", rewrite))


def test_a_fit_estimates_slopes_anew() -> None:
    model = single()
    texts = [f"{text} {text}" for text in TEXTS * 5]
    labels = [NAMES[kind] for kind in KINDS] * 5
    earlier = [decided.fit(texts, labels).decision.slopes for decided in (single(), single().set_params(slopes=[1, 9]))]
    assert earlier[0] == earlier[1]
    assert earlier[0] != model.decision.slopes
    assert model.fit(texts[::-1], labels[::-1]).fit(texts, labels).decision.slopes == earlier[0]
    assert model.slopes == [2.0, 0.5], "parameters do not change"
    assert model.score(texts, labels) == 1.0


def test_a_fit_estimates_thresholds_anew(tmp_path: Path) -> None:
    labels = [[NAMES[k] for k in np.flatnonzero(row)] for row in SETS] * 8
    model = several(support=np.ones((2, 3))).fit(TEXTS * 8, labels)
    decision = model.decision
    assert decision.thresholds is not None
    assert np.isfinite(decision.thresholds).all(), "each label has documents"
    assert decision.support is not None
    np.testing.assert_array_equal(decision.support[0], 8 * SETS.sum(axis=0))
    assert model.score(TEXTS * 8, labels) == 1.0
    model.save(tmp_path / "model", {})
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.thresholds, decision.thresholds)
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_a_fit_to_too_few_texts_for_folds_keeps_the_rule() -> None:
    model = AveragedModel([part(LinearSVM(), np.array([0, 1, 0, 1, 0, 1]), "single")], [3.0])
    assert model.fit(["goal ball", "paint"], ["sport", "art"]).decision.slopes == [3.0]
