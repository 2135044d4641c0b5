"""Made documents: classes, lengths and words of the real ones of their class, the same for a seed, as a stream."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench import made
from reproduction.bench.made import Pools, halves, real_documents, write_table
from textmix.data.corpus import Corpus, label_matrix

WORDS = [f"w{letter}" for letter in "abcdef"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Return 40 documents of two classes, each with words of its own and one that both have; the first has none."""
    generator = np.random.default_rng(0)
    shares = np.array([[0.5, 0.3, 0.1, 0.0, 0.0, 0.1], [0.0, 0.0, 0.0, 0.6, 0.3, 0.1]])
    counts = np.array([generator.multinomial(3 + row % 4, shares[row % 2]) for row in range(40)], dtype=np.int32)
    counts[0] = 0
    labels = label_matrix([[row % 2] for row in range(40)], 2)
    ids = [str(row) for row in range(40)]
    return Corpus("few", ids, ["a", "b"], labels, features=sparse.csr_array(counts), feature_names=WORDS)


def test_words_come_from_the_documents_of_the_class_with_their_shares(corpus: Corpus) -> None:
    rows = np.arange(40)
    lengths, classes, words = Pools.of(corpus, rows).draw(20_000, np.random.default_rng(1))
    assert corpus.features is not None
    of_word = np.repeat(classes, lengths)
    for label in (0, 1):
        real = np.asarray(corpus.features[rows % 2 == label].sum(axis=0)).ravel()
        found = np.bincount(words[of_word == label], minlength=6)
        np.testing.assert_allclose(found / found.sum(), real / real.sum(), atol=0.01)
        assert not found[real == 0].any()
    assert set(lengths.tolist()) <= set(np.asarray(corpus.features.sum(axis=1)).ravel()[1:].tolist())


def test_no_word_comes_from_a_document_that_is_held_out(corpus: Corpus) -> None:
    used, held = halves(40)
    assert sorted([*used, *held]) == list(range(40)) and len(held) == 8
    pools = Pools.of(corpus, used)
    assert corpus.features is not None
    assert len(pools.words) == corpus.features[used].sum() and len(pools.lengths) == 31


def test_a_seed_and_a_name_decide_the_documents(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    pools = Pools.of(corpus, np.arange(40))
    first, again, other = (list(pools.documents(30, 5, name)) for name in ("x", "x", "y"))
    assert first == again != other
    monkeypatch.setattr(made, "BLOCK", 10)
    assert len(list(pools.documents(25, 5, "x"))) == 25


def test_the_table_is_written_as_a_stream(corpus: Corpus, tmp_path: Path) -> None:
    drawn = 0

    def counted() -> itertools.chain[tuple[str, str]]:
        nonlocal drawn
        drawn += 1
        return itertools.chain(real_documents(corpus, np.array([1, 2])), [("a", 'odd "text", with marks')])

    write_table(tmp_path / "x.csv", counted())
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert corpus.features is not None
    assert rows[0] == ["label", "text"] and rows[3] == ["a", 'odd "text", with marks']
    assert rows[1][0] == "b" and len(rows[1][1].split()) == corpus.features[[1]].sum()
