"""TF-IDF of words and characters side by side, beside the union of scikit-learn's vectorisers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import FeatureUnion

from textmix.core.errors import ConfigError
from textmix.text.ngram_tfidf import NgramTfidf

TEXTS = ["A rose is a rose", "the Rose, the day", "a day — über alles", "Über den Tag", "", "rose-day 42"]


def twin(texts: list[str], **options: object) -> TfidfVectorizer:
    """Return scikit-learn's vectoriser of texts whose blanks are single."""
    shared = {"sublinear_tf": True, "norm": "l2", "min_df": 1}
    return TfidfVectorizer(**{**shared, **options}).fit([" ".join(text.split()) for text in texts])


def check(texts: list[str]) -> None:
    """Compare each part with scikit-learn's, feature by feature."""
    found = NgramTfidf(min_df=1)
    try:
        X = found.fit_transform(texts)
    except ConfigError:
        return
    plain = [" ".join(text.split()) for text in texts]
    for mark, options in (
        ("", {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w\w+\b"}),
        ("'", {"ngram_range": (2, 5), "analyzer": "char"}),
    ):
        try:
            other = twin(texts, **options)
        except ValueError:  # no feature
            continue
        expected, names = other.transform(plain), other.get_feature_names_out()
        columns = [found.vocabulary_[mark + name] for name in names]
        np.testing.assert_allclose(X[:, columns].toarray(), expected.toarray(), atol=1e-12)


@given(st.lists(st.text(alphabet="abß Ü-é1\t中", max_size=12), min_size=1, max_size=6))
@example(TEXTS)
@settings(max_examples=60, deadline=None)
def test_texts_of_any_characters_are_counted_alike(texts: list[str]) -> None:
    check(texts)


def test_a_text_with_more_ngrams_than_the_first_table_has_slots_is_counted() -> None:
    """An encoded attachment of a mail has tens of thousands of n-grams; the search of a full table would not end."""
    letters = np.random.default_rng(0).choice(list("abcdefghijklmnopqrstuvwxyz"), 40_000)
    texts = ["a short text", "".join(letters), "another short text"]
    found = NgramTfidf(words=None, characters=(3, 5), char_wb=True, min_df=1).fit(texts)
    other = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)).fit(texts)
    assert len(found.vocabulary_) > 2**16
    assert set(found.vocabulary_) == {f"'{name}" for name in other.vocabulary_}


def test_new_texts_are_counted_as_those_of_the_fit() -> None:
    """A vectoriser that knows its vocabulary alone, as a loaded model does, gives the same features."""
    first = NgramTfidf(min_df=1)
    X = first.fit_transform(TEXTS)
    loaded = NgramTfidf(min_df=1)
    loaded.vocabulary_, loaded.idf_ = dict(first.vocabulary_), first.idf_
    loaded._check_loaded()
    assert (loaded.transform(TEXTS) != X).nnz == 0
    assert first.transform(["nothing known zzz qqq"]).shape == (1, X.shape[1])


@pytest.mark.parametrize("options", [{}, {"words": None}, {"weighted": False}, {"min_df": 1, "binary": True}])
def test_features_of_a_part_of_the_texts_are_those_of_a_fit_to_it(options: dict[str, object]) -> None:
    """Features that too few texts of the part have are 0, and the others are weighted by the part alone."""
    texts = [f"{TEXTS[row % 6]} {TEXTS[row * 7 % 5]} word{row // 2}" for row in range(24)]
    rows = np.array([row for row in range(24) if row % 3])
    whole, part = (NgramTfidf(**options) for _ in range(2))  # type: ignore[arg-type]
    X = whole.fit_transform(texts)
    part.fit_transform([texts[row] for row in rows])
    found, expected = whole.refitted(X, rows), part.transform(texts)
    columns = [whole.vocabulary_[name] for name in part.vocabulary_]
    np.testing.assert_allclose(found[:, columns].toarray(), expected.toarray(), atol=1e-12)
    assert found.nnz == expected.nnz and found.nnz < X.nnz


def test_the_most_frequent_features_stay() -> None:
    found = NgramTfidf(min_df=1, max_features=30)
    X = found.fit_transform(TEXTS)
    documents = (X > 0).sum(axis=0)
    assert documents.min() >= 1 and {"rose", "day"} <= set(found.vocabulary_)


@pytest.mark.parametrize(("words", "characters"), [(None, None), ((0, 1), None), ((2, 1), None), (None, (1, 9))])
def test_lengths_that_are_none_are_refused(words: object, characters: object) -> None:
    with pytest.raises(ConfigError, match="lengths"):
        NgramTfidf(words=words, characters=characters).fit_transform(TEXTS)


def test_counts_are_those_of_words() -> None:
    found = NgramTfidf(words=(1, 1), characters=None, min_df=1, sublinear=False, weighted=False)
    X = found.fit_transform(["a rose is a rose"])
    assert {name: X[0, column] for name, column in found.vocabulary_.items()} == {"rose": 2.0, "is": 1.0}


def test_the_baseline_of_a_comparison_is_that_of_scikit_learn() -> None:
    """Word 1-2-grams of any frequency and character 3-5-grams within words, in two documents or more."""
    words = "a an of Ünïcode naïve text-book 3rd 2x e-mail don't it's I'm goal court opera judge team paint".split()
    generator = np.random.default_rng(0)
    texts = ["  ".join(generator.choice(words, 12)) + "\tend.\n" for _ in range(60)]
    new = ["An unseen text-book of the court, naïve?", "", "x y"]
    vectoriser = NgramTfidf(words=(1, 2), characters=(3, 5), char_wb=True, min_df=(1, 2))
    word_tfidf = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    char_tfidf = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5), min_df=2)
    union = FeatureUnion([("words", word_tfidf), ("characters", char_tfidf)])
    X = vectoriser.fit_transform(texts)
    expected = union.fit_transform(texts)
    names = [*word_tfidf.get_feature_names_out(), *(f"'{name}" for name in char_tfidf.get_feature_names_out())]
    assert set(names) == set(vectoriser.vocabulary_)
    columns = [vectoriser.vocabulary_[name] for name in names]
    np.testing.assert_allclose(X[:, columns].toarray(), expected.toarray(), atol=1e-12)
    np.testing.assert_allclose(
        vectoriser.transform(new)[:, columns].toarray(), union.transform(new).toarray(), atol=1e-12
    )


def test_features_fitted_to_a_fold_have_the_document_frequencies_of_both_kinds() -> None:
    texts = ["red ship", "red house", "blue ship", "green tree", "red tree"]
    vectoriser = NgramTfidf(words=(1, 1), characters=(3, 3), char_wb=True, min_df=(1, 2))
    X = vectoriser.fit_transform(texts)
    rows = np.array([0, 1, 2])
    refitted = vectoriser.refitted(X, rows)
    alone = NgramTfidf(words=(1, 1), characters=(3, 3), char_wb=True, min_df=(1, 2))
    expected = alone.fit_transform([texts[row] for row in rows])
    columns = [vectoriser.vocabulary_[name] for name in alone.get_feature_names_out()]
    np.testing.assert_allclose(refitted[rows][:, columns].toarray(), expected.toarray(), atol=1e-12)
    assert refitted.sum() == pytest.approx(refitted[:, columns].sum())
