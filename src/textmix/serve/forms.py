"""The fitted state of an estimator as files: declared by the estimator's class, written, read and checked.

A class declares in ``fitted_forms`` which attributes make up its fitted state.  The declaration is a mapping from the
name of an attribute to its form:

- ``"float"``, ``"int"`` or ``"bool"``: one value;
- a type and the sizes of an array, such as ``"float64 V C"``; the type ``"int"`` allows every integer type;
- ``(class, {field: form})``: a named tuple of arrays.

V stands for the number of words and L for the number of label names.  Any other capital letter stands for one size,
the same wherever the declaration uses it; ``V+1`` is one more than V, and ``*`` is any size.  A type that ends in ``?``
allows None in place of the value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core import io

_SCALARS: dict[str, tuple[type, ...]] = {"float": (int, float), "int": (int,), "bool": (bool,)}
_FORM = re.compile(r"(?P<type>[a-z]+[0-9]*)(?P<optional>\??)(?P<sizes>( (\*|[A-Z](\+1)?))*)")


def write_state(folder: Path, owner: Any, forms: Mapping[str, Any]) -> dict[str, Any]:
    """Write the declared arrays of a fitted estimator, one ``.npy`` file each.

    Parameters
    ----------
    folder : where the files are written; a field of a named tuple is written as ``<attribute>.<field>.npy``.
    owner : a fitted estimator.
    forms : its declaration.

    Returns
    -------
    the other attributes as JSON can hold them: single values, and None where the form allows it.
    """
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


def read_state(
    folder: Path, owner: Any, forms: Mapping[str, Any], values: Mapping[str, Any], sizes: dict[str, int]
) -> None:
    """Read the declared attributes, check each against its form, and set it on an estimator.

    Parameters
    ----------
    folder, values : the files that `write_state` wrote, and the mapping that it returned.
    owner : an estimator that is not fitted.
    forms : its declaration.
    sizes : letter -> size; filled in place: a letter that it lacks gets the size of the first array that shows it.

    Raises
    ------
    TypeError, ValueError, LookupError, OSError : a file or a value is missing or contradicts its form.
    """
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
                value = _scalar(name, values[name], typed)
        setattr(owner, name, value)


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
    return value


def _array(folder: Path, name: str, form: str, sizes: dict[str, int]) -> np.ndarray:
    """Return an array after a check of its type and its shape against its form; adds new letters to ``sizes``."""
    typed, _, dimensions = _parse(form)
    array = read_npy(folder / f"{name}.npy")
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


def read_npy(path: Path) -> np.ndarray:
    """Return the array of a ``.npy`` file after a check of its header against the size of the file.

    `numpy.load` trusts the header: a false one makes it ask for any amount of memory, or run code of a pickled object.

    Raises
    ------
    ValueError : the file is not of version 1.0 of the format, its header announces another number of bytes than the
        file holds, or the array is in Fortran order, has a negative size, or holds Python objects.
    OSError : the file cannot be read.
    """
    with open(path, "rb") as handle:
        version = np.lib.format.read_magic(handle)
        if version != (1, 0):
            raise ValueError(f"{path.name} is in version {version} of its format, not (1, 0)")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(handle)
        expected = int(np.prod([int(side) for side in shape], dtype=object)) * dtype.itemsize
        left = os.fstat(handle.fileno()).st_size - handle.tell()
        if dtype.hasobject or fortran or min(shape, default=0) < 0 or expected != left:
            raise ValueError(
                f"{path.name} holds {left} bytes and its header announces {expected}, "
                "or the array is in Fortran order, has a negative size, or holds Python objects"
            )
        return np.fromfile(handle, dtype=dtype).reshape(shape)
