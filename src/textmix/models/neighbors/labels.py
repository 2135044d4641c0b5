"""Multi-label k-nearest-neighbours classifier, a baseline of the Parametric Mixture Models.

Source: N. Ueda and K. Saito, NIPS 2002, section 4.1; Y. Yang and J. Pedersen, ICML 1997, for the votes of neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textmix.metrics.multilabel import sample_f
from textmix.models.common.multilabel import LabelCountClassifier, in_form_of_y, unit_rows
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_counts

#: Number of pages per block in the computation of similarities, which bounds its memory.
BLOCK = 512
#: Candidate quantiles for the score threshold.
QUANTILES = tuple(round(0.05 * k, 2) for k in range(1, 20))


class LabelNeighbors(LabelCountClassifier):
    """Multi-label k-nearest-neighbours classifier with votes weighted by cosine similarity.

    k and the threshold maximise the sample-averaged F1 in leave-one-out predictions of the training pages; ties are
    resolved in favour of the smallest k and threshold.  Ties between equally similar pages are resolved by training
    order.

    Parameters
    ----------
    neighbors : sequence of int, default=(1, 3, 5, 10, 15, 20, 30, 50, 70, 100)
        Candidate values of k.
    quantiles : sequence of float, default=(0.05, 0.1, ..., 0.95)
        Candidate thresholds, as quantiles of the positive scores of the training pages.
    votes : {"sum", "share"}, default="sum"
        Score of a label: the sum of the similarities of its neighbours as in the cited comparison, or this sum as a
        fraction of the similarities of all k neighbours.
    threshold : float or None, default=None
        Labels with a score above this are predicted; None selects the threshold among the quantiles.

    Attributes
    ----------
    n_neighbors_ : int
        Selected k.
    threshold_ : float
        Selected threshold; labels with a score of at least this are predicted.
    classes_ : ndarray of shape (L,)
        See `MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import LabelNeighbors
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = LabelNeighbors(neighbors=(1,)).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LabelCountClassifier._forms,
        "_pages": "matrix N V",
        "_labels": "float64 N L",
        "n_neighbors_": "int",
        "threshold_": "float",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "neighbors": ["array-like"],
        "quantiles": ["array-like"],
        "votes": [StrOptions({"sum", "share"})],
        "threshold": [Interval(Real, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        neighbors: Sequence[int] = (1, 3, 5, 10, 15, 20, 30, 50, 70, 100),
        quantiles: Sequence[float] = QUANTILES,
        votes: str = "sum",
        threshold: float | None = None,
    ) -> None:
        self.neighbors = neighbors
        self.quantiles = quantiles
        self.votes = votes
        self.threshold = threshold

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Store the pages, and select k and, if it is None, the threshold (1 if no score is positive)."""
        self._pages = unit_rows(counts, 2.0)
        self._labels = labels.toarray()
        n = len(self._labels)
        sizes = sorted({min(int(k), max(n - 1, 1)) for k in self.neighbors})
        scores = {k: np.empty(self._labels.shape) for k in sizes}
        for first in range(0, n, BLOCK):
            rows = np.arange(first, min(first + BLOCK, n))
            similarity = self._similarity(self._pages[rows])
            similarity[np.arange(len(rows)), rows] = -1.0
            for k, part in self._scores(similarity, sizes).items():
                scores[k][rows] = part
        best = -1.0
        for k in sizes:
            for threshold in self._thresholds(scores[k]):
                value = sample_f(self._labels, scores[k] >= threshold)
                if value > best:
                    best = value
                    self.n_neighbors_ = k
                    self.threshold_ = float(threshold)

    def _thresholds(self, scores: np.ndarray) -> Sequence[float] | np.ndarray:
        """Return the candidate thresholds for scores of the training pages (N, L)."""
        if self.threshold is not None:
            return [float(np.nextafter(self.threshold, np.inf))]
        positive = scores[scores > 0]
        return np.quantile(positive, self.quantiles) if len(positive) else [1.0]

    def _similarity(self, pages: sparse.csr_array) -> np.ndarray:
        """Compute the cosine similarities of L2-normalised pages to the training pages, float64 (n, N)."""
        return (pages @ self._pages.T).toarray()

    def _scores(self, similarity: np.ndarray, sizes: Sequence[int]) -> dict[int, np.ndarray]:
        """Compute the scores of the labels, float64 (n, L), for each number of neighbours."""
        nearest = np.argsort(-similarity, axis=1, kind="stable")[:, : sizes[-1]]
        weight = np.maximum(np.take_along_axis(similarity, nearest, axis=1), 0.0)
        votes = np.zeros((len(similarity), self._labels.shape[1]))
        found = {}
        done = 0
        for k in sizes:
            votes += np.einsum("nk,nkl->nl", weight[:, done:k], self._labels[nearest[:, done:k]])
            done = k
            total = weight[:, :k].sum(axis=1, keepdims=True) if self.votes == "share" else np.ones((len(votes), 1))
            found[k] = np.divide(votes, total, out=np.zeros_like(votes), where=total > 0)
        return found

    def _check_loaded(self) -> None:
        if self.n_neighbors_ < 1:
            raise ValueError("n_neighbors_ must be at least 1; save the model again")

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores of the labels, float64 (N, L); all 0 for a page without words of the training pages."""
        check_is_fitted(self)
        pages = unit_rows(check_counts(self, X, reset=False), 2.0)
        blocks = (pages[first : first + BLOCK] for first in range(0, pages.shape[0], BLOCK))
        size = self.n_neighbors_
        return np.concatenate([self._scores(self._similarity(block), [size])[size] for block in blocks])

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the labels with a score of at least the threshold, int64 indicators (N, L); the set may be empty."""
        return (self.decision_function(X) >= self.threshold_).astype(np.int64)
