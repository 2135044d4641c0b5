"""Coordinates in the space that the training instances' rows span, where there are fewer rows than features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

#: Most instances whose matrix of inner products is decomposed.
LARGEST_GRAM = 2000
#: An eigenvalue of that matrix below this fraction of the largest counts as 0.
NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class RowSpace:
    r"""The space that the training instances' rows span (T. Hastie and R. Tibshirani, Biostatistics 5, 2004).

    Of all weights that give the same predictions for the training instances, those of the least squared norm lie in it.
    Its orthonormal basis combines the rows by the eigenvectors of X X^T.  Coordinates in it have the same squared norm
    as the weights and are fewer than the features.  The Hessian of a loss in them is close to a diagonal matrix.

    ``inputs``, float64 (N, R), are the instances in the basis, ``X.T @ combine``, ``combine`` float64 (N, R).  They are
    the features (N, V) themselves, with ``X`` None and ``combine`` empty, where X has at least as many rows as columns,
    or too many rows for a decomposition.
    """

    #: Attributes that predictions read, and their forms, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, str]] = {"X": "matrix? N W", "combine": "float64 * *"}

    inputs: Any = None
    X: Any = None
    combine: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(cls, X: Any, most: int = LARGEST_GRAM) -> RowSpace:
        """Return the space of features X (N, V) if N < V and N <= ``most``; else one whose coordinates are X."""
        if X.shape[0] >= X.shape[1] or X.shape[0] > most:
            return cls(X)
        gram = X @ X.T
        square, vectors = np.linalg.eigh(gram.toarray() if sparse.issparse(gram) else gram)
        used = square > NEGLIGIBLE * max(square[-1], 1e-300)
        vectors, lengths = vectors[:, used], np.sqrt(square[used])
        return cls(np.ascontiguousarray(vectors * lengths), X, vectors / lengths)

    def coordinates(self, X: Any) -> Any:
        """Return the coordinates (n, R) of any instances (n, V).

        The part of an instance outside of the space is dropped: weights in the space give it the prediction 0.
        """
        return X if self.X is None else np.asarray((X @ self.X.T) @ self.combine)

    def project(self, W: np.ndarray) -> np.ndarray:
        """Return weights and, last, biases, float64 (R + 1, B), that predict what W, float64 (V + 1, B), predicts."""
        return W if self.X is None else np.vstack([self.combine.T @ (self.X @ W[:-1]), W[-1]])

    def lift(self, W: np.ndarray) -> np.ndarray:
        """Return weights of the features and, last, biases, float64 (V + 1, B), from W in the space, (R + 1, B)."""
        return W if self.X is None else np.vstack([self.X.T @ (self.combine @ W[:-1]), W[-1]])
