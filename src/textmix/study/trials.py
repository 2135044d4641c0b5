"""Trials: fit and predict one method on every split of a data set, for every point of its grid."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textmix import io
from textmix.data.corpus import Corpus
from textmix.determinism import rng
from textmix.study.methods import Method, variants
from textmix.study.splits import Splits

logger = logging.getLogger("textmix")

FITS = ("variant", "trial", "converged", "n_iter", "objective")
TIMINGS = ("variant", "trial", "fit_seconds", "predict_seconds")


@dataclass(frozen=True)
class Predictions:
    """What a method said about the test documents: the contract between models and metrics.

    Parameters
    ----------
    variants : names of the grid points, in order.
    classes : predicted class index, int32 (variants, test documents of all trials in the order of the splits).
    true_log_proba : log posterior of the true class, float64, same shape; -inf for a class unseen in training.
    fits : rows of convergence facts (`FITS`).
    """

    variants: list[str]
    classes: np.ndarray
    true_log_proba: np.ndarray
    fits: list[dict[str, Any]]

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the predictions to a sealed folder."""
        with io.new_folder(folder, meta) as target:
            io.save_arrays(target, classes=self.classes, true_log_proba=self.true_log_proba)
            io.write_json(target / "variants.json", self.variants)
            io.write_text(target / "fits.csv", io.format_csv(self.fits, FITS))

    @classmethod
    def load(cls, folder: str | Path) -> Predictions:
        """Read a sealed folder of predictions."""
        io.check_result(folder)
        folder = Path(folder)
        return cls(
            variants=io.read_json(folder / "variants.json"),
            classes=io.load_array(folder, "classes"),
            true_log_proba=io.load_array(folder, "true_log_proba"),
            fits=io.read_csv(folder / "fits.csv"),
        )


def run_trials(
    corpus: Corpus, splits: Splits, method: Method, entry: Mapping[str, Any], seed: int
) -> tuple[Predictions, list[dict[str, Any]]]:
    """Fit and predict every variant on every trial.

    Parameters
    ----------
    corpus : a features corpus (`textmix.text.features`), single-label.
    splits : its splits.
    method : the registry entry.
    entry : the experiment's entry for it: ``params`` and ``grid``.
    seed : seed of the run; an estimator with a ``random_state`` gets one made of it, the data set and the trial.

    Returns
    -------
    predictions : what was predicted.
    timings : rows (`TIMINGS`), in seconds; the only part that differs between two runs.
    """
    points = list(variants(entry.get("params", {}), entry.get("grid", {})))
    n_test = len(splits.test.values)
    labels = corpus.classes()
    predicted = np.empty((len(points), n_test), dtype=np.int32)
    log_proba = np.empty((len(points), n_test))
    fits, timings = [], []
    _warm_up(method.make(points[0][1]), corpus, splits.train[0])
    for trial in range(len(splits)):
        train, test = splits.train[trial], splits.test[trial]
        X_train, X_test = corpus.features[train], corpus.features[test]  # type: ignore[index]
        place = slice(int(splits.test.offsets[trial]), int(splits.test.offsets[trial + 1]))
        for row, (name, params) in enumerate(points):
            estimator = _seeded(method.make(params), seed, corpus.name, trial)
            seconds = _fit_predict(
                estimator, (X_train, labels[train], X_test, labels[test]), predicted[row, place], log_proba[row, place]
            )
            fits.append({"variant": name, "trial": trial, **_convergence(estimator)})
            timings.append({"variant": name, "trial": trial, **seconds})
        logger.info(
            "%s on %s: trial %d of %d, accuracy %.4f, %.2f s for the last fit",
            *(method.name, corpus.name, trial + 1, len(splits)),
            *(float(np.mean(predicted[-1, place] == labels[test])), timings[-1]["fit_seconds"]),
        )
    return Predictions([name for name, _ in points], predicted, log_proba, fits), timings


def _warm_up(estimator: Any, corpus: Corpus, train: np.ndarray) -> None:
    """Fit and predict one document a class, so that compiling the kernels is in no measured time."""
    labels = corpus.classes()[train]
    rows = train[np.unique(labels, return_index=True)[1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = corpus.features[rows]  # type: ignore[index]
        estimator.fit(X, corpus.classes()[rows]).predict(X)


def _seeded(estimator: Any, seed: int, dataset: str, trial: int) -> Any:
    """Give an estimator that draws at random its own seed."""
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=int(rng(seed, dataset, trial, "fit").integers(2**31)))
    return estimator


def _fit_predict(
    estimator: Any, data: tuple[Any, np.ndarray, Any, np.ndarray], predicted: np.ndarray, log_proba: np.ndarray
) -> dict[str, float]:
    """Fit, predict into the given slices, and return the seconds of both."""
    X_train, y_train, X_test, y_test = data
    start = time.perf_counter()
    with warnings.catch_warnings():
        # A fit that did not converge is kept in fits.csv and marked in the tables.
        warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
        estimator.fit(X_train, y_train)
    fitted = time.perf_counter()
    predicted[:] = estimator.predict(X_test)
    done = time.perf_counter()
    posterior = estimator.predict_log_proba(X_test)
    column = np.searchsorted(estimator.classes_, y_test)
    known = estimator.classes_[np.minimum(column, len(estimator.classes_) - 1)] == y_test
    log_proba[:] = -np.inf
    log_proba[known] = posterior[np.flatnonzero(known), column[known]]
    return {"fit_seconds": fitted - start, "predict_seconds": done - fitted}


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
