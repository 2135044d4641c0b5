"""References to recorded results in the prose of ``choices.yaml``, which avoid hard-coded results.

``{row}`` is the value of a published row in the recorded run.  ``{row at factor=level; factor=level}`` is its value on
the recorded specification curve, for the alternative with these levels and otherwise the levels of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from reproduction.flow.curves import levels_of, levels_text
from reproduction.verdict.published import Published
from reproduction.verdict.recorded_run import RecordedRow
from reproduction.verdict.wording import shown, value_text
from textmix.core.errors import ConfigError, suggest

REFERENCE = re.compile(r"\{([^{}]+)\}")
#: Separator between the row of a reference and its levels.
LEVELS_MARK = " at "


def references(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield row and levels of each reference in a text; the levels are empty for a value of the recorded run."""
    return map(_parse_reference, REFERENCE.findall(text))


def quoted(
    text: str,
    published: Mapping[str, Published],
    recorded: Mapping[str, RecordedRow],
    points: Sequence[Mapping[str, str]],
    location: str,
) -> str:
    """Replace the references of a text by recorded values.

    Parameters
    ----------
    text : str
        A text of ``choices.yaml``.
    published : mapping of str to Published
        The published rows by id; values are shown with their digits.
    recorded : mapping of str to RecordedRow
        The recorded rows by id.
    points : sequence of mapping
        The rows of the recorded specification curves.
    location : str
        Place of the text, for messages.

    Raises
    ------
    ConfigError
        If a row, level or recorded value does not exist.
    """

    def quote(match: re.Match[str]) -> str:
        name, levels = _parse_reference(match[1])
        if name not in published:
            raise ConfigError(f"{location}: published.csv has no '{name}'; {suggest(name, published)}")
        printed = published[name].value
        if levels:
            return shown(_value_of_point(name, levels, points, location), printed)
        row = recorded.get(name)
        if row is None or not row.reproduced:
            raise ConfigError(f"{location}: recorded/rows.csv has no value of '{name}'; name another or record a run")
        return value_text(row.reproduced, row.reproduced_sd, printed)

    return REFERENCE.sub(quote, text)


def _parse_reference(text: str) -> tuple[str, dict[str, str]]:
    """Parse the content of the braces of a reference, which may contain line breaks, into row and levels."""
    row, _, levels = " ".join(text.split()).partition(LEVELS_MARK)
    return row, levels_of(levels) if levels else {}


def _value_of_point(name: str, levels: Mapping[str, str], points: Sequence[Mapping[str, str]], location: str) -> str:
    """Return the recorded value of the alternative that differs from the choice of the table in these levels."""
    curve = [point for point in points if point["row"] == name]
    table_levels = next((levels_of(point["levels"]) for point in curve if point["point"] == "0"), {})
    for factor in levels:
        if factor not in table_levels:
            remedy = suggest(factor, table_levels) or "record its curve"
            raise ConfigError(f"{location}: the recorded curve of '{name}' has no factor '{factor}'; {remedy}")
    expected = {**table_levels, **levels}
    value = next((point["value"] for point in curve if levels_of(point["levels"]) == expected), "")
    if not value:
        raise ConfigError(
            f"{location}: the recorded curve of '{name}' has no alternative '{levels_text(expected)}'; name another"
        )
    return value
