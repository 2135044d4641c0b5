"""Csv files of texts and their faults."""

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
    "column missing": (b"text,class\na,1\n", 1, "no column 'label'; the columns are text, class"),
    "column twice": (b"text,label,label\na,1,1\n", 1, "more than one column 'label'"),
    "no label": (b"text,label\na,\n", 2, "the label ''"),
    "NUL": (b"text,label\na,1\nb\0,1\n", 3, "NUL"),
    "not UTF-8": (b"text,label\na,1\n\xff,1\n", 3, "not utf-8"),
    "empty file": (b"", 1, "header"),
    "web page": (b"<!DOCTYPE html>\n<p>Not Found</p>\n", 1, "no column 'text'"),
    "no documents": (b"text,label\n", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_CSV)
def test_broken_csv_is_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_CSV[case]
    assert_refused(Sample("csv_file", {"data": data}, {"text": "text", "label": "label"}), tmp_path, line, what)


def test_a_label_without_a_name_is_refused(tmp_path: Path) -> None:
    sample = Sample("csv_file", {"data": b"text,label,source\na,1,x\nb,7,x\n"}, SAMPLES["csv"].options)
    assert_refused(sample, tmp_path, 3, "the label '7' is not one of ['0', '1']")
