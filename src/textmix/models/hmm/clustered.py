"""The hidden Markov models of the thesis over a small vocabulary: clusters of words in place of words."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from textmix.models.common.sklearn_private import Interval
from textmix.models.common.validation import checked_fit
from textmix.models.hmm.estimator import HMMClassifier, training_sequences
from textmix.models.hmm.topics import WordClusters
from textmix.text.sequences import TokenSequences


class ClusteredHMMClassifier(HMMClassifier):
    """Classifier with a hidden Markov model of clusters of words for each class; see `WordClusters`.

    Parameters
    ----------
    n_clusters : number of clusters.
    n_states, emissions, smoothing, max_iter, tol, random_state : see `HMMClassifier`.

    Attributes
    ----------
    clusters_ : int32 (V,), the cluster of each word.
    word_log_share_ : float64 (V,), log p(w | cluster of w) in all training documents, 1 added to each count.
    startprob_, transmat_, emissionprob_, classes_, class_log_prior_, objective_path_, n_iter_, converged_ : see
        `HMMClassifier`; states emit clusters.
    n_features_in_ : V.

    Examples
    --------
    >>> from textmix import ClusteredHMMClassifier
    >>> X = [[0, 1, 0, 1], [1, 0, 1], [2, 3, 2], [3, 2, 3, 2]]
    >>> model = ClusteredHMMClassifier(n_clusters=2, n_states=1, random_state=0).fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[1, 1, 0], [3, 3]]).tolist()
    ['a', 'b']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **HMMClassifier._fitted_forms,
        **{"clusters_": "int32 V", "word_log_share_": "logs V", "emissionprob_": "float64 E S M"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **HMMClassifier._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_clusters: int = 50,
        n_states: int = 5,
        emissions: Literal["own", "shared", "topics"] = "own",
        smoothing: float = 0.1,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_states=n_states,
            emissions=emissions,
            smoothing=smoothing,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.n_clusters = n_clusters

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Cluster the words of N sequences, and fit as `HMMClassifier.fit` to their clusters and class labels (N,)."""
        X = training_sequences(X)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        words = WordClusters(n_clusters=self.n_clusters, random_state=seed).fit(X)
        self.clusters_ = words.clusters_
        counts = np.bincount(X.values, minlength=X.n_words) + 1.0
        self.word_log_share_ = np.log(counts / np.bincount(self.clusters_, counts)[self.clusters_])
        super().fit(words.transform(X), y)
        self.n_features_in_ = X.n_words
        return self

    def _check_loaded(self) -> None:
        """Complete what was read from a file; raise ValueError if it is malformed."""
        super()._check_loaded()
        if self.clusters_.min() < 0 or self.clusters_.max() >= self.emissionprob_.shape[2]:
            raise ValueError("clusters_ holds an index of no cluster")

    def _class_free(self, X: Any) -> np.ndarray:
        X = TokenSequences.of(X)
        document = np.repeat(np.arange(len(X)), X.lengths)
        return np.bincount(document, self.word_log_share_[X.values], len(X))

    def _known(self, X: Any) -> TokenSequences:
        return super()._known(X).renumbered(np.asarray(self.clusters_), self.emissionprob_.shape[2])
