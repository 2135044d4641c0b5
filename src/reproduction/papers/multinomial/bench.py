"""Bench: threshold sweeps beside deciding at every threshold, and training beside scikit-learn's naive Bayes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse, special
from sklearn.metrics import accuracy_score, precision_score, recall_score
from sklearn.naive_bayes import MultinomialNB

from reproduction.bench.roofline import Work, bytes_of, reading
from reproduction.bench.timing import compare, judge
from textmix.metrics.accumulated import accumulated_sets, accumulated_sweep
from textmix.metrics.threshold import Sweep, threshold_sets, threshold_sweep
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier

#: The peers decide at one threshold in this many: equal times mean that ours is this many times faster a threshold.
EVERY = 50
SWEEP, SCIKIT_LEARN = "textmix, one sweep", f"scikit-learn, one threshold in {EVERY}"
TRAINING, REPLICATED = "textmix, classifier and binary classifiers", "MultinomialNB, replicated documents"


def _curves(scores: Mapping[str, np.ndarray], Y: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return scores and labels (n, L) of the four curves: each method with all documents and with the labelled ones."""
    labelled = Y.any(axis=1)
    parts = {"all": slice(None), "labelled": labelled}
    return {
        f"{method} {name}": (table[rows], Y[rows]) for method, table in scores.items() for name, rows in parts.items()
    }


def sweep_all(scores: Mapping[str, np.ndarray], Y: np.ndarray, thresholds: np.ndarray) -> list[Sweep]:
    """Return the four curves by one sweep each.

    Parameters
    ----------
    scores : ``accumulated``: posteriors, ``binary``: log-odds; float64 (N, L) each.
    Y : label indicators, bool (N, L).
    thresholds : on the posterior, increasing, (K,).
    """
    sweeps = []
    for name, (table, member) in _curves(scores, Y).items():
        if name.startswith("accumulated"):
            sweeps.append(accumulated_sweep(table, member, thresholds))
        else:
            sweeps.append(threshold_sweep(table, member, special.logit(thresholds)))
    return sweeps


def by_scikit_learn(member: np.ndarray, sets: np.ndarray) -> list[float]:
    """Return micro precision, micro recall and exact-set error of label sets, bool (N, L), by scikit-learn."""
    shares = [metric(member, sets, average="micro", zero_division=1.0) for metric in (precision_score, recall_score)]
    return [*shares, 1.0 - accuracy_score(member, sets)]


def by_numpy(member: np.ndarray, sets: np.ndarray) -> list[float]:
    """Return micro precision, micro recall and exact-set error of label sets, bool (N, L), by NumPy sums."""
    correct, detected = np.count_nonzero(member & sets), np.count_nonzero(sets)
    exact = np.mean((member == sets).all(axis=1))
    return [correct / detected if detected else 1.0, correct / np.count_nonzero(member), 1.0 - float(exact)]


def decide_all(
    scores: Mapping[str, np.ndarray],
    Y: np.ndarray,
    thresholds: np.ndarray,
    figures: Callable[[np.ndarray, np.ndarray], list[float]],
) -> list[np.ndarray]:
    """Return the figures of the four curves, (K, 3) each, with label sets that are decided afresh at every threshold.

    Parameters
    ----------
    scores, Y, thresholds : as for `sweep_all`.
    figures : true and predicted label indicators -> three numbers: `by_scikit_learn` or `by_numpy`.
    """
    curves = []
    for name, (table, member) in _curves(scores, Y).items():
        if name.startswith("accumulated"):
            sets = (accumulated_sets(table, threshold) for threshold in thresholds)
        else:
            sets = (threshold_sets(table, limit) for limit in special.logit(thresholds))
        curves.append(np.array([figures(member, predicted) for predicted in sets]))
    return curves


def bench_multinomial(
    X: sparse.csr_array, Y: sparse.csr_array, X_test: sparse.csr_array, Y_test: sparse.csr_array, repeats: int = 5
) -> list[dict[str, Any]]:
    """Compare sweeps and training; parameters as for `bench_sweep`."""
    return [*bench_sweep(X, Y, X_test, Y_test, repeats), *bench_training(X, Y, repeats)]


def bench_sweep(
    X: sparse.csr_array, Y: sparse.csr_array, X_test: sparse.csr_array, Y_test: sparse.csr_array, repeats: int = 3
) -> list[dict[str, Any]]:
    """Time 1,000 thresholds on four curves, and every 50th of them decided afresh with scikit-learn's metrics or NumPy.

    Parameters
    ----------
    X, Y : CSR counts (N, V) and label indicators (N, L) of the training documents.
    X_test, Y_test : CSR counts and label indicators of the test documents.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    the rows of `reproduction.bench.timing.judge`; the peers' seconds are for one threshold in `EVERY`.
    """
    scores = {
        "accumulated": AbsoluteDiscountingClassifier().fit(X, Y).predict_proba(X_test),
        "binary": AbsoluteDiscountingBinary().fit(X, Y).decision_function(X_test),
    }
    member, thresholds = Y_test.toarray().astype(bool), np.arange(1, 1001) / 1001
    few = thresholds[::EVERY]
    candidates: dict[str, Callable[[], object]] = {
        SWEEP: lambda: sweep_all(scores, member, thresholds),
        SCIKIT_LEARN: lambda: decide_all(scores, member, few, by_scikit_learn),
        f"NumPy, one threshold in {EVERY}": lambda: decide_all(scores, member, few, by_numpy),
    }
    curves = Work(sum(bytes_of(*parts) for parts in _curves(scores, member).values()))
    work = dict.fromkeys(candidates, Work(len(few) * curves.bytes)) | {SWEEP: curves}
    return judge("multinomial_sweep", compare(candidates, repeats), SCIKIT_LEARN, {SWEEP: 1.0}, work)


def bench_training(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 7) -> list[dict[str, Any]]:
    """Time training of the classifier and of all binary classifiers beside scikit-learn's naive Bayes.

    The peer trains on replicated documents: a document with several labels occurs once for each of them.

    Parameters
    ----------
    X, Y : CSR counts and label indicators of the training documents, some of them without label.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    the rows of `reproduction.bench.timing.judge`.  Replicating the documents is not timed.
    """
    copies, classes = X[np.repeat(np.arange(X.shape[0]), np.diff(Y.indptr))], Y.indices
    candidates: dict[str, Callable[[], object]] = {
        TRAINING: lambda: (
            AbsoluteDiscountingClassifier().fit(X, Y),
            AbsoluteDiscountingBinary().fit(X, Y),
        ),
        REPLICATED: lambda: MultinomialNB().fit(copies, classes),
    }
    work = {TRAINING: reading(X, Y, times=2), REPLICATED: reading(copies, classes)}
    return judge("multinomial_training", compare(candidates, repeats), REPLICATED, {TRAINING: 1.0}, work)
