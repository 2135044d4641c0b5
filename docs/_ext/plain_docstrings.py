"""Docstrings as the code has them, made fit for Sphinx.

They are plain text: formulas with TeX's names of letters, names with an underscore at the end, and entries
``name : meaning``.  To reStructuredText a backslash, an asterisk, a bar and an underscore at the end of a word are
markup, and numpydoc takes what follows the colon for a type.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from sphinx.application import Sphinx

#: Parts that stay as they are: literals, names between backticks, bold words.
KEPT = re.compile(r"(``.+?``|`[^`]+`|\*\*[^*\s][^*]*\*\*)")
ENTRY = re.compile(r"^(?P<names>[*\w\[\].,+ ]+?) : (?P<meaning>.+)$")
SIGNS = {"sum": "∑", "prod": "∏", "in": "∈", "log": "log", "hat": "", "geq": "≥", "leq": "≤"}
LISTS = {"Parameters", "Attributes", "Returns", "Yields", "Raises"}


def sign(found: re.Match[str]) -> str:
    """Return the letter or sign that a name of TeX stands for; the name itself where there is none."""
    name = found[1]
    if name in SIGNS:
        return SIGNS[name]
    size = "SMALL" if name.islower() else "CAPITAL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.replace('lambda', 'lamda').upper()}")
    except KeyError:
        return found[0]


def escaped(line: str) -> str:
    """Return a line of plain text whose special characters mean themselves."""
    parts = KEPT.split(line)
    for place in range(0, len(parts), 2):
        text = re.sub(r"\\([A-Za-z]+)", sign, parts[place])
        text = re.sub(r"([\\*|])", r"\\\1", text)
        parts[place] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", text)
    return "".join(parts)


def converted(lines: list[str]) -> list[str]:
    """Return the lines of a docstring as numpydoc reads them."""
    found: list[str] = []
    section = ""
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if following and set(following) == {"-"}:
            section = line
        # An entry with an indented description is in numpydoc's form already.
        is_described = following.startswith("    ")
        entry = ENTRY.match(line) if section in LISTS and not is_described else None
        if section == "Examples" or (line and set(line) == {"-"}):
            found.append(line)
        elif entry:
            found += [entry["names"], f"    {escaped(entry['meaning'])}"]
        else:
            found.append(escaped(line))
    return found


def process(app: Sphinx, kind: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    """Convert the docstrings of textmix; Sphinx calls it for each, before numpydoc."""
    if getattr(item, "__module__", "").startswith("textmix"):
        lines[:] = converted(lines)


def skipped(app: Sphinx, kind: str, name: str, item: Any, skip: bool, options: Any) -> bool | None:
    """Return whether a member is left out: what scikit-learn gives every estimator; None leaves it to Sphinx."""
    function = getattr(item, "fget", None) or item
    ours = str(getattr(function, "__module__", "")).startswith("textmix")
    return None if kind in {"module", "class"} and ours and not name.endswith("_request") else True


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx before numpydoc, whose priority is 500."""
    app.connect("autodoc-process-docstring", process, priority=400)
    app.connect("autodoc-skip-member", skipped)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
