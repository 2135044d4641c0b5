"""Utilities for readers: roles of files, decoding, and construction of single-label text corpora."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged, named_labels
from textmix.data.delimited import REMEDY

#: Roles of files that define a split.
SPLITS = {"train": TRAIN, "test": TEST}


class Document(NamedTuple):
    """Document of a single-label text corpus: identifier, label (None if unlabelled), and UTF-8 text."""

    id: str
    label: str | None
    text: bytes


def file_of(files: Mapping[str, Path], role: str) -> Path:
    """Return the file with a role.

    Parameters
    ----------
    files : mapping of str to Path
        Role -> file.
    role : str
        The role.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ConfigError
        If the registry entry has no such file.
    """
    if role not in files:
        raise ConfigError(f"config/datasets.yaml: a file of the role {role!r} is missing; there are {sorted(files)}")
    return files[role]


def data_files(files: Mapping[str, Path]) -> dict[str, Path]:
    """Select the files with documents: ``data`` if it exists, otherwise ``train`` and ``test``.

    Parameters
    ----------
    files : mapping of str to Path
        Role -> file.

    Returns
    -------
    dict of str to Path
        Role -> file.

    Raises
    ------
    ConfigError
        If a required file is missing.
    """
    roles = ("data",) if "data" in files else ("train", "test")
    return {role: file_of(files, role) for role in roles}


def decode(path: str | Path, data: bytes, encoding: str) -> str:
    """Decode the content of a file.

    Parameters
    ----------
    path : str or Path
        The file, for messages.
    data : bytes
        Its content.
    encoding : str
        The encoding.

    Returns
    -------
    str
        The text.

    Raises
    ------
    DataFormatError
        If the content has an invalid byte or a NUL; the message contains the line number.
    """
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        problem = f"byte {data[error.start]:#04x} at {column}"
        raise DataFormatError(path, line, f"is not {encoding} text ({problem}); {REMEDY}") from error
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataFormatError(
            path, data.count(b"\n", 0, nul) + 1, "contains a NUL byte, so it is not text; convert it to UTF-8"
        )
    return text


def split_array(sizes: Mapping[str, int]) -> np.ndarray | None:
    """Build the split array from the sizes of the files.

    Parameters
    ----------
    sizes : mapping of str to int
        Role -> number of documents, in document order.

    Returns
    -------
    ndarray of shape (N,), dtype int8, or None
        `TRAIN` or `TEST`; None if a role is not in `SPLITS`.
    """
    if not all(role in SPLITS for role in sizes):
        return None
    return np.repeat(np.array([SPLITS[role] for role in sizes], dtype=np.int8), list(sizes.values()))


def require_documents(options: Mapping[str, Any], count: int) -> None:
    """Check that a data set is not empty.

    Parameters
    ----------
    options : mapping
        Options of the reader; ``name`` is used.
    count : int
        Number of documents.

    Raises
    ------
    DataFormatError
        If there are no documents.
    """
    if count == 0:
        raise DataFormatError(options["name"], None, "its files contain no documents")


def text_corpus(
    options: Mapping[str, Any],
    documents: Iterable[Document],
    split: np.ndarray | None = None,
    info: Mapping[str, Any] | None = None,
) -> Corpus:
    """Build a single-label text corpus with label names in alphabetical order.

    Parameters
    ----------
    options : mapping
        Options of the reader: ``name``; and ``test_every``, n to assign the n-th, 2n-th, ... document to `TEST` and
        all others to `TRAIN` if ``split`` is None.
    documents : iterable of Document
        The documents.
    split : ndarray of shape (N,), dtype int8, default=None
        Predefined split.
    info : mapping, default=None
        Facts about the source.

    Returns
    -------
    Corpus
        The corpus.

    Raises
    ------
    DataFormatError
        If there are no documents.
    """
    rows: Sequence[Document] = list(documents)
    require_documents(options, len(rows))
    names, labels = named_labels([[] if row.label is None else [row.label] for row in rows])
    if split is None and "test_every" in options:
        interval = options["test_every"]
        split = np.where(np.arange(1, len(rows) + 1) % interval == 0, TEST, TRAIN).astype(np.int8)
    return Corpus(
        name=options["name"],
        ids=[row.id for row in rows],
        label_names=names,
        labels=labels,
        split=split,
        text=Ragged.from_texts(row.text for row in rows),
        info=info or {},
    )


def corpus_of_parts(
    options: Mapping[str, Any],
    documents_by_role: Mapping[str, Iterable[Document]],
    info: Mapping[str, Any] | None = None,
) -> Corpus:
    """Build a `text_corpus` from several files.

    Parameters
    ----------
    options : mapping
        Options of the reader.
    documents_by_role : mapping of str to iterable of Document
        Role -> documents; a role in `SPLITS` becomes a prefix of the ids.
    info : mapping, default=None
        Facts about the source.

    Returns
    -------
    Corpus
        The corpus.

    Raises
    ------
    DataFormatError
        If there are no documents.
    """
    documents = list[Document]()
    sizes = dict[str, int]()
    for role, documents_of_role in documents_by_role.items():
        numbered = (
            (document._replace(id=f"{role}/{document.id}") for document in documents_of_role)
            if role in SPLITS
            else documents_of_role
        )
        before = len(documents)
        documents += numbered
        sizes[role] = len(documents) - before
    return text_corpus(options, documents, split_array(sizes), info)


def split_labels(corpus: Corpus, separator: str) -> Corpus:
    """Split hierarchical class names into labels, such as ``rec.sport`` into rec and sport.

    Parameters
    ----------
    corpus : Corpus
        A single-label corpus.
    separator : str
        Separator within the class names.

    Returns
    -------
    Corpus
        The multi-label corpus.

    Raises
    ------
    ConfigError
        If a class name has an empty part.
    """
    levels = [name.split(separator) for name in corpus.label_names]
    if not all(all(names) for names in levels):
        raise ConfigError(
            f"config/datasets.yaml: {corpus.name}: a class name has an empty part between {separator!r}; "
            "choose another label_separator"
        )
    names, labels = named_labels([levels[label] for label in corpus.classes()])
    return replace(corpus, label_names=names, labels=labels)
