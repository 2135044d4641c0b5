"""Read the cells of a paper's ``published.csv``; the rows are interpreted by `reproduction.verdict.published`.

The module is imported while Snakemake parses the workflow, so it must not import anything heavy.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from textmix.core.errors import ConfigError, suggest

PUBLISHED_COLUMNS = (
    "id",
    "artefact",
    "kind",
    "dataset",
    "method",
    "metric",
    "unit",
    "value",
    "spread",
    "trials",
    "where",
    "tolerance",
    "margin",
    "source",
    "note",
)
#: Delimiters of CSV files that other programs write.
_OTHER_DELIMITERS = (";", "\t")


def read_cells(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Read ``published.csv``.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    line : int
        Line number, starting at 1.
    cells : dict of str to str
        Column -> cell.

    Raises
    ------
    ConfigError
        If the file cannot be read, or its format or header is not that of ``published.csv``.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); create the file") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text; save it as UTF-8") from error
    reader = csv.reader(lines, strict=True)
    try:
        _check_header(path, next(reader, []))
        for cells in reader:
            if len(cells) != len(PUBLISHED_COLUMNS):
                problem = f"{len(cells)} cells, expected {len(PUBLISHED_COLUMNS)}; quote cells that contain a comma"
                raise ConfigError(f"{path}, line {reader.line_num}: {problem}")
            yield reader.line_num, dict(zip(PUBLISHED_COLUMNS, cells, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{path}, line {reader.line_num}: not valid CSV ({error}); correct the quotes") from error


def _check_header(path: Path, header: Sequence[str]) -> None:
    """Raise ConfigError if the header differs from `PUBLISHED_COLUMNS`; name the first difference."""
    if tuple(header) == PUBLISHED_COLUMNS:
        return
    where = f"{path}, line 1"
    expected = ",".join(PUBLISHED_COLUMNS)
    if len(header) == 1:
        for delimiter in _OTHER_DELIMITERS:
            if len(header[0].split(delimiter)) > 1:
                raise ConfigError(f"{where}: cells are separated by {delimiter!r}; save the file with commas")
    for column in header:
        if column not in PUBLISHED_COLUMNS:
            remedy = suggest(column, PUBLISHED_COLUMNS)
            raise ConfigError(f"{where}: unknown column '{column}'; {remedy}")
    missing = [column for column in PUBLISHED_COLUMNS if column not in header]
    problem = f"missing columns: {', '.join(missing)}" if missing else "columns are repeated or in another order"
    raise ConfigError(f"{where}: {problem}; the header must be {expected}")
