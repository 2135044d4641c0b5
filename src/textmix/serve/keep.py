"""Models to keep: a fitted method with its words and labels as a sealed folder of arrays and JSON.

Nothing in the folder is code and nothing of it is run: the class of the estimator comes from the method registry by the
method's name, its fitted attributes are those that the class declares in ``fitted_forms``, and each is checked against
the type and shape declared there before any kernel sees it.  A folder that was changed by hand fails its digests; one
that was made to look right fails the checks.

The declaration is a mapping from attribute to form: ``"float"``, ``"int"`` or ``"bool"`` for one value, else a type and
the sizes of an array, such as ``"float64 V C"``.  V is the number of words, L that of label names; any other letter
stands for one size wherever it is used, ``V+1`` for one more, and a type that ends in ``?`` for an attribute that may
be None.  A named tuple of arrays is ``(class, {field: form})``.
"""

from __future__ import annotations

import importlib
import json
import os
import re
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
from textmix.plan.methods import Method, load_methods
from textmix.text.features import MATRIX, FeatureSpec, count_known

FORMAT = 1
HEAD = "model.json"
#: Largest JSON file read, bytes; the words of the largest known vocabulary take a fortieth of it.
MAX_JSON = 2**28
#: Declarations of classes that are not ours.
FOREIGN: dict[str, Mapping[str, Any]] = {
    "sklearn.linear_model:LogisticRegression": {
        **{"classes_": "int C", "coef_": "float64 R V", "intercept_": "float64 R", "n_iter_": "int *"},
        "n_features_in_": "int",
    }
}
_SCALARS: dict[str, tuple[type, ...]] = {"float": (int, float), "int": (int,), "bool": (bool,)}
_FORM = re.compile(r"(?P<type>[a-z]+[0-9]*)(?P<optional>\??)(?P<sizes>( (\*|[A-Z](\+1)?))*)")


@dataclass(frozen=True)
class KeptModel:
    """A fitted method with all that it takes to label a new text.

    Parameters
    ----------
    method : its entry in the method registry.
    estimator : fitted to counts of ``vocabulary``, and to indices into ``label_names`` or indicators of them.
    label_names : L names.
    vocabulary : V words, in the order of the features.
    features : the ``features`` entry by which text became counts.
    dataset : name of the data set that it was fitted to.
    """

    method: Method
    estimator: Any
    label_names: Sequence[str]
    vocabulary: Sequence[str]
    features: Mapping[str, Any]
    dataset: str = ""
    spec: FeatureSpec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", FeatureSpec.from_mapping(self.features))
        if self.spec.tokenizer == MATRIX:
            raise ConfigError(f"model: {self.dataset} is a matrix, not text, so that there are no new texts to label")
        if self.spec.max_n > 1 or self.spec.vectors is not None:
            raise ConfigError("model: features of skip-grams or vectors cannot be kept; choose features of words")

    @cached_property
    def _place(self) -> dict[str, int]:
        """Index of each word."""
        return {word: place for place, word in enumerate(self.vocabulary)}

    def counts(self, text: Ragged) -> sparse.csr_array:
        """Return the counts of the known words of N texts, CSR (N, V)."""
        return count_known(text, self.spec, self._place)

    def label(self, text: Ragged) -> tuple[np.ndarray, np.ndarray | None]:
        """Label N texts as the pipeline would.

        Returns
        -------
        labels : index of the label (N,), or label indicators (N, L).
        probability : of each label, float64 (N, L), nan for a label that was not in training; None where the method
            gives none.
        """
        counts = self.counts(text)
        both = getattr(self.estimator, "predict_both", None)
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

        Raises
        ------
        ConfigError : the method declares no ``fitted_forms``, or a parameter is not a plain value.
        """
        forms = kept_forms(self.method)
        head = {
            **{"format": FORMAT, "method": self.method.name, "task": self.method.task, "dataset": self.dataset},
            **{"estimator": self.method.estimator, "features": dict(self.features)},
            "parameters": _plain_parameters(self.method, self.estimator),
        }
        with io.new_folder(folder, meta) as target:
            values = _write_state(target, self.estimator, forms)
            io.write_json(target / HEAD, {**head, "values": values})
            io.write_json(target / "labels.json", list(self.label_names))
            io.write_json(target / "vocabulary.json", list(self.vocabulary))

    @classmethod
    def load(cls, folder: str | Path) -> KeptModel:
        """Read and check a sealed folder.

        Raises
        ------
        IntegrityError : a file is missing, damaged or was changed since the model was made.
        DataFormatError : the folder is sealed, but it holds no model of ours.
        MissingResult : the model could not be made.
        """
        folder = Path(folder)
        with _malformed(folder, IntegrityError):
            io.check_result(folder)
        with _malformed(folder / HEAD, DataFormatError):
            head = _read_json(folder / HEAD, dict)
            if head["format"] != FORMAT:
                raise ValueError(f"format {head['format']!r} is not {FORMAT}; make the model again with this version")
            names, words = (_names(folder / name) for name in ("labels.json", "vocabulary.json"))
            method = load_methods().get(str(head["method"]))
            if method is None:
                raise ValueError(f"there is no method {head['method']!r} in the registry")
            estimator = method.make({key: _value_back(value) for key, value in head["parameters"].items()})
            check_parameters(estimator)
            sizes = {"V": len(words), "L": len(names)}
            _read_state(folder, estimator, kept_forms(method), head["values"], sizes)
            model = cls(method, estimator, names, words, head["features"], str(head["dataset"]))
            model._check()
        return model

    def _check(self) -> None:
        """Check what shapes do not tell: whether the estimator fits the names, and whether it labels at all."""
        classes = self.estimator.classes_
        if len(classes) == 0 or classes.min() < 0 or classes.max() >= len(self.label_names):
            raise ValueError("classes_ is not an index into the labels")
        if self.estimator.n_features_in_ != len(self.vocabulary):
            raise ValueError("n_features_in_ is not the number of words")
        if hasattr(self.estimator, "check_kept"):
            self.estimator.check_kept()
        probe = sparse.csr_array(np.eye(2, len(self.vocabulary), dtype=np.int32))
        if len(self.estimator.predict(probe)) != len(probe.indptr) - 1:
            raise ValueError("the estimator labels nothing")


def kept_forms(method: Method) -> Mapping[str, Any]:
    """Return the declaration of a method's estimator.

    Raises
    ------
    ConfigError : it has none.
    """
    if method.estimator in FOREIGN:
        return FOREIGN[method.estimator]
    forms: Mapping[str, Any] | None = getattr(_class_of(method), "fitted_forms", None)
    if forms is None:
        able = ", ".join(name for name, other in load_methods().items() if can_be_kept(other))
        raise ConfigError(f"model: the method {method.name} cannot be kept; choose one of {able}")
    return forms


def can_be_kept(method: Method) -> bool:
    """Tell whether a method's estimator declares what to keep."""
    return method.estimator in FOREIGN or hasattr(_class_of(method), "fitted_forms")


def _class_of(method: Method) -> type:
    """Return the class of a method's estimator."""
    found: type = getattr(importlib.import_module(method.module), method.estimator.split(":")[1])
    return found


@contextmanager
def _malformed(path: Path, kind: type[DataFormatError] | type[IntegrityError]) -> Iterator[None]:
    """Turn what malformed content raises into one of the errors for a user; those pass as they are."""
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


def _plain_parameters(method: Method, estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as JSON."""
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        try:
            listed = isinstance(value, (list, tuple, np.ndarray))
            found[name] = [_plain(each) for each in value] if listed else _plain(value)
        except TypeError as error:
            raise ConfigError(f"model: {method.name}: the parameter {name} is {error}; give a number") from error
    return found


def _plain(value: Any) -> Any:
    """Return one value as JSON."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, (str, int, float, bool, type(None))):
        raise TypeError(f"a {type(value).__name__}")
    return {"float": str(plain)} if isinstance(plain, float) and not np.isfinite(plain) else plain


def _value_back(value: Any, inside: bool = False) -> Any:
    """Undo what `_plain_parameters` does; nothing but plain values and flat lists of them are taken."""
    if isinstance(value, dict):
        return float(value["float"])
    if isinstance(value, list):
        if inside:
            raise ValueError("a parameter is a list of lists")
        return tuple(_value_back(each, inside=True) for each in value)
    return value


def _read_json(path: Path, kind: type) -> Any:
    """Read a JSON file of an expected kind, within `MAX_JSON`."""
    if path.stat().st_size > MAX_JSON:
        raise ValueError(f"{path.name} has more than {MAX_JSON:,} bytes")
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, kind):
        raise TypeError(f"{path.name} holds no {kind.__name__}")
    return value


def _names(path: Path) -> list[str]:
    """Read a list of different names."""
    names: list[str] = _read_json(path, list)
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ValueError(f"{path.name} is not a list of different names")
    return names


def _parse(form: str) -> tuple[str, bool, list[str]]:
    """Return type, whether None is allowed, and sizes of a form."""
    match = _FORM.fullmatch(form)
    if match is None:
        raise TypeError(f"the form {form!r} is malformed")
    return match["type"], bool(match["optional"]), match["sizes"].split()


def _write_state(folder: Path, owner: Any, forms: Mapping[str, Any]) -> dict[str, Any]:
    """Write the arrays of an estimator and return its single values."""
    values: dict[str, Any] = {}
    for name, form in forms.items():
        value = getattr(owner, name)
        if isinstance(form, tuple):
            io.save_arrays(folder, **{f"{name}.{part}": getattr(value, part) for part in form[1]})
        elif value is None:
            values[name] = None
        elif not _parse(form)[2]:
            values[name] = value.item() if isinstance(value, np.generic) else value
        else:
            io.save_arrays(folder, **{name: np.asarray(value)})
    return values


def _read_state(
    folder: Path, owner: Any, forms: Mapping[str, Any], values: Mapping[str, Any], sizes: dict[str, int]
) -> None:
    """Set the declared attributes of an estimator, each checked; ``sizes`` gets the sizes found on the way."""
    for name, form in forms.items():
        value: Any
        if isinstance(form, tuple):
            kind, fields = form
            value = kind(**{part: _array(folder, f"{name}.{part}", of, sizes) for part, of in fields.items()})
        else:
            typed, optional, dimensions = _parse(form)
            if optional and name in values and values[name] is None:
                value = None
            elif dimensions:
                value = _array(folder, name, form, sizes)
            else:
                value = values[name]
                if not isinstance(value, _SCALARS[typed]) or (typed != "bool" and isinstance(value, bool)):
                    raise TypeError(f"{name} is not of the type {typed}")
        setattr(owner, name, value)


def _array(folder: Path, name: str, form: str, sizes: dict[str, int]) -> np.ndarray:
    """Read an array and check it against its form."""
    typed, _, dimensions = _parse(form)
    array = _load(folder / f"{name}.npy")
    if array.dtype.kind != "i" if typed == "int" else array.dtype != np.dtype(typed):
        raise TypeError(f"{name} is of the type {array.dtype}, not {typed}")
    if array.ndim != len(dimensions):
        raise ValueError(f"{name} has {array.ndim} dimensions, not {len(dimensions)}")
    for size, dimension in zip(array.shape, dimensions, strict=True):
        more = dimension.endswith("+1")
        expected = sizes.setdefault(dimension[0], size - more) if dimension != "*" else size
        if size != expected + more:
            raise ValueError(f"{name} has a side of {size}, not {expected + more}")
    return array


def _load(path: Path) -> np.ndarray:
    """Read a .npy file whose header tells its size rightly: a false one could ask for any amount of memory."""
    with open(path, "rb") as handle:
        version = np.lib.format.read_magic(handle)
        if version != (1, 0):
            raise ValueError(f"{path.name} is in version {version} of its format, not (1, 0)")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(handle)
        expected = int(np.prod([int(side) for side in shape], dtype=object)) * dtype.itemsize
        left = os.fstat(handle.fileno()).st_size - handle.tell()
        if dtype.hasobject or fortran or min(shape, default=0) < 0 or expected != left:
            raise ValueError(f"{path.name} holds {left} bytes, not the {expected} of its header")
        return np.fromfile(handle, dtype=dtype).reshape(shape)
