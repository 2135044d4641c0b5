"""Bench of the EDCM document: exact k-NN against scikit-learn's, latent-topic sweeps against memory bandwidth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from textmix.bench.timing import compare, judge
from textmix.models.dirichlet import latent_edcm_kernels
from textmix.models.dirichlet.latent_edcm import packed
from textmix.models.neighbours.knn import KNNClassifier
from textmix.models.neighbours.representations import REPRESENTATIONS

PEER = "sklearn brute-force cosine"
#: Largest share of the peer's time, and most memory (MiB), that one search may take.
KNN_TARGET, KNN_MIB = 0.3, 500.0
READ = "read the parameters once"
#: Largest ratio of the time of a sweep to the time of one reading of its arrays.
SWEEP_TARGET = 3.0


def bench_edcm(
    X: sparse.csr_array, Y: sparse.csr_array, queries: sparse.csr_array, _: sparse.csr_array, repeats: int = 3
) -> list[dict[str, Any]]:
    """Compare the searches and the sweeps.

    Parameters
    ----------
    X : training counts, CSR (N, V).
    Y : their class as label indicators, CSR (N, C).
    queries : counts of the test documents, (Q, V).
    _ : their label indicators, which a search does not need.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `textmix.bench.timing.COLUMNS`; ratios are ours to the peer's, smaller is better.
    """
    return [*bench_knn(X, Y.toarray().argmax(axis=1), queries, repeats), *bench_sweep(X, repeats)]


def bench_knn(
    X: sparse.csr_array, y: np.ndarray, queries: sparse.csr_array, repeats: int = 3, k: int = 100
) -> list[dict[str, Any]]:
    """Time the search of the k nearest documents over every representation, transformation of the queries included.

    The peer searches by cosine on the same TF-IDF vectors, transformed beforehand; a candidate that takes more memory
    than `KNN_MIB` has not met its target.

    Parameters
    ----------
    X : training counts, CSR (N, V).
    y : class index, int (N,).
    queries : counts of the test documents, CSR (Q, V).
    repeats : rounds; in each, every candidate runs once.
    k : number of neighbours; N where there are fewer documents.
    """
    k = min(k, X.shape[0])
    candidates: dict[str, Callable[[], object]] = {}
    for name in REPRESENTATIONS:
        model = KNNClassifier(representation=name).fit(X, y)
        candidates[name] = _search(model, queries, k)
    tfidf = KNNClassifier(representation="tfidf").fit(X, y).representation_
    train, test = (sparse.csr_matrix(tfidf.transform(part).sparse) for part in (X, queries))
    peer = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(train)
    candidates[PEER] = lambda: peer.kneighbors(test)
    rows = judge("knn", compare(candidates, repeats), PEER, dict.fromkeys(REPRESENTATIONS, KNN_TARGET))
    for row in rows:
        if row["met"] is not None:
            row["met"] = bool(row["met"] and row["peak_mib"] <= KNN_MIB)
            row["note"] = f"k = {k}; memory limit {KNN_MIB:g} MiB"
    return rows


def _search(model: KNNClassifier, queries: sparse.csr_array, k: int) -> Callable[[], object]:
    """Return a search as a call without arguments."""
    return lambda: model.kneighbors(queries, k)


def bench_sweep(X: sparse.csr_array, repeats: int = 3, n_topics: int = 10) -> list[dict[str, Any]]:
    """Time one sweep of the latent-topic EDCM beside one reading of the memory that a sweep touches.

    For every word that is present a sweep reads the word's K parameters, reads its K sums and writes them back: three
    rows of K numbers, read here from one long array.  The note gives the ratio to reading the words' indices alone.

    Parameters
    ----------
    X : training counts, CSR (N, V).
    repeats : rounds; in each, every candidate runs once.
    n_topics : K.
    """
    X, _ = packed(X)
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(n_topics), size=X.shape[0])
    beta = rng.gamma(1.0, size=(X.shape[1], n_topics))
    share, table = np.empty_like(theta), np.empty_like(beta)
    data = np.ones(3 * X.nnz * n_topics)
    rows = compare(
        {
            "sweep": lambda: latent_edcm_kernels.sweep(X.indptr, X.indices, theta, beta, share, table),
            READ: data.sum,
            "read the indices once": X.indices.sum,
        },
        repeats,
    )
    judged = judge("latent_topics", rows, READ, {"sweep": SWEEP_TARGET})
    seconds = {row["candidate"]: row["median_seconds"] for row in judged}
    strict = seconds["sweep"] / seconds["read the indices once"]
    judged[0]["note"] = f"K = {n_topics}; {strict:.0f} x reading the indices alone"
    judged[1]["note"] = f"{data.nbytes / seconds[READ] / 1e9:.1f} GB/s"
    return judged
