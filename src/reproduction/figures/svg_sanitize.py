"""Drawings of a page: SVG files made safe to stand inside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import defusedxml.ElementTree as SafeTree
from markupsafe import Markup

from textmix.core.errors import DataFormatError

_SVG_REFERENCE = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True)
class Drawing:
    """A figure of a page, by a name unique there: ``svg`` as of `inline_svg`, or None for the ``reason`` given."""

    name: str
    title: str
    caption: str
    svg: Markup | None
    reason: str = ""


def inline_svg(svg: bytes, prefix: str, name: str) -> Markup:
    """Return an SVG file as an element of an HTML page; ``name`` is for messages.

    The prefix before each id, and each reference to one, makes it unique on the page.  XML namespaces, ``width``,
    ``height``, ``version`` and ``<style>`` are removed.  The page must hold an element ``<prefix>-caption``, which
    names the drawing.
    """
    try:
        root = SafeTree.fromstring(svg)
    except Exception as error:
        raise DataFormatError(name, None, f"is no SVG ({error}); delete it and run again") from error
    for parent in list(root.iter()):
        for child in list(parent):
            # The page has the rules of all drawings once, and the caption says what the file says about itself.
            if _local(child.tag) in ("style", "title", "desc"):
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        attributes = {_local(key): value for key, value in element.attrib.items()}
        if element.tag in ("script", "foreignObject", "image") or any(key.startswith("on") for key in attributes):
            raise DataFormatError(name, None, f"holds <{element.tag}> or a handler; delete it and run again")
        element.attrib.clear()
        element.attrib.update({key: _unique(key, value, prefix, name) for key, value in attributes.items()})
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}-caption", "class": "drawing"}
    # The text is written anew from parsed and checked elements, so no part of the file reaches the page unread.
    return Markup(SafeTree.tostring(root, encoding="unicode"))  # noqa: S704


def read_notes(svg: bytes) -> str:
    """Return the notes of a figure, which its drawing function wrote into the file."""
    return SafeTree.fromstring(svg).findtext("{*}desc") or ""


def _local(tag: str) -> str:
    """Return the name of a tag or attribute without its XML namespace, which HTML does not use."""
    return str(tag).rpartition("}")[2]


def _unique(key: str, value: str, prefix: str, name: str) -> str:
    """Return the value of an attribute with the prefix before the ids that it holds or refers to."""
    if key == "id":
        return f"{prefix}-{value}"
    if key == "href":
        if not value.startswith("#"):
            raise DataFormatError(name, None, f"refers to {value}; a drawing must not load anything")
        return f"#{prefix}-{value[1:]}"
    return _SVG_REFERENCE.sub(rf"url(#{prefix}-\1)", value)
