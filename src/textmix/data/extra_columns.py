"""The cells of a table beside its texts: numbers, and categories that recur."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.sniffing import LONGEST, is_number
from textmix.data.splits import number_of

#: Most labels, or categories of a column, for each row.
OFTEN = 0.5


def cell_text(value: Any) -> str:
    """Return a cell as text, stripped; JSON null becomes the empty text, any other JSON value its JSON text."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, nan of any width, or what pandas takes as missing."""
    pandas = sys.modules.get("pandas")  # a value of pandas comes from a process that has imported it
    if pandas is not None and not isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return bool(pandas.isna(value))
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def cells_of(columns: Mapping[str, Sequence[Any]], rows: int) -> dict[str, list[str]]:
    """Return the columns of a mapping, or of a table of pandas, as texts; raises ConfigError for other than N rows."""
    found = {}
    for name, column in columns.items():
        values = [value.item() if isinstance(value, np.generic) else value for value in column]
        found[str(name)] = ["" if is_missing(value) else cell_text(value) for value in values]
        if len(values) != rows:
            raise ConfigError(f"further: the column {name!r} has {len(values)} cells for {rows} texts; give one each")
    return found


def kinds_of(cells: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return column -> ``number`` or ``category``, by the cells of N rows as text.

    A column of one value, of row numbers or of texts that do not recur raises `ConfigError`.
    """
    kinds = {}
    for name, column in cells.items():
        filled = [cell for cell in column if cell]
        distinct = set(filled)
        if len(distinct) < 2:
            raise ConfigError(f"--further: the column {name!r} has one value only; leave it out")
        if all(map(is_number, filled)):
            numbers = numbers_of(name, filled)
            if numbers[0] in (0.0, 1.0) and {after - before for before, after in pairwise(numbers.tolist())} == {1.0}:
                raise ConfigError(f"--further: the column {name!r} numbers the rows; leave it out")
            kinds[name] = "number"
            continue
        if float(np.mean([*map(len, filled)])) > LONGEST or len(distinct) > OFTEN * len(filled):
            what = "holds neither numbers nor categories that recur"
            raise ConfigError(f"--further: the column {name!r} {what}; leave it out, or join it to the text by --text")
        kinds[name] = "category"
    return kinds


def numbers_of(name: str, cells: Sequence[str]) -> np.ndarray:
    """Return the numbers of a column, float64 (N,), nan where a cell is empty; raises ConfigError for another text."""
    found = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell:
            number = number_of(cell.replace(",", "."))
            if number is None:
                raise ConfigError(f"the column {name!r} holds numbers, and {cell[:40]!r} is none; correct it")
            found[row] = number
    return found
