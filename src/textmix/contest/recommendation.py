"""The recommended method of a comparison on one data set: the best mean score, its interval, and the tests against it.

Over several trials the corrected resampled t-test compares methods (Nadeau and Bengio 2003).  With one split, the test
documents do: by McNemar's exact test where the metric is a share of documents, and the difference gets a bootstrap
interval over the documents.  All p-values are adjusted by Holm's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.metrics.significance import Estimate, bootstrap_interval, holm, resampled_difference, sign_test
from textmix.metrics.table import METRICS
from textmix.numerics.determinism import rng

#: Level of the tests.
ALPHA = 0.05


@dataclass(frozen=True)
class Entrant:
    """A method with a score in all trials.

    Parameters
    ----------
    name : of the method.
    values : the metric in each trial, float (J,).
    seconds : median seconds of a trial: search, fit and prediction.
    right : bool (T,), whether the class or the whole label set of each test document is predicted, over all trials.
    """

    name: str
    values: np.ndarray
    seconds: float
    right: np.ndarray


def right_of(predictions: Predictions, truth: np.ndarray, splits: Splits) -> np.ndarray:
    """Return whether the first variant predicts the class or the whole label set of each test document, bool (T,).

    Parameters
    ----------
    predictions : of one method.
    truth : classes (N,) or label indicators (N, L).
    splits : J trials with T test documents in all.
    """
    true = truth[splits.test.values]
    if predictions.classes is not None:
        return np.asarray(predictions.classes[0] == true)
    return np.asarray((predictions.label_sets(0, slice(None), truth.shape[1]) == true).all(axis=1))


def recommend(entrants: Sequence[Entrant], metric: str, splits: Splits, seed: int) -> dict[str, Any]:
    """Return the recommendation, ready for JSON.

    Parameters
    ----------
    entrants : at least one.
    metric : by which methods are ranked.
    splits : the J trials.
    seed : of the run; it draws the resamples.

    Returns
    -------
    ``method``; ``value``, ``low`` and ``high`` of its mean score (None where one split and the metric give no
    interval); ``pairs``, for each further method ``method``, ``value``, its ``difference`` from the best (positive
    where the best is better), ``low``, ``high`` and ``p``; ``test``, which test gave them; ``quicker``, the quickest
    method that is not distinguishable from the best one and takes half of its time or less, or None.
    """
    sign = -1.0 if METRICS[metric].loss else 1.0
    order = sorted(entrants, key=lambda one: (-sign * one.values.mean(), one.seconds))
    best, rest = order[0], order[1:]
    if len(splits) > 1:
        ratio = len(splits.test[0]) / len(splits.train[0])
        own = resampled_difference(best.values, np.zeros(len(best.values)), ratio)
        found = [resampled_difference(sign * best.values, sign * one.values, ratio) for one in rest]
        # Scores that are equal in all splits have no interval.
        interval = (own.low, own.high) if np.isfinite(own.low) else (None, None)
        test = "the corrected resampled t-test"
    else:
        generator = rng(seed, metric, "recommendation")
        found = [_by_documents(best, one, sign, generator) for one in rest]
        own_interval = bootstrap_interval(best.right, generator)
        interval = own_interval[1:] if _is_share(metric) else (None, None)
        test = "McNemar's exact test on whole documents"
    adjusted = holm([estimate.p for estimate in found])
    pairs = [_pair(one, estimate, p) for one, estimate, p in zip(rest, found, adjusted, strict=True)]
    return {
        **{"method": best.name, "value": float(best.values.mean()), "low": interval[0], "high": interval[1]},
        **{"metric": metric, "pairs": pairs, "test": test, "seconds": best.seconds},
        "quicker": _quicker(best, rest, pairs),
    }


def _is_share(metric: str) -> bool:
    """Return whether a metric is the share of documents that are right as a whole."""
    return metric in ("accuracy", "subset_accuracy")


def _by_documents(best: Entrant, one: Entrant, sign: float, generator: np.random.Generator) -> Estimate:
    """Return the difference of two methods on one split: its value, and interval and test over whole documents."""
    interval = bootstrap_interval(best.right.astype(float) - one.right, generator)
    value = float(sign * (best.values.mean() - one.values.mean()))
    return Estimate(value, interval.low, interval.high, sign_test(best.right, one.right))


def _pair(one: Entrant, estimate: Estimate, p: float) -> dict[str, Any]:
    """Return a row of ``pairs``; an infinite end of an interval is None."""
    low, high = (float(end) if np.isfinite(end) else None for end in (estimate.low, estimate.high))
    head = {"method": one.name, "value": float(one.values.mean()), "seconds": one.seconds}
    return {**head, "difference": estimate.value, "low": low, "high": high, "p": float(p)}


def _quicker(best: Entrant, rest: Sequence[Entrant], pairs: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the quickest method that is not distinguishable from the best and takes half of its time or less."""
    alike = [one for one, pair in zip(rest, pairs, strict=True) if pair["p"] >= ALPHA]
    quickest = min(alike, key=lambda one: one.seconds, default=None)
    return quickest.name if quickest is not None and quickest.seconds <= best.seconds / 2 else None


def sentences(found: Mapping[str, Any], trials: int) -> list[str]:
    """Return the recommendation in sentences.

    Parameters
    ----------
    found : of `recommend`.
    trials : number of trials.
    """
    metric, name = found["metric"].replace("_", " "), found["method"]
    better = "smallest" if METRICS[found["metric"]].loss else "largest"
    over = "on the test documents" if trials == 1 else f"over {trials} splits"
    interval = "" if found["low"] is None else f", 95 % interval {found['low']:.3f} to {found['high']:.3f}"
    said = [f"Use {name}: it has the {better} {metric} {over}, {found['value']:.3f}{interval}."]
    below = [pair["method"] for pair in found["pairs"] if pair["p"] < ALPHA and pair["difference"] > 0]
    alike = [pair["method"] for pair in found["pairs"] if pair["method"] not in below]
    if below:
        test = f"{found['test'][0].upper()}{found['test'][1:]}"
        said.append(f"{test} (Holm) shows that it is better than {', '.join(below)}.")
    if alike:
        said.append(f"It is not distinguishable from {', '.join(alike)}.")
    if found["quicker"]:
        seconds = next(pair["seconds"] for pair in found["pairs"] if pair["method"] == found["quicker"])
        said.append(
            f"{found['quicker']} is among these and takes {seconds:.3g} s a trial, not {found['seconds']:.3g} s."
        )
    return said
