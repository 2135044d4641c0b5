"""Three methods for dependent labels on the same inputs."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from reproduction.papers.multinomial import dependence
from tests.papers.multinomial.example import halves
from textmix.experiment.trial import Documents
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary


def test_inputs_of_label_dependence_come_from_folds_without_the_document(source):
    X, Y, *_ = halves(source)
    fold = np.arange(len(X)) % 3
    inputs = dependence._crossed(Documents(sparse.csr_array(X), sparse.csr_array(Y.astype(float))), fold, {})
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
