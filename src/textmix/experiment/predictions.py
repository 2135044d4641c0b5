"""Predictions: all that metrics need of a fitted method, stored once, so that a change of a metric needs no new fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core import io

#: Columns of fits.csv, one row a fit: facts on its convergence, the grid point that tuning chose, and the mean of the
#: metric of tuning over the folds at this point, which no test document took part in.
FITS = ("variant", "trial", "converged", "n_iter", "objective", "chosen", "validation")
#: Fields of `Predictions` that are arrays.
ARRAYS = ("true_log_proba", "classes", "sets", "marginals", "confidence", "decisions", "text")


@dataclass(frozen=True)
class Predictions:
    """The predictions of a method for the T test documents of all trials, in the order of the splits.

    A document that is tested in several trials counts once for each of them.

    Parameters
    ----------
    variants : names of the G points of the grid, in order; each point is a variant of the method.
    fits : one row (`FITS`) a variant and trial.
    true_log_proba : log probability of the true class or label set, float64 (G, T); -inf for a class unseen in
        training, nan where the method gives none.
    classes : predicted class index, int32 (G, T); None for label sets.
    sets : predicted label sets, eight labels a byte (`pack_sets`), uint8 (G, T, ceil(L / 8)); None for classes.
    marginals : probability of the predicted class, float32 (G, T), or of each label, float32 (G, T, L); None where the
        method gives none.
    confidence, decisions, text : of what else a method offers:
        probability that the predicted label set is right, float32 (G, T); label sets by each decision, uint8
        (G, T, 3, ceil(L / 8)); log likelihood and number of words of each text, float64 (G, T, 2).
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
        """Return predicted label sets of a variant as indicators, int8 (n, L)."""
        if self.sets is None:
            raise ValueError("these predictions are classes; a single-label method has no label sets")
        return np.unpackbits(self.sets[variant, documents], axis=1, count=n_labels).astype(np.int8)

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the predictions to a result folder, see `textmix.core.io.new_folder`."""
        with io.new_folder(folder, meta) as target:
            self.write(target)

    def write(self, folder: Path) -> None:
        """Write the files of the predictions to a folder that is being made."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        io.save_arrays(folder, **{name: array for name, array in arrays.items() if array is not None})
        io.write_json(folder / "variants.json", list(self.variants))
        io.write_text(folder / "fits.csv", io.format_csv(self.fits, FITS))

    @classmethod
    def load(cls, folder: str | Path) -> Predictions:
        """Read predictions from a result folder; raises IntegrityError, or MissingResult with its reason."""
        files = io.check_result(folder)["files"]
        folder = Path(folder)
        arrays = {name: io.load_array(folder, name) for name in ARRAYS if f"{name}.npy" in files}
        return cls(io.read_json(folder / "variants.json"), io.read_csv(folder / "fits.csv"), **arrays)


def joined(cells: Sequence[Predictions]) -> Predictions:
    """Return the predictions of single fits as those of one job that made all of them."""
    names = list(dict.fromkeys(name for cell in cells for name in cell.variants))
    fits = [row for cell in cells for row in cell.fits]
    return Predictions(names, fits, **{key: _joined(cells, key, len(names)) for key in ARRAYS})


def _joined(cells: Sequence[Predictions], key: str, n_variants: int) -> Any:
    """Return an array of all cells, a row a variant; nan where one cell lacks it, and None where all do."""
    arrays = [getattr(cell, key) for cell in cells]
    like = next((array for array in arrays if array is not None), None)
    if like is None:
        return None
    lengths = [cell.true_log_proba.shape[1] for cell in cells]
    full = [
        np.full((1, length, *like.shape[2:]), np.nan, like.dtype) if array is None else array
        for array, length in zip(arrays, lengths, strict=True)
    ]
    return np.concatenate([np.concatenate(full[row::n_variants], axis=1) for row in range(n_variants)])


def pack_sets(indicators: np.ndarray) -> np.ndarray:
    """Return label indicators (N, L) of 0 and 1 as bits, uint8 (N, ceil(L / 8)); label 0 is the highest bit."""
    return np.packbits(np.asarray(indicators, dtype=np.uint8), axis=1)


def true_log_proba(task: str, estimator: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Return the log probability of the true class or label set of each document, float64 (N,), in nats.

    It is -inf for a class unseen in training, and nan for all documents where the estimator lacks the method
    ``set_log_proba`` (task ``multi``) or ``predict_log_proba`` (``single``).  ``y`` is true classes (N,) or label
    indicators (N, L).
    """
    offered = "set_log_proba" if task == "multi" else "predict_log_proba"
    if not hasattr(estimator, offered):
        return np.full(len(y), np.nan)
    if task == "multi":
        return np.asarray(estimator.set_log_proba(X, y), dtype=np.float64)
    posterior = estimator.predict_log_proba(X)
    column = np.searchsorted(estimator.classes_, y)
    seen = estimator.classes_[np.minimum(column, len(estimator.classes_) - 1)] == y
    log_p = np.full(len(y), -np.inf)
    log_p[seen] = posterior[np.flatnonzero(seen), column[seen]]
    return log_p
