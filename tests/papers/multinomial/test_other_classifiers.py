"""Posteriors of rival classifiers, and label sets as classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.papers.multinomial import other_classifiers as rivals
from tests.papers.multinomial.example import halves
from textmix.experiment.trial import Documents
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier


def rule_of(measured, model: str, rule: str) -> dict[str, Any]:
    """Return the row of a model and a rule."""
    rows = measured[0]["rival_posteriors"].tables["rules"]
    (row,) = [row for row in rows if (row["model"], row["rule"]) == (model, rule)]
    return row


def test_rivals_hold_the_rules_of_the_document_and_every_model_once(measured):
    curves = measured[0]["threshold_curves"].values
    for rule in ("accumulated", "binary"):
        row = rule_of(measured, "multinomial", rule)
        assert row["lowest"] == pytest.approx(curves[f"{rule}_lowest_set_error"])
        assert row["best"] == pytest.approx(curves[f"{rule}_best_threshold"])
    assert len(measured[0]["rival_posteriors"].tables["rules"]) == 3 * len(rivals.CLASSIFIERS) + 1


def test_fall_back_gives_the_top_label_where_none_passes_and_changes_nothing_else():
    log_odds = np.array([[-2.0, -1.0, -3.0], [1.0, 2.0, -5.0]])
    sets = rivals.with_top_label(log_odds) >= 0
    assert sets.tolist() == [[False, True, False], [True, True, False]]


def test_label_sets_are_classes_of_their_own(source, measured):
    X, Y, X_test, Y_test = halves(source)
    names = [tuple(row) for row in Y]
    classes = sorted(set(names))
    codes = np.eye(len(classes))[[classes.index(name) for name in names]]
    model = AbsoluteDiscountingClassifier().fit(X, codes)
    predicted = [classes[k] for k in np.argmax(model.predict_log_proba(X_test), axis=1)]
    wrong = [label_set != tuple(row.astype(int)) for label_set, row in zip(predicted, Y_test, strict=True)]
    assert rule_of(measured, "label sets", "label set")["set_error"] == pytest.approx(np.mean(wrong))


def test_documents_without_a_label_can_be_right_only_with_a_label_of_their_own(measured):
    plain, with_no_class = (
        rule_of(measured, name, "accumulated") for name in ("multinomial", "multinomial with <no_class>")
    )
    assert plain["set_error"] > plain["set_error_without_unlabelled"]
    assert with_no_class["lowest"] <= plain["lowest"] + 0.1


def test_no_class_excludes_every_label_and_every_label_excludes_it():
    scores = np.array([[0.2, 0.1, 0.7], [0.5, 0.1, 0.4]])
    assert rivals.exclusive(scores, 0.0).tolist() == [[0.0, 0.0, 0.7], [0.5, 0.1, 0.0]]


def test_inputs_of_label_dependence_come_from_folds_without_the_document(source):
    X, Y, *_ = halves(source)
    fold = np.arange(len(X)) % 3
    inputs = rivals._out_of_fold_log_odds(Documents(sparse.csr_array(X), sparse.csr_array(Y.astype(float))), fold, {})
    model = AbsoluteDiscountingBinary().fit(X[fold != 1], Y[fold != 1])
    scores = model.decision_function(X[fold == 1])
    finite = np.isfinite(scores)
    np.testing.assert_allclose(inputs[fold == 1][finite], (np.sign(scores) * np.log1p(np.abs(scores)))[finite])
    assert np.isfinite(inputs).all()


def test_label_dependence_compares_three_methods_on_the_same_inputs(source, measured):
    measure = measured[0]["label_dependence"]
    rows = measure.tables["methods"]
    assert [row["method"] for row in rows] == ["independent labels", "chain", "CBM"]
    unseen = halves(source)[3][:, -1].mean()
    for row in rows:
        assert unseen <= row["set_error"] < 1
        assert row["set_error"] == measure.values[f"{row['method']}_set_error".replace(" ", "_")]
