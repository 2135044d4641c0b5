"""What tests of readers share: the documents of a corpus of texts as rows, and the refusal of a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fixtures.reader_files import Sample
from textmix.core.errors import DataFormatError
from textmix.data.corpus import Corpus


def rows(corpus: Corpus) -> list[tuple[str, str, str]]:
    """Return (id, label, text) of each document."""
    names = [corpus.label_names[i] for i in corpus.classes()]
    return [(doc, name, corpus.text.text(i)) for i, (doc, name) in enumerate(zip(corpus.ids, names, strict=True))]


def assert_refused(sample: Sample, folder: Path, line: int | None, what: str) -> str:
    """Assert that a reader refuses a sample, naming the line and the fault; return the name of the file."""
    with pytest.raises(DataFormatError, match=re.escape(what)) as caught:
        sample.read(folder)
    assert caught.value.line == line
    return Path(caught.value.path).name
