"""From text to counts: equal to the definition, carried over whole, and clear about wrong entries."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from tests.naive import text as naive
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged, label_matrix
from textmix.text import features as module
from textmix.text.features import FeatureSpec, build_features
from textmix.text.stoplists import STOP_LISTS, stop_words
from textmix.text.tokenize import TOKENIZERS

quick = settings(deadline=None, derandomize=True, max_examples=100)
PAPER = load_yaml_strict(Path(__file__).parents[2] / "workflow/schemas/paper.schema.yaml")
ENTRY = PAPER["$defs"]["features"]
#: Few words, stop words among them.
DOCUMENTS = st.lists(
    st.lists(st.sampled_from("the a of it dog Cat cats x-ray can't won".split())), min_size=1, max_size=8
)
WRONG = [
    ({"tokenizer": "porter"}, "tokenizer: 'porter' is not allowed; choose one of matrix, letters"),
    ({"tokenizer": "letters", "stoplist": "smart"}, "'stoplist' is unknown; the keys are tokenizer, min_length"),
    ({"tokenizer": "letters", "stop_list": "english"}, "'english' is not allowed; choose one of none, smart, rainbow"),
    ({"tokenizer": "letters", "min_count": -1}, "min_count: -1 is not allowed; give a whole number from 1"),
    ({"tokenizer": "letters", "min_count": True}, "min_count: True is not allowed; give a whole number from 1"),
    ({"tokenizer": "letters", "keep_tokens": "yes"}, "keep_tokens: 'yes' is not allowed; write true or false"),
    (
        {"tokenizer": "letters", "boundary_tokens": True},
        "boundary_tokens: they are words of skip-grams; set max_n to 2 or more",
    ),
    ({"tokenizer": "letters", "fit_on": "fold", "keep_tokens": True}, "leave vectors and keep_tokens out"),
    ({"tokenizer": "letters", "fit_on": "fold", "max_n": 2}, "skip-grams take subsume: false and no min_count"),
    (
        {"tokenizer": "letters", "fit_on": "fold", "weighting": "binary", "min_count": 2},
        "binary features take min_df and no min_count",
    ),
    ({"tokenizer": "letters", "scaling": "feature"}, "scaling: only skip-grams with weighting score or sqrt_frequency"),
    ({"tokenizer": "letters", "fit_on": "test"}, "fit_on: 'test' is not allowed; choose one of all, train, fold"),
    ({"tokenizer": "matrix", "min_count": 2}, "matrix takes the matrix as it is; remove the other keys"),
]


def corpus_of(texts: list[str], split: list[int] | None = None) -> Corpus:
    return Corpus(
        name="made_up",
        ids=[f"d{i}" for i in range(len(texts))],
        label_names=["yes", "no"],
        labels=label_matrix([[i % 2] for i in range(len(texts))], 2),
        split=None if split is None else np.array(split, dtype=np.int8),
        text=Ragged.from_texts(text.encode("utf-8") for text in texts),
        info={"read": 1},
    )


@quick
@given(
    documents=DOCUMENTS,
    stop_list=st.sampled_from(STOP_LISTS),
    min_count=st.integers(1, 4),
    min_df=st.integers(1, 3),
    tokenizer=st.sampled_from(list(TOKENIZERS)),
    train_only=st.booleans(),
    block=st.sampled_from([1, 9, module.BLOCK]),
)
def test_counts_are_those_of_the_definition_however_many_bytes_are_taken_at_a_time(
    documents: list[list[str]],
    stop_list: str,
    min_count: int,
    min_df: int,
    tokenizer: str,
    train_only: bool,
    block: int,
) -> None:
    texts = [" ".join(document) for document in documents]
    split = [TRAIN if i % 3 else TEST for i in range(len(texts))]
    spec = {"tokenizer": tokenizer, "stop_list": stop_list, "min_count": min_count, "min_df": min_df}
    with mock.patch.object(module, "BLOCK", block):
        built = build_features(corpus_of(texts, split), {**spec, "fit_on": "train" if train_only else "all"})
    assert built.features.has_sorted_indices and built.features.indices.dtype == np.int32
    tokens = [naive.tokens(text, tokenizer) for text in texts]
    deciding = (
        [document_tokens for document_tokens, part in zip(tokens, split, strict=True) if part == TRAIN]
        if train_only
        else tokens
    )
    words = naive.vocabulary(deciding, stop_words(stop_list), min_count, min_df)
    assert built.feature_names == words
    assert built.features.shape == (len(texts), len(words))
    np.testing.assert_array_equal(built.features.toarray().tolist(), naive.counts(tokens, words))
    assert built.info["features"]["tokens"] == sum(map(len, tokens))
    assert built.info["features"]["tokens_kept"] == built.features.sum()


def test_matrix_has_the_promised_form_and_the_rest_is_carried_over() -> None:
    corpus = corpus_of(["b a b", "", "c a"], [TRAIN, TEST, TRAIN])
    built = build_features(corpus, {"tokenizer": "letters"})
    assert isinstance(built.features, sparse.csr_array) and built.features.has_sorted_indices
    assert (built.features.dtype, built.features.indices.dtype) == (np.int32, np.int32)
    assert built.features.data.min() > 0
    np.testing.assert_array_equal(built.features.indptr, [0, 2, 2, 4])
    assert built.text is None and built.tokens is None
    assert (built.name, built.ids, built.label_names) == (corpus.name, corpus.ids, corpus.label_names)
    assert built.labels is corpus.labels and built.split is corpus.split
    assert built.info == {"read": 1, "features": {"tokens": 5, "words": 3, "tokens_kept": 5, "words_kept": 3}}


@quick
@given(documents=DOCUMENTS, min_count=st.integers(1, 3))
def test_kept_tokens_are_the_words_left_in_their_order(documents: list[list[str]], min_count: int) -> None:
    texts = [" ".join(document) for document in documents]
    spec = {"tokenizer": "letters", "stop_list": "rainbow", "min_count": min_count, "keep_tokens": True}
    built = build_features(corpus_of(texts), spec)
    names = built.feature_names
    for row, text in enumerate(texts):
        expected = [word for word in naive.tokens(text, "letters") if word in names]
        assert [names[token] for token in built.tokens[row]] == expected
    assert built.tokens.values.dtype == np.int32 and built.tokens.offsets.dtype == np.int64


@quick
@given(documents=DOCUMENTS, seed=st.integers(0, 99))
def test_permuted_documents_permute_rows_and_leave_the_vocabulary(documents: list[list[str]], seed: int) -> None:
    texts = [" ".join(document) for document in documents]
    order = np.random.default_rng(seed).permutation(len(texts))
    spec = {"tokenizer": "words", "min_count": 2}
    built = build_features(corpus_of(texts), spec)
    permuted = build_features(corpus_of([texts[i] for i in order]), spec)
    assert permuted.feature_names == built.feature_names
    np.testing.assert_array_equal(permuted.features.toarray(), built.features.toarray()[order])


def test_stored_corpus_gives_the_same_features(tmp_path: Path) -> None:
    corpus = corpus_of(["one two three " * 2000, "two three"])  # large enough to be memory-mapped
    corpus.save(tmp_path / "corpus", {})
    spec = {"tokenizer": "letters", "keep_tokens": True}
    stored = build_features(Corpus.load(tmp_path / "corpus"), spec)
    assert stored.content_digest() == build_features(corpus, spec).content_digest()


def test_header_and_uuencoded_messages_are_left_out_on_request() -> None:
    lines = f"M{'A' * 60}\n" * 40
    corpus = corpus_of(["From: me\n\nhello you", f"From: me\n\n{lines}"])
    spec = {"tokenizer": "letters", "skip_header": True, "skip_uuencoded": True}
    whole = build_features(corpus, {"tokenizer": "letters"})
    assert whole.feature_names == ["from", "hello", "m" + "a" * 60, "me", "you"]
    built = build_features(corpus, spec)
    assert built.feature_names == ["hello", "you"]
    np.testing.assert_array_equal(built.features.toarray(), [[1, 1], [0, 0]])


def test_matrix_is_passed_through() -> None:
    text = corpus_of(["a b"])
    matrix = build_features(text, {"tokenizer": "letters"})
    assert build_features(matrix, {"tokenizer": "matrix"}) is matrix
    with pytest.raises(ConfigError, match="made_up is text; choose a tokenizer"):
        build_features(text, {"tokenizer": "matrix"})
    with pytest.raises(ConfigError, match="made_up has no text to tokenise; use tokenizer: matrix"):
        build_features(matrix, {"tokenizer": "letters"})


def test_counts_of_the_owner_are_cut_as_the_entry_says() -> None:
    counts = build_features(corpus_of(["a a b", "a c"]), {"tokenizer": "letters"})
    counted = replace(counts, info={"counted_by": "Rainbow"})
    built = build_features(counted, {"tokenizer": "letters", "min_count": 2, "stop_list": "smart"})
    assert built.feature_names == ["a"]
    np.testing.assert_array_equal(built.features.toarray(), [[2], [1]])
    assert built.info["features"] == {"tokens": 5, "words": 3, "words_kept": 1, "tokens_kept": 3}
    with pytest.raises(ConfigError, match="without the order of words"):
        build_features(counted, {"tokenizer": "letters", "keep_tokens": True})


def test_punctuation_is_taken_off_the_edges_of_words() -> None:
    corpus = corpus_of(["'Tis U.S. -- <1,234.5>", "... --", "U.S u.s"])
    built = build_features(corpus, {"tokenizer": "whitespace", "edges": "strip"})
    assert built.feature_names == ["1,234.5", "Tis", "U.S", "u.s"]
    np.testing.assert_array_equal(built.features.toarray(), [[1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 1, 1]])
    lower = build_features(corpus, {"tokenizer": "whitespace", "edges": "strip", "lowercase": True})
    assert lower.feature_names == ["1,234.5", "tis", "u.s"]


def test_fit_on_train_needs_a_split() -> None:
    with pytest.raises(ConfigError, match="fit_on: train: made_up comes without a split; use fit_on: all"):
        build_features(corpus_of(["a"]), {"tokenizer": "letters", "fit_on": "train"})


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """Write the schema of one entry of ``features``."""
    path = tmp_path / "entry.schema.yaml"
    path.write_text(json.dumps(ENTRY), encoding="utf-8")
    return path


@pytest.mark.parametrize(("spec", "message"), WRONG)
def test_wrong_entries_are_refused_with_the_remedy_by_library_and_schema(
    spec: dict[str, Any], message: str, schema: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        FeatureSpec.from_mapping(spec)
    with pytest.raises(ConfigError, match="features entry"):
        validate(spec, schema, "features entry")


def test_an_entry_without_tokenizer_is_refused_by_library_and_by_the_schema_of_a_paper() -> None:
    with pytest.raises(ConfigError, match="tokenizer is missing; choose one of matrix, letters, words, whitespace"):
        FeatureSpec.from_mapping({})
    assert ENTRY["required"] == ["tokenizer"]
    assert PAPER["properties"]["features"]["additionalProperties"] == {"$ref": "#/$defs/features"}


def test_limits_that_leave_no_length_are_refused() -> None:
    with pytest.raises(ConfigError, match="max_length: 2 is below min_length; raise it"):
        FeatureSpec.from_mapping({"tokenizer": "letters", "min_length": 3, "max_length": 2})


def test_schema_has_the_keys_defaults_and_choices_of_the_library(schema: Path) -> None:
    properties = ENTRY["properties"]
    validate({"tokenizer": "letters"}, schema, "features entry")
    validate({"tokenizer": "matrix"}, schema, "features entry")
    defaults = {name: value["default"] for name, value in properties.items() if name != "tokenizer"}
    assert FeatureSpec(tokenizer="letters", **defaults) == FeatureSpec("letters")
    assert list(properties) == list(FeatureSpec.__dataclass_fields__)
    choices = {name: tuple(value["enum"]) for name, value in properties.items() if "enum" in value}
    assert choices == module._CHOICES


@quick
@given(documents=st.lists(st.text("abcd ", max_size=12), min_size=2, max_size=6), training=st.integers(1, 5))
def test_pairs_of_new_documents_are_those_of_countvectorizer(documents: list[str], training: int) -> None:
    """A word that only test documents have stands between its neighbours: "a X b" has no pair "a b"."""
    training = min(training, len(documents) - 1)
    if not " ".join(documents[:training]).split():
        return
    split = [TRAIN] * training + [TEST] * (len(documents) - training)
    spec = {"tokenizer": "whitespace", "fit_on": "train", "max_n": 2, "subsume": False}
    built = build_features(corpus_of(documents, split), spec)
    peer = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\S+").fit(documents[:training])
    order = [peer.vocabulary_[name] for name in built.feature_names]
    np.testing.assert_array_equal(built.features.toarray(), peer.transform(documents).toarray()[:, order])
    assert len(order) == len(peer.vocabulary_)


def test_words_of_test_documents_part_skipgrams_but_are_none() -> None:
    spec = {"tokenizer": "letters", "fit_on": "train", "max_n": 2, "max_slop": 1, "stop_list": "smart"}
    built = build_features(corpus_of(["dog cat", "dog x-ray won cat dog the cat"], [TRAIN, TEST]), spec)
    assert dict(zip(built.feature_names, built.features.toarray()[1].tolist(), strict=True)) == {
        "cat": 2,
        "dog": 2,
        "dog cat": 1,
    }
    assert built.info["features"]["words_kept"] == 2
