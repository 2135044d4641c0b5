"""Text from files on a terminal: control characters, which could rewrite what a user sees, as their codes."""

from __future__ import annotations

import io
import logging
import re

#: Control characters, halves of surrogate pairs, further ends of lines, and marks that turn the direction of writing.
_HIDDEN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


def visible(text: str) -> str:
    """Return one line of text with each control character as its code in Python."""
    return _HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class Visible(logging.Formatter):
    """Writes each message as one line, see `visible`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return visible(super().format(record))


class VisibleStream(io.TextIOWrapper):
    """A text stream to a terminal: lines end and cells are apart as ever; see `visible` for the rest."""

    def write(self, text: str) -> int:
        """Write text."""
        return super().write("".join(part if part in "\t\n" else visible(part) for part in re.split("([\t\n])", text)))

    def writelines(self, lines: object) -> None:
        """Write texts one after the other."""
        for line in lines:  # type: ignore[attr-defined]
            self.write(line)
