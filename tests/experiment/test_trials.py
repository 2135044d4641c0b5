"""Fitted predictions are the contract between models and metrics: their order, their seeds and their scores."""

from __future__ import annotations

import sys
import types
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import MultinomialNB

from textmix.core.errors import ConfigError
from textmix.core.io import new_folder
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.methods import Method, load_methods, point_of, variants
from textmix.experiment.predictions import Predictions
from textmix.experiment.scoring import SCORE_COLUMNS, score
from textmix.experiment.splits import Splits, make_splits
from textmix.experiment.trials import TIMINGS, run_shared_trials, run_trials
from textmix.text.features import FeatureSpec, build_features, count_known
from textmix.text.term_weighting import TermWeighting

SEED = 5
NAIVE_BAYES = Method("nb", "sklearn.naive_bayes:MultinomialNB", "naive Bayes", "single", "counts", "edcm")
GRID = {"params": {"fit_prior": True}, "grid": {"alpha": [1.0, 0.01, 5.0]}}


def corpus_of(classes: list[int], words: int = 12) -> Corpus:
    """Return documents with words that depend on the class stochastically."""
    generator = np.random.default_rng(1)
    labels = np.array(classes)
    weights = np.where(np.arange(words)[None, :] % (labels.max() + 1) == labels[:, None], 2.0, 0.7)
    counts = generator.poisson(weights).astype(np.int32)
    return Corpus(
        name="news",
        ids=[str(row) for row in range(len(classes))],
        label_names=[f"c{label}" for label in range(labels.max() + 1)],
        labels=label_matrix([[label] for label in classes], int(labels.max()) + 1),
        features=sparse.csr_array(counts),
    )


def splits_of(*pairs: tuple[list[int], list[int]]) -> Splits:
    """Return splits from lists of rows."""
    parts = []
    for side in zip(*pairs, strict=True):
        offsets = np.cumsum([0, *map(len, side)]).astype(np.int64)
        parts.append(Ragged(np.concatenate(side).astype(np.int64), offsets))
    return Splits(*parts)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Return 90 documents of three classes."""
    return corpus_of([row % 3 for row in range(90)])


@pytest.fixture(scope="module")
def splits(corpus) -> Splits:
    """Return three random splits."""
    return make_splits(corpus, {"kind": "random", "train": 0.7, "trials": 3}, SEED, "random", None)


def plugged(monkeypatch, **methods) -> Method:
    """Register an estimator made for a test."""
    module = types.ModuleType("test_estimators")
    module.Tiny = type("Tiny", (BaseEstimator,), methods)
    monkeypatch.setitem(sys.modules, "test_estimators", module)
    return Method("tiny", "test_estimators:Tiny", "", "single", "counts", "edcm")


def always(label: int, **attributes):
    """Return the methods of an estimator that always predicts one class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        vars(self).update(attributes)
        return self

    return {
        "fit": fit,
        "predict": lambda self, X: np.full(X.shape[0], label),
        "predict_log_proba": lambda self, X: np.full((X.shape[0], len(self.classes_)), -1.0),
    }


# --- the grid ---------------------------------------------------------------------------------------------------------


def test_variants_stand_in_the_grids_own_order():
    grid = {"b": [2, 1], "a": ["x", "y"]}
    assert list(variants({"c": 0, "a": "z"}, grid)) == [
        ("b=2;a=x", {"c": 0, "a": "x", "b": 2}),
        ("b=2;a=y", {"c": 0, "a": "y", "b": 2}),
        ("b=1;a=x", {"c": 0, "a": "x", "b": 1}),
        ("b=1;a=y", {"c": 0, "a": "y", "b": 1}),
    ]


def test_parameters_reach_the_estimator_and_unknown_ones_are_named():
    assert NAIVE_BAYES.make({"alpha": 0.25}).alpha == 0.25
    with pytest.raises(ConfigError, match=r"method nb: .*'alfa'; its parameters are alpha, class_prior, fit_prior, "):
        NAIVE_BAYES.make({"alfa": 0.25})


# --- trials -----------------------------------------------------------------------------------------------------------


def test_predictions_are_those_of_the_estimator_for_every_variant_and_trial(corpus, splits):
    predictions, _ = run_trials(corpus, splits, NAIVE_BAYES, GRID, SEED)
    assert predictions.variants == ["alpha=1.0", "alpha=0.01", "alpha=5.0"]
    assert predictions.classes.shape == predictions.true_log_proba.shape == (3, 81)
    assert (predictions.classes.dtype, predictions.true_log_proba.dtype) == (np.int32, np.float64)
    labels = corpus.classes()
    for row, alpha in enumerate([1.0, 0.01, 5.0]):
        for trial in range(3):
            train, test = splits.train[trial], splits.test[trial]
            twin = MultinomialNB(alpha=alpha).fit(corpus.features[train], labels[train])
            part = slice(27 * trial, 27 * (trial + 1))
            np.testing.assert_array_equal(predictions.classes[row, part], twin.predict(corpus.features[test]))
            expected = twin.predict_log_proba(corpus.features[test])[np.arange(27), labels[test]]
            np.testing.assert_array_equal(predictions.true_log_proba[row, part], expected)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("classifier_chain", {"one": {"tol": 1e-2}, "beam": {"tol": 1e-2, "beam_width": 5}}),
        ("chain_ensemble", {"sets": {"vote": "subset"}, "labels": {}}),
    ],
)
def test_predictions_from_shared_fits_are_those_of_separate_fits(corpus, splits, name, params):
    method = load_methods()[name]
    entries = {key: {"params": value} for key, value in params.items()}
    shared = run_shared_trials(corpus, splits, method, entries, SEED)
    assert list(shared) == list(entries)
    for key, entry in entries.items():
        alone, timings = run_trials(corpus, splits, method, entry, SEED)
        predictions, shared_timings = shared[key]
        np.testing.assert_array_equal(predictions.sets, alone.sets)
        np.testing.assert_array_equal(predictions.marginals, alone.marginals)
        np.testing.assert_array_equal(predictions.true_log_proba, alone.true_log_proba)
        assert predictions.fits == alone.fits
        assert [row.keys() for row in shared_timings] == [row.keys() for row in timings]


def test_test_sets_of_different_size_are_kept_apart(corpus):
    uneven = splits_of((list(range(60)), [60]), (list(range(30, 90)), list(range(12))), ([0, 1, 2], [5, 6, 7, 8]))
    predictions, _ = run_trials(corpus, uneven, NAIVE_BAYES, {}, SEED)
    assert predictions.classes.shape == (1, 17)
    for trial, (start, end) in enumerate([(0, 1), (1, 13), (13, 17)]):
        alone, _ = run_trials(corpus, splits_of((uneven.train[trial], uneven.test[trial])), NAIVE_BAYES, {}, SEED)
        np.testing.assert_array_equal(predictions.classes[:, start:end], alone.classes)
        np.testing.assert_array_equal(predictions.true_log_proba[:, start:end], alone.true_log_proba)


@pytest.mark.parametrize("unseen", [0, 1, 2])
def test_class_unseen_in_training_has_log_posterior_minus_infinity(corpus, unseen):
    labels = corpus.classes()
    train = [row for row in range(60) if labels[row] != unseen]
    predictions, _ = run_trials(corpus, splits_of((train, list(range(60, 90)))), NAIVE_BAYES, {}, SEED)
    hidden = labels[60:90] == unseen
    assert hidden.any() and not hidden.all()
    assert np.all(predictions.true_log_proba[0, hidden] == -np.inf)
    assert np.all(np.isfinite(predictions.true_log_proba[0, ~hidden]))
    assert unseen not in predictions.classes
    twin = MultinomialNB().fit(corpus.features[train], labels[train])
    columns = np.searchsorted(twin.classes_, labels[60:90][~hidden])
    expected = twin.predict_log_proba(corpus.features[60:90][~hidden])[np.arange(len(columns)), columns]
    np.testing.assert_array_equal(predictions.true_log_proba[0, ~hidden], expected)


@pytest.mark.parametrize("name", [name for name, method in load_methods().items() if method.seen_only])
def test_features_that_training_lacks_change_nothing_where_they_are_left_out(name):
    data = corpus_of([row % 2 for row in range(60)])
    rare = sparse.csr_array((np.ones(40), (np.arange(20, 60), np.arange(40))), shape=(60, 40))
    data = replace(data, features=sparse.csr_array(sparse.hstack([data.features, rare], format="csr")))
    method, split = load_methods()[name], splits_of((list(range(20)), list(range(20, 60))))
    without_rare, with_rare = (
        run_trials(data, split, registered, {"params": {"tol": 1e-8} if name == "logistic_regression" else {}}, SEED)[0]
        for registered in (method, replace(method, seen_only=False))
    )
    np.testing.assert_array_equal(without_rare.classes, with_rare.classes)
    np.testing.assert_allclose(without_rare.true_log_proba, with_rare.true_log_proba, atol=1e-3)


def test_seed_of_a_fit_hangs_on_seed_data_set_and_trial_only(corpus, splits, monkeypatch):
    seeds = {}

    def run(key, name="news", seed=SEED, grid=None, those=splits):
        methods = always(0)
        methods["__init__"] = init
        fit = methods["fit"]
        methods["fit"] = lambda self, X, y: (seeds.setdefault(key, []).append(self.random_state), fit(self, X, y))[1]
        named = Corpus(name, corpus.ids, corpus.label_names, corpus.labels, features=corpus.features)
        run_trials(named, those, plugged(monkeypatch, **methods), {"grid": grid or {}}, seed)

    def init(self, power=1, random_state=None):
        self.power, self.random_state = power, random_state

    run("first")
    run("again")
    run("grid", grid={"power": [1, 2]})
    run("seed", seed=SEED + 1)
    run("data set", name="industry")
    run("other splits", those=splits_of(*[([0, 1], [2])] * 3))
    assert len(set(seeds["first"])) == 3, "each trial has its own seed"
    assert seeds["again"] == seeds["other splits"] == seeds["first"]
    assert seeds["grid"] == [seed for seed in seeds["first"] for _ in range(2)], "variants of a trial share it"
    assert not set(seeds["seed"]) & set(seeds["first"]) and not set(seeds["data set"]) & set(seeds["first"])


def test_timings_have_a_row_for_every_variant_and_trial(corpus, splits, monkeypatch):
    now = iter(range(1000))
    monkeypatch.setattr("time.perf_counter", lambda: float(next(now)))
    predictions, timings = run_trials(corpus, splits, NAIVE_BAYES, GRID, SEED)
    assert [(row["variant"], row["trial"]) for row in timings] == [
        (variant, trial) for trial in range(3) for variant in predictions.variants
    ]
    assert all(tuple(row) == TIMINGS for row in timings)
    assert {(row["fit_seconds"], row["predict_seconds"]) for row in timings} == {(1.0, 1.0)}


# --- convergence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, (None, None, None)),
        ({"converged_": False, "n_iter_": 7, "objective_path_": [-9.0, -4.0, -3.5]}, (False, 7, -3.5)),
        ({"converged_": np.array([True, False])}, (False, None, None)),
        ({"n_iter_": np.array([99]), "max_iter": 100}, (True, 99, None)),
        ({"n_iter_": np.array([5, 100]), "max_iter": 100}, (False, 100, None)),
        ({"objective_path_": [np.array([-9.0, -4.0]), np.array([-5.0, -2.0, -1.0])]}, (None, None, -5.0)),
        ({"objective_path_": np.array([-9.0, -4.0])}, (None, None, -4.0)),
    ],
)
def test_convergence_facts_are_those_of_the_estimator(corpus, monkeypatch, attributes, expected):
    method = plugged(monkeypatch, **always(0, **attributes))
    predictions, _ = run_trials(corpus, splits_of(([0, 1, 2], [3])), method, {}, SEED)
    (row,) = predictions.fits
    assert (row["converged"], row["n_iter"], row["objective"]) == expected


# --- storing and scoring ----------------------------------------------------------------------------------------------


def test_predictions_come_back_as_they_were_saved(corpus, splits, tmp_path):
    predictions, _ = run_trials(corpus, splits, NAIVE_BAYES, GRID, SEED)
    with new_folder(tmp_path / "p", {"rule": "fit"}) as target:
        predictions.write(target)
    back = Predictions.load(tmp_path / "p")
    assert back.variants == predictions.variants
    np.testing.assert_array_equal(back.classes, predictions.classes)
    np.testing.assert_array_equal(back.true_log_proba, predictions.true_log_proba)
    assert [(row["variant"], row["trial"]) for row in back.fits] == [
        (row["variant"], str(row["trial"])) for row in predictions.fits
    ]


def test_scores_are_those_worked_by_hand():
    """Classes 0 0 0 1 1 2 over two trials; per variant one right answer more."""
    corpus = corpus_of([0, 0, 0, 1, 1, 2])
    splits = splits_of(([0, 3, 5], [1, 2, 4, 5]), ([1, 4], [0, 3]))
    # true classes: trial 0: 0 0 1 2; trial 1: 0 1
    predictions = Predictions(
        variants=["s=1", "s=2"],
        classes=np.array([[0, 1, 1, 0, 1, 0], [0, 0, 1, 0, 0, 1]], dtype=np.int32),
        true_log_proba=np.zeros((2, 6)),
        fits=[],
    )
    rows = score(predictions, corpus, splits, ["error_rate", "accuracy"])
    assert [tuple(row[column] for column in SCORE_COLUMNS) for row in rows] == [
        ("s=1", 0, "error_rate", 0.5),
        ("s=1", 0, "accuracy", 0.5),
        ("s=1", 1, "error_rate", 1.0),
        ("s=1", 1, "accuracy", 0.0),
        ("s=2", 0, "error_rate", 0.25),
        ("s=2", 0, "accuracy", 0.75),
        ("s=2", 1, "error_rate", 0.0),
        ("s=2", 1, "accuracy", 1.0),
    ]
    # s=1, trial 0: class 0 has 1 hit of 2 said and 2 true, class 1 has 1 of 2 and 1, class 2 none: F1 1/2, 2/3, 0.
    macro = score(predictions, corpus, splits, ["macro_f1"])
    assert macro[0]["value"] == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)


def test_the_name_of_a_variant_tells_its_point():
    for name, params in variants({}, {"a": [1, 0.5], "b": ["x"]}):
        assert point_of(name) == {key: str(value) for key, value in params.items()}
    assert point_of("") == {}


def texts_of(rows: int, vocabulary: int) -> list[str]:
    """Return made-up texts with many rare words, of two classes in turn."""
    generator = np.random.default_rng(4)
    weights = 1.0 / np.arange(1, vocabulary + 1)
    lean = np.where(np.arange(vocabulary) % 3 == 0, 2.0, 1.0)
    drawn = [weights * (lean if row % 2 else 1.0) for row in range(rows)]
    return [" ".join(f"w{word}" for word in generator.choice(vocabulary, 12, p=p / p.sum())) for p in drawn]


BY_FOLD = [
    {"tokenizer": "whitespace"},
    {"tokenizer": "whitespace", "min_count": 3, "min_df": 2},
    {"tokenizer": "whitespace", "weighting": "binary", "min_df": 2},
    {"tokenizer": "whitespace", "max_n": 2, "subsume": False, "min_df": 3},
]


@pytest.mark.parametrize("spec", BY_FOLD)
@pytest.mark.parametrize("estimator", ["naive_bayes.multinomial:MultinomialClassifier", "linear.nbsvm:NBSVMClassifier"])
def test_with_a_vocabulary_by_fold_each_fit_is_one_on_the_words_of_its_own_training_documents(
    spec: dict[str, object], estimator: str
) -> None:
    texts = texts_of(60, 120)
    labels = label_matrix([[row % 2] for row in range(60)], 2)

    def corpus_from(some: list[int]) -> Corpus:
        text = Ragged.from_texts(texts[row].encode() for row in some)
        return Corpus("made_up", [f"d{row}" for row in some], ["a", "b"], labels[some], text=text)

    folds = [[row for row in range(60) if row % 3 == fold] for fold in range(3)]
    splits = splits_of(*[([row for row in range(60) if row % 3 != fold], folds[fold]) for fold in range(3)])
    method = Method("m", f"textmix.models.{estimator}", "family", "single", "counts", "edcm")
    whole = build_features(corpus_from(list(range(60))), {**spec, "fit_on": "fold"})
    ours, _ = run_trials(whole, splits, method, {}, SEED)
    widths = set()
    for fold in range(3):
        train, test = (np.asarray(part[fold]).tolist() for part in (splits.train, splits.test))
        own = build_features(corpus_from(train), spec)
        if spec.get("max_n"):
            both = build_features(corpus_from([*train, *test]), {**spec, "min_df": 1})
            named = [(both.feature_names or []).index(name) for name in own.feature_names or []]
            known = both.features[len(train) :, named]
        else:
            column_of = {word: column for column, word in enumerate(own.feature_names or [])}
            known = count_known(corpus_from(test).text, FeatureSpec.from_mapping(spec), column_of)
        widths.add(own.features.shape[1])
        features = sparse.csr_array(sparse.vstack([own.features, known]))
        rows = [*train, *test]
        alone = Corpus("made_up", [f"d{row}" for row in rows], ["a", "b"], labels[rows], features=features)
        split = splits_of((list(range(len(train))), list(range(len(train), 60))))
        twin, _ = run_trials(alone, split, method, {}, SEED)
        at = slice(*np.cumsum([0, *map(len, folds)])[[fold, fold + 1]])
        np.testing.assert_array_equal(twin.classes[0], ours.classes[0, at])
        np.testing.assert_array_equal(twin.true_log_proba[0], ours.true_log_proba[0, at])
    assert max(widths) < whole.features.shape[1], "no word is of test documents alone, so that nothing is tested"


def test_a_comparison_of_methods_refuses_features_whose_vocabulary_is_by_fold() -> None:
    built = build_features(
        Corpus("made_up", ["x", "y"], ["a", "b"], label_matrix([[0], [1]], 2), text=Ragged.from_texts([b"u", b"v"])),
        {"tokenizer": "letters", "fit_on": "fold"},
    )
    with pytest.raises(ConfigError, match="counts words once; use fit_on: all"):
        run_trials(built, splits_of(([0, 1], [0])), NAIVE_BAYES, {}, SEED, representation=TermWeighting())
