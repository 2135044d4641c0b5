"""Labels for new texts by a persisted model: texts in, rows out, block by block."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import IO, Any, NamedTuple

import numpy as np

from textmix.data.corpus import Ragged, TableTexts
from textmix.data.user_table import NewText
from textmix.serve.average_model import AveragedModel
from textmix.serve.explain import reasons
from textmix.serve.model import PersistedModel

#: A block ends after this many texts or this many bytes of text, whichever comes first.
BLOCK_TEXTS, BLOCK_BYTES = 4096, 2**24

#: `json.dumps` would make a new encoder for every value.
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


def gives_several(model: PersistedModel | AveragedModel) -> bool:
    """Return whether a model gives several labels a text, with probabilities."""
    several = hasattr(model.estimator, "predict_both") or hasattr(model.estimator, "predict_proba")
    return model.task == "multi" and several


def _filled(labels: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Return label indicators (n, L) in which a text without a label has its most probable one."""
    filled = labels.copy()
    bare = np.flatnonzero(labels.sum(axis=1) == 0)
    filled[bare, np.nan_to_num(probability[bare], nan=-1.0).argmax(axis=1)] = 1
    return filled


def is_empty(text: NewText) -> bool:
    """Return whether a text has no character but blanks."""
    return not text.text.strip()


class Labelled(NamedTuple):
    """How many texts were labelled, and how many of them were empty."""

    texts: int
    empty: int


class Writer:
    """Writes one row a text, with its ``id``.

    A single-label method gives ``label`` and, where it has one, the ``probability`` of that label; a multi-label method
    gives ``labels``, a JSON list (a label may hold any character, so that no separator is safe), and ``probabilities``,
    a list in the same order.  With ``everything`` the probabilities of all labels follow: in csv a column ``p:<label>``
    each, in JSON an object ``all``.  A label without training documents has no probability: an empty cell in csv, null
    in JSON.  Probabilities have six digits.

    Parameters
    ----------
    form : "csv" or "jsonl".
    spreadsheet : put an apostrophe before each csv text that a spreadsheet would run as a formula.
    skip_empty : give an empty text neither label nor probability.
    never_empty : give a text without a label its most probable one; of a model that `gives_several`.
    reject : give no label to a text whose label is less probable; of a model for one label with probabilities.
    why : give the words that spoke for each label, `textmix.serve.explain.reasons`.
    """

    def __init__(
        self,
        stream: IO[str],
        model: PersistedModel | AveragedModel,
        form: str,
        everything: bool,
        *,
        spreadsheet: bool = False,
        skip_empty: bool = False,
        never_empty: bool = False,
        reject: float = 0.0,
        why: bool = False,
    ) -> None:
        self._model, self._reject, self._why = model, reject, why
        self._stream, self._names, self._everything = stream, list(model.label_names), everything
        self._skip_empty, self._never_empty = skip_empty, never_empty
        self._keys = ("label", "probability") if model.task == "single" else ("labels", "probabilities")
        self._csv = csv.writer(stream, lineterminator="\n") if form == "csv" else None
        #: Text in place of a missing number or list, and how an identifier and the one label of a text are written.
        self._absent = "" if self._csv else "null"
        self._quote: Callable[[str], str] = _JSON if self._csv is None else _no_formula if spreadsheet else str

    def begin(self) -> None:
        """Write the header of csv; JSON lines have none."""
        if self._csv:
            # Behind its "p:" no label is a formula.
            every = [f"p:{name}" for name in self._names if self._everything]
            self._csv.writerow(["id", *self._keys, *["why"] * self._why, *every])

    def write(self, block: Sequence[NewText], labels: np.ndarray, probability: np.ndarray | None) -> None:
        """Write the rows of n texts: labels int (n,) or indicators (n, L), and probabilities (n, L) or None."""
        if self._never_empty and probability is not None:
            labels = _filled(labels, probability)
        answers = self._single(labels, probability) if labels.ndim == 1 else self._several(labels, probability)
        columns: list[Sequence[str]] = [[self._quote(text.id) for text in block], *answers]
        if self._why:
            columns.append([self._reasons(text, label) for text, label in zip(block, labels, strict=True)])
        if self._reject and probability is not None and labels.ndim == 1:
            sure = probability[np.arange(len(labels)), labels] >= self._reject
            columns[1] = [cell if good else self._absent for cell, good in zip(columns[1], sure, strict=True)]
        if self._everything and probability is not None:
            columns += [_numbers(column, self._absent) for column in probability.T]
        elif self._everything and self._csv:
            columns += [[self._absent] * len(block)] * len(self._names)  # a cell for every column of the header
        if self._skip_empty:
            columns[1:] = [self._without(column, block) for column in columns[1:]]
        # Column by column, so that no step of Python is taken for each row.
        rows = zip(*columns, strict=True)
        if self._csv:
            self._csv.writerows(rows)
        else:
            self._stream.writelines(map(self._template(len(columns) > 3 + self._why).__mod__, rows))

    def _reasons(self, text: NewText, label: Any) -> str:
        """Return the words that spoke for the label of a text, or for each of several, as JSON."""

        def details(place: int) -> list[list[Any]]:
            found = reasons(self._model, text.text, place, text.cells)
            return [[word, round(weight, 4)] for word, weight in found]

        if np.ndim(label) == 0:
            return _JSON(details(int(label)))
        return _JSON({self._names[place]: details(place) for place in np.flatnonzero(label).tolist()})

    def _without(self, column: Sequence[str], block: Sequence[NewText]) -> list[str]:
        """Return a column with nothing in the rows of empty texts."""
        return [self._absent if is_empty(text) else cell for cell, text in zip(column, block, strict=True)]

    def _template(self, everything: bool) -> str:
        """Return the form of a JSON line, with a place for each column."""
        fields = [f'"{key}": %s' for key in ("id", *self._keys, *["why"] * self._why)]
        if everything:
            every = (_JSON(name).replace("%", "%%") + ": %s" for name in self._names)
            fields.append(f'"all": {{{", ".join(every)}}}')
        return f"{{{', '.join(fields)}}}\n"

    def _single(self, labels: np.ndarray, probability: np.ndarray | None) -> tuple[list[str], list[str]]:
        """Return name and probability of the label of each text; labels (n,), probability (n, L) or None."""
        names = [self._quote(name) for name in self._names]
        chosen = [self._absent] * len(labels)
        if probability is not None:
            chosen = _numbers(probability[np.arange(len(labels)), labels], self._absent)
        return [names[label] for label in labels.tolist()], chosen

    def _several(self, labels: np.ndarray, probability: np.ndarray | None) -> tuple[list[str], list[str]]:
        """Return JSON lists: names and probabilities of each text's labels; labels and probability (n, L), or None."""
        rows, columns = np.nonzero(labels)
        ends = np.searchsorted(rows, np.arange(len(labels) + 1)).tolist()
        quoted = [_JSON(name) for name in self._names]
        names = _lists([quoted[column] for column in columns.tolist()], ends)
        if probability is None:
            return names, [self._absent] * len(labels)
        return names, _lists(_numbers(probability[rows, columns], "null"), ends)


def _no_formula(cell: str) -> str:
    """Return a cell that no spreadsheet runs: one that begins like a formula gets an apostrophe before it."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _numbers(values: np.ndarray, absent: str) -> list[str]:
    """Return numbers (n,) in six digits, and ``absent`` for nan."""
    texts = [f"{value:.6g}" if not math.isnan(value) else "" for value in values.tolist()]
    # With a point and without an exponent, six digits are already as Python writes the number.
    return [one if "." in one and "e" not in one else repr(float(one)) if one else absent for one in texts]


def _lists(cells: Sequence[str], ends: Sequence[int]) -> list[str]:
    """Return JSON lists of cells already in JSON: list i holds those from ``ends[i]`` to ``ends[i + 1]``."""
    return [f"[{', '.join(cells[first:end])}]" for first, end in pairwise(ends)]


def given(block: Sequence[NewText], columns: Sequence[str]) -> Ragged:
    """Return texts with their cells of columns, as a model takes them."""
    cells = {name: [text.cells[place] for text in block] for place, name in enumerate(columns)}
    return TableTexts.of(Ragged.from_texts(text.text for text in block), cells)


def predict(model: PersistedModel | AveragedModel, texts: Iterable[NewText], writer: Writer) -> Labelled:
    """Label texts, write the header and their rows, and return the number of texts and of empty ones.  One block is in
    memory at a time; the rows of the blocks before a text that cannot be read (TextmixError) are written.
    """
    count, empty, rest = 0, 0, blocks(texts)
    first = list(islice(rest, 1))  # read before the header is written: a file that cannot be read gives no output
    writer.begin()
    for block in chain(first, rest):
        labels, probability = model.label(given(block, model.beside))
        writer.write(block, labels, probability)
        count += len(block)
        empty += sum(map(is_empty, block))
    return Labelled(count, empty)
