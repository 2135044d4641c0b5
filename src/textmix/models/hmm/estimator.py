r"""Hidden Markov models as estimators: a density of word sequences, and a classifier with one model per class.

The source (thesis, conclusion) proposes three variants without equations: one model per class over a small vocabulary
of word clusters, one over the whole vocabulary with approximated emissions, and, as future work, one with emissions
shared by the classes.  Training is implemented in `textmix.models.hmm.training`.

The source states that emission probabilities "were approximated" without giving a method.  Here the topics of the
training documents are obtained by a non-negative matrix factorisation X ~ W H of the relative word frequencies
x_dw / n_d, and

    p(w | state k) = (1 - \lambda) H_kw / \sum_v H_kv + \lambda p(w)

where p(w) is the relative frequency of the word in all documents, so that every state can emit every word.

scikit-learn's estimator checks use real matrices and do not apply to these estimators, which accept `TokenSequences` or
lists of integer sequences; they are covered by separate tests.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from scipy.special import logsumexp
from sklearn import cluster, decomposition
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.generative import set_impossible
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_classes, checked_fit, class_codes
from textmix.models.hmm.training import (
    BaumWelch,
    Chain,
    pass_emissions,
    random_chain,
    random_emissions,
    random_transitions,
)
from textmix.text.sequences import TokenSequences

#: Weight lambda of the collection's word distribution in every topic.
BACKGROUND = 0.1
#: Maximum number of sweeps of the factorisation: the topics are approximate, and later sweeps hardly change them.
SWEEPS = 30
_CONSTRAINTS: dict[str, list[Any]] = {
    "n_states": [Interval(Integral, 1, None, closed="left")],
    "smoothing": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
}


class _OfSequences(BaseEstimator):  # type: ignore[misc]
    """Base class of estimators that accept word sequences instead of a two-dimensional array."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


class HiddenMarkovModel(DensityMixin, _OfSequences):  # type: ignore[misc]
    """Hidden Markov model of word sequences.

    Methods that accept documents raise ValueError if a word id is not an integer or out of range.

    Parameters
    ----------
    n_states : int, default=5
        Number of states S.
    smoothing : float, default=0.1
        Kappa, the positive constant that is added to every expected count.
    max_iter : int, default=50
        Maximum number of EM iterations.
    tol : float, default=0.0001
        Training has converged when a step increases the objective by at most this amount per word, in nats.
    random_state : int, RandomState or None, default=None
        Random seed of the initialisation.

    Attributes
    ----------
    startprob_ : ndarray of shape (S,)
        Initial state probabilities.
    transmat_ : ndarray of shape (S, S)
        Transition probabilities; rows sum to 1.
    emissionprob_ : ndarray of shape (S, V)
        Emission probabilities; rows sum to 1.
    n_features_in_ : int
        Vocabulary size V.
    objective_path_ : list of float
        Objective J before each step, in nats.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether ``tol`` was met.

    Examples
    --------
    >>> from textmix import HiddenMarkovModel
    >>> X = [[0, 1, 0, 1, 0, 1], [1, 0, 1, 0]]
    >>> model = HiddenMarkovModel(n_states=2, smoothing=0.01, random_state=0).fit(X)
    >>> first, second = model.score_samples([[0, 1, 0, 1], [0, 0, 1, 1]])
    >>> bool(first > second)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _CONSTRAINTS

    def __init__(
        self,
        *,
        n_states: int = 5,
        smoothing: float = 0.1,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_states = n_states
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model to N word sequences with at least one word in total; ``y`` is ignored."""
        X = training_sequences(X)
        rng = check_random_state(self.random_state)
        training = BaumWelch([X], [random_chain(background(X), self.n_states, rng)], self.smoothing, "own")
        self.converged_ = training.run(self.max_iter, self.tol)
        (self._chain,), self.objective_path_ = training.chains, training.path
        self.startprob_ = self._chain.start
        self.transmat_ = self._chain.transitions
        self.emissionprob_ = self._chain.emissions.T
        self.n_iter_ = len(training.path)
        self.n_features_in_ = X.n_words
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Compute log p(d) of each document as a sequence, float64 (N,), in nats."""
        check_is_fitted(self)
        return self._chain.log_likelihood(known_sequences(X, self.n_features_in_))

    def score(self, X: Any, y: Any = None) -> float:
        """Compute the mean log p(d) of N documents, in nats."""
        return float(self.score_samples(X).mean())

    def predict(self, X: Any) -> list[np.ndarray]:
        """Find the most probable state sequence of each document (Viterbi), N arrays int32 (T_d,)."""
        check_is_fitted(self)
        return self._chain.paths(known_sequences(X, self.n_features_in_))


class HMMClassifier(ClassifierMixin, _OfSequences):  # type: ignore[misc]
    """Classifier with a hidden Markov model of word sequences for each class.

    A document is assigned to the class with the highest posterior probability. Methods that accept documents raise
    ValueError if a word id is not an integer or out of range.

    Parameters
    ----------
    n_states : int, default=5
        Number of states S per class; the number of topics if ``emissions`` is "topics".
    emissions : {"own", "shared", "topics"} or ndarray, default="own"
        "own": each class has its own emissions; "shared": the classes share the emissions and differ in start and
        transition probabilities only; "topics": p(w | state) is a topic of the training documents (`topic_emissions`),
        and only start and transition probabilities are estimated; a nonnegative array, float64 (S, V), with rows that
        sum to 1: likewise with these p(w | state), such as ``emissionprob_[0]`` of a model with the same vocabulary.
    smoothing : float, default=0.1
        See `HiddenMarkovModel`; the classes are trained jointly, step by step.
    max_iter : int, default=50
        See `HiddenMarkovModel`.
    tol : float, default=0.0001
        See `HiddenMarkovModel`.
    random_state : int, RandomState or None, default=None
        See `HiddenMarkovModel`.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels.
    class_log_prior_ : ndarray of shape (C,)
        Log of the class proportions.
    startprob_ : ndarray of shape (C, S)
        Initial state probabilities.
    transmat_ : ndarray of shape (C, S, S)
        Transition probabilities; rows sum to 1.
    emissionprob_ : ndarray of shape (E, S, V)
        Emission probabilities; E is C if ``emissions`` is "own", else 1.
    n_features_in_, objective_path_, n_iter_, converged_
        See `HiddenMarkovModel`.

    Examples
    --------
    >>> from textmix import HMMClassifier
    >>> X = [[0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0]]
    >>> y = ["turns", "turns", "stays", "stays"]
    >>> model = HMMClassifier(n_states=2, smoothing=0.1, random_state=0).fit(X, y)
    >>> model.predict([[1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]]).tolist()
    ['turns', 'stays']
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "class_log_prior_": "logs C",
        "n_features_in_": "int",
        "startprob_": "float64 C S",
        "transmat_": "float64 C S S",
        "emissionprob_": "float64 E S V",
        "objective_path_": "float64 *",
        "n_iter_": "int",
        "converged_": "bool",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CONSTRAINTS,
        "emissions": [StrOptions({"own", "shared", "topics"}), np.ndarray],
    }

    def __init__(
        self,
        *,
        n_states: int = 5,
        emissions: Literal["own", "shared", "topics"] | np.ndarray = "own",
        smoothing: float = 0.1,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_states = n_states
        self.emissions = emissions
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the models to N word sequences, with at least one word in total, and class labels (N,).

        Raise ValueError if an emission matrix was passed with the wrong shape or with a row that is not a distribution.
        """
        return self._fit(training_sequences(X), y)

    def _fit(self, X: TokenSequences, y: Any) -> Self:
        """Fit the models without the checks of `checked_fit`."""
        self.classes_, codes = np.unique(check_classes(X, y), return_inverse=True)
        self.class_log_prior_ = np.log(np.bincount(codes) / len(codes))
        parts = [X[codes == code] for code in range(len(self.classes_))]
        training = BaumWelch(parts, self._starts(X), self.smoothing, self._kind)
        self.converged_ = training.run(self.max_iter, self.tol)
        self._keep(training.chains)
        self.objective_path_ = np.array(training.path)
        self.n_iter_ = len(training.path)
        self.n_features_in_ = X.n_words
        return self

    @property
    def _kind(self) -> str:
        """Type of the emissions: "own", "shared", or "fixed"."""
        if isinstance(self.emissions, np.ndarray) or self.emissions == "topics":
            return "fixed"
        return str(self.emissions)

    def _starts(self, X: TokenSequences) -> list[Chain]:
        """Create a random start for each class; the emissions are identical unless each class has its own."""
        rng = check_random_state(self.random_state)
        usual = background(X)
        if self._kind == "own":
            return [random_chain(usual, self.n_states, rng) for _ in self.classes_]
        first = np.full(self.n_states, 1.0 / self.n_states)
        transitions = []
        emissions = np.empty(0)
        for number in range(len(self.classes_)):
            transitions.append(random_transitions(self.n_states, rng))
            # Consume the same random numbers as with separate emissions, so that later classes start identically.
            if self._kind == "shared" and number == 0:
                emissions = random_emissions(usual, self.n_states, rng)
            else:
                pass_emissions(X.n_words, self.n_states, rng)
        if self._kind == "fixed":
            emissions = self._fixed(X, rng)
        return [Chain(first, each, emissions) for each in transitions]

    def _fixed(self, X: TokenSequences, rng: np.random.RandomState) -> np.ndarray:
        """Return the fixed emissions, float64 (V, S)."""
        if not isinstance(self.emissions, np.ndarray):
            return topic_emissions(X, self.n_states, rng)
        shape = self.n_states, X.n_words
        if self.emissions.shape != shape:
            raise ValueError(f"emissions have shape {self.emissions.shape}; states and words are {shape}")
        emissions = np.ascontiguousarray(self.emissions.T, dtype=np.float64)
        # NaN fails this comparison, and infinity fails the check of the sum.
        if not ((emissions >= 0).all() and np.allclose(emissions.sum(axis=0), 1.0)):
            raise ValueError("emissions hold a row that is no distribution; give numbers from 0 on that sum to 1")
        return emissions

    def _keep(self, chains: list[Chain]) -> None:
        self.startprob_ = np.array([chain.start for chain in chains])
        self.transmat_ = np.array([chain.transitions for chain in chains])
        own = chains if self._kind == "own" else chains[:1]
        self.emissionprob_ = np.array([chain.emissions.T for chain in own])

    def _check_loaded(self) -> None:
        if len(self.emissionprob_) != (len(self.classes_) if self._kind == "own" else 1):
            raise ValueError("emissionprob_ does not hold the emissions of the classes")
        for part in (self.startprob_, self.transmat_, self.emissionprob_):
            # With a transition probability of 0 the scaled backward values would be unbounded.
            if not (part > 0).all() or not np.allclose(part.sum(axis=-1), 1.0):
                raise ValueError("a row of probabilities does not sum to 1, or one is not positive")

    def _chain(self, code: int) -> Chain:
        emissions = self.emissionprob_[code if self._kind == "own" else 0]
        return Chain(self.startprob_[code], self.transmat_[code], np.ascontiguousarray(emissions.T))

    def _known(self, X: Any) -> TokenSequences:
        """Convert new documents to sequences of the symbols that the states emit."""
        return known_sequences(X, self.n_features_in_)

    def log_likelihood(self, X: Any, convention: Literal["sequence"] = "sequence") -> np.ndarray:
        """Compute log p(d | c) of each document as a sequence (the only ``convention``), float64 (N, C), in nats."""
        check_is_fitted(self)
        known = self._known(X)
        found = np.column_stack([self._chain(code).log_likelihood(known) for code in range(len(self.classes_))])
        return found + self._class_free(X)[:, np.newaxis]

    def own_log_likelihood(self, X: Any, y: Any) -> np.ndarray:
        """Compute log p(d | class of d) of each document, float64 (N,), in nats: a column of `log_likelihood`.

        Raise ValueError if a label is not in ``classes_``.
        """
        check_is_fitted(self)
        known = self._known(X)
        check_consistent_length(known, y)
        codes = class_codes(self.classes_, column_or_1d(y))
        found = np.empty(len(known))
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            found[rows] = self._chain(code).log_likelihood(known[rows])
        return found + self._class_free(X)

    def _class_free(self, X: Any) -> np.ndarray:
        """Compute the part of log p(d | c) that is not emitted by states and is equal in all classes, float64 (N,)."""
        return np.zeros(len(X))

    def text_lengths(self, X: Any) -> np.ndarray:
        """Count the words of each document, int64 (N,)."""
        return TokenSequences.of(X).lengths

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(c) + log p(d | c), float64 (N, C).

        If a document has probability 0 in every class, which fixed emissions allow, the log priors are returned.
        """
        joint = self.log_likelihood(X) + self.class_log_prior_
        set_impossible(joint, self.class_log_prior_)
        return joint

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each document, (N,); ties are resolved towards the first class."""
        check_is_fitted(self)
        return self.classes_[np.argmax(self.predict_joint_log_proba(X), axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(c | d), float64 (N, C)."""
        joint = self.predict_joint_log_proba(X)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute p(c | d), float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))


class ClusteredHMMClassifier(HMMClassifier):
    """Classifier with a hidden Markov model of word clusters for each class; see `WordClusters`.

    Parameters
    ----------
    n_clusters : int, default=50
        Number of word clusters.
    n_states : int, default=5
        See `HMMClassifier`.
    emissions : {"own", "shared", "topics"}, default="own"
        See `HMMClassifier`.
    smoothing : float, default=0.1
        See `HMMClassifier`.
    max_iter : int, default=50
        See `HMMClassifier`.
    tol : float, default=0.0001
        See `HMMClassifier`.
    random_state : int, RandomState or None, default=None
        See `HiddenMarkovModel`.

    Attributes
    ----------
    clusters_ : ndarray of shape (V,), int32
        Cluster of each word.
    word_log_share_ : ndarray of shape (V,)
        Log p(w | cluster of w) in all training documents, with 1 added to each count.
    startprob_, transmat_, emissionprob_, classes_, class_log_prior_, objective_path_, n_iter_, converged_
        See `HMMClassifier`; states emit clusters.
    n_features_in_ : int
        Vocabulary size V.

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
        "clusters_": "int32 V",
        "word_log_share_": "logs V",
        "emissionprob_": "float64 E S M",
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
        """Cluster the words of N sequences, and fit `HMMClassifier` to their clusters and class labels (N,)."""
        X = training_sequences(X)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        words = WordClusters(n_clusters=self.n_clusters, random_state=seed).fit(X)
        self.clusters_ = words.clusters_
        counts = np.bincount(X.values, minlength=X.n_words) + 1.0
        self.word_log_share_ = np.log(counts / np.bincount(self.clusters_, counts)[self.clusters_])
        self._fit(words.transform(X), y)
        self.n_features_in_ = X.n_words
        return self

    def _check_loaded(self) -> None:
        """Raise ValueError if the loaded state is inconsistent."""
        super()._check_loaded()
        if self.clusters_.min() < 0 or self.clusters_.max() >= self.emissionprob_.shape[2]:
            raise ValueError("clusters_ holds an index of no cluster")

    def _class_free(self, X: Any) -> np.ndarray:
        X = TokenSequences.of(X)
        document = np.repeat(np.arange(len(X)), X.lengths)
        return np.bincount(document, self.word_log_share_[X.values], len(X))

    def _known(self, X: Any) -> TokenSequences:
        return super()._known(X).renumbered(np.asarray(self.clusters_), self.emissionprob_.shape[2])


class WordClusters(TransformerMixin, _OfSequences):  # type: ignore[misc]
    """Cluster words by their latent semantic vectors, which yields a vocabulary small enough for a hidden Markov model.

    The vector of a word is its row of the truncated singular value decomposition of the word-by-document matrix of
    log(1 + count), normalised to unit length; clusters are computed with k-means. Methods raise ValueError if a word id
    is not an integer or out of range.

    Parameters
    ----------
    n_clusters : int, default=100
        Number of clusters M; at most V clusters are created.
    n_components : int, default=50
        Number of dimensions of the word vectors.
    random_state : int, RandomState or None, default=None
        Random seed of decomposition and clustering.

    Attributes
    ----------
    clusters_ : ndarray of shape (V,), int32
        Cluster of each word; words that do not occur in the training documents form cluster M.
    n_clusters_ : int
        Number of clusters including the additional one, M + 1.

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
        """Cluster the words of N documents with at least one word in total; ``y`` is ignored."""
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
        """Convert N documents to sequences of clusters."""
        check_is_fitted(self)
        return known_sequences(X, len(self.clusters_)).renumbered(self.clusters_, self.n_clusters_)


def background(X: TokenSequences) -> np.ndarray:
    """Compute p(w) in all documents with 1 added to each count, float64 (V,)."""
    counts = np.bincount(X.values, minlength=X.n_words) + 1.0
    return counts / counts.sum()


def training_sequences(X: Any) -> TokenSequences:
    """Convert training documents to `TokenSequences`; raise ValueError if they contain no words."""
    X = TokenSequences.of(X)
    if not len(X.values):
        raise ValueError("X holds no word; a hidden Markov model needs at least one")
    return X


def known_sequences(X: Any, n_words: int) -> TokenSequences:
    """Convert new documents to `TokenSequences`; raise ValueError if a word id is not below ``n_words``."""
    X = TokenSequences.of(X)
    if len(X.values) and X.values.max() >= n_words:
        raise ValueError(f"X contains word {X.values.max()}, but the vocabulary of the model is 0 to {n_words - 1}")
    return X


def topic_emissions(X: TokenSequences, n_topics: int, rng: np.random.RandomState) -> np.ndarray:
    """Compute p(w | topic), float64 (V, K); columns sum to 1."""
    counts = X.counts()
    usual = background(X)
    shares = sparse.csr_matrix(counts.multiply(1.0 / np.maximum(X.lengths, 1)[:, np.newaxis]))
    start = "nndsvda" if n_topics <= min(counts.shape) else "random"
    model = decomposition.NMF(n_topics, init=start, max_iter=SWEEPS, tol=1e-3, random_state=rng.randint(2**31 - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        topics = model.fit(shares).components_.T
    mass = topics.sum(axis=0)
    topics[:, mass == 0], mass[mass == 0] = usual[:, np.newaxis], 1.0
    return (1.0 - BACKGROUND) * topics / mass + BACKGROUND * usual[:, np.newaxis]


def word_vectors(rows: sparse.csr_array, n_components: int, rng: np.random.RandomState) -> np.ndarray:
    """Compute unit-length vectors of the rows of a word-by-document matrix, float64 (V, k)."""
    k = min(n_components, *(size - 1 for size in rows.shape))
    if k < 1:
        return np.ones((rows.shape[0], 1))
    model = decomposition.TruncatedSVD(k, random_state=rng.randint(2**31 - 1))
    vectors = model.fit_transform(sparse.csr_matrix(rows))
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)
