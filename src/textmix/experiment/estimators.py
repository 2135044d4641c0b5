"""From a method of the registry to a new estimator: its parameters, its view of the documents, its seed, its log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textmix.core.progress import progress
from textmix.experiment.methods import Method
from textmix.experiment.represented import CHOICE, Represented
from textmix.numerics.determinism import rng


def new_estimator(method: Method, point: Mapping[str, Any], axes: tuple[int, str, int] | None = None) -> Any:
    """Return a new, unfitted estimator of a method; with ``view`` and ``weighting`` in its point it gets several views.

    ``axes`` are the seed of the run, data set and trial.  They fix the ``random_state`` of an estimator that has one,
    and let an estimator that has a ``callback`` log the progress of its fit.
    """
    estimator = method.make({key: value for key, value in point.items() if key not in CHOICE})
    if axes is not None:
        _prepare(estimator, *axes)
    choice = {key: point[key] for key in CHOICE if key in point}
    return Represented(estimator, choice) if choice else estimator


def _prepare(estimator: Any, seed: int, dataset: str, trial: int) -> None:
    """Set the ``random_state`` and the ``callback`` of an estimator, where it has them."""
    params = estimator.get_params()
    if "random_state" in params:
        estimator.set_params(random_state=int(rng(seed, dataset, trial, "fit").integers(2**31)))
    if "callback" in params:
        report = progress(f"{type(estimator).__name__} on {dataset}", params["max_iter"])
        estimator.set_params(callback=lambda fitted: report(fitted.n_iter_, float(fitted.objective_path_[-1])))
