"""Averaged embeddings equal their plain twin, and share rows by their hash."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tests.naive import embeddings as naive
from tests.naive.multinomial import corpus
from textmix.models.network.embedding_kernels import bucket_of, class_probabilities, train
from textmix.models.network.embeddings import EmbeddingClassifier


def test_training_and_shares_are_those_of_the_plain_twin():
    X, y = corpus(0)
    X[3] = 0
    rng, counts = np.random.default_rng(0), sparse.csr_array(X.astype(float))
    order = rng.integers(len(y), size=60)
    start = rng.normal(size=(X.shape[1], 4)), rng.normal(size=(3, 4))
    ours, plain = ([each.copy() for each in start] for _ in range(2))
    train(counts.indptr, counts.indices, counts.data, y.astype(np.int64), order, 0.3, *ours)
    naive.train(X, y, order, 0.3, *plain)
    np.testing.assert_allclose(ours[0], plain[0], rtol=1e-9)
    np.testing.assert_allclose(ours[1], plain[1], rtol=1e-9)
    found = class_probabilities(counts.indptr, counts.indices, counts.data, *ours)
    np.testing.assert_allclose(found, [naive.shares(x, *plain)[0] for x in X], rtol=1e-9)


def test_features_share_rows_by_their_hash_where_the_table_is_small():
    X, y = corpus(1)
    small = EmbeddingClassifier(buckets=3, epochs=5, random_state=0).fit(X, y)
    assert small.embedding_.shape == (3, 20)
    place = [bucket_of(column, 3) for column in range(X.shape[1])]
    merged = np.stack([X[:, [p == b for p in place]].sum(axis=1) for b in range(3)], axis=1)
    expected = EmbeddingClassifier(epochs=5, random_state=0).fit(merged, y).predict_proba(merged)
    np.testing.assert_allclose(small.predict_proba(X), expected, rtol=1e-9)
    assert sorted(set(place)) == [0, 1, 2]


def test_a_feature_keeps_the_row_that_persisted_models_have_for_it():
    # D. E. Knuth's multiplicative hash of 1, 2, 3 and 1,000.
    columns = np.array([0, 1, 2, 999])
    assert bucket_of(columns, 2**32).tolist() == [2654435761, 1013904226, 3668339987, 145972072]
    assert bucket_of(columns, 7).tolist() == [5, 6, 4, 1]
