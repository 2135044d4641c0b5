"""Lines of a label and a text, and their faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.readers.texts import rows
from tests.fixtures.reader_files import SAMPLES, Sample
from textmix.core.errors import DataFormatError

WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=5)


def lines(data: bytes, **options: Any) -> Sample:
    return Sample("text_table", {"data": data}, {"format": "labelled", "prefix": "", **options})


def test_the_first_word_is_the_label_and_the_rest_the_text(tmp_path: Path) -> None:
    corpus = SAMPLES["lines"].read(tmp_path)
    assert rows(corpus) == [("train/1", "3", "some text here"), ("train/2", "0", "noö"), ("test/1", "3", "more")]
    assert corpus.split is not None
    assert corpus.split.tolist() == [0, 0, 1]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1)), min_size=1))
def test_texts_survive_writing_and_reading(folder: Path, table: list[tuple[str, list[str]]]) -> None:
    written = "".join(f"{label} {' '.join(words)}\n" for label, words in table)
    assert [row[1:] for row in rows(lines(written.encode()).read(folder))] == [(a, " ".join(b)) for a, b in table]


def test_all_words_with_the_prefix_are_labels_wherever_they_stand(tmp_path: Path) -> None:
    data = b"__label__b, __label__a  one  __label__c more\n__label__a two\nthree __label__b\n"
    corpus = lines(data, prefix="__label__", several=True).read(tmp_path)
    assert corpus.label_names == ["a", "b", "c"]
    assert corpus.labels.toarray().tolist() == [[1, 1, 1], [1, 0, 0], [0, 1, 0]]
    assert corpus.text is not None
    assert [corpus.text.text(row) for row in range(3)] == ["one  more", "two", "three"]
    with pytest.raises(DataFormatError, match="line 1: has 3 labels, where one is expected"):
        lines(data, prefix="__label__").read(tmp_path)


FAULTS = {
    "no text": (b"a one\nb\n", {}, "line 2: has no text after its label; write label, blank, text"),
    "no prefix": (b"__l__a one\nb two\n", {"prefix": "__l__"}, "line 2: has no label"),
    "prefix alone": (b"__l__ one\n", {"prefix": "__l__"}, "line 1: has no label"),
    "not UTF-8": (b"a one\nb \xff\n", {"encoding": "utf-8"}, "line 2: is not utf-8 text"),
    "empty": (b"\n\n", {}, "holds no documents"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_wrong_line_is_named(case: str, tmp_path: Path) -> None:
    data, options, what = FAULTS[case]
    with pytest.raises(DataFormatError, match=what):
        lines(data, **options).read(tmp_path)
