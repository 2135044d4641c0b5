"""Scorers: metrics as scikit-learn's searches take them, also for lists of labels."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, hamming_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.preprocessing import MultiLabelBinarizer

import textmix
from textmix.core.errors import ConfigError
from textmix.metrics.registry import METRICS

RNG = np.random.default_rng(1)
X = RNG.poisson(1.0, (60, 5))
NAMES = np.array(["art", "money", "sport"])
Y = (X[:, :3] + RNG.poisson(0.4, (60, 3)) > 1).astype(int)
SETS = [NAMES[row.astype(bool)].tolist() for row in Y]
CLASSES = NAMES[X[:, :3].argmax(axis=1)]


@pytest.mark.parametrize("name", [name for name, row in METRICS.items() if row.input == "decisions"])
def test_a_scorer_gives_the_metric_of_the_predictions(name: str) -> None:
    several = "multi" in METRICS[name].tasks
    model = textmix.BinaryRelevance() if several else textmix.MultinomialClassifier()
    target = Y if several else CLASSES
    predicted = model.fit(X[:40], target[:40]).predict(X[40:])
    value = getattr(textmix.metrics, name)(target[40:], predicted)
    sign = -1.0 if METRICS[name].loss else 1.0
    assert textmix.scorer(name)(model, X[40:], target[40:]) == sign * value


def test_lists_of_labels_are_scored_as_indicators_are() -> None:
    model = textmix.BinaryRelevance().fit(X[:40], SETS[:40])
    binarizer = MultiLabelBinarizer(classes=NAMES)
    true, predicted = (binarizer.fit_transform(sets) for sets in (SETS[40:], model.predict(X[40:])))
    assert textmix.scorer("micro_f")(model, X[40:], SETS[40:]) == f1_score(true, predicted, average="micro")
    assert textmix.scorer("hamming_loss")(model, X[40:], SETS[40:]) == -hamming_loss(true, predicted)
    table = textmix.BinaryRelevance().fit(X[:40], pd.DataFrame(Y[:40], columns=NAMES))
    assert textmix.scorer("micro_f")(table, X[40:], pd.DataFrame(Y[40:], columns=NAMES)) == pytest.approx(
        f1_score(true, predicted, average="micro")
    )


@pytest.mark.parametrize("y", [SETS, [set(row) for row in SETS], Y])
def test_searches_and_cross_validation_take_a_scorer(y: Any) -> None:
    scoring = pickle.loads(pickle.dumps(textmix.scorer("sample_f")))
    scores = cross_val_score(textmix.BinaryRelevance(), X, y, scoring=scoring, cv=KFold(3), error_score="raise")
    assert scores.min() > 0.5
    grid = {"variance": [0.001, 1.0]}
    search = GridSearchCV(textmix.BinaryRelevance(), grid, scoring=scoring, cv=KFold(3), error_score="raise")
    assert search.fit(X, y).best_params_ == {"variance": 1.0}


def test_a_label_that_only_the_truth_has_counts_as_missed() -> None:
    model = textmix.BinaryRelevance().fit(X[:40], SETS[:40])
    new = [["unheard"], *SETS[41:]]
    assert textmix.scorer("micro_f")(model, X[40:], new) < textmix.scorer("micro_f")(model, X[40:], SETS[40:])


def test_a_name_of_no_metric_of_decisions_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'micro_f'"):
        textmix.scorer("mirco_f")
    with pytest.raises(ConfigError, match="'log_loss' is not a metric"):
        textmix.scorer("log_loss")


def test_the_metrics_are_public() -> None:
    assert textmix.metrics.accuracy(["a", "b"], ["a", "a"]) == 0.5
    assert set(METRICS) == set(dir(textmix.metrics))
    with pytest.raises(AttributeError, match=r"textmix\.metrics has no metric 'nothing'"):
        textmix.metrics.nothing  # noqa: B018
