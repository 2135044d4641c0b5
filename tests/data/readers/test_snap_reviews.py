"""Product reviews in the records of SNAP."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.readers.texts import assert_refused, rows
from tests.fixtures.reader_files import SAMPLES, Sample
from textmix.core.errors import DataFormatError

RECORD = "product/productId: P\nreview/score: {}\nreview/text: {}\n\n"


def records(text: str) -> Sample:
    return Sample("snap_reviews", {"data": text.encode("latin-1")})


def test_stars_give_the_label_and_neutral_reviews_are_counted(tmp_path: Path) -> None:
    text = "".join(RECORD.format(stars, f"t{stars}") for stars in ("1.0", "2.0", "3.0", "4.0", "5.0"))
    corpus = records(text).read(tmp_path)
    expected = [
        ("0", "negative", "t1.0"),
        ("1", "negative", "t2.0"),
        ("3", "positive", "t4.0"),
        ("4", "positive", "t5.0"),
    ]
    assert rows(corpus) == expected
    assert corpus.info["reviews"] == {f"{stars} stars": 1 for stars in range(1, 6)}


def test_records_are_latin_1_and_a_line_without_a_name_goes_on(tmp_path: Path) -> None:
    corpus = SAMPLES["records"].read(tmp_path)
    assert rows(corpus) == [("0", "positive", "café: ok"), ("2", "negative", "")]
    text = RECORD.format("5.0", "one\ntwo: more\nreview is: three")
    assert rows(records(text).read(tmp_path))[0][2] == "one\ntwo: more\nreview is: three"


def test_a_cut_last_review_is_refused_wherever_it_is_cut(tmp_path: Path) -> None:
    whole, last = RECORD.format(1, "a"), RECORD.format(5, "bc")
    for cut in range(1, len(last) - 1):
        with pytest.raises(DataFormatError, match=r"truncated|has no") as caught:
            records(whole + last[:cut]).read(tmp_path)
        assert caught.value.line > whole.count("\n")


BROKEN = {
    "empty": ("", None, "no documents"),
    "field twice": ("product/productId: P\nproduct/productId: Q\n", 2, "a field is duplicated"),
    "no score": ("product/productId: P\nreview/text: t\n\n", 1, "no review/score"),
    "score no number": (RECORD.format("5.0", "t") + RECORD.format("five", "t"), 5, "'five' is not a number"),
    "score nan": (RECORD.format("nan", "t"), 1, "'nan' is not a number"),
    "score below 1": (RECORD.format("0.5", "t"), 1, "0.5 stars"),
    "score above 5": (RECORD.format("6", "t"), 1, "6 stars"),
    "junk first": ("hello\n" + RECORD.format("5.0", "t"), 1, "no field of a review"),
    "NUL": (RECORD.format("5.0", "t\0"), 3, "NUL"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_reviews_are_named_by_line(case: str, tmp_path: Path) -> None:
    text, line, what = BROKEN[case]
    assert_refused(records(text), tmp_path, line, what)
