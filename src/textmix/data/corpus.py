"""Corpus: the one on-disk and in-memory form of a data set, from the readers to the estimators."""

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

#: The values of `Corpus.split`; an unused document belongs to neither part.
TRAIN, TEST, UNUSED = 0, 1, -1


@dataclass(frozen=True)
class Ragged:
    """Rows of different length in one flat array: row ``i`` is ``values[offsets[i]:offsets[i + 1]]``.

    ``values`` is uint8 for UTF-8 text, int32 for token ids; ``offsets``, int64, go from 0 to ``len(values)``.
    """

    values: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> np.ndarray:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    @classmethod
    def from_texts(cls, texts: Iterable[bytes]) -> Ragged:
        """Return one row for each byte string (UTF-8), in order: ``values`` uint8, ``offsets`` in bytes."""
        parts = list(texts)
        offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(parts), dtype=np.uint8), offsets)

    def take(self, rows: Sequence[int]) -> Ragged:
        """Return some of the rows, in the order given."""
        parts = [self[row] for row in rows]
        offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return Ragged(np.concatenate([self.values[:0], *parts]), offsets)

    def text(self, row: int) -> str:
        """Return row ``row`` as a string; ``values`` must be UTF-8 bytes (uint8)."""
        return bytes(self[row]).decode("utf-8")


@dataclass(frozen=True)
class TableTexts(Ragged):
    """Texts of a table and its other cells: name of a column -> N cells as text, empty where there is none."""

    cells: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, text: Ragged, cells: Mapping[str, Sequence[str]]) -> Ragged:
        """Return texts with cells beside them; where there is no column the texts alone."""
        return cls(text.values, text.offsets, cells) if cells else text


@dataclass(frozen=True)
class Corpus:
    """N documents with labels, as text, as a token stream or as a document-by-feature matrix.

    Parameters
    ----------
    name : identifier of the data set in the registry.
    ids : unique identifiers of the documents.
    labels : CSR (N, L), int8: 1 where the document has the label, sorted indices; one 1 a row for single-label data.
    split : int8 (N,) of `TRAIN`, `TEST` or `UNUSED` where the source gives a split, else None.
    text : N rows of UTF-8 bytes (uint8), or None.
    tokens : N rows of indices into ``feature_names`` (int32), or None.
    features : CSR (N, V) of positive counts (int32) or finite reals (float64), sorted indices, no explicit zeros.
    info : facts about the source that the reader counted, as JSON values; the report shows them.
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
        """Return the documents that have some of these labels, with these labels alone, both in the order as here."""
        if absent := sorted(set(names) - set(self.label_names)):
            raise ConfigError(f"{self.name}: classes: '{absent[0]}' is none; {suggest(absent[0], self.label_names)}")
        kept = [place for place, name in enumerate(self.label_names) if name in names]
        labels = self.labels[:, kept]
        rows = np.flatnonzero(np.diff(labels.indptr)).tolist()
        return replace(
            self,
            ids=[self.ids[row] for row in rows],
            label_names=[self.label_names[place] for place in kept],
            labels=sparse.csr_array(labels[rows]),
            split=None if self.split is None else self.split[rows],
            text=None if self.text is None else self.text.take(rows),
            tokens=None if self.tokens is None else self.tokens.take(rows),
            features=None if self.features is None else sparse.csr_array(self.features[rows]),
        )

    def classes(self) -> np.ndarray:
        """Return the class index of each document of a single-label corpus, int32 (N,)."""
        bad = np.flatnonzero(self.label_counts != 1)
        if len(bad):
            row = int(bad[0])
            raise DataFormatError(
                self.name, None, f"document {self.ids[row]!r} has {self.label_counts[row]} labels, expected one"
            )
        return self.labels.indices.astype(np.int32)

    def indicators(self) -> np.ndarray:
        """Return the labels as dense indicators of 0 and 1, int8 (N, L)."""
        dense: np.ndarray = self.labels.toarray()
        return dense

    def statistics(self) -> dict[str, Any]:
        """Return the statistics that the registry and the papers state, by name.

        - ``documents`` N, ``labels`` L, ``labels_used`` (labels of at least one document), ``label_sets`` (different
          label sets, the empty one included), ``multi_label_share`` (fraction of documents with more than one label);
        - with ``features``: ``features`` V and ``mean_length`` (sum of all features over N);
        - with ``split``, for each PART of ``train``, ``test`` and ``unused``: the numbers of documents ``PART``,
          ``PART_no_label``, ``PART_one_label`` and ``PART_several_labels``.
        """
        rows = np.split(self.labels.indices, self.labels.indptr[1:-1])
        stats: dict[str, Any] = {
            "documents": self.n_documents,
            "labels": len(self.label_names),
            "label_sets": len({row.tobytes() for row in rows}),
            "labels_used": int(np.count_nonzero(self.labels.sum(axis=0))),
            "multi_label_share": float(np.mean(self.label_counts > 1)) if self.n_documents else 0.0,
        }
        if self.features is not None:
            stats["features"] = self.features.shape[1]
            stats["mean_length"] = float(self.features.sum() / max(self.n_documents, 1))
        for name, part in (("train", TRAIN), ("test", TEST), ("unused", UNUSED)):
            if self.split is not None:
                counts = self.label_counts[self.split == part]
                stats[name] = len(counts)
                stats[f"{name}_no_label"] = int(np.sum(counts == 0))
                stats[f"{name}_one_label"] = int(np.sum(counts == 1))
                stats[f"{name}_several_labels"] = int(np.sum(counts > 1))
        return stats

    def content_digest(self) -> str:
        """Return the sha256 of the values, dtypes and shapes of all parts but ``name`` and ``info``."""
        digest = hashlib.sha256()
        for name, array in sorted(self._arrays().items()):
            digest.update(f"{name}:{array.dtype.str}:{array.shape}\n".encode())
            digest.update(np.ascontiguousarray(array).view(np.uint8).data if array.size else b"")
        if isinstance(self.text, TableTexts):
            digest.update(io.canonical_json({name: [*cells] for name, cells in self.text.cells.items()}).encode())
        return digest.hexdigest()

    def _arrays(self) -> dict[str, np.ndarray]:
        """Return the content as arrays by file name, as `save` writes them; name and info are not among them."""
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
                arrays[name], arrays[f"{name}_offsets"] = block.values, block.offsets
        if self.features is not None:
            arrays["features_data"] = self.features.data
            arrays["features_indices"] = self.features.indices.astype(np.int32)
            arrays["features_indptr"] = self.features.indptr.astype(np.int64)
        if self.feature_names is not None:
            arrays["feature_names"] = _pack(self.feature_names)
        return arrays

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the corpus to a new sealed folder, which `load` reads; ``meta``: see `textmix.core.io.new_folder`."""
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
        """Return the corpus that `save` wrote; its large arrays are memory-mapped.

        Raises `MissingResult` with the reason if it could not be made, and `IntegrityError` if a file was changed.
        """
        folder = Path(folder)
        files = io.check_result(folder)["files"]
        head = io.read_json(folder / "corpus.json")

        def array(name: str) -> np.ndarray:
            return io.load_array(folder, name)

        def block(name: str) -> Ragged | None:
            return Ragged(array(name), array(f"{name}_offsets")) if f"{name}.npy" in files else None

        ids, names = _unpack(array("ids")), _unpack(array("label_names"))
        indices = array("labels_indices")
        ones = np.ones(len(indices), dtype=np.int8)
        features = None
        if head["features_shape"] is not None:
            data, indptr = array("features_data"), array("features_indptr")
            # SciPy widens both index arrays to the wider one, so a 64-bit indptr would double the indices.
            indptr = indptr.astype(sparse.get_index_dtype(maxval=max(len(data), *head["features_shape"])))
            features = sparse.csr_array((data, array("features_indices"), indptr), shape=tuple(head["features_shape"]))
        return cls(
            name=head["name"],
            ids=ids,
            label_names=names,
            labels=sparse.csr_array((ones, indices, array("labels_indptr")), shape=(len(ids), len(names))),
            split=np.asarray(array("split")) if "split.npy" in files else None,
            text=block("text"),
            tokens=block("tokens"),
            features=features,
            feature_names=_unpack(array("feature_names")) if "feature_names.npy" in files else None,
            info=head["info"],
        )


def _pack(names: Sequence[str]) -> np.ndarray:
    """Return names as UTF-8 bytes, uint8, with a NUL after each name (a name may hold a newline but never NUL)."""
    return np.frombuffer("".join(f"{name}\0" for name in names).encode("utf-8"), dtype=np.uint8)


def _unpack(packed: np.ndarray) -> list[str]:
    return bytes(packed).decode("utf-8").split("\0")[:-1]


def label_matrix(rows: Sequence[Sequence[int]], n_labels: int) -> sparse.csr_array:
    """Return the labels of a `Corpus`, CSR (N, L), from the label indices of each document."""
    clean = [sorted(set(row)) for row in rows]
    indptr = np.cumsum([0, *map(len, clean)], dtype=np.int64)
    indices = np.fromiter((i for row in clean for i in row), dtype=np.int32, count=int(indptr[-1]))
    return sparse.csr_array((np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(len(clean), n_labels))


def named_labels(rows: Sequence[Sequence[str]]) -> tuple[list[str], sparse.csr_array]:
    """Return label names in alphabetical order, and the labels of a `Corpus`, from the label names of each document."""
    names = sorted({name for row in rows for name in row})
    number = {name: i for i, name in enumerate(names)}
    return names, label_matrix([[number[name] for name in row] for row in rows], len(names))
