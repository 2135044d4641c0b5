"""From a method of the registry to a new estimator: its parameters, its seed, its log, and its representation.

A representation is the view of the documents that the method gets, and how it is weighted, fitted to the training
documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from textmix.core.progress import progress
from textmix.data.corpus import Corpus
from textmix.experiment.methods import ORDER, Method
from textmix.numerics.seeding import rng
from textmix.text.sequences import FrequentWords, TokenSequences
from textmix.text.term_weighting import WEIGHTINGS, TermWeighting

#: Keys of a grid point that choose the representation; every other key is a parameter of the estimator.
CHOICE = ("view", "weighting")
#: Methods of an estimator whose first argument is a matrix of documents.
_OFFERED = (
    *("predict_proba", "predict_log_proba", "set_log_proba", "decision_function", "confidence", "decide"),
    *("log_likelihood", "text_lengths"),
)


@dataclass(frozen=True)
class Views:
    """Counts, or words in order, of the same N documents in several views, such as words and n-grams of characters.

    The counts of a document depend on this document alone, so that rows may be taken before any fit.  ``least`` is view
    -> ``min_df`` and ``min_count`` of `TermWeighting`, or of `FrequentWords` for words in order, which a
    training part applies to its own documents.
    """

    counts: Mapping[str, sparse.csr_array | TokenSequences]
    least: Mapping[str, Mapping[str, int]]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of documents and of features of the first view."""
        first: tuple[int, int] = next(iter(self.counts.values())).shape
        return first

    def __getitem__(self, rows: Any) -> Views:
        return Views({view: counts[rows] for view, counts in self.counts.items()}, self.least)


def suited(corpus: Corpus, weightings: Iterable[str]) -> list[str]:
    """Return the weightings that suit a corpus: of counts, of other numbers, or of words in order."""
    counts = corpus.features is not None and corpus.features.dtype.kind in "iu"
    takes_counts = {**WEIGHTINGS, ORDER: counts}
    return [name for name in weightings if takes_counts[name] == counts]


def weighting_of(choice: Mapping[str, str], least: Mapping[str, int]) -> TermWeighting | FrequentWords:
    """Return the weighting of a choice, not fitted; words in order lose the rare ones and have no weights."""
    if choice["weighting"] == ORDER:
        return FrequentWords(**least)
    return TermWeighting(weighting=choice["weighting"], **least)


class Represented:
    """An estimator on the weighted ``view`` of ``choice``; its ``weighting`` is fitted with it."""

    def __init__(self, estimator: Any, choice: Mapping[str, str]) -> None:
        self.estimator, self.choice = estimator, choice

    def fit(self, X: Views, y: np.ndarray) -> Self:
        """Fit the weighting and the estimator to the documents of X and their targets y."""
        self.weighting = weighting_of(self.choice, X.least[self.choice["view"]])
        self.estimator.fit(self.weighting.fit_transform(X.counts[self.choice["view"]]), y)
        return self

    def predict(self, X: Views) -> np.ndarray:
        """Return what the estimator predicts."""
        predicted: np.ndarray = self.estimator.predict(self.weighted(X))
        return predicted

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the estimator; its methods of documents get the weighted matrix."""
        if name == "estimator":  # not set yet
            raise AttributeError(name)
        attribute = getattr(self.estimator, name)
        return (lambda X, *more: attribute(self.weighted(X), *more)) if name in _OFFERED else attribute

    def weighted(self, X: Views) -> Any:
        """Return the weighted matrix of documents, CSR (N, K), or their words in order."""
        return self.weighting.transform(X.counts[self.choice["view"]])


def new_estimator(method: Method, point: Mapping[str, Any], axes: tuple[int, str, int] | None = None) -> Any:
    """Return a new, unfitted estimator of a method; with ``view`` and ``weighting`` in its point it gets several views.

    ``axes`` are the seed of the run, data set and trial.  They fix the ``random_state`` of an estimator that has one,
    and let an estimator that has a ``callback`` log the progress of its fit.
    """
    estimator = method.make({key: value for key, value in point.items() if key not in CHOICE})
    if axes is not None:
        _prepare(estimator, *axes)
    choice = {key: point[key] for key in CHOICE if key in point}
    return Represented(estimator, choice) if choice else estimator


def _prepare(estimator: Any, seed: int, dataset: str, trial: int) -> None:
    """Set the ``random_state`` and the ``callback`` of an estimator, where it has them."""
    params = estimator.get_params()
    if "random_state" in params:
        estimator.set_params(random_state=int(rng(seed, dataset, trial, "fit").integers(2**31)))
    if "callback" in params:
        report = progress(f"{type(estimator).__name__} on {dataset}", params["max_iter"])
        estimator.set_params(callback=lambda fitted: report(fitted.n_iter_, float(fitted.objective_path_[-1])))
