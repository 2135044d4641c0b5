"""Training and test documents of a trial, as used by every fit, measure and comparison."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits


@dataclass(frozen=True)
class Documents:
    """Features and targets of N documents.

    Parameters
    ----------
    X : array-like, sparse matrix or TokenSequences of N documents
        Features, usually CSR of shape (N, V).
    y : ndarray or sparse matrix of shape (N,) or (N, L)
        Classes or label indicators.
    """

    X: Any
    y: Any

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: np.ndarray | slice) -> Documents:
        """Select documents by indices, a boolean mask or a slice."""
        return Documents(self.X[rows], self.y[rows])

    @property
    def lengths(self) -> np.ndarray:
        """Sum of the features of each document, the number of words for counts, float64 (N,)."""
        return np.asarray(self.X.sum(axis=1), dtype=np.float64).ravel()

    @property
    def labelled(self) -> np.ndarray:
        """Whether each document has at least one label, bool (N,); for label indicators only."""
        return np.asarray(self.y.sum(axis=1)).ravel() > 0

    def columns(self, columns: np.ndarray) -> Documents:
        """Select features by indices or a boolean mask of length V."""
        return Documents(self.X[:, columns], self.y)

    def fitted(self, estimator: Any) -> Any:
        """Fit an estimator to the documents, without a ConvergenceWarning; its attributes record convergence."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return estimator.fit(self.X, self.y)

    def accuracy(self, fitted: Any) -> float:
        """Compute the proportion of documents with a correctly predicted class or whole label set."""
        return float(np.mean(self.right(fitted)))

    def error(self, fitted: Any) -> float:
        """Compute the proportion of documents with an incorrectly predicted class or label set."""
        return float(np.mean(~self.right(fitted)))

    def right(self, fitted: Any) -> np.ndarray:
        """Check for each document whether its class or whole label set is predicted correctly, bool (N,)."""
        matches = np.asarray(fitted.predict(self.X)) == self.y
        return matches if matches.ndim == 1 else np.asarray(matches.all(axis=1))


@dataclass(frozen=True)
class Trial:
    """One split of a data set.

    Parameters
    ----------
    number : int
        Number of the trial, from 0.
    train, test : Documents
        Training and test documents.
    """

    number: int
    train: Documents
    test: Documents

    @property
    def test_ratio(self) -> float:
        """Ratio of test to training documents, for the corrected resampled t-test."""
        return len(self.test) / len(self.train)

    def with_features(self, columns: np.ndarray) -> Trial:
        """Select features by indices or a boolean mask of length V."""
        return replace(self, train=self.train.columns(columns), test=self.test.columns(columns))

    def accuracy(self, estimator: Any) -> float:
        """Fit an estimator to the training documents and compute its accuracy on the test documents."""
        return self.test.accuracy(self.train.fitted(estimator))


def documents_of(corpus: Corpus, target: str = "classes", X: Any = None) -> Documents:
    """Return features and targets of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Corpus with features.
    target : {"classes", "indicators", "labels"}, default="classes"
        Classes (N,), label indicators (N, L), or label indicators as CSR of float64.
    X : array-like or sparse matrix of N documents, default=None
        Features in place of the corpus features.

    Returns
    -------
    documents : Documents
    """
    targets: Mapping[str, Any] = {
        "classes": corpus.classes,
        "indicators": corpus.indicators,
        "labels": lambda: sparse.csr_array(corpus.labels.astype(np.float64)),
    }
    features = corpus.features if X is None else X
    return Documents(features, targets[target]())


def trials_of(documents: Documents, splits: Splits, most: int | None = None) -> Iterator[Trial]:
    """Yield the trials of a data set in the order of the splits, at most ``most`` of them."""
    n_trials = min(len(splits), most or len(splits))
    for number in range(n_trials):
        train = documents[splits.train[number]]
        test = documents[splits.test[number]]
        yield Trial(number, train, test)
