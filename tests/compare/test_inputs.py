"""Labels from Python keep their value, and ambiguous ones are rejected."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from textmix.compare.inputs import corpus_of, list_labels
from textmix.core.errors import ConfigError

pd = pytest.importorskip("pandas")
TEXTS = [f"text number {row}" for row in range(12)]
EVEN = [row % 2 == 0 for row in range(12)]


def labels_in_corpus(labels: Any) -> list[Any]:
    """Return the labels of each text, as read."""
    corpus, originals = corpus_of(TEXTS, list_labels(labels))
    names = [
        [corpus.label_names[label] for label in row]
        for row in np.split(corpus.labels.indices, corpus.labels.indptr[1:-1])
    ]
    return [[originals[name] for name in row] for row in names]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (EVEN, EVEN),
        (np.array(EVEN), EVEN),
        (np.array(EVEN).astype(np.int8), [int(value) for value in EVEN]),
        (np.array(EVEN) * 1.5, [1.5 * value for value in EVEN]),
        (
            pd.Series(["a" if value else "b" for value in EVEN], dtype="category"),
            ["a" if value else "b" for value in EVEN],
        ),
        (pd.Index([int(value) for value in EVEN]), [int(value) for value in EVEN]),
        (np.array(EVEN)[:, None], EVEN),
        (pd.DataFrame({"label": EVEN}), EVEN),
    ],
    ids=["bool", "numpy bool", "int8", "float", "categorical", "Index", "column vector", "DataFrame"],
)
def test_labels_keep_type_and_value(labels: Any, expected: list[Any]) -> None:
    read = [row[0] for row in labels_in_corpus(labels)]
    assert read == expected
    assert [type(label) for label in read] == [type(label) for label in expected]


def test_label_sets_may_be_arrays_or_columns_of_indicators() -> None:
    indicators = pd.DataFrame({"noise": [int(value) for value in EVEN], "price": [1] * 12})
    expected = [["noise", "price"] if value else ["price"] for value in EVEN]
    assert labels_in_corpus(indicators) == expected
    assert labels_in_corpus([np.array(row) for row in expected]) == expected


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([b"a", b"b"] * 6, "of type bytes"),
        (pd.to_datetime(["2024-01-01", "2024-01-02"] * 6), "of type Timestamp"),
        ([Decimal(0), Decimal(1)] * 6, "of type Decimal"),
        ([1.0, float("inf")] * 6, "finite"),
        ([1, True] * 6, "cannot be distinguished"),
        ([1, "1"] * 6, "cannot be distinguished"),
        ([[1, 0, 1], [0, 1, 0]] * 6, "row of 0 and 1"),
        (np.eye(2)[[0, 1] * 6], "has the shape"),
        (dict.fromkeys(TEXTS, "a"), "of type dict"),
        (set("abcdefghijkl"), "of type set"),
    ],
    ids=["bytes", "dates", "Decimal", "infinity", "bool and int", "int and str", "indicators", "matrix", "dict", "set"],
)
def test_values_that_cannot_be_labels_are_rejected(labels: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        labels_in_corpus(labels)


def test_equal_numbers_are_one_label() -> None:
    corpus, originals = corpus_of(TEXTS, [0, 1, 1.0] * 4)
    assert list(originals.values()) == [0, 1]
    assert corpus.labels.sum(axis=0).tolist() == [4, 8]


def test_similar_labels_are_reported() -> None:
    corpus, _ = corpus_of(TEXTS, ["a", "a ", "b"] * 4)
    assert any("are similar" in note for note in corpus.info["remarks"])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=["None", "nan", "NA"])
def test_missing_labels_are_dropped_and_counted(missing: Any) -> None:
    corpus, originals = corpus_of(TEXTS, pd.Series([missing, 1, 2] * 4, dtype=object))
    assert corpus.n_documents == 8
    assert list(originals.values()) == [1, 2]
    assert "4 rows" in corpus.info["remarks"][0]
