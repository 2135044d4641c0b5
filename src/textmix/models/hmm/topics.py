r"""The vocabulary side of the hidden Markov models: topics as fixed emissions, and clusters of words.

The source says that emission probabilities "were approximated" and prints no way.  Here the topics of the training
documents are those of a non-negative factorisation X ~ W H of the documents' word shares x_dw / n_d, and

    p(w | state k) = (1 - \lambda) H_kw / \sum_v H_kv + \lambda p(w)

with p(w) the share of the word in all documents, so that no word is impossible in a state.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn import cluster, decomposition
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.sklearn_private import Interval
from textmix.models.common.validation import checked_fit
from textmix.text.sequences import TokenSequences

#: lambda, the share of the collection's words in every topic.
BACKGROUND = 0.1
#: Sweeps of the factorisation, at most: the topics are an approximation, and later sweeps hardly change them.
SWEEPS = 30


def topic_emissions(X: TokenSequences, n_topics: int, rng: np.random.RandomState) -> np.ndarray:
    """Return p(w | topic), float64 (V, K); columns sum to 1."""
    counts = X.counts()
    usual = (np.bincount(X.values, minlength=X.n_words) + 1.0) / (len(X.values) + X.n_words)
    shares = sparse.csr_matrix(counts.multiply(1.0 / np.maximum(X.lengths, 1)[:, np.newaxis]))
    start = "nndsvda" if n_topics <= min(counts.shape) else "random"
    model = decomposition.NMF(n_topics, init=start, max_iter=SWEEPS, tol=1e-3, random_state=rng.randint(2**31 - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        topics = model.fit(shares).components_.T
    mass = topics.sum(axis=0)
    topics[:, mass == 0], mass[mass == 0] = usual[:, np.newaxis], 1.0
    return (1.0 - BACKGROUND) * topics / mass + BACKGROUND * usual[:, np.newaxis]


class WordClusters(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters of words by their latent semantic vectors, a vocabulary small enough for a hidden Markov model.

    A word's vector is its row of the truncated singular value decomposition of the word-by-document matrix of log(1 +
    count), scaled to length 1; the clusters are those of k-means.  A method raises ValueError where a word is no whole
    number or outside of the vocabulary.

    Parameters
    ----------
    n_clusters : M; at most V are made.
    n_components : dimensions of the vectors.
    random_state : seed of decomposition and clustering.

    Attributes
    ----------
    clusters_ : int32 (V,), the cluster of each word; words that never occur in training share cluster M.
    n_clusters_ : number of different clusters, M + 1.

    Examples
    --------
    >>> from textmix import WordClusters
    >>> X = [[0, 1, 0, 1], [1, 0], [2, 3, 3], [3, 2]]
    >>> clusters = WordClusters(n_clusters=2, n_components=2, random_state=0).fit(X).clusters_
    >>> clusters[0] == clusters[1], clusters[2] == clusters[3], clusters[0] == clusters[2]
    (np.True_, np.True_, np.False_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, *, n_clusters: int = 100, n_components: int = 50, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the words of N documents, at least one word; ``y`` is ignored."""
        X = TokenSequences.of(X)
        counts = sparse.csr_array(X.counts().T, dtype=np.float64)
        counts.data = np.log1p(counts.data)
        seen = np.flatnonzero(np.diff(counts.indptr))
        rng = check_random_state(self.random_state)
        vectors = word_vectors(counts[seen], self.n_components, rng)
        model = cluster.KMeans(min(self.n_clusters, len(seen)), n_init=1, random_state=rng.randint(2**31 - 1))
        self.clusters_ = np.full(X.n_words, model.n_clusters, dtype=np.int32)
        self.clusters_[seen] = model.fit_predict(vectors)
        self.n_clusters_ = model.n_clusters + 1
        return self

    def transform(self, X: Any) -> TokenSequences:
        """Return N documents as sequences of clusters."""
        check_is_fitted(self)
        X = TokenSequences.of(X)
        if len(X.values) and X.values.max() >= len(self.clusters_):
            raise ValueError(f"X holds word {X.values.max()}, but words 0 to {len(self.clusters_) - 1} have clusters")
        return X.renumbered(self.clusters_, self.n_clusters_)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: the input is sequences of words, not a two-dimensional array."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def word_vectors(rows: sparse.csr_array, n_components: int, rng: np.random.RandomState) -> np.ndarray:
    """Return vectors of length 1 for the rows of a word-by-document matrix, float64 (V, k)."""
    k = min(n_components, *(size - 1 for size in rows.shape))
    if k < 1:
        return np.ones((rows.shape[0], 1))
    model = decomposition.TruncatedSVD(k, random_state=rng.randint(2**31 - 1))
    vectors = model.fit_transform(sparse.csr_matrix(rows))
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)
