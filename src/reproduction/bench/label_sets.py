"""Bench of the later rivals on label sets: fit and predict against scikit-learn, and the F maximiser against NumPy."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain as PeersChain

from reproduction.bench.roofline import reading
from reproduction.bench.timing import compare, fit_predict, judge
from textmix.models.cbm.regularised import RegularisedCBM
from textmix.models.common.f_kernels import listed_expected_f
from textmix.models.label_sets.boosted_network import BoostedNetwork
from textmix.models.label_sets.cardinality import CardinalityChains
from textmix.models.label_sets.chains import ClassifierChain
from textmix.models.label_sets.exact_chain import ProbabilisticChain
from textmix.models.label_sets.label_subsets import RandomLabelSubsets
from textmix.models.label_sets.rerank import BRRerank
from textmix.models.topics.labelled_lda import LabelledLDA

PEER = "sklearn OneVsRest LogisticRegression"
CHAIN = "sklearn ClassifierChain"
TOPICS = "sklearn LatentDirichletAllocation"
BOOMER = "mlrl-boomer, 500 rules"
#: Rounds of boosting of every candidate with boosted trees.
ROUNDS = 10
LIGHTGBM = f"OneVsRest LightGBM, {ROUNDS} rounds"
PYTHON = "NumPy, an instance at a time"


def bench_label_sets(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 3) -> list[dict[str, Any]]:
    """Time fit and predict of every later rival on the same data, of a chain of classifiers, and `bench_expected_f`.

    Parameters
    ----------
    X, Y : features (N, V) and label indicators (N, L), CSR; the labels are made dense.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; ratios are ours to the peer's, smaller is better.
    """
    labels = Y.toarray().astype(np.int8)
    varying = labels[:, labels.min(axis=0) < labels.max(axis=0)]
    models = {**rivals(), **optional_peers(), PEER: OneVsRestClassifier(LogisticRegression(max_iter=200))}
    read = {LIGHTGBM: sparse.csr_matrix(X, dtype=np.float64)}  # it refuses whole numbers and converts arrays
    candidates: dict[str, Callable[[], object]] = {
        name: fit_predict(model, read.get(name, X), varying) for name, model in models.items()
    }
    chains: dict[str, Callable[[], object]] = {
        "classifier_chain": fit_predict(ClassifierChain(random_state=0), X, varying),
        CHAIN: fit_predict(PeersChain(LogisticRegression(max_iter=200), order="random", random_state=0), X, varying),
    }
    # A linear model takes a gradient and the scores of each label; of the others the reading alone is counted.
    read_twice = reading(X, varying, times=2)
    linear = read_twice._replace(operations=6.0 * X.nnz * varying.shape[1])
    work = dict.fromkeys(candidates, read_twice) | dict.fromkeys((PEER, "probabilistic_chain"), linear)
    return [
        *judge("label_sets", compare(candidates, repeats), PEER, {}, work),
        *judge("chain", compare(chains, repeats), CHAIN, {"classifier_chain": 1.0}, linear),
        *bench_expected_f(repeats=repeats),
    ]


def rivals() -> Mapping[str, Any]:
    """Return the later rivals, not fitted, by the names of the registry."""
    return {
        "cbm_regularised": RegularisedCBM(candidates=(5,), max_iter=5, random_state=0),
        "probabilistic_chain": ProbabilisticChain(random_state=0),
        "cardinality_chains": CardinalityChains(n_chains=3, random_state=0),
        "label_subsets": RandomLabelSubsets(random_state=0),
        "br_rerank": BRRerank(trees=20, random_state=0),
        "boosted_network": BoostedNetwork(trees=ROUNDS, sweeps=60, kept=40, random_state=0),
    }


def optional_peers() -> Mapping[str, Any]:
    """Return LightGBM, a model a label, and BOOMER's boosted rules, each where its package is installed.

    mlrl-boomer asks for an older scikit-learn than ours.
    """
    peers: dict[str, Any] = {}
    if importlib.util.find_spec("lightgbm") is not None:
        trees = importlib.import_module("lightgbm").LGBMClassifier(n_estimators=ROUNDS, n_jobs=1, verbose=-1)
        peers[LIGHTGBM] = OneVsRestClassifier(trees)
    if importlib.util.find_spec("mlrl") is not None:
        peers[BOOMER] = importlib.import_module("mlrl.boosting").BoomerClassifier(max_rules=500, random_state=1)
    return peers


def bench_labelled_lda(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 3) -> list[dict[str, Any]]:
    """Time labelled LDA, of ten sweeps; it is to take at most the time of ten sweeps of scikit-learn's LDA.

    Parameters and rows are those of `bench_label_sets`; X holds counts.
    """
    candidates: dict[str, Callable[[], object]] = {
        "labelled_lda": lambda: LabelledLDA(max_iter=10).fit(X, Y),
        TOPICS: lambda: LatentDirichletAllocation(Y.shape[1], max_iter=10, random_state=0).fit(X),
    }
    return judge("labelled_lda", compare(candidates, repeats), TOPICS, {"labelled_lda": 1.0}, reading(X, times=10))


def bench_expected_f(
    n_documents: int = 50, n_sets: int = 200, n_labels: int = 30, repeats: int = 3
) -> list[dict[str, Any]]:
    """Time the set of largest expected F over listed label sets; it is to take at most a third of NumPy's time.

    Parameters
    ----------
    n_documents, n_sets, n_labels : N, S and L of the random problems.
    repeats : rounds; in each, every candidate runs once.
    """
    rng = np.random.default_rng(0)
    sets = np.unique(rng.random((n_sets, n_labels)) < 0.1, axis=0).astype(np.int8)
    proba = rng.dirichlet(np.full(len(sets), 0.1), size=n_documents)
    rows = compare(
        {
            "compiled": lambda: listed_expected_f(proba, sets, False),
            PYTHON: lambda: [plain_expected_f(p, sets) for p in proba],
        },
        repeats,
    )
    # The sums of each label over the sets of each size, and its gain at each size that may be chosen.
    sizes = len(np.unique(sets.sum(axis=1)))
    operations = n_documents * (float(sets.sum()) + 2.0 * n_labels**2 * sizes)
    return judge("expected_f", rows, PYTHON, {"compiled": 1.0 / 3.0}, reading(proba, sets, operations=operations))


def plain_expected_f(proba: np.ndarray, sets: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the set of largest expected F, int (L,), which is not empty, and its expected F, by NumPy.

    Parameters
    ----------
    proba : float64 (S,).
    sets : (S, L) of 0 and 1.
    """
    size, n_labels = sets.sum(axis=1), sets.shape[1]
    joint = np.zeros((n_labels, n_labels + 1))
    np.add.at(joint.T, size, proba[:, np.newaxis] * sets)
    sizes = np.arange(1, n_labels + 1)
    gain = joint[:, 1:] @ (2.0 / (sizes[:, np.newaxis] + sizes))
    order = np.argsort(-gain, axis=0, kind="stable")
    value = np.array([gain[order[:k, k - 1], k - 1].sum() for k in sizes])
    best = int(np.argmax(value))
    chosen = np.zeros(n_labels, dtype=int)
    chosen[order[: best + 1, best]] = 1
    return chosen, float(value[best])
