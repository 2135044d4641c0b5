"""`WordVectorizer` beside scikit-learn's ``CountVectorizer``: the same columns and counts for the same parameters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from textmix import MultinomialClassifier, SequenceVectorizer, WordVectorizer, load, save
from textmix.core.errors import ConfigError

WORDS = ["a", "b", "ab", "ä", "zeta", "a1", "the", "B"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=8)
RANGES = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda pair: (pair[0], sum(pair)))
CHOICES = st.fixed_dictionaries(
    {"ngram_range": RANGES},
    optional={
        "max_df": st.one_of(st.integers(1, 8), st.floats(0.0, 1.0)),
        "max_features": st.integers(1, 12),
        "vocabulary": st.lists(
            st.sampled_from([*WORDS, "a b", "zeta the a", "never"]), min_size=1, max_size=6, unique=True
        ).flatmap(
            lambda words: st.sampled_from([words, set(words), dict(zip(words, range(len(words))[::-1], strict=True))])
        ),
    },
)


def pair(choice: dict[str, Any], stop: list[str], least: int, binary: bool, own: bool) -> tuple[Any, Any]:
    """Return both vectorisers with the same parameters; ``own`` gives ours a function where it has a kernel."""
    ours = WordVectorizer(
        tokenizer=str.split if own else "whitespace",
        stop_list=stop or "none",
        min_df=least,
        weighting="binary" if binary else "count",
        **choice,
    )
    shared = {"stop_words": stop or None, "min_df": least, "binary": binary, **choice}
    return ours, CountVectorizer(tokenizer=str.split, token_pattern=None, lowercase=False, **shared)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    TEXTS, TEXTS, CHOICES, st.lists(st.sampled_from(WORDS), max_size=2), st.integers(1, 2), st.booleans(), st.booleans()
)
def test_columns_and_counts_are_those_of_scikit_learn(
    texts: list[str], new: list[str], choice: dict[str, Any], stop: list[str], least: int, binary: bool, own: bool
) -> None:
    ours, theirs = pair(choice, stop, least, binary, own)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # no word is left: by default ours is then a matrix without columns
        try:
            assert ours.fit_transform(texts).shape == (len(texts), 0)
        except ValueError as error:
            assert "max_df: " in str(error)
        return
    found = ours.fit_transform(texts)
    assert found.dtype == np.int32 and found.has_canonical_format
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    np.testing.assert_array_equal(ours.transform(new).toarray(), theirs.transform(new).toarray())


def test_equal_frequencies_of_many_words_leave_the_columns_of_scikit_learn() -> None:
    texts = [" ".join(f"w{number}" for number in np.random.default_rng(row).permutation(900)[:300]) for row in range(9)]
    for size in (1, 17, 400):
        ours, theirs = pair({"max_features": size}, [], 1, binary=False, own=False)
        np.testing.assert_array_equal(ours.fit_transform(texts).toarray(), theirs.fit_transform(texts).toarray())


def test_given_words_need_no_fit_and_keep_their_columns() -> None:
    ours = WordVectorizer(vocabulary=["b", "a b", "a"], ngram_range=(1, 2))
    assert ours.transform(["a b a"]).toarray().tolist() == [[1, 1, 2]]
    assert ours.get_feature_names_out().tolist() == ["b", "a b", "a"]


def test_a_function_splits_and_a_list_of_stop_words_is_obeyed() -> None:
    ours = WordVectorizer(tokenizer=re.compile(r"[a-z]+|\d").findall, stop_list=["is"])
    assert ours.fit(["rose 12 is"]).get_feature_names_out().tolist() == ["1", "2", "rose"]


def test_sequences_obey_the_same_choice() -> None:
    texts = ["a rose is a rose", "a day"]
    made = SequenceVectorizer(max_df=1, stop_list=["is"])
    assert [row.tolist() for row in made.fit_transform(texts)] == [[1, 1], [0]]
    assert [row.tolist() for row in made.transform(["a day is a rose"])] == [[0, 1]]


@pytest.mark.parametrize("own", [{"ngram_range": (1, 2), "stop_list": ["a"]}, {"vocabulary": ["rose", "a rose"]}])
def test_a_choice_is_kept_with_a_model(own: dict[str, Any], tmp_path: Path) -> None:
    texts = ["a rose is a rose", "a day", "is rose day"]
    model = make_pipeline(WordVectorizer(**own), MultinomialClassifier()).fit(texts, ["x", "y", "y"])
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(texts), model.predict_proba(texts))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ngram_range": (2, 1)}, "ngram_range: "),
        ({"max_df": 1.5}, "max_df: 1.5"),
        ({"max_features": 0}, "max_features: 0"),
        ({"vocabulary": "word"}, "vocabulary: 'word'"),
        ({"stop_list": "german"}, "stop_list: 'german'"),
        ({"tokenizer": 3}, "tokenizer: 3"),
        ({"tokenizer": str.split, "lowercase": True}, "lowercase: the tokenizer is a function"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        WordVectorizer(**wrong).fit(["a text"])


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        (["a", "b", "a"], "'a' is repeated"),
        ({"a": 0, "b": 2}, "the columns are not 0 to 1"),
        ([], "vocabulary is empty"),
    ],
)
def test_a_wrong_vocabulary_is_told(vocabulary: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WordVectorizer(vocabulary=vocabulary).fit(["a text"])
