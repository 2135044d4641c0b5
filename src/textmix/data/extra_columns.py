"""Extra columns of a table, in addition to its texts: numbers and categories."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.sniffing import MAX_CELL_CHARACTERS, is_number
from textmix.data.splits import parse_number

#: Maximum ratio of distinct labels, or categories, to rows.
MAX_CATEGORIES_PER_ROW = 0.5


def cell_text(value: Any) -> str:
    """Convert a cell to a stripped string; null becomes an empty string, other JSON values are serialised.

    Parameters
    ----------
    value : object
        The cell.

    Returns
    -------
    str
        The string.
    """
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def is_missing(value: Any) -> bool:
    """Check whether a value is None, NaN of any precision, or missing in pandas.

    Parameters
    ----------
    value : object
        The value; lists and arrays are never missing.

    Returns
    -------
    bool
        Whether the value is missing.
    """
    pandas = sys.modules.get("pandas")  # pandas values can only occur if pandas has been imported
    if pandas is not None and not isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return bool(pandas.isna(value))
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def column_cells(columns: Mapping[str, Sequence[Any]], rows: int) -> dict[str, list[str]]:
    """Convert columns to strings.

    Parameters
    ----------
    columns : mapping of str to sequence, or DataFrame
        The columns by name.
    rows : int
        The expected number of cells.

    Returns
    -------
    dict of str to list of str
        The cells of each column; empty for missing values.

    Raises
    ------
    ConfigError
        If the number of cells in a column is wrong.
    """
    cells = {}
    for name, column in columns.items():
        values = [value.item() if isinstance(value, np.generic) else value for value in column]
        cells[str(name)] = ["" if is_missing(value) else cell_text(value) for value in values]
        if len(values) != rows:
            raise ConfigError(f"features: column {name!r} has {len(values)} cells for {rows} texts; give one per text")
    return cells


def infer_column_kinds(cells: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Infer whether columns are numeric or categorical.

    Parameters
    ----------
    cells : mapping of str to sequence of str
        The cells of each column.

    Returns
    -------
    dict of str to {"number", "category"}
        Type of each column.

    Raises
    ------
    ConfigError
        If a column is constant, is a row number, or has too many distinct strings.
    """
    kinds = {}
    for name, column in cells.items():
        filled = [cell for cell in column if cell]
        distinct = set(filled)
        if len(distinct) < 2:
            raise ConfigError(f"--features: column {name!r} has one value only; leave it out")
        if all(map(is_number, filled)):
            numbers = parse_numbers(name, filled)
            if numbers[0] in (0.0, 1.0) and {after - before for before, after in pairwise(numbers.tolist())} == {1.0}:
                raise ConfigError(f"--features: column {name!r} numbers the rows; leave it out")
            kinds[name] = "number"
            continue
        is_long = float(np.mean([*map(len, filled)])) > MAX_CELL_CHARACTERS
        if is_long or len(distinct) > MAX_CATEGORIES_PER_ROW * len(filled):
            problem = "contains neither numbers nor recurring categories"
            raise ConfigError(f"--features: column {name!r} {problem}; leave it out, or join it to the text by --text")
        kinds[name] = "category"
    return kinds


def parse_numbers(name: str, cells: Sequence[str]) -> np.ndarray:
    """Parse a numeric column.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    cells : sequence of str
        The cells.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        The numbers; NaN for an empty cell.

    Raises
    ------
    ConfigError
        If a cell is not a number.
    """
    numbers = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell:
            number = parse_number(cell.replace(",", "."))
            if number is None:
                raise ConfigError(f"column {name!r} is numeric, but {cell[:40]!r} is not a number; correct it")
            numbers[row] = number
    return numbers
