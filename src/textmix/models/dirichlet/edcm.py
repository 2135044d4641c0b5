"""EDCM classifier: the exponential-family approximation of the Dirichlet compound multinomial, in closed form.

D. Kauchak, R. E. Madsen, C. Elkan, "Approximating the Dirichlet compound multinomial distribution", equations (2) to
(4).  Symbols: beta_w are the parameters of a class, s their sum, df_w the document frequency of word w in the class, n
the document length.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from textmix.models.common.count_kernels import row_sums, smallest_positive
from textmix.models.common.generative import (
    Convention,
    CountClassifier,
    IncrementalCountClassifier,
    subtract_length_term,
    zeros,
)
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.dirichlet.edcm_kernels import add_presence, log_parameters, presence_scores, solve_concentration

#: Maximum number of documents that `draw` proposes at a time ...
ATTEMPTS = 64
#: ... or fewer, so that documents times words stay below this.
CELLS = 1 << 17


class EDCMClassifier(IncrementalCountClassifier):
    """Classifier with an EDCM, the exponential-family approximation of the DCM, for each class.

    The maximum-likelihood parameters are beta_w = df_w / [sum_d Psi(s + n_d) - |D| Psi(s)]. The unknown s is the root
    of one equation in the document lengths of the class (`edcm_kernels`). If no root exists, s is Q when no word is
    ever repeated and 1/Q when each document repeats a single word, where Q = sum_d n_d^2. A class without words gets
    beta_w = 1 / V.

    Parameters
    ----------
    smoothing : float, default=0.01
        See `DCMClassifier`.
    smoothing_unit : {"smallest", "absolute"}, default="smallest"
        See `DCMClassifier`.
    delta : float, default=0.0
        See `DCMClassifier`.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_
        See `CountClassifier`.
    document_frequency_ : ndarray of shape (C, V)
        Document frequencies df_w of each class.
    beta_ : ndarray of shape (C, V)
        Smoothed parameters.
    concentration_ : ndarray of shape (C,)
        Sums of the smoothed parameters.
    mle_concentration_ : ndarray of shape (C,)
        Maximum-likelihood s before smoothing.
    capped_ : ndarray of bool of shape (C,)
        Whether s is at a bound.
    n_iter_ : ndarray of shape (C,), int64
        Number of Newton steps for s.
    converged_ : bool
        Always True.

    Examples
    --------
    >>> from textmix import EDCMClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = EDCMClassifier().fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    >>> model.document_frequency_.tolist()
    [[0.0, 2.0, 2.0], [2.0, 1.0, 1.0]]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **CountClassifier._fitted_forms,
        **dict.fromkeys(("concentration_", "mle_concentration_", "_scale", "_added"), "float64 C"),
        "_frequency": "float64 C V",
        "_log_beta": "logs V C",
        "_lengths": "float64 K",
        "_number": "float64 C K",
        "capped_": "bool C",
        "n_iter_": "int C",
        "converged_": "bool",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "smoothing_unit": [StrOptions({"smallest", "absolute"})],
    }

    def __init__(
        self,
        *,
        smoothing: float = 0.01,
        smoothing_unit: Literal["smallest", "absolute"] = "smallest",
        delta: float = 0.0,
    ) -> None:
        self.smoothing = smoothing
        self.smoothing_unit = smoothing_unit
        self.delta = delta

    @property
    def document_frequency_(self) -> np.ndarray:
        """Document frequency of each word in each class, float64 (C, V)."""
        return self._frequency

    @property
    def beta_(self) -> np.ndarray:
        """Smoothed parameters, float64 (C, V)."""
        return self._frequency * self._scale[:, np.newaxis] + self._added[:, np.newaxis]

    def _reset_statistics(self) -> None:
        self._frequency = zeros(len(self.classes_), self.n_features_in_)
        self._lengths = np.empty(0)
        self._number = np.empty((len(self.classes_), 0))

    def _add_statistics(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        order = np.argsort(codes, kind="stable")
        length = add_presence(X.indptr, X.indices, X.data, codes, order, weight, self._frequency)
        known = self._lengths
        self._lengths, place = np.unique(np.concatenate([known, length[length > 0]]), return_inverse=True)
        number = np.zeros((len(self.classes_), len(self._lengths)))
        number[:, place[: len(known)]] = self._number
        np.add.at(number, (codes[length > 0], place[len(known) :]), weight[length > 0])
        self._number = number

    def _estimate(self) -> None:
        # Each row is read from memory once for both quantities.
        parts = [(row.sum(), smallest_positive(row[np.newaxis])[0]) for row in self._frequency]
        words, smallest = np.array(parts).T
        solved = [solve_concentration(m, self._lengths, k) for m, k in zip(words, self._number, strict=True)]
        self.mle_concentration_ = np.where(words > 0, [s for s, _, _ in solved], 0.0)
        self.converged_ = True
        self.n_iter_ = np.array([max(steps, 1) for _, steps, _ in solved])
        self.capped_ = np.array([capped for _, _, capped in solved]) & (words > 0)
        # At the root 1 / [sum Psi(s + n_d) - |D| Psi(s)] = s / M, M = sum_w df_w.
        self._scale = self.mle_concentration_ / np.where(words > 0, words, 1.0)
        unit: np.ndarray | float = 1.0
        if self.smoothing_unit == "smallest":
            unit = np.where(words > 0, smallest, 0.0) * self._scale
        self._added = np.where(words > 0, self.smoothing * unit, 1.0 / self.n_features_in_)
        self.concentration_ = self.mle_concentration_ + self._added * self.n_features_in_
        self._log_beta = np.empty(self._frequency.T.shape)
        log_parameters(self._frequency, self._scale, self._added, self._log_beta)

    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Compute log Gamma(s) - log Gamma(s + n) + sum over the words of x of log beta_w, equation (3), (N, C)."""
        score = zeros(X.shape[0], len(self.classes_))
        length = presence_scores(X.indptr, X.indices, X.data, self._log_beta, score)
        subtract_length_term(score, self.concentration_, length)
        return score

    def _log_coefficient(self, X: sparse.csr_array, convention: Convention) -> np.ndarray:
        """Compute the log of n! / prod x_w over the words of x; for a sequence divided by n! / prod x_w!."""
        if convention == "sequence":
            return row_sums(X.indptr, gammaln(X.data))
        return gammaln(row_sums(X.indptr, X.data) + 1.0) - row_sums(X.indptr, np.log(X.data))

    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Sample exactly from q(x) / Z(n), see `draw`."""
        return draw(self._frequency[code] * self._scale[code] + self._added[code], length, rng)


def draw(beta: np.ndarray, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sample one document exactly from q(x) / Z(n): independent words with tilt z, accepted if their counts sum to n.

    q(x) z^n factorises over the words: word w is present with odds -beta_w log(1 - z), and its count then follows the
    logarithmic series distribution with parameter z.  z is chosen such that the expected sum is n.
    """
    from scipy.optimize import brentq  # imported here, since a fit does not need it

    if length == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)

    def excess(tilt: float) -> float:
        """Compute the expected sum of the counts minus n, at tilt = -log(1 - z)."""
        return float(np.sum(beta * np.expm1(tilt) / (1.0 + beta * tilt))) - length

    high = 1.0
    while excess(high) < 0:
        high *= 2.0
    tilt = brentq(excess, 0.0, high)
    present = beta * tilt / (1.0 + beta * tilt)
    attempts = max(1, min(ATTEMPTS, CELLS // len(beta)))
    while True:
        which, words = np.nonzero(rng.random((attempts, len(beta))) < present)
        counts = rng.logseries(-np.expm1(-tilt), size=len(words))
        right = np.flatnonzero(np.bincount(which, counts, minlength=attempts) == length)
        if len(right):
            kept = which == right[0]
            return words[kept], counts[kept]
