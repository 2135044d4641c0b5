"""Every public class of textmix, so that one class more is tried as all others are: scikit-learn's own checks."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

from tests.early_stops import may_stop_early
from tests.models.expected_failures import expected_failures
from tests.models.public import CLASSES, OF_MATRICES, OF_SEQUENCES, OF_TEXTS, SMALL, TWO_CLASSES, make
from textmix import WordVectorizer
from textmix.experiment.methods import load_methods
from textmix.models.lsi import scores

REGISTRY = load_methods()
TOPICS = {"art": "paint music stage", "money": "bank loan price", "sport": "ball goal team"}
#: Methods of the registry that are classes of other packages.
OTHERS = sorted(name for name, method in REGISTRY.items() if not method.module.startswith("textmix."))
#: scikit-learn runs its checks on its own classes.
CHECKED = [REGISTRY[name].make({}) for name in OTHERS if not REGISTRY[name].module.startswith("sklearn.")]
ESTIMATORS = [*(make(name) for name in OF_MATRICES), *CHECKED]
#: Other paths through the same classes.
VARIANTS = [
    make("KNNClassifier", representation="fisher_dcm"),
    make("PathClassifier", smallest=0.1, n_lambdas=3),
    make("PathClassifier", l1_ratio=1.0),
    make("PMM2", search="exact", init="random", set_prior="training"),
    # More topics than the checks have words: some topics lose all their words.
    make("LatentTopicEDCM", n_components=10, max_iter=100),
    make("PrunedLSIClassifier", criterion="sensitivity"),
    *(make("TermWeighting", weighting=weighting) for weighting in ("counts", "binary", "reals", "scaled")),
]
#: scikit-learn's checks that need no data; `check_estimator` leaves them out for a class that takes no matrix.
WITHOUT_DATA: list[Callable[[str, Any], None]] = [
    getattr(estimator_checks, f"check_{name}")
    for name in (
        *("estimator_cloneable", "estimator_repr", "no_attributes_set_in_init", "valid_tag_types", "set_params"),
        *("do_not_raise_errors_in_init_or_set_params", "get_params_invariance", "estimator_tags_renamed"),
        *("parameters_default_constructible", "mixin_order"),
    )
]


@pytest.fixture(autouse=True)
def _short_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two networks score words after few steps: the checks ask nothing of how good the scores are."""
    monkeypatch.setattr(scores, "ITERATIONS", 5)
    monkeypatch.setattr(scores, "sensitivities", functools.partial(scores.sensitivities, networks=2))


def test_every_public_class_is_of_matrices_of_texts_or_of_sequences() -> None:
    assert sorted([*OF_MATRICES, *OF_TEXTS, *OF_SEQUENCES]) == sorted(CLASSES)
    methods = [method for method in REGISTRY.values() if method.module.startswith("textmix.")]
    assert {type(method.make({})).__name__ for method in methods} <= CLASSES.keys()


# Some checks fit values so large that their variance overflows.
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning:numpy")
@pytest.mark.filterwarnings("ignore:invalid value encountered in subtract:RuntimeWarning:numpy")
@may_stop_early
@pytest.mark.parametrize("estimator", ESTIMATORS + VARIANTS, ids=repr)
def test_scikit_learns_checks_pass_or_are_declared(estimator: Any) -> None:
    expected = expected_failures(estimator)
    # One test an estimator: a test a check, of which there are 3,000, cost pytest more than many a check costs.
    results = check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    failed = [each["exception"] for each in results if each["status"] == "failed"]
    if failed:
        raise ExceptionGroup("checks that fail", failed)
    passed = [each["check_name"] for each in results if each["expected_to_fail"] and each["status"] == "passed"]
    assert passed == [], "these checks are expected to fail"
    assert expected.keys() <= {each["check_name"] for each in results}, "these checks do not exist"


@pytest.mark.parametrize("name", [name for name, method in REGISTRY.items() if method.input != "sequences"])
def test_counts_of_scikit_learn_give_what_our_counts_give(name: str) -> None:
    method = REGISTRY[name]
    kind = method.estimator.partition(":")[2]
    classes = list(TOPICS)[: 2 if kind in TWO_CLASSES else 3]
    estimator = method.make({key: value for key, value in SMALL.get(kind, {}).items() if key not in method.params})
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    rng = np.random.default_rng(6)
    labels = [classes[row % len(classes)] for row in range(45)]
    texts = [" ".join([*rng.choice(TOPICS[label].split(), size=6), "the"]) for label in labels]
    y = np.array(labels)
    if method.task == "multi":
        y = (y[:, np.newaxis] == classes).astype(int)
    ours, theirs = WordVectorizer().fit_transform(texts), CountVectorizer().fit_transform(texts)
    assert (theirs.dtype, type(theirs)) != (ours.dtype, type(ours))
    found, expected = (clone(estimator).fit(X, y).predict(X) for X in (theirs, ours))
    np.testing.assert_array_equal(found, expected)
    assert np.mean(found == y) >= 1 / len(classes)


@pytest.mark.parametrize("name", [*OF_TEXTS, *OF_SEQUENCES])
def test_the_checks_without_data_pass(name: str) -> None:
    for check in WITHOUT_DATA:
        check(name, make(name))


@pytest.mark.parametrize("name", [*OF_TEXTS, *OF_SEQUENCES])
def test_a_class_of_texts_or_sequences_says_that_it_is_not_fitted(name: str) -> None:
    documents = ["a text"] if name in OF_TEXTS else [[0, 1]]
    asked = [method for method in ("predict", "predict_proba", "transform") if hasattr(CLASSES[name], method)]
    assert asked
    for method in asked:
        with pytest.raises(NotFittedError):
            getattr(make(name), method)(documents)


@may_stop_early
@pytest.mark.parametrize("estimator", [each for each in ESTIMATORS if hasattr(each, "set_log_proba")], ids=repr)
def test_the_probabilities_of_all_label_sets_sum_to_one(estimator: Any) -> None:
    rng = np.random.default_rng(5)
    X = rng.poisson(1.0, size=(60, 8))
    Y = (X[:, :3] + rng.poisson(0.3, size=(60, 3)) > 1).astype(int)
    model = clone(estimator).fit(X, Y)
    logs = [model.set_log_proba(X[:7], np.tile(y, (7, 1))) for y in itertools.product((0, 1), repeat=3)]
    np.testing.assert_allclose(np.exp(logs).sum(axis=0), 1.0, rtol=1e-9)
    if hasattr(model, "decision_function"):
        with pytest.raises(ValueError, match="Y must hold the labels"):
            model.set_log_proba(X[:7], Y[:6])
