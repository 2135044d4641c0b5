"""New texts to label: from csv, tab-separated, JSON lines or plain lines, one text at a time.

The rows come from `textmix.data.tables`.  Memory holds a row or a few short ones, never the file.
"""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data import tables
from textmix.data.archives import MAX_LINE
from textmix.data.formats import FORMATS
from textmix.data.frames import frame_rows

#: Encodings in which a line feed is not the one byte 10.
_WIDE = ("utf-16", "utf-32")
#: Text in the card of a model on the encoding of its table, where it was found by reading.
FOUND = "found"
_REMEDY = "name the file's --encoding, or give --mixed for a file with lines in UTF-8 and in Windows-1252"


class NewText(NamedTuple):
    """One text.

    Parameters
    ----------
    id : its identifier; its number in the file from 1 if the file has no identifiers.
    line : number of its first line in the file, from 1.
    text : UTF-8.
    """

    id: str
    line: int
    text: bytes


@dataclass
class NewTexts:
    """The texts of one file without labels.

    Parameters
    ----------
    name : of the file, for messages.
    form : one of `textmix.data.formats.NEW_TEXTS` or `FRAMES`.
    text : column of a table, or key of a JSON object, that holds the text; a number from 1 where there is no header; or
        a list of several, whose texts are joined.
    id : column or key of the identifier, or None.
    encoding : of the file.
    mixed : whether lines that are not of this encoding are read as Windows-1252.
    delimiter : between the cells of a csv file.
    found : whether the encoding is found: UTF-16 by its first bytes, and else lines of UTF-8 or Windows-1252.

    Raises
    ------
    ConfigError : the encoding does not exist or is UTF-16 or UTF-32, or the delimiter is not one character.
    """

    name: str
    form: str
    text: str | int | list[str | int] = "text"
    id: str | None = None
    encoding: str = "utf-8"
    mixed: bool = False
    delimiter: str = ","
    found: bool = False
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
            raise ConfigError(f"--delimiter: {self.delimiter!r} is not one character; give one, such as ';'")

    def read(self, stream: IO[bytes]) -> Iterator[NewText]:
        """Yield the texts of a binary stream, one at a time.

        A line of JSON may be an object or a string, which is then the text.  An empty plain line is an empty text, so
        that texts and lines have the same numbers; null in JSON is an empty text, too.

        Parameters
        ----------
        stream : the content of the file, unpacked; a table that pandas reads is opened by its name.

        Raises
        ------
        DataFormatError : with the line: a fault that `textmix.data.tables.read_rows` names; a text that is no string,
            such as a number in JSON; or a text or identifier that `textmix.data.tables.utf8` refuses.
        """
        wanted = [*(self.text if isinstance(self.text, list) else [self.text]), self.id]
        lines = self._lines(stream)
        if FORMATS[self.form].kind == "frame":
            rows = frame_rows(Path(self.name), self.form, wanted)
        else:
            rows = tables.read_rows(self.form, lines, wanted, delimiter=self.delimiter, bare=True)
        for count, (line, (*texts, name)) in enumerate(rows, start=1):
            text = tables.joined(texts)
            self.foreign_lines = lines.foreign
            identifier = str(count) if name is None else str(name)
            if self.id is not None:
                tables.utf8(self.name, line, identifier, "the id")
            yield NewText(identifier, line, b"" if text is None else tables.utf8(self.name, line, text, "the text"))

    def _lines(self, stream: IO[bytes]) -> tables.Lines:
        """Return the lines of a binary stream."""
        raw = iter(partial(stream.readline, MAX_LINE + 1), b"")
        if self.found:
            first = next(raw, b"")
            wide = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            raw = self._wide(first + stream.read()) if wide else itertools.chain([first] if first else [], raw)
        mixed = self.mixed or self.found
        return tables.Lines(self.name, raw, self.encoding, mixed, remedy=_REMEDY, longest=MAX_LINE)

    def _wide(self, content: bytes) -> Iterator[bytes]:
        """Return the lines of a text in UTF-16 as UTF-8; all of it is in memory."""
        try:
            return iter(content.decode("utf-16").encode().splitlines(keepends=True))
        except UnicodeDecodeError as error:
            raise DataFormatError(self.name, None, f"is not UTF-16 text ({error.reason})") from error
