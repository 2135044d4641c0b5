"""Detect the encoding of a text file and decode it line by line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from textmix.core.errors import DataFormatError
from textmix.data.delimited import Lines

#: Sample size in bytes, from the start of a file, for the detection of the encoding.
SAMPLE_BYTES = 1 << 15
#: Minimum number of bytes above 127 required to reject an encoding.
MIN_LEGACY_BYTES = 6
#: Minimum number of symbols within words required to reject an encoding.
MIN_SYMBOLS = 3
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Encodings with multi-byte line feeds.
_WIDE = ("utf-16", "utf-32")
#: Suggested encodings, the most common ones first, for non-Latin scripts (mostly bytes above 127) and Latin script.
_OTHER_SCRIPTS = ("gb18030", "cp1251", "shift_jis", "euc_kr", "big5", "koi8_r", "cp1253", "cp1256", "cp1255", "cp874")
_OTHER_LATIN = ("cp850", "mac_roman")
_MAX_SUGGESTIONS = 4
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
#: Bytes between two letters that are symbols in Windows-1252 but letters in DOS and Macintosh encodings.
_SYMBOL_IN_WORD = re.compile(rb"(?<=[A-Za-z])[\x80-\x89\x8b\x8d\x8f-\x91\x93-\x95\x98\x99\x9b\x9d](?=[a-z])")


def decoded_lines(name: str, pieces: Iterator[bytes], encoding: str | None, notes: list[str]) -> Lines:
    """Decode the lines of a file.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    pieces : iterator of bytes
        The lines of the file.
    encoding : str or None
        The encoding; None to detect UTF-8, UTF-16 and UTF-32, and to decode single lines that are not valid UTF-8 as
        Windows-1252.
    notes : list of str
        Modified in place: a note about a detected encoding is appended.

    Returns
    -------
    Lines
        The lines as text.

    Raises
    ------
    DataFormatError
        If the encoding is not one of the detectable encodings.
    """
    first = list[bytes]()
    size = 0
    for piece in pieces:
        first.append(piece)
        size += len(piece)
        if size >= SAMPLE_BYTES:
            break
    start = b"".join(first)[: 4 * SAMPLE_BYTES]
    pieces = chain(first, pieces)
    detect = encoding is None
    wide = _wide_encoding(start) if encoding is None else _wide_or_none(encoding)
    if wide is not None:
        if detect:
            notes.append(f"{Path(name).name} is {wide.upper()[:6]}.")
        start = start[: len(start) // 4 * 4].decode(wide, "ignore").encode()
        pieces = _transcode_lines(name, pieces, wide)
    elif detect:
        _check_sample(name, first)
    if b"\r" in start and b"\n" not in start:
        pieces = _split_at_returns(pieces)
    narrow = "utf-8" if wide or encoding is None else encoding
    remedy = "if it is in another encoding, give it by --encoding"
    return Lines(name, pieces, narrow, allow_legacy=detect and wide is None, remedy=remedy)


def suggested_encodings(lines: Iterable[bytes]) -> list[str]:
    """Suggest encodings for a file that is not UTF-8 or Windows-1252.

    In Western European texts, bytes above 127 are isolated accented letters and quotation marks.  Long runs of such
    bytes indicate a non-Latin script; certain bytes within words are accented letters in DOS or Macintosh encodings.

    Parameters
    ----------
    lines : iterable of bytes
        Lines from the start of the file.

    Returns
    -------
    list of str
        Encodings that can decode the lines; empty if the file may be UTF-8 or Windows-1252.
    """
    accented = [line for line in lines if not line.isascii()]
    legacy = [line for line in accented if not _is_utf8(line)]
    sample = b"".join(legacy)
    runs = _HIGH_RUN.findall(sample)
    n_high = sum(map(len, runs))
    if 2 * len(legacy) <= len(accented) or n_high < MIN_LEGACY_BYTES:
        return []
    if sum(len(run) for run in runs if len(run) > 2) > 0.5 * n_high:
        candidates = [encoding for encoding in _OTHER_SCRIPTS if _can_decode(sample, encoding)]
        return candidates[:_MAX_SUGGESTIONS] or [*_OTHER_SCRIPTS[:2]]
    n_symbols = len(_SYMBOL_IN_WORD.findall(sample))
    if n_symbols >= MIN_SYMBOLS and n_symbols > 0.1 * n_high:
        return [*_OTHER_LATIN]
    return []


def _check_sample(name: str, lines: list[bytes]) -> None:
    """Reject a file if its encoding must be specified explicitly."""
    suggestions = suggested_encodings(lines)
    if suggestions:
        line = next(number for number, line in enumerate(lines, start=1) if not _is_utf8(line))
        examples = ", ".join(suggestions[:-1]) + " or " * (len(suggestions) > 1) + suggestions[-1]
        problem = f"is neither UTF-8 nor Windows-1252; give its encoding by --encoding, for example {examples}"
        raise DataFormatError(name, line, problem)


def _is_utf8(line: bytes) -> bool:
    return _can_decode(line, "utf-8")


def _can_decode(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _wide_or_none(encoding: str) -> str | None:
    return encoding if codecs.lookup(encoding).name[:6] in _WIDE else None


def _wide_encoding(start: bytes) -> str | None:
    """Detect UTF-16 and UTF-32 by the byte-order mark or by the zero bytes of ASCII characters."""
    marked = next((name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)), None)
    if marked is not None or len(start) < 8:
        return marked
    even = start[::2].count(0)
    odd = start[1::2].count(0)
    half = len(start) // 2
    if max(even, odd) < max(3, 0.1 * half) or min(even, odd) > 0.1 * max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _transcode_lines(name: str, pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the lines of UTF-16 or UTF-32 text as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    pending = ""
    number = 1
    try:
        for piece in chain(pieces, [b""]):
            *complete, pending = (pending + decoder.decode(piece, final=not piece)).split("\n")
            yield from (f"{line}\n".encode() for line in complete)
            number += len(complete)
    except UnicodeDecodeError as error:
        problem = f"is not valid {encoding} text ({error.reason}); the file is truncated or damaged: save it as UTF-8"
        raise DataFormatError(name, number, problem) from error
    if pending:
        yield pending.encode()


def _split_at_returns(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split a file at single carriage returns (classic Mac OS line ends) and terminate each line with a line feed."""
    pending = b""
    for piece in pieces:
        *complete, pending = (pending + piece).split(b"\r")
        yield from (line + b"\n" for line in complete)
    if pending:
        yield pending
