"""Product reviews with star ratings, in the record format that SNAP published in 2013.

Source: McAuley and Leskovec, "Hidden factors and hidden topics", RecSys 2013, and the page "Web data: Amazon reviews"
of SNAP.  Fewer than 3 stars are negative, more than 3 positive; reviews with 3 stars are skipped, following "Binary
classification with neutral reviews ignored" in the skip-gram slides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from textmix.core.errors import DataFormatError
from textmix.data.archives import open_plain
from textmix.data.corpus import Corpus
from textmix.data.delimited import utf8
from textmix.data.reader_utils import Document, decode, file_of, text_corpus

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {"encoding": False, "test_every": False}

_FIELD = re.compile(r"((?:product|review)/[A-Za-z]{1,20}): ?(.*)")
_NEEDED = ("product/productId", "review/score", "review/text")


class Review(NamedTuple):
    """One review: line number in the file, from 1; rating, 1 to 5 stars; and text."""

    line: int
    stars: float
    text: str


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read reviews with the labels ``negative`` and ``positive``; reviews with 3 stars are skipped.

    Parameters
    ----------
    files : mapping of str to Path
        ``data``, a file.
    options : mapping
        ``name``; ``encoding`` (default latin-1); ``test_every``, see `textmix.data.reader_utils.text_corpus`.

    Returns
    -------
    Corpus
        The corpus; the ids number the reviews of the file from 0, and ``info`` counts the reviews by rating.

    Raises
    ------
    DataFormatError
        If a record is incomplete or invalid.
    """
    path = file_of(files, "data")
    text = decode(path, open_plain(path), options.get("encoding", "latin-1"))
    counts = Counter[str]()
    documents = list[Document]()
    for number, review in enumerate(read_records(path, text)):
        counts[f"{review.stars:g} stars"] += 1
        if review.stars != 3:
            label = "negative" if review.stars < 3 else "positive"
            documents.append(Document(str(number), label, utf8(path, review.line, review.text, "the text")))
    return text_corpus(options, documents, info={"reviews": dict(sorted(counts.items()))})


def read_records(path: Path, text: str) -> Iterator[Review]:
    """Parse records of lines ``product/...: value`` and ``review/...: value``, separated by empty lines.

    A line without a field name continues the previous field, since profile names and texts may contain line feeds.

    Parameters
    ----------
    path : Path
        The file, for messages.
    text : str
        Its content.

    Yields
    ------
    Review
        A review.

    Raises
    ------
    DataFormatError
        If the file is truncated, or a record is incomplete or invalid.
    """
    lines = text.split("\n")
    if lines.pop() != "":
        raise DataFormatError(path, len(lines) + 1, "the last line has no line end: the file is truncated")
    record = dict[str, str]()
    start = 1
    last = ""
    for number, line in enumerate([*lines, ""], start=1):
        match = _FIELD.fullmatch(line.rstrip("\r"))
        if match and match[1] not in record:
            start = start if record else number
            record[match[1]] = match[2]
            last = match[1]
        elif match or (line.strip() and not record):
            raise DataFormatError(
                path, number, "a field is duplicated in a record" if match else "no field of a review"
            )
        elif line.strip():
            record[last] += "\n" + line
        elif record:
            yield _review(path, start, record)
            record = {}


def _review(path: Path, line: int, record: Mapping[str, str]) -> Review:
    missing = [key for key in _NEEDED if key not in record]
    if missing:
        raise DataFormatError(path, line, f"the record that starts here has no {', '.join(missing)}")
    _, score, text = (record[key] for key in _NEEDED)
    if not re.fullmatch(r"[0-9](\.[0-9]{1,3})?", score):
        raise DataFormatError(path, line, f"{score[:20]!r} is not a number of stars")
    if not 1 <= float(score) <= 5:
        raise DataFormatError(path, line, f"{float(score):g} stars, expected 1 to 5")
    return Review(line, float(score), text)
