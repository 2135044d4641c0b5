"""Bench of latent semantic indexing: the decomposition, the densities' memory, and the cost of sensitivities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.decomposition import TruncatedSVD

from reproduction.bench.roofline import Work, bytes_of, reading
from reproduction.bench.timing import compare, judge, judge_memory
from textmix.models.lsi.classifiers import LSIDensityClassifier
from textmix.models.lsi.network import ProbabilisticNeuralNetwork
from textmix.models.lsi.scores import sensitivity
from textmix.models.lsi.transformer import ITERATIONS, LSITransformer

#: Documents of the bench, and coordinates.
DOCUMENTS, COMPONENTS = 4000, 100
#: Largest relative difference of singular values, and largest absolute one of log posteriors.
SAME_VALUES, SAME_POSTERIORS = 1e-9, 1e-8


def bench_lsi(X: sparse.csr_array, y: np.ndarray, repeats: int = 3) -> list[dict[str, Any]]:
    """Time the decomposition beside scikit-learn's, measure the densities' memory, and time sensitivities.

    Parameters
    ----------
    X, y : counts (N, V) and class indices (N,); the first `DOCUMENTS` in a fixed random order are used.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`.

    Raises
    ------
    ArithmeticError : singular values or posteriors differ from the peer's.
    """
    order = np.random.default_rng(0).permutation(X.shape[0])[:DOCUMENTS]
    X, y = X[order], y[order]
    return [*_decomposition(X, repeats), *_memory(X, y, repeats), *_cost(X, y, repeats)]


def _decomposition(X: sparse.csr_array, repeats: int) -> list[dict[str, Any]]:
    """Return the rows of the decomposition; all words of the matrix occur, so that no peer works on empty columns."""
    X = X[:, np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))]
    k = min(COMPONENTS, min(X.shape) - 1)
    ours = LSITransformer(n_components=k, random_state=0)
    weighted = ours.fit(X).weighted(X)
    theirs = TruncatedSVD(k, algorithm="arpack", random_state=0)
    randomised = TruncatedSVD(k, n_iter=ITERATIONS, random_state=0)
    calls = {
        "textmix": lambda: ours.fit(X),
        "scikit-learn": lambda: theirs.fit(weighted),
        "scikit-learn, randomised": lambda: randomised.fit(weighted),
    }
    # Each coordinate takes a product with the matrix and one with its transpose.
    work = reading(weighted, operations=4.0 * weighted.nnz * k)
    rows = judge("lsi", compare(calls, repeats), "scikit-learn", {"textmix": 1.3}, work)
    apart = np.max(np.abs(ours.singular_values_ / theirs.singular_values_ - 1.0))
    if apart > SAME_VALUES:
        raise ArithmeticError(
            f"singular values of textmix and scikit-learn differ by {apart:.1e}, above {SAME_VALUES:g}"
        )
    rows[0]["note"] = f"{X.shape[0]} documents, {X.shape[1]} words, k = {k}; values apart by {apart:.0e}"
    return rows


def _memory(X: sparse.csr_array, y: np.ndarray, repeats: int) -> list[dict[str, Any]]:
    """Return the rows on the memory of predictions by densities, beside that of a matrix of documents by documents."""
    Z = LSITransformer(n_components=COMPONENTS, random_state=0).fit_transform(X)
    model = ProbabilisticNeuralNetwork().fit(Z, y)
    densities: dict[str, np.ndarray] = {}
    calls = {
        "textmix": lambda: densities.update(ours=model.predict_joint_log_proba(Z)),
        "one matrix of distances": lambda: densities.update(theirs=by_one_matrix(Z, y, model.width)),
    }
    measured = compare(calls, repeats)
    apart = float(np.max(np.abs(densities["ours"] - densities["theirs"])))
    if apart > SAME_POSTERIORS:
        raise ArithmeticError(f"log densities differ by {apart:.1e}, above {SAME_POSTERIORS:g}")
    matrix = len(Z) ** 2 * 8 / 2**20
    work = Work(bytes_of(Z), 2.0 * len(Z) ** 2 * Z.shape[1])
    timed = judge("densities", measured, "one matrix of distances", {"textmix": 1.0}, work)
    return [*timed, *judge_memory("densities_memory", measured, "documents x documents", matrix, {"textmix": 0.25})]


def by_one_matrix(Z: np.ndarray, y: np.ndarray, width: float) -> np.ndarray:
    """Return the joint log densities (N, C) of N documents by a matrix of all their distances, as SciPy makes it."""
    exponents = cdist(Z, Z, "sqeuclidean") / (-2.0 * width**2)
    columns = [np.flatnonzero(y == label) for label in np.unique(y)]
    shares = [np.log(1.0 / len(y)) + logsumexp(exponents[:, of_class], axis=1) for of_class in columns]
    return np.column_stack(shares)


def _cost(X: sparse.csr_array, y: np.ndarray, repeats: int) -> list[dict[str, Any]]:
    """Return the rows on the seconds of sensitivities, beside one fit of the classifier whose words they choose."""
    calls = {
        "sensitivities": lambda: sensitivity(X, y, np.random.default_rng(0)),
        "LSI classifier": lambda: LSIDensityClassifier(n_components=50, random_state=0).fit(X, y),
    }
    return judge("sensitivities", compare(calls, repeats), "LSI classifier", {}, reading(X))
