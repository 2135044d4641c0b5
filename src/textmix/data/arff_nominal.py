"""Parse ARFF files with nominal attributes other than {0,1}, quoted values and missing values, row by row.

Source: Weka manual, "Attribute-Relation File Format".  Numeric and binary files, which are usually much larger, are
parsed by the faster `textmix.data.readers.arff`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from textmix.core.errors import DataFormatError
from textmix.data.splits import parse_number

_QUOTED = r"""(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|"""
_VALUE = re.compile(r"\s*" + _QUOTED + r"""([^,'"{}]*?))\s*(,|$)""")
_PAIR = re.compile(r"\s*([0-9]+)\s+" + _QUOTED + r"""([^,'"{}\s]+))\s*(,|$)""")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class NominalTable(NamedTuple):
    """Rows of a file with one-hot encoded nominal attributes.

    Parameters
    ----------
    features : csr_array of shape (N, V), dtype float64
        Numeric attributes, and one indicator per value of a nominal attribute.
    names : list of str
        Names of the V features; ``attribute=value`` for the indicators.
    chosen : ndarray of shape (N, L), dtype int64
        Label attributes: the number, or the index of the nominal value.
    """

    features: sparse.csr_array
    names: list[str]
    chosen: np.ndarray


def unescape(text: str) -> str:
    """Resolve the escape sequences of a quoted ARFF string.

    Parameters
    ----------
    text : str
        The string without its quotes.

    Returns
    -------
    str
        The unescaped string.
    """
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]), text)


def values_of(text: str) -> list[str] | None:
    """Parse the values of a dense row or of a nominal specification.

    Parameters
    ----------
    text : str
        Comma-separated values, without braces.

    Returns
    -------
    list of str or None
        The values; None if a quote or a brace is misplaced.
    """
    items = [_value(*match.groups()[:3]) for match in _matches(_VALUE, text)]
    return items or None


def _matches(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Match a complete string as comma-separated items; return an empty list if it does not match."""
    matches = list[re.Match[str]]()
    start = 0
    while not matches or matches[-1].groups()[-1] == ",":
        match = pattern.match(text, start)
        if match is None:
            return []
        matches.append(match)
        start = match.end()
    return matches if start == len(text) else []


def _value(single: str | None, double: str | None, bare: str | None) -> str:
    quoted = single if single is not None else double
    return (bare or "") if quoted is None else unescape(quoted)


def read_nominal(
    path: Path,
    lines: tuple[int, Sequence[str]],
    names: Sequence[str],
    values: Sequence[list[str] | None],
    label_columns: set[int],
) -> NominalTable:
    """Parse the rows of a file with nominal attributes.

    Parameters
    ----------
    path : Path
        The file, for messages.
    lines : (int, sequence of str)
        Number of the first line after ``@data``, and all lines from there on.
    names : sequence of str
        Names of the attributes.
    values : sequence of (list of str or None)
        Values of each nominal attribute; None for numeric attributes.
    label_columns : set of int
        Indices of the label attributes.

    Returns
    -------
    NominalTable
        Features and labels.

    Raises
    ------
    DataFormatError
        If a row is invalid or a label is missing.
    """
    widths = [0 if column in label_columns else len(nominal or "1") for column, nominal in enumerate(values)]
    starts = np.concatenate([[0], np.cumsum(widths)])
    data = list[float]()
    indices = list[int]()
    indptr = [0]
    labels = list[int]()
    for number, line in enumerate(lines[1], start=lines[0]):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        row = _row(path, number, text, values)
        for column, (value, nominal) in enumerate(zip(row, values, strict=True)):
            index, amount = _read(path, number, names[column], value, nominal)
            if column in label_columns and index < 0:
                raise DataFormatError(path, number, f"has no value of the label {names[column]!r}; fill it in")
            if column in label_columns:
                labels.append(int(amount) if nominal is None else index)
            elif amount:
                data.append(amount)
                indices.append(int(starts[column]) + index)
        indptr.append(len(indices))
    features = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, int(starts[-1])), dtype=np.float64)
    chosen_values = np.array(labels, dtype=np.int64).reshape(len(indptr) - 1, len(label_columns))
    return NominalTable(features, _feature_names(names, values, label_columns), chosen_values)


def _row(path: Path, number: int, text: str, values: Sequence[list[str] | None]) -> list[str]:
    """Parse the attribute values of a row; values omitted from a sparse row are 0 or the first nominal value."""
    if not text.startswith("{"):
        dense = values_of(text) or []
        if len(dense) != len(values):
            raise DataFormatError(path, number, f"has {len(dense)} values, expected {len(values)}; look at its quotes")
        return dense
    row = ["0" if nominal is None else nominal[0] for nominal in values]
    pairs = _matches(_PAIR, text[1:-1]) if text.endswith("}") and text[1:-1].strip() else []
    places = [int(pair[1]) for pair in pairs]
    if not (text.endswith("}") and (pairs or not text[1:-1].strip())):
        raise DataFormatError(path, number, f"{text[:60]!r} is not in the format {{index value, ...}}")
    if any(after <= before for before, after in pairwise(places)) or any(index >= len(row) for index in places):
        raise DataFormatError(path, number, f"has an index out of order, or not below {len(row)}")
    for pair in pairs:
        row[int(pair[1])] = _value(*pair.groups()[1:4])
    return row


def _read(path: Path, number: int, name: str, value: str, nominal: list[str] | None) -> tuple[int, float]:
    """Return (0, number) for a numeric attribute, or (index of the value or -1 if missing, 1) for a nominal one."""
    if nominal is not None:
        if value == "?":
            return -1, 0.0
        if value not in nominal:
            problem = f"{value[:40]!r} is not a value of the attribute {name!r}: {', '.join(nominal[:10])}"
            raise DataFormatError(path, number, problem)
        return nominal.index(value), 1.0
    amount = parse_number(value)
    if amount is None:
        raise DataFormatError(path, number, f"{value[:40]!r} of the attribute {name!r} is not a number; correct it")
    return 0, amount


def _feature_names(names: Sequence[str], values: Sequence[list[str] | None], label_columns: set[int]) -> list[str]:
    features = list[str]()
    for column, (name, nominal) in enumerate(zip(names, values, strict=True)):
        if column not in label_columns:
            features += [name] if nominal is None else [f"{name}={value}" for value in nominal]
    return features
