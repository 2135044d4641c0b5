"""All methods on the same data: accuracy against the number of training documents, ranks, and seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn import linear_model, svm

from reproduction.stored.measures import Measure, MeasureData
from textmix.metrics import ranking
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.hmm.clustered import ClusteredHMMClassifier
from textmix.models.hmm.estimator import HMMClassifier
from textmix.models.hmm.sequences import TokenSequences
from textmix.models.lsi.classifiers import LSIDensityClassifier, LSILogisticRegression, LSINeighbors
from textmix.models.lsi.pruned import PrunedLSIClassifier
from textmix.models.lsi.transformer import LSITransformer
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingClassifier
from textmix.models.naive_bayes.multinomial import DirichletSmoothedClassifier, MultinomialClassifier
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.topics.lda import LDAClassifier

#: Form of the documents that a method takes: counts, counts weighted by TF-IDF, or sequences of words.
COUNTS, WEIGHTED, SEQUENCES = "counts", "tfidf", "sequences"
#: Level of the tests.
ALPHA = 0.05


class Entry(NamedTuple):
    """A method: the form of its documents, and a new estimator, its parameters those of its registry entry's middle."""

    form: str
    make: Callable[[], Any]


METHODS: dict[str, Entry] = {
    "multinomial": Entry(COUNTS, lambda: MultinomialClassifier(smoothing=0.1)),
    "dirichlet_smoothed": Entry(COUNTS, lambda: DirichletSmoothedClassifier(mu=1000.0)),
    "absolute_discounting": Entry(COUNTS, AbsoluteDiscountingClassifier),
    "dcm": Entry(COUNTS, lambda: DCMClassifier(smoothing=0.01)),
    "edcm": Entry(COUNTS, lambda: EDCMClassifier(smoothing=0.01)),
    "knn": Entry(COUNTS, lambda: KNNClassifier(n_neighbors=10)),
    "logistic_regression": Entry(WEIGHTED, lambda: linear_model.LogisticRegression(C=10.0, max_iter=200)),
    "linear_svm": Entry(WEIGHTED, lambda: svm.LinearSVC(random_state=0)),
    "lsi_density": Entry(COUNTS, lambda: LSIDensityClassifier(random_state=0)),
    "lsi_knn": Entry(COUNTS, lambda: LSINeighbors(random_state=0)),
    "lsi_logistic_regression": Entry(COUNTS, lambda: LSILogisticRegression(random_state=0)),
    "pruned_lsi": Entry(COUNTS, lambda: PrunedLSIClassifier(random_state=0)),
    "hmm": Entry(SEQUENCES, lambda: HMMClassifier(max_iter=10, random_state=0)),
    "hmm_clusters": Entry(SEQUENCES, lambda: ClusteredHMMClassifier(n_states=10, max_iter=10, random_state=0)),
    "hmm_shared": Entry(SEQUENCES, lambda: HMMClassifier(n_states=10, emissions="shared", max_iter=10, random_state=0)),
    "lda": Entry(COUNTS, lambda: LDAClassifier(random_state=0)),
}


class Trial(NamedTuple):
    """Rows of the training documents, of which any first ones hold the classes nearly alike, and of the test ones."""

    train: np.ndarray
    test: np.ndarray


def comparison(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator) -> Measure:
    """Measure the accuracy of every method on every data set at hand, for several numbers of training documents.

    Parameters
    ----------
    sources : role -> data set, with words in order.
    settings : ``sizes``, numbers of training documents, increasing; ``trials``, number of splits.
    rng : draws the order of the training documents.

    Returns
    -------
    a measure with ``friedman_p`` and ``critical_difference`` (Nemenyi's) at the largest size over the data sets, and
    the tables ``accuracies`` (a row a data set, method, size and split) and ``ranks`` (mean rank, 1 is the best).
    """
    rows = [
        {"role": role, "method": method, "size": size, "trial": number, "accuracy": _accuracy(source, method, part)}
        for role, source in sources.items()
        for number, trial in enumerate(_trials(source, settings["trials"], rng))
        for size in settings["sizes"]
        for part in [Trial(trial.train[:size], trial.test)]
        for method in METHODS
    ]
    means = means_of(rows, settings["sizes"][-1])
    rank = ranking.mean_ranks(means)
    values = {"datasets": float(len(means)), "critical_difference": float("inf"), "friedman_p": 1.0}
    if len(means) > 1:
        values["critical_difference"] = ranking.critical_difference(len(METHODS), len(means), ALPHA)
        values["friedman_p"] = ranking.friedman(means).f_p
    ranks = [{"method": method, "rank": float(each)} for method, each in zip(METHODS, rank, strict=True)]
    return Measure(values, {"accuracies": rows, "ranks": ranks})


def comparison_time(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator
) -> Measure:
    """Measure the seconds in which every method is fitted and predicts, on the first split of every data set at hand.

    Parameters and methods are those of `comparison`, with the smallest number of training documents.  A first fit,
    which is not timed, compiles the kernels.
    """
    size = settings["sizes"][0]
    rows = []
    for role, source in sources.items():
        (trial,) = _trials(source, 1, rng)
        for method in METHODS:
            _accuracy(source, method, Trial(trial.train[:20], trial.test[:5]))
            start = time.perf_counter()
            _accuracy(source, method, Trial(trial.train[:size], trial.test))
            rows.append({"role": role, "method": method, "seconds": time.perf_counter() - start})
    return Measure({"datasets": float(len(sources))}, {"seconds": rows})


def means_of(rows: Sequence[Mapping[str, Any]], size: int) -> np.ndarray:
    """Return the mean accuracies of N data sets and K methods with a number of training documents, float64 (N, K)."""
    roles = list(dict.fromkeys(row["role"] for row in rows))
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["size"] == size:
            values.setdefault((row["role"], row["method"]), []).append(row["accuracy"])
    return np.array([[np.mean(values[role, method]) for method in METHODS] for role in roles])


def _trials(source: MeasureData, trials: int, rng: np.random.Generator) -> Iterator[Trial]:
    """Yield the first splits; the training documents are ordered so that their first ones hold the classes alike."""
    y = source.corpus.classes()
    for number in range(min(trials, len(source.splits))):
        rows = rng.permutation(source.splits.train[number])
        place = np.empty(len(rows))
        for label in np.unique(y[rows]):
            mine = np.flatnonzero(y[rows] == label)
            place[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
        yield Trial(rows[np.argsort(place, kind="stable")], source.splits.test[number])


def _accuracy(source: MeasureData, method: str, trial: Trial) -> float:
    """Return the share of test documents whose class a method predicts."""
    form, make = METHODS[method]
    y = source.corpus.classes().astype(np.int64)
    known, unknown = _documents(source, form, trial)
    model = make().fit(known, y[trial.train])
    return float(np.mean(model.predict(unknown) == y[trial.test]))


def _documents(source: MeasureData, form: str, trial: Trial) -> tuple[Any, Any]:
    """Return the training and the test documents in a form; weighted ones without the words of no training document.

    A linear model gives such a word the weight 0, but its solver visits the word in every step.
    """
    corpus = source.corpus
    if form == SEQUENCES:
        words = TokenSequences.of(corpus.tokens, corpus.features.shape[1])  # type: ignore[union-attr]
        return words[trial.train], words[trial.test]
    known, unknown = (corpus.features[rows].astype(np.float64) for rows in trial)  # type: ignore[index]
    if form == COUNTS:
        return known, unknown
    weights = LSITransformer(n_components=1, random_state=0).fit(known)
    seen = np.flatnonzero(weights.word_weights_)
    return weights.weighted(known)[:, seen], weights.weighted(unknown)[:, seen]
