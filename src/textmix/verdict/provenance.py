"""What identifies the data of a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from textmix.core import io
from textmix.core.errors import MissingResult


def data_digests(folders: Iterable[Path]) -> dict[str, str]:
    """Return data set -> the digest of its content, or where the report says why it is missing.

    Parameters
    ----------
    folders : parsed data sets.

    Raises
    ------
    IntegrityError : a file of a data set was changed by hand.
    """
    return {folder.name: _digest(folder) for folder in folders}


def _digest(folder: Path) -> str:
    """Return the digest of the content of a parsed data set, or where the report says why it is missing."""
    try:
        io.check_result(folder)
    except MissingResult:
        return "missing: the front page says why"
    return str(io.read_json(folder / "corpus.json")["content_digest"])
