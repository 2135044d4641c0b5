"""Bench of the EDCM document: k-NN against scikit-learn's, latent-topic sweeps against memory, its claims on time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from reproduction.bench.roofline import Work, bytes_of, products, reading
from reproduction.bench.timing import compare, judge
from reproduction.papers.edcm.times import MINKA
from textmix.models.dirichlet import latent_edcm_kernels
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.dirichlet.latent_edcm import LatentTopicEDCM, packed
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.neighbors.representations import REPRESENTATIONS

PEER = "sklearn brute-force cosine"
#: Largest share of the peer's time, and most memory (MiB), that one search may take.
KNN_TARGET, KNN_MIB = 0.3, 500.0
READ = "read the parameters once"
#: Largest ratio of the time of a sweep to the time of one reading of its arrays.
SWEEP_TARGET = 3.0
#: Documents on which the two ways to estimate latent topics are timed.
TOPIC_DOCUMENTS = 400


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
    rows of `reproduction.bench.timing.COLUMNS`; ratios are ours to the peer's, smaller is better.
    """
    return [*bench_knn(X, Y.toarray().argmax(axis=1), queries, repeats), *bench_sweep(X, repeats)]


def bench_knn(
    X: sparse.csr_array, y: np.ndarray, queries: sparse.csr_array, repeats: int = 3, k: int = 100
) -> list[dict[str, Any]]:
    """Time the search of the k nearest documents over every representation, transformation of the queries included.

    The peer searches by cosine on the same TF-IDF vectors, transformed beforehand; a candidate that takes more memory
    than `KNN_MIB` has not met its target.  Few rounds measure no memory, and time alone decides.

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
    work = reading(X, queries, operations=products(X, queries))
    rows = judge("knn", compare(candidates, repeats), PEER, dict.fromkeys(REPRESENTATIONS, KNN_TARGET), work)
    for row in rows:
        if row["met"] is not None:
            row["met"] = bool(row["met"] and (row["peak_mib"] or 0.0) <= KNN_MIB)
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
    work = {
        "sweep": reading(X.indices, theta, beta, share, table, operations=4.0 * X.nnz * n_topics),
        READ: Work(bytes_of(data)),
        "read the indices once": Work(bytes_of(X.indices)),
    }
    judged = judge("latent_topics", rows, READ, {"sweep": SWEEP_TARGET}, work)
    seconds = {row["candidate"]: row["median_seconds"] for row in judged}
    strict = seconds["sweep"] / seconds["read the indices once"]
    judged[0]["note"] = f"K = {n_topics}; {strict:.0f} x reading the indices alone"
    judged[1]["note"] = f"{data.nbytes / seconds[READ] / 1e9:.1f} GB/s"
    return judged


def bench_claims(
    X: sparse.csr_array, Y: sparse.csr_array, _test: sparse.csr_array, _labels: sparse.csr_array, repeats: int = 5
) -> list[dict[str, Any]]:
    """Time what the document says of training times: DCM beside EDCM, mean field beside maximum likelihood.

    The DCM is trained by the fastest of `MINKA`, as in the document; the note names it.  The latent topics are those of
    the first `TOPIC_DOCUMENTS` documents.

    Parameters
    ----------
    X : training counts, CSR (N, V).
    Y : their class as label indicators, CSR (N, C).
    _test, _labels : test documents, which training does not need.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; the checks of the paper read their ratios.
    """
    y = Y.toarray().argmax(axis=1)
    models: dict[str, Any] = {"edcm": EDCMClassifier(), **{name: DCMClassifier(method=name) for name in MINKA}}
    edcm, *minka = compare({name: _training(model, X, y) for name, model in models.items()}, repeats)
    fastest = min(minka, key=lambda row: row["median_seconds"])
    training = judge("edcm_training", [edcm, {**fastest, "candidate": "dcm"}], "edcm", {}, reading(X))
    training[1]["note"] = f"Minka's {fastest['candidate']}"
    few, _ = packed(X[:TOPIC_DOCUMENTS])
    topics = {
        name: LatentTopicEDCM(n_topics=5, method=name, prior=0.2, max_iter=200, n_init=1, random_state=0)
        for name in ("likelihood", "mean_field")
    }
    timed = compare({name: _training(model, few) for name, model in topics.items()}, repeats)
    return [*training, *judge("latent_topics_training", timed, "likelihood", {}, reading(few))]


def _training(model: Any, *data: Any) -> Callable[[], object]:
    """Return a fit as a call without arguments."""
    return lambda: model.fit(*data)
