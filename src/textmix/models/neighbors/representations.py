r"""The seven document representations that the EDCM paper compares by k-NN (section 6 and equation 5), and one more.

Each is a sparse vector with a few dense coordinates (`Vectors`).  So the time of an inner product depends only on the
words that two documents share.  That holds for the Fisher kernel of the DCM too, though its score vector has no zero:

    k(x, y) = W c(x) c(y) + c(x) \sum_w d_w(y) + c(y) \sum_w d_w(x) + \sum_w d_w(x) d_w(y)

with d_w(x) = \Psi(x_w + \alpha_w) - \Psi(\alpha_w), c(x) = \Psi(s) - \Psi(s + n) and W the number of parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy import sparse

from textmix.models.common.count_kernels import row_sums
from textmix.models.common.term_weights import inverse_frequency
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.neighbors.neighbor_kernels import count_scores_of_words, dot_self, length_scores


@dataclass(frozen=True)
class Vectors:
    """Documents as vectors; inner products with another's are ``sparse @ other.sparse.T + left @ other.right.T``.

    The dense coordinates, float64 (N, R), are ``left`` of a document as a query and ``right`` of one searched for.
    """

    sparse: sparse.csr_array
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def plain(cls, values: np.ndarray, X: sparse.csr_array) -> Vectors:
        """Return vectors without a dense part: ``values``, float64 (nnz,), in the cells of X."""
        none = np.empty((X.shape[0], 0))
        return cls(sparse.csr_array((values, X.indices, X.indptr), shape=X.shape), none, none)

    def cosine(self) -> Vectors:
        """Return the vectors divided by their length; a document of length 0 stays unchanged."""
        norm = np.sqrt(dot_self(self.sparse.indptr, self.sparse.data, self.left, self.right))
        scale = np.divide(1.0, norm, out=np.ones_like(norm), where=norm > 0)
        values = self.sparse.data * np.repeat(scale, np.diff(self.sparse.indptr))
        X = sparse.csr_array((values, self.sparse.indices, self.sparse.indptr), shape=self.sparse.shape)
        return Vectors(X, self.left * scale[:, np.newaxis], self.right * scale[:, np.newaxis])


class Representation:
    """A map from counts to vectors; `fit` estimates its parameters from training documents."""

    #: Attributes that `transform` reads, and their forms, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, str]] = {}

    def fit(self, X: sparse.csr_array) -> Self:
        """Learn from training counts (N, V)."""
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Return the vectors of documents with counts (N, V)."""
        raise NotImplementedError


class LengthNormalised(Representation):
    """x / ||x||_p; for p = 0 the norm is the number of distinct words.

    With ``root`` the square root is taken of every coordinate; with p = 1 this is the Bhattacharyya kernel.
    """

    forms: ClassVar[dict[str, str]] = {"p": "int", "root": "bool"}

    def __init__(self, p: int, root: bool = False) -> None:
        self.p = p
        self.root = root

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Return the scaled counts."""
        powers = row_sums(X.indptr, X.data.astype(np.float64) ** self.p)
        norm = powers if self.p == 0 else powers ** (1.0 / self.p)
        values = X.data / np.repeat(norm, np.diff(X.indptr))
        return Vectors.plain(np.sqrt(values) if self.root else values, X)


class TfIdf(Representation):
    """x_w log(|D| / df_w), divided by its length; words in no training document are dropped."""

    forms: ClassVar[dict[str, str]] = {"weight": "float64 V"}

    def fit(self, X: sparse.csr_array) -> Self:
        """Learn the document frequencies df_w."""
        self.weight = inverse_frequency(X)
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Return the weighted counts, of length 1."""
        return Vectors.plain(self._damped(X.data) * self.weight[X.indices], X).cosine()

    def _damped(self, counts: np.ndarray) -> np.ndarray:
        """Return what is in place of positive counts x_w; here these themselves."""
        return counts


class DampedTfIdf(TfIdf):
    """(1 + log x_w) log(|D| / df_w), divided by its length, the common form; the paper prints x_w log(|D| / df_w)."""

    def _damped(self, counts: np.ndarray) -> np.ndarray:
        """Return 1 + log x_w; 0 for x_w = 0."""
        return 1.0 + np.log(counts, out=np.full(len(counts), -1.0), where=counts > 0)


class FisherMultinomial(Representation):
    """x_w / theta_w, the score of the multinomial of all training text without its constant n; theta is (V,)."""

    forms: ClassVar[dict[str, str]] = {"theta": "float64 V"}

    def fit(self, X: sparse.csr_array) -> Self:
        """Estimate the multinomial."""
        counts = np.bincount(X.indices, X.data, minlength=X.shape[1])
        self.theta = counts / counts.sum()
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Return the scores; words in no training document are dropped."""
        theta = self.theta[X.indices]
        return Vectors.plain(np.divide(X.data, theta, out=np.zeros(len(theta)), where=theta > 0), X)


class FisherDCM(Representation):
    """The DCM's score, equation (5), at the parameters of one EDCM of all training documents (the paper's footnote 1).

    Words in no training document, whose parameter would be 0, are dropped.
    """

    forms: ClassVar[dict[str, str]] = {"beta": "float64 V"}

    def fit(self, X: sparse.csr_array) -> Self:
        """Estimate the EDCM."""
        model = EDCMClassifier(smoothing=0.0).fit(X, np.zeros(X.shape[0], dtype=np.int64))
        self.beta = model.beta_[0]
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Return the scores: d_w in the cells of X, c and the sum of d_w as dense coordinates."""
        rise = count_scores_of_words(X.indices, X.data, self.beta)
        known = X.data * (self.beta[X.indices] > 0)
        constant = length_scores(self.beta.sum(), row_sums(X.indptr, known))
        total = row_sums(X.indptr, rise)
        n_parameters = np.count_nonzero(self.beta)
        left = np.column_stack([constant, total])
        right = np.column_stack([n_parameters * constant + total, constant])
        return Vectors(sparse.csr_array((rise, X.indices, X.indptr), shape=X.shape), left, right)


#: name -> a new representation, not fitted
REPRESENTATIONS: dict[str, Callable[[], Representation]] = {
    "l0": lambda: LengthNormalised(0),
    "l1": lambda: LengthNormalised(1),
    "l2": lambda: LengthNormalised(2),
    "bhattacharyya": lambda: LengthNormalised(1, root=True),
    "tfidf": TfIdf,
    "tfidf_damped": DampedTfIdf,
    "fisher_dcm": FisherDCM,
    "fisher_multinomial": FisherMultinomial,
}
