"""Parquet and Excel as own data: cells become text, and a lacking package is named by pandas' extra."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from reproduction.plan.own import load_own
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.frames import frame_rows
from textmix.data.own import read_own
from textmix.data.readers import text_table

FRAME = pd.DataFrame({"text": ["good", None, "bad"], "stars": [5.0, 1.5, 1.0], "tags": [["a", "b"], [], ["b"]]})


@pytest.fixture(params=["parquet", "excel"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let pandas return `FRAME`, whatever the file."""
    name: str = request.param

    def read(path: Path, **options: Any) -> pd.DataFrame:
        return FRAME if options.get("header", 0) == 0 else FRAME.set_axis([0, 1, 2], axis=1)

    monkeypatch.setattr(pd, f"read_{name}", read)
    return name


def test_cells_become_text_lists_of_text_or_the_empty_text(form: str, tmp_path: Path) -> None:
    rows = list(frame_rows(tmp_path / "a", form, ["tags", None, "text", "stars"]))
    assert [cells for _, cells in rows] == [
        [["a", "b"], None, "good", "5"],
        [[], None, "", "1.5"],
        [["b"], None, "bad", "1"],
    ]
    assert rows[0][0] == (1 if form == "parquet" else 2)
    assert next(frame_rows(tmp_path / "a", form, [2, 1]))[1] == ["5", "good"]


def test_what_pandas_takes_as_missing_is_the_empty_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    columns = {"text": pd.array(["a", pd.NA], dtype="string"), "number": pd.array([1, pd.NA], dtype="Int64")}
    columns |= {"day": [pd.Timestamp("2024-05-31"), pd.NaT], "tags": [["x", pd.NA], None]}
    monkeypatch.setattr(pd, "read_parquet", lambda path: pd.DataFrame(columns))
    rows = [cells for _, cells in frame_rows(tmp_path / "a", "parquet", list(columns))]
    assert rows == [["a", "1", "2024-05-31 00:00:00", ["x", ""]], [""] * 4]


def test_a_column_that_is_missing_is_named(form: str, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="there is no column 'label'; the columns are text, stars, tags"):
        list(frame_rows(tmp_path / "a", form, ["text", "label"]))


def test_a_frame_is_read_as_own_data(form: str, tmp_path: Path) -> None:
    options = {"name": "n", "format": form, "text": "text", "label": "tags", "several": True, "detect": True}
    corpus = text_table.read({"data": tmp_path / "a"}, options)
    assert corpus.indicators().tolist() == [[1, 1], [0, 0], [0, 1]]
    assert corpus.text is not None
    assert corpus.text.text(2) == "bad"


@pytest.mark.parametrize("form", ["parquet", "excel"])
@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ImportError("no engine"), ConfigError, "needs packages; run: pip install 'pandas"),
        (ValueError("not a file of it"), DataFormatError, "cannot be read as"),
    ],
)
def test_what_pandas_cannot_read_is_said(
    form: str, error: Exception, kind: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(pd, f"read_{form}", fail)
    with pytest.raises(kind, match=message):
        list(frame_rows(tmp_path / "a", form, ["text"]))


@pytest.mark.parametrize(
    ("suffix", "form", "package", "tags"),
    [("parquet", "parquet", "pyarrow", [["a", "b"], [], ["b"]]), ("xlsx", "excel", "openpyxl", ["a;b", "", "b"])],
)
def test_a_real_file_is_read(suffix: str, form: str, package: str, tags: list[Any], tmp_path: Path) -> None:
    pytest.importorskip(package)
    path, frame = tmp_path / f"a.{suffix}", FRAME.assign(tags=tags)
    (frame.to_parquet if form == "parquet" else frame.to_excel)(path, index=False)
    rows = [cells for _, cells in frame_rows(path, form, ["tags", "text", "stars"])]
    assert rows == [[tags[0], "good", "5"], [tags[1], "", "1.5"], [tags[2], "bad", "1"]]
    (tmp_path / "b").write_bytes(b"no such file")
    with pytest.raises(DataFormatError, match=f"cannot be read as {form}"):
        list(frame_rows(tmp_path / "b", form, ["text"]))


@pytest.mark.parametrize("package", ["pyarrow", "openpyxl"])
def test_a_real_file_is_own_data(package: str, tmp_path: Path) -> None:
    pytest.importorskip(package)
    name = "a.parquet" if package == "pyarrow" else "a.xlsx"
    frame = pd.DataFrame({"text": ["good film", "bad film"] * 3, "kind": ["pos", "neg"] * 3})
    (frame.to_parquet if package == "pyarrow" else frame.to_excel)(tmp_path / name, index=False)
    (tmp_path / "my.yaml").write_text(f"files: {{data: {name}}}\ncolumns: {{text: text, label: kind}}\n")
    schemas = Path(__file__).resolve().parents[2] / "workflow/schemas"
    corpus = read_own(load_own(str(tmp_path / "my.yaml"), schemas).reading)
    assert corpus.label_names == ["neg", "pos"]
    assert corpus.classes().tolist() == [1, 0] * 3


@pytest.mark.parametrize(
    "damage", [zipfile.BadZipFile, zlib.error, ElementTree.ParseError, EOFError, IndexError, OSError]
)
@pytest.mark.parametrize("form", ["excel", "parquet"])
def test_a_damaged_file_is_named_with_its_form(
    form: str, damage: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: Any, **__: Any) -> None:
        raise damage("damaged")

    monkeypatch.setattr(pd, f"read_{form}", read)
    with pytest.raises(DataFormatError, match=rf"a.bin: cannot be read as {form} \(.*damaged"):
        list(frame_rows(tmp_path / "a.bin", form, ["text"]))


def test_a_file_that_no_reader_takes_is_named(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    for content in (b"PK\x03\x04 cut", b"", b"no table"):
        (tmp_path / "a.xlsx").write_bytes(content)
        with pytest.raises(DataFormatError, match=r"a\.xlsx: cannot be read as excel"):
            list(frame_rows(tmp_path / "a.xlsx", "excel", ["text"]))
