"""Convert the plain-text docstrings of textmix to reStructuredText.

The docstrings contain TeX names of letters, attribute names with a trailing underscore, and one-line entries
``name : description``.  In reStructuredText, backslashes, asterisks, bars and trailing underscores are markup, and
numpydoc parses the text after the colon as a type.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from sphinx.application import Sphinx

#: Literals, interpreted text and bold words, which must not be escaped.
MARKUP = re.compile(r"(``.+?``|`[^`]+`|\*\*[^*\s][^*]*\*\*)")
ENTRY = re.compile(r"^(?P<names>[*\w\[\].,+ ]+?) : (?P<description>.+)$")
SYMBOLS = {"sum": "∑", "prod": "∏", "in": "∈", "log": "log", "hat": "", "geq": "≥", "leq": "≤"}
LISTS = {"Parameters", "Attributes", "Returns", "Yields", "Raises"}


def unicode_symbol(match: re.Match[str]) -> str:
    """Return the Unicode character of a TeX command, or the command itself if it has none."""
    name = match[1]
    if name in SYMBOLS:
        return SYMBOLS[name]
    size = "SMALL" if name.islower() else "CAPITAL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.replace('lambda', 'lamda').upper()}")
    except KeyError:
        return match[0]


def escape(line: str) -> str:
    """Escape the special characters of reStructuredText in a line of plain text."""
    parts = MARKUP.split(line)
    for index in range(0, len(parts), 2):
        text = re.sub(r"\\([A-Za-z]+)", unicode_symbol, parts[index])
        text = re.sub(r"([\\*|])", r"\\\1", text)
        parts[index] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", text)
    return "".join(parts)


def to_numpydoc(lines: list[str]) -> list[str]:
    """Convert the lines of a docstring to the form that numpydoc parses."""
    converted: list[str] = []
    section = ""
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if following and set(following) == {"-"}:
            section = line
        # An entry with an indented description already has the form of numpydoc.
        is_described = following.startswith("    ")
        entry = ENTRY.match(line) if section in LISTS and not is_described else None
        if section == "Examples" or (line and set(line) == {"-"}):
            converted.append(line)
        elif entry:
            converted += [entry["names"], f"    {escape(entry['description'])}"]
        else:
            converted.append(escape(line))
    return converted


def process(app: Sphinx, kind: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    """Convert a docstring of textmix before numpydoc processes it."""
    if getattr(item, "__module__", "").startswith("textmix"):
        lines[:] = to_numpydoc(lines)


def skip_inherited(app: Sphinx, kind: str, name: str, item: Any, skip: bool, options: Any) -> bool | None:
    """Skip the members that every estimator inherits from scikit-learn; None means the default of Sphinx."""
    function = getattr(item, "fget", None) or item
    ours = str(getattr(function, "__module__", "")).startswith("textmix")
    return None if kind in {"module", "class"} and ours and not name.endswith("_request") else True


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the handlers; numpydoc has priority 500 and must run later."""
    app.connect("autodoc-process-docstring", process, priority=400)
    app.connect("autodoc-skip-member", skip_inherited)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
