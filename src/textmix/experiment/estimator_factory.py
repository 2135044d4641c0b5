"""Create new estimators for the methods of the registry, with parameters, random state, logging and representation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from textmix.core.progress import progress
from textmix.experiment.methods import Method
from textmix.numerics.seeding import rng


def new_estimator(
    method: Method,
    params: Mapping[str, Any],
    axes: tuple[int, str, int] | None = None,
    representation: Any = None,
) -> Any:
    """Create an unfitted estimator of a method.

    Parameters
    ----------
    method : Method
        Entry of the registry.
    params : mapping of str to object
        Parameters of the estimator.
    axes : tuple of (int, str, int), default=None
        Seed of the run, data set and trial.  They determine ``random_state``, if the estimator has one, and the
        description under which an estimator with a ``callback`` logs its progress.
    representation : transformer, default=None
        Unfitted transformer of the documents.  It is cloned and becomes the first step of a pipeline.

    Returns
    -------
    estimator : estimator or Pipeline
        The estimator, or with a representation a pipeline of both.
    """
    estimator = method.make(params)
    if axes is not None:
        _set_random_state_and_callback(estimator, *axes)
    if representation is None:
        return estimator
    return Pipeline([("representation", clone(representation)), ("estimator", estimator)])


def _set_random_state_and_callback(estimator: Any, seed: int, dataset: str, trial: int) -> None:
    params = estimator.get_params()
    if "random_state" in params:
        random_state = int(rng(seed, dataset, trial, "fit").integers(2**31))
        estimator.set_params(random_state=random_state)
    if "callback" in params:
        report = progress(f"{type(estimator).__name__} on {dataset}", params["max_iter"])
        estimator.set_params(callback=lambda fitted: report(fitted.n_iter_, float(fitted.objective_path_[-1])))
