"""Product reviews with stars, as SNAP publishes them: the records of 2013, JSON lines, or csv files made from them.

Source: McAuley and Leskovec, "Hidden factors and hidden topics", RecSys 2013, and the page "Web data: Amazon reviews"
of SNAP.  Less than 3 stars is negative, more is positive, 3 are left out, as "Binary classification with neutral
reviews ignored" of the skip-gram slides asks.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, NoReturn

from textmix.core.errors import ConfigError, DataFormatError
from textmix.core.io import unique_keys
from textmix.data.archives import iter_members, open_plain
from textmix.data.corpus import Corpus
from textmix.data.reading import Document, decode, file_of, text_corpus
from textmix.data.tables import Lines, cell_rows, table_rows, utf8

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {
    "form": True,
    **dict.fromkeys(("encoding", "members", "truncated", "distinct", "test_every"), False),
}

_FIELD = re.compile(r"((?:product|review)/[A-Za-z]{1,20}): ?(.*)")
#: Stars of a review that has none.
UNRATED = math.nan
_CSV_COLUMNS = ("name", "review", "rating")
_NEEDED = ("product/productId", "review/score", "review/text")


class Review(NamedTuple):
    """One review: its first line in the file, from 1, and its stars, 1 to 5 or `UNRATED`, which `read` checks."""

    line: int
    product: str
    stars: float
    text: str


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read reviews as ``negative`` or ``positive``; reviews of 3 stars, or without stars, are left out.

    Parameters
    ----------
    files : ``data``, a file, or ``archive``, a tar archive.
    options : ``name``; ``form``: ``records``, ``json`` or ``csv``; ``encoding`` (default latin-1 for records, else
        utf-8); ``members``, `fnmatch` patterns of the files in the archive (default: all); ``truncated``, if true, a
        last line (of records: a last record) that is cut off is no error; ``distinct``, if true, a review is left out
        if an earlier one has the same product and text; ``test_every``, see `textmix.data.reading.text_corpus`.

    Returns
    -------
    a `Corpus`; id = number of the review in its file from 0, with the name of the file before it if there are several;
    ``info`` counts the reviews by stars and the repeated and unrated ones.
    """
    if options.get("form") not in _FORMS:
        raise ConfigError(f"config/datasets.yaml: {options['name']}: form should be one of {sorted(_FORMS)}")
    pieces = _pieces(files, options.get("members", ["*"]))
    counts, seen, documents = Counter[str](), set[tuple[str, str]](), list[Document]()
    for path, data in pieces:
        prefix = f"{PurePosixPath(path.name).stem}/" if len(pieces) > 1 else ""
        for number, review in _reviews(path, data, options):
            rated, key = not math.isnan(review.stars), (review.product, review.text)
            kind = "repeated" if key in seen else f"{review.stars:g} stars" if rated else "unrated"
            counts[kind] += 1
            if options.get("distinct") and rated:
                seen.add(key)
            if kind not in ("repeated", "unrated", "3 stars"):
                label = "negative" if review.stars < 3 else "positive"
                documents.append(Document(f"{prefix}{number}", label, utf8(path, review.line, review.text, "the text")))
    return text_corpus(options, documents, info={"reviews": dict(sorted(counts.items()))})


def _pieces(files: Mapping[str, Path], members: list[str]) -> list[tuple[Path, bytes]]:
    if "archive" not in files:
        path = file_of(files, "data")
        return [(path, open_plain(path))]
    path = files["archive"]
    pieces = [(path / name, data) for name, data in iter_members(path, members)]
    if not pieces:
        raise DataFormatError(path, None, f"has no member that matches {members}")
    return pieces


def _reviews(path: Path, data: bytes, options: Mapping[str, Any]) -> Iterator[tuple[int, Review]]:
    """Yield (number from 0, review) for each review of one file; refuse stars outside 1 to 5."""
    form, encoding = _FORMS[options["form"]]
    text = decode(path, data, options.get("encoding", encoding))
    for number, review in enumerate(form(path, text, bool(options.get("truncated")))):
        if not (math.isnan(review.stars) or 1 <= review.stars <= 5):
            raise DataFormatError(path, review.line, f"{review.stars:g} stars, expected 1 to 5")
        yield number, review


def _stars(path: Path, line: int, text: str) -> float:
    """Return the number of stars that a text of digits states; its range is not checked."""
    if not re.fullmatch(r"[0-9](\.[0-9]{1,3})?", text):
        raise DataFormatError(path, line, f"{text[:20]!r} is no number of stars")
    return float(text)


def read_records(path: Path, text: str, truncated: bool = False) -> Iterator[Review]:
    """Yield the reviews of the 2013 form: lines ``product/...: value`` and ``review/...: value``, up to an empty line.

    A line without the name of a field belongs to the field before it (profile names and texts may hold a line feed).
    """
    lines = text.split("\n")
    unended = lines.pop() != ""
    if unended and not truncated:
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
            is_cut = number > len(lines) and (unended or not all(key in record for key in _NEEDED))
            if not (truncated and is_cut):
                yield _review(path, start, record)
            record = {}


def _review(path: Path, line: int, record: Mapping[str, str]) -> Review:
    missing = [key for key in _NEEDED if key not in record]
    if missing:
        raise DataFormatError(path, line, f"the record that starts here has no {', '.join(missing)}")
    product, score, text = (record[key] for key in _NEEDED)
    return Review(line, product, _stars(path, line, score), text)


def read_json(path: Path, text: str, truncated: bool = False) -> Iterator[Review]:
    """Yield the reviews of a file with one JSON object a line, or of a JSON array with one object a line."""
    lines = text.split("\n")
    unended = lines.pop() != ""
    if unended and not truncated:
        raise DataFormatError(path, len(lines) + 1, "the last line has no line end: the file is truncated")
    is_array = text.startswith("[")
    closed = not is_array
    for number, line in enumerate(lines, start=1):
        item = line.strip()
        if is_array:
            item = item.removeprefix("[") if number == 1 else item
            if closed:
                raise DataFormatError(path, number, "stands after the end of the array")
            closed = item.endswith("]")
            item = item.removesuffix("]") if closed else item.removesuffix(",")
        if item:
            yield _json_review(path, number, item)
    if not closed and not truncated:
        raise DataFormatError(path, len(lines), "the array is not closed: the file is truncated")


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is no JSON")


_JSON = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=_no_constant)


def _json_review(path: Path, line: int, item: str) -> Review:
    try:
        record = _JSON.decode(item)
    except (ValueError, RecursionError) as error:
        raise DataFormatError(path, line, f"is not JSON ({str(error)[:80]})") from error
    fields = [record.get(key) for key in ("asin", "overall", "reviewText")] if isinstance(record, dict) else []
    match fields:
        case [str(product), float() | int() as stars, str(text)] if not isinstance(stars, bool):
            # An integer of 400 digits fits no float; -9 and 9 lie outside 1 to 5 too, so such stars are still refused.
            return Review(line, product, float(max(-9, min(stars, 9))), text)
    raise DataFormatError(path, line, "is not an object with asin, overall (a number) and reviewText")


def read_csv(path: Path, text: str, truncated: bool = False) -> Iterator[Review]:
    r"""Yield the reviews of a csv file with columns name (of the product), review and rating (``NA``: none).

    One known file has ``\'`` for an apostrophe; it becomes one, so that a review has the same text in all files.
    """
    if truncated:
        raise ConfigError("config/datasets.yaml: truncated csv is not read, since its last row would be wrong")
    lines = Lines(path, BytesIO(text.encode("utf-8")), ended=True)
    for line, (name, review, rating) in table_rows(path, cell_rows(path, lines), _CSV_COLUMNS):
        stars = UNRATED if rating == "NA" else _stars(path, line, rating)
        yield Review(line, name.replace("\\'", "'"), stars, review.replace("\\'", "'"))


#: Form -> the function that reads it and its default encoding.
_FORMS: dict[str, tuple[Callable[[Path, str, bool], Iterator[Review]], str]] = {
    "records": (read_records, "latin-1"),
    "json": (read_json, "utf-8"),
    "csv": (read_csv, "utf-8"),
}
