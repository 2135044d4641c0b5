"""Parse stage: convert fetched files to a validated `Corpus`.

All invariants of `Corpus` are validated once, here, because Numba kernels do not check array bounds.
"""

from __future__ import annotations

import codecs
import importlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core import digests, io
from textmix.core.errors import ConfigError, DataFormatError, MissingResult
from textmix.data.corpus import TEST, TRAIN, UNUSED, Corpus, Ragged
from textmix.data.registry import RECORD, DatasetEntry, Reader

log = logging.getLogger(__name__)

#: Block size in bytes for UTF-8 validation, which avoids a copy of the complete text.
_BLOCK = 1 << 24


def parse_first(entries: Mapping[Path, DatasetEntry]) -> Corpus:
    """Parse the first available data set: the requested one, then its substitutes.

    Parameters
    ----------
    entries : mapping of Path to DatasetEntry
        Folder -> data set, in order of preference.

    Returns
    -------
    Corpus
        The first available data set.

    Raises
    ------
    MissingResult
        If none is available.
    """
    reasons = []
    for folder, entry in entries.items():
        record = io.read_json(folder / RECORD)
        if record["status"] == "had" or record.get("broken"):
            return parse_dataset(entry, folder)
        reasons.append(record["reason"])
    raise MissingResult("; ".join(reasons))


def parse_dataset(entry: DatasetEntry, folder: Path) -> Corpus:
    """Parse the fetched files of a data set and validate the corpus against the registry.

    Parameters
    ----------
    entry : DatasetEntry
        The data set.
    folder : Path
        Folder with its files and the fetch record.

    Returns
    -------
    Corpus
        The validated corpus.

    Raises
    ------
    MissingResult
        If the files are missing or corrupt, or the counts or the digest differ from the registry.
    """
    record = io.read_json(folder / RECORD)
    if record["status"] == "missing":
        raise MissingResult(record["reason"], broken=bool(record.get("broken", False)))
    _check_files(folder, record["files"])
    source = entry.forms[record["form"]]
    files = {role: folder / file["name"] for role, file in record["files"].items()}
    try:
        corpus = read_corpus(source.reader, files, entry.id)
        corpus = corpus.of_labels(entry.classes) if entry.classes else corpus
        check_corpus(corpus)
        check_expectations(corpus, source.expect, source.content_digest)
    except DataFormatError as error:
        log.error("%s: %s", entry.id, error)
        raise MissingResult(f"{entry.id}: {error}", broken=True) from error
    return corpus


def _check_files(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    """Verify the sha256 of the fetched files."""
    for file in files.values():
        path = folder / file["name"]
        sha256 = digests.sha256_file(path) if path.is_file() else "no such file"
        if sha256 != file["sha256"]:
            raise MissingResult(
                f"{path} changed since it was fetched: sha256 expected {file['sha256']}, found {sha256}; "
                f"delete the folder {folder} and run again",
                broken=True,
            )


def read_corpus(reader: Reader, files: Mapping[str, Path], name: str) -> Corpus:
    """Run a reader without validating the corpus.

    Parameters
    ----------
    reader : Reader
        Reader and options.
    files : mapping of str to Path
        Role -> file.
    name : str
        Name of the corpus.

    Returns
    -------
    Corpus
        The corpus, not validated.

    Raises
    ------
    ConfigError
        If the options do not match the reader.
    DataFormatError
        If a file is invalid.
    """
    module = importlib.import_module(reader.module)
    options = set(reader.options)
    missing = {option for option, required in module.OPTIONS.items() if required} - options
    if missing or not options <= set(module.OPTIONS):
        raise ConfigError(
            f"config/datasets.yaml: {name}: the reader {reader.name} takes the options {module.OPTIONS} (True: "
            f"required); correct {sorted(missing or options - set(module.OPTIONS))}, which is missing or unknown"
        )
    corpus: Corpus = module.read(files, {**reader.options, "name": name})
    return corpus


def check_expectations(corpus: Corpus, expect: Mapping[str, Any], content_digest: str | None) -> None:
    """Compare a corpus with the counts and the digest of the registry.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    expect : mapping
        Key of `Corpus.statistics` -> expected value.
    content_digest : str or None
        Expected digest; None if unknown.

    Raises
    ------
    DataFormatError
        If a value differs.
    """
    counts = corpus.statistics()
    wrong = [
        f"{key} should be {value}, found {counts.get(key, 'no such count')}"
        for key, value in expect.items()
        if counts.get(key) != value
    ]
    digest = corpus.content_digest() if content_digest is not None else None
    if digest != content_digest:
        wrong.append(f"content_digest should be {content_digest}, found {digest}")
    if wrong:
        raise DataFormatError(corpus.name, None, f"{'; '.join(wrong)}: these are not the data of config/datasets.yaml")


def check_corpus(corpus: Corpus) -> None:
    """Validate all invariants of a `Corpus`.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    Raises
    ------
    DataFormatError
        If an invariant is violated; the message describes the first violation.
    """
    n_documents = len(corpus.ids)
    _require(corpus, n_documents > 0, "has no documents")
    for names, description in ((corpus.ids, "document ids"), (corpus.label_names, "label names")):
        _check_names(corpus, names, description)
    _check_matrix(corpus, corpus.labels, (n_documents, len(corpus.label_names)), "labels")
    ones = corpus.labels.dtype == np.int8 and bool(np.all(corpus.labels.data == 1))
    _require(corpus, ones, "labels should be int8 ones")
    if corpus.split is not None:
        valid = np.isin(corpus.split, (TRAIN, TEST, UNUSED)).all()
        is_valid = corpus.split.shape == (n_documents,) and corpus.split.dtype == np.int8
        _require(corpus, is_valid and bool(valid), "split should be one of train, test, unused for each document")
    if corpus.text is not None:
        _check_ragged(corpus, corpus.text, np.uint8, "text")
        _check_utf8(corpus, corpus.text)
    if corpus.tokens is not None:
        _check_ragged(corpus, corpus.tokens, np.int32, "tokens")
        inside = np.all((corpus.tokens.values >= 0) & (corpus.tokens.values < len(corpus.feature_names or ())))
        _require(corpus, bool(inside), "a token lies outside the vocabulary")
    if corpus.features is not None:
        _check_features(corpus, corpus.features)


def _require(corpus: Corpus, holds: bool, description: str) -> None:
    if not holds:
        raise DataFormatError(corpus.name, None, description)


def _check_names(corpus: Corpus, names: Sequence[str], description: str) -> None:
    _require(corpus, len(set(names)) == len(names), f"{description} are not unique")
    joined = "".join(names)
    storable = "\0" not in joined and all(names) and joined == joined.encode("utf-8", "ignore").decode("utf-8")
    _require(corpus, storable, f"{description} should be non-empty Unicode without NUL")


def _check_matrix(corpus: Corpus, matrix: sparse.csr_array, shape: tuple[int, int], description: str) -> None:
    """Check that a CSR matrix has the expected shape and sorted, unique, valid indices."""
    indptr = matrix.indptr
    indices = matrix.indices
    _require(corpus, matrix.format == "csr" and matrix.shape == shape, f"{description} should be CSR of shape {shape}")
    fits = len(indptr) == shape[0] + 1 and indptr[0] == 0 and indptr[-1] == len(indices) == len(matrix.data)
    _require(corpus, fits and bool(np.all(np.diff(indptr) >= 0)), f"{description} have a damaged indptr")
    inside = len(indices) == 0 or (indices.min() >= 0 and indices.max() < shape[1])
    _require(corpus, bool(inside), f"{description} have a column index outside 0 to {shape[1] - 1}")
    increases = np.diff(indices.astype(np.int64)) > 0
    borders = indptr[1:-1]
    increases[borders[(borders > 0) & (borders < len(indices))] - 1] = True
    _require(
        corpus,
        bool(np.all(increases)),
        f"{description} have column indices that are unsorted or duplicated in a row",
    )


def _check_ragged(corpus: Corpus, block: Ragged, dtype: type, description: str) -> None:
    offsets = block.offsets
    values = block.values
    _require(corpus, values.dtype == dtype and offsets.dtype == np.int64, f"{description} have a wrong dtype")
    fits = offsets.shape == (len(corpus.ids) + 1,) and offsets[0] == 0 and offsets[-1] == len(values)
    _require(corpus, bool(fits and np.all(np.diff(offsets) >= 0)), f"{description} have damaged offsets")


def _check_utf8(corpus: Corpus, text: Ragged) -> None:
    """Check that each document is UTF-8: the concatenation is valid, and no document starts within a character."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(text.values) + 1, _BLOCK):
        block = text.values[start : start + _BLOCK].tobytes()
        try:
            decoder.decode(block, final=start + _BLOCK > len(text.values))
        except UnicodeDecodeError as error:
            position = max(start, start + len(block) - len(error.object) + error.start)
            raise DataFormatError(corpus.name, None, f"text is not UTF-8 at byte {position}") from error
    starts = text.offsets[:-1]
    starts = starts[starts < len(text.values)]
    _require(corpus, bool(np.all(text.values[starts] & 0xC0 != 0x80)), "a document starts within a character")


def _check_features(corpus: Corpus, features: sparse.csr_array) -> None:
    names = corpus.feature_names
    _require(corpus, names is not None, "features have no names")
    _check_names(corpus, names or (), "feature names")
    _check_matrix(corpus, features, (len(corpus.ids), len(names or ())), "features")
    is_counts = features.dtype == np.int32
    _require(corpus, is_counts or features.dtype == np.float64, "features should be int32 or float64")
    good = np.all(features.data > 0) if is_counts else np.all(np.isfinite(features.data) & (features.data != 0))
    _require(corpus, bool(good), "features should be positive counts, or finite reals without zeros")
