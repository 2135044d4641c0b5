"""The ending of a name tells the format of a file."""

from __future__ import annotations

import pytest

from textmix.data.formats import NEW_TEXTS, format_of, without_packing


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.CSV", "csv"), ("a.b.tsv.gz", "tab"), ("a.json", "jsonl"), ("a.txt", "text"), ("a.xlsx", None), ("a", None)],
)
def test_ending_tells_the_format(name, form):
    assert format_of(without_packing(name), NEW_TEXTS) == form
