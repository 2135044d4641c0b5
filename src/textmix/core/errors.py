"""Errors with a message for the user: one sentence with the file, what is wrong and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Names that configuration files and parameters had before version 0.3, and their present names.
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
    """Base class of the errors that a user can cause and fix."""


class ConfigError(TextmixError):
    """A configuration value or command-line option is invalid."""


class DataFormatError(TextmixError):
    """A data file is not in the expected format.

    Parameters
    ----------
    path : str or Path
        The file.
    line : int or None
        Line number from 1; None if the error concerns the whole file.
    what : str
        What is wrong, and what to do.
    """

    def __init__(self, path: str | Path, line: int | None, what: str) -> None:
        self.path, self.line, self.what = str(path), line, what
        super().__init__(f"{Path(path).name}{'' if line is None else f', line {line}'}: {what}")


class IntegrityError(TextmixError):
    """A stored file does not match its recorded digest."""


class StorageError(TextmixError):
    """A file cannot be written because the disk is full or the folder is read-only; trying again may help."""


class MissingResult(TextmixError):  # noqa: N818 - an expected outcome, not an error
    """A result cannot be made, for example because its data set cannot be fetched.

    The results that depend on it are missing too and record the same ``reason``, a sentence with the cause and the
    remedy; all other jobs run.  If ``broken``, data are there but corrupt, and the run ends with a non-zero exit code.
    """

    def __init__(self, reason: str, broken: bool = False) -> None:
        self.reason, self.broken = reason, broken
        super().__init__(reason)


def suggest(word: str, allowed: Iterable[Any]) -> str:
    """Suggest a replacement for an unknown name: its new name, or the most similar allowed one and a list of all."""
    words = [str(item) for item in allowed]
    if RENAMED.get(word) in words:
        return f"it is now called '{RENAMED[word]}'"
    close = difflib.get_close_matches(word, words, n=1)
    return (f"did you mean '{close[0]}'? " if close else "") + (f"allowed: {', '.join(words)}" if words else "")


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Turn a failed import in a ``with`` block into an error that names the extra of pyproject.toml which brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed; run: pip install 'textmix[{name}]'"
        raise ModuleNotFoundError(message, name=error.name) from error
