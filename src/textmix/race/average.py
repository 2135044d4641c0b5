"""The average of the best arms of a race: its score in cross-validation, its test, and its model.

Each fit on a fold leaves the scores of the held-out documents, so that the average needs no further fit before the
last ones (`textmix.race.deciding`).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textmix.core.errors import MissingResult
from textmix.core.io import write_json
from textmix.experiment.compared import views_of
from textmix.experiment.estimators import new_estimator
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.refit import Refit
from textmix.experiment.trials import TIMINGS
from textmix.metrics.table import METRICS
from textmix.models.common.averaging import averaged, decided, label_scores
from textmix.race.averaging import AVERAGE, MOST_PARTS
from textmix.race.deciding import log_of_truth, validated
from textmix.serve.averaged import AveragedModel

if TYPE_CHECKING:
    from textmix.race.worker import Worker

#: Name of the file with the words of the largest weights of a part, and the part.
WORDS = "average.json"
#: Most scores of one arm on one fold that are kept.
MOST = 2**22


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
    arrays: dict[str, np.ndarray] = {"true_log_proba": log_of_truth(probability, truth)}
    if thresholds is None:
        arrays |= {"classes": predicted.astype(np.int32), "marginals": probability.max(axis=1).astype(np.float32)}
    else:
        arrays |= {"sets": pack_sets(predicted), "marginals": probability.astype(np.float32)}
    return Predictions([""], [row], **{name: array[np.newaxis] for name, array in arrays.items()})


def validate(worker: Worker, order: Mapping[str, Any]) -> dict[str, Any]:
    """Return the best average of some arms by cross-validation: ``values`` on the folds, parts and decision.

    It is that of the best arms of the first methods, or that of the arms that the held-out documents choose.  Of
    several labels it may be the first arm with thresholds alone.

    Parameters
    ----------
    worker : of the race.
    order : ``arms``, the best first; ``rounds``, the folds of each cross-validation; ``first``, number of the methods;
        ``fixed``, whether all of them are the parts.
    """
    asked = worker.settings
    train = worker.truth[worker.splits.train[0]]
    every = [part for folds in order["rounds"] for part in folds]
    places = [
        {part: place_of(worker.folder, arm["method"], arm["arm"], part) for part in every} for arm in order["arms"]
    ]
    known = [at for at, files in enumerate(places) if all(path.exists() for path in files.values())]
    if not known:
        return {}
    held = {(at, part): np.load(places[at][part]) for at in known for part in every}
    firsts = list({order["arms"][at]["method"]: at for at in reversed(known)}.values())[::-1]
    offers = [(sorted(firsts)[: order["first"]], None), (known, MOST_PARTS)]
    offers = [(known[:1], None)] * (asked.task == "multi") + [offer for offer in offers if len(offer[0]) > 1]
    if order.get("fixed"):
        offers = [(known, None)]
    best: dict[str, Any] = {}
    for offered, most in offers:
        rounds = [
            ([[held[at, part] for at in offered] for part in folds], [train[worker.parts[part][1]] for part in folds])
            for folds in order["rounds"]
        ]
        values, decision = validated(rounds, asked.task, asked.metric, never_empty=asked.never_empty, most=most)
        if not best or is_better(asked.metric, float(np.mean(values)), float(np.mean(best["values"]))):
            thresholds = None if decision.thresholds is None else decision.thresholds.tolist()
            parts = [order["arms"][offered[part]] for part in decision.parts]
            best = {"values": values, "parts": parts, "slopes": decision.slopes, "thresholds": thresholds}
    return best


def fitted(worker: Worker, part: Mapping[str, Any], rows: np.ndarray) -> Any:
    """Return a part of an average fitted to some documents."""
    entry = worker.one(part)
    views = views_of([worker.corpus(part["choice"]["view"])], entry)
    params = {**entry["params"], **part["choice"], **part["point"]}
    made = new_estimator(worker.methods[part["method"]], params, (worker.settings.seed, worker.settings.name, 0))
    made.fit(views[rows], worker.truth[rows])
    return made


def scores_of(worker: Worker, part: Mapping[str, Any], made: Any) -> np.ndarray:
    """Return the scores of a fitted part for the test documents, float64 (T, L).

    Raises
    ------
    MissingResult : it gives none.
    """
    views = views_of([worker.corpus(part["choice"]["view"])], worker.one(part))
    scores = label_scores(made.estimator, made.weighted(views[worker.splits.test[0]]), worker.settings.task)
    if scores is None:
        raise MissingResult(f"{part['method']} gives no scores of its labels")
    return for_all_labels(scores, made.classes_, len(worker.parsed.label_names))


def finish(worker: Worker, order: Mapping[str, Any]) -> dict[str, Any]:
    """Fit the parts of an average to the training documents, predict the test documents, and write what `choose` reads.

    Parameters
    ----------
    worker : of the race.
    order : its ``point`` has the parts, slopes and thresholds of `validate`.
    """
    asked, found, words = worker.settings, list[np.ndarray](), list[dict[str, Any]]()
    began, cpu = time.perf_counter(), time.process_time()
    test = worker.splits.test[0]
    for part in order["point"]["parts"]:
        made = fitted(worker, part, worker.splits.train[0])
        found.append(scores_of(worker, part, made))
        words.append({"of": part, "words": refit_of(worker, part).words(made)})
    probability = averaged(found, order["point"]["slopes"], asked.task)
    chosen = {"name": order["name"], "validation": order["validation"]}
    truth, cuts = worker.truth[test], thresholds_of(order["point"])
    predictions = predictions_of(probability, truth, cuts, chosen, never_empty=asked.never_empty)
    timing: dict[str, Any] = dict.fromkeys(TIMINGS)
    timing |= {"variant": "", "trial": 0, "tune_seconds": order["seconds"], "predict_seconds": 0.0}
    timing["fit_seconds"] = time.perf_counter() - began
    timing["cpu_seconds"] = time.process_time() - cpu + order["cpu_seconds"]
    write_json(worker.folder / WORDS, next((each for each in words if each["words"]), {}))
    return worker.tested(AVERAGE, predictions, [timing])


def refit_of(worker: Worker, part: Mapping[str, Any]) -> Refit:
    """Return what looks into a part of an average, or into another finished method."""
    corpora = [worker.corpus(part["choice"]["view"])]
    point = {**part["choice"], **part["point"]}
    return Refit(corpora, worker.splits, worker.methods[part["method"]], worker.one(part), point, worker.settings.seed)


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
    return AveragedModel(parts, slopes, thresholds_of(chosen["point"]), never_empty, card)


def thresholds_of(point: Mapping[str, Any]) -> np.ndarray | None:
    """Return the threshold of each label, float64 (L,), or None."""
    return None if point["thresholds"] is None else np.asarray(point["thresholds"], dtype=np.float64)
