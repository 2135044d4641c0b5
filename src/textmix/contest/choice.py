"""The choice of a method on the user's data: the recommendation, and a look into the method that is recommended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from textmix.contest.description import copies
from textmix.contest.inspection import copy_sentences, errors, inspect
from textmix.contest.recommendation import FOLDS, Entrant, recommend, right_of, sentences
from textmix.core import io
from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions
from textmix.experiment.refit import SHARES, Refit, typed_point
from textmix.experiment.scoring import evaluation_of, resampled_interval
from textmix.experiment.splits import Splits
from textmix.numerics.determinism import rng

#: Columns of a timing file whose sum is the time of a trial.
_SECONDS = ["tune_seconds", "fit_seconds", "predict_seconds"]
Data = tuple[Corpus, Mapping[str, Corpus], Splits]


def choose(
    files: Iterable[tuple[str, str, str]],
    data: Data,
    settings: Any,
    shares: Sequence[float] = SHARES,
    where: str = FOLDS,
) -> tuple[dict[str, Any], Predictions]:
    """Return the choice, ready for JSON, and the predictions of the method chosen.

    Parameters
    ----------
    files : paths of scores, timings and predictions of each method.
    data : the parsed corpus, name of features -> the corpus of these features, and the splits.
    settings : ``entries`` (method -> the experiment's entry), ``methods`` (method -> the registry's), ``metric`` (the
        task -> the metric) and ``seed``.
    shares : of the training documents, for the learning curve; the last one is all of them.  Without any, and for a
        method without an entry, such as an average, nothing is fitted for the look into the method.
    where : the documents on which methods were validated, in words.

    Raises
    ------
    MissingResult : no method has a score in all trials.
    """
    corpus, views, splits = data
    (metric,) = settings.metric.values()
    truth = corpus.classes() if "single" in settings.metric else corpus.indicators()
    entrants = [entrant for paths in files if (entrant := _entrant(paths, metric, truth, splits)) is not None]
    if not entrants:
        raise MissingResult(f"no method has a {metric} in all trials")
    choice = {**recommend([entrant for entrant, _ in entrants], metric, splits, settings.seed), "where": where}
    chosen, predictions = next(pair for pair in entrants if pair[0].name == choice["method"])
    if choice["low"] is None and len(splits) == 1:
        tested = evaluation_of(predictions, 0, splits.test_place(0), truth[splits.test[0]])
        ends = resampled_interval(metric, tested, rng(settings.seed, metric, chosen.name, "interval"))
        choice["low"], choice["high"] = ends or (None, None)
    point = typed_point(str(predictions.fits[0]["chosen"]))
    curve, words, confidence = list[Any](), list[Any](), _stated(predictions, splits)
    entry = settings.entries.get(choice["method"])
    if entry is not None and shares:
        corpora = [views[name] for name in entry["features"]]
        method = Method(**settings.methods[choice["method"]])
        refit = Refit(corpora, splits, method, entry, point, settings.seed)
        curve, estimator = refit.curve(metric, shares)
        confidence, words = refit.confidence(estimator), refit.words(estimator)
    wrong = errors(predictions, corpus, splits, confidence)
    look = {
        "sure": confidence is not None,
        "curve": curve,
        "words": words,
        "errors": wrong,
        **inspect(predictions, corpus, splits),
    }
    conclusions = [*sentences(choice, len(splits)), *copy_sentences(copies(corpus, splits), chosen.right)]
    return {**choice, "sentences": conclusions, "point": point, **look}, predictions


def _stated(predictions: Predictions, splits: Splits) -> np.ndarray | None:
    """Return the stated probability of the predicted class of each document of the first trial; None without one."""
    if predictions.classes is None or predictions.marginals is None:
        return None
    return np.asarray(predictions.marginals[0, splits.test_place(0)], dtype=np.float64)


def _entrant(
    paths: tuple[str, str, str], metric: str, truth: np.ndarray, splits: Splits
) -> tuple[Entrant, Predictions] | None:
    """Return a method and its predictions; None where it has no result or no score in some trial."""
    try:
        for path in paths:
            io.check_result(path)
    except MissingResult:
        return None
    scores, timings = (pd.read_csv(path) for path in paths[:2])
    values = scores.loc[scores["metric"] == metric, "value"].to_numpy(dtype=float)
    if not len(values) or not np.isfinite(values).all():
        return None
    predictions = Predictions.load(paths[2])
    seconds = float(timings[_SECONDS].fillna(0.0).sum(axis=1).median())
    right = right_of(predictions, truth, splits)
    return Entrant(Path(paths[0]).stem, values, seconds, right, _validation(predictions)), predictions


def _validation(predictions: Predictions) -> float | None:
    """Return the mean score on folds of the training documents over the trials; None where a trial has none."""
    scores = [fit["validation"] for fit in predictions.fits]
    return None if any(score in ("", None) for score in scores) else float(np.mean([float(score) for score in scores]))
