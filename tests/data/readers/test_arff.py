"""ARFF files with MULAN labels or a class of their own: rows, headers, label files, nominals, and their faults."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import arff as liac
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.readers.numbers import NUMBERS, quick
from tests.data.readers.texts import assert_refused
from tests.fixtures.reader_files import ARFF_HEAD, LABEL_XML, SAMPLES, XML_HEAD, Sample
from tests.naive import number_rows as naive
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.arff_nominal import values_of
from textmix.data.corpus import TEST, TRAIN
from textmix.data.parse import check_corpus


def arff(rows: str, head: bytes = ARFF_HEAD, labels: bytes = LABEL_XML) -> Sample:
    return Sample("arff", {"data": head + rows.encode(), "labels": labels})


@quick
@given(st.data(), st.integers(1, 5), st.integers(1, 6))
def test_dense_rows_equal_their_definition(folder: Path, data: st.DataObject, columns: int, rows: int) -> None:
    text = "".join(",".join(data.draw(NUMBERS) for _ in range(columns)) + "\n" for _ in range(rows))
    head = ",".join(f"c{i}" for i in range(columns)) + ",label\n"
    sample = Sample("table_file", {"data": (head + text.replace("\n", ",1\n")).encode()}, {"n_labels": 1})
    corpus = sample.read(folder)
    np.testing.assert_array_equal(corpus.features.toarray(), naive.dense_rows(text))


@quick
@given(st.lists(st.dictionaries(st.integers(0, 5), NUMBERS, max_size=6), min_size=1, max_size=6))
def test_sparse_rows_equal_their_definition(folder: Path, rows: list[dict[int, str]]) -> None:
    text = "".join("{" + ",".join(f"{i} {row[i]}" for i in sorted(row)) + "}\n" for row in rows)
    head = "@relation r\n" + "".join(f"@attribute a{i} numeric\n" for i in range(6)) + "@attribute red {0,1}\n@data\n"
    labels = XML_HEAD + b'<label name="red"/></labels>'
    corpus = arff(text, head.encode(), labels).read(folder)
    check_corpus(corpus)
    np.testing.assert_array_equal(corpus.features.toarray(), naive.sparse_rows(text, 6))


@quick
@given(
    st.lists(st.text("aB é%{},", min_size=1).filter(lambda name: name == name.strip()), min_size=1, unique=True),
    st.lists(st.dictionaries(st.integers(0, 9), st.sampled_from([1.0, -2.5, 1e-7, 123456.0])), min_size=1),
    st.booleans(),
)
def test_arff_equals_liac_arff(folder: Path, names: list[str], rows: list[dict[int, float]], sparse: bool) -> None:
    """liac-arff writes the file and reads it back."""
    form = liac.LOD if sparse else liac.DENSE
    cells = [{i: x for i, x in sorted(row.items()) if i < len(names)} | {len(names): str(len(row) % 2)} for row in rows]
    full = [[row.get(i, 0.0) for i in range(len(names))] + [row[len(names)]] for row in cells]
    attributes = [*((name, "REAL") for name in names), ("red", ["0", "1"])]
    text = liac.dumps({"relation": "r", "attributes": attributes, "data": cells if sparse else full})
    data = text.replace("\r\n", "\n").encode()
    corpus = Sample("arff", {"data": data, "labels": XML_HEAD + b'<label name="red"/></labels>'}).read(folder)
    loaded = liac.loads(text, return_type=form)
    values = [[float(row.get(i, 0) if sparse else row[i]) for i in range(len(attributes))] for row in loaded["data"]]
    check_corpus(corpus)
    assert list(corpus.feature_names) == [name for name, _ in loaded["attributes"]][:-1] == names
    np.testing.assert_array_equal(corpus.features.toarray(), np.array(values)[:, :-1])
    np.testing.assert_array_equal(corpus.labels.toarray()[:, 0], np.array(values)[:, -1])


def test_the_header_gives_names_labels_and_shape(tmp_path: Path) -> None:
    corpus = SAMPLES["sparse"].read(tmp_path)
    assert corpus.feature_names == ["it's a name", "b%"]
    assert corpus.label_names == ["red", "blue"]
    assert corpus.features.shape == (4, 2)
    assert corpus.features.dtype == np.int32
    assert corpus.features.toarray().tolist() == [[3, 0], [0, 0], [2, 7], [0, 0]]
    assert corpus.labels.toarray().tolist() == [[1, 1], [0, 0], [0, 0], [0, 1]]
    assert list(corpus.ids) == ["0", "1", "2", "3"]
    assert corpus.split is None


def test_train_and_test_files_give_the_split(tmp_path: Path) -> None:
    corpus = SAMPLES["dense"].read(tmp_path)
    assert list(corpus.ids) == ["train/0", "train/1", "test/0"]
    assert corpus.split.tolist() == [TRAIN, TRAIN, TEST]
    assert corpus.features.dtype == np.float64
    assert corpus.features.toarray().tolist() == [[0.5, -2], [1e-3, 0], [1234567890.1234567, 5e-324]]


@pytest.mark.parametrize("values", ["-1", "0.5", str(2**31)])
def test_values_that_are_no_counts_stay_reals(values: str, tmp_path: Path) -> None:
    corpus = arff(f"{{1 {values}}}\n").read(tmp_path)
    assert corpus.features.dtype == np.float64
    assert corpus.features.data.tolist() == [float(values)]


def test_the_same_data_in_three_formats_have_one_digest(tmp_path: Path) -> None:
    head = b"@relation r\n@attribute Att1 numeric\n@attribute Att2 numeric\n@attribute Class1 {0,1}\n@data\n"
    labels = XML_HEAD + b'<label name="Class1"/></labels>'
    samples = [
        Sample("arff", {"data": head + b"{0 1.5,2 1}\n{}\n", "labels": labels}),
        Sample("arff", {"data": lzma.compress(head + b"1.5,0,1\n0,0,0\n"), "labels": labels}),
        Sample("libsvm_multilabel", {"data": b"0 1:1.5\n \n"}, {"n_features": 2, "n_labels": 1}),
        Sample("table_file", {"data": b"Att1,Att2,Class1\n1.5,0,1\n0,0,0\n"}, {"n_labels": 1}),
    ]
    assert len({sample.read(tmp_path).content_digest() for sample in samples}) == 1


FIRST = ARFF_HEAD.count(b"\n") + 1


BROKEN_ROWS = {
    "duplicate index": ("{1 1}\n{1 1,1 2}\n", FIRST + 1, "duplicate or out of order"),
    "falling index": ("{2 1,1 2}\n", FIRST, "out of order"),
    "index beyond the header": ("{4 1}\n", FIRST, "outside the 4 columns"),
    "huge index": ("{99999999999999999999999 1}\n", FIRST, "outside the 4 columns"),
    "negative index": ("{-1 1}\n", FIRST, "'-1 1' should be an index and a number"),
    "nan": ("% x\n{1 nan}\n", FIRST + 1, "'1 nan' should be an index and a number"),
    "infinity": ("{1 1e999}\n", FIRST, "too large"),
    "no value": ("{0 1,1}\n", FIRST, "'1' should be an index and a number"),
    "trailing comma": ("{1 1,}\n", FIRST, "'' should be an index and a number"),
    "not closed": ("{1 1\n{1 1}\n", FIRST, "should be an index and a number, as in {0 1.5,3 2}"),
    "cut in a row": ("{1 1}\n{1 1", FIRST + 1, "truncated"),
    "text after a row": ("{1 1} {2}\n", FIRST, "should be an index and a number"),
    "no documents": ("", None, "no documents"),
    "nominal value": ("{0 2}\n", FIRST, "not a value of a {0,1} attribute"),
    "dense row among sparse": ("{1 1}\n0,0,0,0\n", FIRST + 1, "'0' should be an index and a number"),
    "sparse row among dense": ("0,0,0,0\n{1 1}\n", FIRST + 1, "'{1 1}' should be a number"),
    "short row": ("0,0,0,0\n0,0,0\n", FIRST + 1, "has 3 values, expected 4"),
    "long row": ("0,0,0,0,0\n", FIRST, "has 5 values, expected 4"),
    "two numbers in a cell": ("0,0 0,0,0\n", FIRST, "'0 0' should be a number"),
    "cut in a dense row": ("0,0,0,0\n0,0,0", FIRST + 1, "truncated"),
    "infinite dense": ("0,-1e400,0,0\n", FIRST, "too large"),
    "NUL": ("0,1\0,0,0\n", FIRST, "should be a number"),
}


@pytest.mark.parametrize("rows", ["{0 1}\n{3 1}", "0,1,0,0\n0,0,0,1"])
def test_a_whole_last_row_needs_no_line_end(rows: str, tmp_path: Path) -> None:
    """MULAN's files are published like this."""
    assert arff(rows).read(tmp_path).content_digest() == arff(f"{rows}\n").read(tmp_path).content_digest()


@pytest.mark.parametrize("case", BROKEN_ROWS)
def test_broken_rows_are_named_by_line(case: str, tmp_path: Path) -> None:
    rows, line, what = BROKEN_ROWS[case]
    assert assert_refused(arff(rows), tmp_path, line, what) == ("sample" if line is None else "data.dat")


@pytest.mark.parametrize("text", [".", "-", "+", "e5", "1e", "1e+", "inf", "-inf", "?", "x", "--1", "'1'", "1_0"])
def test_what_is_no_number_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="should be a number"):
        arff(f"0,{text},0,0\n").read(tmp_path)


def test_a_long_row_with_a_fault_at_its_end_is_refused_at_once(tmp_path: Path) -> None:
    """A pattern that tried other readings of the digits before the fault would not end."""
    with pytest.raises(DataFormatError, match="'x' should be a number"):
        arff("123456789," * 5000 + "x\n").read(tmp_path)


BROKEN_HEADS = {
    "no @data": (b"@relation r\n@attribute a numeric\n", 3, "truncated"),
    "no relation": (b"@attribute a numeric\n@data\n", 1, "@relation NAME"),
    "no attributes": (b"@relation r\n@data\n", 2, "0 attributes"),
    "two relations": (b"@relation r\n@relation s\n@data\n", 2, "@attribute NAME"),
    "name twice": (b"@relation r\n@attribute red {0,1}\n@attribute 'red' numeric\n@data\n", 4, "1 different"),
    "empty name": (b"@relation r\n@attribute '' numeric\n@data\n", 3, "0 different"),
    "NUL in a name": (b"@relation r\n@attribute '\\u0000' numeric\n@data\n", 3, "0 different"),
    "string attribute": (
        b"@relation r\n@attribute a string\n@data\n",
        2,
        "the attribute a has the unsupported type string",
    ),
    "value twice": (b"@relation r\n@attribute a {b,b}\n@data\n", 2, "'@attribute a {b,b}'"),
    "quote not closed": (b"@relation r\n@attribute 'a numeric\n@data\n", 2, "does not match the format"),
    "no type": (b"@relation r\n@attribute a\n@data\n", 2, "does not match the format"),
    "not UTF-8": (b"@relation r\n@attribute caf\xe9 numeric\n@data\n", 2, "not utf-8"),
    "junk": (b"hello\n@data\n", 1, "does not match the format"),
}


@pytest.mark.parametrize("case", BROKEN_HEADS)
def test_broken_headers_are_named_by_line(case: str, tmp_path: Path) -> None:
    head, line, what = BROKEN_HEADS[case]
    assert_refused(arff("0,0\n", head), tmp_path, line, what)


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + LABEL_XML.split(b"\n", 1)[1]


BROKEN_LABELS = {
    "entity bomb": (BOMB.replace(b'"red"', b'"&b;"'), "DTD"),
    "outside entity": (b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><labels>&a;</labels>', "DTD"),
    "DTD": (b"<!DOCTYPE x SYSTEM 'x.dtd'><labels/>", "DTD"),
    "not XML": (b"labels: red", "well-formed"),
    "cut": (LABEL_XML[:-4], "well-formed"),
    "other root": (b"<label name='red'/>", "not a MULAN label file"),
    "other element": (XML_HEAD + b"<word name='red'/></labels>", "not a MULAN label file"),
    "no labels": (XML_HEAD + b"</labels>", "0 labels"),
    "label twice": (XML_HEAD + b"<label name='red'/><label name='red'/></labels>", "2 labels of 1 different names"),
    "no name": (XML_HEAD + b"<label/></labels>", "1 labels of 0 different names"),
    "unknown encoding": (b'<?xml version="1.0" encoding="no-such"?><labels/>', "unknown encoding"),
    "not in the header": (LABEL_XML.replace(b"blue", b"green"), "no attributes for the labels ['green']"),
}


@pytest.mark.parametrize("case", BROKEN_LABELS)
def test_broken_label_files_are_refused(case: str, tmp_path: Path) -> None:
    labels, what = BROKEN_LABELS[case]
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        arff("0,0,0,0\n", labels=labels).read(tmp_path)
    assert caught.value.path.endswith("labels.dat")


def test_a_hierarchy_of_labels_is_read(tmp_path: Path) -> None:
    labels = XML_HEAD + b"<label name='blue'><label name='red'/></label></labels>"
    assert arff("1,0,0,0\n", labels=labels).read(tmp_path).label_names == ["red", "blue"]


def test_the_last_attributes_can_be_labels_without_a_label_file(tmp_path: Path) -> None:
    corpus = Sample("arff", {"data": ARFF_HEAD.replace(b"-C 2", b"-C -2") + b"1,0.5,1,1\n"}, {"n_labels": 2}).read(
        tmp_path
    )
    assert corpus.label_names == ["b%", "blue"]
    assert corpus.labels.toarray().tolist() == [[1, 1]]
    assert corpus.features.toarray().tolist() == [[1, 0.5]]
    with pytest.raises(DataFormatError, match="4 attributes, not over n_labels=4"):
        Sample("arff", {"data": ARFF_HEAD + b"1,0.5,1,1\n"}, {"n_labels": 4}).read(tmp_path)


def test_labels_that_a_file_counts_one_too_low_are_put_right_in_that_file_alone(tmp_path: Path) -> None:
    head = b"@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
    names = XML_HEAD + b'<label name="a"/><label name="b"/></labels>'
    files = {"train": head + b"{0 3,2 1}\n{3 1}\n", "test": head + b"{0 2,1 1}\n{0 5,1 1,2 1}\n", "labels": names}
    corpus = Sample("arff", files, {"labels_one_low": "test"}).read(tmp_path)
    assert corpus.labels.toarray().tolist() == [[1, 0], [0, 1], [1, 0], [1, 1]]
    assert corpus.features.toarray().tolist() == [[3, 0], [0, 0], [2, 0], [5, 0]]
    right = {**files, "test": head + b"{0 2,3 1}\n"}
    with pytest.raises(DataFormatError, match="remove labels_one_low"):
        Sample("arff", right, {"labels_one_low": "test"}).read(tmp_path)


def test_a_numeric_label_must_be_0_or_1(tmp_path: Path) -> None:
    labels = XML_HEAD + b'<label name="b%"/></labels>'
    assert arff("0,5,1,0\n", labels=labels).read(tmp_path).labels.toarray().tolist() == [[1]]
    with pytest.raises(DataFormatError, match=r"label 'b%' has the value 0\.5") as caught:
        arff("0,5,1,0\n0,0,0.5,0\n", labels=labels).read(tmp_path)
    assert caught.value.line == FIRST + 1


def test_files_of_other_attributes_do_not_fit(tmp_path: Path) -> None:
    sample = SAMPLES["dense"]
    with pytest.raises(DataFormatError, match="differ from the attributes of the other file"):
        sample.read(tmp_path, sample.changed("test", lambda data: data.replace(b'"b%"', b"c")))


def test_a_missing_role_is_a_fault_of_the_registry(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="role 'labels'"):
        Sample("arff", {"data": ARFF_HEAD.replace(b"-C 2", b"")}).read(tmp_path)
    with pytest.raises(ConfigError, match="role 'test'"):
        Sample("table_file", {"train": b"x,A\n1,1\n"}, {"n_labels": 1}).read(tmp_path)


def test_a_first_column_of_identifiers_is_no_feature(tmp_path: Path) -> None:
    head = b"@relation r\n@attribute id numeric\n@attribute a numeric\n@attribute red {0,1}\n@data\n"
    labels = XML_HEAD + b'<label name="red"/></labels>'
    sample = Sample("arff", {"data": head + b"7,0.5,1\n8,2,0\n", "labels": labels}, {"first_is_id": True})
    corpus = sample.read(tmp_path)
    check_corpus(corpus)
    np.testing.assert_array_equal(corpus.features.toarray(), [[0.5], [2.0]])
    np.testing.assert_array_equal(corpus.labels.toarray(), [[1], [0]])


@pytest.mark.parametrize(
    "head", ["@attribute red {0,1}\n@attribute a numeric\n", "@attribute id {x,y}\n@attribute red {0,1}\n"]
)
def test_a_first_column_that_is_no_identifier_is_refused(head: str, tmp_path: Path) -> None:
    labels = XML_HEAD + b'<label name="red"/></labels>'
    data = f"@relation r\n{head}@data\n1,1\n".encode()
    with pytest.raises(DataFormatError, match="first_is_id requires numeric attributes"):
        Sample("arff", {"data": data, "labels": labels}, {"first_is_id": True}).read(tmp_path)


MEKA = "@relation 'films: -C {c}'\n" + "".join(f"@attribute {name} {{{{0,1}}}}\n" for name in "abxyz") + "@data\n"


@pytest.mark.parametrize("rows", ["1,0,0,1,1\n0,1,1,0,0\n", "{0 1,3 1,4 1}\n{1 1,2 1}\n"], ids=["dense", "sparse"])
@pytest.mark.parametrize(("c", "labels"), [("2", ["a", "b"]), ("-2", ["y", "z"]), ("+2", ["a", "b"])])
@pytest.mark.parametrize("options", [{"n_labels": 2}, {}])
def test_the_place_of_labels_is_that_of_meka(
    rows: str, c: str, labels: list[str], options: dict[str, int], tmp_path: Path
) -> None:
    corpus = Sample("arff", {"data": (MEKA.format(c=c) + rows).encode()}, options).read(tmp_path)
    assert list(corpus.label_names) == labels
    assert corpus.indicators().tolist() == ([[1, 0], [0, 1]] if c != "-2" else [[1, 1], [0, 0]])


def test_another_number_of_labels_than_that_of_meka_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="declares 2 labels by -C 2, but n_labels is 3"):
        Sample("arff", {"data": MEKA.format(c=2).encode() + b"1,0,0,1,1\n"}, {"n_labels": 3}).read(tmp_path)


@pytest.mark.parametrize("kind", ["string", "date 'yyyy-MM-dd'", "relational"])
def test_an_attribute_that_is_no_number_is_named_with_the_way_out(kind: str, tmp_path: Path) -> None:
    data = f"@relation mail\n@attribute note {kind}\n@attribute kind {{ham,spam}}\n@data\n'a b',spam\n".encode()
    what = f"line 2: the attribute note has the unsupported type {kind.split(maxsplit=1)[0]}; .* write texts as csv"
    with pytest.raises(DataFormatError, match=what):
        Sample("arff", {"data": data}, {"label": "kind"}).read(tmp_path)


def test_returns_alone_end_lines(tmp_path: Path) -> None:
    data = (MEKA.format(c=2) + "1,0,0,1,1\n0,1,1,0,0\n").encode()
    read = [Sample("arff", {"data": each}, {}).read(tmp_path) for each in (data, data.replace(b"\n", b"\r"))]
    assert read[0].content_digest() == read[1].content_digest()


# --- nominal attributes ---------------------------------------------------------------------------------------------

NOMINAL_HEAD = """@relation 'a b'
@attribute length numeric
@attribute 'the colour' {red, 'light blue', "it\\'s"}
@attribute class {spam, ham}
@data
"""


def with_nominals(rows: str, **options: object) -> Sample:
    return Sample("arff", {"data": (NOMINAL_HEAD + rows).encode()}, {"label": "class", **options})


def test_a_nominal_class_is_one_label_and_a_nominal_attribute_a_feature_for_each_value(tmp_path: Path) -> None:
    corpus = with_nominals("2.5,'light blue',ham\n% a remark\n\n0, red , spam\n1,?,ham").read(tmp_path)
    assert corpus.label_names == ["spam", "ham"]
    assert corpus.classes().tolist() == [1, 0, 1]
    assert corpus.feature_names == ["length", "the colour=red", "the colour=light blue", "the colour=it's"]
    np.testing.assert_array_equal(corpus.features.toarray(), [[2.5, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])


def test_a_value_that_a_sparse_row_omits_is_0_or_the_first_of_the_nominal(tmp_path: Path) -> None:
    corpus = with_nominals('{0 3, 2 ham}\n{1 "it\\\'s"}\n{}\n').read(tmp_path)
    assert corpus.classes().tolist() == [1, 0, 0]
    np.testing.assert_array_equal(corpus.features.toarray(), [[3, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]])


def test_nominal_features_go_with_several_labels(tmp_path: Path) -> None:
    head = "@relation r\n@attribute f {no,yes}\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
    corpus = Sample("arff", {"data": f"{head}yes,0,1\nno,1,1\n".encode()}, {"n_labels": 2}).read(tmp_path)
    assert corpus.indicators().tolist() == [[0, 1], [1, 1]]
    assert corpus.features.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,red\n", r"line 6: has 2 values, expected 3"),
        ("1,'red,spam\n", r"line 6: has 0 values, expected 3; look at its quotes"),
        ("1,green,spam\n", r"line 6: 'green' is not a value of the attribute 'the colour': red, light blue, it's"),
        ("one,red,spam\n", r"line 6: 'one' of the attribute 'length' is not a number"),
        ("?,red,spam\n", r"line 6: '\?' of the attribute 'length' is not a number"),
        ("nan,red,spam\n", r"line 6: 'nan' of the attribute 'length' is not a number"),
        ("1,red,?\n", r"line 6: has no value of the label 'class'; fill it in"),
        ("{2 ham, 0 1}\n", r"line 6: has an index out of order"),
        ("{7 ham}\n", r"line 6: has an index out of order, or not below 3"),
        ("{2 ham\n", r"line 6: '\{2 ham' is not in the format \{index value, ...\}"),
    ],
)
def test_a_fault_names_its_line(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(DataFormatError, match=message):
        with_nominals(rows).read(tmp_path)


def test_a_class_that_is_no_attribute_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="has no attribute 'kind'; its last one is 'class'"):
        with_nominals("1,red,ham\n", label="kind").read(tmp_path)


@pytest.mark.parametrize(
    ("text", "values"),
    [("a, b", ["a", "b"]), ("'a, b',\"c\"", ["a, b", "c"]), (r"'it\'s'", ["it's"]), ("a'b", None), ("a,", ["a", ""])],
)
def test_values_between_commas(text: str, values: list[str] | None) -> None:
    assert values_of(text) == values
