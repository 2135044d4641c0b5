"""`textmix.scorer`: metrics as scorers of scikit-learn, for classes, indicators and label sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textmix.core.errors import ConfigError, suggest
from textmix.metrics import classification, multilabel
from textmix.metrics.registry import METRICS

_MODULES = {"classification": classification, "multilabel": multilabel}


def scorer(name: str) -> Scorer:
    """Create a scorer from a metric, for the ``scoring`` argument of `cross_val_score`, `GridSearchCV` and others.

    scikit-learn's own multi-label scorers, such as ``"f1_micro"``, accept indicators but not label sets.

    Parameters
    ----------
    name : str
        Name of a metric of predicted labels, such as "accuracy", "macro_f1", "micro_f", "sample_f" or
        "subset_accuracy".

    Returns
    -------
    scorer : callable
        Function of a fitted estimator, documents and targets.  Greater is better: losses are negated.

    Raises
    ------
    ConfigError
        If the metric does not exist, or requires probabilities.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from textmix import BinaryRelevance, scorer
    >>> X = [[4, 0], [0, 3], [2, 2], [3, 0], [0, 4], [3, 3]]
    >>> y = [{"art"}, {"sport"}, {"art", "sport"}, {"art"}, {"sport"}, {"art", "sport"}]
    >>> cross_val_score(BinaryRelevance(), X, y, scoring=scorer("micro_f"), cv=2).tolist()
    [1.0, 1.0]
    """
    allowed = [name for name, row in METRICS.items() if row.input == "decisions"]
    if name not in allowed:
        raise ConfigError(f"scorer: {name!r} is not a metric of predicted labels; {suggest(name, allowed)}")
    return Scorer(name)


@dataclass(frozen=True)
class Scorer:
    """Scorer of a metric of predicted labels; see `scorer`."""

    name: str

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Score the predictions of a fitted estimator; the result of a loss is negated."""
        row = METRICS[self.name]
        metric = getattr(_MODULES[row.module], self.name)
        value = float(metric(y, estimator.predict(X)))
        return -value if row.loss else value
