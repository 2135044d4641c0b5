"""Coordinates in the row space of the training matrix, for fewer instances than features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

#: Maximum number of instances for an eigendecomposition of the Gram matrix.
LARGEST_GRAM = 2000
#: Eigenvalues of the Gram matrix below this fraction of the largest are treated as 0.
NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class RowSpace:
    r"""Row space of the training instances (T. Hastie and R. Tibshirani, Biostatistics 5, 2004).

    Among all weights that yield the same predictions for the training instances, the minimum-norm weights lie in this
    space. Its orthonormal basis combines the rows by the eigenvectors of X X^T. Coordinates in this basis have the same
    squared norm as the weights and are fewer than the features. The Hessian of a loss in them is nearly diagonal.

    ``inputs``, float64 (N, R), are the instances in the basis ``X.T @ combine``, with ``combine`` float64 (N, R). They
    are the features (N, V) themselves, with ``X`` None and ``combine`` empty, if X has at least as many rows as columns
    or too many rows for a decomposition.
    """

    #: Attributes required for predictions, and their types, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, str]] = {"X": "matrix? N W", "combine": "float64 * *"}

    inputs: Any = None
    X: Any = None
    combine: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(cls, X: Any, most: int = LARGEST_GRAM) -> RowSpace:
        """Create the space of features X (N, V) if N < V and N <= ``most``; otherwise use X as coordinates."""
        if X.shape[0] >= X.shape[1] or X.shape[0] > most:
            return cls(X)
        gram = X @ X.T
        square, vectors = np.linalg.eigh(gram.toarray() if sparse.issparse(gram) else gram)
        used = square > NEGLIGIBLE * max(square[-1], 1e-300)
        vectors = vectors[:, used]
        lengths = np.sqrt(square[used])
        return cls(np.ascontiguousarray(vectors * lengths), X, vectors / lengths)

    def coordinates(self, X: Any) -> Any:
        """Compute the coordinates (n, R) of any instances (n, V).

        The component of an instance orthogonal to the space is dropped: weights in the space do not respond to it.
        """
        return X if self.X is None else np.asarray((X @ self.X.T) @ self.combine)

    def project(self, W: np.ndarray) -> np.ndarray:
        """Project weights with biases, float64 (V + 1, B), onto the space, (R + 1, B), preserving predictions."""
        return W if self.X is None else np.vstack([self.combine.T @ (self.X @ W[:-1]), W[-1]])

    def lift(self, W: np.ndarray) -> np.ndarray:
        """Convert weights in the space with biases, (R + 1, B), to weights of the features, float64 (V + 1, B)."""
        return W if self.X is None else np.vstack([self.X.T @ (self.combine @ W[:-1]), W[-1]])
