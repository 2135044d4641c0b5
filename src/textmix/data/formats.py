"""The formats of texts and numbers that a user may bring.

It is imported while a workflow is parsed, so it imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

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
    "arff": Format("matrix", (".arff",), "arff"),
    "libsvm": Format("matrix", (".libsvm", ".svm"), "libsvm_multilabel"),
}
#: Formats of new texts, which have no labels.
NEW_TEXTS = tuple(name for name, form in FORMATS.items() if form.kind in ("table", "lines"))
#: Formats of tables that pandas reads.
FRAMES = tuple(name for name, form in FORMATS.items() if form.kind == "frame")
#: Formats of data of the user's own, which have labels.
OWN_DATA = tuple(name for name, form in FORMATS.items() if form.reader)


def without_packing(path: str | PurePath) -> PurePath:
    """Return the name of a file without an ending of `PACKED`."""
    path = PurePath(path)
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def format_of(path: str | PurePath, allowed: Iterable[str]) -> str | None:
    """Return the format that the ending of a file's name tells: a key of `FORMATS` among ``allowed``, or None."""
    ending = PurePath(path).suffix.lower()
    return next((name for name in allowed if ending in FORMATS[name].endings), None)


def check_dialect(encoding: str | None, delimiter: str | None) -> None:
    """Raise ConfigError if there is no such encoding of text, or a delimiter is not one character; None is found."""
    try:
        "".encode(encoding or "utf-8")
    except LookupError as error:
        raise ConfigError(f"encoding: there is no encoding {encoding!r}; utf-8 is the usual one") from error
    if delimiter is not None and len(delimiter) != 1:
        raise ConfigError(f"delimiter: {delimiter!r} is not one character; give one, such as ';'")


def parts_of(folder: Path) -> dict[str, Path]:
    """Return ``train`` and ``test`` -> folder, of a folder with two so named, such as 20news-bydate; else empty."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    folders = {role: [path for path in inside if role in path.name.lower()] for role in ("train", "test")}
    whole = len(inside) == 2 and all(len(paths) == 1 for paths in folders.values())
    return {role: paths[0] for role, paths in folders.items()} if whole else {}
