"""Fit the model that is persisted: one method on all documents of a data set."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Mapping
from typing import Any

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.experiment.tuning import tune
from textmix.models.common.sklearn_private import check_parameters
from textmix.numerics.determinism import rng
from textmix.serve.classes import can_be_persisted
from textmix.serve.model import PersistedModel
from textmix.text.sequences import TokenSequences

logger = logging.getLogger("textmix")


def fit_model(
    corpus: Corpus,
    spec: Mapping[str, Any],
    method: Method,
    params: Mapping[str, Any],
    search: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
) -> PersistedModel:
    """Fit a method to all documents; none is held out, for a comparison measures how good a method is.

    Parameters
    ----------
    corpus : N documents with counts of V words as features, CSR (N, V), and L label names.
    spec : the ``features`` entry by which the words were counted.
    method : entry of the method registry.
    params : parameters of the estimator that differ from their defaults.
    search : the grid to choose from by cross-validation (`textmix.experiment.tuning.tune`), or None.
    seed : seed of the run; together with the data set's name it seeds the folds and a ``random_state``.

    Returns
    -------
    the fitted model, which is not saved yet.

    Raises
    ------
    ConfigError : the data set is a matrix, its features are not counts of single words, the method cannot be persisted,
        or it does not take these parameters.
    DataFormatError : a document has no label or several, and the method is for one label a document.
    """
    if not is_persistable(method):
        raise ConfigError(f"model: the class of {method.name} declares no fitted state; choose another method")
    y = corpus.classes() if method.task == "single" else corpus.indicators()

    def make(point: Mapping[str, Any]) -> Any:
        """Return the estimator with ``params`` and the parameters of a grid point, not fitted; raises ConfigError."""
        estimator = method.make({**params, **point})
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=int(rng(seed, corpus.name, "model").integers(2**31)))
        try:
            check_parameters(estimator)
        except ValueError as error:
            raise ConfigError(f"configuration: params: {error}") from error
        return estimator

    ordered = method.takes == "sequences"
    X = TokenSequences.of_corpus(corpus) if ordered else corpus.features
    chosen, point = "", dict[str, Any]()
    if search is not None:
        folds = rng(seed, corpus.name, "model", "tune")
        chosen, point, _ = tune(method.task, make, search, (X, y), folds)
    vocabulary = list(corpus.feature_names or [])
    spec = {**spec, "keep_tokens": ordered}
    model = PersistedModel.of_words(make(point), method.task, corpus.label_names, vocabulary, spec, dataset=corpus.name)
    model.estimator.fit(X, y)
    logger.info(
        "%s fitted to %d documents of %s, %d words%s",
        *(method.name, corpus.n_documents, corpus.name, len(vocabulary), chosen and f"; chosen: {chosen}"),
    )
    return model


def is_persistable(method: Method) -> bool:
    """Return whether the class of a method's estimator can be persisted."""
    return can_be_persisted(getattr(importlib.import_module(method.module), method.estimator.split(":")[1]))
