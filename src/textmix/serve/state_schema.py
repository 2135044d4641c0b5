"""Write fitted attributes of an estimator to files, and read and validate them.

A class declares its fitted attributes in ``_fitted_forms``, a mapping from the name of an attribute to its schema:

- ``"float"``, ``"int"``, ``"bool"`` or ``"str"``: one value;
- dtype and shape of an array, such as ``"float64 V C"``; ``"int"`` allows every integer dtype, and ``"logs"`` is
  float64 that may be infinite, such as the logarithm of 0;
- ``"matrix N V"``: a float64 matrix, CSR or dense;
- ``"vocabulary V"``: a mapping from V words to columns;
- ``(class, {field: schema})``: an object of that class with these fields.

V is the number of words or features and L the number of labels.  Any other capital letter is a size that must be the
same wherever it occurs; ``V+1`` is one more than V, and ``*`` is any size.  A type that ends in ``?`` allows None.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core import io
from textmix.core.errors import ConfigError

_SCALARS: dict[str, tuple[type, ...]] = {"float": (int, float), "int": (int,), "bool": (bool,), "str": (str,)}
_FORM = re.compile(r"(?P<type>[a-z]+[0-9]*)(?P<optional>\??)(?P<sizes>( (\*|[A-Z](\+1)?))*)")
_PARTS = ("data", "indices", "indptr")
#: Larger JSON files are rejected; the largest vocabulary of the papers is 40 times smaller.
MAX_JSON_BYTES = 2**28
#: Types of labels.
LABEL_TYPES = (str, bool, int, float)


def write_state(folder: Path, owner: Any, forms: Mapping[str, Any], inside: str = "") -> dict[str, Any]:
    """Write the arrays and vocabularies of a fitted estimator.

    Parameters
    ----------
    folder : Path
        Folder of the files ``ATTRIBUTE``, and ``ATTRIBUTE.FIELD`` for fields of objects.
    owner : object
        Fitted estimator, or object with fields.
    forms : mapping of str to str or tuple
        Schema of each attribute.
    inside : str, default=""
        Prefix of the file names.

    Returns
    -------
    values : dict
        All other attributes, as JSON values.

    Raises
    ------
    ConfigError
        If an attribute is missing.
    """
    values: dict[str, Any] = {}
    for attribute, form in forms.items():
        name = f"{inside}{attribute}"
        value = getattr(owner, attribute, None)
        if isinstance(form, tuple):
            values |= write_state(folder, value, form[1], f"{name}.")
        elif value is None and not _parse(form)[1]:
            raise ConfigError(f"model: {type(owner).__name__} has no {attribute}; it cannot be saved")
        elif value is None:
            values[name] = None
        elif _parse(form)[0] == "vocabulary":
            io.write_json(folder / f"{name}.json", sorted(value, key=value.__getitem__))
        elif not _parse(form)[2]:
            values[name] = value.item() if isinstance(value, np.generic) else value
        elif sparse.issparse(value):
            values[name] = list(value.shape)
            io.save_arrays(
                folder, **{f"{name}.{name_of_array}": getattr(value, name_of_array) for name_of_array in _PARTS}
            )
        else:
            io.save_arrays(folder, **{name: np.asarray(value)})
    return values


def read_state(
    folder: Path, owner: Any, forms: Mapping[str, Any], values: Mapping[str, Any], sizes: dict[str, int]
) -> None:
    """Read the attributes that `write_state` wrote, validate them, and set them on an estimator.

    Parameters
    ----------
    folder, owner, forms
        See `write_state`.
    values : mapping of str to object
        What `write_state` returned.
    sizes : dict of str to int
        Letters and their sizes; a new letter gets the size of the first array that uses it.

    Raises
    ------
    ValueError, TypeError, LookupError or OSError
        If an attribute is missing or does not match its schema.
    """
    state = _State(folder, values, sizes)
    for attribute, form in forms.items():
        setattr(owner, attribute, state.read(attribute, form, getattr(owner, attribute, None)))


@dataclass(frozen=True)
class _State:
    """Files, values and sizes of the fitted attributes of one estimator; see `read_state`."""

    folder: Path
    values: Mapping[str, Any]
    sizes: dict[str, int]

    def read(self, name: str, form: Any, present: Any = None) -> Any:
        """Read and validate an attribute; ``present`` is an existing object to update, or None."""
        if isinstance(form, tuple):
            return self._object(name, form[0], form[1], present)
        typed, optional, dimensions = _parse(form)
        if optional and name in self.values and self.values[name] is None:
            return None
        special: dict[str, Callable[..., Any]] = {"vocabulary": self._vocabulary, "matrix": self._matrix}
        if typed in special:
            return special[typed](name, dimensions)
        return self._array(name, typed, dimensions) if dimensions else _scalar(name, self.values[name], typed)

    def _object(self, name: str, cls: type, fields: Mapping[str, Any], present: Any) -> Any:
        """Read an object: a named tuple, or an existing instance to update."""
        values = {field: self.read(f"{name}.{field}", form) for field, form in fields.items()}
        if issubclass(cls, tuple):
            return cls(**values)
        instance = cls.__new__(cls) if present is None else present
        for field, value in values.items():
            object.__setattr__(instance, field, value)
        return instance

    def _vocabulary(self, name: str, dimensions: list[str]) -> dict[str, int]:
        words = read_names(self.folder / f"{name}.json")
        self._check_shape(name, (len(words),), dimensions)
        return {word: column for column, word in enumerate(words)}

    def _matrix(self, name: str, dimensions: list[str]) -> Any:
        """Read a float64 matrix: CSR if the values contain its shape, otherwise dense."""
        if name not in self.values:
            return self._array(name, "float64", dimensions)
        rows, columns = (_scalar(name, side, "int") for side in self.values[name])
        self._check_shape(name, (rows, columns), dimensions)
        data = self._array(f"{name}.data", "float64", ["*"])
        indices, indptr = (self._array(f"{name}.{name_of_array}", "int", ["*"]) for name_of_array in _PARTS[1:])
        matrix = sparse.csr_array((data, indices, indptr), shape=(rows, columns))
        matrix.check_format(full_check=True)
        return matrix

    def _array(self, name: str, typed: str, dimensions: list[str]) -> np.ndarray:
        array = read_npy(self.folder / f"{name}.npy")
        dtype = "float64" if typed == "logs" else typed
        if array.dtype.kind != "i" if dtype == "int" else array.dtype != np.dtype(dtype):
            raise TypeError(f"{name} is of the type {array.dtype}, not {dtype}")
        # Cross-validation scores are nan for points that were not fitted; attributes used in prediction never are.
        if array.dtype.kind == "f" and not name.startswith("cv_"):
            if (np.isnan(array) if typed == "logs" else ~np.isfinite(array)).any():
                raise ValueError(f"{name} contains nan or infinity")
        self._check_shape(name, array.shape, dimensions)
        return array

    def _check_shape(self, name: str, shape: tuple[int, ...], dimensions: list[str]) -> None:
        """Check a shape against the letters of a schema; new letters are added to the sizes."""
        if len(shape) != len(dimensions):
            raise ValueError(f"{name} has {len(shape)} dimensions, not {len(dimensions)}")
        for size, dimension in zip(shape, dimensions, strict=True):
            is_incremented = dimension.endswith("+1")
            expected = self.sizes.setdefault(dimension[0], size - is_incremented) if dimension != "*" else size
            if size != expected + is_incremented:
                raise ValueError(f"{name} has a side of {size}, not {expected + is_incremented}")


def _parse(form: str) -> tuple[str, bool, list[str]]:
    """Return the type of a form, whether it allows None, and the letters of its sizes."""
    match = _FORM.fullmatch(form)
    if match is None:
        raise TypeError(f"the schema {form!r} is malformed")
    return match["type"], bool(match["optional"]), match["sizes"].split()


def _scalar(name: str, value: Any, typed: str) -> Any:
    """Validate the type of a single value; unlike in Python, booleans are not numbers."""
    if not isinstance(value, _SCALARS[typed]) or (typed != "bool" and isinstance(value, bool)):
        raise TypeError(f"{name} is not of type {typed}")
    number: Any = value
    if typed == "float" and not math.isfinite(number):
        raise ValueError(f"{name} is {value}, not a finite number")
    return value


def read_json(path: Path, json_type: type) -> Any:
    """Read a JSON file of an expected type.

    Parameters
    ----------
    path : Path
        The file.
    json_type : type
        Expected type of the value.

    Returns
    -------
    object
        The value.

    Raises
    ------
    ValueError
        If the file is too large or not valid JSON.
    TypeError
        If the value has another type.
    OSError
        If the file cannot be read.
    """
    _check_file(path)
    if path.stat().st_size > MAX_JSON_BYTES:
        raise ValueError(f"{path.name} has more than {MAX_JSON_BYTES:,} bytes")
    value = io.read_json(path)
    if not isinstance(value, json_type):
        raise TypeError(f"{path.name} does not contain a {json_type.__name__}")
    return value


def read_names(path: Path) -> list[str]:
    """Read a list of distinct strings.

    Parameters
    ----------
    path : Path
        The JSON file.

    Returns
    -------
    list of str
        The strings.

    Raises
    ------
    ValueError
        If the strings are not distinct or not encodable as UTF-8; also see `read_json`.
    """
    names: list[str] = read_json(path, list)
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ValueError(f"{path.name} is not a list of distinct names")
    "".join(names).encode()  # raises for lone surrogates, which JSON can represent and UTF-8 cannot
    return names


def read_labels(path: Path) -> list[Any]:
    """Read a list of distinct labels.

    Parameters
    ----------
    path : Path
        The JSON file.

    Returns
    -------
    list of str, int, float or bool
        The labels.

    Raises
    ------
    ValueError
        If the labels are not distinct, have another type or contain NaN; also see `read_json`.
    """
    labels: list[Any] = read_json(path, list)
    texts = [str(label) for label in labels]
    if "nan" in texts and not all(isinstance(label, str) for label in labels):
        raise ValueError(f"{path.name} contains nan")
    if not all(isinstance(label, LABEL_TYPES) for label in labels) or len(set(texts)) != len(labels):
        raise ValueError(f"{path.name} is not a list of distinct labels")
    "".join(texts).encode()
    return labels


def _check_file(path: Path) -> None:
    """Raise ValueError if a path is not a regular file: a pipe would block the reader."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path.name} is not a file")


def read_npy(path: Path) -> np.ndarray:
    """Read a ``.npy`` file after checking its header against the file size.

    `numpy.load` trusts the header: a forged one allocates any amount of memory, or runs code of a pickled object.
    """
    _check_file(path)
    with open(path, "rb") as handle:
        version = np.lib.format.read_magic(handle)
        if version != (1, 0):
            raise ValueError(f"{path.name} is in version {version} of its format, not (1, 0)")
        try:
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(handle)
        except (SyntaxError, TokenError) as error:  # the header is not a Python literal
            raise ValueError(f"{path.name} has a damaged header ({error})") from error
        expected = int(np.prod([int(side) for side in shape], dtype=object)) * dtype.itemsize
        bytes_left = os.fstat(handle.fileno()).st_size - handle.tell()
        if dtype.hasobject or fortran or min(shape, default=0) < 0 or expected != bytes_left:
            raise ValueError(
                f"{path.name} contains {bytes_left} bytes where its header declares {expected}, "
                "or the array is in Fortran order, has a negative size, or contains Python objects"
            )
        return np.fromfile(handle, dtype=dtype).reshape(shape)
