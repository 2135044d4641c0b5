"""The formats of texts and numbers that a user may bring.

It is imported while a workflow is parsed, so it imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from textmix.core.errors import ConfigError

#: Endings of packed files; the ending before them tells the format.
PACKED = (".gz", ".xz", ".bz2", ".zip")


@dataclass(frozen=True)
class Format:
    """One format.

    Parameters
    ----------
    kind : ``table`` (a text a row, in columns or under keys), ``frame`` (the same, as pandas reads it), ``lines`` (a
        text a line), ``labelled`` (a label and a text a line), ``folder`` (a text a file) or ``matrix`` (numbers).
    endings : of the file's name, in lower case.
    reader : module of `textmix.data.readers`; empty for a format without labels, of which only new texts come.
    """

    kind: str
    endings: tuple[str, ...]
    reader: str = ""


FORMATS = {
    "csv": Format("table", (".csv",), "text_table"),
    "tab": Format("table", (".tsv", ".tab"), "text_table"),
    "jsonl": Format("table", (".jsonl", ".ndjson", ".json"), "text_table"),
    "parquet": Format("frame", (".parquet", ".pq"), "text_table"),
    "excel": Format("frame", (".xlsx", ".xls", ".ods"), "text_table"),
    "text": Format("lines", (".txt",)),
    "labelled": Format("labelled", (), "text_table"),
    "folder": Format("folder", (), "message_folder"),
    "arff": Format("matrix", (), "arff"),
    "libsvm": Format("matrix", (), "libsvm_multilabel"),
}
#: Formats of new texts, which have no labels.
NEW_TEXTS = tuple(name for name, form in FORMATS.items() if form.kind in ("table", "lines"))
#: Formats of tables that pandas reads.
FRAMES = tuple(name for name, form in FORMATS.items() if form.kind == "frame")
#: Formats with labels, which an entry of the registry may name as its reader.
WITH_LABELS = tuple(name for name, form in FORMATS.items() if form.reader)


def without_packing(path: str | PurePath) -> PurePath:
    """Return the name of a file without an ending of `PACKED`."""
    path = PurePath(path)
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def format_of(path: str | PurePath, allowed: Iterable[str]) -> str | None:
    """Return the format that the ending of a file's name tells: a key of `FORMATS` among ``allowed``, or None."""
    ending = PurePath(path).suffix.lower()
    return next((name for name in allowed if ending in FORMATS[name].endings), None)


def name_of(path: PurePath) -> str:
    """Return the name of the data set of a file or folder: small letters, digits and underlines."""
    return re.sub("[^a-z0-9]+", "_", path.name.split(".")[0].lower()).strip("_") or "texts"


def check_dialect(encoding: str | None, delimiter: str | None) -> None:
    """Raise ConfigError if there is no such encoding of text, or a delimiter is not one character; None is found."""
    try:
        "".encode(encoding or "utf-8")
    except LookupError as error:
        raise ConfigError(f"encoding: there is no encoding {encoding!r}; utf-8 is the usual one") from error
    if delimiter is not None and len(delimiter) != 1:
        raise ConfigError(f"delimiter: {delimiter!r} is not one character; give one, such as ';'")
