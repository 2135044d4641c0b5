"""`textmix.save` and `textmix.load`: what is loaded predicts as what was saved, and nothing else is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

import textmix
from tests.early_stops import may_stop_early, stops_early
from tests.models.public import CLASSIFIERS, OF_SEQUENCES, make
from tests.models.test_in_scikit_learn import documents, problem
from tests.serve.test_persisted_model import fitted, forge
from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError
from textmix.serve.model import PersistedModel


def both(model: Any, place: Path) -> tuple[Any, Any]:
    """Return a model, and the same after it was saved and loaded."""
    textmix.save(model, place / "model")
    return model, textmix.load(place / "model")


def assert_same(model: Any, loaded: Any, texts: Any) -> None:
    """Assert that two models give the same to the bit."""
    assert loaded.predict(texts).tolist() == model.predict(texts).tolist()
    assert loaded.classes_.tolist() == model.classes_.tolist()
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(loaded.predict_proba(texts), model.predict_proba(texts))


@may_stop_early
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name not in OF_SEQUENCES])
def test_every_classifier_comes_back_with_its_vectoriser_and_its_labels(name: str, tmp_path: Path) -> None:
    texts, y = problem(name)
    model, loaded = both(make_pipeline(textmix.WordVectorizer(), make(name)).fit(texts, y), tmp_path)
    assert isinstance(loaded, Pipeline) and [step for step, _ in loaded.steps] == [step for step, _ in model.steps]
    assert_same(model, loaded, [*texts, "", "unheard words"])
    assert loaded.get_params().keys() == model.get_params().keys()
    assert loaded.score(texts, y) == model.score(texts, y)


@pytest.mark.parametrize("name", ["LinearSVM", "NBSVMClassifier", "KNNClassifier"])
def test_calibrated_probabilities_come_back(name: str, tmp_path: Path) -> None:
    texts, y = problem(name)
    estimator = getattr(textmix, name)(calibrate=True)
    model, loaded = both(make_pipeline(textmix.WordVectorizer(), estimator).fit(texts, y), tmp_path)
    assert hasattr(loaded, "predict_proba")
    assert_same(model, loaded, [*texts, ""])


@pytest.mark.parametrize(
    "vectoriser",
    [
        CountVectorizer(ngram_range=(1, 2), min_df=2, dtype=np.int32),
        CountVectorizer(stop_words=["the"], binary=True),
        TfidfVectorizer(sublinear_tf=True),
        textmix.SkipgramVectorizer(max_n=3, max_slop=1, min_df=2),
        textmix.SkipgramVectorizer(max_n=2, min_df=2, weighting="score"),
        textmix.WordVectorizer(stop_list="smart", min_count=2, weighting="binary"),
    ],
    ids=repr,
)
def test_every_vectoriser_comes_back(vectoriser: Any, tmp_path: Path) -> None:
    texts, y = problem("MultinomialClassifier")
    model, loaded = both(make_pipeline(vectoriser, textmix.MultinomialClassifier()).fit(texts, y), tmp_path)
    assert_same(model, loaded, [*texts, "a goal of a team", ""])
    names = [each[0].get_feature_names_out().tolist() for each in (model, loaded)]
    assert names[0] == names[1]


@pytest.mark.parametrize("learner", ["logistic", "boosting"])
@pytest.mark.parametrize("wide", [False, True])
def test_mixtures_of_either_learner_come_back(learner: str, wide: bool, tmp_path: Path) -> None:
    texts, y = documents(True, n=36 if not wide else 8)
    X = CountVectorizer().fit_transform(texts)
    classifier = textmix.CBMClassifier(n_components=3, n_init=1, max_iter=2, learner=learner, random_state=0, trees=3)
    with stops_early():
        classifier.fit(X, y)
    model, loaded = both(classifier, tmp_path)
    assert_same(model, loaded, X)
    np.testing.assert_array_equal(loaded.label_correlations(X[:3]), model.label_correlations(X[:3]))


@pytest.mark.parametrize("representation", ["l1", "bhattacharyya", "fisher_dcm", "fisher_multinomial"])
def test_neighbors_of_every_kind_come_back(representation: str, tmp_path: Path) -> None:
    texts, y = problem("KNNClassifier")
    X = CountVectorizer().fit_transform(texts)
    assert_same(*both(textmix.KNNClassifier(representation=representation, cosine=True).fit(X, y), tmp_path), X)


def test_numbers_as_labels_names_of_columns_and_three_steps_come_back(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(np.random.default_rng(0).poisson(1.0, (20, 3)), columns=["a", "b", "c"])
    model, loaded = both(textmix.EDCMClassifier().fit(X, np.arange(20) % 2 * 7), tmp_path)
    assert_same(model, loaded, X)
    assert loaded.classes_.tolist() == [0, 7] and loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    texts, y = problem("MultinomialClassifier")
    three = make_pipeline(CountVectorizer(), TfidfTransformer(), LogisticRegression()).fit(texts, y)
    assert_same(*both(three, tmp_path), texts)
    several = textmix.PMM1().fit(X, np.eye(3, dtype=int)[np.arange(20) % 3])
    assert_same(*both(several, tmp_path), X)


def test_a_model_of_the_workflow_is_a_pipeline_to_names(tmp_path: Path) -> None:
    for name in ("edcm", "pmm1"):
        model, text, _ = fitted(name)
        model.save(tmp_path / name, {})
        loaded = textmix.load(tmp_path / name)
        texts = [text.text.text(row) for row in range(5)]  # type: ignore[union-attr]
        expected = model.label(text.text)[0][:5]  # type: ignore[arg-type]
        if name == "edcm":
            assert loaded.predict(texts).tolist() == [model.label_names[label] for label in expected]
        else:
            names = np.array(model.label_names)
            assert loaded.predict(texts).tolist() == [tuple(names[row > 0].tolist()) for row in expected]


def test_what_cannot_be_saved_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    texts, y = problem("MultinomialClassifier")
    (tmp_path / "thesis").mkdir()
    whole = make_pipeline(CountVectorizer(), textmix.MultinomialClassifier()).fit(texts, y)
    with pytest.raises(ConfigError, match="contains no model"):
        textmix.save(whole, tmp_path / "thesis")
    with pytest.raises(NotFittedError):
        textmix.save(textmix.PMM1(), tmp_path / "model")
    custom = make_pipeline(CountVectorizer(tokenizer=str.split, token_pattern=None), textmix.MultinomialClassifier())
    with pytest.raises(ConfigError, match="parameter tokenizer is a method_descriptor, which cannot be saved"):
        textmix.save(custom.fit(texts, y), tmp_path / "model")
    with pytest.raises(ConfigError, match="not strings, numbers or booleans"):
        dated = textmix.MultinomialClassifier().fit(np.eye(2), ["a", "b"])
        dated.classes_ = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")
        textmix.save(dated, tmp_path / "model")
    without = make_pipeline(TfidfVectorizer(use_idf=False), textmix.MultinomialClassifier()).fit(texts, y)
    with pytest.raises(ConfigError, match="TfidfVectorizer has no idf_"):
        textmix.save(without, tmp_path / "model")
    learner = textmix.CBMClassifier(n_components=1, n_init=1, learner=LogisticRegression())
    with pytest.raises(ConfigError, match="learner is a LogisticRegression"):
        textmix.save(learner.fit(np.eye(4), np.eye(4, dtype=int)), tmp_path / "model")
    with pytest.raises(ConfigError, match="SVC does not declare"):
        from sklearn.svm import SVC

        textmix.save(SVC().fit([[0.0], [1.0]], [0, 1]), tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis"]


def test_a_model_without_vectoriser_labels_no_text(tmp_path: Path) -> None:
    textmix.save(textmix.PMM1().fit(np.eye(2), [["a"], ["b"]]), tmp_path / "model")
    with pytest.raises(ConfigError, match="without a vectoriser"):
        PersistedModel.load(tmp_path / "model").counts(None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="nothing: no model found"):
        textmix.load(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("last_word", lambda a: a + 99),
        ("starts", lambda a: a[::-1]),
        ("columns", lambda a: a + 99),
        ("levels", lambda a: a * 2),
        ("_rank", lambda a: a + 99),
    ],
)
def test_skip_grams_with_an_index_out_of_range_are_refused(field: str, change: Any, tmp_path: Path) -> None:
    texts, y = problem("MultinomialClassifier")
    model = make_pipeline(textmix.SkipgramVectorizer(max_n=3, min_df=2), textmix.MultinomialClassifier())
    textmix.save(model.fit(texts, y), tmp_path / "model")

    def forged(folder: Path) -> None:
        path = folder / f"step0/skipgrams_.{field}.npy"
        io.save_arrays(path.parent, **{path.stem: change(np.load(path))})

    with pytest.raises(DataFormatError, match="is not a model"):
        textmix.load(forge(tmp_path / "model", tmp_path / "forged", forged))


def test_what_cannot_be_read_is_not_written(tmp_path: Path) -> None:
    texts, y = problem("MultinomialClassifier")
    model = make_pipeline(textmix.WordVectorizer(), textmix.MultinomialClassifier()).fit(texts, y)
    model[-1].n_features_in_ += 1
    with pytest.raises(ConfigError, match="model: cannot be saved, because the written folder is not a model"):
        textmix.save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
