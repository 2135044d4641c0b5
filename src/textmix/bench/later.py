"""Bench of the later methods for one label a document: fit and predict, against complement naive Bayes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import ComplementNB

from textmix.bench.timing import compare, fit_predict, judge
from textmix.models.dirichlet.edcm_mixture import MixedEDCMClassifier
from textmix.models.naive_bayes.smoothing import (
    JelinekMercerClassifier,
    PitmanYorClassifier,
    SharedDirichletClassifier,
    TwoStageClassifier,
)
from textmix.models.network.embeddings import EmbeddingClassifier
from textmix.models.network.tfidf_network import TfidfNetwork

PEER = "complement"
#: Largest times allowed, over the peer's; a mixture of two EDCMs runs up to a hundred times an EDCM's fit.
TARGETS = {"jelinek_mercer": 2.0, "two_stage": 2.0, "pitman_yor": 2.0}


def bench_later(X: sparse.csr_array, y: np.ndarray, repeats: int = 3) -> list[dict[str, Any]]:
    """Time fit and predict of every later method on the same counts and classes.

    Parameters
    ----------
    X : counts, CSR (N, V).
    y : class index (N,).
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `textmix.bench.timing.COLUMNS`; ratios are ours to the peer's, smaller is better.
    """
    candidates: dict[str, Callable[[], object]] = {name: fit_predict(model, X, y) for name, model in later().items()}
    return judge("later", compare(candidates, repeats), PEER, TARGETS)


def later() -> Mapping[str, Any]:
    """Return the later methods and the peer, not fitted, by the names of the registry."""
    return {
        PEER: ComplementNB(),
        "jelinek_mercer": JelinekMercerClassifier(),
        "two_stage": TwoStageClassifier(),
        "pitman_yor": PitmanYorClassifier(),
        "shared_dirichlet": SharedDirichletClassifier(),
        "edcm_mixture": MixedEDCMClassifier(max_iter=10, random_state=0),
        "embeddings": EmbeddingClassifier(epochs=5, random_state=0),
        "tfidf_network": TfidfNetwork(hidden=16, max_iter=3, random_state=0),
    }
