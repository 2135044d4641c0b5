"""Made documents: words drawn from the real documents of their class, written to csv files as a stream.

A made document has the class and the length of a real one, and its words are drawn with replacement from all words of
the real documents of this class.  They are no real texts, and the names of their files say so.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.data.corpus import Corpus
from textmix.numerics.determinism import rng

#: Documents that are drawn at a time.
BLOCK = 20_000
#: Every fifth real document is held out: no word of a made document comes from it.
HELD = 5


@dataclass(frozen=True)
class Pools:
    """The real documents from which others are made.

    Parameters
    ----------
    lengths, classes : words and class of each document, int64 (N,).
    words : int32 (T,), the words of all documents, class by class.
    starts : int64 (C + 1,), where the words of each class begin.
    spellings : V words.
    names : C names of classes.
    """

    lengths: np.ndarray
    classes: np.ndarray
    words: np.ndarray
    starts: np.ndarray
    spellings: Sequence[str]
    names: Sequence[str]

    @classmethod
    def of(cls, corpus: Corpus, rows: np.ndarray) -> Pools:
        """Return the pools of some documents, int (N,), of a corpus of counts with one class a document.

        Documents without words are left out.
        """
        counts: Any = corpus.features
        rows = rows[np.asarray(counts.sum(axis=1)).ravel()[rows] > 0]
        classes = corpus.classes()[rows].astype(np.int64)
        part = sparse.csr_array(counts[rows[np.argsort(classes, kind="stable")]])
        sizes = np.bincount(classes, np.asarray(counts[rows].sum(axis=1)).ravel(), len(corpus.label_names))
        starts = np.concatenate([[0], np.cumsum(sizes.astype(np.int64))])
        lengths = np.asarray(counts[rows].sum(axis=1), dtype=np.int64).ravel()
        words = np.repeat(part.indices, part.data).astype(np.int32)
        return cls(lengths, classes, words, starts, list(corpus.feature_names or ()), list(corpus.label_names))

    def draw(self, size: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the lengths and classes of made documents, int64 (size,), and their words one after the other."""
        rows = generator.integers(len(self.lengths), size=size)
        lengths, classes = self.lengths[rows], self.classes[rows]
        first, sizes = self.starts[classes], np.diff(self.starts)[classes]
        within = generator.random(int(lengths.sum())) * np.repeat(sizes, lengths)
        return lengths, classes, self.words[np.repeat(first, lengths) + within.astype(np.int64)]

    def documents(self, size: int, seed: int, name: str) -> Iterator[tuple[str, str]]:
        """Yield made documents, class and text of each; a seed and a name decide them, block by block."""
        spellings = np.array(self.spellings, dtype=object)
        for number, start in enumerate(range(0, size, BLOCK)):
            lengths, classes, words = self.draw(min(BLOCK, size - start), rng(seed, "made", name, str(number)))
            spelt, end = spellings[words].tolist(), np.cumsum(lengths)
            for label, a, b in zip(classes.tolist(), (end - lengths).tolist(), end.tolist(), strict=True):
                yield self.names[label], " ".join(spelt[a:b])


def real_documents(corpus: Corpus, rows: np.ndarray) -> Iterator[tuple[str, str]]:
    """Yield class and words of real documents of a corpus of counts; the words are in the order of the columns."""
    counts: Any = corpus.features
    spellings, classes = np.array(corpus.feature_names, dtype=object), corpus.classes()
    for row in rows.tolist():
        part = slice(counts.indptr[row], counts.indptr[row + 1])
        words = spellings[np.repeat(counts.indices[part], counts.data[part])]
        yield corpus.label_names[classes[row]], " ".join(words.tolist())


def write_table(path: Path, documents: Iterable[tuple[str, str]]) -> None:
    """Write documents to a csv file with the columns ``label`` and ``text``, one after the other."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("label", "text"))
        writer.writerows(documents)


def halves(n_documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows from which documents are made, and those that are held out (`HELD`)."""
    held = np.arange(n_documents) % HELD == HELD - 1
    return np.flatnonzero(~held), np.flatnonzero(held)
