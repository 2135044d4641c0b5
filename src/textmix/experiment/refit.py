"""Refits of one method of a comparison at the point that its search chose: the learning curve, and a look inside."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textmix.data.corpus import Corpus
from textmix.experiment.compared import views_of
from textmix.experiment.estimators import new_estimator
from textmix.experiment.methods import Method, point_of
from textmix.experiment.predictions import true_log_proba
from textmix.experiment.represented import Represented
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.experiment.splits import Splits
from textmix.numerics.determinism import rng

#: Shares of the training documents of the learning curve.
SHARES = (0.125, 0.25, 0.5, 1.0)
#: Most words shown for a label, and most labels that get them.
WORDS, LABELS = 12, 30


def typed_point(name: str) -> dict[str, Any]:
    """Return the content of a point from the name that `textmix.experiment.methods.variants` gave it."""
    return {key: _typed(value) for key, value in point_of(name).items()}


def _typed(text: str) -> Any:
    """Return a value of Python from its text; text that is no literal stays text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


@dataclass(frozen=True)
class Refit:
    """One method at one point on the first trial of a data set.

    Parameters
    ----------
    corpora : the documents in the views of the entry.
    splits : the trials.
    method, entry : the registry entry, and the experiment's.
    point : view, weighting and parameters.
    seed : of the run.
    """

    corpora: Sequence[Corpus]
    splits: Splits
    method: Method
    entry: Mapping[str, Any]
    point: Mapping[str, Any]
    seed: int

    @property
    def truth(self) -> np.ndarray:
        """Classes (N,) or label indicators (N, L)."""
        return self.corpora[0].classes() if self.method.task == "single" else self.corpora[0].indicators()

    def fitted(self, rows: np.ndarray) -> Any:
        """Return the estimator fitted to some documents."""
        params = {**self.entry.get("params", {}), **self.point}
        estimator = new_estimator(self.method, params, (self.seed, self.corpora[0].name, 0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # convergence was recorded with the predictions
            return estimator.fit(views_of(self.corpora, self.entry)[rows], self.truth[rows])

    def curve(self, metric: str, shares: Sequence[float] = SHARES) -> tuple[list[dict[str, Any]], Any]:
        """Return ``documents`` and ``value`` for each of some shares of the training part, and the last estimator."""
        order = rng(self.seed, self.corpora[0].name, "curve").permutation(self.splits.train[0])
        rows, estimator, test = [], None, self.splits.test[0]
        views, truth = views_of(self.corpora, self.entry)[test], self.truth[test]
        for share in shares:
            part = np.sort(order[: max(2, round(share * len(order)))])
            if self.method.task == "single" and len(np.unique(self.truth[part])) < 2:
                continue
            estimator = self.fitted(part)
            proba = true_log_proba(self.method.task, estimator, views, truth)
            value = metric_value(metric, Evaluation(truth, estimator.predict(views), proba))
            rows.append({"documents": len(part), "value": value})
        return rows, estimator

    def confidence(self, estimator: Any) -> np.ndarray | None:
        """Return how sure a fitted estimator is of each test document, float (n,); None where it does not say."""
        views = views_of(self.corpora, self.entry)[self.splits.test[0]]
        for name in ("decision_function", "predict_proba"):
            if hasattr(estimator, name):
                return _sureness(np.asarray(getattr(estimator, name)(views)), name, self.method.task)
        return None

    def words(self, estimator: Represented) -> list[dict[str, Any]]:
        """Return ``label`` and the ``words`` of the largest weights for it; empty without linear weights of words."""
        weights = linear_weights(estimator)
        corpora = dict(zip(self.entry["views"], self.corpora, strict=True))
        if weights is None or "encoded" in corpora[self.point["view"]].info:
            return []
        names = {view: corpus.feature_names for view, corpus in corpora.items()}
        features = estimator.weighting.get_feature_names_out(names[self.point["view"]])
        labels = [str(self.corpora[0].label_names[i]) for i in np.asarray(estimator.classes_).tolist()]
        if len(weights) == 1 and len(labels) == 2:
            weights = np.vstack([-weights, weights])
        return [
            {"label": label, "words": [str(features[i]) for i in np.argsort(-row, kind="stable")[:WORDS] if row[i] > 0]}
            for label, row in list(zip(labels, weights, strict=True))[:LABELS]
        ]


def _sureness(scores: np.ndarray, name: str, task: str) -> np.ndarray:
    """Return the difference of the two largest scores; for label sets the distance of the least certain label.

    Parameters
    ----------
    scores : of ``decision_function`` or ``predict_proba``, (n,) or (n, C).
    name, task : which of the two, and the task.
    """
    if scores.ndim == 1:
        return np.abs(scores)
    if task == "multi":
        return np.asarray(np.abs(scores - (0.5 if name == "predict_proba" else 0.0)).min(axis=1))
    first = np.sort(scores, axis=1)
    return np.asarray(first[:, -1] - first[:, -2])


def linear_weights(estimator: Any) -> np.ndarray | None:
    """Return the weight of each feature for each label, float (C, K), of a linear model or naive Bayes; else None.

    A model with weights for each label set, or for combinations of features, has none.
    """
    weights = getattr(estimator, "coef_", None)
    if weights is None:
        weights = getattr(estimator, "feature_log_prob_", None)
        weights = None if weights is None else np.nan_to_num(weights - weights.mean(axis=0), neginf=0.0, posinf=0.0)
    if weights is None or getattr(estimator, "_rows_of_coef", "classes_") != "classes_":
        return None
    return np.asarray(weights) if weights.shape[1] == len(estimator.weighting.columns_) else None
