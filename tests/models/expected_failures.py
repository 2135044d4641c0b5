"""scikit-learn's checks (`sklearn.utils.estimator_checks.check_estimator`) that an estimator cannot pass, with reasons.

`EXPECTED_FAILURES` lists, for each class, the checks that it fails in addition to those of its base classes.  None
marks a check that a base class fails and the class itself passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Name of a check -> the reason of the failure, or None.
Failures = dict[str, str | None]

NOT_INDICATORS = "the check's y is not a binary indicator matrix, which multi-label estimators require: "
CONSTANT = "the check's only label is constant, which is not an error for one of several labels"

LABEL_SETS: Failures = {
    "check_classifier_data_not_an_array": NOT_INDICATORS + "1 and 2",
    "check_classifier_not_supporting_multiclass": NOT_INDICATORS + "0, 1 and 2; rejected with another message",
    "check_classifiers_classes": NOT_INDICATORS + "names of classes",
    "check_classifiers_regression_target": NOT_INDICATORS + "one row of reals; rejected with another message",
    "check_classifiers_train": NOT_INDICATORS + "1 and 2",
    "check_estimators_dtypes": NOT_INDICATORS + "integers of both signs",
}
#: Of multi-label estimators that validate y before X.
SPARSE_INPUT: Failures = {
    "check_estimator_sparse_array": NOT_INDICATORS + "0 to 3",
    "check_estimator_sparse_matrix": NOT_INDICATORS + "0 to 3",
}
ONE_FEATURE: Failures = {"check_fit2d_1feature": NOT_INDICATORS + "integers"}
ONE_SAMPLE: Failures = {"check_fit2d_1sample": NOT_INDICATORS + "an integer; rejected with another message"}
ONE_ROW: Failures = {"check_decision_proba_consistency": NOT_INDICATORS + "one row"}
NEGATIVE_FEATURES: Failures = {"check_decision_proba_consistency": "the check's features are negative; counts are not"}
#: Of estimators whose probabilities are proportions of a few votes or samples.
FEW_VOTES: Failures = {
    "check_classifiers_multilabel_output_format_predict_proba": "some proportions of the few votes are equal"
}
OTHER_DECISIONS: Failures = {
    "check_classifier_multioutput": "the decision rule is not a probability above 1/2, but the most probable label "
    "set, a majority of votes, or the threshold with the best F"
}
SAMPLE_WEIGHTS: Failures = {
    "check_classifiers_one_label_sample_weights": CONSTANT,
    "check_sample_weights_not_an_array": NOT_INDICATORS + "1 and 2",
    "check_sample_weights_not_overwritten": NOT_INDICATORS + "one row",
    "check_sample_weights_pandas_series": NOT_INDICATORS + "1 and 2",
    "check_sample_weights_shape": NOT_INDICATORS + "1 and 2",
}
CLASS_WEIGHTS: Failures = {"check_class_weight_classifiers": NOT_INDICATORS + "one class per document"}
#: Of classes whose solver stops at a tolerance; tests/models/test_weights.py compares weights with copies of documents.
WEIGHT_EQUIVALENCE: Failures = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "weights and copies differ by more than the check allows, because the solver stops at its tolerance",
)
COMPLEX_DATA: Failures = {
    "check_complex_data": NOT_INDICATORS + "one row of complex numbers; rejected with another message"
}

#: Name of a class -> the checks that it fails beyond those of its base classes.
EXPECTED_FAILURES: Mapping[str, Failures] = {
    "MultiLabelClassifier": LABEL_SETS | SPARSE_INPUT | ONE_FEATURE,
    "LabelCountClassifier": dict.fromkeys(SPARSE_INPUT | ONE_FEATURE),
    "IndependentLabels": ONE_ROW,
    "_AbsoluteDiscounting": dict.fromkeys(ONE_FEATURE),
    "AbsoluteDiscountingClassifier": dict.fromkeys(LABEL_SETS | SPARSE_INPUT),
    "AbsoluteDiscountingBinary": ONE_SAMPLE | COMPLEX_DATA,
    "LabelNaiveBayes": SPARSE_INPUT | NEGATIVE_FEATURES | SAMPLE_WEIGHTS,
    "LabelNetwork": SPARSE_INPUT | NEGATIVE_FEATURES,
    "_ParametricMixture": SPARSE_INPUT | ONE_SAMPLE | SAMPLE_WEIGHTS,
    "PMM2": OTHER_DECISIONS,
    "_Machines": dict.fromkeys(SPARSE_INPUT),
    "BinaryRelevance": SAMPLE_WEIGHTS | CLASS_WEIGHTS | WEIGHT_EQUIVALENCE,
    "LinearSVM": WEIGHT_EQUIVALENCE,
    "SoftmaxClassifier": WEIGHT_EQUIVALENCE,
    "_Multinomial": {"check_class_weight_classifiers": "the check's features are negative; counts are not"},
    "NBSVMClassifier": {"check_class_weight_classifiers": "the check's features are negative; counts are not"},
    "BoostedPowerSet": OTHER_DECISIONS,
    "ChainEnsemble": OTHER_DECISIONS | FEW_VOTES,
    "DependencyNetwork": FEW_VOTES,
    "LabelNeighbors": OTHER_DECISIONS,
}


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator cannot pass, as ``expected_failed_checks`` of `check_estimator`."""
    failures: dict[str, str | None] = {}
    for cls in reversed(type(estimator).__mro__):
        failures |= EXPECTED_FAILURES.get(cls.__name__, {})
    return {check: reason for check, reason in failures.items() if reason is not None}
