"""Reading ``history.md``, where each change that was made after results had been seen has its entry."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable


def sections(history: str) -> dict[str, str]:
    """Return heading -> text of each entry of a history.md."""
    parts = re.split(r"^## (.+)$", history, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def names(text: str, item: str) -> bool:
    """Return whether a text names an item in backticks, by its name or by a pattern such as ``pmm.t1.*``."""
    return any(fnmatch.fnmatchcase(item, pattern) for pattern in re.findall(r"`([^`]+)`", text))


def marked(history: str, ids: Iterable[str]) -> dict[str, str]:
    """Return id -> mark of the rows whose margin or reading was chosen after test results had been seen.  An entry
    names them, by id or pattern, in an item that begins with ``- Widened:`` or ``- Chosen:``.
    """
    found: dict[str, str] = {}
    for heading, text in sections(history).items():
        for word, item in re.findall(r"^- (Widened|Chosen):((?:.|\n(?=  ))*)", text, flags=re.MULTILINE):
            what = "Its margin was widened" if word == "Widened" else "Its reading was chosen"
            mark = f"{what} after test results had been seen: history.md, {heading}"
            found |= {name: mark for name in ids if names(item, name)}
    return found
