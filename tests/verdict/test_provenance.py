"""Where a row comes from: its place in the paper in words, what made it, the digests of its data, and the seconds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from reproduction.verdict.page import Report, render_numbers
from reproduction.verdict.provenance import (
    cpu_seconds,
    data_digests,
    links_to_evidence,
    run_times,
    seconds_by_stage,
)
from reproduction.verdict.wording import place_in_paper, where_in_words
from tests.verdict.test_page import comparison, made_of
from textmix.core import io
from textmix.core.errors import MissingResult


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
        "claims": {"published_rows": ["p.c"]},
        "plain": {},
    }
    assert links_to_evidence("p", "p.a", figures, []) == [("figure curve", "p.html#f-p-curve")]
    assert links_to_evidence("p", "p.t.a", figures, ["t1"]) == [
        ("table t1", "p.html#table-t1"),
        ("figure cells", "p.html#f-p-cells"),
    ]
    assert links_to_evidence("p", "p.c", figures, []) == [("figure claims", "p.html#f-p-claims")]
    assert links_to_evidence("p", "p.c.x", figures, []) == []
    assert links_to_evidence("p", "p.tt", figures, []) == []


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("001:L327-L341,L9", "lines 327–341, 9"),
        ("unsaid", "not stated in the paper"),
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
    row = comparison("reproduced", difference=1.1e-18, reproduced=0.8)
    (item,) = made_of([row]).items
    assert (item.row.difference_text, item.row.percent_text) == ("0.0", "0 %")


def test_a_small_difference_that_is_one_is_not_0_per_cent() -> None:
    row = comparison("differs", published="18828", difference=-7, reproduced=18821)
    (item,) = made_of([row]).items
    assert item.row.percent_text == "−0.037 %"
    row = comparison("differs", published="4", difference=556, reproduced=560)
    assert made_of([row]).items[0].row.percent_text == "+13,900 %"


def test_a_missing_data_set_has_its_reason_unless_the_front_page_gives_it(tmp_path: Path) -> None:
    io.write_missing(tmp_path / "nowhere", MissingResult("the host is not known"), {})
    assert data_digests([tmp_path / "nowhere"]) == {"nowhere": "missing: the host is not known"}
    assert data_digests([tmp_path / "nowhere"], with_reasons=False) == {"nowhere": "missing: see the front page"}


def test_times_of_a_run_are_those_of_its_first_and_last_job(tmp_path: Path) -> None:
    for name, end, seconds in (("a", 1000, "10.0"), ("b", 2000, "3.0")):
        (tmp_path / f"{name}.tsv").write_text(f"s\th:m:s\n{seconds}\t0:00:10\n")
        os.utime(tmp_path / f"{name}.tsv", (end, end))
    (tmp_path / "empty.tsv").write_text("")
    files = sorted(tmp_path.glob("*.tsv"))
    assert run_times(files) == ("1970-01-01T00:16:30+00:00", "1970-01-01T00:33:20+00:00")
    with pytest.raises(MissingResult, match="no job of this run was measured"):
        run_times([tmp_path / "empty.tsv"])


def test_seconds_of_all_jobs_are_summed_by_stage(tmp_path: Path) -> None:
    for name, seconds in {"fit/edcm/a.tsv": "1.25", "fit/edcm/b.tsv": "2.5\tx\n4.0", "parse/news.tsv": "0.5"}.items():
        io.write_text(tmp_path / name, f"s\tmax_rss\n{seconds}\t-\n")
    io.write_text(tmp_path / "fit/edcm/too_short.tsv", "")
    assert seconds_by_stage(tmp_path, tmp_path.rglob("*.tsv")) == {"fit": "7.8 s", "parse": "0.5 s"}
    assert seconds_by_stage(tmp_path, [tmp_path / "parse/news.tsv"]) == {"parse": "0.5 s"}
    assert seconds_by_stage(tmp_path, []) == {}


def test_what_a_job_took_of_the_processor_after_the_last_look_is_reckoned_at_the_same_rate(tmp_path: Path) -> None:
    jobs = {"short": "4.0\t3.0", "long": "60.0\t36.0", "twice": "2.0\t1.0\n2.0\t1.5", "too_short": "0.1\tNA"}
    for name, row in jobs.items():
        io.write_text(tmp_path / f"{name}.tsv", f"s\tcpu_time\n{row}\n")
    io.write_text(tmp_path / "empty.tsv", "")
    assert cpu_seconds(tmp_path.rglob("*.tsv")) == pytest.approx(3.0 + 36.0 * 60 / 45 + 2.5)
