"""Whatever bytes a file of new texts holds, each text comes out or our own error does."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzzing import bounded_memory, searched
from textmix.core.errors import TextmixError
from textmix.data.formats import NEW_TEXTS
from textmix.data.user_table import read_texts

__all__ = ["bounded_memory"]

PIECES = st.sampled_from(
    [b"id,text\n", b"id\ttext\n", b'{"text": "a"}\n', b'"', b",", b"\t", b"\r\n", b"\n", b"\0", b"\xff"]
)
CONTENT = st.lists(PIECES | st.binary(max_size=5), max_size=12).map(b"".join)


@pytest.mark.parametrize("form", NEW_TEXTS)
@searched()
@given(content=CONTENT)
def test_arbitrary_bytes_give_texts_or_our_error(form: str, content: bytes) -> None:
    try:
        texts = list(read_texts("x", stream=io.BytesIO(content), format=form)[0])
    except TextmixError:
        return
    assert len(texts) <= content.count(b"\n") + content.count(b"\r") + 1
    assert all(isinstance(text.text, bytes) and text.text.decode("utf-8") is not None for text in texts)
