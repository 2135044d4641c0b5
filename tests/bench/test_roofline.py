"""The share of the machine's limit: worked by hand, and limits that are measured and plausible."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench.roofline import Limits, Work, bytes_of, measured_limits, with_limits

LIMITS = Limits(bandwidth=10e9, peak=50e9)


def test_the_longer_one_of_both_times_is_the_limit() -> None:
    row = {"candidate": "ours", "quantity": "time", "median_seconds": 0.5, "limit_share": None, "limit": ""}
    others = [{**row, "candidate": "theirs"}, {**row, "quantity": "memory"}, {**row, "median_seconds": None}]
    moved, *left = with_limits([row, *others], {"ours": Work(bytes=1e9, operations=1e9)}, LIMITS)
    assert moved["limit_share"] == pytest.approx(0.2) and moved["limit"] == "1000.0 MB at 10.0 GB/s"
    assert left == others
    (computed,) = with_limits([row], {"ours": Work(bytes=1e9, operations=10e9)}, LIMITS)
    assert computed["limit_share"] == pytest.approx(0.4) and computed["limit"] == "10.000 Gflop at 50.0 Gflop/s"


def test_bytes_are_those_of_all_arrays() -> None:
    X = sparse.csr_array(np.eye(3, dtype=np.int32))
    assert bytes_of(X, np.zeros(5)) == X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + 40


def test_the_limits_are_measured_once() -> None:
    found = measured_limits()
    assert measured_limits() is found and 1e8 < found.bandwidth < 1e13 and 1e8 < found.peak < 1e13
