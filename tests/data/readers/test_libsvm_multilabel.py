"""LIBSVM files with several labels: rows, counts of labels, and their faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.readers.numbers import NUMBERS, quick
from tests.data.readers.texts import assert_refused
from tests.fixtures.reader_files import SAMPLES, Sample
from tests.naive import number_rows as naive
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import Corpus
from textmix.data.parse import check_corpus
from textmix.data.registry import load_registry
from textmix.data.user_data import read_own


@quick
@given(st.lists(st.tuples(st.sets(st.integers(0, 3)), st.dictionaries(st.integers(1, 5), NUMBERS)), min_size=1))
def test_svm_rows_equal_their_definition(folder: Path, rows: list[tuple[set[int], dict[int, str]]]) -> None:
    lines = [" ".join([",".join(map(str, y)), *(f"{i}:{x[i]}" for i in sorted(x))]) for y, x in rows]
    text = "".join((line or " ") + "\n" for line in lines)
    sample = Sample("libsvm_multilabel", {"data": text.encode()}, {"n_features": 5, "n_labels": 4})
    corpus = sample.read(folder)
    check_corpus(corpus)
    features, labels = naive.svm_rows("\n".join(lines) + "\n", 5, 4)
    np.testing.assert_array_equal(corpus.features.toarray(), features)
    np.testing.assert_array_equal(corpus.labels.toarray(), labels)


BROKEN_SVM = {
    "index 0": (b"1 0:1\n", 1, "outside the 4 columns"),
    "index twice": (b"1 1:1\n1 2:1 2:1\n", 2, "duplicate"),
    "index beyond": (b"1 5:1\n", 1, "outside the 4 columns"),
    "label twice": (b"1 1:1\n2,1,2 1:1\n", 2, "has a duplicate label"),
    "label beyond": (b"3 1:1\n", 1, "outside the 3"),
    "label huge": (b"99999999999999999999 1:1\n", 1, "outside the 3"),
    "label cut": (b"1, 1:1\n", 1, "'1,' should be index:number, after the labels"),
    "label no number": (b"a 1:1\n", 1, "'a' should be index:number, after the labels"),
    "no colon": (b"1 1 0.5\n", 1, "'1' should be index:number"),
    "no value": (b"1 1:\n", 1, "'1:' should be index:number"),
    "no blank between": (b"1 1:1,2:1\n", 1, "'1:1,2:1' should be"),
    "colon after labels": (b"0,1:1\n", 1, "'0,1:1' should be"),
    "nan": (b"1 1:nan\n", 1, "'1:nan' should be"),
    "infinite": (b"1 1:1e999\n", 1, "too large"),
    "empty line": (b"1 1:1\n\n1 1:1\n", 2, "empty line"),
    "cut": (b"1 1:1\n1 1:1", 2, "truncated"),
    "cut labels": (b"1 1:1\n1", 2, "truncated"),
    "no documents": (b"", None, "no documents"),
}


@pytest.mark.parametrize("case", BROKEN_SVM)
def test_broken_libsvm_files_are_named_by_line(case: str, tmp_path: Path) -> None:
    data, line, what = BROKEN_SVM[case]
    assert_refused(Sample("libsvm_multilabel", {"data": data}, {"n_features": 4, "n_labels": 3}), tmp_path, line, what)


def test_libsvm_rows_may_have_no_labels_or_no_features(tmp_path: Path) -> None:
    corpus = SAMPLES["libsvm"].read(tmp_path)
    assert corpus.labels.toarray().tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert corpus.features.toarray()[:, :].tolist() == [
        [0.5, 0, 2, 0], [0, 1, 0, 0], [7, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 100],
    ]  # fmt: skip


def test_labels_may_count_from_1(tmp_path: Path) -> None:
    options = {"n_features": 1, "n_labels": 2, "first_label": 1}
    assert Sample("libsvm_multilabel", {"data": b"2 1:1\n"}, options).read(tmp_path).labels.toarray().tolist() == [
        [0, 1]
    ]
    with pytest.raises(DataFormatError, match="outside the 2"):
        Sample("libsvm_multilabel", {"data": b"0 1:1\n"}, options).read(tmp_path)


COUNTED = {"n_features": 3, "n_labels": 2, "first_label": "found", "one_label": True, "counted_by": "Rainbow"}


def test_labels_may_be_the_numbers_that_occur(tmp_path: Path) -> None:
    corpus = Sample("libsvm_multilabel", {"train": b"7 1:2\n3 2:1\n", "test": b"3 3:4\n"}, COUNTED).read(tmp_path)
    assert corpus.labels.toarray().tolist() == [[0, 1], [1, 0], [1, 0]]
    assert corpus.info["counted_by"] == "Rainbow"
    assert corpus.features is not None
    assert corpus.features.dtype == np.int32


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"1 1:1\n", "contain 1 labels, but n_labels is 2"),
        (b"1 1:1\n2,1 1:1\n", "has 2 labels"),
        (b"1 1:1\n2 1:0.5\n", "has the value 0.5"),
        (b"1 1:1\n2 1:-1\n", "has the value -1"),
    ],
)
def test_counts_of_documents_of_one_label_are_checked(data: bytes, what: str, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=what):
        Sample("libsvm_multilabel", {"data": data}, COUNTED).read(tmp_path)


def test_a_file_of_the_form_and_size_of_industry_sector_is_read(tmp_path: Path) -> None:
    """6,412 + 3,207 synthetic documents of 105 labels with about 400 of 55,197 words each, as the registry expects."""
    rng = np.random.default_rng(0)
    parts = {}
    for role, size in (("train", 6412), ("test", 3207)):
        words = np.sort(rng.choice(55197, (size // 16, 400), replace=True), axis=1)
        lines = [" ".join(f"{word + 1}:{1 + word % 7}" for word in dict.fromkeys(row.tolist())) for row in words]
        parts[role] = b"".join(b"%d %s\n" % (row % 105 + 1, lines[row % len(lines)].encode()) for row in range(size))
    source = load_registry(Path(__file__).parents[3] / "config/datasets.yaml")["industry_sector"].sources[0]
    corpus = Sample(source.reader.name, parts, dict(source.reader.options)).read(tmp_path)
    check_corpus(corpus)
    statistics = corpus.statistics()
    assert {key: statistics[key] for key in source.expect} == source.expect


def own(path: Path) -> Corpus:
    """Return the corpus of one's own file, whose sizes are counted."""
    head = {"name": "mine", "source": "here", "format": "libsvm", "task": "single", "options": {}}
    return read_own({**head, "files": {"data": str(path)}})


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_labels_with_signs_are_the_classes_of_ones_own_file(end: str, tmp_path: Path) -> None:
    rows = ["+1 1:0.5 3:1", "-1 2:1", "-1 1:2", "1 3:4"]
    (tmp_path / "a.svm").write_bytes("".join(row + end for row in rows).encode())
    corpus = own(tmp_path / "a.svm")
    assert [corpus.label_names[label] for label in corpus.classes()] == ["1", "-1", "-1", "1"]
    assert corpus.features.toarray().tolist() == [[0.5, 0, 1], [0, 1, 0], [2, 0, 0], [0, 0, 4]]


def test_a_number_beyond_all_data_or_no_file_is_refused_before_memory_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 1:0.5\n99999999999 2:1\n")
    with pytest.raises(DataFormatError, match=r"a\.svm, line 2: .* exceeds"):
        own(tmp_path / "a.svm")
    with pytest.raises(ConfigError, match=r"here: files\.data: .* not found"):
        own(tmp_path / "b.svm")
