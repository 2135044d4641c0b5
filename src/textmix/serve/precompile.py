"""``textmix warm``: compile kernels in advance, for example while a container image is built.

Each public class is fitted to a few small documents, sparse and dense, and its methods are called, which stores the
machine code for these argument types in the cache.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

import textmix
from textmix.core.errors import ConfigError, suggest

#: Values of parameters that shorten a fit; the kernels are the same.
SHORT_FIT: dict[str, Any] = {
    "max_iter": 3,
    "n_components": 2,
    "n_init": 1,
    "trees": 5,
    "n_chains": 2,
    "sweeps": 20,
    "kept": 10,
    "folds": 2,
    "candidates": (2,),
    "hidden": 2,
    "decays": (1.0,),
    "costs": (1.0, 2.0),
    "cost_factors": (1.0,),
    "n_clusters": 3,
    "n_states": 2,
    "min_df": 1,
    "max_n": 2,
    "random_state": 0,
}
#: Methods that are called on a fitted object.
METHODS = ("transform", "predict", "predict_proba", "decision_function", "score_samples", "confidence")
N_DOCUMENTS = 24
N_WORDS = 12


@dataclass(frozen=True)
class Compiled:
    """Result for one class.

    Parameters
    ----------
    name : str
    seconds : float
        Wall-clock time.
    missing : str, default=""
        Error message if a package is not installed.
    """

    name: str
    seconds: float
    missing: str = ""


def warm(names: Sequence[str] = ()) -> Iterator[Compiled]:
    """Compile the kernels of public classes, by default of all.

    Raises
    ------
    ConfigError
        If a class is unknown.
    """
    public = [name for name in dir(textmix) if hasattr(getattr(textmix, name), "fit")]
    for name in names:
        if name not in public:
            raise ConfigError(f"unknown class {name!r}; {suggest(name, public)}")
    for name in names or public:
        start = time.perf_counter()
        missing = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a fit of three iterations does not converge
                _fit_and_predict(getattr(textmix, name))
        except ModuleNotFoundError as error:
            missing = str(error)
        yield Compiled(name, time.perf_counter() - start, missing)


def _fit_and_predict(cls: Any) -> None:
    """Fit an estimator of a class to small documents of each supported type, and call its methods."""
    estimator = cls()
    params = estimator.get_params()
    estimator.set_params(**{key: value for key, value in SHORT_FIT.items() if key in params})
    for documents, y in _small_data(estimator):
        estimator.fit(documents, y)
        for method in METHODS:
            if hasattr(estimator, method):
                getattr(estimator, method)(documents)
        if hasattr(estimator, "set_log_proba"):
            estimator.set_log_proba(documents, y)


def _small_data(estimator: Any) -> Iterator[tuple[Any, Any]]:
    """Yield documents and targets of each type that an estimator supports."""
    tags = estimator.__sklearn_tags__()
    generator = np.random.default_rng(0)
    X = generator.poisson(0.4, (N_DOCUMENTS, N_WORDS)) + np.eye(N_DOCUMENTS, N_WORDS, dtype=np.int64)
    is_multi_label = tags.classifier_tags is not None and tags.classifier_tags.multi_label
    y = np.arange(N_DOCUMENTS) % 2
    Y = np.stack([y, 1 - y, y | (np.arange(N_DOCUMENTS) % 3 == 0)], axis=1)
    target = Y if is_multi_label and not tags.target_tags.single_output else y
    texts = [" ".join(f"word{column}" for column in np.flatnonzero(row)) for row in X]
    if tags.input_tags.string:
        yield texts, None
    elif not tags.input_tags.two_d_array:
        yield [np.flatnonzero(row) for row in X], target
    else:
        for documents in (sparse.csr_array(X), X, sparse.csr_array(X, dtype=np.float64)):
            yield documents, target
