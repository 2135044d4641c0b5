"""Reuters-21578, distribution 1.0: SGML files, parsed by a strict scanner rather than an SGML parser.

Source: Lewis, README of Reuters-21578 (sections VI on the format and VIII.B on the ModApte split) and ``lewis.dtd``.
The files are Latin-1, contain references to control characters (``&#3;``) and are not well-formed XML, so that an XML
parser rejects them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import DataFormatError
from textmix.data.archives import iter_members
from textmix.data.corpus import TEST, TRAIN, UNUSED, Corpus, Ragged, named_labels
from textmix.data.reader_utils import file_of, require_documents

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {}

_DOCTYPE = re.compile(rb"\s*(?:<!DOCTYPE lewis SYSTEM \"lewis\.dtd\">\s*)?")
_SPACE = re.compile(rb"\s*")
_OPEN = re.compile(rb"<REUTERS ((?:[A-Z]+=\"[^\"<>]*\"\s*)+)>")
_CLOSE = b"</REUTERS>"
_ATTRIBUTE = re.compile(rb"([A-Z]+)=\"([^\"]*)\"")
_TOPICS = re.compile(rb"<TOPICS>((?:<D>[!-;=?-~]+</D>)*)</TOPICS>")
_TOPIC = re.compile(rb"<D>([^<]+)</D>")
_TEXT = re.compile(rb"<TEXT(?: TYPE=\"(NORM|BRIEF|UNPROC)\")?>")
_PARTS = {tag: (f"<{tag}>".encode(), f"</{tag}>".encode()) for tag in ("TITLE", "BODY")}
_REFERENCE = re.compile(rb"&(?:#([0-9]{1,3})|(lt|gt|amp|quot));")
_NAMED = {b"lt": b"<", b"gt": b">", b"amp": b"&", b"quot": b'"'}
#: Table for `bytes.translate` that replaces control characters except line feeds by spaces.  Control characters are
#: part of the wire service's transmission protocol, not of the text.
_BLANKED = bytes(32 if (byte < 32 and byte != 10) or byte == 127 else byte for byte in range(256))
_SPLITS = {(b"TRAIN", b"YES"): TRAIN, (b"TEST", b"YES"): TEST}
_LEWISSPLIT = {b"TRAIN", b"TEST", b"NOT-USED"}
_HAS_TOPICS = {b"YES", b"NO", b"BYPASS"}


class Story(NamedTuple):
    """One document.

    Parameters
    ----------
    number : int
        NEWID.
    split : int
        Part of the ModApte split.
    topics : tuple of str
        Distinct topics.
    repeats : bool
        Whether a topic is listed more than once.
    text : bytes
        UTF-8 text.
    remarks : tuple of str
        Anomalies, such as a missing title.
    """

    number: int
    split: int
    topics: tuple[str, ...]
    repeats: bool
    text: bytes
    remarks: tuple[str, ...]


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read the SGML files with topics as labels and the ModApte split, sorted by NEWID, which is the id.

    The split is LEWISSPLIT TRAIN or TEST with TOPICS="YES"; all other documents are `UNUSED`.  The text is the title, a
    line feed and the body, or the complete content of TEXT for TYPE="UNPROC".  Document 19918 has a single topic that
    is listed more than once; Table 1 of Vilar et al. 2004 appears to count mentions and therefore includes it in the
    documents with several topics.

    Parameters
    ----------
    files : mapping of str to Path
        ``archive``, the archive of the SGML files.
    options : mapping
        ``name``.

    Returns
    -------
    Corpus
        The corpus; ``info`` counts the documents without title, without body, of type brief and of type unproc, and
        lists the documents with a repeated topic: 5467 (train) and 19918 (test).

    Raises
    ------
    DataFormatError
        If a file is damaged, or a NEWID is not unique.
    """
    path = file_of(files, "archive")
    story_of: dict[int, Story] = {}
    for name, data in iter_members(path, ["*.sgm"]):
        for story in stories(path / name, data):
            if story.number in story_of:
                raise DataFormatError(path / name, None, f"has the document NEWID={story.number} a second time")
            story_of[story.number] = story
    return _corpus(options, [story_of[number] for number in sorted(story_of)])


def _corpus(options: Mapping[str, Any], rows: list[Story]) -> Corpus:
    require_documents(options, len(rows))
    names, labels = named_labels([row.topics for row in rows])
    remarks = Counter(remark for row in rows for remark in row.remarks)
    info: dict[str, Any] = {"documents with": dict(sorted(remarks.items()))}
    info["topic named twice"] = [str(row.number) for row in rows if row.repeats]
    split = np.array([row.split for row in rows], dtype=np.int8)
    return Corpus(
        name=options["name"],
        ids=[str(row.number) for row in rows],
        label_names=names,
        labels=labels,
        split=split,
        text=Ragged.from_texts(row.text for row in rows),
        info=info,
    )


def stories(path: Path, data: bytes) -> Iterator[Story]:
    """Iterate over the documents of an SGML file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        Its content in Latin-1.

    Yields
    ------
    Story
        A document, in file order.

    Raises
    ------
    DataFormatError
        If a document is malformed, or the file is truncated.
    """
    at = _skip(_DOCTYPE, data, 0)
    while at < len(data):
        head = _OPEN.match(data, at)
        end = data.find(_CLOSE, at)
        if head is None or end < 0 or data.find(b"<REUTERS", head.end(), end) >= 0:
            problem = "expected <REUTERS ...>" if head is None else "this <REUTERS> is not closed"
            raise DataFormatError(path, data.count(b"\n", 0, at) + 1, f"{problem}: the file is damaged or truncated")
        try:
            yield _story(dict(_ATTRIBUTE.findall(head[1])), data[head.end() : end])
        except ValueError as error:
            raise DataFormatError(path, data.count(b"\n", 0, at) + 1, f"in this document: {error}") from error
        at = _skip(_SPACE, data, end + len(_CLOSE))


def _skip(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    """Return the end of the match of a pattern at ``at``, or ``at`` if it does not match."""
    match = pattern.match(data, at)
    return match.end() if match else at


def _story(head: dict[bytes, bytes], content: bytes) -> Story:
    """Parse a document from its attributes and content; raise ValueError if it is malformed."""
    lewis = head.get(b"LEWISSPLIT")
    has_topics = head.get(b"TOPICS")
    number = head.get(b"NEWID", b"")
    if lewis not in _LEWISSPLIT or has_topics not in _HAS_TOPICS or not re.fullmatch(rb"[0-9]{1,9}", number):
        raise ValueError("LEWISSPLIT, TOPICS or NEWID is missing or unknown")
    start = _TEXT.search(content)
    topic_list = _TOPICS.search(content)
    if start is None or topic_list is None or topic_list.end() > start.start():
        raise ValueError("expected <TOPICS> of <D> elements and then <TEXT>, both closed")
    if content.count(b"<TOPICS>") != 1 or not content.rstrip().endswith(b"</TEXT>") or content.count(b"</TEXT>") != 1:
        raise ValueError("<TOPICS> or <TEXT> is duplicated or not closed")
    topics = [topic.decode("ascii") for topic in _TOPIC.findall(topic_list[1])]
    distinct = tuple(dict.fromkeys(topics))
    text, remarks = _text(start[1] or b"NORM", content[start.end() : content.rindex(b"</TEXT>")])
    split = _SPLITS.get((lewis, has_topics), UNUSED)
    return Story(int(number), split, distinct, len(distinct) < len(topics), text, remarks)


def _text(text_type: bytes, content: bytes) -> tuple[bytes, tuple[str, ...]]:
    title, body = (_element(content, *_PARTS[tag]) for tag in ("TITLE", "BODY"))
    remarks = [f"type {text_type.decode().lower()}"] if text_type != b"NORM" else []
    remarks += [f"no {name}" for name, section in (("title", title), ("body", body)) if section is None]
    if text_type == b"UNPROC":
        return _plain(content), tuple(remarks)
    return _plain((title or b"") + b"\n" + (body or b"")), tuple(remarks)


def _element(content: bytes, opened: bytes, closed: bytes) -> bytes | None:
    """Return the content of an optional element; raise ValueError if it is not closed or repeated."""
    start = content.find(opened)
    stop = content.find(closed)
    if start < 0 and stop < 0:
        return None
    if not 0 <= start < stop or content.find(opened, start + 1) >= 0 or content.find(closed, stop + 1) >= 0:
        raise ValueError(f"{opened.decode()} is not closed or duplicated")
    return content[start + len(opened) : stop]


def _plain(text: bytes) -> bytes:
    """Convert Latin-1 text to UTF-8, resolving references once and replacing control characters by spaces."""
    if b"&" in text:
        text = _REFERENCE.sub(_resolve, text)
    text = text.translate(_BLANKED)
    return text if text.isascii() else text.decode("latin-1").encode("utf-8")


def _resolve(match: re.Match[bytes]) -> bytes:
    """Resolve a character reference; references outside Latin-1 are kept unchanged."""
    if match[2]:
        return _NAMED[match[2]]
    return bytes([int(match[1])]) if int(match[1]) < 256 else match[0]
