"""The bench of skip-grams and linear models: every target has a verdict, and the peers reach the same objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from scipy import sparse

from reproduction.bench.timing import COLUMNS
from reproduction.papers.skipgrams import bench
from tests.text.test_features import corpus_of
from textmix.data.corpus import TRAIN, label_matrix


def data() -> tuple[sparse.csr_array, np.ndarray]:
    rng = np.random.default_rng(0)
    X = (rng.random((80, 120)) < 0.2).astype(np.float32)
    return sparse.csr_array(X), np.where(X @ rng.normal(size=120) > 0, 1.0, -1.0)


def test_a_process_tells_the_memory_it_took_beyond_its_start() -> None:
    seconds, peak = bench.in_a_process(lambda: np.ones(2**22).sum())
    assert seconds > 0
    assert 30 < peak < 40
    assert bench.in_a_process(lambda: None)[1] < 5


def test_extraction_is_judged_by_time_and_by_memory() -> None:
    rows = bench.bench_extraction(["this film is a waste of my time", "a good film it is"] * 20)
    assert [set(row) == set(COLUMNS) for row in rows] == [True] * 3
    judged = [(row["quantity"], row["candidate"]) for row in rows if row["target"] is not None]
    assert judged == [("time", bench.OURS), ("memory", bench.OURS)]


def without_skglm(X: sparse.csr_array, *_: object) -> list[tuple[str, Callable[[], np.ndarray]]]:
    """Return a solver that does nothing, in place of skglm's."""
    return [("skglm, none", lambda: np.zeros(X.shape[1]))]


def test_solvers_and_peers_reach_one_objective_and_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    with monkeypatch.context() as ours_alone:
        ours_alone.setattr(bench, "_skglm", without_skglm)
        bench.bench_elastic_net(X[:24, :20], y[:24], 0.02)  # compiles our kernels
        for penalty in ("l1", "l2"):
            bench.bench_liblinear(X, y, 0.01, penalty)
    # skglm compiles for 20 seconds and stores nothing; as Python it takes the same steps.
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    monkeypatch.setattr("skglm.penalties.separable.bool_", bool)  # Numba's name, which NumPy does not know
    rows = bench.bench_elastic_net(X[:24, :20], y[:24], 0.02)
    assert {row["candidate"] for row in rows} == {"textmix", "skglm, AndersonCD", "skglm, ProxNewton", "saga"}
    assert [row["candidate"] for row in rows if row["target"]] == ["textmix"] * 2
    assert {row["candidate"] for row in rows if "not there yet" in row["note"]} <= {"saga"}
    for penalty in ("l1", "l2"):
        ours, peer, *celer = bench.bench_liblinear(X, y, 0.01, penalty)
        objectives = [float(row["note"].split()[1].rstrip(",")) for row in (ours, peer)]
        assert objectives[0] <= objectives[1] + 1e-6
        assert abs(objectives[0] - objectives[1]) < 1e-2 * objectives[1]
        assert ours["met"] == (ours["ratio_to_peer"] <= ours["target"])
        assert "not there yet" not in "".join(row["note"] for row in celer)


def test_celer_is_a_peer_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    seen = []

    def fitted(C: float, tol: float) -> SimpleNamespace:
        """Return a model without weights, which notes the last column that it was given."""
        solver = SimpleNamespace(coef_=np.zeros((1, X.shape[1] + 1)))
        solver.fit = lambda matrix, _: seen.append((C, tol, matrix[:, [-1]].toarray().mean())) or solver
        return solver

    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)
    assert bench._celer(X, y, 1.0, lambda w: 0.0) == []
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(bench.importlib, "import_module", lambda name: SimpleNamespace(LogisticRegression=fitted))
    (row,) = bench._celer(X, y, 2.0, lambda w: float(len(w) != X.shape[1]))
    assert row["candidate"] == "celer" and "not there yet" not in row["note"]
    (row,) = bench._celer(X, y, 2.0, lambda w: 1.0)
    assert row["note"].endswith("not there yet")
    assert seen[0] == (2.0, 1e-2, bench.INTERCEPT) and [tol for _, tol, _ in seen[1:]] == [1e-2, 1e-3, 1e-4, 1e-5]


def test_reviews_and_solvers_run_from_a_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    # The test above runs skglm.
    monkeypatch.setattr(bench, "_skglm", without_skglm)
    X, y = data()
    corpus = corpus_of(["a film", "no film"] * 40, [TRAIN] * 80)
    assert len(bench.bench_reviews(corpus)) == 3
    classes = label_matrix([[int(value > 0)] for value in y], 2)
    rows = bench.bench_linear(replace(corpus, features=X, labels=classes))
    assert [row["candidate"] for row in rows if row["target"]] == ["textmix"] * 4
