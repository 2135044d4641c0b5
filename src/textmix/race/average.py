"""The average of the best methods of a race: its score in cross-validation, its test, and its model.

Each fit on a fold leaves the scores of the held-out documents, so that the average needs no further fit before the
last ones.  Its slopes and thresholds on a fold are fitted to the other folds; those of the last fits to all folds.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textmix.core.errors import MissingResult
from textmix.experiment.compared import views_of
from textmix.experiment.estimators import new_estimator
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.experiment.trials import TIMINGS
from textmix.metrics.table import METRICS
from textmix.metrics.threshold import class_thresholds
from textmix.models.common.averaging import averaged, decided, label_scores, slope_of
from textmix.serve.averaged import AveragedModel

if TYPE_CHECKING:
    from textmix.race.worker import Worker

#: Name of the method, as tables and page show it.
AVERAGE = "average"
#: Most scores of one arm on one fold that are kept.
MOST = 2**22
#: Metric -> criterion of the thresholds that suit it; of all other metrics it is that of F.
CRITERIA = {"hamming_loss": "errors", "subset_accuracy": "errors"}
#: Fewest documents of a label to which its threshold is fitted, and the threshold of the others.
LEAST, DEFAULT = 3, 0.5


class Decision(NamedTuple):
    """How probabilities are averaged: the slope of each part, and the threshold of each label or None."""

    slopes: list[float]
    thresholds: np.ndarray | None


def entry_of(task: str) -> Method:
    """Return the entry of the average, as tables and page read it."""
    return Method(AVERAGE, "textmix.serve.averaged:AveragedModel", "average", task, "reals", "beyond")


def place_of(folder: Path, method: str, arm: str, part: int) -> Path:
    """Return the file with the scores of an arm for the held-out documents of a part."""
    digest = hashlib.sha256(f"{method} {arm}".encode()).hexdigest()[:24]
    return folder / "held" / f"{digest}-{part}.npy"


def for_all_labels(scores: np.ndarray, classes: Sequence[int], labels: int) -> np.ndarray:
    """Return scores (N, C) of some labels for all L, float64 (N, L), -inf for the others."""
    if scores.shape[1] == labels:
        return scores
    every = np.full((len(scores), labels), -np.inf)
    every[:, np.asarray(classes)] = scores
    return every


def decision_of(
    scores: Sequence[np.ndarray], truth: np.ndarray, task: str, metric: str, slopes: Sequence[float] | None = None
) -> Decision:
    """Return slopes, and thresholds that suit a metric, fitted to held-out documents.

    Parameters
    ----------
    scores : of each part, float64 (N, L).
    truth : classes (N,) or label indicators (N, L).
    task, metric : of the race.
    slopes : fitted before; None to fit them.
    """
    found = [slope_of(each, truth, task) for each in scores] if slopes is None else list(slopes)
    if task == "single":
        return Decision(found, None)
    criterion = CRITERIA.get(metric, "f1")
    probability = averaged(scores, found, task)
    return Decision(found, class_thresholds(probability, truth, DEFAULT, criterion, LEAST))


def validated(
    folds: Sequence[Sequence[np.ndarray]], truths: Sequence[np.ndarray], task: str, metric: str, *, never_empty: bool
) -> tuple[list[float], Decision]:
    """Return the metric on each fold, decided by the other folds, and the decision by all folds.

    Parameters
    ----------
    folds : of each fold the scores of each part for its held-out documents, float64 (N, L).
    truths : of each fold classes (N,) or label indicators (N, L).
    task, metric : of the race.
    never_empty : whether each document gets a label.
    """
    values = []
    for fold, truth in enumerate(truths):
        others = [number for number in range(len(folds)) if number != fold]
        rest = _joined(folds, others)
        decision = decision_of(rest, np.concatenate([truths[number] for number in others]), task, metric)
        probability = averaged(folds[fold], decision.slopes, task)
        values.append(_value(metric, truth, probability, decision.thresholds, never_empty))
    every = _joined(folds, range(len(folds)))
    return values, decision_of(every, np.concatenate(truths), task, metric)


def _joined(folds: Sequence[Sequence[np.ndarray]], chosen: Sequence[int] | range) -> list[np.ndarray]:
    """Return the scores of each part for the documents of some folds."""
    return [np.concatenate([folds[number][part] for number in chosen]) for part in range(len(folds[0]))]


def _value(
    metric: str, truth: np.ndarray, probability: np.ndarray, thresholds: np.ndarray | None, never_empty: bool
) -> float:
    """Return the metric of decided probabilities."""
    predicted = decided(probability, thresholds, never_empty=never_empty)
    marginals = probability if thresholds is not None else probability.max(axis=1)
    return metric_value(metric, Evaluation(truth, predicted, _log_of_truth(probability, truth), marginals))


def _log_of_truth(probability: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the log probability of the true class (N,); nan for label sets, which an average gives no probability."""
    if truth.ndim > 1:
        return np.full(len(truth), np.nan)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability[np.arange(len(truth)), truth]))


def is_better(metric: str, value: float, other: float) -> bool:
    """Return whether a value of a metric is better than another one; nan never is."""
    return bool(value < other if METRICS[metric].loss else value > other)


def predictions_of(
    probability: np.ndarray,
    truth: np.ndarray,
    thresholds: np.ndarray | None,
    chosen: Mapping[str, Any],
    *,
    never_empty: bool,
) -> Predictions:
    """Return the predictions of the test documents by an average.

    Parameters
    ----------
    probability : float64 (N, L).
    truth : classes (N,) or label indicators (N, L).
    thresholds, never_empty : see `decided`.
    chosen : ``name`` of the point, and its ``validation``.
    """
    predicted = decided(probability, thresholds, never_empty=never_empty)
    row = {"variant": "", "trial": 0, "converged": None, "n_iter": None, "objective": None}
    row |= {"chosen": chosen["name"], "validation": chosen["validation"]}
    arrays: dict[str, np.ndarray] = {"true_log_proba": _log_of_truth(probability, truth)}
    if thresholds is None:
        arrays |= {"classes": predicted.astype(np.int32), "marginals": probability.max(axis=1).astype(np.float32)}
    else:
        arrays |= {"sets": pack_sets(predicted), "marginals": probability.astype(np.float32)}
    return Predictions([""], [row], **{name: array[np.newaxis] for name, array in arrays.items()})


def validate(worker: Worker, order: Mapping[str, Any]) -> dict[str, Any]:
    """Return the best average of some arms by cross-validation: ``values`` on the folds, parts and decision.

    Of one label a document it averages all arms; of several it may be the first arm with thresholds alone.

    Parameters
    ----------
    worker : of the race.
    order : ``arms``, those of the best methods, the best first; ``folds``.
    """
    asked, folds = worker.settings, order["folds"]
    train = worker.truth[worker.splits.train[0]]
    truths = [train[worker.parts[part][1]] for part in folds]
    places = [[place_of(worker.folder, arm["method"], arm["arm"], part) for part in folds] for arm in order["arms"]]
    known = [at for at, files in enumerate(places) if all(path.exists() for path in files)]
    fewest = 2 if asked.task == "single" else 1
    best: dict[str, Any] = {}
    for number in sorted({1, len(known)}):
        if not fewest <= number <= len(known):
            continue
        scores = [[np.load(places[at][fold]) for at in known[:number]] for fold in range(len(folds))]
        values, decision = validated(scores, truths, asked.task, asked.metric, never_empty=asked.never_empty)
        if not best or is_better(asked.metric, float(np.mean(values)), float(np.mean(best["values"]))):
            thresholds = None if decision.thresholds is None else decision.thresholds.tolist()
            parts = [order["arms"][at] for at in known[:number]]
            best = {"values": values, "parts": parts, "slopes": decision.slopes, "thresholds": thresholds}
    return best


def finish(worker: Worker, order: Mapping[str, Any]) -> dict[str, Any]:
    """Fit the parts of an average to the training documents, predict the test documents, and write what `choose` reads.

    Parameters
    ----------
    worker : of the race.
    order : its ``point`` has the parts, slopes and thresholds of `validate`.
    """
    asked, found = worker.settings, list[np.ndarray]()
    began, cpu = time.perf_counter(), time.process_time()
    train, test = worker.splits.train[0], worker.splits.test[0]
    for part in order["point"]["parts"]:
        entry = worker.one(part)
        views = views_of([worker.corpus(part["choice"]["view"])], entry)
        params = {**entry["params"], **part["choice"], **part["point"]}
        made = new_estimator(worker.methods[part["method"]], params, (asked.seed, asked.name, 0))
        made.fit(views[train], worker.truth[train])
        scores = label_scores(made.estimator, made.weighted(views[test]), asked.task)
        if scores is None:
            raise MissingResult(f"{part['method']} gives no scores of its labels")
        found.append(for_all_labels(scores, made.classes_, len(worker.parsed.label_names)))
    probability = averaged(found, order["point"]["slopes"], asked.task)
    chosen = {"name": order["name"], "validation": order["validation"]}
    truth, cuts = worker.truth[test], _thresholds(order["point"])
    predictions = predictions_of(probability, truth, cuts, chosen, never_empty=asked.never_empty)
    timing: dict[str, Any] = dict.fromkeys(TIMINGS)
    timing |= {"variant": "", "trial": 0, "tune_seconds": order["seconds"], "predict_seconds": 0.0}
    timing["fit_seconds"] = time.perf_counter() - began
    timing["cpu_seconds"] = time.process_time() - cpu + order["cpu_seconds"]
    return worker.tested(AVERAGE, predictions, [timing])


def keep(
    worker: Worker, chosen: Mapping[str, Any], choice: Mapping[str, Any], about: Mapping[str, Any]
) -> AveragedModel:
    """Return the average fitted to all documents.

    Parameters
    ----------
    worker : of the race.
    chosen : the order that tested it.
    choice, about : see `textmix.serve.keep.keep_best`.
    """
    parts = [
        worker.kept(part, {**choice, "point": {**part["choice"], **part["point"]}}, about)
        for part in chosen["point"]["parts"]
    ]
    card = {**parts[0].card, "method": AVERAGE, "point": choice["point"]}
    slopes, never_empty = chosen["point"]["slopes"], worker.settings.never_empty
    return AveragedModel(parts, slopes, _thresholds(chosen["point"]), never_empty, card)


def _thresholds(point: Mapping[str, Any]) -> np.ndarray | None:
    """Return the threshold of each label, float64 (L,), or None."""
    return None if point["thresholds"] is None else np.asarray(point["thresholds"], dtype=np.float64)
