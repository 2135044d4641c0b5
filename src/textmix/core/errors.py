"""Exceptions with user-facing messages: one sentence with the file, the problem and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Former name of a configuration key or parameter (before version 0.3) -> current name.
RENAMED = {
    "because": "reason",
    "beside": "extra_features",
    "casing": "lowercase",
    "dear": "expensive",
    "enough": "single_split_min_documents",
    "gives": "values",
    "marks": "boundary_tokens",
    "min_documents": "min_df",
    "most": "limits",
    "n_topics": "n_components",
    "own": "own_methods",
    "place": "order",
    "readings": "alternatives",
    "shown_by": "evidence",
    "shows": "published_rows",
    "stand_ins": "substitutes",
    "stock": "template",
    "takes": "input",
    "tolerance": "tol",
}


class TextmixError(Exception):
    """Base class of errors that the user can cause and fix."""


class ConfigError(TextmixError):
    """Raised if a configuration value or command-line option is invalid."""


class DataFormatError(TextmixError):
    """Raised if a data file is not in the expected format.

    Parameters
    ----------
    path : str or Path
        Path of the file.
    line : int or None
        Line number, starting at 1; None if the error concerns the whole file.
    what : str
        Problem and remedy.
    """

    def __init__(self, path: str | Path, line: int | None, what: str) -> None:
        self.path = str(path)
        self.line = line
        self.what = what
        super().__init__(f"{Path(path).name}{'' if line is None else f', line {line}'}: {what}")


class IntegrityError(TextmixError):
    """Raised if a stored file does not match its recorded digest."""


class StorageError(TextmixError):
    """Raised if a file cannot be written because the disk is full or the folder is read-only; a retry may succeed."""


class MissingResult(TextmixError):  # noqa: N818 - an expected outcome, not an error
    """Raised if a result cannot be computed, for example because its data set cannot be fetched.

    Dependent results are missing too and record the same ``reason``; all other jobs run.

    Parameters
    ----------
    reason : str
        Sentence with the cause and the remedy.
    broken : bool, default=False
        Whether data are available but corrupt; the run then ends with a nonzero exit code.
    """

    def __init__(self, reason: str, broken: bool = False) -> None:
        self.reason = reason
        self.broken = broken
        super().__init__(reason)


def suggest(word: str, allowed: Iterable[Any]) -> str:
    """Suggest a replacement for an unknown name: its new name, or the closest allowed name and a list of all."""
    words = [str(item) for item in allowed]
    if RENAMED.get(word) in words:
        return f"it is now called '{RENAMED[word]}'"
    close = difflib.get_close_matches(word, words, n=1)
    return (f"did you mean '{close[0]}'? " if close else "") + (f"allowed: {', '.join(words)}" if words else "")


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Context manager that converts an ImportError into an error with the extra of pyproject.toml to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed; run: pip install 'textmix[{name}]'"
        raise ModuleNotFoundError(message, name=error.name) from error
