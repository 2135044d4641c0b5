"""Folders of messages: their order, packing, encodings and faults."""

from __future__ import annotations

import bz2
import gzip
import re
from pathlib import Path

import pytest

from tests.data.readers.texts import rows
from tests.fixtures.reader_files import SAMPLES, Sample, tar
from textmix.core.errors import DataFormatError
from textmix.data.readers import message_folder
from textmix.data.user_data import read_folder


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
    "one id twice by its ending": ({"a/1": b"x", "a/1.txt": b"y"}, "two documents 'a/1'"),
    "out of the archive": ({"a/../../1": b"x"}, "a/../../1"),
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
        match=r"the file 'a/1', line 2, is not utf-8 text \(byte 0xff at 1\); convert it, or give its encoding",
    ):
        sample.read(tmp_path)


def test_tags_are_dropped_on_request(tmp_path: Path) -> None:
    pages = {"a/1": b"<html><b class='x\ny'>bold</b>type <never closed", "a/2": b"1 > 0"}
    corpus = Sample("message_folder", {"archive": pages}, {"content": "rainbow_html"}).read(tmp_path)
    assert [text.split() for _, _, text in rows(corpus)] == [["bold", "type"], ["1", ">", "0"]]


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
    assert corpus.info["remarks"][0].startswith("1 files are not UTF-8 and were read as Windows-1252")


def test_folders_of_a_users_texts_may_be_those_of_training_and_test_and_one_without_labels(tmp_path: Path) -> None:
    for name in ("train/pos/1.txt", "train/neg/1.txt", "train/unsup/1.txt", "test/pos/1.txt", "test/pos/.system"):
        (tmp_path / "My Texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "My Texts" / name).write_text("words")
    corpus = read_folder(tmp_path / "My Texts")
    assert (corpus.name, corpus.ids) == ("my_texts", ["train/neg/1", "train/pos/1", "test/pos/1"])
    assert corpus.split is not None
    assert corpus.split.tolist() == [0, 0, 1]
