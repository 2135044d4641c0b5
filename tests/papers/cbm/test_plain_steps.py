"""The linear methods by plain steps: the authors' solver, for the CBM slides."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.flow.measures import Repeated
from reproduction.papers.cbm.plain_steps import METHODS, PlainCBM
from tests.models.test_cbm import documents
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.label_sets.estimators import BinaryRelevance, PairwiseCRF, PowerSet
from textmix.models.linear.row_space import RowSpace


def test_every_variant_has_an_accuracy_on_test_documents_and_in_each_fold(measured):
    values, rows = measured[0]["plain_steps"].values, measured[0]["plain_steps"].tables["runs"]
    names = [*(f"{method}_{steps}" for method in METHODS for steps in (2, 60)), "cbm"]
    assert set(values) == {f"scene_{name}{end}" for name in names for end in ("", "_held")}
    for name in names:
        for documents_of, end, runs in (("test", "", 1), ("held", "_held", 2)):
            found = [r["subset_accuracy"] for r in rows if (r["variant"], r["documents"]) == (name, documents_of)]
            assert values[f"scene_{name}{end}"] == Repeated(found) and len(found) == runs
    assert values["scene_powset_2"] != values["scene_powset_60"], "the number of steps decides"


@pytest.mark.parametrize(
    ("name", "scaled"), [("binrel", BinaryRelevance), ("powset", PowerSet), ("paircrf", PairwiseCRF)]
)
def test_plain_and_scaled_steps_end_at_the_same_optimum(name, scaled):
    X, Y = documents(1, n=60)
    X = X * 10.0 ** np.arange(X.shape[1]) / 100.0  # features of different scales
    params = {"variance": 1.0, "max_iter": 5000, "tol": 1e-12}
    plain, other = METHODS[name](**params).fit(X, Y), scaled(**params).fit(X, Y)
    np.testing.assert_allclose(plain.objective_path_, other.objective_path_, rtol=1e-6)
    few = {**params, "max_iter": 3, "tol": 0.0}
    assert not np.allclose(METHODS[name](**few).fit(X, Y).coef_, scaled(**few).fit(X, Y).coef_)


def test_the_first_plain_step_is_along_the_gradient():
    X, Y = documents(1, n=60)
    model = METHODS["binrel"](variance=1e9, max_iter=1, tol=0.0).fit(X, Y)
    gradient = X.T @ (Y - 0.5)
    for weights, slope in zip(model.coef_, gradient.T, strict=True):
        np.testing.assert_allclose(weights / np.linalg.norm(weights), slope / np.linalg.norm(slope), atol=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_plain_steps_in_the_features_are_those_in_the_space_of_the_training_rows(name, monkeypatch):
    X, Y = np.random.default_rng(2).poisson(0.3, (30, 80)).astype(float), documents(1, n=30)[1]
    space, model = RowSpace.of(X), METHODS[name](variance=1e6, max_iter=4, tol=0.0)
    inside = model.fit(space.inputs, Y).coef_ @ (X.T @ space.combine).T
    monkeypatch.setattr(RowSpace, "of", classmethod(lambda kind, X: kind(X)))
    np.testing.assert_allclose(model.fit(X, Y).coef_, inside, atol=1e-8)


def test_plain_m_steps_never_decrease_the_likelihood_and_differ_from_the_scaled_ones():
    X, Y = documents(1, n=200)
    X = X * 10.0 ** np.arange(X.shape[1]) / 100.0
    params = {"n_components": 3, "variance": 1e6, "max_iter": 4, "steps": 3, "floor": 0.0, "constant": 0.0}
    plain, scaled = (kind(**params, random_state=0).fit(X, Y) for kind in (PlainCBM, CBMClassifier))
    assert (np.diff(plain.objective_path_) >= -1e-9 * np.abs(plain.objective_path_[1:])).all()
    assert not np.isclose(plain.objective_path_[-1], scaled.objective_path_[-1])
