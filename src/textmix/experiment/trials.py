"""Trials: one method fitted and used to predict on every split of a data set, for every point of its grid."""

from __future__ import annotations

import importlib
import logging
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.estimator_factory import Views, new_estimator
from textmix.experiment.methods import TUNING, Method, variants
from textmix.experiment.predictions import Predictions, joined, pack_sets, true_log_proba
from textmix.experiment.profiling import measured
from textmix.experiment.splits import Splits
from textmix.experiment.trial import Documents, Trial
from textmix.numerics.seeding import rng
from textmix.text.vocabulary import BY_FOLD, of_fold

logger = logging.getLogger("textmix")

#: Columns of a timing file: seconds, memory in bytes as `textmix.experiment.profiling.measured` gives it, and the
#: CPU seconds of search, fit and prediction together, which other processes on the machine do not lengthen.
TIMINGS = (
    *("variant", "trial", "fit_seconds", "predict_seconds", "fit_bytes", "predict_bytes", "tune_seconds"),
    "cpu_seconds",
)

#: `_seen_only` drops the features that no training document has where the remaining ones are fewer than this share.
FEW_SEEN = 0.9
#: Number of training documents of the first trial that a method is fitted to before the timed fits, so that Numba
#: compiles its kernels.
WARM_UP = 64


def run_trials(
    corpus: Corpus,
    splits: Splits,
    method: Method,
    entry: Mapping[str, Any],
    seed: int,
    *,
    views: Views | None = None,
    cell: int | None = None,
) -> tuple[Predictions, list[dict[str, Any]]]:
    """Fit and predict every variant on every trial, or make a single one of these fits.

    Parameters
    ----------
    corpus : a features corpus (`textmix.text.features`); a single-label one for a single-label method.
    entry : the experiment's entry of the method: ``params``; ``grid``, each point of which is a variant; and ``tune``,
        a grid, one point of which is chosen by cross-validation in each training part.  With ``choices``, mappings of
        ``view`` and ``weighting``, the first one is the representation.
    seed : seed of the run; with the data set and the trial it fixes the ``random_state`` of an estimator that has one.
    views : the documents in several views, from which ``choices`` choose; None for the features of the corpus.
    cell : number of the one fit to make, counted by trial and within a trial by variant; None makes all fits.

    Returns
    -------
    predictions : of the test documents of all trials, or of the trial of the cell.
    timings : rows (`TIMINGS`), one a variant and trial; the only part that differs between two runs.
    """
    features = corpus.features if views is None else views
    documents = Documents(features, corpus.classes() if method.task == "single" else corpus.indicators())
    points = list(variants(entry.get("params", {}), entry.get("grid", {})))
    cut = corpus.info.get("features", {}).get(BY_FOLD)
    if cut is not None and views is not None:
        raise ConfigError("features: fit_on: fold: a comparison of methods counts words once; use fit_on: all")
    wanted = _variants_of_trials(len(splits), len(points), cell)
    fits: list[tuple[Predictions, dict[str, Any]]] = []
    start = time.monotonic()
    for done, (number, rows) in enumerate(wanted.items(), start=1):
        trial = Trial(number, documents[splits.train[number]], documents[splits.test[number]])
        if cut is not None:
            kept = of_fold(trial.train.X, cut)
            trial = replace(trial, train=trial.train.columns(kept), test=trial.test.columns(kept))
        if method.seen_only:
            trial = _seen_only(trial)
        if not fits:
            _warm_up(method, {**points[rows[0]][1], **_first(entry)}, trial)
        axes = (seed, corpus.name, number)
        fits += [_fit(method, entry, points[row], trial, axes) for row in rows]
        logger.info(
            "%s on %s: trial %d of %d, accuracy %.4f, %.2f s for the last fit, %.0f s left",
            *(method.name, corpus.name, number + 1, len(splits)),
            *(_accuracy(fits[-1][0], trial.test.y), fits[-1][1]["fit_seconds"]),
            (time.monotonic() - start) / done * (len(wanted) - done),
            extra={"computation": (f"{method.name} on {corpus.name}", start)},
        )
    return joined([predictions for predictions, _ in fits]), [timing for _, timing in fits]


def _variants_of_trials(n_trials: int, n_variants: int, cell: int | None) -> dict[int, list[int]]:
    """Return trial -> numbers of the variants to fit on it: all variants of all trials, or those of one cell."""
    if cell is None:
        return {trial: list(range(n_variants)) for trial in range(n_trials)}
    trial, row = divmod(cell, n_variants)
    return {trial: [row]}


def _fit(
    method: Method,
    entry: Mapping[str, Any],
    point: tuple[str, dict[str, Any]],
    trial: Trial,
    axes: tuple[int, str, int],
) -> tuple[Predictions, dict[str, Any]]:
    """Return the predictions of one variant on the test part of one trial, and its row of `TIMINGS`."""
    name, params = point
    start = time.process_time()

    def make(chosen: Mapping[str, Any]) -> Any:
        """Return a new estimator of the variant, at a chosen point."""
        return new_estimator(method, {**params, **chosen}, axes)

    (chosen, best, validation), tuned = _tune(method, make, entry, trial, axes)
    estimator = make(best)
    arrays, seconds = _fit_predict(method.task, estimator, trial)
    row = {"variant": name, "trial": axes[2], **_convergence(estimator), "chosen": chosen, "validation": validation}
    return Predictions([name], [row], **arrays), {
        **{"variant": name, "trial": axes[2]},
        **seconds,
        "tune_seconds": tuned,
        "cpu_seconds": time.process_time() - start,
    }


def _seen_only(trial: Trial) -> Trial:
    """Return a trial without the features that no training document has, if these are many (`FEW_SEEN`).

    The weights of the dropped features would stay zero, but an iterative solver would visit them in every step.
    """
    X = trial.train.X
    if not sparse.issparse(X):
        return trial
    seen = np.bincount(X.indices, minlength=X.shape[1]) > 0
    if not 0.0 < seen.mean() < FEW_SEEN:
        return trial
    return replace(trial, train=trial.train.columns(seen), test=trial.test.columns(seen))


def _tune(
    method: Method, make: Callable[..., Any], entry: Mapping[str, Any], trial: Trial, axes: tuple[int, str, int]
) -> tuple[tuple[str, dict[str, Any], float | None], float | None]:
    """Return name, content and mean score of the chosen point, and the seconds; None for both without a search."""
    if "tune" not in entry:
        name = next(variants({}, {key: [value] for key, value in _first(entry).items()}))[0]
        return (name, _first(entry), None), None
    # By name: a code digest follows import statements, and the metrics are code of a fit only where it tunes.
    start = time.perf_counter()
    data, generator = (trial.train.X, trial.train.y), rng(*axes, "tune")
    chosen = importlib.import_module(TUNING).tune(method.task, make, entry["tune"], data, generator)
    return chosen, time.perf_counter() - start


def _first(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first choice of view and weighting of an entry; empty where it has none."""
    return dict(entry["choices"][0]) if "choices" in entry else {}


def _fit_predict(task: str, estimator: Any, trial: Trial) -> tuple[dict[str, np.ndarray], dict[str, float | None]]:
    """Fit, predict, and return the arrays of `Predictions`, and seconds and bytes of both calls as in `TIMINGS`."""
    with warnings.catch_warnings():
        # Convergence is recorded in fits.csv and marked in the tables.
        warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
        _, fit_cost = measured(lambda: estimator.fit(trial.train.X, trial.train.y))
    predicted, predict_cost = measured(lambda: estimator.predict(trial.test.X))
    kind, predictions = ("classes", predicted.astype(np.int32)) if task == "single" else ("sets", pack_sets(predicted))
    arrays = {"true_log_proba": true_log_proba(task, estimator, trial.test.X, trial.test.y), kind: predictions}
    if hasattr(estimator, "predict_proba"):
        proba = estimator.predict_proba(trial.test.X)
        arrays["marginals"] = np.asarray(proba.max(axis=1) if task == "single" else proba, dtype=np.float32)
    costs = {"fit": fit_cost, "predict": predict_cost}
    spent = {f"{stage}_{unit}": cost[unit] for unit in ("seconds", "bytes") for stage, cost in costs.items()}
    return {name: array[np.newaxis] for name, array in arrays.items()}, spent


def _accuracy(predictions: Predictions, truth: np.ndarray) -> float:
    """Return the share of the documents of one fit whose class or whole label set is predicted."""
    if predictions.classes is not None:
        return float(np.mean(predictions.classes[0] == truth))
    return float(np.mean(np.all(predictions.label_sets(0, slice(None), truth.shape[1]) == truth, axis=1)))


def _warm_up(method: Method, params: Mapping[str, Any], trial: Trial) -> None:
    """Fit and predict `WARM_UP` documents, so that no measured time contains the compilation of textmix's kernels."""
    if not method.module.startswith("textmix."):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Spread over the training part: documents that are sorted by class would give one class alone.
            few = trial.train[np.unique(np.linspace(0, len(trial.train) - 1, WARM_UP).astype(np.int64))]
            new_estimator(method, params).fit(few.X, few.y).predict(few.X)
    except ValueError as error:
        logger.info(
            "%s: its first time contains compilation, because %d documents are too few: %s", method.name, WARM_UP, error
        )


def _convergence(estimator: Any) -> dict[str, Any]:
    """Return the columns of fits.csv on convergence; None where the estimator has no such attribute."""
    path = getattr(estimator, "objective_path_", None)
    n_iter = getattr(estimator, "n_iter_", None)
    converged = getattr(estimator, "converged_", None)
    if converged is None and n_iter is not None and hasattr(estimator, "max_iter"):
        converged = bool(np.max(n_iter) < estimator.max_iter)
    return {
        "converged": None if converged is None else bool(np.all(converged)),
        "n_iter": None if n_iter is None else int(np.max(n_iter)),
        "objective": None if path is None or not len(path) else _last_objective(path),
    }


def _last_objective(path: Any) -> float:
    """Return the last value of an objective path, or the sum of the last values where each class has its own path."""
    paths = [path] if np.ndim(path[0]) == 0 else path
    return float(np.sum([values[-1] for values in paths]))
