"""Whatever bytes come, a reader gives a well-formed corpus or a `DataFormatError`, and never makes anything up."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.reader_files import SAMPLES, Sample
from tests.fuzzing import bounded_memory, searched
from textmix.core.errors import DataFormatError
from textmix.data.corpus import Corpus
from textmix.data.parse import check_corpus

__all__ = ["bounded_memory"]

ROLES = [(name, role) for name, sample in SAMPLES.items() for role in sample.files]
#: Bytes that mean something in one of the formats.
PIECES = st.sampled_from(b"\0 \n \r\n { } , : 0 1 9e99 nan -1 \" ' % @data < > </D> &#0; [ ] \xff \xc3".split(b" "))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def read_or_refuse(sample: Sample, folder: Path, contents: dict[str, bytes]) -> Corpus | None:
    """Return a corpus that holds all its promises, or None where the reader refused."""
    try:
        corpus = sample.read(folder, contents)
    except DataFormatError:
        return None
    check_corpus(corpus)
    return corpus


def documents(corpus: Corpus) -> dict[str, tuple]:
    """Return what is known of each document by its id."""
    described = {}
    for i, doc in enumerate(corpus.ids):
        names = tuple(corpus.label_names[j] for j in corpus.labels[[i]].indices)
        split = None if corpus.split is None else int(corpus.split[i])
        content = corpus.text.text(i) if corpus.text else tuple(corpus.features[[i]].toarray()[0].tolist())
        described[doc] = names, split, content
    return described


@pytest.mark.parametrize(("name", "role"), ROLES)
@searched()
@given(data=st.binary(max_size=200), whole=st.booleans())
def test_arbitrary_bytes(folder: Path, name: str, role: str, data: bytes, whole: bool) -> None:
    sample = SAMPLES[name]
    contents = {**sample.contents(), role: data} if whole else sample.changed(role, lambda _: data)
    read_or_refuse(sample, folder, contents)


@pytest.mark.parametrize(("name", "role"), ROLES)
@searched()
@given(share=st.floats(0, 1), gone=st.integers(0, 8), new=st.lists(PIECES, max_size=3).map(b"".join))
def test_valid_files_with_a_fault(folder: Path, name: str, role: str, share: float, gone: int, new: bytes) -> None:
    def damage(valid: bytes) -> bytes:
        start = int(share * len(valid))
        return valid[:start] + new + valid[start + gone :]

    sample = SAMPLES[name]
    read_or_refuse(sample, folder, sample.changed(role, damage))


@pytest.mark.parametrize(("name", "role"), ROLES)
def test_a_file_cut_anywhere_gives_no_document_that_was_not_there(name: str, role: str, tmp_path: Path) -> None:
    """A cut at the end of a row cannot be seen in the file; the registry's counts see it."""
    # without the first piece a review that overlaps has the second one's id
    options = {key: value for key, value in SAMPLES[name].options.items() if key != "distinct"}
    sample = dataclasses.replace(SAMPLES[name], options=options)
    if name in ("messages", "emails", "pages", "imdb"):
        pytest.skip("a message has no end mark of its own; the archive around it has")
    if name in ("texts", "lines"):
        pytest.skip("a user's file may end without a line end, as editors and spreadsheets write it")
    whole = documents(sample.read(tmp_path))
    sizes: list[int] = []
    sample.changed(role, lambda valid: sizes.append(len(valid)) or valid)
    refused = 0
    for stop in range(sizes[0]):
        corpus = read_or_refuse(sample, tmp_path, sample.changed(role, lambda valid, stop=stop: valid[:stop]))
        refused += corpus is None
        assert corpus is None or documents(corpus).items() <= whole.items()
    assert refused > 0.8 * sizes[0]


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if "archive" in sample.files])
def test_an_archive_cut_anywhere_is_refused_or_whole(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    archive = sample.contents()["archive"]
    whole = sample.read(tmp_path).content_digest()
    end = len(archive.rstrip(b"\0"))
    for stop in [*range(0, end, 53), *range(end, len(archive), 997)]:
        corpus = read_or_refuse(sample, tmp_path, {"archive": archive[:stop]})
        assert corpus is None or (stop > end and corpus.content_digest() == whole)
