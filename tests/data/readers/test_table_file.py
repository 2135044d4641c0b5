"""Broken tables of numbers are named by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.readers.texts import assert_refused
from tests.fixtures.reader_files import Sample

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
