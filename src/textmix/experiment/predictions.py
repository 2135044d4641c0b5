"""Stored predictions: everything that metrics need, so that a changed metric does not require a new fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core import io

#: Columns of fits.csv, one row per fit: convergence, the grid point chosen by tuning, and the mean of the tuning metric
#: over the folds of the training documents at this point.
FITS = ("variant", "trial", "converged", "n_iter", "objective", "chosen", "validation")
#: Fields of `Predictions` that are arrays.
ARRAYS = ("true_log_proba", "classes", "sets", "marginals", "confidence", "decisions", "text")


@dataclass(frozen=True)
class Predictions:
    """Predictions of a method for the T test documents of all trials, in the order of the splits.

    A document that is tested in several trials counts once for each of them.

    Parameters
    ----------
    variants : sequence of str of length G
        Name of each point of the parameter grid, which is a variant of the method.
    fits : sequence of mappings
        One row (`FITS`) per variant and trial.
    true_log_proba : ndarray of shape (G, T), dtype=float64
        Log probability of the true class or label set: -inf for a class without training documents, nan for a method
        without probabilities.
    classes : ndarray of shape (G, T), dtype=int32, default=None
        Indices of the predicted classes; None for label sets.
    sets : ndarray of shape (G, T, ceil(L / 8)), dtype=uint8, default=None
        Predicted label sets, eight labels per byte (`pack_sets`); None for classes.
    marginals : ndarray of shape (G, T) or (G, T, L), dtype=float32, default=None
        Probability of the predicted class, or of each label.
    confidence : ndarray of shape (G, T), dtype=float32, default=None
        Probability that the predicted label set is correct.
    decisions : ndarray of shape (G, T, 3, ceil(L / 8)), dtype=uint8, default=None
        Label sets according to each decision rule.
    text : ndarray of shape (G, T, 2), dtype=float64, default=None
        Log likelihood and number of words of each text.
    """

    variants: Sequence[str]
    fits: Sequence[Mapping[str, Any]]
    true_log_proba: np.ndarray
    classes: np.ndarray | None = None
    sets: np.ndarray | None = None
    marginals: np.ndarray | None = None
    confidence: np.ndarray | None = None
    decisions: np.ndarray | None = None
    text: np.ndarray | None = None

    def label_sets(self, variant: int, documents: slice, n_labels: int) -> np.ndarray:
        """Return the predicted label sets of a variant as indicators, int8 (n, L)."""
        if self.sets is None:
            raise ValueError("predictions of a single-label method contain classes, not label sets")
        bits = np.unpackbits(self.sets[variant, documents], axis=1, count=n_labels)
        return bits.astype(np.int8)

    def write(self, folder: Path) -> None:
        """Write the files of the predictions to an open result folder, or to a new subfolder of it."""
        folder.mkdir(exist_ok=True)
        optional = {name: getattr(self, name) for name in ARRAYS}
        arrays = {name: array for name, array in optional.items() if array is not None}
        io.save_arrays(folder, **arrays)
        io.write_json(folder / "variants.json", list(self.variants))
        io.write_text(folder / "fits.csv", io.format_csv(self.fits, FITS))

    @classmethod
    def load(cls, folder: str | Path, part: str = "") -> Predictions:
        """Read predictions from a result folder, or from its subfolder ``part``.

        Raises
        ------
        IntegrityError
            If a file is missing or was modified.
        MissingResult
            If the job recorded a reason instead of a result.
        """
        files = io.check_result(folder)["files"]
        folder = Path(folder) / part
        prefix = f"{part}/" if part else ""
        arrays = {name: io.load_array(folder, name) for name in ARRAYS if f"{prefix}{name}.npy" in files}
        variants = io.read_json(folder / "variants.json")
        fits = io.read_csv(folder / "fits.csv")
        return cls(variants, fits, **arrays)


def join_predictions(predictions: Sequence[Predictions]) -> Predictions:
    """Join the predictions of single fits, ordered by trial and within a trial by variant."""
    variants = list(dict.fromkeys(name for fit in predictions for name in fit.variants))
    fits = [row for fit in predictions for row in fit.fits]
    arrays = {key: _join_arrays(predictions, key, len(variants)) for key in ARRAYS}
    return Predictions(variants, fits, **arrays)


def _join_arrays(predictions: Sequence[Predictions], key: str, n_variants: int) -> Any:
    """Join an array, one row per variant: nan for fits without it, None if no fit has it."""
    arrays = [getattr(fit, key) for fit in predictions]
    template = next((array for array in arrays if array is not None), None)
    if template is None:
        return None
    filled = []
    for fit, array in zip(predictions, arrays, strict=True):
        shape = (1, fit.true_log_proba.shape[1], *template.shape[2:])
        filled.append(np.full(shape, np.nan, template.dtype) if array is None else array)
    rows = [np.concatenate(filled[variant::n_variants], axis=1) for variant in range(n_variants)]
    return np.concatenate(rows)


def pack_sets(indicators: np.ndarray) -> np.ndarray:
    """Pack label indicators (N, L) into bits, uint8 (N, ceil(L / 8)); label 0 is the highest bit."""
    return np.packbits(np.asarray(indicators, dtype=np.uint8), axis=1)


def true_log_proba(task: str, estimator: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Compute the log probability of the true class or label set of each document.

    Parameters
    ----------
    task : {"single", "multi"}
    estimator : fitted estimator
    X : array-like or sparse matrix of N documents
    y : ndarray of shape (N,) or (N, L)
        True classes or label indicators.

    Returns
    -------
    log_proba : ndarray of shape (N,), dtype=float64
        Log probabilities in nats: -inf for a class without training documents, nan if the estimator does not have the
        method ``set_log_proba`` (task ``multi``) or ``predict_log_proba`` (task ``single``).
    """
    method = "set_log_proba" if task == "multi" else "predict_log_proba"
    if not hasattr(estimator, method):
        return np.full(len(y), np.nan)
    if task == "multi":
        return np.asarray(estimator.set_log_proba(X, y), dtype=np.float64)
    posterior = estimator.predict_log_proba(X)
    columns = np.searchsorted(estimator.classes_, y)
    last_column = len(estimator.classes_) - 1
    nearest_class = estimator.classes_[np.minimum(columns, last_column)]
    is_training_class = nearest_class == y
    log_proba = np.full(len(y), -np.inf)
    rows = np.flatnonzero(is_training_class)
    log_proba[rows] = posterior[rows, columns[rows]]
    return log_proba
