"""Every name that the published rows, checks, choices, tables and figures of a paper use is one that there is.

The workflow asks it while it is parsed, so that a misspelt name ends a run before its first job.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reproduction.flow.locators import (
    STATISTICS,
    DataLocator,
    FeaturesLocator,
    Locator,
    MeasureLocator,
    ScoreLocator,
    SettingLocator,
    TestLocator,
    TimeLocator,
    parse_locator,
)
from reproduction.flow.papers import check_name, variants_of
from reproduction.verdict.causes import causes_of
from reproduction.verdict.published import UNITS, Record, read_record
from reproduction.verdict.quoted_values import references
from reproduction.verdict.resolve import setting_of

#: Parts of paper.yaml that a choice can name as what shows its effect.
_SHOWN = ("experiments", "measures", "figures", "tables")


def check_papers(papers: Mapping[str, Mapping[str, Any]], folders: Mapping[str, Path], root: Path) -> None:
    """Check the names in the files of all papers; ``root`` holds ``config/``, ``workflow/`` and perhaps ``tests/``."""
    for name, spec in papers.items():
        folder = folders[name]
        check_record(read_record(folder, root / "workflow/schemas"), spec, folder, root / "tests")


def check_record(record: Record, spec: Mapping[str, Any], folder: Path, tests: Path) -> None:
    """Check the names in the files of one paper."""
    published, paper = folder / "published.csv", folder / "paper.yaml"
    for row in record.rows:
        place = f"{published}, line {row.line}, column"
        check_name("unit", row.unit, [*UNITS, *spec.get("units", ())], f"{place} unit")
        if row.dataset:
            check_name("role", row.dataset, spec["roles"], f"{place} dataset")
        if row.locator is not None:
            check_locator(row.locator, spec, f"{place} source", tests)
    for name, check in record.checks.items():
        for side in ("left", "right"):
            for text in check.get(side, ()):
                place = f"{folder / 'checks.yaml'}: {name}.{side}: {text}"
                check_locator(parse_locator(text, place), spec, place, tests)
    causes_of(record.choices, record.rows)
    _check_choices(record, spec, folder, tests)
    for name, table in spec["tables"].items():
        artefacts = [table["artefact"]] if isinstance(table["artefact"], str) else table["artefact"]
        for artefact in artefacts:
            known = dict.fromkeys(row.artefact for row in record.rows)
            check_name("artefact", artefact, known, f"{paper}: tables.{name}.artefact")
    # A figure may name the rows of several methods by the beginning of their ids.
    rows = list(dict.fromkeys(part for row in record.rows for part in (row.id, row.id.rpartition(".")[0])))
    for name, figure in spec["figures"].items():
        for drawn, row_id in figure.get("published", {}).items():
            check_name("published row", row_id, rows, f"{paper}: figures.{name}.published.{drawn}")
        for row_id in figure.get("published_rows", ()):
            check_name(
                "published row", row_id, [row.id for row in record.rows], f"{paper}: figures.{name}.published_rows"
            )


def _check_choices(record: Record, spec: Mapping[str, Any], folder: Path, tests: Path) -> None:
    """Check the names of what shows the effects and causes of one paper; the parameters are those of `check_record`."""
    rows = [row.id for row in record.rows]
    for choice in record.choices:
        for row, _ in references(choice.effect):
            check_name("published row", row, rows, f"{folder / 'choices.yaml'}: {choice.id}.effect")
        for shown in (name for entry in choice.explains for name in entry["evidence"]):
            parts = [name for part in _SHOWN for name in spec[part]]
            place = f"{folder / 'choices.yaml'}: {choice.id}.explains.evidence"
            check_name("experiment, measure, figure or table", shown, parts, place)
        for given in (text for entry in choice.explains for text in entry.get("values", ())):
            place = f"{folder / 'choices.yaml'}: {choice.id}.explains.values: {given}"
            check_locator(parse_locator(given, place), spec, place, tests)


def check_locator(locator: Locator, spec: Mapping[str, Any], place: str, tests: Path) -> None:
    """Check that a locator names what a paper has; the keys of a measure are made by code alone."""
    match locator:
        case DataLocator() | FeaturesLocator():
            check_name("role", locator.role, spec["roles"], place)
            check_name("statistic", locator.statistic, STATISTICS, place)
            if isinstance(locator, FeaturesLocator):
                check_name("features", locator.features, spec["features"], place)
        case ScoreLocator() | TimeLocator():
            _check_fit(locator, spec, place)
        case MeasureLocator():
            check_name("measure", locator.measure, spec["measures"], place)
        case SettingLocator():
            setting_of(spec, locator, place)
        case TestLocator() if tests.is_dir():
            if not (tests / locator.file).is_file():
                files = sorted(path.relative_to(tests).as_posix() for path in tests.rglob("test_*.py"))
                check_name("test file", locator.file, files, place)
            text = (tests / locator.file).read_text(encoding="utf-8")
            check_name("test", locator.function, re.findall(r"^def (\w+)", text, re.MULTILINE), place)


def _check_fit(locator: ScoreLocator | TimeLocator, spec: Mapping[str, Any], place: str) -> None:
    """Check that a locator of a score or a time names an experiment of the paper and what this experiment has."""
    check_name("experiment", locator.experiment, spec["experiments"], place)
    experiment = spec["experiments"][locator.experiment]
    where = f"{place}: experiment {locator.experiment}"
    check_name("role", locator.role, experiment["roles"], where)
    check_name("method", locator.method, experiment["methods"], where)
    if isinstance(locator, ScoreLocator):
        check_name("metric", locator.metric, experiment["metrics"], where)
        known = variants_of(experiment["methods"][locator.method])
        if locator.variant is not None or ("" not in known and len(known) > 1):
            check_name("variant", locator.variant or "", known, f"{where}, method {locator.method}")
