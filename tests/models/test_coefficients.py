"""Weights in scikit-learn's shape: ``coef_`` has a row a label or a label set, and a column for each feature of X."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectFromModel

import textmix

#: Name -> parameters that keep a fit short.
LINEAR: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("BinaryRelevance", "PowerSet", "PairwiseCRF", "SVMRelevance", "SVMPowerSet")},
    **{name: {"random_state": 0} for name in ("ClassifierChain", "ProbabilisticChain", "DependencyNetwork")},
    "LabelNaiveBayes": {},
    "LabelSVM": {"costs": (1.0,), "cost_factors": (1.0,), "scale": "none"},
}
MANY: dict[str, dict[str, Any]] = {
    "ChainEnsemble": {"n_chains": 2, "random_state": 0},
}
V, LABELS = 30, 3
#: Features that no document has.
ABSENT = [*range(5), 11, 28, 29]


def documents(dense: bool) -> tuple[Any, np.ndarray]:
    """Return counts (40, V), of which some columns are empty, and label indicators."""
    rng = np.random.default_rng(3)
    X = rng.poisson(0.15, (40, V))
    X[:, ABSENT] = 0
    Y = (X[:, 5:8] + rng.poisson(0.3, (40, LABELS)) > 0).astype(int)
    return X if dense else sparse.csr_array(X), Y


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("name", LINEAR)
def test_there_is_a_row_a_label_or_set_and_a_column_a_feature(name: str, dense: bool) -> None:
    X, Y = documents(dense)
    model = getattr(textmix, name)(**LINEAR[name]).fit(X, Y)
    rows = len(getattr(model, getattr(model, "_rows_of_coef", "classes_")))
    assert model.coef_.shape == (rows, V) and model.intercept_.shape == (rows,)
    if name != "LabelNaiveBayes":  # a word of no document tells there how long the others' documents are
        np.testing.assert_allclose(model.coef_[:, ABSENT], 0.0, atol=1e-12)
    assert SelectFromModel(model, prefit=True).get_support().shape == (V,)
    assert SelectFromModel(getattr(textmix, name)(**LINEAR[name])).fit(X, Y).get_support().shape == (V,)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("name", ["BinaryRelevance", "SVMRelevance", "LabelSVM", "LabelNaiveBayes"])
def test_the_decision_is_the_product_with_the_weights(name: str, dense: bool) -> None:
    X, Y = documents(dense)
    model = getattr(textmix, name)(**LINEAR[name]).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_.T + model.intercept_, atol=1e-9)


@pytest.mark.parametrize("name", ["ClassifierChain", "ProbabilisticChain"])
def test_the_rows_of_a_chain_are_in_the_order_of_the_labels(name: str) -> None:
    X, Y = documents(dense=False)
    model = next(
        model
        for seed in range(9)
        if (model := getattr(textmix, name)(random_state=seed).fit(X, Y)).order_.tolist() != [0, 1, 2]
    )
    odds = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.feature_odds(X), odds[:, model.order_], atol=1e-12)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("name", MANY)
def test_an_ensemble_has_the_weights_of_each_member(name: str, dense: bool) -> None:
    X, Y = documents(dense)
    model = getattr(textmix, name)(**MANY[name]).fit(X, Y)
    members, rows = model.intercepts_.shape
    assert model.coefs_.shape == (members, rows, V)
    assert not hasattr(model, "coef_")
    for m, order in enumerate(model.order_):
        np.testing.assert_array_equal(model.intercepts_[m, order], model._weights[m, -1])
        np.testing.assert_allclose(model.coefs_[m, order].sum(axis=1), model._weights[m, :-1].sum(axis=0))


@pytest.mark.parametrize("name", [*LINEAR, *MANY])
def test_an_unfitted_model_has_no_weights(name: str) -> None:
    model = getattr(textmix, name)()
    assert not hasattr(model, "coef_") and not hasattr(model, "coefs_")
