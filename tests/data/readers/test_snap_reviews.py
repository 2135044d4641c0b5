"""Product reviews: records, JSON and csv pieces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.data.readers.texts import assert_refused, rows
from tests.fixtures.reader_files import SAMPLES, Sample
from textmix.core.errors import ConfigError, DataFormatError

RECORD = "product/productId: P\nreview/score: {}\nreview/text: {}\n\n"
LINE = '{{"asin": "P", "overall": {}, "reviewText": "{}"}}\n'


def records(text: str, **options: object) -> Sample:
    return Sample("snap_reviews", {"data": text.encode("latin-1")}, {"form": "records", **options})


def lines(text: str, **options: object) -> Sample:
    return Sample("snap_reviews", {"data": text.encode()}, {"form": "json", **options})


@pytest.mark.parametrize("form", [records, lines])
def test_stars_give_the_label_and_neutral_reviews_are_counted(form: type, tmp_path: Path) -> None:
    pattern = RECORD if form is records else LINE
    text = "".join(pattern.format(stars, f"t{stars}") for stars in ("1.0", "2.0", "3.0", "4.0", "5.0"))
    corpus = form(text).read(tmp_path)
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


def test_json_arrays_are_the_same_as_json_lines(tmp_path: Path) -> None:
    text = LINE.format(1, "a") + LINE.format(5, "b")
    array = "[" + text.strip().replace("\n", ",\n") + "]\n"
    assert lines(array).read(tmp_path).content_digest() == lines(text).read(tmp_path).content_digest()


def test_pieces_that_overlap_give_each_review_once(tmp_path: Path) -> None:
    corpus = SAMPLES["csv pieces"].read(tmp_path)
    assert rows(corpus) == [("one/0", "positive", "it's good"), ("one/1", "negative", "bad")]
    assert corpus.info["reviews"] == {"1 stars": 1, "5 stars": 1, "repeated": 1, "unrated": 1}


def test_without_distinct_repeated_reviews_stay(tmp_path: Path) -> None:
    text = LINE.format(1, "a") * 2
    assert lines(text).read(tmp_path).n_documents == 2
    assert lines(text, distinct=True).read(tmp_path).n_documents == 1


@pytest.mark.parametrize(("form", "pattern", "end"), [(records, RECORD, 2), (lines, LINE, 1)])
def test_a_cut_last_review_is_left_out_only_if_told(form: type, pattern: str, end: int, tmp_path: Path) -> None:
    whole, last = pattern.format(1, "a"), pattern.format(5, "bc")
    for cut in range(1, len(last) - end + 1):
        text = whole + last[:cut]
        assert rows(form(text, truncated=True).read(tmp_path)) == [("0", "negative", "a")]
        with pytest.raises(DataFormatError, match=r"truncated|has no") as caught:
            form(text).read(tmp_path)
        assert caught.value.line > whole.count("\n")


def test_a_cut_array_is_read_only_if_told(tmp_path: Path) -> None:
    text = "[" + LINE.format(1, "a").strip() + ",\n" + LINE.format(5, "b")[:20]
    assert lines(text, truncated=True).read(tmp_path).n_documents == 1
    with pytest.raises(DataFormatError, match="array is not closed"):
        lines("[" + LINE.format(1, "a").strip() + ",\n").read(tmp_path)


BROKEN = {
    "stars 0": (lines, LINE.format(5, "a") + LINE.format(0.5, "b"), 2, "0.5 stars"),
    "stars 6": (lines, LINE.format(6, "a"), 1, "6 stars"),
    "stars nan": (lines, LINE.format("NaN", "a"), 1, "NaN is no JSON"),
    "stars infinite": (lines, LINE.format("1e999", "a"), 1, "stars"),
    "stars huge": (lines, LINE.format("9" * 400, "a"), 1, "stars"),
    "stars huge below zero": (lines, LINE.format("-" + "9" * 400, "a"), 1, "stars"),
    "stars of many digits": (lines, LINE.format("9" * 5000, "a"), 1, "JSON"),
    "stars true": (lines, LINE.format("true", "a"), 1, "overall (a number)"),
    "no object": (lines, "[1]\n", 1, "is not an object"),
    "not JSON": (lines, LINE.format(5, "a") + "hello\n", 2, "is not JSON"),
    "nested too deep": (lines, '{"a": ' + "[" * 100_000 + "\n", 1, "is not JSON"),
    "half a character": (lines, LINE.format(5, "\\ud800"), 1, "the text holds half a character"),
    "empty": (records, "", None, "no documents"),
    "after the array": (lines, "[" + LINE.format(5, "a").strip() + "]\n" + LINE.format(5, "a"), 2, "after the end"),
    "field twice": (records, "product/productId: P\nproduct/productId: Q\n", 2, "a field stands twice"),
    "no score": (records, "product/productId: P\nreview/text: t\n\n", 1, "no review/score"),
    "score no number": (records, RECORD.format("5.0", "t") + RECORD.format("five", "t"), 5, "'five' is no number"),
    "score nan": (records, RECORD.format("nan", "t"), 1, "'nan' is no number"),
    "junk first": (records, "hello\n" + RECORD.format("5.0", "t"), 1, "no field of a review"),
    "NUL": (records, RECORD.format("5.0", "t\0"), 3, "NUL"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_reviews_are_named_by_line(case: str, tmp_path: Path) -> None:
    form, text, line, what = BROKEN[case]
    assert_refused(form(text), tmp_path, line, what)


def test_pieces_must_be_there_and_csv_is_never_cut(tmp_path: Path) -> None:
    files = {"archive": {"a.csv": b"name,review,rating\nn,t,5\n"}}
    with pytest.raises(DataFormatError, match="no member that matches"):
        Sample("snap_reviews", files, {"form": "csv", "members": ["*.json"]}).read(tmp_path)
    with pytest.raises(ConfigError, match="truncated csv"):
        Sample("snap_reviews", files, {"form": "csv", "truncated": True}).read(tmp_path)
    with pytest.raises(ConfigError, match="form should be one of"):
        Sample("snap_reviews", files, {"form": "xml"}).read(tmp_path)


def test_json_text_is_what_was_written(tmp_path: Path) -> None:
    text = 'tab\t "quoted" \u2028 \U0001f600 \\'
    line = json.dumps({"asin": "P", "overall": 5, "reviewText": text, "more": None}) + "\n"
    assert rows(lines(line).read(tmp_path))[0][2] == text
