"""The ending of a name tells the format of a file."""

from __future__ import annotations

import pytest

from textmix.data.formats import NEW_TEXTS, OWN_DATA, format_of, without_packing


@pytest.mark.parametrize(
    ("name", "of_own_data", "of_new_texts"),
    [
        ("a.CSV", "csv", "csv"),
        ("a.b.tsv.gz", "tab", "tab"),
        ("a.json", "jsonl", "jsonl"),
        ("a.txt", None, "text"),
        ("a.svm.xz", "libsvm", None),
        ("a", None, None),
    ],
)
def test_ending_tells_the_format(name, of_own_data, of_new_texts):
    assert format_of(without_packing(name), OWN_DATA) == of_own_data
    assert format_of(without_packing(name), NEW_TEXTS) == of_new_texts
