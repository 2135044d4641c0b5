"""References to recorded results in the prose of ``choices.yaml``, so that no result stands there by hand.

``{row}`` is the value of a published row in the recorded run.  ``{row at factor=level; factor=level}`` is its value on
the recorded specification curve, under the reading that has these levels and else those of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reproduction.flow.curves import levels_of, levels_text
from reproduction.verdict.published import Published
from reproduction.verdict.recorded import RecordedRow
from reproduction.verdict.words import shown, with_deviation
from textmix.core.errors import ConfigError, suggest

REFERENCE = re.compile(r"\{([^{}]+)\}")
_LEVELS = " at "


@dataclass(frozen=True)
class Reference:
    """A recorded result that a text names: a row under a reading's levels, or without levels in the recorded run."""

    row: str
    levels: Mapping[str, str]


def references(text: str) -> Iterator[Reference]:
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
        one = _parsed(found[1])
        if one.row not in published:
            raise ConfigError(f"{place}: published.csv has no '{one.row}'; {suggest(one.row, published)}")
        printed = published[one.row].value
        if one.levels:
            return shown(_reading(one, readings, place), printed)
        row = recorded.get(one.row)
        if row is None or not row.rebuilt:
            raise ConfigError(f"{place}: recorded/rows.csv has no value of '{one.row}'; name another or record a run")
        return with_deviation(shown(row.rebuilt, printed), shown(row.rebuilt_spread, printed, significant=1))

    return REFERENCE.sub(value, text)


def _parsed(text: str) -> Reference:
    """Return a reference, without its braces; ``row at factor=level`` may be broken over lines."""
    row, _, levels = " ".join(text.split()).partition(_LEVELS)
    return Reference(row, levels_of(levels) if levels else {})


def _reading(reference: Reference, readings: Sequence[Mapping[str, str]], place: str) -> str:
    """Return the recorded value of the reading that differs from the choice of the table by a reference's levels."""
    rows = [row for row in readings if row["row"] == reference.row]
    table = next((levels_of(row["levels"]) for row in rows if row["point"] == "0"), {})
    for factor in reference.levels:
        if factor not in table:
            remedy = suggest(factor, table) or "record its curve"
            raise ConfigError(f"{place}: the recorded curve of '{reference.row}' has no factor '{factor}'; {remedy}")
    asked = {**table, **reference.levels}
    value = next((row["value"] for row in rows if levels_of(row["levels"]) == asked), "")
    if not value:
        remedy = f"has no reading '{levels_text(asked)}'; name another"
        raise ConfigError(f"{place}: the recorded curve of '{reference.row}' {remedy}")
    return value
