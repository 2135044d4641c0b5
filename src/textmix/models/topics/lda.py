r"""Latent Dirichlet allocation as a generative classifier: one model per class, as in the original paper.

Source: D. M. Blei, A. Y. Ng and M. I. Jordan, Latent Dirichlet allocation, JMLR 3, 2003.  Training follows
scikit-learn's estimator, with the same random start, restricted to the words of the class.  For fixed topics \phi
(K, V) and prior \alpha, the variational bound of a document with counts x is

    log p(x) >= \sum_w x_w log \sum_k e_k \phi_kw + log \Gamma(K \alpha) / \Gamma(\sum_k \gamma_k)
        + \sum_k log \Gamma(\gamma_k) / \Gamma(\alpha) + (\alpha - \gamma_k) log e_k,
    log e_k = \Psi(\gamma_k) - \Psi(\sum_j \gamma_j),   \gamma_k = \alpha + \sum_w x_w e_k \phi_kw / \sum_j e_j \phi_jw
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.generative import CountClassifier
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.validation import check_counts, class_codes
from textmix.models.topics.lda_kernels import bounds, expectations, left_to_right, sweep_documents

#: Number of updates of gamma for a new document.
SWEEPS = 50
#: Maximum number of updates of a training document per sweep; scikit-learn's 100 triple the time without effect.
UPDATES = 30
#: Convergence tolerance on the mean change of a training document's parameters; scikit-learn's value.
CHANGE = 1e-3
#: Shape of the gamma distribution with mean 1 from which all parameters are initialised; scikit-learn's value.
START = 100.0


class LDAClassifier(CountClassifier):
    """Classifier with a latent Dirichlet allocation (LDA) model for each class.

    A document is assigned to the class with the largest p(c) p(x|c), where p(x|c) is approximated by the variational
    bound; `left_to_right_log_likelihood` estimates p(x|c) without bias by sampling.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K per class.
    alpha : float, default=0.1
        Dirichlet prior of the topic proportions of a document, positive.
    beta : float, default=0.1
        Dirichlet prior of the word probabilities of a topic, positive.
    delta : float, default=0.0
        See `CountClassifier`.
    max_iter : int, default=10
        Number of training sweeps.
    random_state : int, RandomState or None, default=None
        Random seed of the initial topics.

    Attributes
    ----------
    topics_ : ndarray of shape (C, K, V)
        Probability of each word in each topic.
    n_iter_ : int
        Number of sweeps.
    classes_, class_count_, class_log_prior_, n_features_in_
        See `CountClassifier`.

    Examples
    --------
    >>> from textmix import LDAClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> model = LDAClassifier(n_components=2, random_state=0).fit(X, ["sport", "sport", "art", "art"])
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **CountClassifier._fitted_forms,
        "topics_": "float64 C * V",
        "n_iter_": "int",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_components: int = 10,
        alpha: float = 0.1,
        beta: float = 0.1,
        delta: float = 0.0,
        max_iter: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.delta = delta
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # topics are estimated without weights
        """Estimate the class priors and the topics of each class from counts X (N, V) and labels y (N,)."""
        return super().fit(X, y)

    def _fit_classes(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        """Train the topics of each class; all document weights are 1."""
        rng = check_random_state(self.random_state)
        self.n_iter_ = self.max_iter
        self.topics_ = np.empty((len(self.classes_), self.n_components, X.shape[1]))
        for code in range(len(self.classes_)):
            start = np.random.RandomState(rng.randint(2**31 - 1))
            topics = self._trained(sparse.csr_array(X[codes == code], dtype=np.float64), start)
            self.topics_[code] = topics / topics.sum(axis=1, keepdims=True)

    def _trained(self, X: sparse.csr_array, rng: np.random.RandomState) -> np.ndarray:
        """Fit the topic parameters to documents (N, V), float64 (K, V); ``rng`` draws the initial parameters."""
        counts = rng.gamma(START, 1.0 / START, (self.n_components, X.shape[1]))
        seen = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
        rest = counts.sum(axis=1) - counts[:, seen].sum(axis=1)
        part = X[:, seen]
        found = np.ascontiguousarray(counts[:, seen].T)
        for _ in range(self.max_iter):
            words = expectations(found, rest)
            gamma = rng.gamma(START, 1.0 / START, (X.shape[0], self.n_components))
            cells = part.indptr, part.indices, part.data
            found = self.beta + sweep_documents(cells, words, gamma, self.alpha, UPDATES, CHANGE)
            rest = np.full(self.n_components, self.beta * (X.shape[1] - len(seen)))
        counts[:] = self.beta
        counts[:, seen] = found.T
        return counts

    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Compute the variational bound for each class, for word sequences, float64 (N, C)."""
        return np.column_stack([bound(X, topics, self.alpha) for topics in self.topics_])

    def left_to_right_log_likelihood(self, X: Any, y: Any, particles: int = 20, random_state: Any = None) -> np.ndarray:
        """Compute the left-to-right estimate of log p(words in order | class), float64 (N,), in nats.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Integer counts.
        y : array-like of shape (N,)
            Class of each document.
        particles : int, default=20
            Number of particles per document.
        random_state : int, RandomState or None, default=None
            Random seed of the word order and the topics.

        Raises
        ------
        ValueError
            If ``y`` contains a class that was not seen during fit.
        """
        check_is_fitted(self)
        X = check_counts(self, X, reset=False)
        rng = check_random_state(random_state)
        found = np.empty(X.shape[0])
        codes = class_codes(self.classes_, np.asarray(y))
        for code in np.unique(codes):
            rows = np.flatnonzero(codes == code)
            tokens, offsets = in_order(X[rows], rng)
            phi = np.ascontiguousarray(self.topics_[code].T)
            found[rows] = left_to_right(tokens, offsets, phi, self.alpha, particles, rng.randint(2**31 - 1))
        return found

    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        theta = rng.dirichlet(np.full(self.topics_.shape[1], self.alpha))
        shares = theta @ self.topics_[code]
        counts = rng.multinomial(length, shares / shares.sum())
        words = np.flatnonzero(counts)
        return words, counts[words]


def bound(X: sparse.csr_array, phi: np.ndarray, alpha: float) -> np.ndarray:
    """Compute the variational bound of log p of documents as word sequences, float64 (N,), in nats."""
    cells = X.indptr, X.indices, np.asarray(X.data, dtype=np.float64)
    return np.asarray(bounds(cells, np.ascontiguousarray(phi.T), alpha, SWEEPS))


def in_order(X: sparse.csr_array, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Shuffle the words of documents (N, V); return word ids, int32 (T,), and document offsets, int64 (N + 1,)."""
    counts = X.data.astype(np.int64)
    if (counts != X.data).any():
        raise ValueError("X contains a count that is not an integer")
    document = np.repeat(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), counts)
    tokens = np.repeat(X.indices, counts)[np.lexsort((rng.random_sample(len(document)), document))]
    return tokens.astype(np.int32), np.append(0, np.cumsum(np.bincount(document, minlength=X.shape[0])))
