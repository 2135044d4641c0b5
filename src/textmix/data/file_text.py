"""The text of a file: as it is, of an e-mail (RFC 5322, MIME), or of a web page as a server sent it."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage, MIMEPart
from typing import Any

from textmix.core.errors import extra

#: A tag of HTML; one that is never closed reaches to the end of the text, as in Rainbow's ``--skip-html``.
_TAG = re.compile(rb"<[^>]*>?")
#: Elements of HTML whose text no browser shows.
_HIDDEN = ("script", "style")
#: Elements inside a line of text; every other element ends a word.
_INLINE = frozenset("a abbr acronym b big blink cite code em font i kbd nobr q s small span strike strong tt u".split())
#: The beginning of a server's answer: its first line, or a header field.
_ANSWER = re.compile(rb"HTTP/[0-9.]+ |[!-9;-~]+:[ \t]")
_EMPTY_LINE = re.compile(rb"\r?\n\r?\n")
_BLANK_LINES = re.compile(r"[^\S\n]*\n\s*")
#: Control characters, which no text on the web holds.
_CONTROL = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f]")


def plain_text(data: bytes) -> bytes:
    """Return a text in Latin-1, in which every byte is a character, as UTF-8."""
    return data if data.isascii() else data.decode("latin-1").encode("utf-8")


def rainbow_html(data: bytes) -> bytes:
    """Return a page in Latin-1 with a blank in place of each tag, as Rainbow's ``--skip-html`` reads it, as UTF-8."""
    return plain_text(_TAG.sub(b" ", data))


def email_text(data: bytes) -> bytes:
    """Return the subject and the text of an e-mail, UTF-8; raises ValueError if it cannot be parsed.

    Of the forms of an alternative the first plain one is taken, else the text of its HTML (`html_text`).  Attachments
    and the other fields of the header, which name mailing lists and machines, are left out.  A byte that is not of the
    stated character set becomes U+FFFD; a part of an unknown character set is read as Latin-1.
    """
    try:
        message: EmailMessage = email.message_from_bytes(data, policy=email.policy.default)
        parts = [" ".join(str(message.get("Subject", "")).split()), *map(_part_text, _text_parts(message))]
    except (AttributeError, LookupError, TypeError) as error:
        # The parser of headers meets broken ones with errors of its own code.
        raise ValueError(f"no e-mail that can be parsed ({type(error).__name__}: {error})") from error
    return _clean("\n".join(part for part in parts if part))


def _text_parts(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the parts of a message that hold its text, in order."""
    if part.get_content_type() == "multipart/alternative":
        forms = [form for child in _children(part) for form in _text_parts(child)]
        plain = [form for form in forms if form.get_content_subtype() == "plain"]
        yield from (plain or forms)[:1]
    elif part.is_multipart():
        for child in _children(part):
            yield from _text_parts(child)
    elif part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment":
        yield part


def _children(part: MIMEPart) -> list[Any]:
    payload = part.get_payload()
    return payload if isinstance(payload, list) else []


def _part_text(part: MIMEPart) -> str:
    try:
        text = part.get_content(errors="replace")
    except LookupError:
        text = part.get_payload(decode=True).decode("latin-1")  # type: ignore[union-attr]
    return html_text(text) if part.get_content_subtype() == "html" else text


def page_text(data: bytes) -> bytes:
    """Return the text of a web page in Latin-1, UTF-8; the header of the server's answer before it is left out."""
    body = data
    if _ANSWER.match(data):
        parts = _EMPTY_LINE.split(data, maxsplit=1)
        body = parts[1] if len(parts) == 2 else b""
    return _clean(html_text(body.decode("latin-1")))


def html_text(page: str) -> str:
    """Return the text of HTML in the order of the page, as lxml's lenient parser finds it."""
    with extra("data"):
        import lxml.html  # type: ignore[import-untyped]
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = lxml.html.document_fromstring(_clean(page), parser=parser)
    except lxml.etree.ParserError:  # nothing but blanks and comments
        return ""
    return _BLANK_LINES.sub("\n", "".join(_pieces(root))).strip()


def _pieces(root: Any) -> Iterator[str]:
    """Yield the shown text of an element tree, with a line end where an element ends a word."""
    import lxml.etree  # type: ignore[import-untyped]

    for event, element in lxml.etree.iterwalk(root, events=("start", "end")):
        if element.tag not in _INLINE:
            yield "\n"
        shown = element.tag not in _HIDDEN
        text = (element.text if shown else None) if event == "start" else element.tail
        yield text or ""


def _clean(text: str) -> bytes:
    """Return a text as UTF-8, with a blank in place of each control character and ``?`` for a lone surrogate."""
    return _CONTROL.sub(" ", text).encode("utf-8", "replace")


#: Form of a file -> the function that returns its text as UTF-8.
CONTENTS: dict[str, Callable[[bytes], bytes]] = {
    "text": plain_text,
    "rainbow_html": rainbow_html,
    "email": email_text,
    "web_page": page_text,
}
