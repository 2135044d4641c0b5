"""The parse stage: every promise of a corpus is checked, every doubt about raw data becomes a missing result."""

from __future__ import annotations

import dataclasses
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.fixtures.reader_files import SAMPLES
from textmix.core import digests, io
from textmix.core.errors import ConfigError, DataFormatError, IntegrityError, MissingResult
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.data.parse import check_corpus, check_expectations, parse_dataset, parse_first
from textmix.data.registry import READERS, RECORD, DatasetEntry, Reader, Source


def entry(sample: str, digest: str | None = None, **expect: int) -> DatasetEntry:
    reader = Reader(SAMPLES[sample].reader, SAMPLES[sample].options)
    names = {role: f"{role}.txt" for role in SAMPLES[sample].files}
    return DatasetEntry("tiny", "t", "c", "none", names, (Source("mirror", {}, reader, digest, expect=expect),))


def fetched(sample: str, folder: Path, **changes: bytes) -> Path:
    """Put a sample's files and their record where the fetch stage puts them."""
    contents = {**SAMPLES[sample].contents(), **changes}
    files = {}
    for role, data in contents.items():
        (folder / f"{role}.txt").write_bytes(data)
        files[role] = {"name": f"{role}.txt", "sha256": digests.sha256_bytes(data)}
    io.write_json(folder / RECORD, {"status": "had", "form": "mirror", "files": files})
    return folder


@pytest.mark.parametrize("sample", SAMPLES)
def test_fetched_files_are_parsed(sample: str, tmp_path: Path) -> None:
    digest = SAMPLES[sample].read(tmp_path).content_digest()
    corpus = parse_dataset(entry(sample, digest), fetched(sample, tmp_path))
    assert corpus.name == "tiny"
    assert corpus.content_digest() == digest


def folders(root: Path, **records: dict[str, Any]) -> dict[Path, DatasetEntry]:
    """Make a folder for each data set; one with an empty record is available."""
    entries = {}
    for name, record in records.items():
        folder = root / name
        folder.mkdir()
        if record:
            io.write_json(folder / RECORD, record)
        else:
            fetched("tab", folder)
        entries[folder] = dataclasses.replace(entry("tab"), id=name)
    return entries


NOT_HAD: dict[str, Any] = {"status": "missing", "reason": "the host is gone", "broken": False}


def test_the_first_data_set_that_could_be_had_is_read_and_named(tmp_path: Path) -> None:
    assert parse_first(folders(tmp_path, whole={}, part={})).name == "whole"
    (tmp_path / "b").mkdir()
    assert parse_first(folders(tmp_path / "b", whole=NOT_HAD, part={})).name == "part"


def test_reasons_of_all_stand_ins_are_told_where_none_could_be_had(tmp_path: Path) -> None:
    with pytest.raises(MissingResult, match="the host is gone; no mirror") as caught:
        parse_first(folders(tmp_path, whole=NOT_HAD, part={**NOT_HAD, "reason": "no mirror"}))
    assert not caught.value.broken


def test_a_wrong_file_has_no_stand_in(tmp_path: Path) -> None:
    wrong = {"status": "missing", "reason": "tab.txt has sha256 0, expected 1", "broken": True}
    with pytest.raises(MissingResult, match="has sha256 0") as caught:
        parse_first(folders(tmp_path, whole=wrong, part={}))
    assert caught.value.broken


def test_a_part_has_the_documents_of_its_classes_with_their_labels_and_names(tmp_path: Path) -> None:
    whole = parse_dataset(entry("tab"), fetched("tab", tmp_path))
    wanted = whole.label_names[:1]
    part = parse_dataset(dataclasses.replace(entry("tab"), classes=wanted), tmp_path)
    rows = [row for row, label in enumerate(whole.classes()) if label == 0]
    assert 0 < len(rows) < whole.n_documents and whole.text is not None and part.text is not None
    assert (part.label_names, part.ids) == (wanted, [whole.ids[row] for row in rows])
    assert [part.text.text(i) for i in range(len(rows))] == [whole.text.text(row) for row in rows]
    with pytest.raises(ConfigError, match="classes: 'z' is none"):
        parse_dataset(dataclasses.replace(entry("tab"), classes=["z"]), tmp_path)


def test_a_part_of_labelled_counts_keeps_no_other_label() -> None:
    features = sparse.csr_array(np.arange(1, 7, dtype=np.int32).reshape(3, 2))
    labels = label_matrix([[0, 2], [1], [0, 1]], 3)
    split = np.array([0, 1, 1], dtype=np.int8)
    whole = Corpus("made", ["p", "q", "r"], ["a", "b", "c"], labels, split, features=features, feature_names=["x", "y"])
    part = whole.of_labels(["c", "a"])
    check_corpus(part)
    assert (part.ids, part.label_names, part.indicators().tolist()) == (["p", "r"], ["a", "c"], [[1, 1], [1, 0]])
    assert part.split is not None and part.features is not None
    assert (part.split.tolist(), part.features.toarray().tolist()) == ([0, 1], [[1, 2], [5, 6]])


def test_what_could_not_be_fetched_is_the_same_missing_result(tmp_path: Path) -> None:
    io.write_json(tmp_path / RECORD, {"status": "missing", "reason": "no source has it", "files": {}})
    with pytest.raises(MissingResult, match="no source has it") as caught:
        parse_dataset(entry("tab"), tmp_path)
    assert not caught.value.broken
    io.write_json(tmp_path / RECORD, {"status": "missing", "reason": "bad bytes", "broken": True})
    with pytest.raises(MissingResult, match="bad bytes") as caught:
        parse_dataset(entry("tab"), tmp_path)
    assert caught.value.broken


def test_a_flipped_byte_is_named_with_both_digests(tmp_path: Path) -> None:
    file = fetched("table", tmp_path) / "data.txt"
    data = file.read_bytes()
    changed = data.replace(b"-3.5", b"-3.4")
    file.write_bytes(changed)
    with pytest.raises(MissingResult) as caught:
        parse_dataset(entry("table"), tmp_path)
    assert caught.value.broken
    for part in ("data.txt", digests.sha256_bytes(data), digests.sha256_bytes(changed), "run again"):
        assert part in caught.value.reason


def test_a_missing_file_is_a_broken_missing_result(tmp_path: Path) -> None:
    (fetched("table", tmp_path) / "data.txt").unlink()
    with pytest.raises(MissingResult, match="no such file") as caught:
        parse_dataset(entry("table"), tmp_path)
    assert caught.value.broken


def test_a_bad_file_is_a_broken_missing_result_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fetched("table", tmp_path, data=b"x,A,B\n1,0,nan\n")
    with (
        caplog.at_level(logging.ERROR),
        pytest.raises(MissingResult, match=r"tiny: data\.txt, line 2: .*number") as caught,
    ):
        parse_dataset(entry("table"), tmp_path)
    assert caught.value.broken
    assert "data.txt, line 2" in caplog.text


def test_all_wrong_counts_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(MissingResult) as caught:
        parse_dataset(entry("table", "0" * 64, documents=3, labels=2, features=9), fetched("table", tmp_path))
    assert caught.value.broken
    for part in (
        "documents should be 3, found 2",
        "features should be 9, found 2",
        f"content_digest should be {'0' * 64}",
    ):
        assert part in caught.value.reason
    assert "labels" not in caught.value.reason


def test_an_unknown_count_in_the_registry_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="words should be 1, found no such count"):
        check_expectations(SAMPLES["tab"].read(tmp_path), {"words": 1}, None)


def test_options_are_checked(tmp_path: Path) -> None:
    for options, what in (({}, "correct ['n_labels']"), ({"n_labels": 2, "n_label": 2}, "correct ['n_label']")):
        wrong = dataclasses.replace(SAMPLES["table"], options=options)
        with pytest.raises(ConfigError, match=re.escape(what)):
            wrong.read(tmp_path)


def test_readers_come_from_a_closed_list() -> None:
    with pytest.raises(ConfigError, match="unknown reader 'os'"):
        _ = Reader("os").module
    folder = Path(__file__).parents[2] / "src/textmix/data/readers"
    assert set(READERS) == {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {sample.reader for sample in SAMPLES.values()} == set(READERS)


def corpus(**changes: Any) -> Corpus:
    """Return a small corpus with every block, or with some of them changed."""
    blocks: dict[str, Any] = {
        "name": "c",
        "ids": ["a", "b", "c"],
        "label_names": ["x", "y"],
        "labels": label_matrix([[0, 1], [], [1]], 2),
        "split": np.array([0, 1, -1], dtype=np.int8),
        "text": Ragged.from_texts(["ü".encode(), b"", b"two"]),
        "tokens": Ragged(np.array([2, 0, 1], dtype=np.int32), np.array([0, 2, 2, 3])),
        "features": csr([[1, 0, 2], [0, 0, 0], [0, 3, 0]], np.int32),
        "feature_names": ["p", "q", "r"],
        "info": {"k": 1},
    }
    return Corpus(**{**blocks, **changes})


def csr(rows: list[list[float]], dtype: type) -> sparse.csr_array:
    return sparse.csr_array(np.array(rows, dtype=dtype))


def parts(data: list, indices: list, indptr: list, shape: tuple[int, int], dtype: type = np.int32) -> sparse.csr_array:
    """Return a CSR matrix of any arrays, as a damaged file would give it."""
    matrix = sparse.csr_array(shape, dtype=dtype)
    matrix.data, matrix.indices, matrix.indptr = np.array(data, dtype), np.array(indices, np.int32), np.array(indptr)
    return matrix


def test_a_good_corpus_passes() -> None:
    check_corpus(corpus())
    check_corpus(corpus(features=csr([[0.5, 0, -2], [0, 0, 0], [0, 3, 0]], np.float64)))
    check_corpus(corpus(split=None, text=None, tokens=None, features=None, feature_names=None))


ONES = np.int8
BROKEN: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "no documents": (lambda: {"ids": [], "labels": label_matrix([], 2)}, "no documents"),
    "id twice": (lambda: {"ids": ["a", "b", "a"]}, "ids are not unique"),
    "empty id": (lambda: {"ids": ["a", "", "c"]}, "ids should be non-empty"),
    "NUL in an id": (lambda: {"ids": ["a", "b\0", "c"]}, "ids should be"),
    "half a character in a label": (lambda: {"label_names": ["x", "\ud800"]}, "label names should be"),
    "labels of another shape": (
        lambda: {"labels": label_matrix([[0], [1]], 2)},
        "labels should be CSR of shape (3, 2)",
    ),
    "labels not CSR": (lambda: {"labels": corpus().labels.tocsc()}, "labels should be CSR"),
    "label of weight 2": (lambda: {"labels": parts([2, 1], [0, 1], [0, 1, 1, 2], (3, 2), ONES)}, "int8 ones"),
    "labels int64": (lambda: {"labels": parts([1, 1], [0, 1], [0, 1, 1, 2], (3, 2), np.int64)}, "int8 ones"),
    "label index outside": (lambda: {"labels": parts([1, 1], [0, 2], [0, 1, 1, 2], (3, 2), ONES)}, "outside 0 to 1"),
    "label index negative": (lambda: {"labels": parts([1, 1], [0, -1], [0, 1, 1, 2], (3, 2), ONES)}, "outside 0 to 1"),
    "label twice in a row": (
        lambda: {"labels": parts([1, 1], [1, 1], [0, 2, 2, 2], (3, 2), ONES)},
        "duplicated in a row",
    ),
    "labels not sorted": (lambda: {"labels": parts([1, 1], [1, 0], [0, 2, 2, 2], (3, 2), ONES)}, "unsorted"),
    "indptr falls": (lambda: {"labels": parts([1, 1], [0, 1], [0, 2, 1, 2], (3, 2), ONES)}, "damaged indptr"),
    "indptr short": (lambda: {"labels": parts([1, 1], [0, 1], [0, 1, 2], (3, 2), ONES)}, "damaged indptr"),
    "indptr past the end": (lambda: {"labels": parts([1, 1], [0, 1], [0, 1, 1, 3], (3, 2), ONES)}, "damaged indptr"),
    "split too short": (lambda: {"split": np.zeros(2, dtype=np.int8)}, "split should be"),
    "split unknown": (lambda: {"split": np.full(3, 2, dtype=np.int8)}, "split should be"),
    "text not UTF-8": (lambda: {"text": Ragged.from_texts([b"a", b"\xff", b""])}, "not UTF-8 at byte 1"),
    "text cut in a character": (lambda: {"text": Ragged.from_texts([b"\xc3", b"\xbc", b""])}, "within a character"),
    "text of two documents": (lambda: {"text": Ragged.from_texts([b"a", b"b"])}, "text have damaged offsets"),
    "offsets fall": (lambda: {"text": Ragged(np.zeros(2, np.uint8), np.array([0, 2, 1, 2]))}, "damaged offsets"),
    "offsets past the end": (
        lambda: {"text": Ragged(np.zeros(2, np.uint8), np.array([0, 1, 2, 3]))},
        "damaged offsets",
    ),
    "token outside": (lambda: {"tokens": Ragged(np.array([3], np.int32), np.array([0, 1, 1, 1]))}, "a token lies"),
    "token negative": (lambda: {"tokens": Ragged(np.array([-1], np.int32), np.array([0, 1, 1, 1]))}, "a token lies"),
    "tokens int64": (lambda: {"tokens": Ragged(np.array([1]), np.array([0, 1, 1, 1]))}, "wrong dtype"),
    "features without names": (lambda: {"tokens": None, "feature_names": None}, "no names"),
    "features of float32": (lambda: {"features": corpus().features.astype(np.float32)}, "int32 or float64"),
    "stored zero": (lambda: {"features": parts([0], [0], [0, 1, 1, 1], (3, 3))}, "positive counts"),
    "nan": (lambda: {"features": parts([np.nan], [0], [0, 1, 1, 1], (3, 3), np.float64)}, "finite reals"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_promise_is_named(case: str) -> None:
    changes, what = BROKEN[case]
    with pytest.raises(DataFormatError, match=re.escape(what)):
        check_corpus(corpus(**changes()))


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Return any small corpus."""
    names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)
    ids = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    words = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    per_document = {"min_size": len(ids), "max_size": len(ids)}
    rows = draw(st.lists(st.sets(st.integers(0, 2)), **per_document))
    texts = draw(st.lists(st.text(st.characters(codec="utf-8"), max_size=9), **per_document))
    cells = draw(st.lists(st.lists(st.integers(0, 9), min_size=len(words), max_size=len(words)), **per_document))
    tokens = draw(st.lists(st.lists(st.integers(0, len(words) - 1), max_size=4), **per_document))
    offsets = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
    return Corpus(
        name="any",
        ids=ids,
        label_names=["x", "y", "z"],
        labels=label_matrix([sorted(row) for row in rows], 3),
        split=draw(
            st.none() | st.lists(st.sampled_from([0, 1, -1]), **per_document).map(lambda s: np.array(s, np.int8))
        ),
        text=draw(st.none() | st.just(Ragged.from_texts(text.encode() for text in texts))),
        tokens=draw(
            st.none() | st.just(Ragged(np.array([id for row in tokens for id in row], dtype=np.int32), offsets))
        ),
        features=draw(st.none() | st.sampled_from([np.int32, np.float64]).map(lambda dtype: csr(cells, dtype))),
        feature_names=words,
        info={"n": len(ids)},
    )


@settings(deadline=None, derandomize=True, max_examples=50)
@given(corpora())
def test_saving_and_loading_is_the_identity(tmp_path_factory: pytest.TempPathFactory, before: Corpus) -> None:
    folder = tmp_path_factory.mktemp("saved") / "corpus"
    check_corpus(before)
    before.save(folder, {"made_by": "test"})
    after = Corpus.load(folder)
    check_corpus(after)
    assert after.content_digest() == before.content_digest()
    assert after.statistics() == before.statistics()
    assert (after.name, list(after.ids), dict(after.info)) == (before.name, list(before.ids), dict(before.info))
    assert [block is None for block in (after.split, after.text, after.tokens, after.features)] == [
        block is None for block in (before.split, before.text, before.tokens, before.features)
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"ids": ["a", "b", "d"]},
        {"label_names": ["x", "z"]},
        {"feature_names": ["p", "q", "s"]},
        {"labels": label_matrix([[0, 1], [], [0]], 2)},
        {"split": np.array([0, 1, 1], dtype=np.int8)},
        {"split": None},
        {"text": Ragged.from_texts(["ü".encode(), b"t", b"wo"])},
        {"tokens": Ragged(np.array([2, 0, 1], dtype=np.int32), np.array([0, 1, 2, 3]))},
        {"features": csr([[1, 0, 2], [0, 0, 0], [0, 3, 0]], np.float64)},
    ],
)
def test_a_change_of_any_part_changes_the_digest(change: dict[str, Any]) -> None:
    assert corpus(**change).content_digest() != corpus().content_digest()


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    corpus().save(folder, {})
    path = min(folder.glob("*.npy"))
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(IntegrityError, match=re.escape(path.name)):
        Corpus.load(folder)
