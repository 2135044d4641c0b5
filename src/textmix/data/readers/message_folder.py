"""Folders of messages: one folder a class, one file a document, as in 20 Newsgroups."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any

from textmix.core.errors import DataFormatError
from textmix.data.archives import iter_tar, safe_name
from textmix.data.corpus import Corpus
from textmix.data.reading import Document, decode, file_of, text_corpus

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {"encoding": False, "members": False, "skip_html": False}
#: Bytes read at once.
BLOCK = 1 << 18
#: A tag of HTML; one that is never closed reaches to the end of the text, as in Rainbow's ``--skip-html``.
_TAG = re.compile(rb"<[^>]*>?")


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read a folder, or a tar archive, of ``<class>/<document>`` files.

    Parameters
    ----------
    files : ``archive``, a tar archive, or a folder already unpacked.
    options : ``name``; ``encoding`` (default latin-1, in which every byte is a character); ``members``, `fnmatch`
        patterns of the files to read (default: all); ``skip_html: true`` puts a blank in place of each tag.

    Returns
    -------
    a `Corpus` with label = name of the file's folder and id ``folder/file`` without a final ``.txt``, in order of
    folder; in a folder the files whose name is a number come first, by number, and then all further files, by name.

    Raises
    ------
    DataFormatError : a file lies in no class folder, two documents have one id, a text is not in the encoding, a member
        is a link, or a fault of the archive that `textmix.data.archives.iter_tar` names.
    """
    path = file_of(files, "archive")
    patterns = options.get("members", ["*"])
    members = _folder_members(path, patterns) if path.is_dir() else iter_tar(path, patterns)
    encoding = options.get("encoding", "latin-1")
    if options.get("skip_html"):
        members = ((name, _TAG.sub(b" ", data)) for name, data in members)
    documents = sorted((_document(path, name, data, encoding) for name, data in members), key=_order)
    for before, after in pairwise(documents):
        if before.id == after.id:
            raise DataFormatError(path, None, f"has two documents {after.id!r}")
    return text_corpus(options, documents)


def _document(path: Path, name: str, data: bytes, encoding: str) -> Document:
    """Return the document of one file.

    Parameters
    ----------
    path : the archive or folder, for messages.
    name : path of the file inside it.
    data : content of the file.
    encoding : its encoding.
    """
    parts = name.rsplit("/", 2)
    if len(parts) < 2:
        raise DataFormatError(path, None, f"the file {name!r} lies in no class folder")
    text = data if encoding == "latin-1" and data.isascii() else _reencode(path, name, data, encoding)
    return Document(f"{parts[-2]}/{parts[-1].removesuffix('.txt')}", parts[-2], text)


def _reencode(path: Path, name: str, data: bytes, encoding: str) -> bytes:
    """Return the content of a file as UTF-8; the parameters are those of `_document`."""
    if encoding == "latin-1":
        return data.decode("latin-1").encode("utf-8")
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


def _folder_members(path: Path, patterns: list[str], prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of the regular files under a folder that match a pattern, in no order; refuse links.

    There are thousands of small files.  One `os.scandir` for each folder and `os.read` take half the time of pathlib.
    """
    with os.scandir(path) as entries:
        for entry in entries:
            name = safe_name(path, prefix + entry.name)
            if entry.is_symlink():
                raise DataFormatError(path, None, f"{name!r} is a link; only files are read")
            if entry.is_dir():
                yield from _folder_members(Path(entry.path), patterns, f"{name}/")
            elif entry.is_file() and any(fnmatchcase(name, each) for each in patterns):
                yield name, _content(entry.path)


def _content(path: str) -> bytes:
    """Return the bytes of a file."""
    handle = os.open(path, os.O_RDONLY)
    try:
        parts = [os.read(handle, BLOCK)]
        while len(parts[-1]) == BLOCK:
            parts.append(os.read(handle, BLOCK))
        return b"".join(parts)
    finally:
        os.close(handle)
