"""Files of texts and of numbers between commas or tabs, and their faults."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.readers.numbers import quick
from tests.data.readers.texts import assert_refused, rows
from tests.fixtures.reader_files import SAMPLES, Sample
from textmix.core.errors import ConfigError
from textmix.data.corpus import TEST, TRAIN
from textmix.data.parse import check_corpus


def test_csv_columns_are_told_by_name_and_rows_are_chosen(tmp_path: Path) -> None:
    corpus = SAMPLES["csv"].read(tmp_path)
    assert rows(corpus) == [("0", "pos", 'a, "b"\nü'), ("2", "neg", "c")]
    assert corpus.split is None


@quick
@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.sampled_from("xy")), min_size=1
    )
)
def test_csv_text_survives_writing_and_reading(folder: Path, table: list[tuple[str, str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([("text", "label"), *table])
    sample = Sample("csv_file", {"data": stream.getvalue().encode()}, {"text": "text", "label": "label"})
    corpus = sample.read(folder)
    check_corpus(corpus)
    assert [(text, label) for _, label, text in rows(corpus)] == table


BROKEN_CSV = {
    "ragged": (b"text,label\na,1\nb\n", 3, "1 cells, expected 2"),
    "too long": (b"text,label\na,1,2\n", 2, "3 cells, expected 2"),
    "empty line": (b"text,label\na,1\n\nb,1\n", 3, "0 cells"),
    "half a file": (b'text,label\na,1\n"b and a lot mo\n', 3, "not csv"),
    "cut": (b"text,label\na,1\nb,1", 3, "truncated"),
    "junk after a quote": (b'text,label\n"a"b,1\n', 2, "not csv"),
    "column missing": (b"text,class\na,1\n", 1, "unknown column 'label'; the columns are text, class"),
    "column twice": (b"text,label,label\na,1,1\n", 1, "more than one column 'label'"),
    "no label": (b"text,label\na,\n", 2, "the label ''"),
    "NUL": (b"text,label\na,1\nb\0,1\n", 3, "NUL"),
    "not UTF-8": (b"text,label\na,1\n\xff,1\n", 3, "not utf-8"),
    "empty file": (b"", 1, "header"),
    "web page": (b"<!DOCTYPE html>\n<p>Not Found</p>\n", 1, "unknown column 'text'"),
    "no documents": (b"text,label\n", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_CSV)
def test_broken_csv_is_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_CSV[case]
    assert_refused(Sample("csv_file", {"data": data}, {"text": "text", "label": "label"}), tmp_path, line, what)


def test_a_label_without_a_name_is_refused(tmp_path: Path) -> None:
    sample = Sample("csv_file", {"data": b"text,label,source\na,1,x\nb,7,x\n"}, SAMPLES["csv"].options)
    assert_refused(sample, tmp_path, 3, "the label '7' is not one of ['0', '1']")


def test_tab_rows_are_read_after_the_header(tmp_path: Path) -> None:
    corpus = SAMPLES["tab"].read(tmp_path)
    assert rows(corpus) == [("train/0", "b", "one two"), ("train/1", "a", "three"), ("test/0", "a", "vier ü")]
    assert corpus.split.tolist() == [TRAIN, TRAIN, TEST]


HEAD = b"Category\tText\nd\tstring\nclass\t\n"


BROKEN_TABS = {
    "one cell": (HEAD + b"\na\tb\nab\n", 6, "1 cells"),
    "three cells": (HEAD + b"a\tb\tc\n", 4, "3 cells"),
    "no class": (HEAD + b"a\tb\n \tb\n", 5, "a class among"),
    "empty line among rows": (HEAD + b"a\tb\n\na\tb\n", 5, "0 cells"),
    "cut": (HEAD + b"a\tb\na\tb", 5, "truncated"),
    "quoted": (HEAD + b'a\t"b"\n', 4, "quotes"),
    "not UTF-8": (HEAD + b"a\tb\na\t\xe9\n", 5, "not utf-8"),
    "NUL": (HEAD + b"a\tb\0\n", 4, "NUL"),
    "no class column": (HEAD.replace(b"class", b"meta"), 1, "header"),
    "two text columns": (b"A\tB\tC\nstring\tstring\td\n\t\tclass\n", 1, "header"),
    "ragged header": (b"A\tB\nd\tstring\nclass\n", 1, "header"),
    "empty file": (b"", 1, "header"),
    "no documents": (HEAD + b"\n", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_TABS)
def test_broken_tab_files_are_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_TABS[case]
    assert_refused(Sample("tab_file", {"data": data}), tmp_path, line, what)


def test_parts_of_class_names_become_labels(tmp_path: Path) -> None:
    data = HEAD + b"rec.sport.hockey\tpuck\nrec.autos\tcar\nmisc\tsale\n"
    corpus = Sample("tab_file", {"data": data}, {"label_separator": "."}).read(tmp_path)
    assert corpus.label_names == ["autos", "hockey", "misc", "rec", "sport"]
    assert corpus.indicators().tolist() == [[0, 1, 0, 1, 1], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
    with pytest.raises(ConfigError, match="empty part"):
        Sample("tab_file", {"data": data.replace(b"rec.autos", b"rec..autos")}, {"label_separator": "."}).read(tmp_path)


BROKEN_TABLES = {
    "short row": (b"x,A,B\n1,0,0\n1,0\n", 3, "has 2 values, expected 3"),
    "long row": (b"x,A,B\n1,0,0,0\n", 2, "has 4 values, expected 3"),
    "label 2": (b"x,A,B\n1,0,0\n1,0,2\n", 3, "label 'B' has the value 2"),
    "comment": (b"x,A,B\n% no\n", 2, "'% no' should be a number"),
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
    assert_refused(Sample("table_file", {"data": data}, {"n_labels": 2}), tmp_path, line, what)
