"""Reuters-21578: what each odd thing in the SGML means, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.readers.texts import assert_refused
from tests.fixtures.reader_files import SAMPLES, SGML, Sample, news, story
from textmix.core.errors import DataFormatError
from textmix.data.corpus import TEST, TRAIN, UNUSED, Corpus


def sample(text: str | bytes) -> Sample:
    data = text if isinstance(text, bytes) else text.encode("latin-1")
    return Sample("reuters_sgml", {"archive": {"reut2-000.sgm": data}})


def labels(corpus: Corpus) -> list[list[str]]:
    """Return the label names of each document."""
    return [[corpus.label_names[j] for j in corpus.labels[[i]].indices] for i in range(corpus.n_documents)]


def test_documents_come_by_number_with_the_modapte_split(tmp_path: Path) -> None:
    corpus = SAMPLES["reuters"].read(tmp_path)
    assert list(corpus.ids) == ["1", "2", "3", "4"]
    assert corpus.split.tolist() == [TRAIN, TRAIN, TEST, UNUSED]


@pytest.mark.parametrize(
    ("lewis", "topics", "split"),
    [
        ("TRAIN", "YES", TRAIN),
        ("TEST", "YES", TEST),
        ("TRAIN", "NO", UNUSED),
        ("TEST", "NO", UNUSED),
        ("NOT-USED", "YES", UNUSED),
        ("TRAIN", "BYPASS", UNUSED),
    ],
)
def test_the_modapte_split_needs_both_attributes(lewis: str, topics: str, split: int, tmp_path: Path) -> None:
    assert sample(story(1, news("t", "b"), lewis, topics)).read(tmp_path).split.tolist() == [split]


def test_only_topics_are_labels_and_a_repeated_one_counts_once(tmp_path: Path) -> None:
    corpus = SAMPLES["reuters"].read(tmp_path)
    assert corpus.label_names == ["corn", "sugar", "wheat"]
    assert labels(corpus) == [["corn", "wheat"], ["sugar"], [], ["sugar"]]
    assert corpus.info["topic named twice"] == ["1"]


def test_text_is_title_and_body_with_references_resolved_once(tmp_path: Path) -> None:
    corpus = SAMPLES["reuters"].read(tmp_path)
    texts = [corpus.text.text(i) for i in range(4)]
    assert texts == ["GRAIN\ncorn\n ", "SUGAR <S>\nsweet &lt; ü\n ", " \nraw  text ", "SHORT\n"]


def test_what_is_unusual_is_counted(tmp_path: Path) -> None:
    counts = SAMPLES["reuters"].read(tmp_path).info["documents with"]
    assert counts == {"no body": 2, "no title": 1, "type brief": 1, "type unproc": 1}


def test_a_stray_ampersand_or_bracket_in_text_stays(tmp_path: Path) -> None:
    corpus = sample(story(1, news("AT&T &unknown; &#999;", "a < b & c > d"))).read(tmp_path)
    assert corpus.text.text(0) == "AT&T &unknown; &#999;\na < b & c > d\n "


GOOD = story(1, news("t", "b"))
SECOND = GOOD.count("\n") + 1
BROKEN = {
    "cut in a document": (GOOD + story(2, news("t", "b"))[:-12], SECOND, "not closed"),
    "document not closed": (GOOD.replace("</REUTERS>\n", "") + GOOD, 1, "not closed"),
    "text between documents": (GOOD + "stray\n" + GOOD, SECOND, "expected <REUTERS"),
    "stray bytes after": (GOOD.encode() + b"\xfc", SECOND, "expected <REUTERS"),
    "web page": ("<!DOCTYPE html>\n<p>Not Found</p>", 1, "expected <REUTERS"),
    "unknown split": (story(1, news("t", "b"), split="DEV"), 1, "LEWISSPLIT"),
    "unknown topics": (story(1, news("t", "b"), topics="MAYBE"), 1, "TOPICS"),
    "number no number": (GOOD.replace('NEWID="1"', 'NEWID="x"'), 1, "NEWID"),
    "number twice": (GOOD + GOOD, None, "NEWID=1 a second time"),
    "no topics": (GOOD.replace("<TOPICS></TOPICS>", ""), 1, "expected <TOPICS>"),
    "topic with NUL": (GOOD.replace("<TOPICS>", "<TOPICS><D>a\0</D>"), 1, "expected <TOPICS>"),
    "topics twice": (GOOD.replace("<DATE>", "<TOPICS></TOPICS><DATE>"), 1, "duplicated"),
    "topics in the text": (GOOD.replace("<TOPICS></TOPICS>", "").replace("b\n", "<TOPICS></TOPICS>"), 1, "then <TEXT>"),
    "no text": (GOOD.replace("<TEXT>", ""), 1, "then <TEXT>"),
    "text not closed": (GOOD.replace("</TEXT>", ""), 1, "not closed"),
    "text twice": (GOOD.replace("</TEXT>", "</TEXT><TEXT></TEXT>"), 1, "duplicated"),
    "unknown text type": (GOOD.replace("<TEXT>", '<TEXT TYPE="NEW">'), 1, "then <TEXT>"),
    "title not closed": (GOOD.replace("</TITLE>", ""), 1, "<TITLE> is not closed"),
    "body not opened": (GOOD.replace("<BODY>", ""), 1, "<BODY> is not closed"),
    "body twice": (GOOD.replace("</BODY>", "</BODY><BODY></BODY>"), 1, "<BODY> is not closed or duplicated"),
    "no documents": ("", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_sgml_is_named_by_the_line_of_its_document(case: str, tmp_path: Path) -> None:
    text, line, what = BROKEN[case]
    assert_refused(sample(text), tmp_path, line, what)


def test_a_number_in_two_files_is_refused(tmp_path: Path) -> None:
    members = {"a.sgm": GOOD.encode(), "b.sgm": GOOD.encode()}
    with pytest.raises(DataFormatError, match=r"b\.sgm: has the document NEWID=1 a second time"):
        Sample("reuters_sgml", {"archive": members}).read(tmp_path)


def test_an_archive_without_sgml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="no documents"):
        Sample("reuters_sgml", {"archive": {"README.txt": SGML}}).read(tmp_path)
