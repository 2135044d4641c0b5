"""Numbers of skip-grams by documents and patterns."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from reproduction.flow.measures import run_measure
from reproduction.papers.skipgrams import patterns
from tests.papers.skipgrams.example import reviews, source_of
from textmix.text.skipgrams import position_patterns


def test_words_in_a_gap_are_counted_once_a_review() -> None:
    source = source_of({"tokenizer": "treebank", "lowercase": True, "lemmatise": True, "keep_tokens": True})
    settings = {"pair": ["waste", "time"], "number": 3, "asked": {"music": "music", "none": "absent"}}
    measure = run_measure("skipgrams", "patterns.gap_words", {"imdb": source}, settings, np.random.default_rng(0))
    texts = [text.replace(".", " ") for text in reviews(120)]
    expected = Counter(text.split("waste ")[1].split()[0] for text in texts if "waste " in text)
    assert measure.values == {"music": float(expected["music"]), "none": 0.0}
    counts = [row["documents"] for row in measure.tables["words"]]
    assert counts == sorted(expected.values(), reverse=True)[:3]


def test_merged_words_have_one_id() -> None:
    names = ["you", "your", "time"]
    assert patterns.merge_words(np.array([1, 2, 0]), names, {"your": "you", "his": "he"}).tolist() == [0, 2, 0]


@pytest.mark.parametrize("once", ["pattern", "document"])
def test_frequencies_by_document_and_pattern_are_those_of_plain_counting(once: str) -> None:
    generator = np.random.default_rng(20160320)
    texts = [generator.integers(0, 6, size=generator.integers(1, 14)) for _ in range(40)]
    values, document = np.concatenate(texts), np.repeat(np.arange(40), [len(text) for text in texts])
    for n in (1, 2, 3):
        before: Counter[tuple[int, ...]] = Counter()
        expected = []
        for slop in range(3 if n > 1 else 1):
            frequency: Counter[tuple[int, ...]] = Counter()
            for text in texts:
                by_pattern = [
                    {tuple(int(text[i + offset]) for offset in offsets) for i in range(len(text) - offsets[-1])}
                    for offsets in position_patterns(n, slop)
                ]
                for grams in by_pattern if once == "pattern" else [set().union(*by_pattern)]:
                    frequency.update(grams)
            expected.append(sum(count >= 5 and count != before[gram] for gram, count in frequency.items()))
            before = frequency
        assert patterns.numbers_by_slop(values, document, (n, 2 if n > 1 else 0), (5, once)) == expected
