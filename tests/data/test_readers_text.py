"""Text formats: tab, csv, folders of messages, aclImdb."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures.reader_files import SAMPLES, Sample, tar
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import TEST, TRAIN, UNUSED, Corpus
from textmix.data.parse import check_corpus
from textmix.data.readers import message_folder, tab_file

quick = settings(deadline=None, derandomize=True, max_examples=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("text")


def rows(corpus: Corpus) -> list[tuple[str, str, str]]:
    """Return (id, label, text) of each document."""
    names = [corpus.label_names[i] for i in corpus.classes()]
    return [(doc, name, corpus.text.text(i)) for i, (doc, name) in enumerate(zip(corpus.ids, names, strict=True))]


def test_tab_rows_are_read_after_the_header(tmp_path: Path) -> None:
    corpus = SAMPLES["tab"].read(tmp_path)
    assert rows(corpus) == [("train/0", "b", "one two"), ("train/1", "a", "three"), ("test/0", "a", "vier ü")]
    assert corpus.split.tolist() == [TRAIN, TRAIN, TEST]


HEAD = b"Category\tText\nd\tstring\nclass\t\n"
BROKEN_TABS = {
    "one cell": (HEAD + b"\na\tb\nab\n", 6, "1 cells"),
    "three cells": (HEAD + b"a\tb\tc\n", 4, "3 cells"),
    "no class": (HEAD + b"a\tb\n \tb\n", 5, "a class among"),
    "empty line among rows": (HEAD + b"a\tb\n\na\tb\n", 5, "0 cells"),
    "cut": (HEAD + b"a\tb\na\tb", 5, "truncated"),
    "quoted": (HEAD + b'a\t"b"\n', 4, "quotes"),
    "not UTF-8": (HEAD + b"a\tb\na\t\xe9\n", 5, "not utf-8"),
    "NUL": (HEAD + b"a\tb\0\n", 4, "NUL"),
    "no class column": (HEAD.replace(b"class", b"meta"), 1, "header"),
    "two text columns": (b"A\tB\tC\nstring\tstring\td\n\t\tclass\n", 1, "header"),
    "ragged header": (b"A\tB\nd\tstring\nclass\n", 1, "header"),
    "empty file": (b"", 1, "header"),
    "no documents": (HEAD + b"\n", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_TABS)
def test_broken_tab_files_are_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_TABS[case]
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        Sample("tab_file", {"data": data}).read(tmp_path)
    assert caught.value.line == line


def test_csv_columns_are_told_by_name_and_rows_are_chosen(tmp_path: Path) -> None:
    corpus = SAMPLES["csv"].read(tmp_path)
    assert rows(corpus) == [("0", "pos", 'a, "b"\nü'), ("2", "neg", "c")]
    assert corpus.split is None


@quick
@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.sampled_from("xy")), min_size=1
    )
)
def test_csv_text_survives_writing_and_reading(folder: Path, table: list[tuple[str, str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([("text", "label"), *table])
    sample = Sample("csv_file", {"data": stream.getvalue().encode()}, {"text": "text", "label": "label"})
    corpus = sample.read(folder)
    check_corpus(corpus)
    assert [(text, label) for _, label, text in rows(corpus)] == table


BROKEN_CSV = {
    "ragged": (b"text,label\na,1\nb\n", 3, "1 cells, expected 2"),
    "too long": (b"text,label\na,1,2\n", 2, "3 cells, expected 2"),
    "empty line": (b"text,label\na,1\n\nb,1\n", 3, "0 cells"),
    "half a file": (b'text,label\na,1\n"b and a lot mo\n', 3, "not csv"),
    "cut": (b"text,label\na,1\nb,1", 3, "truncated"),
    "junk after a quote": (b'text,label\n"a"b,1\n', 2, "not csv"),
    "column missing": (b"text,class\na,1\n", 1, "no column 'label'; the columns are text, class"),
    "column twice": (b"text,label,label\na,1,1\n", 1, "more than one column 'label'"),
    "no label": (b"text,label\na,\n", 2, "the label ''"),
    "NUL": (b"text,label\na,1\nb\0,1\n", 3, "NUL"),
    "not UTF-8": (b"text,label\na,1\n\xff,1\n", 3, "not utf-8"),
    "empty file": (b"", 1, "header"),
    "web page": (b"<!DOCTYPE html>\n<p>Not Found</p>\n", 1, "no column 'text'"),
    "no documents": (b"text,label\n", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_CSV)
def test_broken_csv_is_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_CSV[case]
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        Sample("csv_file", {"data": data}, {"text": "text", "label": "label"}).read(tmp_path)
    assert caught.value.line == line


def test_a_label_without_a_name_is_refused(tmp_path: Path) -> None:
    sample = SAMPLES["csv"]
    with pytest.raises(DataFormatError, match=r"line 3: the label '7' is not one of \['0', '1'\]"):
        sample.read(tmp_path, {"data": b"text,label,source\na,1,x\nb,7,x\n"})


def test_messages_come_by_folder_and_number(tmp_path: Path) -> None:
    corpus = SAMPLES["messages"].read(tmp_path)
    assert rows(corpus) == [
        ("a.group/3", "a.group", "\0 three"),
        ("b.group/9", "b.group", "nine"),
        ("b.group/10", "b.group", "From: x\n\nhi ü\n"),
    ]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gzip", "bzip2"])
def test_packing_and_folders_above_do_not_change_the_content(pack: type, tmp_path: Path) -> None:
    sample = SAMPLES["messages"]
    members = {f"./elsewhere/{name}": data for name, data in reversed(sample.files["archive"].items())}
    again = sample.read(tmp_path, {"archive": pack(tar(members))})
    assert again.content_digest() == sample.read(tmp_path).content_digest()


def test_an_unpacked_folder_is_the_same_as_its_archive(tmp_path: Path) -> None:
    from textmix.data.readers import message_folder

    sample = SAMPLES["messages"]
    for name, data in sample.files["archive"].items():
        file = tmp_path / "unpacked" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    corpus = message_folder.read({"archive": tmp_path / "unpacked"}, {"name": "sample"})
    assert corpus.content_digest() == sample.read(tmp_path).content_digest()
    (tmp_path / "unpacked/n/b.group/11").symlink_to("/etc/passwd")
    with pytest.raises(DataFormatError, match="is a link"):
        message_folder.read({"archive": tmp_path / "unpacked"}, {"name": "sample"})


BROKEN_FOLDERS = {
    "outside a folder": ({"a/1": b"x", "2": b"y"}, "lies in no class folder"),
    "one id twice": ({"u/a/1": b"x", "v/a/1": b"y"}, "two documents 'a/1'"),
    "one id twice by its ending": ({"a/1": b"x", "a/1.txt": b"y"}, "two documents 'a/1'"),
    "out of the archive": ({"a/../../1": b"x"}, "a/../../1"),
    "absolute": ({"/a/1": b"x"}, "/a/1"),
    "empty": ({}, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_FOLDERS)
def test_broken_folders_are_refused(case: str, tmp_path: Path) -> None:
    members, what = BROKEN_FOLDERS[case]
    with pytest.raises(DataFormatError, match=re.escape(what)):
        Sample("message_folder", {"archive": members}).read(tmp_path)


def test_a_message_of_another_encoding_is_named(tmp_path: Path) -> None:
    sample = Sample("message_folder", {"archive": {"a/1": b"ok\n\xff"}}, {"encoding": "utf-8"})
    with pytest.raises(
        DataFormatError,
        match=r"the file 'a/1', line 2, is not utf-8 text \(byte 0xff at 1\); convert it, or name its encoding",
    ):
        sample.read(tmp_path)


def test_tags_are_dropped_on_request(tmp_path: Path) -> None:
    pages = {"a/1": b"<html><b class='x\ny'>bold</b>type <never closed", "a/2": b"1 > 0"}
    corpus = Sample("message_folder", {"archive": pages}, {"content": "rainbow_html"}).read(tmp_path)
    assert [text.split() for _, _, text in rows(corpus)] == [["bold", "type"], ["1", ">", "0"]]


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
    "neutral rating": ({"aclImdb/train/neg/1_5.txt": b""}, "1_5.txt"),
    "no rating": ({"aclImdb/train/neg/1.txt": b""}, "1.txt"),
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


def test_parts_of_class_names_become_labels(tmp_path: Path) -> None:
    data = b"c\tt\nd\tstring\nclass\t\nrec.sport.hockey\tpuck\nrec.autos\tcar\nmisc\tsale\n"
    path = tmp_path / "data.tab"
    path.write_bytes(data)
    corpus = tab_file.read({"data": path}, {"name": "made", "label_separator": "."})
    assert corpus.label_names == ["autos", "hockey", "misc", "rec", "sport"]
    assert corpus.indicators().tolist() == [[0, 1, 0, 1, 1], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
    path.write_bytes(data.replace(b"rec.autos", b"rec..autos"))
    with pytest.raises(ConfigError, match="empty part"):
        tab_file.read({"data": path}, {"name": "made", "label_separator": "."})


def test_a_folder_of_which_the_encoding_is_to_be_found_is_utf8_and_else_windows_1252(tmp_path):
    for name, data in {
        "a/1": "café".encode(),
        "a/2": "caf\xe9 \x93x\x94".encode("latin-1"),
        "b/3": b"\xef\xbb\xbfx",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    corpus = message_folder.read({"archive": tmp_path}, {"name": "n", "encoding": "found"})
    assert [corpus.text.text(row) for row in range(3)] == ["café", "café “x”", "x"]
    assert corpus.info["remarks"][0].startswith("1 files are no UTF-8 and were read as Windows-1252")
