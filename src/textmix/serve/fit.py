"""A model to keep, fitted to all documents of a data set."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from textmix.core.determinism import rng
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.tuning import tune
from textmix.models.common.sklearn_private import check_parameters
from textmix.plan.methods import Method
from textmix.serve.keep import KeptModel, kept_forms

logger = logging.getLogger("textmix")


def fit_kept(
    corpus: Corpus,
    spec: Mapping[str, Any],
    method: Method,
    params: Mapping[str, Any],
    search: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
) -> KeptModel:
    """Fit a method to all documents: a model for use needs no test part, how good it is the pipeline has told.

    Parameters
    ----------
    corpus : a features corpus.
    spec : the ``features`` entry by which it was counted.
    method, params : the method and what is set of its parameters.
    search : what to choose by cross-validation (`textmix.experiment.tuning.tune`), or None.
    seed : seed of the run; folds and an estimator with a ``random_state`` are seeded by it and the data set.

    Raises
    ------
    ConfigError : the data set is a matrix, the method cannot be kept, or it does not take these parameters.
    DataFormatError : a single-label method meets a document with no or several labels.
    """
    kept_forms(method)
    y = corpus.classes() if method.task == "single" else corpus.indicators()

    def make(point: Mapping[str, Any]) -> Any:
        estimator = method.make({**params, **point})
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=int(rng(seed, corpus.name, "model").integers(2**31)))
        try:
            check_parameters(estimator)
        except ValueError as error:
            raise ConfigError(f"configuration: params: {error}") from error
        return estimator

    chosen, point = "", dict[str, Any]()
    if search is not None:
        folds = rng(seed, corpus.name, "model", "tune")
        chosen, point = tune(method.task, make, search, (corpus.features, y), folds)
    model = KeptModel(method, make(point), corpus.label_names, list(corpus.feature_names or []), spec, corpus.name)
    model.estimator.fit(corpus.features, y)
    logger.info(
        "%s fitted to %d documents of %s, %d words%s",
        *(method.name, corpus.n_documents, corpus.name, len(model.vocabulary), chosen and f"; chosen: {chosen}"),
    )
    return model
