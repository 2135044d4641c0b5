"""Sanitise SVG files for inclusion in HTML pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

import defusedxml.ElementTree as SafeTree
from markupsafe import Markup

from textmix.core.errors import DataFormatError

_SVG_REFERENCE = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True)
class Drawing:
    """A figure of a page.

    Parameters
    ----------
    name : str
        Name, unique on the page.
    title, caption : str
    svg : Markup or None
        Result of `inline_svg`, or None if the figure could not be drawn.
    reason : str, default=""
        Why the figure could not be drawn.
    """

    name: str
    title: str
    caption: str
    svg: Markup | None
    reason: str = ""


def inline_svg(svg: bytes, prefix: str, name: str) -> Markup:
    """Convert an SVG file into a safe element of an HTML page.

    XML namespaces, ``width``, ``height``, ``version`` and ``<style>`` are removed. The page must contain an element
    with the id ``<prefix>-caption``, which labels the drawing.

    Parameters
    ----------
    svg : bytes
    prefix : str
        Prepended to each id and each reference to one, which makes them unique on the page.
    name : str
        Name of the file, for error messages.

    Returns
    -------
    Markup

    Raises
    ------
    DataFormatError
        If the file is not valid SVG, or if it contains scripts, images, event handlers or external references.
    """
    try:
        root = SafeTree.fromstring(svg)
    except Exception as error:
        raise DataFormatError(name, None, f"not a valid SVG file ({error}); delete it and run again") from error
    for parent in list(root.iter()):
        for child in list(parent):
            # The page includes the style of all drawings once, and its caption replaces title and description.
            if _local(child.tag) in ("style", "title", "desc"):
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        attributes = {_local(key): value for key, value in element.attrib.items()}
        if element.tag in ("script", "foreignObject", "image") or any(key.startswith("on") for key in attributes):
            raise DataFormatError(name, None, f"contains <{element.tag}> or an event handler; delete it and run again")
        element.attrib.clear()
        element.attrib.update({key: _unique(key, value, prefix, name) for key, value in attributes.items()})
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}-caption", "class": "drawing"}
    # The element is serialised from checked elements, so that no unchecked part of the file reaches the page.
    return Markup(SafeTree.tostring(root, encoding="unicode"))  # noqa: S704


def read_notes(svg: bytes) -> str:
    """Read the notes of a figure from its SVG file."""
    return SafeTree.fromstring(svg).findtext("{*}desc") or ""


def _local(tag: str) -> str:
    """Strip the XML namespace from the name of a tag or attribute."""
    return str(tag).rpartition("}")[2]


def _unique(key: str, value: str, prefix: str, name: str) -> str:
    """Prepend the prefix to the ids in the value of an attribute."""
    if key == "id":
        return f"{prefix}-{value}"
    if key == "href":
        if not value.startswith("#"):
            raise DataFormatError(name, None, f"refers to {value}; drawings must not load external resources")
        return f"#{prefix}-{value[1:]}"
    return _SVG_REFERENCE.sub(rf"url(#{prefix}-\1)", value)
