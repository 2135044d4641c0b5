"""Tokenizers: equal to their definition, whatever the text and the size of the table."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import text as naive
from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text import token_kernels as kernels
from textmix.text.tokenize import TOKENIZERS, tokenize

quick = settings(deadline=None, derandomize=True, max_examples=150)
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
#: Few characters, so that words recur; capitals, accents, marks, digits, blanks, NUL, a letter beyond 16 bits.
CROWDED = st.text("abAB1 \0\n.éÉ\u0301Kıİ\u00a0ß\U00010400", max_size=60)
DOCUMENTS = st.lists(st.one_of(ANY_TEXT, CROWDED), max_size=6)


def encode(documents: list[str]) -> Ragged:
    return Ragged.from_texts(document.encode("utf-8") for document in documents)


def words_of(documents: list[str], tokenizer: str, *limits: int) -> list[list[str]]:
    tokens, words = tokenize(encode(documents), tokenizer, *limits)
    return [[words[token] for token in tokens[row]] for row in range(len(tokens))]


@quick
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(documents=DOCUMENTS, min_length=st.integers(1, 3), extra=st.integers(0, 4))
def test_words_are_those_of_the_definition(tokenizer: str, documents: list[str], min_length: int, extra: int) -> None:
    limits = (min_length, min_length + extra)
    assert words_of(documents, tokenizer, *limits) == [
        naive.tokens(document, tokenizer, *limits) for document in documents
    ]


@quick
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(documents=DOCUMENTS)
def test_vocabulary_is_sorted_complete_and_without_doubles(tokenizer: str, documents: list[str]) -> None:
    tokens, words = tokenize(encode(documents), tokenizer)
    assert words == sorted(set(words))
    assert words == sorted(words, key=lambda word: word.encode("utf-8"))
    np.testing.assert_array_equal(np.unique(tokens.values), np.arange(len(words)))
    assert tokens.values.dtype == np.int32 and tokens.offsets.dtype == np.int64
    assert len(tokens) == len(documents) and tokens.offsets[-1] == len(tokens.values)


@quick
@given(documents=st.lists(CROWDED, max_size=6), n_slots=st.sampled_from([1, 2, 4, 16]))
def test_size_of_the_first_table_does_not_matter(documents: list[str], n_slots: int) -> None:
    text, fold = encode(documents), TOKENIZERS["whitespace"].fold
    small = kernels.tokenize(text.values, text.offsets, fold, 1, 99, n_slots)
    large = kernels.tokenize(text.values, text.offsets, fold, 1, 99, 1 << 12)
    for a, b in zip(small, large, strict=True):
        np.testing.assert_array_equal(a, b)


def turned_xor(word: bytes) -> int:
    """Return the hash of the kernel's module text."""
    value = 0
    for byte in word:
        value = ((value << 8 | value >> 56) ^ byte) & (1 << 64) - 1
    return value


def test_words_of_one_hash_stay_apart() -> None:
    # From the ninth byte on, a byte falls on one eight before: a ^ b == e ^ f, and a word written twice falls to zero.
    nine, none = ["amiddlesb", "emiddlesf"], [4 * "abcdefgh", 2 * "abcdefgh", 2 * "zyxwvuts"]
    assert len({turned_xor(word.encode()) for word in nine}) == 1
    assert {turned_xor(word.encode()) for word in none} == {0}
    document = none + nine + [(nine + none)[i] for i in np.random.default_rng(0).integers(0, 5, 200)]
    assert words_of([" ".join(document)], "letters") == [document]


@quick
@given(rows=st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=6))
def test_counted_words_rise_within_a_document(rows: list[list[int]]) -> None:
    offsets = np.cumsum([0, *map(len, rows)])
    counts, words, indptr = kernels.count_words(
        np.array([word for row in rows for word in row], dtype=np.int32), offsets, 10
    )
    for row, begin, end in zip(rows, indptr[:-1], indptr[1:], strict=True):
        assert words[begin:end].tolist() == sorted(set(row))
        assert counts[begin:end].tolist() == [row.count(word) for word in sorted(set(row))]


def test_letters_are_not_glued_over_nul_accents_or_digits() -> None:
    assert words_of(["ab\0cd naïve x86code e\u0301t"], "letters") == [["ab", "cd", "na", "ve", "x", "code", "e", "t"]]


def test_unicode_folds_case_and_composes_accents() -> None:
    assert words_of(["Straße STRASSE Cafe\u0301 café"], "unicode") == [["strasse", "strasse", "café", "café"]]


def test_unknown_tokenizer_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="'porter' is unknown; choose one of letters, words, whitespace, unicode"):
        tokenize(encode(["a"]), "porter")


@pytest.mark.parametrize("tokenizer", ["unicode", "scripts"])
@pytest.mark.parametrize(
    "word",
    [
        "green\u00adhouse",
        "green\u2060house",
        "green\ufeffhouse",
        "\u0645\u06cc\u200c\u0631\u0648\u062f",
        "\u0dc3\u0dad\u0dca\u200d\u0dba",
    ],
)
def test_characters_that_nobody_sees_part_no_words(tokenizer: str, word: str) -> None:
    shown = "".join(character for character in word if unicodedata.category(character) != "Cf")
    assert words_of([word, shown], tokenizer) == [[shown], [shown]]


def test_marks_at_the_edge_and_of_pictures_are_no_words() -> None:
    assert words_of(["\u200ftalk\u200e \u2764\ufe0f end"], "unicode") == [["talk", "end"]]
    assert words_of(["rose\u200bhedge"], "unicode") == [["rose", "hedge"]]
