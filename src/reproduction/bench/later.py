"""Bench of the later methods for one label a document: fit and predict, against complement naive Bayes."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import ComplementNB

from reproduction.bench.roofline import reading
from reproduction.bench.timing import compare, fit_predict, judge
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
FASTTEXT = "fastText, one thread"
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
    rows of `reproduction.bench.timing.COLUMNS`; ratios are ours to the peer's, smaller is better.
    """
    candidates: dict[str, Callable[[], object]] = {name: fit_predict(model, X, y) for name, model in later().items()}
    candidates |= optional_peers(X, y)
    work = dict.fromkeys(candidates, reading(X, times=2))
    scoring = reading(X, times=2, operations=2.0 * X.nnz * (y.max() + 1))
    work |= dict.fromkeys(set(later()) - {"embeddings", "tfidf_network"}, scoring)
    return judge("later", compare(candidates, repeats), PEER, TARGETS, work)


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


def optional_peers(X: sparse.csr_array, y: np.ndarray) -> dict[str, Callable[[], object]]:
    """Return fastText, trained as the embeddings are, where the package fasttext is installed."""
    if importlib.util.find_spec("fasttext") is None:
        return {}
    return {FASTTEXT: lambda: fasttext_classes(X, y, epoch=5)}


def fasttext_classes(X: sparse.csr_array, y: np.ndarray, **settings: Any) -> np.ndarray:
    """Return the classes that fastText gives to the documents on which it was trained, int64 (N,).

    Parameters
    ----------
    X : counts, CSR (N, V), each word as often as it was counted; y : class index (N,).
    settings : of fastText's ``train_supervised``.
    """
    words = [f"w{column}" for column in range(X.shape[1])]
    texts = [
        " ".join(words[j] for j, n in zip(row.indices, row.data, strict=True) for _ in range(int(n)))
        for row in (X[[document]] for document in range(X.shape[0]))
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        path.write_text("".join(f"__label__{c} {text}\n" for c, text in zip(y, texts, strict=True)), encoding="utf-8")
        fasttext = importlib.import_module("fasttext")
        model = fasttext.train_supervised(str(path), dim=20, lr=0.5, thread=1, verbose=0, **settings)
    labels, _ = model.predict(texts)
    return np.array([int(label.removeprefix("__label__")) for (label,) in labels])
