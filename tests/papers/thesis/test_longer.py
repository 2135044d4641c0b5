"""Documents that are joined to longer ones, and thinned ones."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from reproduction.papers.thesis.longer import joined, longer, thin, thinned
from tests.papers.thesis.example import source


def test_joined_documents_are_sums_within_a_class() -> None:
    X = sparse.csr_array(np.arange(10).reshape(5, 2))
    sums, labels = joined(X, np.array([0, 1, 0, 1, 0]), 2)
    assert labels.tolist() == [0, 0, 1]
    assert sums.toarray().tolist() == [[0 + 4, 1 + 5], [8, 9], [2 + 6, 3 + 7]]
    alone, labels = joined(X, np.zeros(5, dtype=int), 1)
    assert alone.toarray().tolist() == X.toarray().tolist() and len(labels) == 5


def test_thinned_documents_keep_each_occurrence_by_chance() -> None:
    X = sparse.csr_array(np.array([[4000, 0, 2], [1, 8000, 0]]))
    thinned_counts = thin(X, 0.25, np.random.default_rng(0))
    assert (thinned_counts.toarray() <= X.toarray()).all()
    np.testing.assert_allclose([thinned_counts[0, 0], thinned_counts[1, 1]], [1000, 2000], rtol=0.1)
    assert (thinned_counts.data > 0).all() and (thin(X, 1.0, np.random.default_rng(0)) != X).nnz == 0


def test_long_documents_alone_are_thinned() -> None:
    data, settings = source(), {"percent": [20, 100], "words": 0, "smoothing": [0.1]}
    every = thinned({"made": data}, settings, np.random.default_rng(0)).values
    length = np.asarray(data.corpus.features.sum(axis=1)).ravel()
    long = thinned({"made": data}, {**settings, "words": int(np.median(length))}, np.random.default_rng(0)).values
    for measure in (every, long):
        gains = [measure[f"made_multinomial_{m}_nats"].mean - measure[f"made_dcm_{m}_nats"].mean for m in (20, 100)]
        np.testing.assert_allclose(measure["made_dcm_nats_growth"], gains[1] - gains[0])
    assert every["made_dcm_100_nats"] != long["made_dcm_100_nats"]


def test_growth_is_the_gain_at_most_joined_less_that_at_one() -> None:
    measure = longer({"made": source()}, {"joined": [1, 2], "smoothing": [0.1]}, np.random.default_rng(0)).values

    def gain(m: int) -> float:
        """Return the mean gain of the DCM in likelihood."""
        return measure[f"made_multinomial_{m}_nats"].mean - measure[f"made_dcm_{m}_nats"].mean

    np.testing.assert_allclose(measure["made_dcm_nats_growth"], gain(2) - gain(1))
    assert measure["made_dcm_nats_growth_ci_low"] <= measure["made_dcm_nats_growth"]
