"""ARFF with nominal attributes: values in quotes, sparse rows, missing values, a class as an attribute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from textmix.core.errors import DataFormatError
from textmix.data.nominal import values_of
from textmix.data.readers import arff

HEAD = """@relation 'a b'
@attribute length numeric
@attribute 'the colour' {red, 'light blue', "it\\'s"}
@attribute class {spam, ham}
@data
"""


def read(tmp_path: Path, rows: str, head: str = HEAD, **options: object) -> object:
    path = tmp_path / "a.arff"
    path.write_text(head + rows, encoding="utf-8")
    return arff.read({"data": path}, {"name": "a", "label": "class", **options})


def test_a_nominal_class_is_one_label_and_a_nominal_attribute_a_feature_for_each_value(tmp_path: Path) -> None:
    corpus = read(tmp_path, "2.5,'light blue',ham\n% a remark\n\n0, red , spam\n1,?,ham")
    assert corpus.label_names == ["spam", "ham"]
    assert corpus.classes().tolist() == [1, 0, 1]
    assert corpus.feature_names == ["length", "the colour=red", "the colour=light blue", "the colour=it's"]
    np.testing.assert_array_equal(corpus.features.toarray(), [[2.5, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])


def test_a_value_that_a_sparse_row_omits_is_0_or_the_first_of_the_nominal(tmp_path: Path) -> None:
    corpus = read(tmp_path, '{0 3, 2 ham}\n{1 "it\\\'s"}\n{}\n')
    assert corpus.classes().tolist() == [1, 0, 0]
    np.testing.assert_array_equal(corpus.features.toarray(), [[3, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]])


def test_nominal_features_go_with_several_labels(tmp_path: Path) -> None:
    head = "@relation r\n@attribute f {no,yes}\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
    path = tmp_path / "a.arff"
    path.write_text(head + "yes,0,1\nno,1,1\n", encoding="utf-8")
    corpus = arff.read({"data": path}, {"name": "a", "n_labels": 2})
    assert corpus.indicators().tolist() == [[0, 1], [1, 1]]
    assert corpus.features.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,red\n", r"line 6: has 2 values, expected 3"),
        ("1,'red,spam\n", r"line 6: has 0 values, expected 3; look at its quotes"),
        ("1,green,spam\n", r"line 6: 'green' is no value of the attribute 'the colour': red, light blue, it's"),
        ("one,red,spam\n", r"line 6: 'one' of the attribute 'length' is no number"),
        ("?,red,spam\n", r"line 6: '\?' of the attribute 'length' is no number; fill it in"),
        ("nan,red,spam\n", r"line 6: 'nan' of the attribute 'length' is no number"),
        ("1,red,?\n", r"line 6: has no value of the label 'class'; fill it in"),
        ("{2 ham, 0 1}\n", r"line 6: has an index out of order"),
        ("{7 ham}\n", r"line 6: has an index out of order, or not below 3"),
        ("{2 ham\n", r"line 6: '\{2 ham' is not of the form \{index value, ...\}"),
    ],
)
def test_a_fault_names_its_line(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(DataFormatError, match=message):
        read(tmp_path, rows)


def test_a_class_that_is_no_attribute_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="has no attribute 'kind'; its last one is 'class'"):
        read(tmp_path, "1,red,ham\n", label="kind")


@pytest.mark.parametrize(
    ("text", "values"),
    [("a, b", ["a", "b"]), ("'a, b',\"c\"", ["a, b", "c"]), (r"'it\'s'", ["it's"]), ("a'b", None), ("a,", ["a", ""])],
)
def test_values_between_commas(text: str, values: list[str] | None) -> None:
    assert values_of(text) == values
