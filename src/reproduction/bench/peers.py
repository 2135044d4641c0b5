"""Scikit-learn's pipelines on own data, as an expert writes them, tuned and tested on the split of the comparison.

All of them share the folds and the fitted vectorisers, as an expert's cache would.  Processor time is that of this
process.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

from textmix.core.progress import progress
from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits
from textmix.metrics.significance import bootstrap_interval, sign_test
from textmix.numerics.determinism import rng

#: Columns of peers.csv.  ``tuned``: mean over the folds at the best ``C``.  ``value``: share of the test documents of
#: which class or whole label set is predicted.  ``difference``: that of the recommended method minus it, with a 95 %
#: interval over the documents and the p-value of McNemar's test.  ``best``: whether its own search prefers this
#: pipeline.  ``cpu_seconds``: processor time of its search, fit and prediction.
COLUMNS = (
    *("representation", "model", "C", "tuned", "best", "value", "difference", "low", "high", "p", "cpu_seconds"),
    *("recommended", "recommended_value", "recommended_cpu_seconds"),
)
FOLDS = 3
TEXTS: dict[str, Callable[[], Any]] = {
    "words": lambda: TfidfVectorizer(sublinear_tf=True),
    "words and pairs": lambda: TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)),
    "characters": lambda: TfidfVectorizer(sublinear_tf=True, analyzer="char", ngram_range=(1, 4), min_df=2),
}
COUNTS: dict[str, Callable[[], Any]] = {"TF-IDF": lambda: TfidfTransformer(sublinear_tf=True)}
NUMBERS: dict[str, Callable[[], Any]] = {"scaled": MaxAbsScaler}


class PowerSet(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose classes are the training label sets; the parameter is the classifier."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, Y: np.ndarray) -> PowerSet:
        """Fit the classifier."""
        self.sets_, codes = np.unique(Y, axis=0, return_inverse=True)
        self.estimator.fit(X, codes.ravel())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return label indicators (N, L)."""
        sets: np.ndarray = self.sets_[self.estimator.predict(X)]
        return sets


class Chain(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's chain over the labels that some training documents have and some lack; the rest stay constant."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, Y: np.ndarray) -> Chain:
        """Fit the chain."""
        share = Y.mean(axis=0)
        self.constant_, self.chained_ = share == 1.0, np.flatnonzero((share > 0.0) & (share < 1.0))
        self.chain_ = ClassifierChain(self.estimator).fit(X, Y[:, self.chained_])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return label indicators (N, L)."""
        sets = np.tile(self.constant_, (X.shape[0], 1)).astype(np.int8)
        sets[:, self.chained_] = self.chain_.predict(X)
        return sets


def _svm(C: float) -> Any:
    """Return scikit-learn's linear support vector machine at a cost."""
    return LinearSVC(C=C, random_state=0)


def _logistic(C: float) -> Any:
    """Return scikit-learn's logistic regression at a cost."""
    return LogisticRegression(C=C, max_iter=300)


def _one_label_logistic(C: float) -> Any:
    """Return scikit-learn's logistic regression for two classes at a cost, by the quickest of its solvers."""
    return LogisticRegression(C=C, solver="liblinear", random_state=0)


#: Model -> (maker of an estimator at a cost, costs), for one label a document and for several.
ONE: dict[str, tuple[Callable[[float], Any], Sequence[float]]] = {
    "LinearSVC": (_svm, (0.1, 1.0, 10.0)),
    "LogisticRegression": (_logistic, (1.0, 10.0, 100.0)),
}
SEVERAL: dict[str, tuple[Callable[[float], Any], Sequence[float]]] = {
    "one-vs-rest LinearSVC": (lambda C: OneVsRestClassifier(_svm(C)), (0.1, 1.0, 10.0)),
    "power set LinearSVC": (lambda C: PowerSet(_svm(C)), (0.1, 1.0, 10.0)),
    "one-vs-rest LogisticRegression": (lambda C: OneVsRestClassifier(_one_label_logistic(C)), (1.0, 10.0, 100.0)),
    "chain of LogisticRegression": (lambda C: Chain(_one_label_logistic(C)), (1.0, 10.0, 100.0)),
}


@dataclass(frozen=True)
class Peer:
    """A pipeline after its search.

    Parameters
    ----------
    representation, model, C : its parts.
    tuned : mean score over the folds.
    right : bool (T,), whether each test document is predicted as a whole.
    seconds : processor time.
    """

    representation: str
    model: str
    C: float
    tuned: float
    right: np.ndarray
    seconds: float


def run_peers(corpus: Corpus, splits: Splits, task: str) -> list[Peer]:
    """Return every pipeline, tuned on the training part of the first trial and tested on its test part.

    Parameters
    ----------
    corpus : the parsed data: texts, or a matrix.
    splits : the trials of the comparison.
    task : ``single`` or ``multi``.
    """
    truth = corpus.classes() if task == "single" else corpus.indicators()
    documents, forms = _documents(corpus)
    models = ONE if task == "single" else SEVERAL
    report, tuned = progress(f"peers on {corpus.name}", len(forms) * len(models)), []
    for name, make in forms.items():
        for peer in _tuned(name, make, models, (documents, truth), (splits.train[0], splits.test[0])):
            tuned.append(peer)
            report(len(tuned), None)
    return tuned


def _documents(corpus: Corpus) -> tuple[Any, Mapping[str, Callable[[], Any]]]:
    """Return the documents, each taken by its row, and the representations that suit them."""
    if corpus.text is not None:
        return np.array([corpus.text.text(row) for row in range(corpus.n_documents)], dtype=object), TEXTS
    if corpus.features is None:
        raise ValueError(f"{corpus.name} has neither text nor features")
    return corpus.features, {**(COUNTS if corpus.features.dtype.kind in "iu" else {}), **NUMBERS}


def _tuned(
    name: str,
    make: Callable[[], Any],
    models: Mapping[str, tuple[Callable[[float], Any], Sequence[float]]],
    data: tuple[Any, np.ndarray],
    rows: tuple[np.ndarray, np.ndarray],
) -> Iterator[Peer]:
    """Yield each model on one representation, at the cost of the best mean over the folds.

    The time of the representation is shared equally by the models.
    """
    documents, truth = data
    start = time.process_time()
    folds = [(rows[0][fit], rows[0][held]) for fit, held in KFold(FOLDS, shuffle=True, random_state=0).split(rows[0])]
    parts = [_represented(make, documents, part) for part in [*folds, rows]]
    pairs = list(zip(parts[:-1], folds, strict=True))
    shared = (time.process_time() - start) / len(models)
    for model, (estimator, costs) in models.items():
        start = time.process_time()
        means = [
            float(np.mean([_right(estimator(C), *part, truth[a], truth[b]).mean() for part, (a, b) in pairs]))
            for C in costs
        ]
        best = int(np.argmax(means))
        right = _right(estimator(costs[best]), *parts[-1], truth[rows[0]], truth[rows[1]])
        yield Peer(name, model, costs[best], means[best], right, time.process_time() - start + shared)


def _represented(make: Callable[[], Any], documents: Any, rows: tuple[np.ndarray, np.ndarray]) -> tuple[Any, Any]:
    """Return the training and the test part of the documents after a transformer fitted to the training part."""
    transformer = make()
    return transformer.fit_transform(documents[rows[0]]), transformer.transform(documents[rows[1]])


def _right(estimator: Any, train: Any, test: Any, y: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return whether each test document is predicted as a whole, bool (T,)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Label .* is present in all training examples|Label not .*", UserWarning)
        predicted = np.asarray(estimator.fit(train, y).predict(test))
    return np.asarray(predicted == true if true.ndim == 1 else (predicted == true).all(axis=1))


def beside(peers: Sequence[Peer], right: np.ndarray, ours: Mapping[str, Any], seed: int) -> list[dict[str, Any]]:
    """Return rows of `COLUMNS`, the pipeline of the best test score first.

    Parameters
    ----------
    peers : of `run_peers`.
    right : bool (T,), whether the recommended method predicts each test document of the first trial as a whole.
    ours : the last three columns.
    seed : of the run; it draws the resamples.
    """
    best = max(peers, key=lambda peer: peer.tuned)
    rows = []
    for peer in sorted(peers, key=lambda peer: -peer.right.mean()):
        interval = bootstrap_interval(
            right.astype(float) - peer.right, rng(seed, peer.representation, peer.model, "peers")
        )
        head = {key: value for key, value in vars(peer).items() if key not in ("right", "seconds")}
        tested = {
            "difference": interval.mean,
            "low": interval.low,
            "high": interval.high,
            "p": sign_test(right, peer.right),
        }
        facts = {"best": peer is best, "value": float(peer.right.mean()), "cpu_seconds": peer.seconds}
        rows.append({**head, **facts, **tested, **ours})
    return rows


def sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return sentences that compare our method with their choice and with their best on the test documents."""
    chosen, first = next(row for row in rows if row["best"]), rows[0]
    lines = [
        f"{row['recommended']}: {row['recommended_value']:.4f}; {what} ({row['model']} on {row['representation']}): "
        f"{row['value']:.4f}; difference {row['difference']:+.4f}, 95 % interval "
        f"{row['low']:+.4f} to {row['high']:+.4f}, p {row['p']:.3g}"
        for what, row in (("the pipeline that scikit-learn's search prefers", chosen), ("the best on the test", first))
    ]
    seconds = sum(row["cpu_seconds"] for row in rows)
    ours = first["recommended_cpu_seconds"]
    return [*lines, f"processor seconds: {ours:.1f} for {first['recommended']}, {seconds:.1f} for all pipelines"]
