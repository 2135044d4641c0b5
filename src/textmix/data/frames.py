"""Tables of texts in Parquet and Excel, row by row, through pandas and its extras."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.tables import Column, Row, places


def frame_rows(path: Path, form: str, columns: Sequence[Column]) -> Iterator[Row]:
    """Yield (number of the row in the file, C cells) for every row: the cells of the wanted columns, in order.

    A text stays as it is, a list becomes a list of texts, an empty cell the empty text, and any other value its text;
    of a whole number without a decimal point.

    Parameters
    ----------
    path : the file.
    form : ``parquet``, or ``excel``, of which the first sheet is read.
    columns : C wanted columns, all by name or all by number from 1; the cell of a column None is None.

    Raises
    ------
    ConfigError : pandas lacks the packages for this format; the message names the extra.
    DataFormatError : the file is not of this format, or a column is missing or stands twice.
    """
    by_number = all(isinstance(column, int) for column in columns if column is not None)
    names, rows = _table(path, form, header=not by_number)
    first = 1 if by_number or form == "parquet" else 2
    wanted = places(path, first - 1, names, columns, by_number)
    for number, cells in enumerate(rows, start=first):
        yield number, [None if position is None else _cell(cells[position]) for position in wanted]


def frame_names(path: Path, form: str) -> list[str]:
    """Return the names of the columns of a file; the parameters and errors are those of `frame_rows`."""
    return _table(path, form, header=True)[0]


def _table(path: Path, form: str, header: bool) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Return the names of the columns of a file, and its rows; of Excel without a header the names mean nothing."""
    import pandas as pd  # here, for most data need none of it

    try:
        if form == "parquet":
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_excel(path, header=0 if header else None, dtype=object)
    except ImportError as error:
        raise ConfigError(f"{path}: format {form} needs packages; run: pip install 'pandas[{form}]'") from error
    except MemoryError:
        raise
    except Exception as error:  # a damaged file ends in errors of zip, XML or Arrow, of any class
        raise DataFormatError(
            path, None, f"cannot be read as {form} ({str(error)[:80]}); save it anew, or as csv"
        ) from error
    return [str(name) for name in frame.columns], frame.itertuples(index=False, name=None)


def _cell(value: Any) -> Any:
    """Return a cell as text, or as a list of texts; of what pandas takes as missing the empty text."""
    from pandas import isna

    if isinstance(value, (list, tuple, np.ndarray)):
        return [_cell(item) for item in value]
    if isna(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
