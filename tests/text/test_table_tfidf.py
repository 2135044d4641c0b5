"""Features of texts with the cells beside them: numbers by their place among those of the fit, and categories."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.compare.candidates import CHARACTERS, WORDS, column_ranges
from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged, TableTexts
from textmix.text.ngram_tfidf import MARK, NgramTfidf
from textmix.text.table_tfidf import BINS, PARTS, TableTfidf

TEXTS = ["a good book", "a bad book", "good food", "bad food"] * 10


def given(texts: list[str], **cells: list[str]) -> Ragged:
    """Return texts with cells."""
    return TableTexts.of(Ragged.from_texts(text.encode() for text in texts), cells)


def fitted() -> TableTfidf:
    """Return a vectoriser of a price from 0 to 39, which is missing once, and of a shop."""
    prices = [str(price) if price != 7 else "" for price in range(40)]
    made = TableTfidf(numbers=("price",), categories=("shop",))
    made.fit_transform(given(TEXTS, price=prices, shop=["north", "south", "south", "east"] * 9 + ["once"] * 4))
    return made


def test_words_and_characters_are_those_of_the_texts_alone() -> None:
    alone, table = NgramTfidf(), fitted()
    X = alone.fit_transform(TEXTS)
    Z = table.transform(given(TEXTS, price=["1"] * 40, shop=["north"] * 40))
    words, cells = table.n_words, len(table.names_)
    assert table.vocabulary_ == alone.vocabulary_
    np.testing.assert_array_equal(Z[:, :words].toarray(), X[:, :words].toarray())
    np.testing.assert_array_equal(Z[:, words + cells :].toarray(), X[:, words:].toarray())


def test_a_number_has_its_place_and_its_part_of_the_scale() -> None:
    table = fitted()
    first, names = table.n_words, table.get_feature_names_out().tolist()
    prices = ["0", "39", "20,5", "-5", "1e9", ""]
    cells = table.transform(given(["x"] * 6, price=prices, shop=[""] * 6))[:, first : first + len(PARTS)].toarray()
    place, missing, parts = cells[:, 0], cells[:, 1], cells[:, 2:]
    assert names[first : first + 3] == ["price", "price: missing", f"price: 1 of {BINS}"]
    assert place[0] < -0.95 and place[1] > 0.95 and abs(place[2]) < 0.1 and place[3] == -1.0 and place[4] == 1.0
    assert missing.tolist() == [0, 0, 0, 0, 0, 1] and place[5] == 0.0
    assert parts.argmax(axis=1)[:5].tolist() == [0, BINS - 1, BINS // 2, 0, BINS - 1]
    assert parts.sum(axis=1).tolist() == [1, 1, 1, 1, 1, 0]


def test_a_category_of_one_row_or_of_none_has_no_feature() -> None:
    table = TableTfidf(categories=("shop",))
    table.fit_transform(given(TEXTS, shop=["north", "south"] * 19 + ["once", ""]))
    names, first = table.get_feature_names_out().tolist(), table.n_words
    assert names[first : first + 2] == ["shop: north", "shop: south"] and names[first + 2].startswith(MARK)
    cells = table.transform(given(["x"] * 4, shop=["south", "once", "", "new"]))[:, first : first + 2]
    assert cells.toarray().tolist() == [[0, 1], [0, 0], [0, 0], [0, 0]]


def test_words_apart_and_characters_apart_have_the_cells_both() -> None:
    table = fitted()
    names, ranges = table.get_feature_names_out().tolist(), column_ranges(table)
    words, characters = (names[slice(*ranges[view])] for view in (WORDS, CHARACTERS))
    assert {"price", "shop: north"} <= set(words) & set(characters)
    assert not any(name.startswith(MARK) for name in words)
    assert not {"good", "book"} & set(characters) and ranges[CHARACTERS][1] == len(names)


def test_cells_stay_as_they_are_where_texts_are_weighted_anew() -> None:
    table, rows = TableTfidf(categories=("shop",)), np.arange(10)
    X = table.fit_transform(given(TEXTS, shop=["north", "south"] * 20))
    first, last = table.n_words, table.n_words + len(table.names_)
    found, alone = table.refitted(X, rows), NgramTfidf()
    texts = alone.refitted(alone.fit_transform(TEXTS), rows)
    np.testing.assert_array_equal(found[:, first:last].toarray(), X[:, first:last].toarray())
    np.testing.assert_allclose(found[:, :first].toarray(), texts[:, :first].toarray())
    np.testing.assert_allclose(found[:, last:].toarray(), texts[:, first:].toarray())


def test_numbers_that_are_all_missing_or_equal_are_no_fault() -> None:
    for price in ("", "3"):
        table = TableTfidf(numbers=("price",))
        X = table.fit_transform(given(TEXTS, price=[price] * 40))
        assert np.isfinite(X.data).all() and X.shape[1] == len(table.get_feature_names_out())


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({}, "'price' is missing"),
        ({"price": ["1"]}, "'shop' is missing"),
        ({"price": ["much"], "shop": ["x"]}, "'much' is not a number"),
    ],
)
def test_what_is_missing_or_no_number_is_named(cells: dict[str, list[str]], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        fitted().transform(given(["x"], **cells))
