"""Canonical representation of a data set, in memory and on disk, shared by readers and estimators."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError, suggest

#: Values of `Corpus.split`; an unused document is in neither the training nor the test set.
TRAIN = 0
TEST = 1
UNUSED = -1


@dataclass(frozen=True)
class Ragged:
    """Ragged array stored contiguously: row ``i`` is ``values[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    values : ndarray of shape (n_values,), dtype uint8 or int32
        Concatenated rows: bytes of UTF-8 text (uint8) or token ids (int32).
    offsets : ndarray of shape (n_rows + 1,), dtype int64
        Row boundaries, from 0 to ``len(values)``.
    """

    values: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> np.ndarray:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    @classmethod
    def from_texts(cls, texts: Iterable[bytes]) -> Ragged:
        """Concatenate UTF-8 byte strings, one row per string.

        Parameters
        ----------
        texts : iterable of bytes
            UTF-8 texts.

        Returns
        -------
        Ragged
            Array with uint8 values; offsets are in bytes.
        """
        rows = list(texts)
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(rows), dtype=np.uint8), offsets)

    def take(self, rows: Sequence[int]) -> Ragged:
        """Select rows by index.

        Parameters
        ----------
        rows : sequence of int
            Row indices.

        Returns
        -------
        Ragged
            The selected rows, in the order of ``rows``.
        """
        selected = [self[row] for row in rows]
        offsets = np.cumsum([0, *map(len, selected)], dtype=np.int64)
        return Ragged(np.concatenate([self.values[:0], *selected]), offsets)

    def text(self, row: int) -> str:
        """Decode a row as UTF-8; ``values`` must be uint8."""
        return bytes(self[row]).decode("utf-8")


@dataclass(frozen=True)
class TableTexts(Ragged):
    """Texts of a table with extra columns.

    Parameters
    ----------
    values, offsets : ndarray
        The texts, as in `Ragged`.
    cells : mapping of str to sequence of str
        Column name -> N cells; an empty string for a missing value.
    """

    cells: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, text: Ragged, cells: Mapping[str, Sequence[str]]) -> Ragged:
        """Combine texts with extra columns; return the texts unchanged if no columns are passed."""
        return cls(text.values, text.offsets, cells) if cells else text

    def take(self, rows: Sequence[int]) -> Ragged:
        """Select rows by index, with their cells; see `Ragged.take`."""
        cells = {name: [column[row] for row in rows] for name, column in self.cells.items()}
        return TableTexts.of(super().take(rows), cells)


@dataclass(frozen=True)
class Corpus:
    """N documents with labels, as text, as a token stream or as a document-by-feature matrix.

    Parameters
    ----------
    name : str
        Identifier of the data set in the registry.
    ids : sequence of str
        Unique identifiers of the documents.
    label_names : sequence of str
        Names of the L labels.
    labels : csr_array of shape (N, L), dtype int8
        Label indicators with sorted indices; exactly one per row for single-label data.
    split : ndarray of shape (N,), dtype int8, default=None
        `TRAIN`, `TEST` or `UNUSED`; None if the source has no predefined split.
    text : Ragged, default=None
        UTF-8 texts (uint8).
    tokens : Ragged, default=None
        Token sequences as indices into ``feature_names`` (int32).
    features : csr_array of shape (N, V), default=None
        Positive counts (int32) or finite reals (float64), in canonical CSR format without explicit zeros.
    feature_names : sequence of str, default=None
        Names of the V features.
    info : mapping, default={}
        Facts about the source collected by the reader, as JSON values, for the report.
    """

    name: str
    ids: Sequence[str]
    label_names: Sequence[str]
    labels: sparse.csr_array
    split: np.ndarray | None = None
    text: Ragged | None = None
    tokens: Ragged | None = None
    features: sparse.csr_array | None = None
    feature_names: Sequence[str] | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_documents(self) -> int:
        """Number of documents N."""
        return len(self.ids)

    @property
    def label_counts(self) -> np.ndarray:
        """Number of labels of each document, int64 (N,)."""
        return np.diff(self.labels.indptr).astype(np.int64)

    def of_labels(self, names: Sequence[str]) -> Corpus:
        """Restrict the corpus to a subset of labels and to the documents with at least one of them.

        Parameters
        ----------
        names : sequence of str
            Labels to keep.

        Returns
        -------
        Corpus
            The subset; documents and labels keep their order.

        Raises
        ------
        ConfigError
            If a label is unknown.
        """
        if absent := sorted(set(names) - set(self.label_names)):
            raise ConfigError(f"{self.name}: classes: '{absent[0]}' is none; {suggest(absent[0], self.label_names)}")
        kept = [column for column, name in enumerate(self.label_names) if name in names]
        labels = self.labels[:, kept]
        rows = np.flatnonzero(np.diff(labels.indptr)).tolist()
        ids = [self.ids[row] for row in rows]
        label_names = [self.label_names[column] for column in kept]
        split = None if self.split is None else self.split[rows]
        text = None if self.text is None else self.text.take(rows)
        tokens = None if self.tokens is None else self.tokens.take(rows)
        features = None if self.features is None else sparse.csr_array(self.features[rows])
        return replace(
            self,
            ids=ids,
            label_names=label_names,
            labels=sparse.csr_array(labels[rows]),
            split=split,
            text=text,
            tokens=tokens,
            features=features,
        )

    def classes(self) -> np.ndarray:
        """Return the class indices of a single-label corpus.

        Returns
        -------
        ndarray of shape (N,), dtype int32
            Index of each document's class in ``label_names``.

        Raises
        ------
        DataFormatError
            If a document does not have exactly one label.
        """
        bad = np.flatnonzero(self.label_counts != 1)
        if len(bad):
            row = int(bad[0])
            raise DataFormatError(
                self.name, None, f"document {self.ids[row]!r} has {self.label_counts[row]} labels, expected one"
            )
        return self.labels.indices.astype(np.int32)

    def indicators(self) -> np.ndarray:
        """Return the labels as a dense binary indicator matrix, int8 (N, L)."""
        dense: np.ndarray = self.labels.toarray()
        return dense

    def statistics(self) -> dict[str, Any]:
        """Compute the statistics that the registry and the papers report.

        Returns
        -------
        dict
            - ``documents`` N, ``labels`` L, ``labels_used`` (labels of at least one document), ``label_sets``
              (distinct label sets, including the empty one), ``multi_label_share`` (fraction of documents with more
              than one label);
            - with ``features``: ``features`` V and ``mean_length`` (sum of all features divided by N);
            - with ``split``, for each PART in ``train``, ``test`` and ``unused``: the numbers of documents ``PART``,
              ``PART_no_label``, ``PART_one_label`` and ``PART_several_labels``.
        """
        rows = np.split(self.labels.indices, self.labels.indptr[1:-1])
        stats: dict[str, Any] = {"documents": self.n_documents, "labels": len(self.label_names)}
        stats["label_sets"] = len({row.tobytes() for row in rows})
        stats["labels_used"] = int(np.count_nonzero(self.labels.sum(axis=0)))
        stats["multi_label_share"] = float(np.mean(self.label_counts > 1)) if self.n_documents else 0.0
        if self.features is not None:
            stats["features"] = self.features.shape[1]
            stats["mean_length"] = float(self.features.sum() / max(self.n_documents, 1))
        for name, split_value in (("train", TRAIN), ("test", TEST), ("unused", UNUSED)):
            if self.split is not None:
                counts = self.label_counts[self.split == split_value]
                stats[name] = len(counts)
                stats[f"{name}_no_label"] = int(np.sum(counts == 0))
                stats[f"{name}_one_label"] = int(np.sum(counts == 1))
                stats[f"{name}_several_labels"] = int(np.sum(counts > 1))
        return stats

    def content_digest(self) -> str:
        """Compute the sha256 of the values, dtypes and shapes of all fields except ``name`` and ``info``."""
        digest = hashlib.sha256()
        for name, array in sorted(self._arrays().items()):
            digest.update(f"{name}:{array.dtype.str}:{array.shape}\n".encode())
            digest.update(np.ascontiguousarray(array).view(np.uint8).data if array.size else b"")
        if isinstance(self.text, TableTexts):
            digest.update(io.canonical_json({name: [*cells] for name, cells in self.text.cells.items()}).encode())
        return digest.hexdigest()

    def _arrays(self) -> dict[str, np.ndarray]:
        """Serialise the content to arrays by file name, as written by `save`, without ``name`` and ``info``."""
        arrays = {
            "ids": _pack(self.ids),
            "label_names": _pack(self.label_names),
            "labels_indices": self.labels.indices.astype(np.int32),
            "labels_indptr": self.labels.indptr.astype(np.int64),
        }
        if self.split is not None:
            arrays["split"] = self.split
        for name, block in (("text", self.text), ("tokens", self.tokens)):
            if block is not None:
                arrays[name] = block.values
                arrays[f"{name}_offsets"] = block.offsets
        if self.features is not None:
            arrays["features_data"] = self.features.data
            arrays["features_indices"] = self.features.indices.astype(np.int32)
            arrays["features_indptr"] = self.features.indptr.astype(np.int64)
        if self.feature_names is not None:
            arrays["feature_names"] = _pack(self.feature_names)
        return arrays

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Save the corpus to a new sealed folder.

        Parameters
        ----------
        folder : str or Path
            The folder to create.
        meta : mapping
            Metadata, see `textmix.core.io.new_folder`.
        """
        with io.new_folder(folder, meta) as target:
            io.save_arrays(target, **self._arrays())
            shape = None if self.features is None else list(self.features.shape)
            io.write_json(
                target / "corpus.json",
                {
                    "name": self.name,
                    "info": dict(self.info),
                    "statistics": self.statistics(),
                    "content_digest": self.content_digest(),
                    "features_shape": shape,
                },
            )

    @classmethod
    def load(cls, folder: str | Path) -> Corpus:
        """Load a corpus written by `save`; large arrays are memory-mapped.

        Parameters
        ----------
        folder : str or Path
            The folder.

        Returns
        -------
        Corpus
            The corpus.

        Raises
        ------
        MissingResult
            If the corpus could not be created; the message states the reason.
        IntegrityError
            If a file was modified.
        """
        folder = Path(folder)
        files = io.check_result(folder)["files"]
        head = io.read_json(folder / "corpus.json")

        def array(name: str) -> np.ndarray:
            return io.load_array(folder, name)

        def block(name: str) -> Ragged | None:
            return Ragged(array(name), array(f"{name}_offsets")) if f"{name}.npy" in files else None

        ids = _unpack(array("ids"))
        names = _unpack(array("label_names"))
        indices = array("labels_indices")
        ones = np.ones(len(indices), dtype=np.int8)
        features = None
        if head["features_shape"] is not None:
            data = array("features_data")
            indptr = array("features_indptr")
            # SciPy upcasts both index arrays to the wider dtype: a 64-bit indptr would double the size of the indices.
            indptr = indptr.astype(sparse.get_index_dtype(maxval=max(len(data), *head["features_shape"])))
            features = sparse.csr_array((data, array("features_indices"), indptr), shape=tuple(head["features_shape"]))
        labels = sparse.csr_array((ones, indices, array("labels_indptr")), shape=(len(ids), len(names)))
        split = np.asarray(array("split")) if "split.npy" in files else None
        feature_names = _unpack(array("feature_names")) if "feature_names.npy" in files else None
        return cls(
            name=head["name"],
            ids=ids,
            label_names=names,
            labels=labels,
            split=split,
            text=block("text"),
            tokens=block("tokens"),
            features=features,
            feature_names=feature_names,
            info=head["info"],
        )


def _pack(names: Sequence[str]) -> np.ndarray:
    """Encode names as NUL-terminated UTF-8, uint8 (a name may contain a newline but never NUL)."""
    return np.frombuffer("".join(f"{name}\0" for name in names).encode("utf-8"), dtype=np.uint8)


def _unpack(packed: np.ndarray) -> list[str]:
    return bytes(packed).decode("utf-8").split("\0")[:-1]


def label_matrix(rows: Sequence[Sequence[int]], n_labels: int) -> sparse.csr_array:
    """Build the label matrix of a `Corpus`.

    Parameters
    ----------
    rows : sequence of sequence of int
        Label indices of each document.
    n_labels : int
        Number of labels L.

    Returns
    -------
    csr_array of shape (N, L), dtype int8
        Label indicators.
    """
    clean = [sorted(set(row)) for row in rows]
    indptr = np.cumsum([0, *map(len, clean)], dtype=np.int64)
    indices = np.fromiter((i for row in clean for i in row), dtype=np.int32, count=int(indptr[-1]))
    return sparse.csr_array((np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(len(clean), n_labels))


def named_labels(rows: Sequence[Sequence[str]]) -> tuple[list[str], sparse.csr_array]:
    """Build the label names and the label matrix of a `Corpus`.

    Parameters
    ----------
    rows : sequence of sequence of str
        Label names of each document.

    Returns
    -------
    names : list of str
        Distinct labels in alphabetical order.
    labels : csr_array of shape (N, L), dtype int8
        Label indicators.
    """
    names = sorted({name for row in rows for name in row})
    number = {name: i for i, name in enumerate(names)}
    return names, label_matrix([[number[name] for name in row] for row in rows], len(names))
