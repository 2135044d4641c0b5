"""The share of the machine's limit: worked by hand, and limits that are measured and plausible."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench.roofline import Limits, Work, bytes_of, measured_limits, products, reading, with_limits

LIMITS = Limits(bandwidth=10e9, peak=50e9)


def test_the_longer_one_of_both_times_is_the_limit() -> None:
    row = {"candidate": "ours", "quantity": "time", "median_seconds": 0.5, "limit_share": None, "limit": ""}
    (moved,) = with_limits([row], {"ours": Work(bytes=1e9, operations=1e9)}, LIMITS)
    assert moved["limit_share"] == pytest.approx(0.2) and moved["limit"] == "1000.0 MB at 10.0 GB/s"
    (computed,) = with_limits([row], {"ours": Work(bytes=1e9, operations=10e9)}, LIMITS)
    assert computed["limit_share"] == pytest.approx(0.4) and computed["limit"] == "10.000 Gflop at 50.0 Gflop/s"


def test_bytes_are_those_of_all_arrays() -> None:
    X = sparse.csr_array(np.eye(3, dtype=np.int32))
    assert bytes_of(X, np.zeros(5)) == X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + 40


def test_a_line_without_a_share_tells_why() -> None:
    row = {"candidate": "ours", "quantity": "time", "median_seconds": 0.5}
    told = with_limits([row, row | {"median_seconds": None}], "a rate", LIMITS)
    assert [line["limit"] for line in told] == ["a rate", "not timed"]
    assert all(line["limit_share"] is None for line in told)
    with pytest.raises(KeyError, match="ours"):
        with_limits([row], {"theirs": Work(bytes=1.0)}, LIMITS)


def test_work_is_counted_from_shapes_and_stored_cells() -> None:
    X, queries = sparse.random_array((7, 9), density=0.4, rng=0), sparse.random_array((4, 9), density=0.4, rng=1)
    X, queries = sparse.csr_array(X), sparse.csr_array(queries)
    shared = sum(len(set(X[[i]].indices) & set(queries[[j]].indices)) for i in range(7) for j in range(4))
    assert products(X, queries) == 2.0 * shared
    assert reading(X, times=3, operations=5.0) == Work(3 * bytes_of(X), 5.0)


def test_limits_are_measured_once_for_each_size() -> None:
    found = measured_limits(1.5 * 2**20)
    assert measured_limits(2.0**20) == found and 1e8 < found.bandwidth < 1e13 and 1e8 < found.peak < 1e13
