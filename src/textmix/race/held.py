"""The scores of methods in a worker of a race, with a look at the documents that were held out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy import sparse

from textmix.experiment.search import Scores

#: Most bytes of weighted documents that a worker keeps; the ones made first go first.
WEIGHTED = 2**29


class HeldScores(Scores):
    """The scores of a method, whose last estimator is kept for a look at the held-out documents."""

    #: The estimator of the last fit, and of what it is; None of one that is under way or was stopped.
    last: Any = None
    of: tuple[str, int] | None = None

    def fitted(self, choice: Mapping[str, str], point: Mapping[str, Any], part: int) -> Any:
        """Return the estimator fitted at a point on a part; it is fitted anew unless its fit was the last one.

        A value may be known of a fit whose answer was lost, and other fits may have followed it.
        """
        if self.of != _of(choice, point, part):
            self._held_out(choice, point, part)
        return self.last

    def _held_out(self, choice: Mapping[str, str], point: Mapping[str, Any], part: int) -> float:
        """Return the metric on the held-out documents of a part, and note of what the last estimator is."""
        self.of = None
        value = super()._held_out(choice, point, part)
        self.of = _of(choice, point, part)
        return value

    def _estimator(self, choice: Mapping[str, str], point: Mapping[str, Any], part: int) -> Any:
        """Return an estimator at a point, and keep it."""
        self.last = super()._estimator(choice, point, part)
        return self.last

    def held_out(self, choice: Mapping[str, str], part: int) -> Any:
        """Return the weighted held-out documents of a part."""
        return self._weighted(choice, part)[1]


def _of(choice: Mapping[str, str], point: Mapping[str, Any], part: int) -> tuple[str, int]:
    """Return of what an estimator is: representation and point as text, and the part."""
    return repr((sorted(choice.items()), sorted(point.items()))), part


def bytes_of(documents: tuple[Any, Any]) -> int:
    """Return the bytes of the weighted documents of a fit and of those held out; words in order count for nothing."""
    return sum(matrix.data.nbytes + matrix.indices.nbytes for matrix in documents if sparse.issparse(matrix))
