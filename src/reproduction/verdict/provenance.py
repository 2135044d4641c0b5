"""Digests and versions that identify the data of a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from textmix.core import io
from textmix.core.errors import MissingResult


def data_digests(folders: Iterable[Path], *, reasons: bool = True) -> dict[str, str]:
    """Return data set -> the digest of its content, or why it is missing.

    Parameters
    ----------
    folders : parsed data sets.
    reasons : whether to give the reason; else the text sends the reader to the report's front page, which gives it.

    Raises
    ------
    IntegrityError : a file of a data set was changed by hand.
    """
    return {folder.name: _digest(folder, reasons) for folder in folders}


def _digest(folder: Path, reasons: bool) -> str:
    """Return the digest of the content of a parsed data set, or why it is missing; see `data_digests`."""
    try:
        io.check_result(folder)
    except MissingResult as missing:
        return f"missing: {missing.reason if reasons else 'the front page says why'}"
    return str(io.read_json(folder / "corpus.json")["content_digest"])
