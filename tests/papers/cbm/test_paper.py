"""The files of the CBM slides' paper name what there is."""

from __future__ import annotations

from reproduction.papers.cbm.figures import FIGURES
from reproduction.verdict.published import read_record
from tests.papers.cbm.example import PAPER, SPEC


def test_paper_yaml_names_every_figure_and_published_csv_what_measures_give(measured):
    assert set(SPEC["figures"]) == set(FIGURES)
    record = read_record(PAPER, PAPER.parents[2] / "workflow/schemas")
    for row in (row for row in record.rows if row.source.startswith("measure:")):
        assert row.locator.key in measured[0][row.locator.measure].values
