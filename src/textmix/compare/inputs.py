"""Texts and labels from Python as a corpus, and checks that a corpus can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import Corpus, Ragged, TableTexts, label_matrix
from textmix.data.extra_columns import column_cells, is_missing
from textmix.data.feature_rows import FeatureRows, feature_rows_of, is_feature_matrix
from textmix.data.user_data import check_labels
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
    label_sets = [_label_set(labels[row]) for row in rows]
    originals = _labels_by_name(rows, label_sets)
    names = _sort_names(originals)
    index_of = {name: index for index, name in enumerate(names)}
    indices = [sorted(index_of[str(label)] for label in label_set) for label_set in label_sets]
    n_dropped = n_documents - len(rows)
    if isinstance(documents, FeatureRows):
        selected: Ragged = documents.take(rows)
    else:
        encoded = (documents[row].encode("utf-8", "replace") for row in rows)
        selected = TableTexts.of(
            Ragged.from_texts(encoded), {name: [column[row] for row in rows] for name, column in cells.items()}
        )
    corpus = Corpus(
        name="texts",
        ids=[str(row + 1) for row in rows],
        label_names=names,
        labels=label_matrix(indices, len(names)),
        text=selected,
        info={"remarks": [f"{n_dropped:,} rows without a text or a label were dropped."]} if n_dropped else {},
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
        A list, an array, a Series, or a DataFrame with a single column.

    Raises
    ------
    ConfigError
        If it is a single string, or a table of several columns.
    """
    if isinstance(labels, (str, bytes)):
        raise ConfigError("compare: labels is a single string; give one label for each text")
    if getattr(labels, "ndim", 1) == 2 and not hasattr(labels, "columns"):
        raise ConfigError(f"compare: labels has the shape {labels.shape}; give a list of label names for each text")
    if not hasattr(labels, "columns"):
        return list(labels)
    columns = list(labels.columns)
    if len(columns) != 1:
        raise ConfigError(f"compare: labels has {len(columns)} columns; give a list of labels for each text")
    return list(labels[columns[0]])


def _sort_names(originals: Mapping[str, Any]) -> list[str]:
    """Sort label names: numerically if all labels are numbers, as scikit-learn sorts classes."""
    if all(isinstance(label, (int, float)) for label in originals.values()):
        return sorted(originals, key=lambda name: originals[name])
    return sorted(originals)


def _label_set(label: Any) -> list[Any]:
    """Return the distinct labels of one text."""
    labels = label if isinstance(label, LABEL_SET_TYPES) else [label]
    return [each for each in dict.fromkeys(labels) if not is_missing(each)]


def _labels_by_name(rows: Sequence[int], label_sets: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Map the name of each label to the label; raise ConfigError if two labels have the same name."""
    originals: dict[str, Any] = {}
    for row, label_set in zip(rows, label_sets, strict=True):
        for label in label_set:
            value = label.item() if isinstance(label, np.generic) else label
            earlier = originals.setdefault(str(label), value)
            if earlier != value:
                raise ConfigError(
                    f"compare: the label {value!r} of text {row} has the same name as the label {earlier!r} of an "
                    "earlier text; give all labels as strings, or all as numbers"
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
        what = f"has {n_documents} documents with a label; a comparison needs {MIN_DOCUMENTS} or more"
        raise DataFormatError(corpus.name, None, what)
    check_labels(corpus)
    if corpus.text is None:
        raise DataFormatError(corpus.name, None, "contains numbers; a comparison needs texts")
    if isinstance(corpus.text, FeatureRows):
        if corpus.text.n_elements == 0:
            raise DataFormatError(corpus.name, None, "all features are 0; there is nothing to learn")
    elif not any(corpus.text[row].tobytes().strip() for row in range(n_documents)):
        what = f"all {n_documents:,} texts are empty; specify the text column with --text"
        raise DataFormatError(corpus.name, None, what)
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    if int(np.sum(counts >= MIN_LABEL_DOCUMENTS)) < MIN_LEARNABLE_LABELS:
        what = (
            f"has {np.count_nonzero(counts):,} labels on {n_documents:,} documents, and fewer than "
            f"{MIN_LEARNABLE_LABELS} labels occur in several documents; specify the label column with --label"
        )
        raise DataFormatError(corpus.name, None, what)
