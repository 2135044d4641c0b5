"""Trials: fit a method and predict on every split of a data set, for every point of its parameter grid."""

from __future__ import annotations

import importlib
import logging
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.estimator_factory import new_estimator
from textmix.experiment.methods import TUNING, Method, variants
from textmix.experiment.predictions import Predictions, join_predictions, pack_sets, true_log_proba
from textmix.experiment.profiling import profile
from textmix.experiment.splits import Splits
from textmix.experiment.trial import Documents, Trial
from textmix.numerics.seeding import rng
from textmix.text.vocabulary import BY_FOLD, of_fold

logger = logging.getLogger("textmix")

#: Columns of a timing file: wall-clock seconds, memory in bytes (`textmix.experiment.profiling.profile`), and the CPU
#: seconds of tuning, fit and prediction together, which do not depend on other processes of the machine.
TIMINGS = (
    "variant",
    "trial",
    "fit_seconds",
    "predict_seconds",
    "fit_bytes",
    "predict_bytes",
    "tune_seconds",
    "cpu_seconds",
)

#: Unused features are dropped if fewer than this proportion of the features occur in training documents.
MAX_USED_PROPORTION = 0.9
#: Training documents of the first trial in the fit that precedes the timed ones, so that Numba compiles its kernels.
WARM_UP_DOCUMENTS = 64


@dataclass(frozen=True)
class _Tuned:
    """A chosen grid point: its name, parameters and mean validation score; both times None without tuning."""

    name: str
    params: Mapping[str, Any]
    validation: float | None
    seconds: float | None


def run_trials(
    corpus: Corpus,
    splits: Splits,
    method: Method,
    entry: Mapping[str, Any],
    seed: int,
    *,
    X: Any = None,
    representation: Any = None,
) -> tuple[Predictions, list[dict[str, Any]]]:
    """Fit and predict every variant on every trial.

    Parameters
    ----------
    corpus : Corpus
        Corpus with features (`textmix.text.features`); with one label per document for a single-label method.
    splits : Splits
        Training and test documents of each trial.
    method : Method
        Entry of the registry.
    entry : mapping of str to object
        The experiment's entry of the method: ``params``; ``grid``, where each point is a variant; and ``tune``, a grid
        for cross-validation within each training set, which chooses one point.
    seed : int
        Seed of the run.  With data set and trial it determines the ``random_state`` of an estimator that has one.
    X : array-like, sparse matrix or TokenSequences, default=None
        The documents in place of the features of the corpus.
    representation : transformer, default=None
        Transformer that is fitted, with the estimator, to the training documents of each trial.

    Returns
    -------
    predictions : Predictions
        Predictions for the test documents of all trials.
    timings : list of dict
        One row (`TIMINGS`) per variant and trial; the only result that differs between two runs.

    Raises
    ------
    ConfigError
        If a representation is combined with features that have a vocabulary for each fold.
    """
    runner = _Runner(corpus.name, method, {"": entry}, seed, representation)
    return _run(corpus, splits, runner, X)[""]


def run_shared_trials(
    corpus: Corpus, splits: Splits, method: Method, entries: Mapping[str, Mapping[str, Any]], seed: int
) -> dict[str, tuple[Predictions, list[dict[str, Any]]]]:
    """Fit once in every trial, and predict for several entries that differ only in parameters of the prediction.

    The results of an entry are those of `run_trials`; its times include that of the fit.

    Parameters
    ----------
    corpus, splits, method, seed
        See `run_trials`.
    entries : mapping of str to mapping
        Entries of an experiment with ``params`` alone, unless there is only one.

    Returns
    -------
    results : dict of str to tuple of (Predictions, list of dict)
        Predictions and timings of each entry.
    """
    return _run(corpus, splits, _Runner(corpus.name, method, entries, seed, None), None)


def _run(
    corpus: Corpus, splits: Splits, runner: _Runner, X: Any
) -> dict[str, tuple[Predictions, list[dict[str, Any]]]]:
    """Fit and predict on every trial; see `run_trials`."""
    pruning = corpus.info.get("features", {}).get(BY_FOLD)
    if pruning is not None and runner.representation is not None:
        raise ConfigError("features: fit_on: fold: a comparison of methods counts words once; use fit_on: all")
    y = corpus.classes() if runner.method.task == "single" else corpus.indicators()
    documents = Documents(corpus.features if X is None else X, y)
    fits: dict[str, list[_Fitted]] = {name: [] for name in runner.entries}
    start = time.monotonic()
    for number in range(len(splits)):
        trial = Trial(number, documents[splits.train[number]], documents[splits.test[number]])
        if pruning is not None:
            trial = trial.with_features(of_fold(trial.train.X, pruning))
        if runner.method.seen_only and runner.representation is None:
            trial = _drop_unused_features(trial)
        if number == 0:
            runner.warm_up(trial)
        for fitted in runner.fit_variants(trial):
            for name, result in fitted.items():
                fits[name].append(result)
        predictions, timing = next(iter(fits.values()))[-1]
        accuracy = _accuracy(predictions, trial.test.y)
        n_done = number + 1
        seconds_per_trial = (time.monotonic() - start) / n_done
        logger.info(
            "%s: trial %d of %d, accuracy %.4f, last fit %.2f s, %.0f s left",
            runner.name,
            n_done,
            len(splits),
            accuracy,
            timing["fit_seconds"],
            seconds_per_trial * (len(splits) - n_done),
            extra={"computation": (runner.name, start)},
        )
    return {
        name: (join_predictions([predictions for predictions, _ in results]), [timing for _, timing in results])
        for name, results in fits.items()
    }


#: Predictions of a variant on one trial, and the row of `TIMINGS`.
_Fitted = tuple[Predictions, dict[str, Any]]


@dataclass(frozen=True)
class _Runner:
    """Fit the variants of one method on one data set; see `run_shared_trials` for the parameters."""

    dataset: str
    method: Method
    entries: Mapping[str, Mapping[str, Any]]
    seed: int
    representation: Any

    @property
    def name(self) -> str:
        return f"{self.method.name} on {self.dataset}"

    @property
    def entry(self) -> Mapping[str, Any]:
        """The entry with the parameters of the fit."""
        return next(iter(self.entries.values()))

    @property
    def points(self) -> list[tuple[str, dict[str, Any]]]:
        """Name and parameters of each variant."""
        params = self.entry.get("params", {})
        grid = self.entry.get("grid", {})
        return list(variants(params, grid))

    def fit_variants(self, trial: Trial) -> Iterator[dict[str, _Fitted]]:
        """Fit each variant on one trial, and yield the results of the entries."""
        for variant, params in self.points:
            yield self._fit(variant, params, trial)

    def _fit(self, variant: str, params: Mapping[str, Any], trial: Trial) -> dict[str, _Fitted]:
        start = time.process_time()
        axes = (self.seed, self.dataset, trial.number)

        def make(tuned_params: Mapping[str, Any]) -> Any:
            return new_estimator(self.method, {**params, **tuned_params}, axes, self.representation)

        tuned = self._tune(make, trial, axes)
        estimator = make(tuned.params)
        with warnings.catch_warnings():
            # Convergence is recorded in fits.csv and marked in the tables.
            warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
            _, fit_cost = profile(lambda: estimator.fit(trial.train.X, trial.train.y))
        fit_seconds = time.process_time() - start
        row = {
            "variant": variant,
            "trial": trial.number,
            **_convergence(estimator),
            "chosen": tuned.name,
            "validation": tuned.validation,
        }
        results = {}
        for name, entry in self.entries.items():
            start = time.process_time()
            if len(self.entries) > 1:
                self._set_prediction_params(estimator, entry)
            arrays, predict_cost = _predict(self.method.task, estimator, trial)
            timing = {
                "variant": variant,
                "trial": trial.number,
                "fit_seconds": fit_cost["seconds"],
                "predict_seconds": predict_cost["seconds"],
                "fit_bytes": fit_cost["bytes"],
                "predict_bytes": predict_cost["bytes"],
                "tune_seconds": tuned.seconds,
                "cpu_seconds": fit_seconds + time.process_time() - start,
            }
            results[name] = (Predictions([variant], [row], **arrays), timing)
        return results

    def _set_prediction_params(self, estimator: Any, entry: Mapping[str, Any]) -> None:
        """Set the parameters in which the entries differ, which only the prediction reads."""
        wanted = self.method.make(entry.get("params", {})).get_params()
        named = {key for other in self.entries.values() for key in other.get("params", {})}
        estimator.set_params(**{key: wanted[key] for key in named})

    def _tune(self, make: Callable[[Mapping[str, Any]], Any], trial: Trial, axes: tuple[int, str, int]) -> _Tuned:
        """Choose the best point of the grid ``tune`` by cross-validation; without one, return an empty point."""
        if "tune" not in self.entry:
            return _Tuned("", {}, None, None)
        start = time.perf_counter()
        # Imported by name: code digests follow import statements, and the metrics affect a fit only if it is tuned.
        tuning = importlib.import_module(TUNING)
        data = (trial.train.X, trial.train.y)
        generator = rng(*axes, "tune")
        name, params, validation = tuning.tune(self.method.task, make, self.entry["tune"], data, generator)
        return _Tuned(name, params, validation, time.perf_counter() - start)

    def warm_up(self, trial: Trial) -> None:
        """Fit to a few documents and predict them, so that no measured time includes the compilation of kernels."""
        if not self.method.module.startswith("textmix."):
            return
        # Evenly spaced over the training documents: the first ones of a sorted data set would all have the same class.
        positions = np.linspace(0, len(trial.train) - 1, WARM_UP_DOCUMENTS)
        rows = np.unique(positions.astype(np.int64))
        sample = trial.train[rows]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator = new_estimator(self.method, self.points[0][1], representation=self.representation)
                estimator.fit(sample.X, sample.y).predict(sample.X)
        except ValueError as error:
            logger.info(
                "%s: the first fit time includes compilation, because %d documents are too few to warm up: %s",
                self.method.name,
                WARM_UP_DOCUMENTS,
                error,
            )


def _drop_unused_features(trial: Trial) -> Trial:
    """Drop the features that occur in no training document, if they are many (`MAX_USED_PROPORTION`).

    Their weights would stay zero, but an iterative solver would visit them in every step.
    """
    X = trial.train.X
    if not sparse.issparse(X):
        return trial
    is_used = np.bincount(X.indices, minlength=X.shape[1]) > 0
    if not 0.0 < is_used.mean() < MAX_USED_PROPORTION:
        return trial
    return trial.with_features(is_used)


def _predict(task: str, estimator: Any, trial: Trial) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Predict the test documents of a trial; return the arrays of `Predictions`, and the seconds and bytes."""
    predicted, cost = profile(lambda: estimator.predict(trial.test.X))
    arrays = {"true_log_proba": true_log_proba(task, estimator, trial.test.X, trial.test.y)}
    if task == "single":
        arrays["classes"] = predicted.astype(np.int32)
    else:
        arrays["sets"] = pack_sets(predicted)
    if hasattr(estimator, "predict_proba"):
        proba = estimator.predict_proba(trial.test.X)
        marginals = proba.max(axis=1) if task == "single" else proba
        arrays["marginals"] = np.asarray(marginals, dtype=np.float32)
    return {name: array[np.newaxis] for name, array in arrays.items()}, cost


def _accuracy(predictions: Predictions, truth: np.ndarray) -> float:
    """Compute the proportion of test documents with a correct class or label set, for a single fit."""
    if predictions.classes is not None:
        return float(np.mean(predictions.classes[0] == truth))
    label_sets = predictions.label_sets(0, slice(None), truth.shape[1])
    return float(np.mean(np.all(label_sets == truth, axis=1)))


def _convergence(estimator: Any) -> dict[str, Any]:
    """Return the columns of fits.csv on convergence; None for attributes that the estimator does not have."""
    fitted = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    path = getattr(fitted, "objective_path_", None)
    n_iter = getattr(fitted, "n_iter_", None)
    converged = getattr(fitted, "converged_", None)
    if converged is None and n_iter is not None and hasattr(fitted, "max_iter"):
        converged = bool(np.max(n_iter) < fitted.max_iter)
    columns: dict[str, Any] = dict.fromkeys(("converged", "n_iter", "objective"))
    if converged is not None:
        columns["converged"] = bool(np.all(converged))
    if n_iter is not None:
        columns["n_iter"] = int(np.max(n_iter))
    if path is not None and len(path):
        columns["objective"] = _last_objective(path)
    return columns


def _last_objective(path: Any) -> float:
    """Return the last value of an objective path, or the sum of the last values if each class has a path."""
    paths = [path] if np.ndim(path[0]) == 0 else path
    last_values = [values[-1] for values in paths]
    return float(np.sum(last_values))
