r"""Mixture of multinomials by expectation-maximisation: "how many multinomials it takes to obtain a similar level".

EDCM paper, section 6.2.  p(x) = \sum_k \pi_k \prod_w \theta_kw^{x_w} up to the multinomial coefficient.  With a
constant a added to every expected count, the updates maximise the penalised log-likelihood

    J = \sum_d log p(x_d) + a \sum_k \sum_w log \theta_kw

No step decreases J.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from scipy.special import gammaln, logsumexp
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.count_kernels import count_scores, row_sums
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.validation import check_counts, checked_fit


class MultinomialMixture(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """Mixture of multinomials over word counts.

    Parameters
    ----------
    n_components : int, default=10
        Number of components K.
    smoothing : float, default=0.01
        Positive constant a that is added to every expected count.
    max_iter : int, default=100
        Maximum number of EM steps.
    tol : float, default=1e-05
        EM has converged when a step increases J by at most this fraction of its value.
    random_state : int, RandomState or None, default=None
        Random seed of the initialisation, which assigns every document to a random component.

    Attributes
    ----------
    weights_ : ndarray of shape (K,)
        Mixture weights pi.
    log_prob_ : ndarray of shape (K, V)
        Log theta, in nats.
    objective_path_ : list of float
        Objective J after each step, in nats.
    n_iter_ : int
        Number of EM steps.
    converged_ : bool
        Whether ``tol`` was met.

    Examples
    --------
    >>> from textmix import MultinomialMixture
    >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 1], [0, 0, 2, 3]]
    >>> model = MultinomialMixture(n_components=2, smoothing=0.1, random_state=0).fit(X)
    >>> model.weights_.round(2).tolist()
    [0.5, 0.5]
    >>> model.converged_
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_components: int = 10,
        smoothing: float = 0.01,
        max_iter: int = 100,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the mixture to counts (N, V) by one EM run from a random start; ``y`` is ignored."""
        X = check_counts(self, X, reset=True)
        # Only words that occur are stored: within a component all other words have the same probability.
        self._words = np.unique(X.indices)
        small = X[:, self._words]
        counts = sparse.csr_array(small.T)
        rng = check_random_state(self.random_state)
        share = np.eye(self.n_components)[rng.randint(self.n_components, size=X.shape[0])]
        self.objective_path_: list[float] = []
        self.converged_ = False
        while len(self.objective_path_) < self.max_iter and not self.converged_:
            self._maximise(counts, share)
            score = self._scores(small)
            total = logsumexp(score, axis=1)
            share = np.exp(score - total[:, np.newaxis])
            self.objective_path_.append(float(total.sum()) + self._penalty())
            increase = np.diff(self.objective_path_[-2:])
            self.converged_ = bool(len(increase) and increase[0] <= self.tol * abs(self.objective_path_[-1]))
        self.n_iter_ = len(self.objective_path_)
        return self

    def _maximise(self, counts: sparse.csr_array, share: np.ndarray) -> None:
        """Run the M-step: set weights and word probabilities from the components' posteriors, float64 (N, K)."""
        self.weights_ = share.mean(axis=0)
        expected = counts @ share + self.smoothing
        mass = expected.sum(axis=0) + self.smoothing * (self.n_features_in_ - len(self._words))
        self._log_word = np.log(expected / mass)
        self._log_unseen = np.log(self.smoothing / mass)

    def _penalty(self) -> float:
        """Compute a times the sum of log theta over all words and components."""
        unseen = self.n_features_in_ - len(self._words)
        return float(self.smoothing * (self._log_word.sum() + unseen * self._log_unseen.sum()))

    def _scores(self, X: sparse.csr_array) -> np.ndarray:
        """Compute log pi_k + log p(x | k) without multinomial coefficients, (N, K); X has the stored words only."""
        with np.errstate(divide="ignore"):
            score = np.tile(np.log(self.weights_), (X.shape[0], 1))
        count_scores(X.indptr, X.indices, X.data, self._log_word, score)
        return score

    @property
    def log_prob_(self) -> np.ndarray:
        """Log probabilities of the words, float64 (K, V)."""
        result = np.tile(self._log_unseen[:, np.newaxis], (1, self.n_features_in_))
        result[:, self._words] = self._log_word.T
        return result

    def score_samples(self, X: Any, convention: Literal["bag", "sequence"] = "bag") -> np.ndarray:
        """Compute log p(x) of each document, (N,): "bag" with the multinomial coefficient, "sequence" without."""
        check_is_fitted(self)
        X = check_counts(self, X, reset=False)
        known = X[:, self._words]
        length = row_sums(X.indptr, X.data)
        unseen = length - row_sums(known.indptr, known.data)
        log_p = logsumexp(self._scores(known) + unseen[:, np.newaxis] * self._log_unseen, axis=1)
        if convention == "bag":
            log_p += gammaln(length + 1.0) - row_sums(X.indptr, gammaln(X.data + 1.0))
        return log_p

    def score(self, X: Any, y: Any = None) -> float:
        """Compute the mean log p(x) of N documents as bags of words."""
        return float(self.score_samples(X).mean())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
