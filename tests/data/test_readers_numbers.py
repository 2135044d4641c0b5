"""ARFF, LIBSVM and csv tables: equal to their definition, and strict with what is broken."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import arff as liac
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fixtures.reader_files import ARFF_HEAD, LABEL_XML, SAMPLES, XML_HEAD, Sample
from tests.naive import number_rows as naive
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data import number_kernels as kernels
from textmix.data.corpus import TEST, TRAIN
from textmix.data.parse import check_corpus
from textmix.data.registry import load_registry

quick = settings(deadline=None, derandomize=True, max_examples=60)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(-1000, 1000, places=6).map(str),
    st.from_regex(r"[-+]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][-+]?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from(["0", "1", "-0", "0.0", "9007199254740993", "1e22", "1e23", "5e-324", "1e-400"]),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("numbers")


def arff(rows: str, head: bytes = ARFF_HEAD, labels: bytes = LABEL_XML) -> Sample:
    return Sample("arff", {"data": head + rows.encode(), "labels": labels})


@quick
@given(NUMBERS)
@example("123456789012345678")
@example("0.1e-21")
def test_a_number_is_the_double_that_python_reads(text: str) -> None:
    value, after, state = kernels.read_number(np.frombuffer(text.encode(), dtype=np.uint8), 0)
    assert after == len(text)
    if state == kernels.EXACT:
        assert value == float(text)
    else:
        assert state == kernels.LONG
        assert np.isnan(value)


@pytest.mark.parametrize("text", ["", ".", "-", "+", "e5", "1e", "1e+", "nan", "inf", "-inf", "?", "x", "--1", "'1'"])
def test_what_is_no_number_is_refused(text: str) -> None:
    assert kernels.read_number(np.frombuffer(text.encode(), dtype=np.uint8), 0)[2] == kernels.BAD


def test_the_fast_path_covers_ordinary_numbers() -> None:
    """Otherwise the kernel would silently fall back to Python for all of them."""
    for text in ("3", "0.983225", "-12.5e-3", "1e22", "9007199254740992"):
        assert kernels.read_number(np.frombuffer(text.encode(), dtype=np.uint8), 0)[2] == kernels.EXACT


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
@given(st.lists(st.tuples(st.sets(st.integers(0, 3)), st.dictionaries(st.integers(1, 5), NUMBERS)), min_size=1))
def test_svm_rows_equal_their_definition(folder: Path, rows: list[tuple[set[int], dict[int, str]]]) -> None:
    lines = [" ".join([",".join(map(str, y)), *(f"{i}:{x[i]}" for i in sorted(x))]) for y, x in rows]
    text = "".join((line or " ") + "\n" for line in lines)
    sample = Sample("libsvm_multilabel", {"data": text.encode()}, {"n_features": 5, "n_labels": 4})
    corpus = sample.read(folder)
    check_corpus(corpus)
    features, labels = naive.svm_rows("\n".join(lines) + "\n", 5, 4)
    np.testing.assert_array_equal(corpus.features.toarray(), features)
    np.testing.assert_array_equal(corpus.labels.toarray(), labels)


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
    "negative index": ("{-1 1}\n", FIRST, "an index should stand here"),
    "nan": ("% x\n{1 nan}\n", FIRST + 1, "a number should stand here"),
    "infinity": ("{1 1e999}\n", FIRST, "too large"),
    "missing value": ("{1 ?}\n", FIRST, "a number should stand here"),
    "no blank": ("{11}\n", FIRST, "outside the 4 columns"),
    "no value": ("{1}\n", FIRST, "a number should stand here"),
    "trailing comma": ("{1 1,}\n", FIRST, "an index should stand here"),
    "not closed": ("{1 1\n{1 1}\n", FIRST, "a separator"),
    "cut in a row": ("{1 1}\n{1 1", FIRST + 1, "truncated"),
    "text after a row": ("{1 1} {2}\n", FIRST, "should end here"),
    "no documents": ("", None, "no documents"),
    "nominal value": ("{0 2}\n", FIRST, "no value of a {0,1} attribute"),
    "dense row among sparse": ("{1 1}\n0,0,0,0\n", FIRST + 1, "a separator"),
    "sparse row among dense": ("0,0,0,0\n{1 1}\n", FIRST + 1, "a number should stand here"),
    "short row": ("0,0,0,0\n0,0,0\n", FIRST + 1, "ends before 4 values"),
    "long row": ("0,0,0,0,0\n", FIRST, "should end here"),
    "two numbers in a cell": ("0,0 0,0,0\n", FIRST, "a separator"),
    "cut in a dense row": ("0,0,0,0\n0,0,0", FIRST + 1, "truncated"),
    "cut after a comma": ("0,0,", FIRST, "a number should stand here"),
    "infinite dense": ("0,-1e400,0,0\n", FIRST, "too large"),
    "quoted": ("0,'1',0,0\n", FIRST, "a number should stand here"),
    "NUL": ("0,1\0,0,0\n", FIRST, "a separator"),
}


@pytest.mark.parametrize("rows", ["{0 1}\n{3 1}", "0,1,0,0\n0,0,0,1"])
def test_a_whole_last_row_needs_no_line_end(rows: str, tmp_path: Path) -> None:
    """MULAN's files are published like this."""
    assert arff(rows).read(tmp_path).content_digest() == arff(f"{rows}\n").read(tmp_path).content_digest()


@pytest.mark.parametrize("case", BROKEN_ROWS)
def test_broken_rows_are_named_by_line(case: str, tmp_path: Path) -> None:
    rows, line, what = BROKEN_ROWS[case]
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        arff(rows).read(tmp_path)
    assert caught.value.line == line
    if line is not None:
        assert str(caught.value).startswith(f"data.dat, line {line}: ")


BROKEN_HEADS = {
    "no @data": (b"@relation r\n@attribute a numeric\n", 3, "truncated"),
    "no relation": (b"@attribute a numeric\n@data\n", 1, "@relation NAME"),
    "no attributes": (b"@relation r\n@data\n", 2, "0 attributes"),
    "two relations": (b"@relation r\n@relation s\n@data\n", 2, "@attribute NAME"),
    "name twice": (b"@relation r\n@attribute red {0,1}\n@attribute 'red' numeric\n@data\n", 4, "1 different"),
    "empty name": (b"@relation r\n@attribute '' numeric\n@data\n", 3, "0 different"),
    "NUL in a name": (b"@relation r\n@attribute '\\u0000' numeric\n@data\n", 3, "0 different"),
    "string attribute": (b"@relation r\n@attribute a string\n@data\n", 2, "'@attribute a string'"),
    "value twice": (b"@relation r\n@attribute a {b,b}\n@data\n", 2, "'@attribute a {b,b}'"),
    "quote not closed": (b"@relation r\n@attribute 'a numeric\n@data\n", 2, "is not of the form"),
    "no type": (b"@relation r\n@attribute a\n@data\n", 2, "is not of the form"),
    "not UTF-8": (b"@relation r\n@attribute caf\xe9 numeric\n@data\n", 2, "not utf-8"),
    "junk": (b"hello\n@data\n", 1, "is not of the form"),
}


@pytest.mark.parametrize("case", BROKEN_HEADS)
def test_broken_headers_are_named_by_line(case: str, tmp_path: Path) -> None:
    head, line, what = BROKEN_HEADS[case]
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        arff("0,0\n", head).read(tmp_path)
    assert caught.value.line == line


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
    corpus = Sample("arff", {"data": ARFF_HEAD + b"1,0.5,1,1\n"}, {"n_labels": 2}).read(tmp_path)
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


BROKEN_SVM = {
    "index 0": (b"1 0:1\n", 1, "an index should"),
    "index twice": (b"1 1:1\n1 2:1 2:1\n", 2, "duplicate"),
    "index beyond": (b"1 5:1\n", 1, "outside the 4 columns"),
    "label twice": (b"1 1:1\n2,1,2 1:1\n", 2, "names a label twice"),
    "label beyond": (b"3 1:1\n", 1, "outside the 3"),
    "label huge": (b"99999999999999999999 1:1\n", 1, "outside the 3"),
    "label cut": (b"1, 1:1\n", 1, "an index should"),
    "label no number": (b"a 1:1\n", 1, "an index should"),
    "no colon": (b"1 1 0.5\n", 1, "a separator"),
    "no value": (b"1 1:\n", 1, "a number"),
    "no blank between": (b"1 1:1,2:1\n", 1, "a separator"),
    "colon after labels": (b"0,1:1\n", 1, "a separator"),
    "nan": (b"1 1:nan\n", 1, "a number"),
    "infinite": (b"1 1:1e999\n", 1, "too large"),
    "empty line": (b"1 1:1\n\n1 1:1\n", 2, "empty line"),
    "cut": (b"1 1:1\n1 1:1", 2, "truncated"),
    "cut labels": (b"1 1:1\n1", 2, "truncated"),
    "no documents": (b"", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_SVM)
def test_broken_libsvm_files_are_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_SVM[case]
    sample = Sample("libsvm_multilabel", {"data": data}, {"n_features": 4, "n_labels": 3})
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        sample.read(tmp_path)
    assert caught.value.line == line


def test_libsvm_rows_may_have_no_labels_or_no_features(tmp_path: Path) -> None:
    corpus = SAMPLES["libsvm"].read(tmp_path)
    assert corpus.labels.toarray().tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert corpus.features.toarray()[:, :].tolist() == [
        [0.5, 0, 2, 0], [0, 1, 0, 0], [7, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 100],
    ]  # fmt: skip


def test_labels_may_count_from_1(tmp_path: Path) -> None:
    options = {"n_features": 1, "n_labels": 2, "first_label": 1}
    assert Sample("libsvm_multilabel", {"data": b"2 1:1\n"}, options).read(tmp_path).labels.toarray().tolist() == [
        [0, 1]
    ]
    with pytest.raises(DataFormatError, match="outside the 2"):
        Sample("libsvm_multilabel", {"data": b"0 1:1\n"}, options).read(tmp_path)


COUNTED = {"n_features": 3, "n_labels": 2, "first_label": "found", "one_label": True, "counted_by": "Rainbow"}


def test_labels_may_be_the_numbers_that_occur(tmp_path: Path) -> None:
    corpus = Sample("libsvm_multilabel", {"train": b"7 1:2\n3 2:1\n", "test": b"3 3:4\n"}, COUNTED).read(tmp_path)
    assert corpus.labels.toarray().tolist() == [[0, 1], [1, 0], [1, 0]]
    assert corpus.info["counted_by"] == "Rainbow"
    assert corpus.features is not None
    assert corpus.features.dtype == np.int32


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"1 1:1\n", "hold 1 labels; n_labels says 2"),
        (b"1 1:1\n2,1 1:1\n", "names 2 labels"),
        (b"1 1:1\n2 1:0.5\n", "has the value 0.5"),
        (b"1 1:1\n2 1:-1\n", "has the value -1"),
    ],
)
def test_counts_of_documents_of_one_label_are_checked(data: bytes, what: str, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=what):
        Sample("libsvm_multilabel", {"data": data}, COUNTED).read(tmp_path)


def test_a_file_of_the_form_and_size_of_industry_sector_is_read(tmp_path: Path) -> None:
    """6,412 + 3,207 synthetic documents of 105 labels with about 400 of 55,197 words each, as the registry expects."""
    rng = np.random.default_rng(0)
    parts = {}
    for role, size in (("train", 6412), ("test", 3207)):
        words = np.sort(rng.choice(55197, (size // 16, 400), replace=True), axis=1)
        lines = [" ".join(f"{word + 1}:{1 + word % 7}" for word in dict.fromkeys(row.tolist())) for row in words]
        parts[role] = b"".join(b"%d %s\n" % (row % 105 + 1, lines[row % len(lines)].encode()) for row in range(size))
    entry = load_registry(Path(__file__).parents[2] / "config/datasets.yaml")["industry_sector"]
    corpus = Sample(entry.reader.name, parts, dict(entry.reader.options)).read(tmp_path)
    check_corpus(corpus)
    statistics = corpus.statistics()
    assert {key: statistics[key] for key in entry.expect} == entry.expect


BROKEN_TABLES = {
    "short row": (b"x,A,B\n1,0,0\n1,0\n", 3, "ends before 3 values"),
    "long row": (b"x,A,B\n1,0,0,0\n", 2, "should end here"),
    "label 2": (b"x,A,B\n1,0,0\n1,0,2\n", 3, "label 'B' has the value 2"),
    "comment": (b"x,A,B\n% no\n", 2, "a number should"),
    "column twice": (b"x,A,A\n1,0,0\n", 1, "each once"),
    "labels only": (b"A,B\n0,0\n", 1, "of which the last 2"),
    "quote not closed": (b'x,A,"B\n1,0,0\n', 1, "is not csv"),
    "cut": (b"x,A,B\n1,0,0\n1,0,0", 3, "truncated"),
    "cut header": (b"x,A,B", 1, "each once"),
    "not UTF-8": (b"\xe9,A,B\n1,0,0\n", 1, "not utf-8"),
    "no documents": (b"x,A,B\n", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_TABLES)
def test_broken_tables_are_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_TABLES[case]
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        Sample("table_file", {"data": data}, {"n_labels": 2}).read(tmp_path)
    assert caught.value.line == line


def test_a_missing_role_is_a_fault_of_the_registry(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="role 'labels'"):
        Sample("arff", {"data": ARFF_HEAD}).read(tmp_path)
    with pytest.raises(ConfigError, match="role 'test'"):
        Sample("table_file", {"train": b"x,A\n1,1\n"}, {"n_labels": 1}).read(tmp_path)
