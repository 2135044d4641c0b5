"""Characteristics of a data set that may explain which methods win on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits
from textmix.models.common.count_kernels import row_sums

#: Characteristic -> its description for readers.
MEANINGS = {
    "train": "training documents",
    "labels": "labels",
    "cardinality": "labels a document",
    "density": "labels a document as a share of all labels",
    "balance": "documents of the most frequent label as a share of all documents",
    "features": "features",
    "words": "words a document",
    "burstiness": "occurrences of a word in a document that has it",
}


def characteristics(features: Path, splits: Path) -> dict[str, float]:
    """Return the characteristics of a data set, with the keys of `MEANINGS`; empty where a folder has no result.

    Parameters
    ----------
    features, splits : folders of its features corpus and of its splits.

    Returns
    -------
    ``train`` of the first trial; ``words`` and ``burstiness`` only of whole counts.
    """
    try:
        corpus, parts = Corpus.load(features), Splits.load(splits)
    except MissingResult:
        return {}
    count = np.asarray(corpus.labels.sum(axis=0)).ravel()
    values = {
        "train": float(len(parts.train[0])),
        "labels": float(len(count)),
        "cardinality": float(corpus.label_counts.mean()),
        "density": float(corpus.label_counts.mean() / len(count)),
        "balance": float(count.max() / corpus.n_documents),
    }
    matrix = corpus.features
    if matrix is None:
        return values
    values["features"] = float(matrix.shape[1])
    if matrix.dtype.kind in "iu":
        length, distinct = row_sums(matrix.indptr, matrix.data), np.diff(matrix.indptr)
        values |= {"words": float(length.mean()), "burstiness": float(length.sum() / max(distinct.sum(), 1))}
    return values
