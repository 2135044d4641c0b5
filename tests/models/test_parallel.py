"""``n_jobs``: fits in parallel jobs equal sequential fits, bit for bit."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_multilabel_classification

from textmix import BinaryRelevance, ChainEnsemble, LabelSVM
from textmix.models.common.parallel import map_chunks

ESTIMATORS = [
    BinaryRelevance(class_weight="balanced"),
    ChainEnsemble(n_chains=3, random_state=0),
    LabelSVM(costs=(0.1, 0.3), cost_factors=(1.0, "ratio"), max_iter=2000, random_state=0),
]


def double(numbers: Any) -> list[int]:
    return [2 * number for number in numbers]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
@pytest.mark.parametrize("n_items", [0, 1, 2, 7])
def test_chunks_are_concatenated_in_order(n_items: int, n_jobs: int | None) -> None:
    with joblib.parallel_config("threading"):
        assert map_chunks(double, range(n_items), n_jobs) == [2 * item for item in range(n_items)]


@pytest.mark.filterwarnings("ignore:LabelSVM has not converged")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_parallel_fit_equals_sequential_fit(estimator: Any, backend: str) -> None:
    X, Y = make_multilabel_classification(n_samples=60, n_features=80, n_classes=5, random_state=0)
    counts = sparse.csr_array(np.where(X > 5, X, 0.0))
    sequential = estimator.fit(counts, Y)
    expected = {name: value for name, value in vars(sequential).items() if isinstance(value, np.ndarray)}
    with joblib.parallel_config(backend):
        parallel = type(estimator)(**{**estimator.get_params(), "n_jobs": 2}).fit(counts, Y)
    assert len(expected) > 2
    for name, value in expected.items():
        np.testing.assert_array_equal(getattr(parallel, name), value, err_msg=name)
    assert parallel.n_iter_ == sequential.n_iter_
    np.testing.assert_array_equal(parallel.predict(counts), sequential.predict(counts))


def test_parallel_fit_of_a_matrix_that_joblib_would_memory_map() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 300))
    Y = (X[:, :3] > 0).astype(int)
    model = BinaryRelevance(class_weight="balanced", tol=0.1)
    parallel = BinaryRelevance(class_weight="balanced", tol=0.1, n_jobs=2).fit(X, Y)
    np.testing.assert_allclose(parallel.coef_, model.fit(X, Y).coef_, rtol=1e-12, atol=1e-15)
