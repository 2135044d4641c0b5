"""Texts of e-mails and web pages: MIME, character sets, HTML, the labels of paths, and broken files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixtures.reader_files import EMAIL, PAGE, SAMPLES, Sample
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.file_text import email_text, page_text


def test_an_email_is_its_subject_and_its_texts_once() -> None:
    assert email_text(EMAIL).decode() == "two words\ngrün\nlast\nliñe"


EMAILS = {
    "no header": (b"only text\n", "only text"),
    "subject in words of another character set": (b"Subject: =?utf-8?b?Z3LDvG4=?=\n\nx", "grün\nx"),
    "quoted printable": (b"Content-Transfer-Encoding: quoted-printable\n\nsoft =\nbreak=21", "soft break!"),
    "wrong bytes": (b"Content-Type: text/plain; charset=utf-8\n\na\xffb", "a\ufffdb"),
    "unknown character set": (b"Content-Type: text/plain; charset=nowhere\n\n\xe9", "é"),
    "a text as attachment": (b"Content-Disposition: attachment\n\nhidden", ""),
    "html alone": (b"Content-Type: text/html\n\n<td>a<td>b&nbsp;c", "a\nb\xa0c"),
    "control characters": (b"\n\na\0b\x1bc", "a b c"),
    "a message in a message": (b"Content-Type: message/rfc822\n\nSubject: inner\n\nbody", "body"),
}


@pytest.mark.parametrize("case", EMAILS)
def test_emails_of_many_forms(case: str) -> None:
    data, text = EMAILS[case]
    assert email_text(data).decode().strip() == text


def test_a_page_is_the_text_that_is_shown() -> None:
    assert page_text(PAGE).decode() == "A page\nHead\nSome italics & more\none\ntwo"


@pytest.mark.parametrize("page", [b"", b"  \n", b"<!-- -->", b"Date: now\r\n", b"<script>x"])
def test_pages_without_text(page: bytes) -> None:
    assert page_text(page) == b""


def test_the_first_pattern_that_matches_gives_the_label(tmp_path: Path) -> None:
    corpus = SAMPLES["emails"].read(tmp_path)
    assert corpus.ids == ["easy_ham/ham/00001.ab", "spam-1/spam/00001.cd"]
    assert [corpus.label_names[label] for label in corpus.classes()] == ["ham", "spam"]


def test_pages_come_by_university_and_class(tmp_path: Path) -> None:
    corpus = SAMPLES["pages"].read(tmp_path)
    assert corpus.ids == ["misc/staff/http:^^c^\uf00d", "texas/course/http:^^a.b^"]
    assert [corpus.text.text(row) for row in range(2)] == ["café", "A page\nHead\nSome italics & more\none\ntwo"]


def test_files_without_a_label_are_read_only_where_members_ask_for_them(tmp_path: Path) -> None:
    files = {"archive": {"a/b/1": b"x", "c/d/2": b"y"}}
    some = Sample("message_folder", files, {"labels": {"a/*": "a"}})
    assert some.read(tmp_path).ids == ["b/a/1"]
    with pytest.raises(DataFormatError, match=r"the file 'c/d/2' matches no pattern of labels"):
        Sample("message_folder", files, {"labels": {"a/*": "a"}, "members": ["*"]}).read(tmp_path)


def test_several_archives_are_one_data_set(tmp_path: Path) -> None:
    sample = Sample("message_folder", {"spam": {"spam/1": b"x"}, "ham": {"ham/1": b"y"}})
    assert sample.read(tmp_path).ids == ["ham/1", "spam/1"]


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"sample: content: choose one of text, rainbow_html, email, web_page"):
        Sample("message_folder", {"archive": {"a/1": b"x"}}, {"content": "pdf"}).read(tmp_path)
