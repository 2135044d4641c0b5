"""The documents of a trial: training and test part of one split, as every fit, measure and comparison gets them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits


@dataclass(frozen=True)
class Documents:
    """Features, such as CSR (N, V), and classes (N,) or label indicators (N, L), dense or CSR, of N documents."""

    X: Any
    y: Any

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: np.ndarray | slice) -> Documents:
        """Return the documents of some rows: indices, a mask of N truth values, or a slice."""
        return Documents(self.X[rows], self.y[rows])

    @property
    def lengths(self) -> np.ndarray:
        """Sum of the features of each document, of counts its number of words, float64 (N,)."""
        return np.asarray(self.X.sum(axis=1), dtype=np.float64).ravel()

    @property
    def labelled(self) -> np.ndarray:
        """Whether each document has a label, bool (N,); of label indicators."""
        return np.asarray(self.y.sum(axis=1)).ravel() > 0

    def columns(self, columns: np.ndarray) -> Documents:
        """Return the documents with some features alone: indices, or a mask of V truth values."""
        return Documents(self.X[:, columns], self.y)

    def fitted(self, estimator: Any) -> Any:
        """Return an estimator fitted to the documents; a fit that stops early warns nobody, its attributes say it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return estimator.fit(self.X, self.y)

    def accuracy(self, fitted: Any) -> float:
        """Return the share of the documents whose class or whole label set a fitted estimator predicts."""
        return float(np.mean(self.right(fitted)))

    def error(self, fitted: Any) -> float:
        """Return the share of the documents whose class or whole label set a fitted estimator does not predict."""
        return float(np.mean(~self.right(fitted)))

    def right(self, fitted: Any) -> np.ndarray:
        """Return for each document whether a fitted estimator predicts its class or whole label set, bool (N,)."""
        right = np.asarray(fitted.predict(self.X)) == self.y
        return right if right.ndim == 1 else np.asarray(right.all(axis=1))


@dataclass(frozen=True)
class Trial:
    """One split of a data set, numbered from 0."""

    number: int
    train: Documents
    test: Documents

    @property
    def test_ratio(self) -> float:
        """Test documents over training documents, for the corrected resampled t-test."""
        return len(self.test) / len(self.train)

    def accuracy(self, estimator: Any) -> float:
        """Return the accuracy on the test documents of an estimator, fitted to the training documents."""
        return self.test.accuracy(self.train.fitted(estimator))


def documents_of(corpus: Corpus, target: str = "classes", X: Any = None) -> Documents:
    """Return all documents of a features corpus, or with features X in place of its own.

    ``target`` is ``classes`` (N,), ``indicators`` (N, L), or ``labels``, indicators as CSR of float64.
    """
    targets: Mapping[str, Any] = {
        "classes": corpus.classes,
        "indicators": corpus.indicators,
        "labels": lambda: sparse.csr_array(corpus.labels.astype(np.float64)),
    }
    return Documents(corpus.features if X is None else X, targets[target]())


def trials_of(documents: Documents, splits: Splits, most: int | None = None) -> Iterator[Trial]:
    """Yield the trials of all documents of a data set in the order of the splits, the first ``most`` of them or all."""
    for number in range(min(len(splits), most or len(splits))):
        yield Trial(number, documents[splits.train[number]], documents[splits.test[number]])
