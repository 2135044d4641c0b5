"""Weights of a word under a Fisher kernel and under TF-IDF (section 5), by document frequency and by count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import digamma

from reproduction.flow.measures import Measure, MeasureData
from reproduction.papers.edcm.documents import Rows, Values, first
from textmix.models.neighbors.representations import FisherDCM, TfIdf


def approximate_digamma(z: np.ndarray) -> np.ndarray:
    """Return Minka's approximation of Psi(z) (section 5): log(z - 1/2) for z >= 0.6, else -1/z + Psi(1); any shape."""
    low = z < 0.6
    return np.where(low, -1.0 / np.where(low, z, 1.0) - np.euler_gamma, np.log(np.where(low, 1.0, z) - 0.5))


def fisher_tfidf(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Compare the Fisher-DCM score of a word in a document with its TF-IDF weight, and with its approximation.

    Scores are of the words of a document, minus the constant that all its words share.

    Parameters
    ----------
    sources : role -> data set, one; the training part of its first split.
    settings : ``cells``, how many non-zero counts are drawn; ``frequencies`` and ``counts``, the document frequencies
        and counts of the curves.
    generator : draws the counts.

    Returns
    -------
    a measure whose table ``weights`` has both weights for each document frequency and count; its values are
    correlations of both weights, and relative errors of `approximate_digamma`, over the drawn counts.
    """
    from scipy import stats  # here, for it takes a second to import and no other measure needs it

    train = first(sources).train
    fisher, tfidf = FisherDCM().fit(train.X), TfIdf().fit(train.X)
    exact = fisher.transform(train.X).sparse.data
    cells = np.sort(generator.permutation(len(exact))[: settings["cells"]])
    x, words = train.X.data[cells].astype(np.float64), train.X.indices[cells]
    beta, plain = fisher.beta[words], x * tfidf.weight[words]
    score = exact[cells]
    approximate = approximate_digamma(x + beta) - approximate_digamma(beta)
    error = np.abs(approximate / score - 1.0)
    values: Values = {
        "rank_correlation": float(stats.spearmanr(score, plain).statistic),
        "rank_correlation_seen_once": float(stats.spearmanr(score[x == 1], plain[x == 1]).statistic),
        "correlation_of_logarithms": float(np.corrcoef(np.log(score), np.log(np.maximum(plain, 1e-12)))[0, 1]),
        "approximation_mean_error": float(error.mean()),
        "approximation_largest_error": float(error.max()),
    }
    frequency = np.bincount(train.X.indices, minlength=train.X.shape[1])
    rows: Rows = []
    for df in settings["frequencies"]:
        b, idf = df * fisher.beta.sum() / frequency.sum(), float(np.log(len(train.y) / df))
        for count in settings["counts"]:
            weight = float(digamma(count + b) - digamma(b))
            rows.append({"frequency": df, "count": count, "fisher": weight, "tfidf": count * idf})
    return Measure(values, {"weights": rows})
