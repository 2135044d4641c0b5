"""Reading new texts: every form gives the same texts, and what is wrong is named with its line."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textmix
from textmix.core.errors import DataFormatError, TextmixError
from textmix.data import archives, delimited
from textmix.data.formats import NEW_TEXTS, format_of, without_packing
from textmix.data.user_table import NewText, read_texts

NAME = "new.txt"


def read(form: str, data: bytes, **options: object) -> list[NewText]:
    asked = {"text": "text", **options} if form != "text" else options
    return list(read_texts(NAME, stream=io.BytesIO(data), format=form, option_name="--text", **asked)[0])  # type: ignore[arg-type]


def texts(form: str, data: bytes, **options: object) -> list[str]:
    return [text.text.decode() for text in read(form, data, **options)]


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.CSV", "csv"), ("a.b.tsv.gz", "tab"), ("a.json", "jsonl"), ("a.txt", "text"), ("a.xlsx", None), ("a", None)],
)
def test_the_ending_of_a_name_tells_the_form(name: str, form: str | None) -> None:
    assert format_of(without_packing(name), NEW_TEXTS) == form


def test_the_three_forms_give_the_same_texts() -> None:
    expected = ['a "quoted", text', "zwei / drei", "", "日本語"]
    rows = "\n".join('"' + text.replace('"', '""') + '",x' for text in expected)
    assert texts("csv", f"text,other\n{rows}\n".encode()) == expected
    assert texts("text", "\n".join(expected).encode()) == expected
    assert texts("jsonl", "\n".join(json.dumps({"text": text}) for text in expected).encode()) == expected
    assert texts("jsonl", "\n".join(json.dumps(text) for text in expected).encode()) == expected
    assert texts("jsonl", b'{"text": null}\n{"text": "a"}\n') == ["", "a"]


def test_lines_and_identifiers_are_told() -> None:
    read_texts = read("csv", b'id,text\nx,"two\nlines"\n\ny,one\n', id="id")
    assert [(text.id, text.line) for text in read_texts] == [("x", 2), ("y", 5)]
    assert [(text.id, text.line) for text in read("jsonl", b'\n{"text":"a","k":7}\n', id="k")] == [("7", 2)]
    assert [(text.id, text.line) for text in read("csv", b"text\na\nb\n")] == [("1", 2), ("2", 3)]


def test_a_byte_order_mark_carriage_returns_and_another_delimiter_are_taken() -> None:
    assert texts("csv", b"\xef\xbb\xbftext\tb\r\none\t1\r\ntwo\t2\r\n") == ["one", "two"]
    assert texts("text", b"\xef\xbb\xbfone\r\ntwo") == ["one", "two"]
    assert texts("csv", b'\xef\xbb\xbf"text",b\r\none,1\r\n') == ["one"]


def test_duplicate_identifiers_are_kept_as_they_are() -> None:
    assert [text.id for text in read("csv", b"id,text\nx,a\nx,b\n", id="id")] == ["x", "x"]


def test_a_named_encoding_is_read() -> None:
    assert texts("text", "für\n".encode("latin-1"), encoding="latin-1") == ["für"]


def test_mixed_lines_are_read_as_windows_1252() -> None:
    data = "für\n".encode() + "für – €\n".encode("cp1252") + b"a\x81b\x9d\n"
    found, file = read_texts(NAME, stream=io.BytesIO(data), format="text")
    assert [text.text.decode() for text in found] == ["für", "für – €", "a\x81b\x9d"]
    assert file.n_legacy_lines == 2


@pytest.mark.parametrize(
    ("form", "data", "line", "what"),
    [
        (
            "text",
            b"a\nf\xfcr\n",
            2,
            r"is not utf-8 text \(byte 0xfc at 2\); if it is in another encoding, give it by --encoding",
        ),
        ("text", b"a\nb\0\n", 2, "NUL byte"),
        ("csv", b"text\na\0\n", 2, "NUL byte"),
        ("jsonl", b'"a"\n"a\\u0000"\n', 2, "the text contains a NUL"),
        ("csv", b"text,b\n1,2\n1\n", 3, "has 1 cells, expected 2"),
        ("csv", b'text,b\n1,2\n"1,2\n3,4\n5,6', 3, "is not csv, from this line on"),
        ("csv", b'text,b\n"1"x,2\n', 2, "is not csv, from this line on"),
        ("csv", b"text\na\rb\n", 2, "is not csv, from this line on"),
        ("jsonl", b'"a"\n{"text": \n', 2, "is not JSON"),
        ("jsonl", b'{"text": "a"}\n{"body": "a"}\n', 2, "has no 'text'; it has body"),
        ("jsonl", b'{"text": 1, "id": 2}\n', 1, "the text is int, not text"),
        ("jsonl", b'[["a"]]\n', 1, "is not a JSON object"),
        ("jsonl", b'["a", "b"\n', 2, "the array does not end with its bracket"),
        ("jsonl", b'"\\ud800"\n', 1, "the text contains a lone surrogate"),
        ("jsonl", b'{"text": "a", "id": "\\ud800"}\n', 1, "the id contains a lone surrogate"),
        ("jsonl", b"[" * 100_000 + b"\n", 1, "is not JSON"),
        ("jsonl", b'{"text": "a"}\n{"text": "b", "id": 1}\n', 1, "has no 'id'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(form: str, data: bytes, line: int, what: str) -> None:
    with pytest.raises(DataFormatError, match=what) as caught:
        read(form, data, **({"id": "id"} if b'"id"' in data else {}), encoding="utf-8" if form == "text" else None)
    assert caught.value.line == line and str(caught.value).startswith(NAME)


def test_a_line_that_no_text_is_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_LINE", 10)
    assert texts("text", b"x" * 9 + b"\n") == ["x" * 9]
    with pytest.raises(DataFormatError, match="line 2: is longer than 10 bytes"):
        read("text", b"a\n" + b"x" * 11)


@pytest.mark.parametrize("fault", [b"\0", b"\xff", b""])
def test_batches_of_lines_change_nothing(fault: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text before a fault is given, and the fault has its line, however many lines are decoded together."""
    data = b"".join(b"%d\n" % n for n in range(30)) + fault + b"\nlast"
    results = []
    for size in (1, 7, 40, delimited.BATCH):
        monkeypatch.setattr(delimited, "BATCH", size)
        texts = list[str]()
        try:
            found, _ = read_texts("new", stream=io.BytesIO(data), format="text", encoding="utf-8")
            texts.extend(text.text.decode() for text in found)
        except DataFormatError as error:
            texts.append(str(error))
        results.append(texts)
    assert results[1:] == results[:-1]
    assert results[0][:30] == [str(n) for n in range(30)] and (
        results[0][30:] == ["", "last"] or "line 31" in results[0][30]
    )


@pytest.mark.parametrize(
    ("data", "options", "what"),
    [
        (b"text\na\n", {"encoding": "no-such"}, "unknown encoding"),
        (b"text\na\n", {"encoding": "base64"}, "unknown encoding"),
        (b"text\na\n", {"delimiter": ",,"}, "not a single character"),
        (b"a,b\n1,2\n", {}, "--text: unknown column 'text'; allowed: a, b"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(data: bytes, options: dict[str, str], what: str) -> None:
    with pytest.raises(TextmixError, match=what):
        read("csv", data, **options)


def test_one_of_two_columns_with_a_name_is_taken_by_its_number() -> None:
    assert texts("csv", b"text,text\na,b\nc,d\n", text="2", header=True) == ["b", "d"]


def test_a_million_words_are_one_text() -> None:
    data = b'text\n"' + b"word " * 1_000_000 + b'"\n'
    assert [len(text.text) for text in read("csv", data)] == [5_000_000]


class Lines(io.RawIOBase):
    """A file of so many lines, which is made as it is read."""

    def __init__(self, lines: int) -> None:
        self.left = 25 * lines

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        row = b"some text,of a long file\n" * 400
        size = min(len(buffer), len(row), self.left) // 25 * 25
        buffer[:size] = row[:size]
        self.left -= size
        return size


def held_at_the_end(lines: int) -> int:
    """Return the bytes that lines of textmix hold at the last line; other threads and imports count in the process."""
    ours = tracemalloc.Filter(True, str(Path(textmix.__file__).parent / "*"))
    rows: Iterator[NewText]
    rows, _ = read_texts(NAME, stream=io.BufferedReader(Lines(lines), 10_000), format="text")  # type: ignore[arg-type]
    tracemalloc.start()
    try:
        for count, _ in enumerate(rows, 1):
            if count == lines:
                found = tracemalloc.take_snapshot().filter_traces([ours])
                return sum(trace.size for trace in found.traces)
    finally:
        tracemalloc.stop()
    raise AssertionError("a line is missing")


def test_memory_does_not_grow_with_the_file() -> None:
    # A batch of lines holds 64 KiB, ten times as much as Python's texts; 60,000 lines more would hold over 4 MB.
    assert held_at_the_end(80_000) - held_at_the_end(20_000) < 1_000_000


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_any_text_survives_json(wanted: list[str]) -> None:
    assert texts("jsonl", "\n".join(map(json.dumps, wanted)).encode()) == wanted
