"""Causes: why a published row is not reproduced, and the experiments that show it.

An entry of ``deviations.yaml`` names under ``explains`` the rows of ``published.csv`` that it explains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from textmix.core.errors import ConfigError, suggest
from textmix.verdict.published import Deviation, Published

#: Keys of ``paper.yaml`` whose entries may show a cause.
EVIDENCE = ("experiments", "measures", "figures", "tables")


@dataclass(frozen=True)
class Cause:
    """Why a row is not reproduced.

    Parameters
    ----------
    because : the cause in one sentence.
    shown_by : entries of the paper's `EVIDENCE` that show it; none where no experiment has shown it.
    """

    because: str
    shown_by: tuple[str, ...]


def causes_of(deviations: Iterable[Deviation], rows: Iterable[Published], spec: Mapping[str, Any]) -> dict[str, Cause]:
    """Return the cause of each row that a deviation explains, by the id of the row.

    Parameters
    ----------
    deviations, rows : entries of ``deviations.yaml`` and rows of ``published.csv``.
    spec : the ``paper.yaml``.

    Raises
    ------
    ConfigError : a row or an entry of ``paper.yaml`` does not exist, or a row has two causes.
    """
    known = [row.id for row in rows]
    evidence = [name for key in EVIDENCE for name in spec.get(key, ())]
    causes: dict[str, Cause] = {}
    for deviation in deviations:
        for entry in deviation.explains:
            place = f"deviations.yaml: {deviation.id}: explains"
            _refuse_unknown(entry["rows"], known, f"{place}: rows", "published.csv")
            _refuse_unknown(entry["shown_by"], evidence, f"{place}: shown_by", "paper.yaml")
            for row in entry["rows"]:
                if row in causes:
                    raise ConfigError(f"{place}: '{row}' has a cause already; remove one of the two")
                causes[row] = Cause(entry["because"], tuple(entry["shown_by"]))
    return causes


def _refuse_unknown(names: Iterable[str], known: Iterable[str], place: str, file: str) -> None:
    """Raise a ConfigError for a name that the file lacks."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ConfigError(f"{place}: {file} has no '{name}'; {suggest(name, known)}")
