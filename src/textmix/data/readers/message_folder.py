"""Folders of messages, one file per document; the class is the folder, as in 20 Newsgroups, or a path pattern."""

from __future__ import annotations

import codecs
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.archives import iter_members, safe_name
from textmix.data.corpus import Corpus
from textmix.data.delimited import CP1252_FALLBACK
from textmix.data.encodings import suggested_encodings
from textmix.data.file_text import CONTENTS
from textmix.data.formats import is_system_file
from textmix.data.reader_utils import SPLITS, Document, corpus_of_parts, decode

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = dict.fromkeys(("encoding", "members", "content", "labels"), False)


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read folders or tar archives of files; the roles ``train`` and ``test`` define the split.

    Parameters
    ----------
    files : mapping of str to Path
        Role -> tar archive or unpacked folder; the data set is their union.
    options : mapping
        ``name``; ``encoding`` of plain text (default latin-1, which can decode any byte; ``found`` tries UTF-8, then
        Windows-1252, and records it in the corpus); ``members``, `fnmatch` patterns of the files to read (default:
        all, or the patterns of ``labels``); ``content``, a key of `textmix.data.file_text.CONTENTS` (default
        ``text``); ``labels``, `fnmatch` pattern -> label, where the first pattern that matches the path of a file
        determines its label (default: the name of the parent folder).

    Returns
    -------
    Corpus
        The ids are ``folder/file`` without the extension ``.txt``, prefixed by ``train/`` or ``test/`` if there is a
        split; with ``labels`` they are ``folder/label/file``.  In each folder, files with numeric names come first,
        in numeric order.

    Raises
    ------
    ConfigError
        If ``content`` is unknown.
    DataFormatError
        If a file has no class, cannot be decoded, or occurs twice.
    """
    if options.get("content", "text") not in CONTENTS:
        raise ConfigError(f"config/datasets.yaml: {options['name']}: content: choose one of {', '.join(CONTENTS)}")
    legacy_files: list[str] = []
    split = {role: [files[role]] for role in SPLITS} if set(files) == set(SPLITS) else {"data": [*files.values()]}
    documents = {role: _documents(paths, options, legacy_files) for role, paths in split.items()}
    notes = legacy_notes(legacy_files)
    return corpus_of_parts(options, documents, {"remarks": notes} if notes else {})


def read_class_folders(
    paths: Sequence[Path], classes: Collection[str], encoding: str | None, legacy_files: list[str]
) -> tuple[list[Document], int]:
    """Read the texts of a user's folders; the top-level subfolders are the classes.

    Parameters
    ----------
    paths : sequence of Path
        Folders with class folders.
    classes : collection of str
        Names of the class folders.
    encoding : str or None
        Encoding of the texts; None to detect UTF-8 or Windows-1252.
    legacy_files : list of str
        Modified in place: names of files decoded as Windows-1252 are appended.

    Returns
    -------
    documents : list of Document
        The texts.
    n_outside : int
        Number of files next to the class folders.

    Raises
    ------
    DataFormatError
        If a file cannot be decoded, or is a link.
    """
    options: dict[str, Any] = {"name": paths[0].name, "encoding": encoding or "found"}
    documents = list[Document]()
    n_outside = 0
    for path in paths:
        n_before = len(documents)
        for name, data in _folder_members(path, ["*"], skip_system_files=True):
            folder, _, _ = name.partition("/")
            if folder == name:
                n_outside += 1
            elif folder in classes:
                text = data if encoding else _recode(path, name, data, legacy_files)
                identifier = name.removesuffix(".txt")
                if len(paths) > 1:
                    identifier = f"{folder}/{path.name}/{identifier.removeprefix(f'{folder}/')}"
                documents.append(Document(identifier, folder, _text(path, name, text, options)))
        if n_before == len(documents) and len(paths) > 1:
            raise DataFormatError(path, None, "has no texts in class folders")
    return sorted(documents, key=_order), n_outside


def legacy_notes(legacy_files: Sequence[str]) -> list[str]:
    """Describe how many files were decoded as Windows-1252.

    Parameters
    ----------
    legacy_files : sequence of str
        Names of these files.

    Returns
    -------
    list of str
        One note; empty if all files are UTF-8.
    """
    problem = "files are not UTF-8 and were read as Windows-1252"
    return (
        [f"{len(legacy_files):,} {problem}; if letters are wrong, give their encoding by --encoding."]
        if legacy_files
        else []
    )


def _documents(paths: Iterable[Path], options: Mapping[str, Any], legacy_files: list[str]) -> list[Document]:
    patterns = options.get("members", list(options.get("labels", ["*"])))
    detect = options.get("encoding") == "found"
    documents = [
        _document(path, name, _recode(path, name, data, legacy_files) if detect else data, options)
        for path in paths
        for name, data in _members(path, patterns)
    ]
    documents.sort(key=_order)
    for document, following in pairwise(documents):
        if document.id == following.id:
            raise DataFormatError(options["name"], None, f"has two documents {document.id!r}")
    return documents


def _recode(path: Path, name: str, data: bytes, legacy_files: list[str]) -> bytes:
    """Convert a file to UTF-8; if it is not valid UTF-8, decode it as Windows-1252 and append its name."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        suggestions = suggested_encodings(data.splitlines())
        if suggestions:
            problem = f"the file {name!r} is neither UTF-8 nor Windows-1252"
            remedy = f"give the encoding by --encoding, for example {' or '.join(suggestions)}"
            raise DataFormatError(path, None, f"{problem}; {remedy}") from error
        legacy_files.append(name)
        return data.decode("cp1252", CP1252_FALLBACK).encode("utf-8")
    return data


def _members(path: Path, patterns: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    return _folder_members(path, patterns) if path.is_dir() else iter_members(path, patterns)


def _document(path: Path, name: str, data: bytes, options: Mapping[str, Any]) -> Document:
    components = name.rsplit("/", 2)
    if len(components) < 2:
        raise DataFormatError(path, None, f"the file {name!r} lies in no class folder")
    folder = components[-2]
    file = components[-1].removesuffix(".txt")
    if "labels" not in options:
        return Document(f"{folder}/{file}", folder, _text(path, name, data, options))
    label = next((label for pattern, label in options["labels"].items() if fnmatchcase(name, pattern)), None)
    if label is None:
        raise DataFormatError(path, None, f"the file {name!r} matches no pattern of labels")
    return Document(f"{folder}/{label}/{file}", label, _text(path, name, data, options))


def _text(path: Path, name: str, data: bytes, options: Mapping[str, Any]) -> bytes:
    encoding = options.get("encoding", "latin-1").replace("found", "utf-8")
    if encoding == "latin-1":
        try:
            return CONTENTS[options.get("content", "text")](data)
        except ValueError as error:
            raise DataFormatError(path, None, f"the file {name!r} is {error}") from error
    try:
        return decode(path / name, data, encoding).encode("utf-8")
    except DataFormatError as error:
        # File names are not unique across folders, so the message includes the path.
        raise DataFormatError(path, None, f"the file {name!r}, line {error.line}, {error.what}") from error


def _order(document: Document) -> tuple[str, bool, int, str]:
    """Return the sort key: folder, number, name."""
    folder, number = document.id.rsplit("/", 1)
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    return folder, not is_number, int(number) if is_number else 0, document.id


def _folder_members(
    path: Path, patterns: Sequence[str], prefix: str = "", skip_system_files: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of matching regular files below a folder, in arbitrary order; reject symbolic links."""
    with os.scandir(path) as entries:
        for entry in entries:
            if skip_system_files and is_system_file(entry.name):
                continue
            name = safe_name(path, prefix + entry.name)
            if entry.is_symlink():
                raise DataFormatError(path, None, f"{name!r} is a link; only files are read")
            if entry.is_dir():
                yield from _folder_members(Path(entry.path), patterns, f"{name}/", skip_system_files)
            elif entry.is_file() and ("*" in patterns or any(fnmatchcase(name, pattern) for pattern in patterns)):
                with open(entry.path, "rb", buffering=0) as raw:
                    yield name, raw.read()
