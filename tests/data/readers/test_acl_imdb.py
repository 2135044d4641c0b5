"""The Large Movie Review Dataset: its parts, archives and faults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.data.readers.texts import rows
from tests.fixtures.reader_files import SAMPLES, Sample
from textmix.core.errors import DataFormatError
from textmix.data.corpus import TEST, TRAIN, UNUSED


def test_reviews_come_by_split_label_and_number(tmp_path: Path) -> None:
    corpus = SAMPLES["imdb"].read(tmp_path)
    assert rows(corpus) == [
        ("train/neg/0", "neg", "bad"),
        ("train/neg/11", "neg", "nö"),
        ("train/pos/0", "pos", "good"),
        ("test/pos/2", "pos", "fine"),
    ]
    assert corpus.split.tolist() == [TRAIN, TRAIN, TRAIN, TEST]
    assert corpus.info["ratings"] == {"train": {"1": 1, "4": 1, "9": 1}, "test": {"7": 1}}


def test_two_archives_are_the_same_as_one(tmp_path: Path) -> None:
    members = SAMPLES["imdb"].files["archive"]
    halves = {part: {n: d for n, d in members.items() if f"/{part}/" in n} for part in ("train", "test")}
    of_two, of_one = Sample("acl_imdb", halves).read(tmp_path), SAMPLES["imdb"].read(tmp_path)
    assert of_two.content_digest() == of_one.content_digest()


def test_unlabelled_reviews_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    members = SAMPLES["imdb"].files["archive"]
    parts = {"train": "/train/[np]", "test": "/test/", "unsup": "/unsup/"}
    thirds = {role: {n: d for n, d in members.items() if re.search(p, n)} for role, p in parts.items()}
    of_one, of_three = (
        Sample("acl_imdb", files, {"unlabelled": True}).read(tmp_path) for files in ({"archive": members}, thirds)
    )
    assert of_one.content_digest() == of_three.content_digest()
    assert (of_one.ids[-1], of_one.text.text(4), of_one.label_counts.tolist()) == (
        "train/unsup/0",
        "unlabelled",
        [1, 1, 1, 1, 0],
    )
    assert of_one.split.tolist() == [TRAIN, TRAIN, TRAIN, TEST, UNUSED]
    with pytest.raises(DataFormatError, match="has no reviews in train/unsup"):
        Sample("acl_imdb", {**thirds, "unsup": {"x/train/unsup/": b""}}, {"unlabelled": True}).read(tmp_path)


BROKEN_REVIEWS = {
    "rating of the other label": ({"aclImdb/train/pos/1_3.txt": b""}, "1_3.txt"),
    "other file": ({"aclImdb/train/neg/README": b""}, "README"),
    "twice": ({"train/neg/0_2.txt": b""}, "train/neg/0 twice"),
    "not UTF-8": ({"aclImdb/test/neg/1_1.txt": b"ok\nno \xe9"}, "1_1.txt, line 2: is not utf-8"),
}


@pytest.mark.parametrize("case", BROKEN_REVIEWS)
def test_broken_reviews_are_refused(case: str, tmp_path: Path) -> None:
    members, what = BROKEN_REVIEWS[case]
    with pytest.raises(DataFormatError, match=re.escape(what)):
        Sample("acl_imdb", {"archive": {**SAMPLES["imdb"].files["archive"], **members}}).read(tmp_path)


def test_a_part_without_reviews_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="no reviews in test/neg and test/pos"):
        Sample("acl_imdb", {"archive": {"train/neg/0_1.txt": b"x"}}).read(tmp_path)
