"""Strip parts of e-mail and news messages before tokenisation, like the options of Rainbow (libbow, opts.c)."""

from __future__ import annotations

import re
from collections import Counter

from textmix.data.corpus import Ragged

#: Number of bytes at the start of a file that libbow inspects (istext.c).
PROBED = 4096
_BLANKS = b" \t\n\r\f\v"
#: A header field: a name of printable characters, a colon (RFC 822).
_FIELD = re.compile(rb"[!-9;-~]+:")


def skip_header(document: bytes) -> bytes:
    """Remove the header of a message (Rainbow's ``--skip-header``).

    If a document begins with a header field, everything up to the first empty line is removed and CRLF line endings are
    converted to LF; if the empty line is missing, the result is empty. Any other document is returned unchanged,
    whereas libbow would empty it: the same configuration thus also works for collections without headers.
    """
    if not _FIELD.match(document.lstrip(b"\r\n")):
        return document
    return (b"\n" + document.replace(b"\r\n", b"\n")).partition(b"\n\n")[2]


def is_uuencoded(document: bytes) -> bool:
    """Check whether a message is a uuencoded file by libbow's rule (``--istext-avoid-uuencode``, istext.c).

    In the first `PROBED` bytes, less than a tenth is white space, and more than half of the complete lines have the
    same length between 50 and 80 bytes.
    """
    probe = document[:PROBED]
    if len(probe) - len(probe.translate(None, _BLANKS)) >= len(probe) // 10:
        return False
    lengths = Counter(len(line) for line in probe.split(b"\n")[:-1])
    commonest = min(lengths, key=lambda length: (-lengths[length], length), default=0)
    return 50 <= commonest <= 80 and lengths[commonest] > lengths.total() // 2


def clean_messages(text: Ragged, headers: bool, uuencoded: bool) -> Ragged:
    """Remove headers (`skip_header`) and empty uuencoded messages (`is_uuencoded`, tested with the header).

    An emptied message is kept as an empty document because the papers count it.
    """
    if not (headers or uuencoded):
        return text
    documents = (bytes(text[row]) for row in range(len(text)))
    remaining = (b"" if uuencoded and is_uuencoded(document) else document for document in documents)
    return Ragged.from_texts(skip_header(document) if headers else document for document in remaining)
