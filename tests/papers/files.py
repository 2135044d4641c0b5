"""What the tests of several papers ask of the files of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reproduction.flow.locators import parse_locator
from reproduction.flow.measures import Measure
from reproduction.flow.papers import resolve_published
from reproduction.flow.results import Results, RoleEntry
from reproduction.verdict.published import read_record
from textmix.core.config import load_yaml_strict

ROOT = Path(__file__).resolve().parents[2]


def spec_of(paper: str) -> dict[str, Any]:
    """Return the paper.yaml of a paper."""
    folder = ROOT / "config/papers" / paper
    spec: dict[str, Any] = load_yaml_strict(folder / "paper.yaml")
    return {**spec, "measures": resolve_published(spec.get("measures", {}), folder, paper)}


def results_of(paper: str, root: Path) -> Results:
    """Return the results of a paper below a folder; the data of each role are made."""
    spec = spec_of(paper)
    return Results(root, paper, {role: RoleEntry("made") for role in spec["roles"]}, spec)


def assert_measured(paper: str, measures: Mapping[str, Measure], least: int) -> None:
    """Assert that measures give every measured number that the files of a paper name, of which there are some."""
    record = read_record(ROOT / "config/papers" / paper, ROOT / "workflow/schemas")
    locators = [row.source for row in record.rows]
    locators += [name for check in record.checks.values() for side in ("left", "right") for name in check.get(side, ())]
    named = [parse_locator(name) for name in locators if name.startswith("measure:")]
    assert len(named) > least
    for locator in named:
        assert locator.key in measures[locator.measure].values, str(locator)
