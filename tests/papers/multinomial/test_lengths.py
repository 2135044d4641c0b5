"""Counts of each document scaled to one sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.papers.multinomial import lengths


def test_lengths_hold_the_curves_and_a_short_sum_leaves_soft_posteriors(measured):
    measure, curves = measured[0]["document_lengths"], measured[0]["threshold_curves"].values
    rows = {(row["sum"], row["rule"]): row for row in measure.tables["sums"]}
    assert len(rows) == 2 * 3
    for rule in ("accumulated", "binary"):
        assert rows[0, rule]["lowest"] == pytest.approx(curves[f"{rule}_lowest_set_error"])
        assert rows[0, rule]["set_error"] == pytest.approx(curves[f"{rule}_set_error_at_0.5"])
    assert rows[1, "accumulated"]["recall"] > rows[0, "accumulated"]["recall"]


def test_scaled_counts_have_one_sum_and_their_shares():
    X = sparse.csr_array(np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 0.0]]))
    np.testing.assert_allclose(lengths.scaled(X, 8).toarray(), [[2.0, 6.0], [0.0, 0.0], [8.0, 0.0]])
    assert lengths.scaled(X, None) is X


def test_each_reading_of_the_binary_classifiers_has_its_best_threshold(measured):
    measure, curves = measured[0]["binary_readings"], measured[0]["threshold_curves"].values
    rows = {(row["discount"], row["priors"], row["unlabelled"]): row for row in measure.tables["readings"]}
    assert len(rows) == 2 * 2 * 3
    as_drawn = rows["upper_bound", "training", "smoothing"]
    assert as_drawn["lowest"] == pytest.approx(curves["binary_lowest_set_error"])
    best = [row["best"] for row in rows.values()]
    assert (measure.values["best_least"], measure.values["best_most"]) == (min(best), max(best))
    assert len(set(best)) > 1
