"""Causes: why a row is not reproduced, and the experiments that show it (``explains`` in ``choices.yaml``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from reproduction.flow.locators import parse_locator
from reproduction.flow.results import Results, rounded
from reproduction.verdict.published import Choice, Published
from reproduction.verdict.resolve import locate
from textmix.core.errors import ConfigError, MissingResult, suggest


@dataclass(frozen=True)
class Cause:
    """Why a row is not reproduced.

    Parameters
    ----------
    reason : the cause in one sentence.
    evidence : experiments, measures, figures or tables of the paper's ``paper.yaml``; a run may leave some of them out.
    values : locators of results that show it.
    """

    reason: str
    evidence: tuple[str, ...]
    values: tuple[str, ...] = ()


#: Columns of ``causes.csv``: ``value`` is empty where ``reason`` says why there is none.
GIVEN = ("locator", "value", "reason")


def causes_of(choices: Iterable[Choice], rows: Iterable[Published]) -> dict[str, Cause]:
    """Return the cause of each row that a choice explains, by the id of the row."""
    known = [row.id for row in rows]
    causes: dict[str, Cause] = {}
    for choice in choices:
        place = f"choices.yaml: {choice.id}: explains"
        for entry in choice.explains:
            for row in entry["rows"]:
                if row not in known:
                    raise ConfigError(f"{place}: published.csv has no '{row}'; {suggest(row, known)}")
                if row in causes:
                    raise ConfigError(f"{place}: '{row}' has a cause already; remove one of the two")
                causes[row] = Cause(entry["reason"], tuple(entry["evidence"]), tuple(entry.get("values", ())))
    return causes


def given_rows(locators: Iterable[str], results: Results) -> list[dict[str, Any]]:
    """Return the rows of ``causes.csv``: the value of each result that causes name, or why a run has none."""
    rows: list[dict[str, Any]] = []
    for text in dict.fromkeys(locators):
        try:
            found = locate(results, parse_locator(text, "choices.yaml: gives"))
        except MissingResult as missing:
            rows.append({"locator": text, "value": None, "reason": missing.reason})
        else:
            rows.append({"locator": text, "value": rounded(float(found.value)), "reason": ""})
    return rows
