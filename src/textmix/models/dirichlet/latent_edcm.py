r"""EDCM with latent topics (thesis, chapter 8; its text is lost, the derivation is ours).

Topic k is an EDCM with parameters \beta_kw and s_k = \sum_w \beta_kw.  Document d mixes the topics with proportions
\theta_dk >= 0, \sum_k \theta_dk = 1: it is drawn from the EDCM with parameters \beta_dw = \sum_k \theta_dk \beta_kw,
and their sum is s_d = \sum_k \theta_dk s_k.  Up to terms in the documents alone, with n_d the length of a document and
f_n(s) = log Gamma(s) - log Gamma(s + n),

    L = \sum_d [ \sum_{w: x_dw >= 1} log \sum_k \theta_dk \beta_kw + f_{n_d}(s_d) ]

With one topic the model reduces to the EDCM.

**Maximum likelihood.**  Two lower bounds equal L at the current parameters.  The first is Jensen's bound on the
logarithm of a sum, \sum_k r_dwk log(\theta_dk \beta_kw / r_dwk) for any r_dwk that sum to 1 over k, with equality at
r_dwk = \theta_dk \beta_kw / \sum_j \theta_dj \beta_jw.  The second: f_n(s) = -\sum_{i<n} log(s + i) is convex in s, so
its tangent is a lower bound, f_n(s) >= f_n(s_d) - b_d (s - s_d), b_d = \Psi(s_d + n_d) - \Psi(s_d).  Together, with
R_dk = \sum_w r_dwk,

    \sum_d [ \sum_k R_dk log \theta_dk + \sum_w \sum_k r_dwk log \beta_kw - b_d \sum_k \theta_dk s_k ] + const

The maximum in each block of parameters has a closed form:

    \theta_dk = R_dk / (\lambda_d + b_d s_k), \lambda_d such that they sum to 1       (for fixed \beta)
    \beta_kw = \sum_d r_dwk / \sum_d b_d \theta_dk                                   (for fixed \theta)

The second is, for one topic, the EDCM's equation (4).  Each step increases a bound that equals L at its start, so L
never decreases.  Most of the time is spent on the r_dwk; therefore both updates are repeated with new b_d (`INNER`
times) before the r_dwk are recomputed.

**Variational mean field.**  With a prior \theta_d ~ Dirichlet(\eta, ..., \eta), and a topic z_dw for every word that
is present, q(\theta_d) = Dirichlet(\gamma_d) and q(z_dw) = r_dw are assumed independent: the first approximation.  The
expectation of the length term has no closed form.  The second approximation is the bound E f_n(s_d) >= f_n(E s_d),
which follows from convexity; it is loose if the topics differ in s.  The bound on the log evidence is then, at the
optimal r,

    \sum_d [ \sum_w log \sum_k exp(E log \theta_dk) \beta_kw + f_{n_d}(E s_d) - KL(\gamma_d || \eta) ]

with E s_d = \sum_k \gamma_dk s_k / \gamma_d0, \gamma_d0 = \sum_k \gamma_dk.  Its maximum in \gamma_d has no closed
form, because the length term is not conjugate to the Dirichlet distribution.  \gamma_d is therefore updated by natural
gradient steps, each halved until the bound increases (`latent_edcm_kernels.natural_steps`).  \beta is as above, with
E \theta_dk in place of \theta_dk.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.count_kernels import row_sums
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_counts, checked_fit
from textmix.models.dirichlet import latent_edcm_kernels as kernel
from textmix.models.dirichlet.edcm import EDCMClassifier

#: Number of updates of proportions and concentrations after each sweep over the words.
INNER = 3
#: Number of sweeps over the words of new documents in `LatentTopicEDCM.transform`.
TRANSFORM_SWEEPS = 50


class LatentTopicEDCM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """EDCM with latent topics: each document mixes the parameters of the topics in its own proportions.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K.
    method : {"likelihood", "mean_field"}, default="likelihood"
        Maximum likelihood or variational mean field, see the module docstring.
    prior : float, default=0.1
        Parameter eta of the Dirichlet prior, positive; used by "mean_field" only.
    max_iter : int, default=200
        Maximum number of sweeps.
    tol : float, default=1e-06
        A run has converged when a sweep increases the objective by at most this fraction of its value.
    n_init : int, default=1
        Number of random initialisations; the run with the highest objective is used.
    random_state : int, RandomState or None, default=None
        Random seed of the initialisation: each topic starts at the EDCM of all documents, with noise.

    Attributes
    ----------
    beta_ : ndarray of shape (K, V)
        Parameters of the topics.
    concentration_ : ndarray of shape (K,)
        Sums s_k of the parameters.
    mixture_ : ndarray of shape (N, K)
        Topic proportions of the training documents (expected proportions for "mean_field").
    objective_path_ : list of float
        Objective before each sweep, without terms that depend on the documents only.
    n_iter_ : int
        Number of sweeps of the selected run.
    converged_ : bool
        Whether the selected run converged within ``max_iter`` sweeps.

    Examples
    --------
    >>> from textmix import LatentTopicEDCM
    >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 1], [0, 0, 2, 3]]
    >>> model = LatentTopicEDCM(n_components=2, random_state=0).fit(X)
    >>> model.mixture_.shape
    (4, 2)
    >>> topics = model.mixture_.argmax(axis=1)
    >>> (topics == topics[0]).tolist()
    [True, True, False, False]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"likelihood", "mean_field"})],
        "prior": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_components: int = 10,
        method: Literal["likelihood", "mean_field"] = "likelihood",
        prior: float = 0.1,
        max_iter: int = 200,
        tol: float = 1e-6,
        n_init: int = 1,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the topics to counts (N, V) from ``n_init`` initialisations; ``y`` is ignored.

        Explicit zeros are treated as absent words.
        """
        X, words = packed(check_counts(self, X, reset=True))
        rng = check_random_state(self.random_state)
        one = EDCMClassifier(smoothing=0.0).fit(X, np.zeros(X.shape[0], dtype=np.int64)).beta_[0]
        best = max((self._run(X, one, rng) for _ in range(self.n_init)), key=lambda run: run.path[-1])
        self.beta_ = np.zeros((self.n_components, self.n_features_in_))
        self.mixture_ = best.mixture
        self.beta_[:, words] = best.beta.T
        self.concentration_ = self.beta_.sum(axis=1)
        self.objective_path_ = best.path
        self.n_iter_ = len(best.path)
        self.converged_ = best.converged
        return self

    def _run(self, X: sparse.csr_array, start: np.ndarray, rng: np.random.RandomState) -> _TopicRun:
        """Perform one run from a random start near ``start``, float64 (V,), the EDCM of all documents."""
        beta = start[:, np.newaxis] * rng.gamma(1.0, size=(len(start), self.n_components))
        kind = _Likelihood if self.method == "likelihood" else _MeanField
        run = kind(X, beta, self.prior)
        while len(run.path) < self.max_iter and not run.converged:
            run.step()
            if len(run.path) > 1:
                increase = run.path[-1] - run.path[-2]
                run.converged = increase <= self.tol * abs(run.path[-1])
        return run

    @property
    def _n_features_out(self) -> int:
        """Number of output columns, used by scikit-learn to generate feature names."""
        return len(self.beta_)

    def transform(self, X: Any) -> np.ndarray:
        """Compute the maximum-likelihood topic proportions of documents, float64 (N, K), for both methods.

        Words that no topic can generate are ignored, also in the document length.
        """
        check_is_fitted(self)
        X = check_counts(self, X, reset=False)
        known = np.flatnonzero(self.beta_.any(axis=0))
        run = _Likelihood(sparse.csr_array(X[:, known]), np.ascontiguousarray(self.beta_[:, known].T), self.prior)
        for _ in range(TRANSFORM_SWEEPS):
            run.step(fixed=True)
        return run.mixture

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def packed(X: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray]:
    """Drop words that do not occur and sort the others by decreasing frequency; also return their original columns.

    Most nonzeros then belong to a few words, so that the parameters of these words stay in the cache.
    """
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    words = np.argsort(-frequency, kind="stable")[: np.count_nonzero(frequency)]
    X = sparse.csr_array(X[:, words])
    X.sort_indices()
    return X, words


class _TopicRun:
    """One run on counts (N, V) from an initial ``beta``, float64 (V, K).

    ``prior`` is eta of the mean field; ``path`` is the objective before each step; ``converged`` indicates whether the
    last step met the tolerance.
    """

    beta: np.ndarray
    path: list[float]
    converged: bool

    def __init__(self, X: sparse.csr_array, beta: np.ndarray, prior: float) -> None:
        self.X = X
        self.beta = beta
        self.prior = prior
        self.lengths = row_sums(X.indptr, X.data)
        shape = X.shape[0], beta.shape[1]
        self.share = np.empty(shape)
        self.table = np.empty_like(beta)
        self.length_gradient = np.empty(X.shape[0])
        self.path = []
        self.converged = False

    @property
    def mixture(self) -> np.ndarray:
        """Topic proportions, (N, K)."""
        raise NotImplementedError

    def step(self, fixed: bool = False) -> None:
        """Update all parameters once; with ``fixed`` the topics are unchanged."""
        raise NotImplementedError

    def _sweep(self, weight: np.ndarray) -> float:
        """Compute R_dk and the sums of r_dwk over d; return the first term of the objective."""
        return float(kernel.sweep(self.X.indptr, self.X.indices, weight, self.beta, self.share, self.table))

    def _lengths(self, mixture: np.ndarray, concentration: np.ndarray) -> float:
        """Set b_d of every document; return the sum of the length terms f_n(s_d)."""
        return float(kernel.length_terms(mixture @ concentration, self.lengths, self.length_gradient))

    def _rescale(self, mixture: np.ndarray) -> np.ndarray:
        """Compute the factor that converts the table to beta, float64 (K,): 1 / sum_d b_d theta_dk."""
        gradient = self.length_gradient @ mixture
        return np.divide(1.0, gradient, out=np.zeros_like(gradient), where=gradient > 0)

    def _set_beta(self, scale: np.ndarray) -> None:
        """Set beta; parameters below `latent_edcm_kernels.VANISHED` become 0."""
        self.beta = self.table * scale
        self.beta[self.beta < kernel.VANISHED] = 0.0


class _Likelihood(_TopicRun):
    """Maximum likelihood: the proportions theta are parameters."""

    def __init__(self, X: sparse.csr_array, beta: np.ndarray, prior: float) -> None:
        super().__init__(X, beta, prior)
        self.theta = np.full(self.share.shape, 1.0 / beta.shape[1])

    @property
    def mixture(self) -> np.ndarray:
        return self.theta

    def step(self, fixed: bool = False) -> None:
        concentration = self.beta.sum(axis=0)
        self.path.append(self._sweep(self.theta) + self._lengths(self.theta, concentration))
        words = self.table.sum(axis=0)
        scale = np.ones(len(words))
        for turn in range(INNER):
            if turn:
                self._lengths(self.theta, concentration)
            kernel.mix_documents(self.share, self.length_gradient, concentration, self.theta)
            if not fixed:
                scale = self._rescale(self.theta)
                concentration = words * scale
        if not fixed:
            self._set_beta(scale)


class _MeanField(_TopicRun):
    """Variational mean field: the proportions of each document have a Dirichlet distribution."""

    def __init__(self, X: sparse.csr_array, beta: np.ndarray, prior: float) -> None:
        super().__init__(X, beta, prior)
        distinct = np.diff(X.indptr)[:, np.newaxis]
        self.gamma = prior + np.broadcast_to(distinct / beta.shape[1], self.share.shape).astype(np.float64)
        self.weight = np.empty(self.share.shape)

    @property
    def mixture(self) -> np.ndarray:
        """Expected topic proportions, (N, K)."""
        return self.gamma / self.gamma.sum(axis=1, keepdims=True)

    def step(self, fixed: bool = False) -> None:
        concentration = self.beta.sum(axis=0)
        kernel.expected_weights(self.gamma, self.weight)
        value = self._sweep(self.weight) + self._lengths(self.mixture, concentration)
        self.path.append(value - kernel.divergence(self.gamma, self.prior))
        words = self.table.sum(axis=0)
        scale = np.ones(len(words))
        for _ in range(INNER):
            kernel.natural_steps(self.gamma, self.share, self.prior, concentration, self.lengths)
            if not fixed:
                self._lengths(self.mixture, concentration)
                scale = self._rescale(self.mixture)
                concentration = words * scale
        if not fixed:
            self._set_beta(scale)
