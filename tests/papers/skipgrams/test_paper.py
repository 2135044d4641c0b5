"""Every source that the files of the skip-grams paper name is what the measures give."""

from __future__ import annotations

from reproduction.flow.locators import MeasureLocator, ScoreLocator, parse_locator
from reproduction.flow.measures import Measure
from reproduction.verdict.published import read_record
from tests.papers.files import ROOT
from tests.papers.skipgrams.example import SPEC


def test_every_source_names_what_the_measures_give(measured: dict[str, Measure]) -> None:
    record = read_record(ROOT / "config/papers/skipgrams", ROOT / "workflow/schemas")
    sources = {row.source for row in record.rows if row.source and not row.source.startswith("check:")}
    for check in record.checks.values():
        sources |= {*check["left"], *check.get("right", ())}
    settings = SPEC["measures"]
    for locator in map(parse_locator, sorted(sources)):
        if isinstance(locator, ScoreLocator):
            experiment = SPEC["experiments"][locator.experiment]
            assert locator.role in experiment["roles"] and locator.method in experiment["methods"], locator
        elif isinstance(locator, MeasureLocator) and locator.measure.endswith("_examples"):
            assert locator.key in settings[locator.measure]["settings"]["phrases"], locator
        elif isinstance(locator, MeasureLocator) and locator.measure.endswith("_curves"):
            kinds = {f"n{n}_s{slop}" for n, slop in settings[locator.measure]["settings"]["kinds"]}
            key = locator.key.removesuffix("_used").removesuffix("_most").removesuffix("_best")
            keys = key in kinds or locator.key in {"gain_n1_to_n2", "share_used"} or locator.key.endswith("_share")
            assert keys or locator.key in measured["lr_l1_curves"].values, locator
