"""The page of the study."""

from __future__ import annotations

from tests.contest.studies import content
from textmix.contest.study_page import render
from textmix.metrics.significance import LEVEL


def test_the_page_shows_every_part_of_both_tasks():
    page = render(content())
    assert page == render(content())
    for part in ("First &lt;data&gt;", "321", "expected f for sample f 1 of 1 times", 'id="f-sizes-coverage"'):
        assert part in page, part
    for part in ('id="f-sizes-gap-single"', 'id="f-sizes-calibration"', "Nemenyi", "12.5", "slow takes more than 9 s"):
        assert part in page, part


def test_the_page_states_the_level_of_its_tests():
    assert f"(Nemenyi, {LEVEL})" in render(content())
