"""The files of the document on multinomial models name what the measures give."""

from __future__ import annotations

from reproduction.flow.locators import parse_locator
from reproduction.verdict.published import read_record
from tests.papers.multinomial.example import PAPER, ROOT


def test_every_measured_number_that_the_paper_files_name_is_there(measured):
    record = read_record(PAPER, ROOT / "workflow/schemas")
    locators = [row.source for row in record.rows]
    locators += [name for check in record.checks.values() for side in ("left", "right") for name in check.get(side, ())]
    named = [parse_locator(name) for name in locators if name.startswith("measure:")]
    assert len(named) > 15
    for locator in named:
        assert locator.key in measured[0][locator.measure].values, str(locator)
