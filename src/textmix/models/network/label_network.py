"""A network with one hidden layer for label sets, trained on cross-entropy plus a penalty on the squared weights.

Source: the baseline of N. Ueda and K. Saito, NIPS 2002, section 4.1: V inputs, 50 hidden units, L outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import linalg, sparse, special
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.metrics.multilabel import sample_f
from textmix.models.common.multilabel import LabelCountClassifier, unit_rows
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_counts
from textmix.models.label_sets.independent import IndependentLabels
from textmix.models.linear.solvers import minimise_function

#: Relative decrease of the loss at which a fit for the choice of the decay stops.
TUNING_TOL = 1e-3
#: Share of the pages' mean squared length that is added to the diagonal of their inner products: equal pages would make
#: that matrix singular.
JITTER = 1e-6


class Layers(NamedTuple):
    """The weights of the network: (V, H) and (H,) into the H hidden units, (H, L) and (L,) into the L outputs."""

    hidden: np.ndarray
    hidden_bias: np.ndarray
    output: np.ndarray
    output_bias: np.ndarray

    def flat(self) -> np.ndarray:
        """Return all weights in one vector, float64 (V H + H + H L + L,), in the order of the fields."""
        return np.concatenate([part.ravel() for part in self])

    def filled(self, flat: np.ndarray) -> Layers:
        """Return weights of the same shapes as these, views of the vector ``flat`` in the order of `flat`."""
        ends = np.cumsum([part.size for part in self])
        parts = np.split(flat, ends[:-1])
        return Layers(*(part.reshape(like.shape) for part, like in zip(parts, self, strict=True)))


def coordinates(X: sparse.csr_array) -> np.ndarray:
    """Return N coordinates for each of N pages X (N, V), float64 (N, N), lower triangular.

    The inner products of the coordinates are the inner products of the pages, except for `JITTER` on the diagonal.  The
    best weights into a hidden unit are a linear combination of pages, so that N weights replace V.
    """
    gram = (X @ X.T).toarray()
    gram[np.diag_indices_from(gram)] += JITTER * max(float(np.trace(gram)) / len(gram), JITTER)
    return np.asarray(linalg.cholesky(gram, lower=True))


def activations(weights: Layers, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the hidden units' values, float64 (N, H) in (-1, 1), and the log odds of the labels, float64 (N, L)."""
    hidden = np.tanh(np.asarray(X @ weights.hidden) + weights.hidden_bias)
    return hidden, hidden @ weights.output + weights.output_bias


def loss(flat: np.ndarray, like: Layers, X: np.ndarray, Y: np.ndarray, decay: float) -> tuple[float, np.ndarray]:
    """Return the loss and its gradient, a vector as ``flat``.

    It is the sum of the cross-entropies of all pages and labels, in nats, plus decay / 2 times the sum of the squared
    weights; biases have no penalty.
    """
    weights = like.filled(flat)
    hidden, output = activations(weights, X)
    squares = sum(float(np.vdot(part, part)) for part in (weights.hidden, weights.output))
    value = float(np.sum(np.logaddexp(0.0, output) - Y * output)) + 0.5 * decay * squares
    error = special.expit(output) - Y
    back = (error @ weights.output.T) * (1.0 - hidden * hidden)
    gradient = Layers(
        X.T @ back + decay * weights.hidden,
        back.sum(axis=0),
        hidden.T @ error + decay * weights.output,
        error.sum(axis=0),
    )
    return value, gradient.flat()


class LabelNetwork(IndependentLabels, LabelCountClassifier):
    """Neural network with a hidden layer, whose outputs are the probabilities of the labels.

    The factor of the squared weights (decay) has the best sample F on held-out training pages; of equal F the first of
    ``decays`` is taken, which is also taken where no page is held out.  The network is then trained on all training
    pages, from the weights found with this decay.

    Parameters
    ----------
    hidden : int, default=50
        Number of hidden units.
    decays : sequence of float, default=(10.0, 1.0, 0.1)
        Decreasing values of the decay; each fit starts from the weights of the fit before.
    scale : str, default="sum"
        "none" takes counts; "sum" divides each page by its number of words and multiplies it by ``length_``.
    length : float or None, default=None
        Number of words that "sum" scales each page to, positive; None takes the mean over the training pages.
    validation : float, default=0.25
        Share of the training pages that is held out to choose the decay.
    tol : float, default=0.0001
        Relative decrease of the loss at which the final fit stops.
    max_iter : int, default=400
        Maximum number of iterations (L-BFGS) of one fit.
    random_state : int or RandomState or None, default=None
        Draws the first weights and the held-out pages.

    Attributes
    ----------
    weights_
        `Layers`.
    length_
        Number of words that each page is scaled to.
    decay_
        The decay chosen.
    n_iter_, converged_ : int and bool
        Iterations of the last fit, and whether it met ``tol``.
    classes_, n_features_in_ : ndarray of shape (C,) and int
        See `MultiLabelClassifier`.

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
        **{**LabelCountClassifier._forms, "length_": "float", "decay_": "float"},
        **{"n_iter_": "int", "converged_": "bool"},
        "weights_": (
            Layers,
            {
                **{"hidden": "float64 V H", "hidden_bias": "float64 H"},
                **{"output": "float64 H L", "output_bias": "float64 L"},
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
        inputs, Y = self._scaled(counts), labels.toarray()
        generator = check_random_state(self.random_state)
        held_out, rest = np.split(generator.permutation(len(Y)), [round(self.validation * len(Y))])
        Z = coordinates(inputs)
        start, best = self._start(len(Z), Y.shape[1], generator), -1.0
        for decay, found in zip(self.decays, self._path(start, Z[rest], Y[rest]), strict=True):
            value = sample_f(Y[held_out], activations(found, Z[held_out])[1] > 0) if len(held_out) else 0.0
            if value > best:
                best, self.decay_, start = value, float(decay), found
        trained, self.n_iter_, self.converged_ = self._train(start, Z, Y, self.decay_, self.tol)
        of_pages = linalg.solve_triangular(Z, trained.hidden, lower=True, trans="T")
        self.weights_ = trained._replace(hidden=np.asarray(inputs.T @ of_pages))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log-odds of each label, float64 (N, L)."""
        check_is_fitted(self)
        return activations(self.weights_, self._scaled(check_counts(self, X, reset=False)))[1]

    def _scaled(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return the network's inputs, float64 CSR (N, V), as ``scale`` sets them."""
        return unit_rows(counts, 1.0) * self.length_ if self.scale == "sum" else counts.astype(np.float64)

    def _start(self, n_inputs: int, n_labels: int, generator: np.random.RandomState) -> Layers:
        """Return random weights to start from, biases 0."""
        hidden = generator.normal(scale=0.01, size=(n_inputs, self.hidden))
        output = generator.normal(scale=0.1, size=(self.hidden, n_labels))
        return Layers(hidden, np.zeros(self.hidden), output, np.zeros(n_labels))

    def _path(self, start: Layers, X: np.ndarray, Y: np.ndarray) -> Iterator[Layers]:
        """Yield the weights trained with each decay, from the weights of the decay before; the first from ``start``."""
        for decay in self.decays:
            start = self._train(start, X, Y, decay, TUNING_TOL)[0]
            yield start

    def _train(self, start: Layers, X: np.ndarray, Y: np.ndarray, decay: float, tol: float) -> tuple[Layers, int, bool]:
        """Return the weights where L-BFGS stops, its iterations, and whether ``tol`` stopped it."""
        found = minimise_function(lambda flat: loss(flat, start, X, Y, decay), start.flat(), self.max_iter, tol)
        return start.filled(found.unknowns[:, 0]), found.n_iter, found.all_converged
