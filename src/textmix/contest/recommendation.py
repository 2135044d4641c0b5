"""The recommended method of a comparison on one data set: chosen on training documents, described on test documents.

The method with the best score in cross-validation on the training documents is chosen.  The test documents take no part
in the choice: they give its score with an interval, and describe the further methods beside it.

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
from textmix.metrics.significance import (
    LEVEL,
    Estimate,
    bootstrap_interval,
    holm,
    resampled_difference,
    sign_test,
    wilson,
)
from textmix.metrics.table import METRICS
from textmix.numerics.determinism import rng

#: Largest loss, in the unit of the metric, with which a quicker method is named: its whole interval lies below.
MARGIN = 0.01
#: Where methods are validated, in words.
FOLDS = "in cross-validation on the training documents"


@dataclass(frozen=True)
class Entrant:
    """A method with a score in all trials.

    Parameters
    ----------
    name : of the method.
    values : the metric in each trial on the test documents, float (J,).
    validation : mean of the metric over folds of the training documents, over the trials; None where nothing was tuned.
    seconds : median seconds of a trial: search, fit and prediction.
    right : bool (T,), whether the class or the whole label set of each test document is predicted, over all trials.
    """

    name: str
    values: np.ndarray
    seconds: float
    right: np.ndarray
    validation: float | None = None


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


def recommend(
    entrants: Sequence[Entrant], metric: str, splits: Splits, seed: int, margin: float = MARGIN
) -> dict[str, Any]:
    """Return the recommendation, ready for JSON.

    Parameters
    ----------
    entrants : at least one; where no one has a score on folds, the first of them by their order is chosen.
    metric : by which methods are compared.
    splits : the J trials.
    seed : of the run; it draws the resamples.
    margin : largest loss with which a quicker method is named, in the unit of the metric.

    Returns
    -------
    ``method``; ``validation``, its mean score on folds of the training documents; ``value``, ``low`` and ``high`` of
    its mean score on test documents (None where one split and the metric give no interval); ``pairs``, for each further
    method ``method``, ``validation``, ``value``, its ``difference`` from the chosen one (positive where the chosen one
    is better), ``low``, ``high`` and ``p``; ``test``, which test gave them; ``rank`` of the chosen method by the test
    documents, 1 for the best; ``quicker``, the quickest method that takes half of its time or less and loses no more
    than the margin by the whole interval, or None.
    """
    sign = -1.0 if METRICS[metric].loss else 1.0
    order = sorted(entrants, key=lambda entrant: (-_validated(entrant, sign), entrant.seconds))
    chosen, others = order[0], order[1:]
    if len(splits) > 1:
        ratio = len(splits.test[0]) / len(splits.train[0])
        estimate_of_chosen = resampled_difference(chosen.values, np.zeros(len(chosen.values)), ratio)
        estimates = [resampled_difference(sign * chosen.values, sign * entrant.values, ratio) for entrant in others]
        # Scores that are equal in all splits have no interval.
        interval = (
            (estimate_of_chosen.low, estimate_of_chosen.high)
            if np.isfinite(estimate_of_chosen.low) and estimate_of_chosen.high > estimate_of_chosen.low
            else (None, None)
        )
        test = "the corrected resampled t-test"
    else:
        share = _is_share(metric)
        estimates = [
            _by_documents(chosen, entrant, sign, rng(seed, metric, entrant.name, "difference") if share else None)
            for entrant in others
        ]
        interval = wilson(float(chosen.right.mean()), len(chosen.right)) if share else (None, None)
        test = "McNemar's exact test on whole documents"
    adjusted = holm([estimate.p for estimate in estimates])
    pairs = [_pair(entrant, estimate, p) for entrant, estimate, p in zip(others, estimates, adjusted, strict=True)]
    bounded = len(splits) > 1 or _is_share(metric)
    return {
        **{"method": chosen.name, "validation": chosen.validation, "value": float(chosen.values.mean())},
        **{"low": interval[0], "high": interval[1], "metric": metric, "pairs": pairs, "test": test},
        "rank": 1 + sum(bool(sign * entrant.values.mean() > sign * chosen.values.mean()) for entrant in others),
        "margin": margin,
        "seconds": chosen.seconds,
        "quicker": _quicker(chosen, pairs, margin) if bounded else None,
    }


def _validated(entrant: Entrant, sign: float) -> float:
    """Return the score on folds, larger is better; a method without one is the last."""
    return -np.inf if entrant.validation is None else sign * entrant.validation


def _is_share(metric: str) -> bool:
    """Return whether a metric is the share of documents that are right as a whole."""
    return metric in ("accuracy", "subset_accuracy")


def _by_documents(best: Entrant, other: Entrant, sign: float, generator: np.random.Generator | None) -> Estimate:
    """Return the difference of two methods on one split: its value, and interval and test over whole documents.

    A metric that is no share of documents has no ``generator`` and no interval: that of the share is not its own.
    """
    value, p = float(sign * (best.values.mean() - other.values.mean())), sign_test(best.right, other.right)
    if generator is None:
        return Estimate(value, -np.inf, np.inf, p)
    interval = bootstrap_interval(best.right.astype(float) - other.right, generator)
    return Estimate(value, interval.low, interval.high, p)


def _pair(other: Entrant, estimate: Estimate, p: float) -> dict[str, Any]:
    """Return a row of ``pairs``; an infinite end of an interval is None."""
    low, high = (float(end) if np.isfinite(end) else None for end in (estimate.low, estimate.high))
    head = {
        "method": other.name,
        "validation": other.validation,
        "value": float(other.values.mean()),
        "seconds": other.seconds,
    }
    return {**head, "difference": estimate.value, "low": low, "high": high, "p": float(p)}


def _quicker(chosen: Entrant, pairs: Sequence[Mapping[str, Any]], margin: float) -> str | None:
    """Return the quickest method that takes half of the time or less and loses no more than the margin; else None.

    Its loss is bounded by the upper end of the interval, so that a comparison which decides nothing names no method.
    """
    half = [pair for pair in pairs if pair["seconds"] <= chosen.seconds / 2]
    bounded = [pair for pair in half if pair["high"] is not None and pair["high"] <= margin]
    return min((pair["method"] for pair in bounded), key=_seconds_of(pairs).__getitem__, default=None)


def _seconds_of(pairs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the seconds of each method of some pairs."""
    return {pair["method"]: pair["seconds"] for pair in pairs}


def sentences(choice: Mapping[str, Any], trials: int) -> list[str]:
    """Return the recommendation in sentences.

    Parameters
    ----------
    choice : of `recommend`; ``where`` says on which documents methods were validated, by default in cross-validation.
    trials : number of trials.
    """
    metric, name = choice["metric"].replace("_", " "), choice["method"]
    better = "smallest" if METRICS[choice["metric"]].loss else "largest"
    over = "on the test documents" if trials == 1 else f"on the test documents of {trials} splits"
    interval = "" if choice["low"] is None else f", 95 % interval {choice['low']:.3f} to {choice['high']:.3f}"
    if choice["validation"] is None:
        lines = [f"Use {name}: it has a {metric} of {choice['value']:.3f}{interval} {over}; no method was validated."]
    else:
        lines = [
            f"Use {name}: it has the {better} {metric} {choice.get('where', FOLDS)}, "
            f"{choice['validation']:.3f}, and {choice['value']:.3f}{interval} {over}, which took no part in the choice."
        ]
    return [*lines, *_of_pairs(choice)]


def _of_pairs(choice: Mapping[str, Any]) -> list[str]:
    """Return the sentences on the further methods: worse, better, undecided, and a quicker one."""
    pairs, lines = choice["pairs"], []
    if not pairs:
        return []
    decided = [pair for pair in pairs if pair["p"] < LEVEL]
    worse = [pair["method"] for pair in decided if pair["difference"] > 0]
    ahead = [pair["method"] for pair in decided if pair["difference"] < 0]
    undecided = [pair["method"] for pair in pairs if pair not in decided]
    test = f"{choice['test'][0].upper()}{choice['test'][1:]}"
    if worse:
        lines.append(f"{test} (Holm) shows that it is better than {', '.join(worse)}.")
    if ahead:
        lines.append(f"{test} (Holm) shows that {', '.join(ahead)} would have been better on these test documents.")
    if undecided:
        lines.append(f"The comparison with {', '.join(undecided)} is undecided.")
    if choice["rank"] > 1:
        lines.append(f"By the test documents alone it would be number {choice['rank']} of {len(pairs) + 1} methods.")
    if choice["quicker"]:
        seconds = _seconds_of(pairs)[choice["quicker"]]
        lines.append(
            f"{choice['quicker']} takes {seconds:.3g} s a trial, not {choice['seconds']:.3g} s, and loses no more than "
            f"{choice['margin']:g} by the whole 95 % interval."
        )
    return lines
