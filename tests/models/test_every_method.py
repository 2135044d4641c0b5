"""Every method of the registry, so that one entry more is tried as all others are: scikit-learn's own checks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import check_estimator

from textmix.experiment.methods import Method, load_methods
from textmix.models.linear.path import PathClassifier
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.pmm.estimator import PMM2

#: Smaller than by default where a fit takes seconds.
SMALL: dict[str, dict[str, Any]] = {
    "cbm": {"n_components": 2, "n_init": 1},
    "cbm_regularised": {"candidates": (2,), "max_iter": 3, "support": False, "random_state": 0},
    "cardinality_chains": {"n_chains": 5},
    "br_rerank": {"trees": 5, "folds": 2},
    "boosted_network": {"trees": 5, "sweeps": 20, "kept": 10},
    "edcm_mixture": {"max_iter": 5, "temperatures": (5.0, 1.0)},
    "label_network": {"hidden": 3, "decays": (1.0,), "max_iter": 50},
    "tfidf_network": {"hidden": 8, "max_iter": 10},
}
NOT_INDICATORS = "the check's y is not a matrix of 0 and 1, which is all that a multi-label estimator takes: "
CONSTANT = "the check's one column is constant, which is no error for a label"
BINARY = {"BinaryRelevance", "BRRerank", "BoostedRelevance", "AbsoluteDiscountingBinary"}
PMM = {"PMM1", "PMM2"}
LATER = ("CardinalityChains", "RandomLabelSubsets", "BoostedNetwork", "BRRerank")
#: Of every estimator of label sets.
SEVERAL = {
    "check_classifier_data_not_an_array": NOT_INDICATORS + "1 and 2",
    "check_classifier_not_supporting_multiclass": NOT_INDICATORS + "0, 1 and 2; refused with another message",
    "check_classifiers_classes": NOT_INDICATORS + "names of classes",
    "check_classifiers_one_label": CONSTANT,
    "check_classifiers_regression_target": NOT_INDICATORS + "one row of reals; refused with another message",
    "check_classifiers_train": NOT_INDICATORS + "1 and 2",
    "check_estimators_dtypes": NOT_INDICATORS + "integers of both signs",
}
#: Of the estimators of label sets that are named.
NAMED = [
    (
        set(LATER),
        dict.fromkeys(("check_estimator_sparse_array", "check_estimator_sparse_matrix"), NOT_INDICATORS + "0 to 3"),
    ),
    (BINARY, {"check_decision_proba_consistency": NOT_INDICATORS + "one row"}),
    (
        {"LabelNaiveBayes", "LabelNetwork"},
        {"check_decision_proba_consistency": "its features are negative, which no count is"},
    ),
    (
        {
            *("BinaryRelevance", "PowerSet", "ChainEnsemble", "DependencyNetwork", "PairwiseCRF", "BoostedRelevance"),
            *("ClassifierChain", "ProbabilisticChain"),
            *(
                "BoostedPowerSet",
                "CBMClassifier",
                "RegularisedCBM",
                "MajoritySet",
                "LabelNaiveBayes",
                "LabelNetwork",
                "AbsoluteDiscountingBinary",
                *PMM,
            ),
        },
        dict.fromkeys(("check_estimator_sparse_array", "check_estimator_sparse_matrix"), NOT_INDICATORS + "0 to 3"),
    ),
    (
        {
            *("BinaryRelevance", "PowerSet", "ClassifierChain", "ChainEnsemble", "DependencyNetwork", "PairwiseCRF"),
            *("BoostedRelevance", "BoostedPowerSet", "CBMClassifier", "RegularisedCBM", "ProbabilisticChain", *LATER),
            *("MajoritySet", "SVMRelevance", "SVMPowerSet"),
        },
        {"check_fit2d_1feature": NOT_INDICATORS + "integers"},
    ),
    (
        {"AbsoluteDiscountingBinary", *PMM},
        {"check_fit2d_1sample": NOT_INDICATORS + "an integer; refused with another message"},
    ),
    (
        PMM,
        {
            "check_classifiers_one_label_sample_weights": CONSTANT,
            "check_sample_weights_not_an_array": NOT_INDICATORS + "1 and 2",
            "check_sample_weights_not_overwritten": NOT_INDICATORS + "one row",
            "check_sample_weights_pandas_series": NOT_INDICATORS + "1 and 2",
            "check_sample_weights_shape": NOT_INDICATORS + "1 and 2",
        },
    ),
    (
        {"PMM2", "RegularisedCBM"},
        {"check_classifier_multioutput": "label sets are the likeliest, not the labels with a probability above 1/2"},
    ),
    (
        {"LabelNeighbors"},
        {"check_classifier_multioutput": "label sets come by the threshold with the best F, not by 1/2"},
    ),
    (
        {"ChainEnsemble", "CardinalityChains"},
        {
            "check_classifier_multioutput": "half of the votes are enough for a label",
            "check_classifiers_multilabel_output_format_predict_proba": "some shares of the few votes are equal",
        },
    ),
    (
        {"DependencyNetwork", "RandomLabelSubsets"},
        {"check_classifiers_multilabel_output_format_predict_proba": "some shares of the few sweeps are equal"},
    ),
]


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    """Return the checks that an estimator cannot pass, with the reason; most are of estimators of label sets."""
    failures = {} if estimator.__sklearn_tags__().target_tags.single_output else dict(SEVERAL)
    for names, checks in NAMED:
        if type(estimator).__name__ in names:
            failures |= checks
    return failures


METHODS = {
    method.estimator: (name, method)
    for name, method in load_methods().items()
    # scikit-learn tries its own; it has no checks of sequences of words, which tests/models/test_hmm.py tries.
    if method.module.startswith("textmix.") and method.takes != "sequences"
}


def made(name: str, method: Method) -> Any:
    """Return the estimator of a method; some checks set no seed, and pass or fail by chance without one."""
    estimator = method.make(SMALL.get(name, {}))
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


ESTIMATORS = [made(name, method) for name, method in METHODS.values()]
#: Other paths through the same classes.
VARIANTS = [
    KNNClassifier(representation="fisher_dcm"),
    PathClassifier(smallest=0.1, n_lambdas=3),
    PathClassifier(l1_ratio=1.0),
    PMM2(search="exact", init="random", set_prior="training"),
]


@pytest.mark.parametrize("estimator", ESTIMATORS + VARIANTS, ids=repr)
def test_scikit_learns_checks_pass(estimator: Any) -> None:
    expected = expected_failures(estimator)
    # One test an estimator: a test a check, of which there are 3,000, cost pytest more than many a check costs.
    results = check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    failed = [each["exception"] for each in results if each["status"] == "failed"]
    if failed:
        raise ExceptionGroup("checks that fail", failed)
    passed = [each["check_name"] for each in results if each["expected_to_fail"] and each["status"] == "passed"]
    assert passed == [], "these checks are expected to fail"


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
