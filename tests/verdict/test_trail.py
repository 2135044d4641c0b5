"""The way back from a row: its place in the paper in words, and links to settings, records and logs."""

from __future__ import annotations

from typing import Any

import pytest

from reproduction.verdict.page import Report, render_numbers
from reproduction.verdict.provenance import place_in_paper, shown_in, where_in_words
from reproduction.verdict.tables import PaperTable, make_cell
from tests.verdict.test_page import comparison, made_of


@pytest.mark.parametrize(
    ("artefact", "where", "words"),
    [
        ("pmm.t1", "000:L407", "Table 1, line 407"),
        ("vil.f2", "002:L10-L12,L20", "Figure 2, lines 10–12, 20"),
        ("vil.eq", "002:(3)-(5)", "equations, equation 3–5"),
        ("cbm.claims", "003:L952", "claims of the text, line 952"),
        ("x.other_part", "003", "other part"),
        ("pmm.derived", "derived", "derived from its tables"),
    ],
)
def test_the_place_of_a_row_is_said_in_words(artefact: str, where: str, words: str) -> None:
    assert place_in_paper(artefact, where) == words


def test_a_row_links_to_the_figures_and_tables_that_show_it() -> None:
    figures: dict[str, Any] = {
        "curve": {"published": {"news": "p.a"}},
        "cells": {"published": {"news": "p.t"}},
        "claims": {"shows": ["p.c"]},
        "plain": {},
    }
    table = PaperTable("t1", "", "", ("",), (("x", (make_cell(comparison("reproduced", id="p.t.a")),)),))
    assert shown_in("p", "p.a", figures, [table]) == [("figure curve", "p.html#f-p-curve")]
    assert shown_in("p", "p.t.a", figures, [table]) == [
        ("table t1", "p.html#table-t1"),
        ("figure cells", "p.html#f-p-cells"),
    ]
    assert shown_in("p", "p.c", figures, [table]) == [("figure claims", "p.html#f-p-claims")]
    assert shown_in("p", "p.c.x", figures, [table]) == []
    assert shown_in("p", "p.tt", figures, [table]) == []


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("001:L327-L341,L9", "lines 327–341, 9"),
        ("unsaid", "the document does not say"),
        ("Table 2", "Table 2"),
    ],
)
def test_the_place_of_a_deviation_is_said_in_words(where: str, words: str) -> None:
    assert where_in_words(where) == words


def test_judged_rows_stand_first_and_sort_by_the_relative_difference() -> None:
    section = made_of([comparison("data missing", id="p.m"), comparison("reproduced", id="p.r")])
    html = render_numbers(Report([section], {}))
    assert html.index('id="p.r"') < html.index('id="p.m"')
    assert 'data-value="0.0125">+1.2 %' in html


def test_a_difference_of_rounding_is_no_difference() -> None:
    row = {**comparison("reproduced"), "difference": 1.1e-18, "rebuilt": 0.8, "low": "", "high": ""}
    (item,) = made_of([row]).items
    assert (item.difference, item.share) == ("0.0", "0 %")


def test_a_small_difference_that_is_one_is_not_0_per_cent() -> None:
    row = {**comparison("differs", value="18828"), "difference": -7, "rebuilt": 18821, "low": "", "high": ""}
    (item,) = made_of([row]).items
    assert item.share == "−0.037 %"
    row = {**comparison("differs", value="4"), "difference": 556, "rebuilt": 560, "low": "", "high": ""}
    assert made_of([row]).items[0].share == "+13,900 %"
