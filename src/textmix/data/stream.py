"""New texts from csv, JSON lines or plain text, one after the other: memory holds a block, never the file.

What is taken for text is said once, here.  A file is in one encoding, UTF-8 unless another is named; a byte order mark
of UTF-8 (spreadsheets write one) is dropped.  A line of other bytes is an error with its number, or, in a file known to
be ``mixed``, is read as Windows-1252, the other encoding that such files hold.  A NUL byte is an error: it is in no
text, and it is what UTF-16 and binary files show.  Lines end with LF or CR LF, of which plain text loses both.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from textmix.core.errors import ConfigError, DataFormatError

#: Longest line and longest csv cell, bytes: a text of a million words has about ten million.
MAX_LINE = 2**28
#: What the bytes that Windows-1252 leaves free stand for: the same code points, as web browsers read them.
_FREE = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
#: Encodings of which a line feed is the byte 10 and nothing else is.
_WIDE = ("utf-16", "utf-32")


@dataclass(frozen=True)
class NewText:
    """One text, with the line on which it begins and its identifier (its number, from 1, where there is none)."""

    id: str
    line: int
    text: bytes


@dataclass
class Source:
    """Where new texts come from.

    Parameters
    ----------
    name : of the file, for messages.
    form : key of `FORMS`.
    text : column of a csv file, or key of a JSON object, that holds the text.
    id : column or key of the identifier, or None.
    encoding : of the file.
    mixed : whether lines that are not UTF-8 are read as Windows-1252.
    delimiter : between the cells of a csv file.
    """

    name: str
    form: str
    text: str = "text"
    id: str | None = None
    encoding: str = "utf-8"
    mixed: bool = False
    delimiter: str = ","
    #: Lines read as Windows-1252 so far.
    foreign_lines: int = 0

    def __post_init__(self) -> None:
        try:
            name = codecs.lookup(self.encoding).name
        except LookupError as error:
            raise ConfigError(f"--encoding: there is no encoding {self.encoding!r}; utf-8 is the usual one") from error
        if name.startswith(_WIDE):
            raise ConfigError(f"--encoding: {self.encoding} is not read by lines; convert the file to utf-8 first")
        if len(self.delimiter) != 1:
            raise ConfigError(f"--delimiter: {self.delimiter!r} is not one character")

    def read(self, stream: IO[bytes]) -> Iterator[NewText]:
        """Give the texts of a binary stream.

        Raises
        ------
        DataFormatError : with the line: bytes of another encoding, NUL, a line over `MAX_LINE`, a column or key that is
            missing, a csv row of another length than the first, a stray or unclosed quote, a line that is no JSON.
        """
        return FORMS[self.form](self, stream)

    def lines(self, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
        """Give number and decoded text of each line, with its end."""
        number = 0
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            if number == 1:
                if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    raise self.fault(1, "is UTF-16; convert the file to utf-8 first")
                line = line.removeprefix(codecs.BOM_UTF8)
            if len(line) > MAX_LINE:
                raise self.fault(number, f"is longer than {MAX_LINE:,} bytes, which no text is")
            if 0 in line:
                raise self.fault(number, "holds a NUL byte: this is not text")
            yield number, self._decode(line, number)

    def _decode(self, line: bytes, number: int) -> str:
        """Return the text of a line."""
        try:
            return line.decode(self.encoding)
        except UnicodeDecodeError as error:
            if self.mixed:
                self.foreign_lines += 1
                return line.decode("cp1252", "textmix-free")
            byte = line[error.start]
            remedy = "name the file's --encoding, or give --mixed for lines in Windows-1252 between those in UTF-8"
            raise self.fault(number, f"is not {self.encoding} text (byte {byte:#04x}); {remedy}") from error

    def fault(self, line: int | None, what: str) -> DataFormatError:
        """Return an error that names the file."""
        return DataFormatError(self.name, line, what)


def _free(error: UnicodeError) -> tuple[str, int]:
    """Decode a byte that Windows-1252 leaves free."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - only decoding calls it
    return "".join(_FREE[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error("textmix-free", _free)


def _plain(source: Source, stream: IO[bytes]) -> Iterator[NewText]:
    """Give every line as a text; an empty line is an empty text, so that texts and lines keep the same numbers."""
    for number, line in source.lines(stream):
        yield NewText(str(number), number, line.rstrip("\r\n").encode())


def _json_lines(source: Source, stream: IO[bytes]) -> Iterator[NewText]:
    """Give the text of every line that is not blank: a JSON string, or an object with the text under a key."""
    count = 0
    for number, line in source.lines(stream):
        if not line.strip():
            continue
        count += 1
        value = _json(source, number, line)
        text, name = value, str(count)
        if isinstance(value, dict):
            text = _key(source, number, value, source.text)
            name = str(_key(source, number, value, source.id)) if source.id else name
        if not isinstance(text, str):
            raise source.fault(number, f"holds a {type(text).__name__} where a text is expected")
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise source.fault(number, "holds half of a surrogate pair, which is no character") from error
        if 0 in data:
            raise source.fault(number, "holds a NUL character: this is not text")
        yield NewText(name, number, data)


def _json(source: Source, number: int, line: str) -> Any:
    """Return the value of a line of JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise source.fault(number, f"is not JSON: {error}") from error


def _key(source: Source, number: int, value: dict[str, Any], key: str) -> Any:
    """Return what a JSON object has under a key."""
    if key not in value:
        found = ", ".join(list(value)[:20])
        raise source.fault(number, f"has no key {key!r}; it has {found or 'none'}; name the one with the text")
    return value[key]


def _csv(source: Source, stream: IO[bytes]) -> Iterator[NewText]:
    """Give the texts of a csv file (RFC 4180), columns told by the names in the first row."""
    rows = _rows(source, stream)
    header = next(rows, (0, []))[1]
    wanted = [name for name in (source.text, source.id) if name is not None]
    for name in wanted:
        if header.count(name) != 1:
            there = f"it names {', '.join(map(repr, header[:20])) or 'none'}"
            raise source.fault(1, f"should name the column {name!r} once; {there}; choose another with --column")
    places = [header.index(name) for name in wanted]
    for count, (line, row) in enumerate(rows, start=1):
        if len(row) != len(header):
            raise source.fault(line, f"has {len(row)} cells, the first row has {len(header)}")
        yield NewText(row[places[1]] if source.id is not None else str(count), line, row[places[0]].encode())


def _rows(source: Source, stream: IO[bytes]) -> Iterator[tuple[int, list[str]]]:
    """Give the first line and the cells of each row that is not blank."""
    # The standard library's limit, for the whole process, is 131,072 bytes: less than a long text.
    csv.field_size_limit(MAX_LINE)
    reader = csv.reader((line for _, line in source.lines(stream)), strict=True, delimiter=source.delimiter)
    while True:
        first = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise source.fault(first, f"begins a row that is not csv: {error}") from error
        if row:
            yield first, row


FORMS: dict[str, Callable[[Source, IO[bytes]], Iterator[NewText]]] = {
    **{"csv": _csv, "jsonl": _json_lines, "text": _plain},
}
#: File name endings and what they stand for: form and delimiter.
SUFFIXES = {
    **{".csv": ("csv", ","), ".tsv": ("csv", "\t"), ".tab": ("csv", "\t"), ".txt": ("text", ",")},
    **{".jsonl": ("jsonl", ","), ".ndjson": ("jsonl", ","), ".json": ("jsonl", ",")},
}
