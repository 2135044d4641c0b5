"""Parquet and Excel as own data: cells become text, and a lacking package is named by pandas' extra."""

from __future__ import annotations

import datetime
import gzip
import zipfile
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.sniffing import open_table
from textmix.data.user_table import read_table, read_texts

FRAME = pd.DataFrame({"text": ["good", None, "bad"], "stars": [5.0, 1.5, 1.0], "tags": [["a", "b"], [], ["b"]]})


def rows(path: Path) -> list[list[Any]]:
    return [cells for _, cells in open_table(path).rows]


def book(path: Path, lines: list[list[Any]], *more: str) -> Path:
    """Write a workbook whose first sheet has these rows."""
    openpyxl = pytest.importorskip("openpyxl")
    made = openpyxl.Workbook()
    for line in lines:
        made.active.append(line)
    for name in more:
        made.create_sheet(name)
    made.save(path)
    return path


def test_what_pandas_takes_as_missing_is_none_and_other_values_are_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = {"text": pd.array(["a", pd.NA], dtype="string"), "number": pd.array([1, pd.NA], dtype="Int64")}
    columns |= {"day": [pd.Timestamp("2024-05-31"), pd.NaT], "tags": [["x", pd.NA], None], "stars": [5.0, 1.5]}
    monkeypatch.setattr(pd, "read_parquet", lambda path: pd.DataFrame(columns))
    assert rows(tmp_path / "a.parquet") == [
        ["a", "1", "2024-05-31", ["x", None], "5"],
        [None, None, None, None, "1.5"],
    ]


@pytest.mark.parametrize("form", ["parquet", "excel"])
@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ImportError("no engine"), ConfigError, r"requires more packages; run: pip install 'textmix\[tables\]'"),
        *(
            (damage("damaged"), DataFormatError, r"a\.bin: cannot be read as .* \(.*damaged")
            for damage in (ValueError, zipfile.BadZipFile, zlib.error, ElementTree.ParseError, EOFError, OSError)
        ),
    ],
)
def test_what_pandas_cannot_read_is_said(
    form: str, error: Exception, kind: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(pd, "read_parquet" if form == "parquet" else "ExcelFile", fail)
    with pytest.raises(kind, match=message):
        open_table(tmp_path / "a.bin", form)


@pytest.mark.parametrize(("name", "package"), [("a.xls", "xlrd"), ("a.ods", "odfpy")])
def test_package_of_an_old_workbook_or_open_document_is_named(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ImportError("no engine")

    monkeypatch.setattr(pd, "ExcelFile", fail)
    with pytest.raises(ConfigError, match=f"pip install '{package}'"):
        open_table(tmp_path / name, "excel")


def test_a_file_of_parquet_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    FRAME.to_parquet(tmp_path / "a.parquet", index=False)
    assert rows(tmp_path / "a.parquet") == [["good", "5", ["a", "b"]], [None, "1.5", []], ["bad", "1", ["b"]]]
    table = read_table(tmp_path / "a.parquet", text="text", labels="tags", roles={"id": "stars"})
    assert (table.corpus.ids, table.schema.multi_label) == (["5", "1"], True)


def test_words_that_mean_missing_elsewhere_are_words_in_a_workbook(tmp_path: Path) -> None:
    lines = [["text", "region"], *([f"words of row {n}", name] for n, name in enumerate(["NA", "None", "EU", ""] * 3))]
    table = read_table(book(tmp_path / "a.xlsx", lines))
    assert table.corpus.label_names == ["EU", "NA", "None"]
    assert table.corpus.n_documents == 9
    assert "3 rows without a label were dropped." in table.corpus.info["remarks"]


def test_numbers_and_days_of_a_workbook_are_as_a_user_sees_them(tmp_path: Path) -> None:
    day = datetime.datetime(2024, 5, 31)
    path = book(tmp_path / "a.xlsx", [["text", "n", "day"], ["some words", 3, day], ["other words", 2.5, day]], "notes")
    assert rows(path) == [["some words", "3", "2024-05-31"], ["other words", "2.5", "2024-05-31"]]
    assert open_table(path).notes == ["a.xlsx has 2 sheets; the first, Sheet, is read."]


def test_a_workbook_without_a_header_or_with_blank_rows_above_is_read(tmp_path: Path) -> None:
    lines = [[f"some words of row {n}", "ab"[n % 2]] for n in range(8)]
    for head, expected in (([], (1,)), ([[None, None], ["say", "kind"]], ("say",))):
        assert read_table(book(tmp_path / "a.xlsx", [*head, *lines])).schema.text == expected


def test_a_workbook_is_known_by_its_content_and_also_packed(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", [["text", "label"], ["some words", "a"], ["other words", "b"]])
    (tmp_path / "b.csv").write_bytes(path.read_bytes())
    (tmp_path / "c.xlsx.gz").write_bytes(gzip.compress(path.read_bytes()))
    for other in ("a.xlsx", "b.csv", "c.xlsx.gz"):
        texts, _ = read_texts(tmp_path / other, text="text")
        assert [text.text for text in texts] == [b"some words", b"other words"]


def test_a_file_that_no_reader_takes_is_named(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    for content in (b"PK\x03\x04 cut", b"", b"no table"):
        (tmp_path / "a.xlsx").write_bytes(content)
        with pytest.raises(DataFormatError, match=r"a\.xlsx: cannot be read as excel"):
            open_table(tmp_path / "a.xlsx")
