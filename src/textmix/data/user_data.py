"""Read a user's data: a folder of texts, and files of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.archives import iter_lines
from textmix.data.corpus import Corpus
from textmix.data.feature_rows import FeatureRows, with_feature_rows
from textmix.data.formats import FORMATS, format_of, is_system_file, name_of, without_packing
from textmix.data.json_tables import SPLIT_KEYS
from textmix.data.numeric_files import LIBSVM, content_of, read_numbers
from textmix.data.parse import check_corpus, read_corpus
from textmix.data.reader_utils import corpus_of_parts
from textmix.data.readers.message_folder import legacy_notes, read_class_folders
from textmix.data.registry import reader_of

#: Largest indices in LIBSVM files: they determine array sizes, so that one typo could exhaust the memory.
MAX_NUMBERS = {"features": 20_000_000, "labels": 1_000_000}
#: Folder of unlabelled training documents, as in aclImdb; not a class.
UNLABELLED = "unsup"
_VALIDATION = ("val", "valid", "validation", "dev")


def read_own(reading: Mapping[str, Any]) -> Corpus:
    """Read a user's data in any format.

    Parameters
    ----------
    reading : mapping
        ``name``, ``source`` (origin of these settings, for messages), ``files`` (role -> path), ``format``, ``task``
        (``single`` or ``multi``) and ``options`` of the format.

    Returns
    -------
    Corpus
        The data, validated.

    Raises
    ------
    ConfigError
        If a file is missing, or does not fit the format.
    DataFormatError
        If a file is not in its format, or the data have fewer than two classes.
    """
    files = {role: Path(path) for role, path in reading["files"].items()}
    for role, path in files.items():
        if not path.exists():
            raise ConfigError(f"{reading['source']}: files.{role}: {path} not found; correct the path")
        if path.is_dir() != (reading["format"] == "folder"):
            file_type = "a folder" if path.is_dir() else "a file"
            raise ConfigError(
                f"{reading['source']}: files.{role}: {path} is {file_type}, which does not match format: "
                f"{reading['format']}; correct the path or the format"
            )
        if path.is_file() and path.stat().st_size == 0:
            raise DataFormatError(path, None, "is empty")
    if reading["format"] == "folder":
        corpus = _read_class_folders(files, reading["name"], reading["options"].get("encoding"))
    else:
        reader = reader_of(reading["format"], _reader_options(reading, files))
        corpus = read_corpus(reader, files, reading["name"])
    return _validated(corpus)


def _validated(corpus: Corpus) -> Corpus:
    check_corpus(corpus)
    check_labels(corpus)
    return corpus


def _reader_options(reading: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Translate the options to those of the reader."""
    options = dict(reading["options"])
    columns = options.pop("columns", {})
    if reading["format"] == "arff":
        n_labels = {"n_labels": options["n_labels"]} if "n_labels" in options else {}
        return {**n_labels, **columns}
    if reading["format"] == "libsvm":
        return _libsvm_sizes(list(files.values()))
    return {**options, **columns, "several": reading["task"] == "multi"}


# --- folders -------------------------------------------------------------------------------------------------------


def read_folder(path: Path, encoding: str | None = None) -> Corpus:
    """Read a folder with one subfolder of texts per class.

    The class is the top-level subfolder, which may have subfolders itself.  Hidden files and system files are skipped.
    The class folders may be grouped in folders for training, validation and test; validation documents are used for
    training, or for testing if the test folder is missing.

    Parameters
    ----------
    path : Path
        The folder.
    encoding : str, default=None
        Encoding of the texts; by default UTF-8, with Windows-1252 as the fallback.

    Returns
    -------
    Corpus
        The texts, validated.

    Raises
    ------
    ConfigError
        If the folder has no class folders.
    DataFormatError
        If a file cannot be decoded, or the data have fewer than two classes.
    """
    root = _skip_wrappers(path)
    return _validated(_read_class_folders(_part_folders(root) or {"data": root}, name_of(path), encoding))


def _folders_in(path: Path) -> list[Path]:
    return sorted(inner for inner in path.iterdir() if inner.is_dir() and not is_system_file(inner.name))


def _skip_wrappers(path: Path) -> Path:
    """Descend into folders that contain only a single folder."""
    folders = _folders_in(path)
    while len(folders) == 1 and _folders_in(folders[0]):
        if any(inner.is_file() and not is_system_file(inner.name) for inner in folders[0].iterdir()):
            break
        path = folders[0]
        folders = _folders_in(path)
    return path


def _part_folders(path: Path) -> dict[str, Path | list[Path]]:
    """Map parts to folders if a folder is divided into training and test; otherwise empty."""
    folders_of_split: dict[str, list[Path]] = {}
    folders = _folders_in(path)
    for folder in folders:
        split = _part_of(folder.name)
        if split is None:
            return {}
        folders_of_split.setdefault(split, []).append(folder)
    if "train" not in folders_of_split or len(folders_of_split) < 2:
        return {}
    if "test" not in folders_of_split:
        folders_of_split["test"] = folders_of_split.pop("validation")
    return {
        "train": [*folders_of_split["train"], *folders_of_split.get("validation", [])],
        "test": [*folders_of_split["test"]],
    }


def _part_of(name: str) -> str | None:
    """Infer the part of the split from a folder name such as ``20news-bydate-train``."""
    name = name.lower()
    if name in _VALIDATION:
        return "validation"
    if name in SPLIT_KEYS:
        return SPLIT_KEYS[name]
    return next((split for split in ("train", "test") if split in name), None)


def _read_class_folders(files: Mapping[str, Any], name: str, encoding: str | None) -> Corpus:
    """Read class folders; the parts are ``train`` and ``test``, or ``data``."""
    folders = {split: [paths] if isinstance(paths, Path) else paths for split, paths in files.items()}
    classes = _classes(folders)
    legacy_files: list[str] = []
    n_outside = 0
    documents_by_split = {}
    for split, paths in folders.items():
        documents, outside = read_class_folders(paths, classes, encoding, legacy_files)
        n_outside += outside
        documents_by_split[split] = documents
    if not any(documents_by_split.values()):
        first = next(iter(folders.values()))[0]
        raise ConfigError(f"{first}: has no texts in class folders; put the texts of each class in a folder of its own")
    notes = legacy_notes(legacy_files)
    if n_outside:
        notes.append(f"{n_outside:,} files next to the class folders were skipped.")
    corpus = corpus_of_parts({"name": name}, documents_by_split)
    return replace(corpus, info={"remarks": notes} if notes else {})


def _classes(folders: Mapping[str, list[Path]]) -> list[str]:
    """List the class folders, except `UNLABELLED` if the data are split as in aclImdb."""
    names = {folder.name for paths in folders.values() for path in paths for folder in _folders_in(path)}
    if "train" in folders and not any((path / UNLABELLED).exists() for path in folders["test"]):
        names -= {UNLABELLED}
    return sorted(names)


# --- files of numbers ----------------------------------------------------------------------------------------------


def is_numeric(path: Path) -> bool:
    """Check the file extension for a numeric format: ARFF or LIBSVM.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bool
        Whether the file contains numbers instead of texts.
    """
    format = format_of(without_packing(path), FORMATS)
    return format is not None and FORMATS[format].kind == "matrix"


def read_numeric(files: Path | Mapping[str, Path], label: str | None = None) -> tuple[Corpus, str]:
    """Read labelled feature vectors.

    Parameters
    ----------
    files : Path or mapping of str to Path
        An ARFF or LIBSVM file, or ``train`` and ``test`` -> two such files.  The labels of ARFF are defined by a MULAN
        label file with the same name, perhaps without ``-train``, and the extension ``.xml``; by MEKA's option ``-C``;
        by the nominal attribute ``label``; or by the last attribute.
    label : str, default=None
        Nominal attribute to use as the class.

    Returns
    -------
    corpus : Corpus
        The data, validated; the texts are `textmix.data.feature_rows.FeatureRows`.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.

    Raises
    ------
    ConfigError
        If the format is unknown, or the two files have different formats.
    DataFormatError
        If a file is not in its format, or there are not two labels.
    """
    files = {"data": files} if isinstance(files, Path) else dict(files)
    paths = list(files.values())
    formats = {numeric_format(path) for path in paths}
    if len(formats) > 1:
        names = " and ".join(path.name for path in paths)
        raise ConfigError(f"{names}: have different formats; convert one of them")
    for path in paths:
        if path.stat().st_size == 0:
            raise DataFormatError(path, None, "the file is empty")
    is_indexed = formats == {"libsvm"}
    if is_indexed:
        options = _libsvm_sizes(paths, with_names=True)
        reader = reader_of("libsvm", options)
    else:
        label_file = None if label is not None else _mulan_label_file(paths[0])
        options = {}
        if label is not None:
            options = {"label": label}
        elif label_file is not None:
            files["labels"] = label_file
        else:
            options = _arff_label(paths[0])
        reader = reader_of("arff", options)
    corpus = read_corpus(reader, files, name_of(paths[0]))
    has_label_attribute = not is_indexed and "label" in options
    is_single = has_label_attribute or (is_indexed and bool(np.all(corpus.label_counts == 1)))
    return with_feature_rows(_validated(corpus), is_indexed=is_indexed), "single" if is_single else "multi"


def numeric_format(path: Path) -> str:
    """Infer the format of a numeric file from its extension.

    Raises
    ------
    ConfigError
        If it is neither ARFF nor LIBSVM.
    """
    format = format_of(without_packing(path), FORMATS)
    if format not in ("arff", "libsvm"):
        raise ConfigError(f"{path.name}: cannot infer the format of this file; rename it to .arff or .libsvm")
    return format


def read_feature_rows(path: Path, names: Sequence[str]) -> FeatureRows:
    """Read the feature vectors of an ARFF or LIBSVM file for a model, ignoring labels.

    Parameters
    ----------
    path : Path
        The file.
    names : sequence of str
        Names of the features of the model.

    Returns
    -------
    FeatureRows

    Raises
    ------
    ConfigError
        If the format is unknown.
    DataFormatError
        If the file is not in its format.
    """
    if numeric_format(path) == "libsvm":
        n_features = max(int(_libsvm_sizes([path])["n_features"]), 1)
        table = read_numbers(path, content_of(path), n_features, LIBSVM)
        columns = [f"Att{number + 1}" for number in range(n_features)]
        return FeatureRows.from_matrix(table.matrix, columns, is_indexed=True)
    from textmix.data.readers.arff import read_features

    features, columns = read_features(path, set(names))
    return FeatureRows.from_matrix(features, columns)


def _mulan_label_file(path: Path) -> Path | None:
    """Return the MULAN label file of an ARFF file: ``emotions.xml`` for ``emotions-train.arff``; None if absent."""
    bare = Path(without_packing(path))
    stems = [bare.stem]
    stems += [bare.stem.removesuffix(f"{mark}{split_name}") for mark in "-_" for split_name in ("train", "test")]
    candidates = (bare.with_name(f"{stem}.xml") for stem in dict.fromkeys(stems))
    return next((candidate for candidate in candidates if candidate.exists()), None)


def _arff_label(path: Path) -> dict[str, Any]:
    """Return ARFF reader options that select the last nominal attribute as the class, unless MEKA's ``-C`` is set."""
    from textmix.data.readers.arff import read_header

    header = read_header(path, content_of(path))
    if header.meka:
        return {}
    if header.values[-1] is None:
        problem = f"its last attribute {header.names[-1]!r} is not nominal, so that it cannot be the class"
        remedy = f"name the class by --label, or add MULAN's label file {path.stem}.xml"
        raise DataFormatError(path, None, f"{problem}; {remedy}")
    return {"label": header.names[-1]}


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines of a file; a single carriage return is also a line end."""
    lines = iter_lines(path)
    first = next(lines, b"")
    pieces = first.split(b"\r") if not first.endswith(b"\n") else [first]
    return enumerate(chain(filter(None, pieces), lines), start=1)


def _libsvm_sizes(paths: Sequence[Path], *, with_names: bool = False) -> dict[str, Any]:
    """Determine the size options of the LIBSVM reader from the files, since the format does not include them.

    With ``with_names``, the label numbers that occur are the names of the labels.
    """
    n_features = 0
    first_label = 1
    last_label = 0
    labels_seen = set[int]()
    for path in paths:
        for line_number, line in _numbered_lines(path):
            head, *cells = line.split() or [b""]
            if b":" in head:  # unlabelled document
                cells = [head, *cells]
                head = b""
            try:
                labels = [int(label) for label in head.split(b",") if label]
                n_features = max([n_features, *(int(cell.split(b":")[0]) for cell in cells[-1:])])
            except ValueError as error:
                raise DataFormatError(path, line_number, f"is not 'label,label index:value ...' ({error})") from error
            first_label = min([first_label, *labels])
            last_label = max([last_label, *labels])
            labels_seen.update(labels)
            for quantity, number in (("features", n_features), ("labels", last_label)):
                if number > MAX_NUMBERS[quantity]:
                    problem = f"the largest number of {quantity}, {number}, exceeds {MAX_NUMBERS[quantity]:,}"
                    raise DataFormatError(path, line_number, f"{problem}; number them from 1 without gaps")
    if not n_features:
        raise DataFormatError(paths[0], None, "has no values")
    if with_names or first_label < 0:  # -1 and +1, as in most binary data sets
        return {"n_features": n_features, "n_labels": len(labels_seen), "first_label": "found", "named": True}
    return {"n_features": n_features, "n_labels": last_label - first_label + 1, "first_label": first_label}


def check_labels(corpus: Corpus) -> None:
    """Check that the labels can be learned.

    Parameters
    ----------
    corpus : Corpus
        The data.

    Raises
    ------
    DataFormatError
        If no document has a label, or all documents have the same single label.
    """
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    n_used = int(np.count_nonzero(counts))
    if n_used == 0:
        raise DataFormatError(corpus.name, None, "no document has a label; there is nothing to learn")
    if n_used == 1 and np.all(corpus.label_counts == 1):
        name = corpus.label_names[int(np.argmax(counts))]
        problem = f"all {corpus.n_documents} documents have the one label {name!r}; a classifier needs two or more"
        raise DataFormatError(corpus.name, None, problem)
