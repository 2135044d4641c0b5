"""Supported formats of user data: texts and numbers.

The module is imported while a workflow is parsed and therefore has no expensive imports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from textmix.core.errors import ConfigError

#: File extensions of compressed files; the preceding extension determines the format.
COMPRESSED = (".gz", ".xz", ".bz2", ".zip")
#: Non-hidden files created by operating systems and office programs.
_SYSTEM_FILES = ("thumbs.db", "desktop.ini", "__macosx")
#: Start of the name of the lock file that Excel and Word write while a document is open.
LOCK_PREFIX = "~$"


@dataclass(frozen=True)
class Format:
    """A file format.

    Parameters
    ----------
    kind : str
        ``table`` (one text per row, in columns or under keys), ``frame`` (the same, read by pandas), ``lines`` (one
        text per line), ``labelled`` (label and text per line), ``folder`` (one text per file) or ``matrix`` (numbers).
    extensions : tuple of str
        File extensions in lower case.
    reader : str, default=""
        Module of `textmix.data.readers`; empty for a format without labels.
    """

    kind: str
    extensions: tuple[str, ...]
    reader: str = ""


FORMATS = {
    "csv": Format("table", (".csv",), "text_table"),
    "tab": Format("table", (".tsv", ".tab"), "text_table"),
    "jsonl": Format("table", (".jsonl", ".ndjson", ".json"), "text_table"),
    "parquet": Format("frame", (".parquet", ".pq"), "text_table"),
    "excel": Format("frame", (".xlsx", ".xlsm", ".xls", ".ods"), "text_table"),
    "text": Format("lines", (".txt",)),
    "labelled": Format("labelled", (), "text_table"),
    "folder": Format("folder", (), "message_folder"),
    "arff": Format("matrix", (".arff",), "arff"),
    "libsvm": Format("matrix", (".libsvm", ".svm", ".svmlight"), "libsvm_multilabel"),
}
#: Formats of new texts, which have no labels.
NEW_TEXTS = tuple(name for name, entry in FORMATS.items() if entry.kind in ("table", "lines"))
#: Table formats read with pandas.
FRAMES = tuple(name for name, entry in FORMATS.items() if entry.kind == "frame")
#: Formats of feature vectors.
NUMERIC = tuple(name for name, entry in FORMATS.items() if entry.kind == "matrix")
#: Labelled formats, which a registry entry may specify as its reader.
WITH_LABELS = tuple(name for name, entry in FORMATS.items() if entry.reader)


def without_packing(path: str | PurePath) -> PurePath:
    """Strip a file extension of `COMPRESSED` from a file name.

    Parameters
    ----------
    path : str or PurePath
        Name of the file.

    Returns
    -------
    PurePath
        The name without the extension.
    """
    path = PurePath(path)
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def format_of(path: str | PurePath, allowed: Iterable[str]) -> str | None:
    """Infer the format of a file from its extension.

    Parameters
    ----------
    path : str or PurePath
        Name of the file, without an extension of `COMPRESSED`.
    allowed : iterable of str
        Keys of `FORMATS` that are considered.

    Returns
    -------
    str or None
        The format; None if the extension does not match an allowed format.
    """
    extension = PurePath(path).suffix.lower()
    return next((name for name in allowed if extension in FORMATS[name].extensions), None)


def name_of(path: PurePath) -> str:
    """Derive a data set name (lower-case letters, digits and underscores) from a file or folder name.

    Parameters
    ----------
    path : PurePath
        The file or folder.

    Returns
    -------
    str
        The name; ``texts`` if no valid character remains.
    """
    return re.sub("[^a-z0-9]+", "_", path.name.split(".")[0].lower()).strip("_") or "texts"


def is_system_file(name: str) -> bool:
    """Check whether a file or folder belongs to the system rather than to the user, such as ``.DS_Store``.

    Parameters
    ----------
    name : str
        Name of the file or folder.

    Returns
    -------
    bool
        Whether it is hidden, a lock file, or a system file.
    """
    return name.startswith((".", LOCK_PREFIX)) or name.lower() in _SYSTEM_FILES


def check_dialect(encoding: str | None, delimiter: str | None) -> None:
    """Validate the options for the encoding and the delimiter of a table.

    Parameters
    ----------
    encoding, delimiter : str or None
        The options; None means detected.

    Raises
    ------
    ConfigError
        If the encoding is unknown, or the delimiter is not a single character.
    """
    try:
        "".encode(encoding or "utf-8")
    except LookupError as error:
        raise ConfigError(f"encoding: unknown encoding {encoding!r}; the most common one is utf-8") from error
    if delimiter is not None and len(delimiter) != 1:
        raise ConfigError(f"delimiter: {delimiter!r} is not a single character; give one, such as ';'")
