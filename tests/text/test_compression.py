"""N-grams chosen by compression, against plain counting and against all ways to cut a short document."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from textmix.data.corpus import Ragged
from textmix.text.compression import dictionary, ngram_ids, presence
from textmix.text.ngram_kernels import cheapest_cover

RNG = np.random.default_rng(20131205)
TEXTS = [RNG.integers(0, 4, size=length).tolist() for length in RNG.integers(0, 9, size=30)]
OFFSETS = np.concatenate([[0], np.cumsum([len(text) for text in TEXTS])]).astype(np.int64)
TOKENS = Ragged(np.array([word for text in TEXTS for word in text], dtype=np.int32), OFFSETS)
DECIDING = np.arange(0, 30, 2)
IDS = ngram_ids(TOKENS, 3, 3, DECIDING)


def grams(text: list[int], n: int) -> list[tuple[int, ...]]:
    """Return the n-grams of a document."""
    return [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]


def test_numbers_are_those_of_counted_ngrams():
    names: dict[int, tuple[int, ...]] = {}
    for n in (1, 2, 3):
        count = Counter(gram for d in DECIDING for gram in grams(TEXTS[d], n))
        for d, text in enumerate(TEXTS):
            for i in range(len(text)):
                gram, number = tuple(text[i : i + n]), IDS[OFFSETS[d] + i, n - 1]
                numbered = len(gram) == n and count[gram] >= (3 if n > 1 else 1)
                assert (number >= 0) == numbered
                if numbered:
                    assert names.setdefault(number, gram) == gram
    assert sorted(names) == list(range(len(names))) and len(set(names.values())) == len(names)


def cheapest(d: int, costs: np.ndarray) -> float:
    """Return the smallest cost over all ways to cut a document into n-grams of at most three words."""
    text, best = TEXTS[d], np.inf
    for cuts in itertools.product((False, True), repeat=max(len(text) - 1, 0)):
        ends = [i + 1 for i, cut in enumerate(cuts) if cut] + [len(text)]
        starts = [0, *ends[:-1]]
        if all(end - start <= 3 for start, end in zip(starts, ends, strict=True)):
            numbers = [IDS[OFFSETS[d] + start, end - start - 1] for start, end in zip(starts, ends, strict=True)]
            best = min(best, sum(costs[k] if k >= 0 else np.inf for k in numbers))
    return float(best)


def test_cover_is_the_cheapest_of_all_cuts():
    costs = RNG.uniform(0.5, 3.0, size=IDS.max() + 1)
    for d in DECIDING[[len(TEXTS[d]) > 0 for d in DECIDING]]:
        uses = cheapest_cover(IDS, OFFSETS, np.array([d], dtype=np.int64), costs)
        assert uses @ costs == pytest.approx(cheapest(int(d), costs))


def test_dictionary_grows_as_its_entries_become_cheap_and_its_cost_falls():
    sizes = []
    for entry in (0.0, 2.0, 1e6):
        chosen, costs = dictionary(IDS, OFFSETS, DECIDING, entry)
        assert costs == sorted(costs, reverse=True)
        sizes.append(len(chosen))
    assert sizes[0] >= sizes[1] >= sizes[2] == len({word for d in DECIDING for word in TEXTS[d]})


def test_presence_is_that_of_the_texts():
    chosen, _ = dictionary(IDS, OFFSETS, DECIDING, 2.0)
    X = presence(IDS, OFFSETS, chosen).toarray()
    for d in range(len(TEXTS)):
        numbers = set(IDS[OFFSETS[d] : OFFSETS[d + 1]].ravel().tolist())
        np.testing.assert_array_equal(X[d], [float(k in numbers) for k in chosen])
