"""The placeholder of a figure."""

from __future__ import annotations

from reproduction.papers.style import placeholder


def test_a_placeholder_says_why_in_text_that_can_be_found() -> None:
    svg = placeholder("One example", "no data set for 'scene': is in no package").decode()
    assert "Not drawn: One example" in svg and "no data set for 'scene': is in no package" in svg
    assert svg == placeholder("One example", "no data set for 'scene': is in no package").decode()
