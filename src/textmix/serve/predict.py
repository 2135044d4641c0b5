"""Predict labels of new texts with a saved model, block by block."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged, TableTexts
from textmix.data.feature_rows import FeatureRows
from textmix.data.user_table import NewText
from textmix.serve.average_model import AveragedModel
from textmix.serve.explain import word_contributions
from textmix.serve.model import PersistedModel
from textmix.serve.outputs import JsonRows, Rows

#: Maximum numbers of texts and of text bytes per block.
MAX_BLOCK_TEXTS = 4096
MAX_BLOCK_BYTES = 2**24

#: `json.dumps` would create an encoder for every value.
_encode_json = json.JSONEncoder(ensure_ascii=False).encode

Model = PersistedModel | AveragedModel


@dataclass(frozen=True)
class Options:
    """Options of ``textmix predict``.

    Parameters
    ----------
    all_probabilities : bool, default=False
        Add the probability of every label.
    top : int, default=0
        Number of most probable labels to add, with their probabilities.
    spreadsheet : bool, default=False
        Prefix text cells that a spreadsheet would evaluate as formulas with an apostrophe.
    skip_empty : bool, default=False
        Leave empty texts unlabelled.
    never_empty : bool, default=False
        Assign the most probable label to texts without a predicted label.
    min_probability : float, default=0.0
        Abstain if the predicted label is less probable.
    explain : bool, default=False
        Add the words that contributed most to each predicted label.
    """

    all_probabilities: bool = False
    top: int = 0
    spreadsheet: bool = False
    skip_empty: bool = False
    never_empty: bool = False
    min_probability: float = 0.0
    explain: bool = False


class Counts(NamedTuple):
    """Numbers of texts, and of empty ones among them."""

    texts: int
    empty: int


def check_options(options: Options, model: Model) -> None:
    """Check that the options are applicable to a model.

    Parameters
    ----------
    options : Options
        Options of the command line.
    model : Model
        The model.

    Raises
    ------
    ConfigError
        If an option is not applicable.
    """
    has_probabilities = hasattr(model.estimator, "predict_both") or hasattr(model.estimator, "predict_proba")
    if options.never_empty and not (has_probabilities and model.task == "multi"):
        raise ConfigError("--never-empty: requires a multi-label model with probabilities; drop the option")
    if options.min_probability and not (has_probabilities and model.task == "single"):
        raise ConfigError("--min-probability: requires a single-label model with probabilities; drop the option")
    if options.skip_empty and model.is_numeric:
        raise ConfigError("--empty: applies to texts, but the features of this model are numbers; drop the option")
    if options.explain and model.is_numeric:
        raise ConfigError("--explain: explains words, but the features of this model are numbers; drop the option")
    if options.top and not has_probabilities:
        raise ConfigError("--top: requires a model with probabilities; drop the option")


def split_into_blocks(texts: Iterable[NewText]) -> Iterator[list[NewText]]:
    """Yield the texts in blocks of at most `MAX_BLOCK_TEXTS`, which end once they have `MAX_BLOCK_BYTES`."""
    block = list[NewText]()
    size = 0
    for text in texts:
        block.append(text)
        size += len(text.text)
        if len(block) == MAX_BLOCK_TEXTS or size >= MAX_BLOCK_BYTES:
            yield block
            block = []
            size = 0
    if block:
        yield block


def is_empty(text: NewText) -> bool:
    """Check whether a text is empty or blank."""
    return not text.text.strip()


class Writer:
    """Write one row per text.

    Single-label models write ``label`` and ``probability``.  Multi-label models write ``labels``, a JSON list (no
    separator is safe, because a label may contain any character), and ``probabilities``, a list in the same order.
    Optional columns follow: ``explanation``; the top labels, in csv as ``label_1``, ``probability_1`` and so on, in
    JSON as a list ``top``; and the probabilities of all labels, in csv as columns ``p:LABEL``, in JSON as an object
    ``all``.  A label without training documents has no probability: an empty cell, null in JSON.  Probabilities have
    six significant digits.

    Parameters
    ----------
    rows : Rows
        Open output.
    model : PersistedModel or AveragedModel
    options : Options
    """

    def __init__(self, rows: Rows, model: Model, options: Options) -> None:
        self._rows = rows
        self._model = model
        self._options = options
        self._names = list(model.label_names)
        self._n_top = min(options.top, len(self._names))
        self._is_json = isinstance(rows, JsonRows)
        #: Text of a missing number or list.
        self._missing = "null" if self._is_json else ""
        self._quote = self._choose_quoting()

    def _choose_quoting(self) -> Callable[[str], str]:
        """Return the function that writes an identifier or a single label."""
        if self._is_json:
            return _encode_json
        return _escape_formula if self._options.spreadsheet else str

    def begin(self) -> None:
        """Write the header."""
        if isinstance(self._rows, JsonRows):
            self._rows.template = self._template()
            return
        names = ["id", *self._base_names()]
        numeric = [name == "probability" for name in names]
        for rank in range(1, self._n_top + 1):
            names += [f"label_{rank}", f"probability_{rank}"]
            numeric += [False, True]
        if self._options.all_probabilities:
            # With the prefix no label is evaluated as a formula.
            names += [f"p:{name}" for name in self._names]
            numeric += [True] * len(self._names)
        self._rows.write_header(names, numeric)

    def _base_names(self) -> list[str]:
        names = ["label", "probability"] if self._model.task == "single" else ["labels", "probabilities"]
        return [*names, "explanation"] if self._options.explain else names

    def _template(self) -> str:
        """Return the template of a JSON line."""
        members = [f'"{name}": %s' for name in ("id", *self._base_names())]
        if self._n_top:
            members.append('"top": %s')
        if self._options.all_probabilities and self._has_probabilities():
            probabilities = [f"{_encode_json(name).replace('%', '%%')}: %s" for name in self._names]
            members.append(f'"all": {{{", ".join(probabilities)}}}')
        return f"{{{', '.join(members)}}}\n"

    def _has_probabilities(self) -> bool:
        estimator = self._model.estimator
        return hasattr(estimator, "predict_both") or hasattr(estimator, "predict_proba")

    def write(self, block: Sequence[NewText], labels: np.ndarray, probability: np.ndarray | None) -> None:
        """Write the rows of n texts.

        Parameters
        ----------
        block : sequence of NewText of length n
        labels : ndarray of shape (n,) or (n, L)
            Indices of the predicted labels, or label indicators.
        probability : ndarray of shape (n, L) or None
        """
        if self._options.never_empty and probability is not None:
            labels = _fill_empty_rows(labels, probability)
        columns = self._label_columns(labels, probability)
        if self._options.explain:
            columns.append([self._explain(text, label) for text, label in zip(block, labels, strict=True)])
        if self._n_top and probability is not None:
            columns += self._top_columns(probability)
        if self._options.all_probabilities and probability is not None:
            columns += [_format_numbers(column, self._missing) for column in probability.T]
        elif self._options.all_probabilities and not self._is_json:
            columns += [[self._missing] * len(block)] * len(self._names)
        if self._options.skip_empty:
            columns = [self._blank_empty_texts(column, block) for column in columns]
        # Columns, not rows: no Python code runs for each row.
        self._rows.write([[self._quote(text.id) for text in block], *columns])

    def _label_columns(self, labels: np.ndarray, probability: np.ndarray | None) -> list[Sequence[str]]:
        if labels.ndim == 1:
            return self._single_label_columns(labels, probability)
        return self._multi_label_columns(labels, probability)

    def _single_label_columns(self, labels: np.ndarray, probability: np.ndarray | None) -> list[Sequence[str]]:
        """Format the label of each text and its probability."""
        quoted = [self._quote(name) for name in self._names]
        names = [quoted[label] for label in labels.tolist()]
        if probability is None:
            return [names, [self._missing] * len(labels)]
        values = probability[np.arange(len(labels)), labels]
        if self._options.min_probability:
            is_confident = values >= self._options.min_probability
            names = [name if keep else self._missing for name, keep in zip(names, is_confident, strict=True)]
        return [names, _format_numbers(values, self._missing)]

    def _multi_label_columns(self, labels: np.ndarray, probability: np.ndarray | None) -> list[Sequence[str]]:
        """Format names and probabilities of the labels of each text as JSON lists."""
        rows, columns = np.nonzero(labels)
        ends = np.searchsorted(rows, np.arange(len(labels) + 1)).tolist()
        quoted = [_encode_json(name) for name in self._names]
        names = _format_lists([quoted[column] for column in columns.tolist()], ends)
        if probability is None:
            return [names, [self._missing] * len(labels)]
        return [names, _format_lists(_format_numbers(probability[rows, columns], "null"), ends)]

    def _top_columns(self, probability: np.ndarray) -> list[Sequence[str]]:
        """Format the most probable labels; a label without a probability is never among them."""
        ranked = np.argsort(-np.nan_to_num(probability, nan=-1.0), axis=1, kind="stable")[:, : self._n_top]
        columns = list[Sequence[str]]()
        for places in ranked.T:
            values = probability[np.arange(len(places)), places]
            is_missing = np.isnan(values).tolist()
            names = [
                self._missing if missing else self._quote(self._names[column])
                for column, missing in zip(places.tolist(), is_missing, strict=True)
            ]
            columns += [names, _format_numbers(values, self._missing)]
        if not self._is_json:
            return columns
        return [[_format_ranking(cells) for cells in zip(*columns, strict=True)]]

    def _explain(self, text: NewText, label: Any) -> str:
        """Format, as JSON, the words that contributed to the label of a text, or to each of several labels."""

        def contributions(column: int) -> list[list[Any]]:
            words = word_contributions(self._model, text.text, column, text.cells)
            return [[word, round(weight, 4)] for word, weight in words]

        if np.ndim(label) == 0:
            return _encode_json(contributions(int(label)))
        return _encode_json({self._names[column]: contributions(column) for column in np.flatnonzero(label).tolist()})

    def _blank_empty_texts(self, column: Sequence[str], block: Sequence[NewText]) -> list[str]:
        return [self._missing if is_empty(text) else cell for cell, text in zip(column, block, strict=True)]


def _fill_empty_rows(labels: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Add the most probable label to rows of label indicators (n, L) without a label."""
    filled = labels.copy()
    empty = np.flatnonzero(labels.sum(axis=1) == 0)
    filled[empty, np.nan_to_num(probability[empty], nan=-1.0).argmax(axis=1)] = 1
    return filled


def _escape_formula(cell: str) -> str:
    """Prefix a cell that a spreadsheet would evaluate as a formula with an apostrophe."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _format_numbers(values: np.ndarray, missing: str) -> list[str]:
    """Format numbers with six significant digits, and nan as ``missing``."""
    texts = [f"{value:.6g}" if not math.isnan(value) else "" for value in values.tolist()]
    return [_as_python_float(text) if text else missing for text in texts]


def _as_python_float(text: str) -> str:
    """Write a number as Python does; with a decimal point and without an exponent it already is."""
    return text if "." in text and "e" not in text else repr(float(text))


def _format_lists(cells: Sequence[str], ends: Sequence[int]) -> list[str]:
    """Format JSON lists: list i contains the JSON values from ``ends[i]`` to ``ends[i + 1]``."""
    return [f"[{', '.join(cells[start:end])}]" for start, end in pairwise(ends)]


def _format_ranking(cells: Sequence[str]) -> str:
    """Format JSON labels and probabilities, which alternate, as a list of objects."""
    pairs = zip(cells[::2], cells[1::2], strict=True)
    ranking = [f'{{"label": {label}, "probability": {value}}}' for label, value in pairs if label != "null"]
    return f"[{', '.join(ranking)}]"


def feature_row_texts(rows: FeatureRows) -> Iterator[NewText]:
    """Yield the rows of a feature matrix, encoded, as input of `predict`."""
    for row in range(len(rows)):
        yield NewText(str(row + 1), row + 1, rows[row].tobytes())


def as_model_input(
    block: Sequence[NewText], columns: Sequence[str], feature_names: Sequence[str] | None = None
) -> Ragged:
    """Return texts with the cells of their extra columns, or encoded rows of features, as models take them."""
    if feature_names is not None:
        rows = Ragged.from_texts(text.text for text in block)
        return FeatureRows(rows.values, rows.offsets, feature_names, is_indexed=True)
    cells = {name: [text.cells[column] for text in block] for column, name in enumerate(columns)}
    return TableTexts.of(Ragged.from_texts(text.text for text in block), cells)


def predict(
    model: Model, texts: Iterable[NewText], writer: Writer, feature_names: Sequence[str] | None = None
) -> Counts:
    """Predict labels and write header and rows, with one block in memory at a time.

    Rows of the blocks before a text that cannot be read (TextmixError) are written.

    Parameters
    ----------
    model : PersistedModel or AveragedModel
        The model.
    texts : iterable of NewText
        Texts, or encoded rows of features (`feature_row_texts`).
    writer : Writer
        Output.
    feature_names : sequence of str, default=None
        Names of the features, if ``texts`` are rows of features.

    Returns
    -------
    counts : Counts
        Numbers of texts and of empty texts.
    """
    blocks = split_into_blocks(texts)
    first = list(islice(blocks, 1))  # read before the header is written: an unreadable file leaves no output
    writer.begin()
    n_texts = 0
    n_empty = 0
    for block in chain(first, blocks):
        labels, probability = model.label(as_model_input(block, model.extra_columns, feature_names))
        writer.write(block, labels, probability)
        n_texts += len(block)
        n_empty += 0 if model.is_numeric else sum(map(is_empty, block))
    return Counts(n_texts, n_empty)
