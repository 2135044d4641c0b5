"""Extract text from plain files, e-mails (RFC 5322, MIME), and web pages as sent by a server."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage, MIMEPart
from typing import Any

from textmix.core.errors import extra

#: HTML tag; an unclosed tag extends to the end of the text, as in Rainbow's ``--skip-html``.
_TAG = re.compile(rb"<[^>]*>?")
#: HTML elements with content that browsers do not display.
_HIDDEN = ("script", "style")
#: Inline elements; every other element is a word boundary.
_INLINE = frozenset("a abbr acronym b big blink cite code em font i kbd nobr q s small span strike strong tt u".split())
#: Start of an HTTP response: the status line or a header field.
_ANSWER = re.compile(rb"HTTP/[0-9.]+ |[!-9;-~]+:[ \t]")
_EMPTY_LINE = re.compile(rb"\r?\n\r?\n")
_BLANK_LINES = re.compile(r"[^\S\n]*\n\s*")
#: Control characters, which are not allowed in HTML.
_CONTROL = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f]")


def plain_text(data: bytes) -> bytes:
    """Convert Latin-1, which can decode any byte, to UTF-8.

    Parameters
    ----------
    data : bytes
        Latin-1 text.

    Returns
    -------
    bytes
        UTF-8 text.
    """
    return data if data.isascii() else data.decode("latin-1").encode("utf-8")


def rainbow_html(data: bytes) -> bytes:
    """Convert a Latin-1 page to UTF-8 and replace each tag by a space, as Rainbow's ``--skip-html`` does.

    Parameters
    ----------
    data : bytes
        HTML in Latin-1.

    Returns
    -------
    bytes
        UTF-8 text.
    """
    return plain_text(_TAG.sub(b" ", data))


def email_text(data: bytes) -> bytes:
    """Extract subject and body of an e-mail.

    From a ``multipart/alternative``, the first plain-text part is used, otherwise the text of the HTML part (see
    `html_text`).  Attachments and all other header fields are dropped, since they contain mailing lists and host
    names.  Bytes that are invalid in the declared character set become U+FFFD; parts with an unknown character set are
    decoded as Latin-1.

    Parameters
    ----------
    data : bytes
        The message.

    Returns
    -------
    bytes
        The text in UTF-8.

    Raises
    ------
    ValueError
        If the message cannot be parsed.
    """
    try:
        message: EmailMessage = email.message_from_bytes(data, policy=email.policy.default)
        sections = [" ".join(str(message.get("Subject", "")).split()), *map(_part_text, _text_parts(message))]
    except (AttributeError, LookupError, TypeError) as error:
        # The header parser of the standard library propagates internal errors for malformed headers.
        raise ValueError(f"no e-mail that can be parsed ({type(error).__name__}: {error})") from error
    return _clean("\n".join(section for section in sections if section))


def _text_parts(section: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the text parts of a message, in order."""
    if section.get_content_type() == "multipart/alternative":
        forms = [form for child in _children(section) for form in _text_parts(child)]
        plain = [form for form in forms if form.get_content_subtype() == "plain"]
        yield from (plain or forms)[:1]
    elif section.is_multipart():
        for child in _children(section):
            yield from _text_parts(child)
    elif section.get_content_maintype() == "text" and section.get_content_disposition() != "attachment":
        yield section


def _children(section: MIMEPart) -> list[Any]:
    payload = section.get_payload()
    return payload if isinstance(payload, list) else []


def _part_text(section: MIMEPart) -> str:
    try:
        text = section.get_content(errors="replace")
    except LookupError:
        text = section.get_payload(decode=True).decode("latin-1")  # type: ignore[union-attr]
    return html_text(text) if section.get_content_subtype() == "html" else text


def page_text(data: bytes) -> bytes:
    """Extract the text of a Latin-1 web page as UTF-8; a preceding HTTP header is dropped.

    Parameters
    ----------
    data : bytes
        HTML in Latin-1, optionally preceded by an HTTP header.

    Returns
    -------
    bytes
        UTF-8 text.
    """
    body = data
    if _ANSWER.match(data):
        sections = _EMPTY_LINE.split(data, maxsplit=1)
        body = sections[1] if len(sections) == 2 else b""
    return _clean(html_text(body.decode("latin-1")))


def html_text(page: str) -> str:
    """Extract the text of HTML in document order, with lxml's lenient parser.

    Parameters
    ----------
    page : str
        HTML source.

    Returns
    -------
    str
        The displayed text.
    """
    with extra("data"):
        import lxml.html  # type: ignore[import-untyped]
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = lxml.html.document_fromstring(_clean(page), parser=parser)
    except lxml.etree.ParserError:  # only whitespace and comments
        return ""
    return _BLANK_LINES.sub("\n", "".join(_pieces(root))).strip()


def _pieces(root: Any) -> Iterator[str]:
    """Yield the displayed text of an element tree, with a newline at word boundaries."""
    import lxml.etree  # type: ignore[import-untyped]

    for event, element in lxml.etree.iterwalk(root, events=("start", "end")):
        if element.tag not in _INLINE:
            yield "\n"
        is_visible = element.tag not in _HIDDEN
        text = (element.text if is_visible else None) if event == "start" else element.tail
        yield text or ""


def _clean(text: str) -> bytes:
    """Encode text as UTF-8, replacing control characters with spaces and lone surrogates with ``?``."""
    return _CONTROL.sub(" ", text).encode("utf-8", "replace")


#: Content type of a file -> function that extracts its text as UTF-8.
CONTENTS: dict[str, Callable[[bytes], bytes]] = {
    "text": plain_text,
    "rainbow_html": rainbow_html,
    "email": email_text,
    "web_page": page_text,
}
