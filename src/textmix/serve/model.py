"""The persisted model: a fitted estimator with its vocabulary and its labels, as a sealed folder of arrays and JSON.

Nothing in the folder is code and nothing of it is run.  ``model.json`` names the class of the estimator by its public
name (`textmix.serve.classes`), its parameters, its task and the features that it counts.  The fitted state stands in
``.npy`` files (`textmix.serve.forms`), the names in ``labels.json`` and ``vocabulary.json``.  Each value is checked
against the declaration of the class before any kernel sees it.  A folder that was changed by hand fails its digests;
a folder that was forged, digests included, fails the checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError, IntegrityError
from textmix.data.corpus import Ragged
from textmix.models.common.sklearn_private import check_parameters
from textmix.serve.classes import class_of, forms_of
from textmix.serve.forms import read_state, write_state
from textmix.text.features import MATRIX, FeatureSpec, count_known

#: Version of the folder's layout; a model of another version is refused.
FORMAT = 2
HEAD = "model.json"
#: Largest JSON file read, bytes; the largest vocabulary of the five documents takes a fortieth of it.
MAX_JSON = 2**28


@dataclass(frozen=True)
class PersistedModel:
    """A fitted estimator with all that it takes to label a new text.

    Parameters
    ----------
    estimator : fitted to counts of ``vocabulary`` and, by its task, to indices into ``label_names`` or to indicators.
    task : ``single`` (one label a document) or ``multi`` (several).
    label_names : L names.
    vocabulary : V words, in the order of the features.
    features : the ``features`` entry of a ``paper.yaml`` by which text became counts.
    dataset : name of the data set that the estimator was fitted to.

    Raises
    ------
    ConfigError : the features are not counts of single words.
    """

    estimator: Any
    task: str
    label_names: Sequence[str]
    vocabulary: Sequence[str]
    features: Mapping[str, Any]
    dataset: str = ""
    spec: FeatureSpec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", FeatureSpec.from_mapping(self.features))
        if self.spec.tokenizer == MATRIX:
            raise ConfigError(f"model: {self.dataset} is a matrix, not text; choose a data set of text")
        if self.spec.max_n > 1 or self.spec.vectors is not None:
            raise ConfigError("model: features of skip-grams or vectors cannot be saved; choose features of words")

    @property
    def class_name(self) -> str:
        """Public name of the estimator's class."""
        return type(self.estimator).__name__

    @cached_property
    def _column(self) -> dict[str, int]:
        """Column of each word."""
        return {word: column for column, word in enumerate(self.vocabulary)}

    def counts(self, text: Ragged) -> sparse.csr_array:
        """Return the counts of the vocabulary's words in N texts, int32 CSR (N, V); other words are not counted."""
        return count_known(text, self.spec, self._column)

    def label(self, text: Ragged) -> tuple[np.ndarray, np.ndarray | None]:
        """Label N texts as the estimator's ``predict`` does.

        Parameters
        ----------
        text : N texts in UTF-8.

        Returns
        -------
        labels : index of the label, int (N,), for one label a document; label indicators, int (N, L), for several.
        probability : of each label, float64 (N, L), nan for a label without training documents; None where the
            estimator gives no probabilities.
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

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the model to a sealed folder.

        Parameters
        ----------
        folder : the new folder.
        meta : the record of the job, written beside the digests.

        Raises
        ------
        ConfigError : the class of the estimator declares no ``fitted_forms``, or a parameter is not a plain value.
        """
        forms = forms_of(type(self.estimator))
        head = {
            **{"format": FORMAT, "estimator": self.class_name, "task": self.task, "dataset": self.dataset},
            **{"features": dict(self.features), "parameters": _parameters_to_json(self.estimator)},
        }
        with io.new_folder(folder, meta) as target:
            values = write_state(target, self.estimator, forms)
            io.write_json(target / HEAD, {**head, "values": values})
            io.write_json(target / "labels.json", list(self.label_names))
            io.write_json(target / "vocabulary.json", list(self.vocabulary))

    @classmethod
    def load(cls, folder: str | Path) -> PersistedModel:
        """Read a sealed folder and check it.

        Raises
        ------
        IntegrityError : a file is missing or damaged, or was changed since the model was made.
        DataFormatError : the folder is sealed, but its content is not that of a model.
        MissingResult : the model could not be made, because its data set is missing.
        """
        folder = Path(folder)
        with _malformed(folder, IntegrityError):
            io.check_result(folder, anywhere=True)
        with _malformed(folder / HEAD, DataFormatError):
            head = _read_json(folder / HEAD, dict)
            if head["format"] != FORMAT:
                raise ValueError(f"format {head['format']!r} is not {FORMAT}; make the model again with this version")
            names, words = (_read_names(folder / name) for name in ("labels.json", "vocabulary.json"))
            kind = class_of(str(head["estimator"]))
            forms = forms_of(kind)
            estimator: Any = kind(**{key: _value_from_json(value) for key, value in head["parameters"].items()})
            check_parameters(estimator)
            sizes = {"V": len(words), "L": len(names)}
            read_state(folder, estimator, forms, head["values"], sizes)
            model = cls(estimator, str(head["task"]), names, words, head["features"], str(head["dataset"]))
            model._check()
        return model

    def _check(self) -> None:
        """Check of the fitted state whatever types and shapes leave open, and label two texts; raises ValueError."""
        classes = self.estimator.classes_
        if len(classes) == 0 or classes.min() < 0 or classes.max() >= len(self.label_names):
            raise ValueError("classes_ is not an index into the labels")
        if self.estimator.n_features_in_ != len(self.vocabulary):
            raise ValueError("n_features_in_ is not the number of words")
        if hasattr(self.estimator, "check_loaded"):
            self.estimator.check_loaded()
        probe = sparse.csr_array(np.eye(2, len(self.vocabulary), dtype=np.int32))
        labels = self.estimator.predict(probe)
        if len(labels) != len(probe.indptr) - 1:
            raise ValueError("the estimator does not label each text")
        if labels.ndim != {"single": 1, "multi": 2}.get(self.task):
            raise ValueError(f"the estimator's labels do not have the shape of the task {self.task!r}")


@contextmanager
def _malformed(path: Path, kind: type[DataFormatError] | type[IntegrityError]) -> Iterator[None]:
    """Turn each exception that malformed content raises into an error of the given kind that names the path."""
    try:
        yield
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
        MemoryError,
        OSError,
        ConfigError,
    ) as error:
        said = f"is not a model that this version can read ({type(error).__name__}: {error}); make it again"
        raise (kind(f"{path} {said}") if kind is IntegrityError else DataFormatError(path, None, said)) from error


def _parameters_to_json(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as JSON; raises ConfigError for one that is not a plain value or a list."""
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        try:
            listed = isinstance(value, (list, tuple, np.ndarray))
            found[name] = [_value_to_json(each) for each in value] if listed else _value_to_json(value)
        except TypeError as error:
            raise ConfigError(
                f"model: {type(estimator).__name__}: the parameter {name} is {error}; give a number"
            ) from error
    return found


def _value_to_json(value: Any) -> Any:
    """Return one value as JSON can hold it; an infinity or nan, which JSON lacks, becomes {"float": its name}."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, (str, int, float, bool, type(None))):
        raise TypeError(f"a {type(value).__name__}")
    return {"float": str(plain)} if isinstance(plain, float) and not np.isfinite(plain) else plain


def _value_from_json(value: Any, inside: bool = False) -> Any:
    """Undo `_parameters_to_json` for one parameter; a list within a list is refused."""
    if isinstance(value, dict):
        return float(value["float"])
    if isinstance(value, list):
        if inside:
            raise ValueError("a parameter is a list of lists")
        return tuple(_value_from_json(each, inside=True) for each in value)
    return value


def _read_json(path: Path, kind: type) -> Any:
    """Read a JSON file of an expected kind and of at most `MAX_JSON` bytes."""
    if path.stat().st_size > MAX_JSON:
        raise ValueError(f"{path.name} has more than {MAX_JSON:,} bytes")
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, kind):
        raise TypeError(f"{path.name} holds no {kind.__name__}")
    return value


def _read_names(path: Path) -> list[str]:
    """Read a list of names, no two of them equal."""
    names: list[str] = _read_json(path, list)
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ValueError(f"{path.name} is not a list of different names")
    return names
