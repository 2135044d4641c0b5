"""Check all references in the published rows, checks, choices, tables and figures of a paper.

The check runs while the workflow is parsed, so that a misspelt name is reported before the first job.
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
from reproduction.verdict.main_claims import EXPERIENCE_KEYS, rows_of_claim
from reproduction.verdict.published import UNITS, Record, read_record
from reproduction.verdict.quoted_values import references
from reproduction.verdict.resolve import setting_of

#: Sections of paper.yaml with entries that a cause can cite as evidence.
EVIDENCE_SECTIONS = ("experiments", "measures", "figures", "tables")


def check_papers(papers: Mapping[str, Mapping[str, Any]], folders: Mapping[str, Path], root: Path) -> None:
    """Check the references in all papers; ``root`` contains ``config/``, ``workflow/`` and optionally ``tests/``."""
    for name, spec in papers.items():
        folder = folders[name]
        check_record(read_record(folder, root / "workflow/schemas"), spec, folder, root / "tests")


def check_record(record: Record, spec: Mapping[str, Any], folder: Path, tests: Path) -> None:
    """Check the references in the files of one paper.

    Parameters
    ----------
    record : Record
        Published rows, checks and choices.
    spec : mapping
        Its ``paper.yaml``.
    folder : Path
        Configuration folder, for messages.
    tests : Path
        Folder of the tests to which equations refer.

    Raises
    ------
    ConfigError
        If a reference cannot be resolved; the message suggests the closest name.
    """
    _check_rows(record, spec, folder, tests)
    for name, check in record.checks.items():
        for side in ("left", "right"):
            for text in check.get(side, ()):
                location = f"{folder / 'checks.yaml'}: {name}.{side}: {text}"
                check_locator(parse_locator(text, location), spec, location, tests)
    causes_of(record.choices, record.rows)
    _check_choices(record, spec, folder, tests)
    _check_tables_and_figures(record, spec, folder / "paper.yaml")
    _check_main_claims(record, spec, folder / "paper.yaml")


def _check_rows(record: Record, spec: Mapping[str, Any], folder: Path, tests: Path) -> None:
    """Check the units, roles and locators of the published rows."""
    for row in record.rows:
        location = f"{folder / 'published.csv'}, line {row.line}, column"
        check_name("unit", row.unit, [*UNITS, *spec.get("units", ())], f"{location} unit")
        if row.dataset:
            check_name("role", row.dataset, spec["roles"], f"{location} dataset")
        if row.locator is not None:
            check_locator(row.locator, spec, f"{location} source", tests)


def _check_tables_and_figures(record: Record, spec: Mapping[str, Any], paper: Path) -> None:
    """Check the artefacts of the tables and the published rows of the figures."""
    for name, table in spec["tables"].items():
        artefacts = [table["artefact"]] if isinstance(table["artefact"], str) else table["artefact"]
        for artefact in artefacts:
            known_artefacts = dict.fromkeys(row.artefact for row in record.rows)
            check_name("artefact", artefact, known_artefacts, f"{paper}: tables.{name}.artefact")
    row_ids = [row.id for row in record.rows]
    # A figure may specify a common prefix of the ids of several methods.
    prefixes = list(dict.fromkeys(prefix for row_id in row_ids for prefix in (row_id, row_id.rpartition(".")[0])))
    for name, figure in spec["figures"].items():
        for key, prefix in figure.get("published", {}).items():
            check_name("published row", prefix, prefixes, f"{paper}: figures.{name}.published.{key}")
        for row_id in figure.get("published_rows", ()):
            check_name("published row", row_id, row_ids, f"{paper}: figures.{name}.published_rows")


def _check_choices(record: Record, spec: Mapping[str, Any], folder: Path, tests: Path) -> None:
    """Check the references in the effects and causes of the choices; see `check_record` for the parameters."""
    row_ids = [row.id for row in record.rows]
    evidence = [name for section in EVIDENCE_SECTIONS for name in spec[section]]
    for choice in record.choices:
        location = f"{folder / 'choices.yaml'}: {choice.id}"
        for row_id, _ in references(choice.effect):
            check_name("published row", row_id, row_ids, f"{location}.effect")
        for entry in choice.explains:
            for name in entry["evidence"]:
                check_name("experiment, measure, figure or table", name, evidence, f"{location}.explains.evidence")
            for text in entry.get("values", ()):
                value_place = f"{location}.explains.values: {text}"
                check_locator(parse_locator(text, value_place), spec, value_place, tests)


def _check_main_claims(record: Record, spec: Mapping[str, Any], paper: Path) -> None:
    """Check the rows of the main claims, and the references in the experience report."""
    row_ids = [row.id for row in record.rows]
    for number, claim in enumerate(spec.get("main_claims", ()), start=1):
        rows_of_claim(claim, row_ids, f"{paper}: main_claims, entry {number}")
    for key in EXPERIENCE_KEYS:
        for text in spec.get(key, ()):
            for row_id, _ in references(text):
                check_name("published row", row_id, row_ids, f"{paper}: {key}")


def check_locator(locator: Locator, spec: Mapping[str, Any], location: str, tests: Path) -> None:
    """Check that a locator can be resolved for a paper, except for keys of measures, which only their code defines."""
    match locator:
        case DataLocator() | FeaturesLocator():
            check_name("role", locator.role, spec["roles"], location)
            check_name("statistic", locator.statistic, STATISTICS, location)
            if isinstance(locator, FeaturesLocator):
                check_name("features", locator.features, spec["features"], location)
        case ScoreLocator() | TimeLocator():
            _check_fit(locator, spec, location)
        case MeasureLocator():
            check_name("measure", locator.measure, spec["measures"], location)
        case SettingLocator():
            setting_of(spec, locator, location)
        case TestLocator() if tests.is_dir():
            if not (tests / locator.file).is_file():
                files = sorted(path.relative_to(tests).as_posix() for path in tests.rglob("test_*.py"))
                check_name("test file", locator.file, files, location)
            text = (tests / locator.file).read_text(encoding="utf-8")
            check_name("test", locator.function, re.findall(r"^def (\w+)", text, re.MULTILINE), location)


def _check_fit(locator: ScoreLocator | TimeLocator, spec: Mapping[str, Any], location: str) -> None:
    """Check the experiment, role, method and metric in a locator of a score or a time."""
    check_name("experiment", locator.experiment, spec["experiments"], location)
    experiment = spec["experiments"][locator.experiment]
    where = f"{location}: experiment {locator.experiment}"
    check_name("role", locator.role, experiment["roles"], where)
    check_name("method", locator.method, experiment["methods"], where)
    if isinstance(locator, ScoreLocator):
        check_name("metric", locator.metric, experiment["metrics"], where)
        variants = variants_of(experiment["methods"][locator.method])
        needs_variant = "" not in variants and len(variants) > 1
        if locator.variant is not None or needs_variant:
            check_name("variant", locator.variant or "", variants, f"{where}, method {locator.method}")
