"""Post-process Matplotlib's SVG files: plain attributes, fonts of the system, light and dark mode."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Tree

import defusedxml.ElementTree as SafeTree

#: Colour in dark mode of each colour in light mode. Figures use these colours only.
DARK = {
    "#ffffff": "#191a1b",
    "#1b1b1b": "#e7e6e1",
    "#3c3c3c": "#b9b8b1",
    "#75756f": "#a09f98",
    "#c9c9c4": "#5a5b56",
    "#e4e4e0": "#33342f",
    "#0072b2": "#56a9e8",
    "#d55e00": "#ff8a4c",
    "#009e73": "#2fc79b",
    "#cc79a7": "#e59ac6",
    "#5e2803": "#b27955",
    "#3524c5": "#8f7bff",
    "#3f0c52": "#f9e7a1",
}
#: Fonts of the system. Matplotlib lays out text with the last one; none is wider, so that no text is cut off.
FONTS = "'Source Sans 3', 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, 'DejaVu Sans', sans-serif"
_SVG = "http://www.w3.org/2000/svg"
_LINK = "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"(?:url\(|href=\")#([^)\"]+)")
_LONG_DECIMAL = re.compile(r"-?\d+\.\d{3,}")
_NUMERIC_ATTRIBUTES = ("d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "points")


def dark_rules() -> str:
    """Return the CSS rules for dark mode, which pages with drawings must include.

    The rules override presentation attributes, so that viewers without CSS show the light colours.
    """
    rules = (
        f".drawing [{key}='{light}']{{{key}:{dark}}}" for light, dark in DARK.items() for key in ("fill", "stroke")
    )
    return f"@media screen and (prefers-color-scheme:dark){{{''.join(rules)}}}"


def postprocess_svg(svg: bytes, title: str, notes: str) -> bytes:
    """Convert Matplotlib's SVG into a self-contained file.

    Style declarations become presentation attributes, coordinates are rounded to two decimals, and text remains text.
    The result follows the light or dark mode of the reader.

    Parameters
    ----------
    svg : bytes
    title : str
        Content of ``<title>``.
    notes : str
        Content of ``<desc>``.

    Returns
    -------
    bytes
    """
    Tree.register_namespace("", _SVG)
    Tree.register_namespace("xlink", _LINK)
    root = SafeTree.fromstring(svg)
    referenced_ids = set(_REFERENCE.findall(svg.decode()))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}style", f"{{{_SVG}}}metadata"):
                parent.remove(child)
    for element in root.iter():
        _simplify_attributes(element, referenced_ids)
    # Markers take their colours from where they are used, because CSS rules do not reach into <defs>.
    for marker in root.iterfind(".//{*}defs/{*}path"):
        marker.attrib = {key: value for key, value in marker.attrib.items() if key in ("id", "d")}
    root.attrib |= {"class": "drawing", "font-family": FONTS, "stroke-linejoin": "round", "role": "img"}
    for position, (name, text) in enumerate((("title", title), ("desc", notes), ("style", dark_rules()))):
        child = Tree.Element(f"{{{_SVG}}}{name}")
        child.text = text
        root.insert(position, child)
    return Tree.tostring(root, encoding="utf-8", xml_declaration=True)


def _simplify_attributes(element: Tree.Element, referenced_ids: set[str]) -> None:
    """Turn style declarations into attributes, round numbers and remove attributes without effect."""
    for declaration in element.attrib.pop("style", "").split(";"):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key and key != "font-family":
            element.set(key, value.lower() if value.startswith("#") else value)
    if element.get("id", "") not in referenced_ids:
        element.attrib.pop("id", None)
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    for key in _NUMERIC_ATTRIBUTES:
        if key in element.attrib:
            element.set(key, _LONG_DECIMAL.sub(_round_decimal, element.attrib[key]))


def _round_decimal(number: re.Match[str]) -> str:
    """Round a matched number to two decimals."""
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
