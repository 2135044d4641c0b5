"""The user's own data of any format, a folder of texts among them, as a checked `Corpus`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.archives import iter_lines
from textmix.data.corpus import Corpus
from textmix.data.formats import name_of
from textmix.data.parse import check_corpus, read_corpus
from textmix.data.registry import reader_of

#: Caps on LIBSVM: arrays of these sizes are allocated, so that one wrong digit could exhaust the memory.
MOST = {"features": 20_000_000, "labels": 1_000_000}
#: Folder of training documents without a label beside the class folders, as aclImdb comes; it is no class.
UNLABELLED = "unsup"


def read_own(reading: Mapping[str, Any]) -> Corpus:
    """Read the user's data, which must have documents of different labels; every promise of `Corpus` is checked.

    ``reading`` has ``name``, ``source`` (where these keys stand), ``files`` (role -> path), ``format``, ``task`` and
    ``options``.
    """
    files = {role: Path(path) for role, path in reading["files"].items()}
    for role, path in files.items():
        if not path.exists():
            raise ConfigError(f"{reading['source']}: files.{role}: there is no {path}; correct the path")
        if path.is_dir() != (reading["format"] == "folder"):
            kind = "a folder" if path.is_dir() else "a file"
            raise ConfigError(
                f"{reading['source']}: files.{role}: {path} is {kind}, which does not fit format: {reading['format']}; "
                "correct the path or the format"
            )
        if path.is_file() and path.stat().st_size == 0:
            raise DataFormatError(path, None, "is empty")
    reader = reader_of(reading["format"], _options(reading, files))
    if reading["format"] == "folder":
        files = {"archive": files["data"]} if "data" in files else files
    corpus = read_corpus(reader, files, reading["name"])
    check_corpus(corpus)
    check_labels(corpus)
    return corpus


def read_folder(path: Path) -> Corpus:
    """Return the texts below a folder with a folder for each class, or with two such folders, for training and test."""
    files = _parts(path) or {"data": path}
    head = {"name": name_of(path), "source": path.name, "task": "single", "format": "folder"}
    return read_own({**head, "files": files, "options": {}})


def _parts(path: Path) -> dict[str, Path]:
    """Return ``train`` and ``test`` -> folder, of a folder with two so named, such as 20news-bydate; else empty."""
    inside = sorted(path for path in path.iterdir() if path.is_dir() and not path.name.startswith("."))
    folders = {role: [path for path in inside if role in path.name.lower()] for role in ("train", "test")}
    whole = len(inside) == 2 and all(len(paths) == 1 for paths in folders.values())
    return {role: paths[0] for role, paths in folders.items()} if whole else {}


def _options(reading: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Return the options of the reader of the format, in the reader's own names."""
    form, options = reading["format"], dict(reading["options"])
    if form == "folder":
        # Files whose name begins with a dot are the system's, not documents.
        classes = [f"{name}/[!.]*" for name in _classes(files)] or ["*/[!.]*"]
        return {**{key: options[key] for key in ("encoding",) if key in options}, "members": classes}
    if form == "arff":
        return {**{key: options[key] for key in ("n_labels",) if key in options}, **options.get("columns", {})}
    if form == "libsvm":
        return _libsvm_sizes(list(files.values()))
    columns = options.pop("columns", {})
    return {**options, **columns, "several": reading["task"] == "multi"}


def _classes(files: Mapping[str, Path]) -> list[str]:
    """Return the class folders of a split that is laid out like aclImdb, without `UNLABELLED`; else an empty list."""
    if "train" not in files or not (files["train"] / UNLABELLED).is_dir() or (files["test"] / UNLABELLED).exists():
        return []
    classes = {path.name for part in files.values() for path in part.iterdir() if path.is_dir()}
    return sorted(classes - {UNLABELLED})


def _libsvm_sizes(paths: list[Path]) -> dict[str, Any]:
    """Return the options of the LIBSVM reader, counted in the files since the format does not state them."""
    n_features, least, most, met = 0, 1, 0, set[int]()
    for path in paths:
        lines = iter_lines(path)
        first = next(lines, b"")
        parts = first.split(b"\r") if not first.endswith(b"\n") else [first]
        for line_number, line in enumerate(chain(filter(None, parts), lines), start=1):
            head, *cells = line.split() or [b""]
            if b":" in head:  # a document without labels
                head, cells = b"", [head, *cells]
            try:
                labels = [int(label) for label in head.split(b",") if label]
                n_features = max([n_features, *(int(cell.split(b":")[0]) for cell in cells[-1:])])
            except ValueError as error:
                raise DataFormatError(path, line_number, f"is not 'label,label index:value ...' ({error})") from error
            least, most = min([least, *labels]), max([most, *labels])
            met.update(labels)
            for key, number in (("features", n_features), ("labels", most)):
                if number > MOST[key]:
                    what = f"has number {number} among its {key}, above the most that is read, {MOST[key]:,}"
                    raise DataFormatError(path, line_number, f"{what}; number them from 1 without gaps")
    if not n_features:
        raise DataFormatError(paths[0], None, "has no values")
    if least < 0:  # -1 and +1, as most files of two classes have them
        return {"n_features": n_features, "n_labels": len(met), "first_label": "found", "named": True}
    return {"n_features": n_features, "n_labels": most - least + 1, "first_label": least}


def check_labels(corpus: Corpus) -> None:
    """Check that a classifier has something to learn."""
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    used = int(np.count_nonzero(counts))
    if used == 0:
        raise DataFormatError(corpus.name, None, "no document has a label; there is nothing to learn")
    if used == 1 and np.all(corpus.label_counts == 1):
        name = corpus.label_names[int(np.argmax(counts))]
        what = f"all {corpus.n_documents} documents have the one label {name!r}; a classifier needs two or more"
        raise DataFormatError(corpus.name, None, what)
