r"""A mixture of EDCMs for each class, by expectation-maximisation with deterministic annealing.

    p(x|c) = \sum_m \pi_cm q(x; \beta_cm)

Source: C. Elkan, Clustering documents with an exponential-family approximation of the Dirichlet compound multinomial
distribution, ICML 2006.  There a mixture clusters all documents; here each class has its own.  At temperature T the
memberships are proportional to (\pi_cm q(x; \beta_cm))^{1/T}: hot runs level the start, the last run is plain EM.
Without smoothing no step at T = 1 decreases the likelihood.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from textmix.models.common.count_kernels import smallest_positive
from textmix.models.common.generative import Convention, CountClassifier, subtract_length_term, zeros
from textmix.models.common.multilabel import generator
from textmix.models.common.sklearn_private import Interval
from textmix.models.dirichlet.edcm import EDCMClassifier, draw
from textmix.models.dirichlet.edcm_kernels import log_parameters, presence_scores

#: A smaller membership counts as 0: the parameters of a component of tiny memberships alone would overflow.
TINY = 1e-12
#: Weight of new random memberships at the start of each temperature.
PERTURBED = 0.1


class MixedEDCMClassifier(CountClassifier):
    """M EDCMs a class.

    Parameters
    ----------
    n_components : M, the most components of a class.
    least : fewest training documents of a component: a class of fewer than M times as many has fewer components.
    temperatures : of the annealing, one run of EM each, the last one 1; ``(1.0,)`` is EM alone.
    smoothing : constant added to every parameter, as a share of what the class's smallest document frequency gives.
    delta : documents added to each class for the prior; infinity gives equal priors.
    max_iter : most EM steps at one temperature.
    tol : a run ends when a step increases its objective by at most this share of it.
    random_state : draws the first memberships.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_ : see `CountClassifier`.
    log_share_ : float64 (C M,), log pi of the components of each class, class after class.
    concentration_ : float64 (C M,), sums of their parameters.
    objective_path_ : log-likelihood of the training documents and classes after each step at the last temperature,
        without terms in the documents alone.
    n_iter_ : steps at all temperatures; converged_ : whether ``tol`` ended the last run.

    Examples
    --------
    >>> from textmix import MixedEDCMClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = MixedEDCMClassifier(n_components=2, random_state=0).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **CountClassifier._fitted_forms,
        **{"log_share_": "logs K", "concentration_": "float64 K", "_log_beta": "logs V K"},
        **{"objective_path_": "float64 *", "n_iter_": "int", "converged_": "bool"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "least": [Interval(Real, 0, None, closed="neither")],
        "temperatures": ["array-like"],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_components: int = 2,
        least: float = 10.0,
        temperatures: tuple[float, ...] = (25.0, 5.0, 1.0),
        smoothing: float = 0.01,
        delta: float = 0.0,
        max_iter: int = 15,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.least = least
        self.temperatures = temperatures
        self.smoothing = smoothing
        self.delta = delta
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit_classes(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        """Run EM at each temperature in turn; the memberships go on from one to the next.

        Raises
        ------
        ValueError : the last temperature is not 1, or one is below 1.
        """
        if min(self.temperatures) < 1.0 or self.temperatures[-1] != 1.0:
            raise ValueError(f"temperatures={self.temperatures} must be at least 1 and end with 1")
        rng, used = generator(self.random_state), self._used()
        share = _random_shares(used[codes], rng)
        copies = sparse.vstack([X] * self.n_components, format="csr")
        self.n_iter_, counted = 0, weight > 0
        for temperature in self.temperatures:
            # A hot run may leave equal components, which EM could not part again.
            share = (1.0 - PERTURBED) * share + PERTURBED * _random_shares(used[codes], rng)
            path: list[float] = []
            self.converged_ = False
            while len(path) < self.max_iter and not self.converged_:
                self._maximise(copies, codes, weight, share)
                joint = self._joint(X)[np.arange(len(codes)), codes] / temperature
                total = logsumexp(joint, axis=1)
                share = np.exp(joint - total[:, np.newaxis])
                share[share < TINY] = 0.0
                share /= share.sum(axis=1, keepdims=True)
                path.append(float(weight[counted] @ (total + self.class_log_prior_[codes])[counted]))
                self.converged_ = len(path) > 1 and path[-1] - path[-2] <= self.tol * abs(path[-1])
            self.n_iter_ += len(path)
        self.objective_path_ = np.array(path)

    def _used(self) -> np.ndarray:
        """Return which components each class has, bool (C, M)."""
        number = np.clip(np.floor(self.class_count_ / self.least), 1, self.n_components)
        return np.arange(self.n_components) < number[:, np.newaxis]

    def _maximise(self, copies: sparse.csr_array, codes: np.ndarray, weight: np.ndarray, share: np.ndarray) -> None:
        """Set the parameters from memberships: each component is an EDCM of documents that weigh as their membership.

        Parameters
        ----------
        copies : the counts (M N, V), all documents once for each component.
        codes, weight : class and weight of each document, (N,).
        share : float64 (N, M), memberships in the components of the document's class.
        """
        n_components, n_all = self.n_components, len(self.classes_) * self.n_components
        component = np.concatenate([codes * n_components + m for m in range(n_components)])
        weights = (share * weight[:, np.newaxis]).T.ravel()
        each = EDCMClassifier(smoothing=0.0).fit(copies, component, sample_weight=weights)
        mass = np.bincount(component, weights, minlength=n_all).reshape(-1, n_components)
        whole = mass.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            even = np.full_like(mass, 1.0 / n_components)
            self.log_share_ = np.log(np.divide(mass, whole, out=even, where=whole > 0)).ravel()
        self._smooth(each)

    def _smooth(self, each: EDCMClassifier) -> None:
        """Set the parameters of all components from their unsmoothed EDCMs.

        The smallest document frequency of a component may be a tiny membership.  So the unit of smoothing is that of
        the class, scaled as the component is.
        """
        shape = (len(self.classes_), self.n_components, -1)
        least = smallest_positive(each._frequency.reshape(shape).sum(axis=1))
        known = each.mle_concentration_ > 0
        unit = np.where(known, np.repeat(least, self.n_components), 0.0) * each._scale
        added = np.where(known, self.smoothing * unit, 1.0 / self.n_features_in_)
        self.concentration_ = each.mle_concentration_ + self.n_features_in_ * added
        self._log_beta = np.empty(each._frequency.T.shape)
        log_parameters(each._frequency, each._scale, added, self._log_beta)

    def _joint(self, X: sparse.csr_array) -> np.ndarray:
        """Return log pi_cm q(x; beta_cm) up to a term in x alone, float64 (N, C, M)."""
        score = zeros(X.shape[0], len(self.log_share_))
        length = presence_scores(X.indptr, X.indices, X.data, self._log_beta, score)
        subtract_length_term(score, self.concentration_, length)
        return (score + self.log_share_).reshape(X.shape[0], len(self.classes_), -1)

    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Return log p(x|c) up to a term in x alone, float64 (N, C)."""
        return np.asarray(logsumexp(self._joint(X), axis=2))

    def _log_coefficient(self, X: sparse.csr_array, convention: Convention) -> np.ndarray:
        """See `EDCMClassifier`."""
        return EDCMClassifier._log_coefficient(self, X, convention)

    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw a component of the class, then a document from its EDCM."""
        shares = np.exp(self.log_share_.reshape(len(self.classes_), -1)[code])
        component = code * len(shares) + int(rng.choice(len(shares), p=shares / shares.sum()))
        return draw(np.exp(self._log_beta[:, component]), length, rng)


def _random_shares(used: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return random memberships, float64 (N, M), whose rows sum to 1; 0 where ``used``, bool (N, M), is False."""
    share = rng.gamma(1.0, size=used.shape) * used
    return share / share.sum(axis=1, keepdims=True)
