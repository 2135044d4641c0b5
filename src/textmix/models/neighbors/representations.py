r"""Document representations for k-NN: the seven of the EDCM paper (section 6 and equation 5), and damped TF-IDF.

Each is a sparse vector with a few additional dense coordinates (`Vectors`), so that the cost of an inner product
depends only on the words common to both documents.  This includes the Fisher kernel of the DCM, although its score
vector is dense:

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
    """Document vectors with sparse and dense parts.

    The inner products with other vectors are ``sparse @ other.sparse.T + left @ other.right.T``.

    Parameters
    ----------
    sparse : csr_array of shape (N, V)
        Sparse part.
    left : ndarray of shape (N, R)
        Dense coordinates of the documents as queries.
    right : ndarray of shape (N, R)
        Dense coordinates of the documents as indexed documents.
    """

    sparse: sparse.csr_array
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def plain(cls, values: np.ndarray, X: sparse.csr_array) -> Vectors:
        """Construct vectors without a dense part: ``values``, float64 (nnz,), with the sparsity pattern of X."""
        none = np.empty((X.shape[0], 0))
        return cls(sparse.csr_array((values, X.indices, X.indptr), shape=X.shape), none, none)

    def cosine(self) -> Vectors:
        """L2-normalise the vectors; zero vectors are unchanged."""
        norm = np.sqrt(dot_self(self.sparse.indptr, self.sparse.data, self.left, self.right))
        scale = np.divide(1.0, norm, out=np.ones_like(norm), where=norm > 0)
        values = self.sparse.data * np.repeat(scale, np.diff(self.sparse.indptr))
        X = sparse.csr_array((values, self.sparse.indices, self.sparse.indptr), shape=self.sparse.shape)
        return Vectors(X, self.left * scale[:, np.newaxis], self.right * scale[:, np.newaxis])


class Representation:
    """Transformer of counts to vectors; `fit` estimates its parameters from training documents."""

    #: Schema of the attributes required by `transform`, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, str]] = {}

    def fit(self, X: sparse.csr_array) -> Self:
        """Estimate the parameters from training counts (N, V)."""
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Compute the vectors of documents with counts (N, V)."""
        raise NotImplementedError


class LengthNormalised(Representation):
    """Counts normalised by their p-norm, x / ||x||_p; for p = 0 the norm is the number of distinct words.

    Parameters
    ----------
    p : int
        Order of the norm.
    root : bool, default=False
        Whether to take the square root of every coordinate; with p = 1 this is the Bhattacharyya kernel.
    """

    forms: ClassVar[dict[str, str]] = {"p": "int", "root": "bool"}

    def __init__(self, p: int, root: bool = False) -> None:
        self.p = p
        self.root = root

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Compute the normalised counts."""
        powers = row_sums(X.indptr, X.data.astype(np.float64) ** self.p)
        norm = powers if self.p == 0 else powers ** (1.0 / self.p)
        values = X.data / np.repeat(norm, np.diff(X.indptr))
        return Vectors.plain(np.sqrt(values) if self.root else values, X)


class TfIdf(Representation):
    """L2-normalised TF-IDF, x_w log(|D| / df_w); words that do not occur in training are dropped."""

    forms: ClassVar[dict[str, str]] = {"weight": "float64 V"}

    def fit(self, X: sparse.csr_array) -> Self:
        """Compute the inverse document frequencies."""
        self.weight = inverse_frequency(X)
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Compute the L2-normalised TF-IDF vectors."""
        return Vectors.plain(self._damped(X.data) * self.weight[X.indices], X).cosine()

    def _damped(self, counts: np.ndarray) -> np.ndarray:
        """Compute the term frequency factor of the counts x_w; here x_w."""
        return counts


class DampedTfIdf(TfIdf):
    """L2-normalised TF-IDF with sublinear scaling, (1 + log x_w) log(|D| / df_w); the paper uses `TfIdf`."""

    def _damped(self, counts: np.ndarray) -> np.ndarray:
        """Compute 1 + log x_w; 0 if x_w = 0."""
        return 1.0 + np.log(counts, out=np.full(len(counts), -1.0), where=counts > 0)


class FisherMultinomial(Representation):
    """Fisher score x_w / theta_w of one multinomial of all training text, without the constant n; theta is (V,)."""

    forms: ClassVar[dict[str, str]] = {"theta": "float64 V"}

    def fit(self, X: sparse.csr_array) -> Self:
        """Estimate the multinomial by maximum likelihood."""
        counts = np.bincount(X.indices, X.data, minlength=X.shape[1])
        self.theta = counts / counts.sum()
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Compute the Fisher scores; words that do not occur in training are dropped."""
        theta = self.theta[X.indices]
        return Vectors.plain(np.divide(X.data, theta, out=np.zeros(len(theta)), where=theta > 0), X)


class FisherDCM(Representation):
    """Fisher score of the DCM, equation (5), at the parameters of one EDCM of all training documents (footnote 1).

    Words that do not occur in training, with parameter 0, are dropped.
    """

    forms: ClassVar[dict[str, str]] = {"beta": "float64 V"}

    def fit(self, X: sparse.csr_array) -> Self:
        """Estimate the EDCM."""
        model = EDCMClassifier(smoothing=0.0).fit(X, np.zeros(X.shape[0], dtype=np.int64))
        self.beta = model.beta_[0]
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Compute the Fisher scores, with d_w as sparse part and c and the sum of d_w as dense coordinates."""
        rise = count_scores_of_words(X.indices, X.data, self.beta)
        known = X.data * (self.beta[X.indices] > 0)
        constant = length_scores(self.beta.sum(), row_sums(X.indptr, known))
        total = row_sums(X.indptr, rise)
        n_parameters = np.count_nonzero(self.beta)
        left = np.column_stack([constant, total])
        right = np.column_stack([n_parameters * constant + total, constant])
        return Vectors(sparse.csr_array((rise, X.indices, X.indptr), shape=X.shape), left, right)


#: Factories of unfitted representations by name.
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
