"""The bench: turns, medians, ratios and verdicts, and its peer's fixed point."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench import models
from reproduction.bench.timing import COLUMNS, compare, judge, judge_memory
from reproduction.plan.suites import FEW, ROUNDS
from tests.naive.multinomial import corpus
from textmix.models.dirichlet.dcm import DCMClassifier


def test_candidates_take_turns_after_one_call_each() -> None:
    calls: list[str] = []
    rows = compare({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repeats=2)
    # Brief candidates run as often in a quick bench as in a whole one.
    assert calls == ["a", "b"] * (1 + ROUNDS)
    assert [row["candidate"] for row in rows] == ["a", "b"]


def test_peak_memory_is_that_of_one_call() -> None:
    (row,) = compare({"a": lambda: np.ones(2**20)}, repeats=3)
    assert row["peak_mib"] == pytest.approx(8, rel=0.01)


def test_a_quick_bench_has_an_interval_and_measures_no_memory() -> None:
    times = iter(range(100))
    rows = compare({"a": lambda: None, "peer": lambda: None}, repeats=FEW, clock=lambda: float(next(times) ** 1.5))
    assert [row["peak_mib"] for row in rows] == [None, None]
    assert judge_memory("fit", rows, "the matrix", 2.0, {"a": 1.0}) == []
    row = judge("fit", rows, "peer", {"a": 1.0}, "by hand")[0]
    assert row["ratio_low"] < row["ratio_to_peer"] < row["ratio_high"]


def test_ratios_are_to_the_peer_and_judged_by_their_target() -> None:
    rows = [{"candidate": name, "median_seconds": seconds} for name, seconds in (("a", 2.0), ("b", 3.0), ("peer", 4.0))]
    judged = {row["candidate"]: row for row in judge("fit", rows, "peer", {"a": 0.5, "b": 0.5}, "by hand")}
    assert [judged[name]["ratio_to_peer"] for name in ("a", "b", "peer")] == [0.5, 0.75, 1.0]
    assert [judged[name]["met"] for name in ("a", "b", "peer")] == [True, False, None]


def test_memory_is_judged_by_what_is_named() -> None:
    rows = [{"candidate": name, "median_seconds": 1.0, "peak_mib": mib} for name, mib in (("a", 3.0), ("peer", 9.0))]
    (row,) = judge_memory("fit", rows, "the matrix", 2.0, {"a": 1.0})
    assert (row["peer"], row["quantity"], row["ratio_to_peer"], row["met"]) == ("the matrix", "memory", 1.5, False)


def test_the_scipy_peer_reaches_our_likelihood() -> None:
    X = sparse.csr_array(np.vstack([corpus(seed)[0] for seed in range(6)]))
    goal = DCMClassifier(tol=1e-12, gradient_tol=1e-9).fit(X, np.zeros(X.shape[0])).objective_path_[-1]
    seconds, steps, arrived = models.scipy_fixed_point(X, goal, 2000)
    assert arrived and seconds > 0 and steps > 1
    assert not models.scipy_fixed_point(X, goal + 1.0, 50)[2]


def test_every_row_has_the_columns_and_every_target_a_verdict() -> None:
    X, y = corpus(0, n=40)
    rows = models.bench_models(sparse.csr_array(X), y, repeats=3)
    assert all(set(row) == set(COLUMNS) for row in rows)
    judged = {(row["bench"], row["candidate"]) for row in rows if row["target"] is not None}
    ours = {
        (bench, name)
        for bench in ("predict", "fit_memory", "predict_memory")
        for name in ("multinomial", "edcm", "dcm")
    }
    assert judged == {*ours, ("fit", "edcm"), ("dcm_fit", "dcm, reciprocal_newton")}
    assert all(row["met"] == (row["ratio_to_peer"] <= row["target"]) for row in rows if row["target"] is not None)
