"""Save a fitted estimator with its vectoriser and its labels as a folder of arrays and JSON, and load it.

The folder contains no code.  ``model.json`` has the public name of the class of each step
(`textmix.serve.allowed_classes`), its parameters, the task and the data set.  Fitted attributes of a step are in the
folders ``step0``, ``step1`` and so on (`textmix.serve.state_schema`), and the labels in ``labels.json``.  Every value
is validated against the schema of its class before it reaches a kernel.  A folder that was edited fails the check of
its digests; a forged folder with valid digests fails the validation.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numba.core.errors import NumbaError
from scipy import sparse
from sklearn.utils import get_tags

from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError, IntegrityError
from textmix.data.corpus import Ragged, TableTexts
from textmix.models.common.sklearn_private import check_parameters
from textmix.serve import parameters
from textmix.serve.allowed_classes import allowed_class, schema_of
from textmix.serve.state_schema import read_json, read_labels, read_names, read_state, write_state
from textmix.serve.training_sketch import readable_card
from textmix.text.encoder import EncoderNotNamedError
from textmix.text.numeric_features import NumericFeatures
from textmix.text.sequences import TokenSequences

#: Version of the file layout and the parameter names; models with other versions are rejected.
FORMAT = 5
MODEL_FILE = "model.json"
CARD_FILE = "card.json"
LABELS_FILE = "labels.json"
COLUMNS_FILE = "columns.json"
#: Subfolder of the model in the output directory of a comparison.
MODEL_FOLDER = "model"
#: Task -> number of dimensions of the predicted labels.
TASKS = {"single": 1, "multi": 2}


@dataclass(frozen=True, repr=False)
class PersistedModel:
    """Fitted steps from texts to labels.

    Parameters
    ----------
    steps : sequence of (str, object)
        Names and fitted objects: transformers, and last a classifier that was fitted to indices into ``labels`` or, for
        multi-label models, to label indicators.
    task : {"single", "multi"}
        One label per document, or several.
    labels : sequence of str, int, float or bool
        The L labels, with their original type.
    dataset : str, default=""
        Registered data set of the training documents.
    indicators : bool, default=False
        Whether label sets were passed as indicators, so that the loaded estimator predicts indicators.
    card : mapping of str to object, default={}
        JSON description of the model: data, date, scores, column of the text.
    """

    steps: Sequence[tuple[str, Any]]
    task: str
    labels: Sequence[Any]
    dataset: str = ""
    indicators: bool = False
    card: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Show classes, task and number of labels; the fitted attributes are too long."""
        names = " > ".join(type(step).__name__ for _, step in self.steps)
        return f"<textmix model: {names}; {self.task}, {len(self.labels)} labels>"

    @property
    def label_names(self) -> list[str]:
        """The labels as text."""
        return [str(label) for label in self.labels]

    @property
    def estimator(self) -> Any:
        """The classifier, the last step."""
        return self.steps[-1][1]

    @property
    def class_name(self) -> str:
        """Public name of the estimator's class."""
        return type(self.estimator).__name__

    @property
    def is_numeric(self) -> bool:
        """Whether the model takes feature vectors instead of texts."""
        return isinstance(self.steps[0][1], NumericFeatures)

    @property
    def extra_columns(self) -> tuple[str, ...]:
        """Numeric and categorical columns used as features in addition to the texts."""
        return tuple(getattr(self.steps[0][1], "beside", ()))

    def counts(self, text: Ragged) -> Any:
        """Extract features from N texts and their extra columns.

        Returns
        -------
        X : csr_array of shape (N, V)

        Raises
        ------
        ConfigError
            If the model has no vectoriser.
        """
        if len(self.steps) == 1:
            raise ConfigError("model: saved without a vectoriser; save a pipeline that includes one")
        vectoriser = self.steps[0][1]
        accepts_ragged = type(vectoriser).__module__.startswith("textmix.")
        features = vectoriser.transform(text if accepts_ragged else [text.text(row) for row in range(len(text))])
        for _, step in self.steps[1:-1]:
            features = step.transform(features)
        return features

    def label(self, text: Ragged) -> tuple[np.ndarray, np.ndarray | None]:
        """Predict labels and probabilities of N texts.

        Returns
        -------
        labels : ndarray of shape (N,) or (N, L)
            Indices of the labels, or label indicators.
        probability : ndarray of shape (N, L) or None
            nan for labels without training documents; None if the estimator has no probabilities.
        """
        X = self.counts(text)
        predict_both = getattr(self.estimator, "predict_both", None)
        if predict_both is not None:
            labels, class_probability = predict_both(X)
        else:
            labels = self.estimator.predict(X)
            has_probabilities = hasattr(self.estimator, "predict_proba")
            class_probability = self.estimator.predict_proba(X) if has_probabilities else None
        if class_probability is None or class_probability.shape[1] == len(self.labels):
            return labels, class_probability
        probability = np.full((len(labels), len(self.labels)), np.nan)
        probability[:, self.estimator.classes_] = class_probability
        return labels, probability

    def description(self) -> dict[str, Any]:
        """Describe steps, task, labels, features, data set and card."""
        steps = [
            f"{type(step).__name__}({', '.join(f'{key}={value!r}' for key, value in step.get_params().items())})"
            for _, step in self.steps
        ]
        return {
            "steps": steps,
            "task": self.task,
            "labels": list(self.label_names),
            "features": int(self.estimator.n_features_in_),
            "dataset": self.dataset or "not registered",
            **readable_card(self.card),
        }

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the model to a new folder with digests.

        Parameters
        ----------
        folder : str or Path
        meta : mapping of str to object
            Metadata that is stored with the digests.

        Raises
        ------
        ConfigError
            If a class declares no fitted attributes, a parameter is not a plain value, a label or word cannot be
            encoded as UTF-8, or the written model cannot be loaded.
        """
        with io.new_folder(folder, meta) as target:
            self.write(target)
            read_back(self, target)

    def write(self, target: Path) -> None:
        """Write the files of the model to an open folder; raises as `save` does."""
        try:
            steps = [_write_step(target / f"step{n}", *step) for n, step in enumerate(self.steps)]
            head = {
                "format": FORMAT,
                "task": self.task,
                "dataset": self.dataset,
                "indicators": self.indicators,
                "steps": steps,
            }
            io.write_json(target / MODEL_FILE, head)
            io.write_json(target / LABELS_FILE, list(self.labels))
            io.write_json(target / CARD_FILE, dict(self.card))
        except UnicodeEncodeError as error:  # a lone surrogate
            spelling = ascii(error.object[max(0, error.start - 10) : error.end + 10])
            raise ConfigError(
                f"model: a label or word with {spelling} cannot be encoded as UTF-8; rename it"
            ) from error

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read and validate the folder of a model.

        Raises
        ------
        IntegrityError
            If a file is missing, damaged or modified.
        DataFormatError
            If the content is not a valid model of this version.
        MissingResult
            If the model was not fitted because its data set is missing.
        ConfigError
            If the folder does not exist.
        """
        return cls.read(check_folder(folder))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read and validate the files of a model, without checking digests; raises as `load` does."""
        with report_malformed(folder / MODEL_FILE, DataFormatError):
            head = read_json(folder / MODEL_FILE, dict)
            check_format(head["format"])
            labels = read_labels(folder / LABELS_FILE)
            steps = [_read_step(folder / f"step{n}", step, len(labels)) for n, step in enumerate(head["steps"])]
            card = read_json(folder / CARD_FILE, dict) if (folder / CARD_FILE).is_file() else {}
            model = cls(
                steps, str(head["task"]), labels, str(head["dataset"]), indicators=bool(head["indicators"]), card=card
            )
            model._check()
        return model

    def _check(self) -> None:
        """Validate what types and shapes do not cover, and predict labels and probabilities of two texts."""
        classes = self.estimator.classes_
        if len(classes) == 0 or classes.min() < 0 or classes.max() >= len(self.labels):
            raise ValueError("classes_ contains an out-of-range index")
        # The schema cannot express that scikit-learn's linear models have a single row of weights for two classes.
        if type(self.estimator).__module__.startswith(("sklearn.linear_model", "sklearn.svm")):
            n_rows = len(self.estimator.coef_)
            if n_rows != (1 if len(classes) == 2 else len(classes)):
                raise ValueError(f"coef_ has {n_rows} rows for {len(classes)} classes")
        # scikit-learn's DummyClassifier stores the parameter twice, and validates only one of them.
        if getattr(self.estimator, "_strategy", "prior") != getattr(self.estimator, "strategy", "prior"):
            raise ValueError("_strategy differs from strategy")
        X = self._probe()
        estimator = self.estimator
        if hasattr(estimator, "feature_names_in_"):
            # The probe has no column names, of which scikit-learn would warn.
            estimator = copy.copy(estimator)
            del estimator.feature_names_in_
        labels = estimator.predict(X)
        if hasattr(estimator, "predict_proba"):
            estimator.predict_proba(X)
        if len(labels) != 2:
            raise ValueError("the estimator does not predict a label for each text")
        if labels.ndim != TASKS.get(self.task):
            raise ValueError(f"the predicted labels do not have the shape of the task {self.task!r}")

    def _probe(self) -> Any:
        """Return features of two documents; the second contains the last feature."""
        n_features = self.estimator.n_features_in_
        X = self.counts(probe_texts(self.extra_columns)) if len(self.steps) > 1 else None
        if X is not None and X.shape[1] != n_features:
            raise ValueError("n_features_in_ is not the size of the vocabulary")
        if X is not None and not sparse.issparse(X):
            return X
        if X is None and not get_tags(self.estimator).input_tags.two_d_array:
            return TokenSequences.of([[0], [n_features - 1]])
        ones = np.ones(2, dtype=np.int32)
        return sparse.csr_array((ones, ([0, 1], [0, n_features - 1])), shape=(2, n_features))


def check_format(version: Any) -> None:
    """Check the format version of a model.

    Parameters
    ----------
    version : object
        Version in the model file.

    Raises
    ------
    ValueError
        If the version is not supported.
    """
    if version != FORMAT:
        raise ValueError(f"it has format {version!r}, this version of textmix reads format {FORMAT}")


def probe_texts(columns: Sequence[str]) -> Ragged:
    """Return two texts, with empty extra columns, to validate a model with."""
    return TableTexts.of(Ragged.from_texts([b"", b"a"]), {name: ["", ""] for name in columns})


def read_back(model: Any, target: Path) -> None:
    """Verify that a model that was just written can be read, so that no model is lost.

    Parameters
    ----------
    model : PersistedModel or AveragedModel
        The model.
    target : Path
        Its folder.

    Raises
    ------
    ConfigError
        If the model cannot be read.
    """
    try:
        model.read(target)
    except EncoderNotNamedError:
        return  # the encoder is not allowed to run in this process, so the model cannot be validated
    except DataFormatError as error:
        raise ConfigError(f"model: cannot be saved, because the written folder {error.what}") from error


def _write_step(folder: Path, name: str, step: Any) -> dict[str, Any]:
    """Write the arrays of one step to a folder; return its class, parameters and other attributes as JSON."""
    folder.mkdir()
    columns = getattr(step, "feature_names_in_", None)
    if columns is not None:
        io.write_json(folder / COLUMNS_FILE, list(columns))
    return {
        "name": name,
        "class": type(step).__name__,
        "parameters": parameters.to_json(step),
        "columns": columns is not None,
        "values": write_state(folder, step, schema_of(step)),
    }


def _read_step(folder: Path, head: Mapping[str, Any], n_labels: int) -> tuple[str, Any]:
    """Read and validate name and fitted object of one step; raises as `read_state` does."""
    cls = allowed_class(str(head["class"]))
    step: Any = cls(**{key: parameters.from_json(value) for key, value in head["parameters"].items()})
    if hasattr(step, "_parameter_constraints"):  # vectorisers of textmix validate their parameters when used
        check_parameters(step)
    sizes = {"L": n_labels}
    read_state(folder, step, schema_of(step), head["values"], sizes)
    if head["columns"]:
        step.feature_names_in_ = np.array(read_names(folder / COLUMNS_FILE), dtype=object)
        sizes.setdefault("V", len(step.feature_names_in_))
    if getattr(step, "n_features_in_", sizes.get("V")) != sizes.get("V", getattr(step, "n_features_in_", None)):
        raise ValueError("n_features_in_ is not the number of features")
    if hasattr(step, "_check_loaded"):
        step._check_loaded()
    return str(head["name"]), step


def check_folder(folder: str | Path) -> Path:
    """Check the digests of a model folder.

    Parameters
    ----------
    folder : str or Path
        The folder.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ConfigError
        If the folder does not exist.
    IntegrityError
        If a file was modified, or the folder is not a model.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no model found; name the folder of a model")
    with report_malformed(folder, IntegrityError):
        io.check_result(folder, anywhere=True)
    return folder


@contextmanager
def report_malformed(path: Path, error_class: type[DataFormatError] | type[IntegrityError]) -> Iterator[None]:
    """Convert exceptions caused by malformed content to a single error that includes the path.

    Parameters
    ----------
    path : Path
        The folder, for messages.
    error_class : {DataFormatError, IntegrityError}
        Class of the error to raise.

    Raises
    ------
    DataFormatError or IntegrityError
        If the body raises an exception that indicates malformed content.
    """
    try:
        yield
    except EncoderNotNamedError:
        raise
    except (
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        AttributeError,
        RecursionError,
        MemoryError,
        OSError,
        ConfigError,
        NumbaError,
    ) as error:
        problem = f"is not a model that this version can read ({type(error).__name__}: {error}); fit and save it again"
        if error_class is IntegrityError:
            raise IntegrityError(f"{path} {problem}") from error
        raise DataFormatError(path, None, problem) from error
