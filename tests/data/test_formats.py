"""Every format has one reader and endings of its own, and the schema of own data knows the same formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from textmix.data.formats import FORMATS, NEW_TEXTS, OWN_DATA, format_of, without_packing
from textmix.data.registry import READERS

ROOT = Path(__file__).resolve().parents[2]


def test_readers_exist_and_endings_tell_one_format_each():
    assert {FORMATS[name].reader for name in OWN_DATA} <= set(READERS)
    endings = [ending for form in FORMATS.values() for ending in form.endings]
    assert len(set(endings)) == len(endings)


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
