"""`textmix.scorer`: a metric as a ``scoring`` of scikit-learn, for classes, indicators and lists of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError, suggest
from textmix.metrics import classification, multilabel
from textmix.metrics.registry import METRICS
from textmix.models.common.targets import indicators_of, label_sets_of

_MODULES = {"classification": classification, "multilabel": multilabel}


def scorer(name: str) -> Scorer:
    """Return a metric as a scorer: an argument ``scoring`` of `cross_val_score`, `GridSearchCV` and their like.

    scikit-learn's own scorers, such as ``"f1_micro"``, do not take lists of labels.

    Parameters
    ----------
    name : of a metric of decisions, such as "accuracy", "macro_f1", "micro_f", "sample_f" or "subset_accuracy".

    Returns
    -------
    a function of a fitted estimator, documents and targets.  More is better: a loss comes with the other sign.

    Raises
    ------
    ConfigError : there is no such metric of decisions.

    Examples
    --------
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> from textmix import BinaryRelevance, scorer
    >>> X = [[4, 0], [0, 3], [2, 2], [3, 0], [0, 4], [3, 3]]
    >>> y = [["art"], ["sport"], ["art", "sport"], ["art"], ["sport"], ["art", "sport"]]
    >>> cross_val_score(BinaryRelevance(), X, y, scoring=scorer("micro_f"), cv=KFold(2)).tolist()
    [1.0, 1.0]
    """
    allowed = [name for name, row in METRICS.items() if row.input == "decisions"]
    if name not in allowed:
        raise ConfigError(f"scorer: {name!r} is no metric of decisions; {suggest(name, allowed)}")
    return Scorer(name)


@dataclass(frozen=True)
class Scorer:
    """A metric of decisions as scikit-learn calls it; see `scorer`."""

    name: str

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Return the metric of a fitted estimator on documents X and their targets y; the negative of a loss."""
        row = METRICS[self.name]
        true, predicted = paired(y, estimator.predict(X))
        value = float(getattr(_MODULES[row.module], self.name)(true, predicted))
        return -value if row.loss else value


def paired(true: Any, predicted: Any) -> tuple[Any, Any]:
    """Return true and predicted targets as they are, but label sets as indicators over all their labels."""
    true_sets, predicted_sets = label_sets_of(true), label_sets_of(predicted)
    if true_sets is None and predicted_sets is None:
        return true if hasattr(true, "shape") else np.asarray(true), predicted
    # Rows that are all empty name no label; the other side shows that they are label sets.
    true_sets, predicted_sets = (
        [frozenset(row) for row in rows] if given_sets is None else given_sets
        for rows, given_sets in ((true, true_sets), (predicted, predicted_sets))
    )
    labels = np.array(sorted(frozenset[Any]().union(*true_sets, *predicted_sets)))
    return indicators_of(true_sets, labels), indicators_of(predicted_sets, labels)
