"""Stop lists as they were published, and the parts of messages that Rainbow leaves out."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import text as naive
from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text.mail_parts import clean_messages, is_uuencoded, skip_header
from textmix.text.stoplists import STOP_LISTS, stop_words

UUENCODED = b"begin 644 picture.gif\n" + 70 * (b"M" + 60 * b"7" + b"\n")


@pytest.mark.parametrize(("name", "lines", "words"), [("smart", 571, 570), ("rainbow", 524, 523)])
def test_stop_list_has_the_published_size(name: str, lines: int, words: int) -> None:
    content = (files("textmix.text") / "stoplists" / f"{name}.txt").read_text(encoding="ascii").splitlines()
    assert len(content) == lines and content.count("would") == 2
    assert len(stop_words(name)) == words


def test_rainbow_list_is_smart_without_apostrophes() -> None:
    assert stop_words("rainbow") == {word for word in stop_words("smart") if "'" not in word}
    assert {"the", "uucp", "thanx", "zero"} <= stop_words("rainbow") and "can't" in stop_words("smart")


def test_none_is_empty_and_unknown_lists_are_refused() -> None:
    assert stop_words("none") == frozenset()
    with pytest.raises(ConfigError, match=f"'english' is unknown; choose one of {', '.join(STOP_LISTS)}"):
        stop_words("english")


@pytest.mark.parametrize(
    ("message", "body"),
    [
        (b"From: a\nSubject: b\n\nbody\n\nmore", b"body\n\nmore"),
        (b"From: a\r\n\r\nbody", b"body"),
        (b"From: a\nno empty line\n", b""),
        (b"\nbody\n\nmore", b"\nbody\n\nmore"),
        (b"no header\n\nat all\n", b"no header\n\nat all\n"),
        (b"", b""),
    ],
)
def test_header_ends_at_the_first_empty_line(message: bytes, body: bytes) -> None:
    assert skip_header(message) == body


LINES = st.lists(st.sampled_from([b"M" + 60 * b"7", 50 * b"x", 81 * b"y", b"a b c", b"", b"From: me"]), max_size=90)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(lines=LINES, end=st.sampled_from([b"", b"\n"]))
def test_uuencoded_is_judged_as_libbow_does(lines: list[bytes], end: bytes) -> None:
    document = b"\n".join(lines) + end
    assert is_uuencoded(document) == naive.is_uuencoded(document)


def test_cleaning_keeps_the_number_of_documents() -> None:
    text = Ragged.from_texts([b"From: a\n\nbody", UUENCODED, b""])
    cleaned = clean_messages(text, headers=True, uuencoded=True)
    assert [bytes(cleaned[row]) for row in range(len(cleaned))] == [b"body", b"", b""]
    only = clean_messages(text, headers=False, uuencoded=True)
    assert [bytes(only[row]) for row in range(len(only))] == [b"From: a\n\nbody", b"", b""]
    assert clean_messages(text, headers=False, uuencoded=False) is text
