"""Reading new texts: every form gives the same texts, and what is wrong is named with its line."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data import new_texts, tables
from textmix.data.formats import NEW_TEXTS
from textmix.data.new_texts import NewText, NewTexts

NAME = "new.txt"


def read(form: str, data: bytes, **options: object) -> list[NewText]:
    return list(NewTexts(NAME, form, **options).read(io.BytesIO(data)))  # type: ignore[arg-type]


def texts(form: str, data: bytes, **options: object) -> list[str]:
    return [text.text.decode() for text in read(form, data, **options)]


def test_the_three_forms_give_the_same_texts() -> None:
    expected = ['a "quoted", text', "zwei / drei", "", "日本語"]
    rows = "\n".join('"' + text.replace('"', '""') + '",x' for text in expected)
    assert texts("csv", f"text,other\n{rows}\n".encode()) == expected
    assert texts("text", "\n".join(expected).encode()) == expected
    assert texts("jsonl", "\n".join(json.dumps({"text": text}) for text in expected).encode()) == expected
    assert texts("jsonl", "\n".join(json.dumps(text) for text in expected).encode()) == expected


def test_lines_and_identifiers_are_told() -> None:
    read_texts = read("csv", b'id,text\nx,"two\nlines"\n\ny,one\n', id="id")
    assert [(text.id, text.line) for text in read_texts] == [("x", 2), ("y", 5)]
    assert [(text.id, text.line) for text in read("jsonl", b'\n{"text":"a","k":7}\n', id="k")] == [("7", 2)]
    assert [(text.id, text.line) for text in read("csv", b"text\na\nb\n")] == [("1", 2), ("2", 3)]


def test_a_byte_order_mark_carriage_returns_and_another_delimiter_are_taken() -> None:
    assert texts("csv", b"\xef\xbb\xbftext\tb\r\none\t1\r\ntwo\t2\r\n", delimiter="\t") == ["one", "two"]
    assert texts("text", b"\xef\xbb\xbfone\r\ntwo") == ["one", "two"]
    assert texts("csv", b'\xef\xbb\xbf"text",b\r\none,1\r\n') == ["one"]


def test_quotes_between_tabs_are_letters_as_in_data_of_ones_own() -> None:
    assert texts("tab", b'text\tb\nsay "hi\t1\n""win\t2\n') == ['say "hi', '""win']


def test_duplicate_identifiers_are_kept_as_they_are() -> None:
    assert [text.id for text in read("csv", b"id,text\nx,a\nx,b\n", id="id")] == ["x", "x"]


def test_a_named_encoding_is_read() -> None:
    assert texts("text", "für\n".encode("latin-1"), encoding="latin-1") == ["für"]


def test_mixed_lines_are_read_as_windows_1252() -> None:
    source = NewTexts(NAME, "text", mixed=True)
    data = "für\n".encode() + "für – €\n".encode("cp1252") + b"a\x81b\x9d\n"
    assert [text.text.decode() for text in source.read(io.BytesIO(data))] == ["für", "für – €", "a\x81b\x9d"]
    assert source.foreign_lines == 2


@pytest.mark.parametrize(
    ("form", "data", "line", "what"),
    [
        (
            "text",
            b"a\nf\xfcr\n",
            2,
            r"is not utf-8 text \(byte 0xfc at 2\); name the file's --encoding, or give --mixed",
        ),
        ("text", b"a\nb\0\n", 2, "NUL byte"),
        ("csv", b"text\na\0\n", 2, "NUL byte"),
        ("jsonl", b'"a"\n"a\\u0000"\n', 2, "the text holds a NUL"),
        ("text", "für\n".encode("utf-16"), 1, "is UTF-16"),
        ("csv", b"", 1, "has no header; name the columns in its first line"),
        ("csv", b"a,b\n1,2\n", 1, "there is no column 'text'; the columns are a, b"),
        ("csv", b"text,text\n1,2\n", 1, "there is more than one column 'text'"),
        ("csv", b"text,b\n1,2\n1\n", 3, "has 1 cells, expected 2"),
        ("csv", b'text,b\n1,2\n"1,2\n3,4\n5,6', 3, "is not csv, from this line on"),
        ("csv", b'text,b\n"1"x,2\n', 2, "is not csv, from this line on"),
        ("csv", b"text\na\rb\n", 2, "is not csv, from this line on"),
        ("jsonl", b'"a"\n{"text": \n', 2, "is not JSON"),
        ("jsonl", b'{"body": "a"}\n', 1, "has no 'text'; it has body"),
        ("jsonl", b'{"text": 1, "id": 2}\n', 1, "the text is int, not text"),
        ("jsonl", b'["a"]\n', 1, "is not a JSON object"),
        ("jsonl", b'"\\ud800"\n', 1, "the text holds half a character"),
        ("jsonl", b'{"text": "a", "id": "\\ud800"}\n', 1, "the id holds half a character"),
        ("jsonl", b"[" * 100_000 + b"\n", 1, "is not JSON"),
        ("jsonl", b'{"text": "a"}\n{"text": "b", "id": 1}\n', 1, "has no 'id'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(form: str, data: bytes, line: int, what: str) -> None:
    with pytest.raises(DataFormatError, match=what) as caught:
        read(form, data, **({"id": "id"} if form == "jsonl" else {}))
    assert caught.value.line == line and str(caught.value).startswith(NAME)


def test_a_line_that_no_text_is_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_texts, "MAX_LINE", 10)
    assert texts("text", b"x" * 9 + b"\n") == ["x" * 9]
    with pytest.raises(DataFormatError, match="line 2: is longer than 10 bytes"):
        read("text", b"a\n" + b"x" * 11)


@pytest.mark.parametrize("fault", [b"\0", b"\xff", b""])
def test_batches_of_lines_change_nothing(fault: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text before a fault is given, and the fault has its line, however many lines are decoded together."""
    data = b"".join(b"%d\n" % n for n in range(30)) + fault + b"\nlast"
    results = []
    for size in (1, 7, 40, tables.BATCH):
        monkeypatch.setattr(tables, "BATCH", size)
        texts = list[str]()
        try:
            texts.extend(text.text.decode() for text in NewTexts("new", "text").read(io.BytesIO(data)))
        except DataFormatError as error:
            texts.append(str(error))
        results.append(texts)
    assert results[1:] == results[:-1]
    assert results[0][:30] == [str(n) for n in range(30)] and (
        results[0][30:] == ["", "last"] or "line 31" in results[0][30]
    )


def test_encodings_that_lines_cannot_tell_are_refused() -> None:
    for options, what in (
        ({"encoding": "utf-16"}, "not read by lines"),
        ({"encoding": "no-such"}, "there is no encoding"),
        ({"delimiter": ",,"}, "not one character"),
    ):
        with pytest.raises(ConfigError, match=what):
            NewTexts(NAME, "csv", **options)  # type: ignore[arg-type]


def test_a_million_words_are_one_text() -> None:
    data = b'text\n"' + b"word " * 1_000_000 + b'"\n'
    assert [len(text.text) for text in read("csv", data)] == [5_000_000]


def test_memory_does_not_grow_with_the_file() -> None:
    class Endless(io.RawIOBase):
        left = 2_000_000

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            row = b"some text,of a long file\n" * 400
            size = min(len(buffer), len(row), self.left) // 25 * 25
            buffer[:size] = row[:size]
            self.left -= size
            return size

    tracemalloc.start()
    rows: Iterator[NewText] = NewTexts(NAME, "text").read(io.BufferedReader(Endless(), 10_000))  # type: ignore[arg-type]
    count = sum(1 for _ in rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A batch of lines holds 64 KiB, ten times as much as Python's texts; the whole file would hold over 6 MB.
    assert count == 80_000 and peak < 1_000_000


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.binary(max_size=200), st.sampled_from(NEW_TEXTS), st.booleans())
def test_any_bytes_are_read_or_refused(data: bytes, form: str, mixed: bool) -> None:
    source = NewTexts(NAME, form, mixed=mixed)
    try:
        for text in source.read(io.BytesIO(data)):
            text.text.decode()
    except DataFormatError as error:
        assert error.line is not None


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_any_text_survives_json(wanted: list[str]) -> None:
    assert texts("jsonl", "\n".join(map(json.dumps, wanted)).encode()) == wanted
