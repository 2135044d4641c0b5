"""Labels for new texts by a persisted model: texts in, rows out, block by block."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import IO, Any

import numpy as np

from textmix.data.corpus import Ragged
from textmix.data.new_texts import NewText
from textmix.serve.model import PersistedModel

#: A block ends after this many texts or this many bytes of text, whichever comes first.
BLOCK_TEXTS, BLOCK_BYTES = 4096, 2**24

#: `json.dumps` would make a new encoder for every row.
_JSON = json.JSONEncoder(ensure_ascii=False).encode


def blocks(texts: Iterable[NewText]) -> Iterator[list[NewText]]:
    """Yield the texts, in their order, in blocks of at most `BLOCK_TEXTS`; a block ends once it has `BLOCK_BYTES`."""
    block, size = list[NewText](), 0
    for text in texts:
        block.append(text)
        size += len(text.text)
        if len(block) == BLOCK_TEXTS or size >= BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


class Writer:
    """Writes one row a text, with its ``id``.

    A single-label method gives ``label`` and, where it has one, the ``probability`` of that label; a multi-label method
    gives ``labels``, a JSON list (a label may hold any character, so that no separator is safe), and ``probabilities``,
    a list in the same order.  With ``everything`` the probabilities of all labels follow: in csv a column
    ``p:<label>`` each, in JSON an object ``all``.  A label without training documents has no probability: an empty cell
    in csv, null in JSON.  Probabilities have six digits.

    Parameters
    ----------
    stream : text stream.
    model : whose labels are written.
    form : "csv" or "jsonl".
    everything : write the probability of every label.
    spreadsheet : put an apostrophe before each csv text that a spreadsheet would run as a formula.
    """

    def __init__(
        self, stream: IO[str], model: PersistedModel, form: str, everything: bool, spreadsheet: bool = False
    ) -> None:
        self._quote = _no_formula if spreadsheet else _as_it_is
        self._stream, self._names, self._everything = stream, list(model.label_names), everything
        self._keys = ("label", "probability") if model.task == "single" else ("labels", "probabilities")
        self._csv = csv.writer(stream, lineterminator="\n") if form == "csv" else None

    def begin(self) -> None:
        """Write the header of csv; JSON lines have none."""
        if self._csv:
            # Behind its "p:" no label is a formula.
            self._csv.writerow(["id", *self._keys, *(f"p:{name}" for name in self._names if self._everything)])

    def write(self, block: Sequence[NewText], labels: np.ndarray, probability: np.ndarray | None) -> None:
        """Write the rows of a block.

        Parameters
        ----------
        block : n texts.
        labels : index of the label, int (n,), or label indicators, int (n, L).
        probability : of each label, float64 (n, L), or None.
        """
        answers = self._single(labels, probability) if labels.ndim == 1 else self._several(labels, probability)
        every: Iterable[Sequence[float]] = [()] * len(block)
        if self._everything and probability is not None:
            every = probability.tolist()
        elif self._everything and self._csv:
            every = [[math.nan] * len(self._names)] * len(block)  # a cell for every column of the header
        for text, answer, row in zip(block, answers, every, strict=True):
            values = [_six_digits(value) for value in row]
            if self._csv:
                cells = [_JSON(cell) if isinstance(cell, list) else self._quote(cell) for cell in answer]
                self._csv.writerow([self._quote(text.id), *cells, *values])
            else:
                said = {"id": text.id, **dict(zip(self._keys, answer, strict=True))}
                if values:
                    said["all"] = dict(zip(self._names, values, strict=True))
                self._stream.write(_JSON(said) + "\n")

    def _single(self, labels: np.ndarray, probability: np.ndarray | None) -> Iterator[tuple[Any, Any]]:
        """Yield name and probability of the label of each text; labels (n,), probability (n, L) or None."""
        chosen: list[float | None] = [None] * len(labels)
        if probability is not None:
            chosen = [_six_digits(value) for value in probability[np.arange(len(labels)), labels].tolist()]
        yield from ((self._names[label], value) for label, value in zip(labels.tolist(), chosen, strict=True))

    def _several(self, labels: np.ndarray, probability: np.ndarray | None) -> Iterator[tuple[Any, Any]]:
        """Yield names and probabilities of the labels of each text; labels and probability (n, L), or None."""
        rows, columns = np.nonzero(labels)
        names = [self._names[column] for column in columns.tolist()]
        ends = np.searchsorted(rows, np.arange(len(labels) + 1)).tolist()
        values: list[float | None] = []
        if probability is not None:
            values = [_six_digits(value) for value in probability[rows, columns].tolist()]
        for first, end in pairwise(ends):
            yield names[first:end], values[first:end] if probability is not None else None


def _as_it_is(cell: Any) -> Any:
    """Return a cell as it is."""
    return cell


def _no_formula(cell: Any) -> Any:
    """Return a cell that no spreadsheet runs: one that begins like a formula gets an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _six_digits(value: float) -> float | None:
    """Return a number with six digits; None for nan."""
    return None if math.isnan(value) else float(f"{value:.6g}")


def predict(model: PersistedModel, texts: Iterable[NewText], writer: Writer) -> int:
    """Label texts, write the header and their rows, and return the number of texts.

    Parameters
    ----------
    model : the persisted model.
    texts : new texts; those of one block are in memory at a time.
    writer : of the rows.

    Raises
    ------
    TextmixError : a text cannot be read; the rows of the blocks before it are written.
    """
    count, rest = 0, blocks(texts)
    first = list(islice(rest, 1))  # read before the header is written: a file that cannot be read gives no output
    writer.begin()
    for block in chain(first, rest):
        labels, probability = model.label(Ragged.from_texts(text.text for text in block))
        writer.write(block, labels, probability)
        count += len(block)
    return count
