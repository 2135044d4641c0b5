"""A look into the method that a race chose: likely wrong labels, and of an average the learning curve and words.

The doubted labels of an average need no fit: its parts have left their scores of the held-out documents of each fold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from textmix.contest.doubts import doubts as doubts_by_refits
from textmix.contest.doubts import doubts_of, known_labels
from textmix.core.io import read_json, write_json
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.models.common.averaging import averaged, decided
from textmix.numerics.determinism import rng
from textmix.race import average
from textmix.race.averaging import AVERAGE
from textmix.race.deciding import decision_of, log_of_truth

if TYPE_CHECKING:
    from textmix.race.worker import Worker

#: Files of what was found, beside the choice.
DOUBTS, CURVE = "doubts.json", "curve.json"


def doubts(worker: Worker, order: Mapping[str, Any]) -> dict[str, Any]:
    """Look for labels that are likely wrong by the first of the finished methods, and write doubts.json."""
    chosen = order["finished"][0]
    if chosen["method"] == AVERAGE:
        found = _doubts_of_average(worker, chosen["point"], order["folds"])
    else:
        found = doubts_by_refits(average.refit_of(worker, chosen), worker.parsed)
    write_json(worker.folder / DOUBTS, {"method": chosen["method"], **found})
    return {}


def _doubts_of_average(worker: Worker, point: Mapping[str, Any], folds: list[int]) -> dict[str, Any]:
    """Return the doubted labels by the held-out scores of the parts; on each fold with the slopes of the others."""
    train, task = worker.splits.train[0], worker.settings.task
    truth = worker.truth[train]
    held = [worker.parts[part][1] for part in folds]
    scores = [
        [np.load(average.place_of(worker.folder, one["method"], one["arm"], part)) for part in folds]
        for one in point["parts"]
    ]
    n_labels = len(worker.parsed.label_names)
    probability, known = np.zeros((len(train), n_labels)), np.zeros((len(train), n_labels), dtype=bool)
    for fold, rows in enumerate(held):
        others = [number for number in range(len(folds)) if number != fold]
        rest = [np.concatenate([each[number] for number in others]) for each in scores]
        of_rest = truth[np.concatenate([held[number] for number in others])]
        slopes = decision_of(rest, of_rest, task, worker.settings.metric).slopes
        known[rows] = known_labels(truth[worker.parts[folds[fold]][0]], n_labels)
        probability[rows] = averaged([each[fold] for each in scores], slopes, task)
    order = np.argsort(train)
    return doubts_of(probability[order], known[order], truth[order], train[order], worker.parsed)


def curve(worker: Worker, order: Mapping[str, Any]) -> dict[str, Any]:
    """Fit an average to parts of the training documents and write curve.json, ``documents`` and ``value`` of each.

    Parameters
    ----------
    worker : of the race.
    order : ``finished``, the average first; ``shares`` of the training documents.
    """
    asked, point, steps = worker.settings, order["finished"][0]["point"], list[dict[str, Any]]()
    drawn = rng(asked.seed, asked.name, "curve").permutation(worker.splits.train[0])
    truth = worker.truth[worker.splits.test[0]]
    for share in order["shares"]:
        rows = np.sort(drawn[: max(2, round(share * len(drawn)))])
        if asked.task == "single" and len(np.unique(worker.truth[rows])) < 2:
            continue
        scores = [average.scores_of(worker, part, average.fitted(worker, part, rows)) for part in point["parts"]]
        probability = averaged(scores, point["slopes"], asked.task)
        thresholds = average.thresholds_of(point)
        predicted = decided(probability, thresholds, never_empty=asked.never_empty)
        marginals = probability if thresholds is not None else probability.max(axis=1)
        seen = Evaluation(truth, predicted, log_of_truth(probability, truth), marginals)
        steps.append({"documents": len(rows), "value": metric_value(asked.metric, seen)})
    write_json(worker.folder / CURVE, steps)
    return {}


def seen(worker: Worker, choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was found of the chosen method, as additions to the choice."""
    found: dict[str, Any] = {}
    if (worker.folder / DOUBTS).exists() and read_json(worker.folder / DOUBTS)["method"] == choice["method"]:
        found["doubts"] = read_json(worker.folder / DOUBTS)
    if choice["method"] != AVERAGE:
        return found
    if (worker.folder / CURVE).exists():
        whole = {"documents": len(worker.splits.train[0]), "value": choice["value"]}
        found["curve"] = [*read_json(worker.folder / CURVE), whole]
    words = read_json(worker.folder / average.WORDS)
    if words:
        found |= {"words": words["words"], "words_of": f"{words['of']['method']} ({words['of']['choice']['view']})"}
    return found
