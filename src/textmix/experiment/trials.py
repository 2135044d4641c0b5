"""Trials: fit and predict one method on every split of a data set, for every point of its grid."""

from __future__ import annotations

import importlib
import logging
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.determinism import rng
from textmix.core.runtime import progress
from textmix.data.corpus import Corpus
from textmix.experiment.cost import measured
from textmix.experiment.predictions import Predictions, pack_sets, true_log_proba
from textmix.experiment.splits import Splits
from textmix.plan.methods import Method, variants

logger = logging.getLogger("textmix")

TIMINGS = ("variant", "trial", "fit_seconds", "predict_seconds", "fit_bytes", "predict_bytes", "tune_seconds")

#: Below this share of features seen in training, those that are not are left out of fits that they change nothing of.
FEW_SEEN = 0.9
#: Documents of the first training part on which the kernels are compiled before anything is timed.
WARM_UP = 64


@dataclass(frozen=True)
class _Trial:
    """Training and test part of one trial: X (n, V) and classes (n,) or label indicators (n, L) of each."""

    X_train: Any
    y_train: np.ndarray
    X_test: Any
    y_test: np.ndarray


def run_trials(
    corpus: Corpus, splits: Splits, method: Method, entry: Mapping[str, Any], seed: int
) -> tuple[Predictions, list[dict[str, Any]]]:
    """Fit and predict every variant on every trial.

    Parameters
    ----------
    corpus : a features corpus (`textmix.text.features`); a single-label one for a single-label method.
    splits : its splits.
    method : the registry entry.
    entry : the experiment's entry for it: ``params``, ``grid`` (every point of which is a variant) and ``tune`` (a
        grid of which cross-validation in each training part chooses a point).
    seed : seed of the run; an estimator with a ``random_state`` gets one made of it, the data set and the trial.

    Returns
    -------
    predictions : what was predicted.
    timings : rows (`TIMINGS`), in seconds and bytes; the only part that differs between two runs.
    """
    truth = corpus.classes() if method.task == "single" else corpus.indicators()
    points = list(variants(entry.get("params", {}), entry.get("grid", {})))
    store = _Store(method.task, len(points), len(splits.test.values), truth)
    fits, timings = [], []
    start = time.monotonic()
    for number in range(len(splits)):
        train, test = splits.train[number], splits.test[number]
        X_train, X_test = corpus.features[train], corpus.features[test]  # type: ignore[index]
        if method.seen_only:
            X_train, X_test = _seen_only(X_train, X_test)
        trial = _Trial(X_train, truth[train], X_test, truth[test])
        if number == 0:
            _warm_up(method, points[0][1], trial)
        for row, (name, params) in enumerate(points):

            def make(point: Mapping[str, Any], params: Mapping[str, Any] = params, number: int = number) -> Any:
                return _telling(_seeded(method.make({**params, **point}), seed, corpus.name, number), corpus.name)

            chosen, point, tuned = _tune(
                method.task, make, entry.get("tune"), trial, rng(seed, corpus.name, number, "tune")
            )
            estimator = make(point)
            seconds = store.fit_predict(estimator, trial, (row, splits.test_place(number)))
            fits.append({"variant": name, "trial": number, **_convergence(estimator), "chosen": chosen})
            timings.append({"variant": name, "trial": number, **seconds, "tune_seconds": tuned})
        logger.info(
            "%s on %s: trial %d of %d, %.4f right, %.2f s for the last fit, %.0f s left",
            *(method.name, corpus.name, number + 1, len(splits)),
            *(store.right(len(points) - 1, splits.test_place(number), trial.y_test), timings[-1]["fit_seconds"]),
            (time.monotonic() - start) / (number + 1) * (len(splits) - number - 1),
        )
    return Predictions([name for name, _ in points], fits, **store.arrays), timings


def _seen_only(X_train: Any, X_test: Any) -> tuple[Any, Any]:
    """Return both parts without the features that no training document has, where those are many.

    They are unknowns that a solver would go through in every step, to give them no weight in the end.
    """
    if not sparse.issparse(X_train):
        return X_train, X_test
    seen = np.bincount(X_train.indices, minlength=X_train.shape[1]) > 0
    if not 0.0 < seen.mean() < FEW_SEEN:
        return X_train, X_test
    return X_train[:, seen], X_test[:, seen]


def _tune(
    task: str, make: Callable[..., Any], search: Mapping[str, Any] | None, trial: _Trial, generator: np.random.Generator
) -> tuple[str, dict[str, Any], float | None]:
    """Return name, parameters and seconds of what tuning chose; nothing where there is nothing to choose."""
    if search is None:
        return "", {}, None
    # Named by string, as `Plan.method_code` does: metrics are code of a fit only where they decide on parameters.
    tune = importlib.import_module("textmix.experiment.tuning").tune
    start = time.perf_counter()
    chosen, point = tune(task, make, search, (trial.X_train, trial.y_train), generator)
    return chosen, point, time.perf_counter() - start


class _Store:
    """The arrays of `Predictions`, filled trial by trial."""

    def __init__(self, task: str, n_variants: int, n_test: int, truth: np.ndarray) -> None:
        self.task, self.shape, self.n_labels = task, (n_variants, n_test), truth.shape[-1]
        self.arrays: dict[str, np.ndarray] = {"true_log_proba": np.full(self.shape, np.nan)}
        if task == "single":
            self.arrays["classes"] = np.empty(self.shape, dtype=np.int32)
        else:
            self.arrays["sets"] = np.empty((*self.shape, -(-self.n_labels // 8)), dtype=np.uint8)

    def fit_predict(self, estimator: Any, trial: _Trial, at: tuple[int, slice]) -> dict[str, float | None]:
        """Fit, predict into row and columns ``at``, and return the seconds and the memory of both."""
        with warnings.catch_warnings():
            # A fit that did not converge is kept in fits.csv and marked in the tables.
            warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
            _, fit_cost = measured(lambda: estimator.fit(trial.X_train, trial.y_train))
        predicted, predict_cost = measured(lambda: estimator.predict(trial.X_test))
        if self.task == "single":
            self.arrays["classes"][at] = predicted
        else:
            self.arrays["sets"][at] = pack_sets(predicted)
        self.arrays["true_log_proba"][at] = true_log_proba(self.task, estimator, trial.X_test, trial.y_test)
        if hasattr(estimator, "predict_proba"):
            self._keep_marginals(estimator.predict_proba(trial.X_test), at)
        costs = {"fit": fit_cost, "predict": predict_cost}
        return {f"{stage}_{unit}": cost[unit] for unit in ("seconds", "bytes") for stage, cost in costs.items()}

    def _keep_marginals(self, proba: np.ndarray, at: tuple[int, slice]) -> None:
        """Keep the probability of the predicted class, or of each label."""
        if "marginals" not in self.arrays:
            shape = self.shape if self.task == "single" else (*self.shape, self.n_labels)
            self.arrays["marginals"] = np.full(shape, np.nan, dtype=np.float32)
        self.arrays["marginals"][at] = proba.max(axis=1) if self.task == "single" else proba

    def right(self, row: int, place: slice, truth: np.ndarray) -> float:
        """Return the share of documents whose class or whole label set is predicted."""
        if self.task == "single":
            return float(np.mean(self.arrays["classes"][row, place] == truth))
        return float(np.mean(np.all(self.arrays["sets"][row, place] == pack_sets(truth), axis=1)))


def _warm_up(method: Method, params: Mapping[str, Any], trial: _Trial) -> None:
    """Fit and predict a few documents, so that compiling our kernels is in no measured time."""
    if not method.module.startswith("textmix."):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            few = method.make(params).fit(trial.X_train[:WARM_UP], trial.y_train[:WARM_UP])
            few.predict(trial.X_train[:WARM_UP])
    except ValueError as error:
        logger.info(
            "%s: its first time includes compilation, for %d documents are too few: %s", method.name, WARM_UP, error
        )


def _seeded(estimator: Any, seed: int, dataset: str, trial: int) -> Any:
    """Give an estimator that draws at random its own seed."""
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=int(rng(seed, dataset, trial, "fit").integers(2**31)))
    return estimator


def _telling(estimator: Any, dataset: str) -> Any:
    """Let an estimator of many iterations log how far it is."""
    params = estimator.get_params()
    if "callback" in params:
        report = progress(f"{type(estimator).__name__} on {dataset}", params["max_iter"])
        estimator.set_params(callback=lambda fitted: report(fitted.n_iter_, float(fitted.objective_path_[-1])))
    return estimator


def _convergence(estimator: Any) -> dict[str, Any]:
    """Return what an estimator tells of its convergence; empty cells where it has nothing to tell."""
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
    """Return the last value of an objective path, or the sum of the last values of one path a class."""
    paths = [path] if np.ndim(path[0]) == 0 else path
    return float(np.sum([values[-1] for values in paths]))
