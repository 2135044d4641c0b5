"""The checks of scikit-learn (`sklearn.utils.estimator_checks.check_estimator`) that a class cannot pass, with reasons.

A class declares in ``_expected_failures`` the checks that it fails beyond those of its bases: name of the check -> one
sentence, or None for a check that a base fails and the class passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Name of a check -> the reason, or None.
Failures = Mapping[str, str | None]

NOT_INDICATORS = "the check's y is not a matrix of 0 and 1, which is all that a multi-label estimator takes: "
CONSTANT = "the check's one column is constant, which is no error for a label"

#: Of every estimator of label sets.
OF_LABEL_SETS: Failures = {
    "check_classifier_data_not_an_array": NOT_INDICATORS + "1 and 2",
    "check_classifier_not_supporting_multiclass": NOT_INDICATORS + "0, 1 and 2; refused with another message",
    "check_classifiers_classes": NOT_INDICATORS + "names of classes",
    "check_classifiers_one_label": CONSTANT,
    "check_classifiers_regression_target": NOT_INDICATORS + "one row of reals; refused with another message",
    "check_classifiers_train": NOT_INDICATORS + "1 and 2",
    "check_estimators_dtypes": NOT_INDICATORS + "integers of both signs",
}
#: Of estimators of label sets that compare y with 0 and 1 before they look at X.
OF_SPARSE_INPUT: Failures = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"), NOT_INDICATORS + "0 to 3"
)
OF_ONE_FEATURE: Failures = {"check_fit2d_1feature": NOT_INDICATORS + "integers"}
OF_ONE_SAMPLE: Failures = {"check_fit2d_1sample": NOT_INDICATORS + "an integer; refused with another message"}
OF_NEGATIVE_FEATURES: Failures = {"check_decision_proba_consistency": "its features are negative, which no count is"}
#: Of estimators that give shares of a few votes or draws as probabilities.
OF_FEW_VOTES: Failures = {
    "check_classifiers_multilabel_output_format_predict_proba": "some shares of the few votes are equal"
}


OF_ONE_ROW: Failures = {"check_decision_proba_consistency": NOT_INDICATORS + "one row"}
OF_OTHER_DECISIONS: Failures = {
    "check_classifier_multioutput": "label sets come by another decision than a probability above 1/2: the likeliest "
    "whole set, half of the votes, or the threshold with the best F"
}
OF_WEIGHTS: Failures = {
    "check_classifiers_one_label_sample_weights": CONSTANT,
    "check_sample_weights_not_an_array": NOT_INDICATORS + "1 and 2",
    "check_sample_weights_not_overwritten": NOT_INDICATORS + "one row",
    "check_sample_weights_pandas_series": NOT_INDICATORS + "1 and 2",
    "check_sample_weights_shape": NOT_INDICATORS + "1 and 2",
}


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator cannot pass, with the reasons: the argument ``expected_failed_checks``."""
    found: dict[str, str | None] = {}
    for each in reversed(type(estimator).__mro__):
        found |= vars(each).get("_expected_failures", {})
    return {check: reason for check, reason in found.items() if reason is not None}
