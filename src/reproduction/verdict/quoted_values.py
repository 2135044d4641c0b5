"""References to recorded results in the prose of ``choices.yaml``, so that no result stands there by hand.

``{row}`` is the value of a published row in the recorded run.  ``{row at factor=level; factor=level}`` is its value on
the recorded specification curve, under the reading that has these levels and else those of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from reproduction.flow.curves import levels_of, levels_text
from reproduction.verdict.published import Published
from reproduction.verdict.recorded_run import RecordedRow
from reproduction.verdict.wording import shown, with_deviation
from textmix.core.errors import ConfigError, suggest

REFERENCE = re.compile(r"\{([^{}]+)\}")
_LEVELS = " at "


def references(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the row and the levels of each reference of a text: those of a reading, or none for the recorded run."""
    return map(_parsed, REFERENCE.findall(text))


def quoted(
    text: str,
    published: Mapping[str, Published],
    recorded: Mapping[str, RecordedRow],
    readings: Sequence[Mapping[str, str]],
    place: str,
) -> str:
    """Return a text of ``choices.yaml`` with the recorded values of its references, shown as the rows print theirs."""

    def value(found: re.Match[str]) -> str:
        name, levels = _parsed(found[1])
        if name not in published:
            raise ConfigError(f"{place}: published.csv has no '{name}'; {suggest(name, published)}")
        printed = published[name].value
        if levels:
            return shown(_reading(name, levels, readings, place), printed)
        row = recorded.get(name)
        if row is None or not row.rebuilt:
            raise ConfigError(f"{place}: recorded/rows.csv has no value of '{name}'; name another or record a run")
        return with_deviation(shown(row.rebuilt, printed), shown(row.rebuilt_spread, printed, significant=1))

    return REFERENCE.sub(value, text)


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    """Return a reference, without its braces; ``row at factor=level`` may be broken over lines."""
    row, _, levels = " ".join(text.split()).partition(_LEVELS)
    return row, levels_of(levels) if levels else {}


def _reading(name: str, levels: Mapping[str, str], readings: Sequence[Mapping[str, str]], place: str) -> str:
    """Return the recorded value of the reading that differs from the choice of the table by these levels."""
    rows = [row for row in readings if row["row"] == name]
    table = next((levels_of(row["levels"]) for row in rows if row["point"] == "0"), {})
    for factor in levels:
        if factor not in table:
            remedy = suggest(factor, table) or "record its curve"
            raise ConfigError(f"{place}: the recorded curve of '{name}' has no factor '{factor}'; {remedy}")
    asked = {**table, **levels}
    value = next((row["value"] for row in rows if levels_of(row["levels"]) == asked), "")
    if not value:
        remedy = f"has no reading '{levels_text(asked)}'; name another"
        raise ConfigError(f"{place}: the recorded curve of '{name}' {remedy}")
    return value
