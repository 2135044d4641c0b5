"""`textmix.save` and `textmix.load`: a fitted classifier or pipeline as a folder without pickles, and back."""

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
from textmix.serve.average_model import HEAD as AVERAGE
from textmix.serve.average_model import AveragedModel, load_model
from textmix.serve.model import HEAD, PersistedModel


def save(model: Any, folder: str | Path) -> None:
    """Save a fitted classifier, or a fitted pipeline that ends with one, as arrays and JSON.

    Parameters
    ----------
    model : a classifier of textmix or scikit-learn's LogisticRegression, or a `sklearn.pipeline.Pipeline` of a
        vectoriser (`WordVectorizer`, `SkipgramVectorizer`, CountVectorizer, TfidfVectorizer) and one of them.
    folder : the new folder; a model that is there is replaced.

    Raises
    ------
    ConfigError : a class or a parameter cannot be saved, the labels are neither strings nor whole numbers, or the
        folder is there and holds no model.
    sklearn.exceptions.NotFittedError : the model is not fitted.

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
    if folder.exists() and not any((folder / head).is_file() for head in (HEAD, AVERAGE)):
        raise ConfigError(f"{folder}: is there and holds no model; name a new folder")
    steps = list(model.steps) if isinstance(model, Pipeline) else [("model", model)]
    name, estimator = steps[-1]
    check_is_fitted(estimator)
    classes = np.asarray(getattr(estimator, "classes_", []))
    numbers, indicators = classes.dtype.kind in "iu", False
    if not len(classes) or not (numbers or all(isinstance(label, str) for label in classes.tolist())):
        raise ConfigError(f"model: the labels of {type(estimator).__name__} are neither strings nor whole numbers")
    plain = copy.copy(estimator)
    plain.classes_ = np.arange(len(classes))
    task = "single"
    if isinstance(plain, MultiLabelClassifier) and getattr(plain, "_several", True):
        task, plain._named, indicators = "multi", False, not estimator._named
    labels = [str(label) for label in classes.tolist()]
    made = PersistedModel([*steps[:-1], (name, plain)], task, labels, numbers=numbers, indicators=indicators)
    made.save(folder, {"textmix": textmix.__version__})


class FittedModel(Protocol):
    """What `load` returns: a fitted classifier, or a fitted `sklearn.pipeline.Pipeline` that ends with one."""

    classes_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Return the class or the label set of each of N documents or texts, (N,), or label indicators, (N, L)."""

    def score(self, X: Any, y: Any) -> float:
        """Return the share of documents whose class or label set is predicted."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""


def load(folder: str | Path, *, encoder: str | None = None) -> FittedModel:
    """Return a saved model, checked: the classifier, or the pipeline from texts to labels.

    A model that a comparison kept is a pipeline from texts to names of labels, or to tuples of names; an average
    of ``textmix compare`` predicts them likewise.

    Parameters
    ----------
    folder : made by `save` or by a comparison.
    encoder : ``module:name`` of the encoder that the model of ``textmix compare --encoder`` needs.

    Raises
    ------
    IntegrityError : a file is missing or damaged, or was changed since the model was made.
    DataFormatError : the folder is sealed, but its content is not that of a model.
    ConfigError : there is no such folder, or the model needs an encoder that was not named.
    """
    model = load_model(folder, encoder)
    if isinstance(model, AveragedModel):
        return cast(FittedModel, model)
    estimator = model.estimator
    names = np.array([int(name) for name in model.label_names] if model.numbers else list(model.label_names))
    estimator.classes_ = names[estimator.classes_]
    if model.task == "multi":
        estimator._named = not model.indicators
    return cast(FittedModel, Pipeline(list(model.steps)) if len(model.steps) > 1 else estimator)
