"""The last step of every drawing: Matplotlib's SVG becomes plain attributes, the reader's fonts, light and dark."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Tree

import defusedxml.ElementTree as SafeTree

#: Colour on light paper -> its counterpart on dark paper.  A figure uses these colours only.
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
#: The fonts of the reader.  None is wider than the last, by which Matplotlib places text, so that no text is cut.
FONTS = "'Source Sans 3', 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, 'DejaVu Sans', sans-serif"
_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"(?:url\(|href=\")#([^)\"]+)")
_LONG = re.compile(r"-?\d+\.\d{3,}")
_MEASURES = ("d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "points")


def dark_rules() -> str:
    """Return the style rules that give the colours of drawings their dark form; a page with drawings needs them.

    They replace attributes by their values, so that a reader of SVG without style sheets still shows the light form.
    """
    rules = (
        f".drawing [{key}='{light}']{{{key}:{dark}}}" for light, dark in DARK.items() for key in ("fill", "stroke")
    )
    return f"@media screen and (prefers-color-scheme:dark){{{''.join(rules)}}}"


def postprocess_svg(svg: bytes, title: str, notes: str) -> bytes:
    """Return Matplotlib's SVG as a file that stands alone.

    Declarations of style become attributes, numbers have two decimals, and text stays text.  The file names its title
    (``<title>``) and the sentences about what it shows (``<desc>``), and follows the reader's choice of light or dark.
    """
    Tree.register_namespace("", _SVG)
    Tree.register_namespace("xlink", _LINK)
    root = SafeTree.fromstring(svg)
    wanted = set(_REFERENCE.findall(svg.decode()))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}style", f"{{{_SVG}}}metadata"):
                parent.remove(child)
    for element in root.iter():
        _attributes(element, wanted)
    # A mark takes its colours from where it is used: a rule for dark paper does not reach into its definition.
    for mark in root.iterfind(".//{*}defs/{*}path"):
        mark.attrib = {key: value for key, value in mark.attrib.items() if key in ("id", "d")}
    root.attrib |= {"class": "drawing", "font-family": FONTS, "stroke-linejoin": "round", "role": "img"}
    for position, (name, text) in enumerate((("title", title), ("desc", notes), ("style", dark_rules()))):
        child = Tree.Element(f"{{{_SVG}}}{name}")
        child.text = text
        root.insert(position, child)
    return Tree.tostring(root, encoding="utf-8", xml_declaration=True)


def _attributes(element: Tree.Element, wanted: set[str]) -> None:
    """Turn an element's declarations of style into attributes, shorten its numbers, and drop what changes nothing."""
    for declaration in element.attrib.pop("style", "").split(";"):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key and key != "font-family":
            element.set(key, value.lower() if value.startswith("#") else value)
    if element.get("id", "") not in wanted:
        element.attrib.pop("id", None)
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    for key in _MEASURES:
        if key in element.attrib:
            element.set(key, _LONG.sub(_short, element.attrib[key]))


def _short(number: re.Match[str]) -> str:
    """Return a number with at most two decimals."""
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
