"""`textmix.save` and `textmix.load`: store fitted classifiers and pipelines without pickle."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import textmix
from textmix.core.errors import ConfigError
from textmix.models.common.multilabel import MultiLabelClassifier
from textmix.serve.average_model import AveragedModel, is_model, load_model
from textmix.serve.label_encoding import as_label_array
from textmix.serve.model import PersistedModel
from textmix.serve.state_schema import LABEL_TYPES


def save(model: Any, folder: str | Path) -> None:
    """Save a fitted classifier, or a fitted pipeline that ends with one, as arrays and JSON.

    Parameters
    ----------
    model : estimator or Pipeline
        A classifier of textmix, or LogisticRegression, ComplementNB or DummyClassifier of scikit-learn; a
        `sklearn.pipeline.Pipeline` of a vectoriser (`WordVectorizer`, `SkipgramVectorizer`, CountVectorizer,
        TfidfVectorizer) and one of them; or the model of a comparison.
    folder : str or Path
        New folder; an existing model is replaced.

    Raises
    ------
    ConfigError
        If a class or parameter cannot be saved, the labels are not strings, numbers or booleans, or the folder exists
        and contains no model.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.pipeline import make_pipeline
    >>> from textmix import PMM1, WordVectorizer
    >>> model = make_pipeline(WordVectorizer(), PMM1())
    >>> _ = model.fit(["goal ball", "paint stage", "goal stage"], [["sport"], ["art"], ["art", "sport"]])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save(model, place + "/news")
    ...     load(place + "/news").predict(["paint"]).tolist()
    [('art',)]
    """
    folder = Path(folder)
    if folder.exists() and not is_model(folder):
        raise ConfigError(f"{folder}: exists and contains no model; choose a new folder")
    meta = {"textmix": textmix.__version__}
    if isinstance(model, AveragedModel):
        model.save(folder, meta)
        return
    steps = list(model.steps) if isinstance(model, Pipeline) else [("model", model)]
    name, estimator = steps[-1]
    check_is_fitted(estimator)
    labels = np.asarray(getattr(estimator, "classes_", [])).tolist()
    if not labels or not all(isinstance(label, LABEL_TYPES) for label in labels):
        raise ConfigError(
            f"model: the labels of {type(estimator).__name__} are not strings, numbers or booleans; convert them"
        )
    indexed = copy.copy(estimator)
    indexed.classes_ = np.arange(len(labels))
    task = "single"
    indicators = False
    if isinstance(indexed, MultiLabelClassifier) and getattr(indexed, "_several", True):
        task = "multi"
        indexed._named = False
        indicators = not estimator._named
    persisted = PersistedModel([*steps[:-1], (name, indexed)], task, labels, indicators=indicators)
    persisted.save(folder, meta)


class FittedModel(Protocol):
    """Fitted classifier, or fitted `sklearn.pipeline.Pipeline` that ends with one."""

    @property
    def classes_(self) -> np.ndarray:
        """The L classes or labels, (L,)."""

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to N documents or texts X and their classes or label sets y."""

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class or label set of each of N documents or texts, (N,), or label indicators, (N, L)."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each class or label, (N, L), if the classifier has probabilities."""

    def score(self, X: Any, y: Any) -> float:
        """Compute the accuracy (subset accuracy for multi-label data)."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""

    def set_params(self, **params: Any) -> Any:
        """Set parameters by name."""


def load(folder: str | Path, *, encoder: str | None = None) -> FittedModel:
    """Load a saved model and validate it.

    Parameters
    ----------
    folder : str or Path
        Folder that `save` or a comparison wrote, or the output directory of a comparison.
    encoder : str, default=None
        ``module:name`` of the encoder, for a model of ``textmix compare --encoder``.

    Returns
    -------
    model : estimator
        The classifier, the pipeline from texts to labels, or the ensemble of a comparison.  Labels have the type that
        they had in training.  Like every estimator, it can be cloned, fitted and saved again.

    Raises
    ------
    IntegrityError
        If a file is missing, damaged or modified.
    DataFormatError
        If the content is not a valid model of this version.
    ConfigError
        If the folder does not exist, or the model requires an encoder.
    """
    model = load_model(folder, encoder)
    if isinstance(model, AveragedModel):
        return cast(FittedModel, model)
    estimator: Any = model.estimator
    estimator.classes_ = as_label_array(model.labels)[estimator.classes_]
    if model.task == "multi":
        estimator._named = not model.indicators
    return cast(FittedModel, Pipeline(list(model.steps)) if len(model.steps) > 1 else estimator)
