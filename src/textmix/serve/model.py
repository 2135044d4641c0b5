"""The persisted model: a fitted estimator with its vectoriser and its labels, as a sealed folder of arrays and JSON.

Nothing in the folder is code and nothing of it is run.  ``model.json`` names the class of each step by its public name
(`textmix.serve.allowed_classes`) with its parameters, the task and the data set.  The fitted state of a step is in
the folder ``step0``, ``step1`` and so on (`textmix.serve.state_schema`), the label names are in ``labels.json``.  Each
value is checked against the declaration of the class before any kernel sees it.  A folder that was edited by
hand fails its digests; a forged folder, digests included, fails the checks.
"""

from __future__ import annotations

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
from textmix.serve.allowed_classes import forms_of, persisted_class
from textmix.serve.state_schema import read_json, read_names, read_state, write_state
from textmix.serve.training_sketch import shown
from textmix.text.encoder import EncoderNotNamedError
from textmix.text.sequences import TokenSequences

#: Version of the folder's layout; a model of another version is refused.
FORMAT = 4
HEAD = "model.json"
CARD = "card.json"
TASKS = {"single": 1, "multi": 2}


@dataclass(frozen=True, repr=False)
class PersistedModel:
    """A fitted estimator with all that it takes to label a new text.

    Parameters
    ----------
    steps : (name, fitted object); the last is a classifier, which takes what the steps before it make of texts.  It was
        fitted to indices into ``label_names`` or, by the task, to indicators.
    task : ``single`` (one label a document) or ``multi`` (several).
    dataset : name of the data set that the estimator was fitted to, if it has one.
    numbers : whether the labels were whole numbers, which ``label_names`` holds as text.
    indicators : whether the label sets were given as indicators, so that the loaded estimator predicts indicators.
    card : what its maker says of the model, ready for JSON: data, date, scores, and the column of the text.
    """

    steps: Sequence[tuple[str, Any]]
    task: str
    label_names: Sequence[str]
    dataset: str = ""
    numbers: bool = False
    indicators: bool = False
    card: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return classes, task and number of labels; vocabulary and weights would fill pages."""
        names = " > ".join(type(step).__name__ for _, step in self.steps)
        return f"<textmix model: {names}; {self.task}, {len(self.label_names)} labels>"

    @property
    def estimator(self) -> Any:
        """The classifier."""
        return self.steps[-1][1]

    @property
    def class_name(self) -> str:
        """Public name of the estimator's class."""
        return type(self.estimator).__name__

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns whose cells come with the texts, of a model of a table."""
        return tuple(getattr(self.steps[0][1], "beside", ()))

    def counts(self, text: Ragged) -> Any:
        """Return the features of N texts and of their cells, CSR (N, V); ConfigError without a vectoriser."""
        if len(self.steps) == 1:
            raise ConfigError("model: it was saved without a vectoriser; save a pipeline from texts to labels")
        first = self.steps[0][1]
        ours = type(first).__module__.startswith("textmix.")
        features = first.transform(text if ours else [text.text(row) for row in range(len(text))])
        for _, step in self.steps[1:-1]:
            features = step.transform(features)
        return features

    def label(self, text: Ragged) -> tuple[np.ndarray, np.ndarray | None]:
        """Label N texts as the estimator's ``predict`` does: an index each, int (N,), or label indicators, int (N, L).
        The probability of each label, float64 (N, L), is nan for one without training documents; None where there are
        none.
        """
        counts = self.counts(text)
        both = getattr(self.estimator, "predict_both", None)  # labels and probabilities from one pass over the counts
        if both is not None:
            labels, found = both(counts)
        else:
            labels = self.estimator.predict(counts)
            found = self.estimator.predict_proba(counts) if hasattr(self.estimator, "predict_proba") else None
        if found is None or found.shape[1] == len(self.label_names):
            return labels, found
        probability = np.full((len(labels), len(self.label_names)), np.nan)
        probability[:, self.estimator.classes_] = found
        return labels, probability

    def description(self) -> dict[str, Any]:
        """Return what a user asks about the model, by name: steps, task, labels, features and data set."""
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
            **shown(self.card),
        }

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the model to a new sealed folder; ``meta`` is the record of the job, beside the digests.  ConfigError
        if a class declares no fitted state, a parameter is not a plain value, a label or word cannot be written as
        UTF-8, or `load` would refuse what was written.
        """
        with io.new_folder(folder, meta) as target:
            self.write(target)
            read_back(self, target)

    def write(self, target: Path) -> None:
        """Write the files of the model to a folder that is being made; the errors are those of `save`."""
        facts = {"dataset": self.dataset, "numbers": self.numbers, "indicators": self.indicators}
        head = {"format": FORMAT, "task": self.task, **facts}
        try:
            steps = [_write_step(target / f"step{n}", *step) for n, step in enumerate(self.steps)]
            io.write_json(target / HEAD, {**head, "steps": steps})
            io.write_json(target / "labels.json", list(self.label_names))
            io.write_json(target / CARD, dict(self.card))
        except UnicodeEncodeError as error:  # half of a pair of surrogates
            spelling = ascii(error.object[max(0, error.start - 10) : error.end + 10])
            what = f"a label or word with {spelling} cannot be written as UTF-8; give it another name"
            raise ConfigError(f"model: {what}") from error

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a sealed folder and check it.

        Raises
        ------
        IntegrityError : a file is missing or damaged, or was changed since the model was made.
        DataFormatError : the folder is sealed, but its content is not that of a model.
        MissingResult : the model could not be made, because its data set is missing.
        ConfigError : there is no such folder.
        """
        return cls.read(sealed(folder))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the files of a model from a folder that was found sealed; the errors are those of `load`."""
        with malformed(folder / HEAD, DataFormatError):
            head = read_json(folder / HEAD, dict)
            if head["format"] != FORMAT:
                raise ValueError(f"format {head['format']!r} is not {FORMAT}; make the model again with this version")
            names = read_names(folder / "labels.json")
            steps = [_read_step(folder / f"step{n}", step, len(names)) for n, step in enumerate(head["steps"])]
            card = read_json(folder / CARD, dict) if (folder / CARD).is_file() else {}
            form = {key: bool(head[key]) for key in ("numbers", "indicators")}
            model = cls(steps, str(head["task"]), names, str(head["dataset"]), card=card, **form)
            model._check()
        return model

    def _check(self) -> None:
        """Check of the fitted state whatever types and shapes leave open, and label two texts with probabilities."""
        classes = self.estimator.classes_
        if len(classes) == 0 or classes.min() < 0 or classes.max() >= len(self.label_names):
            raise ValueError("classes_ is not an index into the labels")
        # A form cannot say that scikit-learn's linear model has one row of weights for two classes.
        if type(self.estimator).__module__.startswith(("sklearn.linear_model", "sklearn.svm")):
            rows, expected = len(self.estimator.coef_), 1 if len(classes) == 2 else len(classes)
            if rows != expected:
                raise ValueError(f"coef_ has {rows} rows for {len(classes)} classes")
        # scikit-learn's classifier without features keeps a parameter a second time, and checks the first one only.
        if getattr(self.estimator, "_strategy", "prior") != getattr(self.estimator, "strategy", "prior"):
            raise ValueError("_strategy is not the parameter strategy")
        n_features = self.estimator.n_features_in_
        texts = self.counts(two_texts(self.beside)) if len(self.steps) > 1 else None
        if texts is not None and texts.shape[1] != n_features:
            raise ValueError("n_features_in_ is not the number of words")
        probe = sparse.csr_array((np.ones(2, dtype=np.int32), ([0, 1], [0, n_features - 1])), shape=(2, n_features))
        asked: Any = probe if texts is None or sparse.issparse(texts) else texts
        if texts is None and not get_tags(self.estimator).input_tags.two_d_array:
            asked = TokenSequences.of([[0], [n_features - 1]])
        labels = self.estimator.predict(asked)
        if hasattr(self.estimator, "predict_proba"):
            self.estimator.predict_proba(asked)
        if len(labels) != 2:
            raise ValueError("the estimator does not label each text")
        if labels.ndim != TASKS.get(self.task):
            raise ValueError(f"the estimator's labels do not have the shape of the task {self.task!r}")


def two_texts(columns: Sequence[str]) -> Ragged:
    """Return two texts by which a model is tried, with empty cells of columns."""
    return TableTexts.of(Ragged.from_texts([b"", b"a"]), {name: ["", ""] for name in columns})


def read_back(model: Any, target: Path) -> None:
    """Read what was written of a model; raises ConfigError if it cannot be read, so that no model is lost."""
    try:
        model.read(target)
    except EncoderNotNamedError:
        return  # its encoder may not run here, so that the model cannot be tried
    except DataFormatError as error:
        raise ConfigError(f"model: cannot be saved, for what is written {error.what}") from error


def _write_step(folder: Path, name: str, step: Any) -> dict[str, Any]:
    """Write the fitted state of one step to a folder; return the rest of it as JSON can hold it."""
    head = {"name": name, "class": type(step).__name__, "parameters": parameters.to_json(step)}
    folder.mkdir()
    columns = getattr(step, "feature_names_in_", None)
    if columns is not None:
        io.write_json(folder / "columns.json", list(columns))
    return {**head, "columns": columns is not None, "values": write_state(folder, step, forms_of(step))}


def _read_step(folder: Path, head: Mapping[str, Any], n_labels: int) -> tuple[str, Any]:
    """Return name and fitted object of one step, checked; the errors are those of `read_state`."""
    kind = persisted_class(str(head["class"]))
    step: Any = kind(**{key: parameters.from_json(value) for key, value in head["parameters"].items()})
    forms = forms_of(step)
    if hasattr(step, "_parameter_constraints"):  # a vectoriser of ours compares its own, when it is used
        check_parameters(step)
    sizes = {"L": n_labels}
    read_state(folder, step, forms, head["values"], sizes)
    if head["columns"]:
        step.feature_names_in_ = np.array(read_names(folder / "columns.json"), dtype=object)
        sizes.setdefault("V", len(step.feature_names_in_))
    if getattr(step, "n_features_in_", sizes.get("V")) != sizes.get("V", getattr(step, "n_features_in_", None)):
        raise ValueError("n_features_in_ is not the number of features")
    if hasattr(step, "_check_loaded"):
        step._check_loaded()
    return str(head["name"]), step


def sealed(folder: str | Path) -> Path:
    """Return the folder of a model, found sealed; the errors are those of `PersistedModel.load`."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ConfigError(f"{folder}: there is no model there; name the folder of a model")
    with malformed(folder, IntegrityError):
        io.check_result(folder, anywhere=True)
    return folder


@contextmanager
def malformed(path: Path, kind: type[DataFormatError] | type[IntegrityError]) -> Iterator[None]:
    """Turn each exception that malformed content raises into an error of the given kind that names the path."""
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
        fault = f"is not a model that this version can read ({type(error).__name__}: {error}); make it again"
        raise (kind(f"{path} {fault}") if kind is IntegrityError else DataFormatError(path, None, fault)) from error
