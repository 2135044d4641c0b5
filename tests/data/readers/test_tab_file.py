"""Tab-separated files and their faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.readers.texts import assert_refused, rows
from tests.fixtures.reader_files import SAMPLES, Sample
from textmix.core.errors import ConfigError
from textmix.data.corpus import TEST, TRAIN


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
