"""Texts and labels from Python as a corpus, and checks that a corpus can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import Corpus, Ragged, TableTexts, label_matrix
from textmix.data.extra_columns import column_cells, is_missing
from textmix.data.feature_rows import FeatureRows, feature_rows_of, is_feature_matrix
from textmix.data.labels import is_printed_list, label_notes
from textmix.data.user_data import check_labels
from textmix.serve.state_schema import LABEL_TYPES
from textmix.text.text_validation import select_documents

#: Types of a set of labels of one text.
LABEL_SET_TYPES = (list, tuple, set, frozenset)
MIN_DOCUMENTS = 10
#: Fewest documents of a label, and fewest labels with so many, that can be learned.
MIN_LABEL_DOCUMENTS = 2
MIN_LEARNABLE_LABELS = 2


def task_of(labels: Iterable[Any]) -> str:
    """Return ``multi`` if a text may have several labels, else ``single``."""
    return "multi" if any(isinstance(label, LABEL_SET_TYPES) for label in labels) else "single"


def corpus_of(
    texts: Sequence[str], labels: Sequence[Any], features: Mapping[str, Sequence[Any]] = MappingProxyType({})
) -> tuple[Corpus, dict[str, Any]]:
    """Convert texts and labels to a corpus.

    Parameters
    ----------
    texts : sequence of str
        Texts; missing texts and texts with a missing label are dropped.
    labels : sequence
        Label of each text, or list of labels.
    features : mapping of str to sequence, default={}
        Extra columns with a value for each text.

    Returns
    -------
    corpus : Corpus
    originals : dict of str to object
        Label name in the corpus -> label with its original type.

    Raises
    ------
    ConfigError
        If the lengths differ, a text is not a string, or two labels have the same name, such as 1 and "1".
    """
    documents = _documents_of(texts)
    labels = list_labels(labels)
    n_documents = len(documents)
    cells = column_cells(features, n_documents)
    if n_documents != len(labels):
        raise ConfigError(f"compare: {n_documents} texts and {len(labels)} labels; give one label for each text")
    if cells and isinstance(documents, FeatureRows):
        raise ConfigError("compare: features are for texts, and texts is a matrix; add their columns to the matrix")
    rows = [row for row, label in enumerate(labels) if not is_missing(label)]
    if not isinstance(documents, FeatureRows):
        rows = [row for row in rows if not is_missing(documents[row])]
        for row in rows:
            if not isinstance(documents[row], str):
                raise ConfigError(f"compare: text {row} is of type {type(documents[row]).__name__}; give strings")
    label_sets = _label_sets(rows, labels)
    originals = _labels_by_name(rows, label_sets)
    names = _sort_names(originals)
    index_of = {originals[name]: index for index, name in enumerate(names)}
    indices = [sorted(index_of[label] for label in label_set) for label_set in label_sets]
    label_counts = np.bincount([index for row in indices for index in row], minlength=len(names)).tolist()
    n_dropped = n_documents - len(rows)
    if isinstance(documents, FeatureRows):
        selected: Ragged = documents.take(rows)
    else:
        encoded = (documents[row].encode("utf-8", "replace") for row in rows)
        selected = TableTexts.of(
            Ragged.from_texts(encoded), {name: [column[row] for row in rows] for name, column in cells.items()}
        )
    notes = [f"{n_dropped:,} rows without a text or a label were dropped."] if n_dropped else []
    notes += label_notes(dict(zip(names, label_counts, strict=True)), task_of(labels) == "multi")
    if task_of(labels) == "single" and any(map(is_printed_list, names)):
        notes.append("Some labels are printed lists; pass lists of labels instead of strings.")
    corpus = Corpus(
        name="texts",
        ids=[str(row + 1) for row in rows],
        label_names=names,
        labels=label_matrix(indices, len(names)),
        text=selected,
        info={"remarks": notes} if notes else {},
    )
    return corpus, originals


def _documents_of(texts: Any) -> list[Any] | FeatureRows:
    """Return the texts, or the rows of a feature matrix."""
    if is_feature_matrix(texts):
        return feature_rows_of(texts)
    try:
        return list(select_documents(texts))
    except ValueError as error:
        raise ConfigError(f"compare: {error}") from error


def list_labels(labels: Any) -> list[Any]:
    """Return the label, or the labels, of each text.

    Parameters
    ----------
    labels : sequence
        A list, an array of shape (N,) or (N, 1), a Series, or a DataFrame: with a single column, or with an indicator
        column of 0 and 1 for each label.

    Raises
    ------
    ConfigError
        If it is a single string, a mapping, a set, or an array without label names.
    """
    if isinstance(labels, (str, bytes)):
        raise ConfigError("compare: labels is a single string; give one label for each text")
    if isinstance(labels, (Mapping, Set)) or not isinstance(labels, Iterable):
        raise ConfigError(f"compare: labels is of type {type(labels).__name__}; give a list with a label for each text")
    table: Any = labels
    if hasattr(table, "columns"):
        columns = list(table.columns)
        return list(table[columns[0]]) if len(columns) == 1 else _indicator_labels(table)
    shape: tuple[int, ...] = getattr(table, "shape", (0,))
    if len(shape) == 2 and shape[1] == 1 and hasattr(table, "ravel"):
        return list(table.ravel())
    if len(shape) != 1:
        raise ConfigError(f"compare: labels has the shape {shape}; give a list of label names for each text")
    return [label.tolist() if isinstance(label, np.ndarray) else label for label in labels]


def _indicator_labels(table: Any) -> list[list[Any]]:
    """Return the labels of each row of a DataFrame of indicators."""
    values = np.asarray(table)
    if not np.isin(values, (0, 1)).all():
        raise ConfigError(
            f"compare: labels has {values.shape[1]} columns with values other than 0 and 1; give a list of labels for "
            "each text"
        )
    columns = list(table.columns)
    return [[columns[position] for position in np.flatnonzero(row)] for row in values.astype(bool)]


def _sort_names(originals: Mapping[str, Any]) -> list[str]:
    """Sort label names: numerically if all labels are numbers, as scikit-learn sorts classes."""
    if all(isinstance(label, (int, float)) for label in originals.values()):
        return sorted(originals, key=lambda name: originals[name])
    return sorted(originals)


def _label_sets(rows: Sequence[int], labels: Sequence[Any]) -> list[list[Any]]:
    """Return the distinct labels of each text as plain Python values."""
    return [_label_set(row, labels[row]) for row in rows]


def _label_set(row: int, label: Any) -> list[Any]:
    """Return the distinct labels of one text; raise ConfigError for indicators and for values that are no labels."""
    members = list(label) if isinstance(label, LABEL_SET_TYPES) else [label]
    values = [value.item() if isinstance(value, np.generic) else value for value in members if not is_missing(value)]
    for value in values:
        if not isinstance(value, LABEL_TYPES) or value in (math.inf, -math.inf):
            raise ConfigError(
                f"compare: the label {value!r} of text {row} is of type {type(value).__name__}; give labels as strings "
                "or finite numbers"
            )
    distinct = list(dict.fromkeys(values))
    if len(distinct) < len(values) and set(distinct) <= {0, 1}:
        raise ConfigError(f"compare: the labels of text {row} are a row of 0 and 1; give the names of its labels")
    return distinct


def _labels_by_name(rows: Sequence[int], label_sets: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Map the name of each label to the label.

    Equal numbers such as 1 and 1.0 are the same label, with the name of the first one.

    Raises
    ------
    ConfigError
        If two different labels have the same name, or one is a boolean and another one a number.
    """
    originals: dict[str, Any] = {}
    names: dict[Any, str] = {}
    for row, label_set in zip(rows, label_sets, strict=True):
        for label in label_set:
            name = names.setdefault(label, str(label))
            earlier = originals.setdefault(name, label)
            if earlier != label or isinstance(earlier, bool) != isinstance(label, bool):
                raise ConfigError(
                    f"compare: the label {label!r} of text {row} cannot be distinguished from the label {earlier!r} of "
                    "an earlier text; give all labels as strings, or all as numbers"
                )
    return originals


def check_corpus(corpus: Corpus) -> None:
    """Check that there is something to learn.

    Raises
    ------
    DataFormatError
        If there are too few documents, no texts, or no two labels with several documents each.
    """
    n_documents = corpus.n_documents
    if n_documents < MIN_DOCUMENTS:
        problem = f"has {n_documents} documents with a label; a comparison needs {MIN_DOCUMENTS} or more"
        raise DataFormatError(corpus.name, None, problem)
    check_labels(corpus)
    if corpus.text is None:
        raise DataFormatError(corpus.name, None, "contains numbers; a comparison needs texts")
    if isinstance(corpus.text, FeatureRows):
        if corpus.text.n_elements == 0:
            raise DataFormatError(corpus.name, None, "all features are 0; there is nothing to learn")
    elif not any(corpus.text[row].tobytes().strip() for row in range(n_documents)):
        problem = f"all {n_documents:,} texts are empty; specify the text column with --text"
        raise DataFormatError(corpus.name, None, problem)
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    if int(np.sum(counts >= MIN_LABEL_DOCUMENTS)) < MIN_LEARNABLE_LABELS:
        problem = (
            f"has {np.count_nonzero(counts):,} labels on {n_documents:,} documents, and fewer than "
            f"{MIN_LEARNABLE_LABELS} labels occur in several documents; specify the label column with --label"
        )
        raise DataFormatError(corpus.name, None, problem)
