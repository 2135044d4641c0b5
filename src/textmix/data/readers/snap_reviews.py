"""Product reviews with stars, in the records of 2013 that SNAP publishes.

Source: McAuley and Leskovec, "Hidden factors and hidden topics", RecSys 2013, and the page "Web data: Amazon reviews"
of SNAP.  Less than 3 stars is negative, more is positive, 3 are left out, as "Binary classification with neutral
reviews ignored" of the skip-gram slides asks.
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

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {"encoding": False, "test_every": False}

_FIELD = re.compile(r"((?:product|review)/[A-Za-z]{1,20}): ?(.*)")
_NEEDED = ("product/productId", "review/score", "review/text")


class Review(NamedTuple):
    """One review: its first line in the file, from 1, and its stars, 1 to 5."""

    line: int
    stars: float
    text: str


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read reviews as ``negative`` or ``positive``; reviews of 3 stars are left out.

    Parameters
    ----------
    files : ``data``, a file.
    options : ``name``; ``encoding`` (default latin-1); ``test_every``, see `textmix.data.reader_utils.text_corpus`.

    Returns
    -------
    a `Corpus`; id = number of the review in its file from 0; ``info`` counts the reviews by stars.
    """
    path = file_of(files, "data")
    text = decode(path, open_plain(path), options.get("encoding", "latin-1"))
    counts, documents = Counter[str](), list[Document]()
    for number, review in enumerate(read_records(path, text)):
        counts[f"{review.stars:g} stars"] += 1
        if review.stars != 3:
            label = "negative" if review.stars < 3 else "positive"
            documents.append(Document(str(number), label, utf8(path, review.line, review.text, "the text")))
    return text_corpus(options, documents, info={"reviews": dict(sorted(counts.items()))})


def read_records(path: Path, text: str) -> Iterator[Review]:
    """Yield the reviews of a text: lines ``product/...: value`` and ``review/...: value``, up to an empty line.

    A line without the name of a field belongs to the field before it (profile names and texts may hold a line feed).
    """
    lines = text.split("\n")
    if lines.pop() != "":
        raise DataFormatError(path, len(lines) + 1, "the last line has no line end: the file is truncated")
    record, start, last = dict[str, str](), 1, ""
    for number, line in enumerate([*lines, ""], start=1):
        match = _FIELD.fullmatch(line.rstrip("\r"))
        if match and match[1] not in record:
            start = start if record else number
            record[match[1]] = match[2]
            last = match[1]
        elif match or (line.strip() and not record):
            raise DataFormatError(path, number, "a field stands twice in a record" if match else "no field of a review")
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
        raise DataFormatError(path, line, f"{score[:20]!r} is no number of stars")
    if not 1 <= float(score) <= 5:
        raise DataFormatError(path, line, f"{float(score):g} stars, expected 1 to 5")
    return Review(line, float(score), text)
