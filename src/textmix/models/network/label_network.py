"""Multi-label neural network with one hidden layer, trained by minimising the cross-entropy with weight decay.

Source: the baseline of N. Ueda and K. Saito, NIPS 2002, section 4.1: V inputs, 50 hidden units, L outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import linalg, sparse, special
from scipy.sparse.linalg import LinearOperator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.metrics.multilabel import sample_f
from textmix.models.common.multilabel import LabelCountClassifier, unit_rows
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_counts
from textmix.models.label_sets.independent import IndependentLabels
from textmix.models.linear.solvers import minimise_function

#: Relative decrease of the loss at which training stops while tuning the weight decay.
TUNING_TOL = 1e-3
#: Fraction of the mean squared norm of the pages that is added to the diagonal of the Gram matrix, which would be
#: singular if pages were equal.
JITTER = 1e-6
#: Number of rows of a block of `LowerRows`: the products of small blocks are slow, those of large ones include zeros.
BLOCK_ROWS = 250


class Layers(NamedTuple):
    """Parameters of the network with V inputs, H hidden units and L outputs.

    Parameters
    ----------
    hidden : ndarray of shape (V, H)
        Weights of the hidden layer.
    hidden_bias : ndarray of shape (H,)
        Biases of the hidden layer.
    output : ndarray of shape (H, L)
        Weights of the output layer.
    output_bias : ndarray of shape (L,)
        Biases of the output layer.
    """

    hidden: np.ndarray
    hidden_bias: np.ndarray
    output: np.ndarray
    output_bias: np.ndarray

    def flat(self) -> np.ndarray:
        """Concatenate all parameters to a vector, float64 (V H + H + H L + L,), in the order of the fields."""
        return np.concatenate([part.ravel() for part in self])

    def filled(self, flat: np.ndarray) -> Layers:
        """Split a vector in the format of `flat` into parameters of the same shapes as ``self``, as views."""
        ends = np.cumsum([part.size for part in self])
        parts = np.split(flat, ends[:-1])
        return Layers(*(part.reshape(like.shape) for part, like in zip(parts, self, strict=True)))


def coordinates(X: sparse.csr_array) -> np.ndarray:
    """Compute the Cholesky factor of the Gram matrix of pages X (N, V), float64 (N, N), lower triangular.

    Its rows are coordinates of the pages that preserve inner products, except for `JITTER` on the diagonal.  The
    optimal weights of a hidden unit are a linear combination of pages, so that N weights replace V.
    """
    gram = (X @ X.T).toarray()
    gram[np.diag_indices_from(gram)] += JITTER * max(float(np.trace(gram)) / len(gram), JITTER)
    return np.asarray(linalg.cholesky(gram, lower=True))


class LowerRows(LinearOperator):  # type: ignore[misc]
    """Some rows of a lower triangular matrix, stored in blocks without most of the zeros above the diagonal.

    Parameters
    ----------
    lower : ndarray of shape (N, N)
        Lower triangular matrix.
    rows : ndarray of shape (n,), dtype int
        Row indices, increasing.
    """

    def __init__(self, lower: np.ndarray, rows: np.ndarray) -> None:
        super().__init__(lower.dtype, (len(rows), lower.shape[1]))
        self._blocks: list[tuple[slice, np.ndarray]] = []
        for start in range(0, len(rows), BLOCK_ROWS):
            block = slice(start, min(start + BLOCK_ROWS, len(rows)))
            width = rows[block.stop - 1] + 1
            self._blocks.append((block, np.ascontiguousarray(lower[rows[block], :width])))

    def _matmat(self, W: np.ndarray) -> np.ndarray:
        """Multiply by W (N, H), float64 (n, H)."""
        product = np.empty((self.shape[0], W.shape[1]))
        for block, values in self._blocks:
            np.matmul(values, W[: values.shape[1]], out=product[block])
        return product

    def _rmatmat(self, R: np.ndarray) -> np.ndarray:
        """Multiply the transpose by R (n, H), float64 (N, H)."""
        product = np.zeros((self.shape[1], R.shape[1]))
        for block, values in self._blocks:
            product[: values.shape[1]] += values.T @ R[block]
        return product


def activations(weights: Layers, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Run the forward pass: hidden activations, float64 (N, H) in (-1, 1), and log odds of labels, float64 (N, L)."""
    hidden = np.tanh(np.asarray(X @ weights.hidden) + weights.hidden_bias)
    return hidden, hidden @ weights.output + weights.output_bias


def loss(flat: np.ndarray, like: Layers, X: LinearOperator, Y: np.ndarray, decay: float) -> tuple[float, np.ndarray]:
    """Compute the loss and its gradient, a vector of the same shape as ``flat``.

    The loss is the sum of the cross-entropies over all pages and labels, in nats, plus decay / 2 times the sum of the
    squared weights; biases are not penalised.
    """
    weights = like.filled(flat)
    hidden, output = activations(weights, X)
    squares = sum(float(np.vdot(part, part)) for part in (weights.hidden, weights.output))
    value = float(np.sum(np.logaddexp(0.0, output) - Y * output)) + 0.5 * decay * squares
    error = special.expit(output) - Y
    back = (error @ weights.output.T) * (1.0 - hidden * hidden)
    gradient = Layers(
        X.rmatmat(back) + decay * weights.hidden,
        back.sum(axis=0),
        hidden.T @ error + decay * weights.output,
        error.sum(axis=0),
    )
    return value, gradient.flat()


class LabelNetwork(IndependentLabels, LabelCountClassifier):
    """Multi-label neural network with one hidden layer of tanh units and independent sigmoid outputs.

    The weight decay is tuned by the sample-averaged F1 on validation pages; the first of ``decays`` is used if F1
    values are equal, or if the validation set is empty.  The network is then refitted on all training pages, starting
    from the weights for this decay.

    Parameters
    ----------
    hidden : int, default=50
        Number of hidden units.
    decays : sequence of float, default=(10.0, 1.0, 0.1)
        Candidate values of the weight decay, decreasing; each fit is warm-started from the previous one.
    scale : {"sum", "none"}, default="sum"
        Scaling of the counts: "sum" scales each page to ``length_`` words, "none" uses raw counts.
    length : float or None, default=None
        Number of words to which "sum" scales each page, positive; None uses the mean over the training pages.
    validation : float, default=0.25
        Fraction of the training pages used as validation set for the weight decay.
    tol : float, default=1e-4
        Relative decrease of the loss at which the final fit stops.
    max_iter : int, default=400
        Maximum number of L-BFGS iterations per fit.
    random_state : int, RandomState instance or None, default=None
        Random seed for the initial weights and the validation set.

    Attributes
    ----------
    weights_ : Layers
        Parameters of the network.
    length_ : float
        Number of words to which each page is scaled.
    decay_ : float
        Selected weight decay.
    n_iter_ : int
        Number of iterations of the final fit.
    converged_ : bool
        Whether the final fit met ``tol``.
    classes_ : ndarray of shape (L,)
        See `MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import LabelNetwork
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = LabelNetwork(hidden=4, decays=(0.1,), random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LabelCountClassifier._forms,
        "length_": "float",
        "decay_": "float",
        "n_iter_": "int",
        "converged_": "bool",
        "weights_": (
            Layers,
            {
                "hidden": "float64 V H",
                "hidden_bias": "float64 H",
                "output": "float64 H L",
                "output_bias": "float64 L",
            },
        ),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "hidden": [Interval(Integral, 1, None, closed="left")],
        "decays": ["array-like"],
        "scale": [StrOptions({"sum", "none"})],
        "length": [Interval(Real, 0, None, closed="neither"), None],
        "validation": [Interval(Real, 0, 1, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        hidden: int = 50,
        decays: Sequence[float] = (10.0, 1.0, 0.1),
        scale: str = "sum",
        length: float | None = None,
        validation: float = 0.25,
        tol: float = 1e-4,
        max_iter: int = 400,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.hidden = hidden
        self.decays = decays
        self.scale = scale
        self.length = length
        self.validation = validation
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        self.length_ = float(counts.sum() / counts.shape[0] if self.length is None else self.length)
        inputs = self._scaled(counts)
        Y = labels.toarray()
        generator = check_random_state(self.random_state)
        held_out, rest = np.split(generator.permutation(len(Y)), [round(self.validation * len(Y))])
        Z = coordinates(inputs)
        fitted = np.sort(rest)
        start = self._start(len(Z), Y.shape[1], generator)
        best = -1.0
        for decay, found in zip(self.decays, self._path(start, LowerRows(Z, fitted), Y[fitted]), strict=True):
            value = sample_f(Y[held_out], activations(found, Z[held_out])[1] > 0) if len(held_out) else 0.0
            if value > best:
                best = value
                self.decay_ = float(decay)
                start = found
        all_pages = LowerRows(Z, np.arange(len(Z)))
        trained, self.n_iter_, self.converged_ = self._train(start, all_pages, Y, self.decay_, self.tol)
        of_pages = linalg.solve_triangular(Z, trained.hidden, lower=True, trans="T")
        self.weights_ = trained._replace(hidden=np.asarray(inputs.T @ of_pages))

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the log odds of each label, float64 (N, L)."""
        check_is_fitted(self)
        return activations(self.weights_, self._scaled(check_counts(self, X, reset=False)))[1]

    def _scaled(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Scale counts to the inputs of the network, float64 CSR (N, V)."""
        return unit_rows(counts, 1.0) * self.length_ if self.scale == "sum" else counts.astype(np.float64)

    def _start(self, n_inputs: int, n_labels: int, generator: np.random.RandomState) -> Layers:
        """Initialise random weights and zero biases."""
        hidden = generator.normal(scale=0.01, size=(n_inputs, self.hidden))
        output = generator.normal(scale=0.1, size=(self.hidden, n_labels))
        return Layers(hidden, np.zeros(self.hidden), output, np.zeros(n_labels))

    def _path(self, start: Layers, X: LinearOperator, Y: np.ndarray) -> Iterator[Layers]:
        """Yield the weights for each weight decay; each fit is warm-started from the previous one or ``start``."""
        for decay in self.decays:
            start = self._train(start, X, Y, decay, TUNING_TOL)[0]
            yield start

    def _train(
        self, start: Layers, X: LinearOperator, Y: np.ndarray, decay: float, tol: float
    ) -> tuple[Layers, int, bool]:
        """Train with L-BFGS; return the weights, the number of iterations, and whether ``tol`` was met."""
        found = minimise_function(lambda flat: loss(flat, start, X, Y, decay), start.flat(), self.max_iter, tol)
        return start.filled(found.unknowns[:, 0]), found.n_iter, found.all_converged
