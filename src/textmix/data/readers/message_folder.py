"""Folders of messages, one file per document; the folder, as in 20 Newsgroups, or the path gives the class."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.archives import iter_members, safe_name
from textmix.data.corpus import Corpus
from textmix.data.delimited import CP1252_FALLBACK
from textmix.data.file_text import CONTENTS
from textmix.data.reader_utils import SPLITS, Document, corpus_of_parts, decode

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = dict.fromkeys(("encoding", "members", "content", "labels"), False)


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read folders, or tar archives, of files; the roles ``train`` and ``test`` are the parts of a split.

    Parameters
    ----------
    files : role -> a tar archive, or a folder already unpacked; the data set is all of them together.
    options : ``name``; ``encoding`` of a plain text (default latin-1, in which every byte is a character; ``found`` is
        UTF-8, and Windows-1252 for a file that is no UTF-8, of which the corpus has a remark); ``members``, `fnmatch`
        patterns of the files to read (default: all, or those of ``labels``); ``content``, a name in
        `textmix.data.file_text.CONTENTS` (default ``text``); ``labels``, `fnmatch` pattern -> label, of which the first
        that matches the path of a file gives its label (default: the name of the file's folder).

    Returns
    -------
    a `Corpus` with ids ``folder/file``, after ``train/`` or ``test/`` with a split, without a final ``.txt``, and with
    ``labels`` ``folder/label/file``.  In a folder the files whose name is a number come first, by number.
    """
    if options.get("content", "text") not in CONTENTS:
        raise ConfigError(f"config/datasets.yaml: {options['name']}: content: choose one of {', '.join(CONTENTS)}")
    foreign: list[str] = []
    split = {role: [files[role]] for role in SPLITS} if set(files) == set(SPLITS) else {"data": [*files.values()]}
    parts = {role: _documents(paths, options, foreign) for role, paths in split.items()}
    return corpus_of_parts(options, parts, _remarks(foreign))


def _remarks(foreign: Sequence[str]) -> dict[str, list[str]]:
    """Return the facts about files that are no UTF-8, given their names."""
    what = "files are no UTF-8 and were read as Windows-1252 (Latin-1 with quotes and dashes)"
    return {"remarks": [f"{len(foreign):,} {what}; if letters are wrong, name their encoding."]} if foreign else {}


def _documents(paths: Iterable[Path], options: Mapping[str, Any], foreign: list[str]) -> list[Document]:
    patterns, find = options.get("members", list(options.get("labels", ["*"]))), options.get("encoding") == "found"
    unordered = [
        _document(path, name, _recoded(name, data, foreign) if find else data, options)
        for path in paths
        for name, data in _members(path, patterns)
    ]
    documents = sorted(unordered, key=_order)
    for before, after in pairwise(documents):
        if before.id == after.id:
            raise DataFormatError(options["name"], None, f"has two documents {after.id!r}")
    return documents


def _recoded(name: str, data: bytes, foreign: list[str]) -> bytes:
    """Return a file as UTF-8; one that is not UTF-8 is read as Windows-1252, and its name is added to ``foreign``."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        foreign.append(name)
        return data.decode("cp1252", CP1252_FALLBACK).encode("utf-8")
    return data


def _members(path: Path, patterns: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    return _folder_members(path, patterns) if path.is_dir() else iter_members(path, patterns)


def _document(path: Path, name: str, data: bytes, options: Mapping[str, Any]) -> Document:
    parts = name.rsplit("/", 2)
    if len(parts) < 2:
        raise DataFormatError(path, None, f"the file {name!r} lies in no class folder")
    folder, file = parts[-2], parts[-1].removesuffix(".txt")
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
        # Files of one name lie in many folders.
        raise DataFormatError(path, None, f"the file {name!r}, line {error.line}, {error.what}") from error


def _order(document: Document) -> tuple[str, bool, int, str]:
    """Return the sort key: folder, then number, then name."""
    folder, number = document.id.rsplit("/", 1)
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    return folder, not is_number, int(number) if is_number else 0, document.id


def _folder_members(path: Path, patterns: Sequence[str], prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of the regular files under a folder that match a pattern, in no order; refuse links."""
    with os.scandir(path) as entries:
        for entry in entries:
            name = safe_name(path, prefix + entry.name)
            if entry.is_symlink():
                raise DataFormatError(path, None, f"{name!r} is a link; only files are read")
            if entry.is_dir():
                yield from _folder_members(Path(entry.path), patterns, f"{name}/")
            elif entry.is_file() and ("*" in patterns or any(fnmatchcase(name, pattern) for pattern in patterns)):
                with open(entry.path, "rb", buffering=0) as raw:
                    yield name, raw.read()
