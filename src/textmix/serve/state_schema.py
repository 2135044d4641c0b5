"""The fitted state of an estimator as files: declared by the estimator's class, written, read and checked.

A class declares in ``_fitted_forms`` which attributes make up its fitted state.  The declaration is a mapping from the
name of an attribute to its form:

- ``"float"``, ``"int"``, ``"bool"`` or ``"str"``: one value;
- a type and the sizes of an array, such as ``"float64 V C"``; the type ``"int"`` allows every integer type, and
  ``"logs"`` is float64 that may be infinite, as the logarithm of 0 is;
- ``"matrix N V"``: real numbers, float64, as a CSR matrix or as an array;
- ``"vocabulary V"``: a mapping from each of V words to its column;
- ``(class, {field: form})``: an object of that class with these fields.

V stands for the number of words or features and L for the number of label names.  Any other capital letter stands for
one size, the same wherever the declaration uses it; ``V+1`` is one more than V, and ``*`` is any size.  A type that
ends in ``?`` allows None in place of the value.
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
#: Largest JSON file read, bytes; the largest vocabulary of the five documents takes a fortieth of it.
MAX_JSON = 2**28


def write_state(folder: Path, owner: Any, forms: Mapping[str, Any], inside: str = "") -> dict[str, Any]:
    """Write the declared arrays and vocabularies of a fitted estimator to files ``<inside><attribute>`` or, of a field,
    ``<inside><attribute>.<field>``.  The other attributes are returned as JSON can hold them.
    """
    values: dict[str, Any] = {}
    for attribute, form in forms.items():
        name, value = f"{inside}{attribute}", getattr(owner, attribute, None)
        if isinstance(form, tuple):
            values |= write_state(folder, value, form[1], f"{name}.")
        elif value is None and not _parse(form)[1]:
            raise ConfigError(f"model: {type(owner).__name__} has no {attribute}, so that it cannot be saved")
        elif value is None:
            values[name] = None
        elif _parse(form)[0] == "vocabulary":
            io.write_json(folder / f"{name}.json", sorted(value, key=value.__getitem__))
        elif not _parse(form)[2]:
            values[name] = value.item() if isinstance(value, np.generic) else value
        elif sparse.issparse(value):
            values[name] = list(value.shape)
            io.save_arrays(folder, **{f"{name}.{part}": getattr(value, part) for part in _PARTS})
        else:
            io.save_arrays(folder, **{name: np.asarray(value)})
    return values


def read_state(
    folder: Path, owner: Any, forms: Mapping[str, Any], values: Mapping[str, Any], sizes: dict[str, int]
) -> None:
    """Read the attributes that `write_state` wrote, check each against its form, and set it on an estimator.
    ``sizes``, letter -> size, is filled in place: a letter that it lacks gets the size of the first array that shows
    it.
    """
    state = _State(folder, values, sizes)
    for attribute, form in forms.items():
        setattr(owner, attribute, state.read(attribute, form, getattr(owner, attribute, None)))


@dataclass(frozen=True)
class _State:
    """The files and values of one fitted state, and the sizes found so far; see `read_state`."""

    folder: Path
    values: Mapping[str, Any]
    sizes: dict[str, int]

    def read(self, name: str, form: Any, present: Any = None) -> Any:
        """Return one attribute after a check against its form; ``present`` is an object to be filled, or None."""
        if isinstance(form, tuple):
            return self._object(name, form[0], form[1], present)
        typed, optional, dimensions = _parse(form)
        if optional and name in self.values and self.values[name] is None:
            return None
        special: dict[str, Callable[..., Any]] = {"vocabulary": self._vocabulary, "matrix": self._matrix}
        if typed in special:
            return special[typed](name, dimensions)
        return self._array(name, typed, dimensions) if dimensions else _scalar(name, self.values[name], typed)

    def _object(self, name: str, kind: type, fields: Mapping[str, Any], present: Any) -> Any:
        """Return an object of a class with the declared fields: a named tuple, or one whose fields are set."""
        found = {field: self.read(f"{name}.{field}", form) for field, form in fields.items()}
        if issubclass(kind, tuple):
            return kind(**found)
        made = kind.__new__(kind) if present is None else present
        for field, value in found.items():
            object.__setattr__(made, field, value)
        return made

    def _vocabulary(self, name: str, dimensions: list[str]) -> dict[str, int]:
        words = read_names(self.folder / f"{name}.json")
        self._check_shape(name, (len(words),), dimensions)
        return {word: column for column, word in enumerate(words)}

    def _matrix(self, name: str, dimensions: list[str]) -> Any:
        """Return a float64 matrix: CSR if the values hold its shape, else an array."""
        if name not in self.values:
            return self._array(name, "float64", dimensions)
        rows, columns = (_scalar(name, side, "int") for side in self.values[name])
        self._check_shape(name, (rows, columns), dimensions)
        data = self._array(f"{name}.data", "float64", ["*"])
        indices, indptr = (self._array(f"{name}.{part}", "int", ["*"]) for part in _PARTS[1:])
        matrix = sparse.csr_array((data, indices, indptr), shape=(rows, columns))
        matrix.check_format(full_check=True)
        return matrix

    def _array(self, name: str, typed: str, dimensions: list[str]) -> np.ndarray:
        array = read_npy(self.folder / f"{name}.npy")
        kind = "float64" if typed == "logs" else typed
        if array.dtype.kind != "i" if kind == "int" else array.dtype != np.dtype(kind):
            raise TypeError(f"{name} is of the type {array.dtype}, not {kind}")
        # A score of cross-validation may be NaN, of a point that was not fitted; nothing that labels a text may.
        if array.dtype.kind == "f" and not name.startswith("cv_"):
            if (np.isnan(array) if typed == "logs" else ~np.isfinite(array)).any():
                raise ValueError(f"{name} holds NaN or infinity, which no fit leaves there")
        self._check_shape(name, array.shape, dimensions)
        return array

    def _check_shape(self, name: str, shape: tuple[int, ...], dimensions: list[str]) -> None:
        """Check a shape against the letters of a form; adds new letters to the sizes."""
        if len(shape) != len(dimensions):
            raise ValueError(f"{name} has {len(shape)} dimensions, not {len(dimensions)}")
        for size, dimension in zip(shape, dimensions, strict=True):
            more = dimension.endswith("+1")
            expected = self.sizes.setdefault(dimension[0], size - more) if dimension != "*" else size
            if size != expected + more:
                raise ValueError(f"{name} has a side of {size}, not {expected + more}")


def _parse(form: str) -> tuple[str, bool, list[str]]:
    """Return the type of a form, whether it allows None, and the letters of its sizes."""
    match = _FORM.fullmatch(form)
    if match is None:
        raise TypeError(f"the form {form!r} is malformed")
    return match["type"], bool(match["optional"]), match["sizes"].split()


def _scalar(name: str, value: Any, typed: str) -> Any:
    """Return a single value after a check of its type; True and False are not numbers here, as they are in Python."""
    if not isinstance(value, _SCALARS[typed]) or (typed != "bool" and isinstance(value, bool)):
        raise TypeError(f"{name} is not of the type {typed}")
    number: Any = value
    if typed == "float" and not math.isfinite(number):
        raise ValueError(f"{name} is {value}, which no fit leaves")
    return value


def read_json(path: Path, kind: type) -> Any:
    """Read a JSON file of an expected kind, of at most `MAX_JSON` bytes; else ValueError, TypeError or OSError."""
    _check_file(path)
    if path.stat().st_size > MAX_JSON:
        raise ValueError(f"{path.name} has more than {MAX_JSON:,} bytes")
    value = io.read_json(path)
    if not isinstance(value, kind):
        raise TypeError(f"{path.name} holds no {kind.__name__}")
    return value


def read_names(path: Path) -> list[str]:
    """Read a list of names, no two of them equal; the errors are those of `read_json`."""
    names: list[str] = read_json(path, list)
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ValueError(f"{path.name} is not a list of different names")
    "".join(names).encode()  # raises at half of a pair of surrogates, which JSON can write and UTF-8 cannot
    return names


def _check_file(path: Path) -> None:
    """Raise ValueError if there is something else than a file, such as a pipe, for which a reader would wait."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path.name} is no file")


def read_npy(path: Path) -> np.ndarray:
    """Return the array of a ``.npy`` file after a check of its header against the size of the file.  `numpy.load`
    trusts the header: a false one makes it ask for any amount of memory, or run code of a pickled object.
    """
    _check_file(path)
    with open(path, "rb") as handle:
        version = np.lib.format.read_magic(handle)
        if version != (1, 0):
            raise ValueError(f"{path.name} is in version {version} of its format, not (1, 0)")
        try:
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(handle)
        except (SyntaxError, TokenError) as error:  # of a header that is no literal of Python
            raise ValueError(f"{path.name} has a damaged header ({error})") from error
        expected = int(np.prod([int(side) for side in shape], dtype=object)) * dtype.itemsize
        left = os.fstat(handle.fileno()).st_size - handle.tell()
        if dtype.hasobject or fortran or min(shape, default=0) < 0 or expected != left:
            raise ValueError(
                f"{path.name} holds {left} bytes and its header announces {expected}, "
                "or the array is in Fortran order, has a negative size, or holds Python objects"
            )
        return np.fromfile(handle, dtype=dtype).reshape(shape)
