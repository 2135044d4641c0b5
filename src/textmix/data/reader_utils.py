"""Shared by all readers: the roles of files, decoding, and the making of a single-label text corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged, named_labels
from textmix.data.delimited import REMEDY

#: Roles of files that give a split; a file of any other role gives none.
SPLITS = {"train": TRAIN, "test": TEST}


class Document(NamedTuple):
    """One document of a single-label text corpus: identifier, label name (None without a label), text in UTF-8."""

    id: str
    label: str | None
    text: bytes


def file_of(files: Mapping[str, Path], role: str) -> Path:
    """Return the file of a role; raises ConfigError if the registry entry has none."""
    if role not in files:
        raise ConfigError(f"config/datasets.yaml: a file of the role {role!r} is missing; there are {sorted(files)}")
    return files[role]


def data_files(files: Mapping[str, Path]) -> dict[str, Path]:
    """Return role -> path of the files with documents: ``data`` alone if it is there, else ``train`` and ``test``."""
    roles = ("data",) if "data" in files else ("train", "test")
    return {role: file_of(files, role) for role in roles}


def decode(path: str | Path, data: bytes, encoding: str) -> str:
    """Return the content of a file as text; raises DataFormatError with the line of a foreign byte or a NUL."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line, column = data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start)
        what = f"byte {data[error.start]:#04x} at {column}"
        raise DataFormatError(path, line, f"is not {encoding} text ({what}); {REMEDY}") from error
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataFormatError(path, data.count(b"\n", 0, nul) + 1, "holds a NUL byte: this is not text")
    return text


def split_array(sizes: Mapping[str, int]) -> np.ndarray | None:
    """Return `TRAIN` or `TEST` of the documents of several files, int8 (N,), or None if a role is not in `SPLITS`.

    ``sizes`` is role -> number of documents in its file, in the order of the documents.
    """
    if not all(role in SPLITS for role in sizes):
        return None
    return np.repeat(np.array([SPLITS[role] for role in sizes], dtype=np.int8), list(sizes.values()))


def require_documents(options: Mapping[str, Any], count: int) -> None:
    """Raise `DataFormatError` if a data set holds no documents."""
    if count == 0:
        raise DataFormatError(options["name"], None, "its files hold no documents")


def text_corpus(
    options: Mapping[str, Any],
    documents: Iterable[Document],
    split: np.ndarray | None = None,
    info: Mapping[str, Any] | None = None,
) -> Corpus:
    """Return a single-label text corpus, label names in alphabetical order.

    Of the reader's options ``name`` is used, and ``test_every``: if it is n and ``split``, int8 (N,), is None, the
    n-th, 2n-th, ... document is `TEST` and every other one is `TRAIN`.
    """
    rows: Sequence[Document] = list(documents)
    require_documents(options, len(rows))
    names, labels = named_labels([[] if row.label is None else [row.label] for row in rows])
    if split is None and "test_every" in options:
        every = options["test_every"]
        split = np.where(np.arange(1, len(rows) + 1) % every == 0, TEST, TRAIN).astype(np.int8)
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
    options: Mapping[str, Any], parts: Mapping[str, Iterable[Document]], info: Mapping[str, Any] | None = None
) -> Corpus:
    """Return a `text_corpus` of role -> documents; a role of `SPLITS` stands before the ids of its documents."""
    documents, sizes = list[Document](), dict[str, int]()
    for role, part in parts.items():
        named = (each._replace(id=f"{role}/{each.id}") for each in part) if role in SPLITS else part
        before = len(documents)
        documents += named
        sizes[role] = len(documents) - before
    return text_corpus(options, documents, split_array(sizes), info)


def split_labels(corpus: Corpus, separator: str) -> Corpus:
    """Return a corpus whose documents have the parts of their class name as labels: rec and sport of ``rec.sport``."""
    parts = [name.split(separator) for name in corpus.label_names]
    if not all(all(names) for names in parts):
        raise ConfigError(
            f"config/datasets.yaml: {corpus.name}: a class name has an empty part between {separator!r}; "
            "choose another label_separator"
        )
    names, labels = named_labels([parts[label] for label in corpus.classes()])
    return replace(corpus, label_names=names, labels=labels)
