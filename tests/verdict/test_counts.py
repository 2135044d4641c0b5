"""Why the number of counted rows moved between two states of the published files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from reproduction.verdict.counts import counts_of, flipped, main, reason
from tests.verdict.reporting import row
from textmix.core import io
from textmix.core.errors import ConfigError


def before(**cells: str) -> dict[str, str]:
    """Return a row of an earlier published.csv."""
    return {name: str(value) for name, value in asdict(row(**cells)).items()}


def test_each_move_has_its_reason() -> None:
    ranged = before(tolerance="range", margin="")
    assert reason(ranged, row(kind="derived"), weak=False) == "range"
    assert reason(before(kind="claim"), row(kind="identity"), weak=False) == "identity"
    assert reason(before(), row(), weak=True) == "weak"
    assert reason(None, row(), weak=False) == "new"
    assert reason(before(), None, weak=False) == "other"
    assert reason(before(), row(), weak=False) == reason(before(kind="setting"), row(kind="setting"), weak=False) == ""


def test_counts_before_less_the_reasons_are_those_after() -> None:
    old = {name: before(id=name) for name in ("p.same", "p.weak", "p.identity")}
    rows = [row(id="p.same"), row(id="p.weak"), row(id="p.identity", kind="identity"), row(id="p.new")]
    found = counts_of(old, rows, {"p.weak"})
    assert found == {"before": 3, "weak": 1, "identity": 1, "new": 1, "after": 2}


def test_flipped_rows_were_judged_twice_and_not_alike(tmp_path: Path) -> None:
    verdicts = {"a": ("reproduced", "differs"), "b": ("reproduced", "reproduced"), "c": ("not run", "differs")}
    for place, name in enumerate(("old.csv", "new.csv")):
        rows = [{"id": one, "kind": "number", "verdict": pair[place]} for one, pair in verdicts.items()]
        io.write_text(tmp_path / name, io.format_csv(rows, ("id", "kind", "verdict")))
    assert flipped(tmp_path / "old.csv", tmp_path / "new.csv") == ["a: reproduced, now differs"]


def test_an_unknown_revision_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    with pytest.raises(ConfigError, match="has none at revision no-such"):
        main(["no-such"])
