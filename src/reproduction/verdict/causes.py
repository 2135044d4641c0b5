"""Causes of rows that are not reproduced, and the supporting experiments (``explains`` in ``choices.yaml``)."""

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
    """The cause of a row that is not reproduced.

    Parameters
    ----------
    reason : str
        The cause in one sentence.
    evidence : tuple of str
        Experiments, measures, figures or tables of the paper's ``paper.yaml``; a run may skip some of them.
    values : tuple of str, default=()
        Locators of results that support it.
    """

    reason: str
    evidence: tuple[str, ...]
    values: tuple[str, ...] = ()


#: Columns of ``causes.csv``: ``value`` is empty if it is missing for the ``reason``.
CAUSE_COLUMNS = ("locator", "value", "reason")


def causes_of(choices: Iterable[Choice], rows: Iterable[Published]) -> dict[str, Cause]:
    """Return row id -> cause, for the rows that a choice explains."""
    row_ids = [row.id for row in rows]
    causes: dict[str, Cause] = {}
    for choice in choices:
        location = f"choices.yaml: {choice.id}: explains"
        for entry in choice.explains:
            for row_id in entry["rows"]:
                if row_id not in row_ids:
                    raise ConfigError(f"{location}: published.csv has no '{row_id}'; {suggest(row_id, row_ids)}")
                if row_id in causes:
                    raise ConfigError(f"{location}: '{row_id}' has a cause already; remove one of the two")
                causes[row_id] = Cause(entry["reason"], tuple(entry["evidence"]), tuple(entry.get("values", ())))
    return causes


def cause_rows(locators: Iterable[str], results: Results) -> list[dict[str, Any]]:
    """Return the rows of ``causes.csv``: results cited by causes, with values or reasons for missing values."""
    rows: list[dict[str, Any]] = []
    for locator in dict.fromkeys(locators):
        try:
            reproduced = locate(results, parse_locator(locator, "choices.yaml: values"))
        except MissingResult as missing:
            rows.append({"locator": locator, "value": None, "reason": missing.reason})
        else:
            rows.append({"locator": locator, "value": rounded(float(reproduced.value)), "reason": ""})
    return rows
