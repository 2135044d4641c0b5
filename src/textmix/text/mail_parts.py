"""Parts of e-mail and news messages that are dropped before tokenising, as Rainbow's options do (libbow, opts.c)."""

from __future__ import annotations

import re
from collections import Counter

from textmix.data.corpus import Ragged

#: Number of bytes at the start of a file by which libbow judges it (istext.c).
PROBED = 4096
_BLANKS = b" \t\n\r\f\v"
#: A header field: a name of printable characters, a colon (RFC 822).
_FIELD = re.compile(rb"[!-9;-~]+:")


def skip_header(document: bytes) -> bytes:
    """Return a message without its header (Rainbow's ``--skip-header``).

    A document that begins with a header field loses everything up to its first empty line, and its CRLF line ends
    become LF; without an empty line nothing remains.  Any other document is returned unchanged, where libbow would
    empty it: the same configuration serves collections whose headers were removed before.
    """
    if not _FIELD.match(document.lstrip(b"\r\n")):
        return document
    return (b"\n" + document.replace(b"\r\n", b"\n")).partition(b"\n\n")[2]


def is_uuencoded(document: bytes) -> bool:
    """Return whether a message is a uuencoded file by libbow's rule (``--istext-avoid-uuencode``, istext.c).

    Of the first `PROBED` bytes less than a tenth are white space, and more than half of the lines that end among them
    have the same length, 50 to 80 bytes.
    """
    probe = document[:PROBED]
    if len(probe) - len(probe.translate(None, _BLANKS)) >= len(probe) // 10:
        return False
    lengths = Counter(len(line) for line in probe.split(b"\n")[:-1])
    commonest = min(lengths, key=lambda length: (-lengths[length], length), default=0)
    return 50 <= commonest <= 80 and lengths[commonest] > lengths.total() // 2


def clean_messages(text: Ragged, headers: bool, uuencoded: bool) -> Ragged:
    """Return N messages without headers (`skip_header`), and emptied where `is_uuencoded` holds of one with its header.

    An emptied message stays as an empty document, because the papers count it.
    """
    if not (headers or uuencoded):
        return text
    documents = (bytes(text[row]) for row in range(len(text)))
    remaining = (b"" if uuencoded and is_uuencoded(document) else document for document in documents)
    return Ragged.from_texts(skip_header(document) if headers else document for document in remaining)
