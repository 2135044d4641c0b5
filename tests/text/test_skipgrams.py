"""Skip-grams: equal to their definition and to CountVectorizer, on any number of threads, for new documents too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from tests.naive import skipgrams as naive
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.numerics.threads import using
from textmix.text import skipgram_kernels as kernels
from textmix.text import skipgrams as module
from textmix.text.features import build_features
from textmix.text.skipgram_vectorizer import SkipgramVectorizer
from textmix.text.skipgrams import Skipgrams

quick = settings(deadline=None, derandomize=True, max_examples=60)
TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join), min_size=1, max_size=9)


def vectorizer(max_n: int, max_slop: int, min_df: int, **options: object) -> SkipgramVectorizer:
    return SkipgramVectorizer(max_n=max_n, max_slop=max_slop, min_df=min_df, tokenizer="whitespace", **options)


def check(texts: list[str], max_n: int, max_slop: int, min_df: int, subsume: bool) -> dict[naive.Gram, int]:
    """Compare features and counts with those of the definition; return its features."""
    documents = [text.split() for text in texts]
    frequencies = naive.features(documents, max_n, max_slop, min_df, subsume)
    ours = vectorizer(max_n, max_slop, min_df, subsume=subsume)
    X = ours.fit_transform(texts)
    names = ours.get_feature_names_out().tolist()
    assert dict(zip(names, ours.skipgrams_.df.tolist(), strict=True)) == {
        naive.name(g): df for g, df in frequencies.items()
    }
    for row, document in enumerate(documents):
        expected = naive.counts(document, frequencies, max_n, max_slop)
        assert {names[j]: X[row, j] for j in X[[row]].indices} == expected
    assert X.has_sorted_indices
    assert X.dtype == np.int32
    return frequencies


@quick
@given(TEXTS, st.integers(1, 5), st.integers(0, 2), st.integers(1, 3), st.booleans())
def test_features_and_counts_are_those_of_the_definition(
    texts: list[str], max_n: int, max_slop: int, min_df: int, subsume: bool
) -> None:
    check(texts, max_n, max_slop, min_df, subsume)


def test_features_among_many_rare_words_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(60)])
    texts = [" ".join(words[np.minimum(rng.geometric(0.05, size=12), 59)]) for _ in range(25)]
    assert any(len(gram) == 3 and slop == 2 for gram, slop in check(texts, 3, 2, 2, True))


@quick
@given(TEXTS, TEXTS, st.integers(1, 4), st.integers(0, 2))
def test_new_documents_are_read_as_if_they_had_been_there(
    texts: list[str], later: list[str], max_n: int, max_slop: int
) -> None:
    later = [f"{text} unseen a b" for text in later]
    ours = vectorizer(max_n, max_slop, 1).fit(texts)
    frequencies = naive.features([text.split() for text in texts], max_n, max_slop, 1, True)
    X, names = ours.transform(later), ours.get_feature_names_out().tolist()
    for row, text in enumerate(later):
        expected = naive.counts(text.split(), frequencies, max_n, max_slop)
        assert {names[j]: X[row, j] for j in X[[row]].indices} == expected


@pytest.mark.parametrize(("max_n", "min_df"), [(1, 1), (3, 2), (5, 3)])
def test_without_slop_they_are_the_n_grams_of_scikit_learn(max_n: int, min_df: int) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcde"), 12)) for _ in range(40)]
    peer = CountVectorizer(ngram_range=(1, max_n), min_df=min_df, token_pattern=r"\S+")
    theirs, ours = peer.fit_transform(texts).toarray(), vectorizer(max_n, 0, min_df)
    X, names = ours.fit_transform(texts).toarray(), ours.get_feature_names_out()
    order = np.argsort(names)
    assert names[order].tolist() == peer.get_feature_names_out().tolist()
    np.testing.assert_array_equal(X[:, order], theirs)
    np.testing.assert_array_equal(ours.transform(texts[:5]).toarray()[:, order], theirs[:5])


@pytest.mark.parametrize("weighting", module.WEIGHTINGS)
def test_threads_chunks_and_blocks_change_no_byte(weighting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 30, 60)
    tokens = Ragged(rng.integers(0, 6, lengths.sum()).astype(np.int32), np.concatenate([[0], np.cumsum(lengths)]))
    results = []
    for threads, chunk, candidates in ((1, 512, 1 << 24), (2, 7, 1), (3, 1, 1)):
        monkeypatch.setattr(module, "CHUNK", chunk)
        monkeypatch.setattr(module, "CANDIDATES", candidates)
        with using(threads):
            grams = Skipgrams(4, 2, 3).fit(tokens, 6)
            X = grams.transform(tokens, weighting)
        results.append([a.tobytes() for a in (X.data, X.indices, X.indptr, grams.df, grams.columns)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("n", [0, 1, 255, 256, 3000])
@pytest.mark.parametrize("end", [1, 2047, 2048, 2049, 1 << 22, (1 << 22) + 1, (1 << 31) - 1])
def test_numbers_are_sorted(n: int, end: int) -> None:
    values = np.random.default_rng(n).integers(0, end, n).astype(np.int32)
    values[-1:] = end - 1
    expected = np.sort(values)
    kernels._sort(values, np.empty(n, np.int32), np.empty(1 << kernels.DIGIT, np.int64), end)
    np.testing.assert_array_equal(values, expected)


def test_a_second_fit_leaves_nothing_of_the_first() -> None:
    rng = np.random.default_rng(2)
    first, second = (Ragged(rng.integers(0, 6, 120).astype(np.int32), np.arange(0, 121, 12)) for _ in range(2))
    again, fresh = Skipgrams(4, 1, 2).fit(first, 6), Skipgrams(4, 1, 2).fit(second, 6)
    again.transform(first)
    again.fit(second, 6)
    counts, expected = again.transform(second), fresh.transform(second)
    assert (counts.data.tobytes(), counts.indices.tobytes()) == (expected.data.tobytes(), expected.indices.tobytes())


def test_only_deciding_documents_are_counted() -> None:
    texts = ["a b c", "a b", "x y", "x y z", "a c"]
    ours = vectorizer(3, 1, 2).fit([texts[0], texts[1], texts[4]])
    tokens, words = ours._tokenize(texts)
    deciding = np.array([True, True, False, False, True])
    grams = Skipgrams(3, 1, 2).fit(tokens, len(words), deciding)
    assert grams.names(words) == ours.get_feature_names_out().tolist() == ["a", "b", "c", "a b", "a c ~1"]
    assert grams.n_documents == 3


@quick
@given(TEXTS, st.integers(1, 3), st.integers(0, 2))
def test_scores_are_those_of_an_ordered_span_query(texts: list[str], max_n: int, max_slop: int) -> None:
    documents = [text.split() for text in texts]
    ours = vectorizer(max_n, max_slop, 1, weighting="score")
    X, names = ours.fit_transform(texts), ours.get_feature_names_out().tolist()
    gram_of = {naive.name(gram): gram for gram in naive.features(documents, max_n, max_slop, 1, True)}
    for row, document in enumerate(documents):
        for j in X[[row]].indices:
            expected = naive.score(document, gram_of[names[j]], documents, max_slop)
            assert X[row, j] == pytest.approx(expected, rel=1e-5)


def test_binary_features_are_ones_where_counts_are() -> None:
    texts = ["a a b", "b a a", "a b a b"]
    counts = vectorizer(2, 2, 1).fit_transform(texts).toarray()
    np.testing.assert_array_equal(vectorizer(2, 2, 1, weighting="binary").fit_transform(texts).toarray(), counts > 0)


def test_the_root_covers_the_quotient_or_the_frequency_alone() -> None:
    texts = ["a a b", "b a a b a", "a b a b c d e"]
    lengths = np.array([3, 5, 7])[:, np.newaxis]
    of_quotient = vectorizer(2, 2, 1, weighting="sqrt_frequency").fit_transform(texts).toarray()
    of_frequency = vectorizer(2, 2, 1, weighting="sqrt_over_length").fit_transform(texts).toarray()
    np.testing.assert_allclose(of_frequency * np.sqrt(lengths), of_quotient, rtol=1e-6)
    unigram = of_quotient[0, 0] ** 2 * 3  # two matches of one word, 1 / 2 each
    assert unigram == pytest.approx(1.0)


def test_kinds_are_told_in_the_order_of_the_columns() -> None:
    grams = vectorizer(3, 2, 1, subsume=False).fit(["a b c d e"]).skipgrams_
    assert grams.sizes() == [[1, 0, 5], [2, 0, 4], [2, 1, 7], [2, 2, 9], [3, 0, 3], [3, 1, 7], [3, 2, 10]]
    assert list(zip(grams.n.tolist(), grams.slop.tolist(), strict=True)) == sorted(
        zip(grams.n.tolist(), grams.slop.tolist(), strict=True)
    )


def test_a_function_may_cut_the_words_and_a_copy_is_the_same() -> None:
    ours = SkipgramVectorizer(max_n=2, max_slop=0, min_df=1, tokenizer=lambda text: text.split("-"))
    assert clone(ours).fit(["a-b"]).get_feature_names_out().tolist() == ["a", "b", "a b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_n": 0}, "max_n: 0 is below 1; raise it"),
        ({"max_slop": -1}, "max_slop: -1 is below 0"),
        ({"weighting": "tfidf"}, "weighting: 'tfidf' is unknown; allowed: count, binary, score"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SkipgramVectorizer(**{"min_df": 1, **options}).fit_transform(["a b"])


def test_a_pattern_that_leaves_its_document_matches_no_node() -> None:
    # Words 0 and 1 are nodes; node 2 is the pair (0, 1) and node 3 the pair (1, 0).
    words, grams = np.array([0, 1, 0, 1], np.int32), np.full((1, 4), 99, np.int32)
    pairs, last_word = np.array([[0, 0, 1, 1, 0]]), np.array([0, 1, 1, 0], np.int32)
    table = kernels.child_table(np.array([2, 3, 4]), last_word, 0, 2)
    kernels.walk(words, np.array([0, 3, 4]), words[np.newaxis], pairs, table, grams)
    assert grams.tolist() == [[2, 3, -1, -1]]


@quick
@given(TEXTS, TEXTS, st.integers(2, 3), st.integers(0, 1), st.integers(1, 2))
def test_marks_are_words_at_both_ends_and_no_feature_by_themselves(
    texts: list[str], more: list[str], max_n: int, max_slop: int, min_df: int
) -> None:
    ours = vectorizer(max_n, max_slop, min_df, subsume=False, boundary_tokens=True)
    X = ours.fit_transform(texts)
    documents = [["<s>", *text.split(), "</s>"] for text in texts]
    frequencies = {
        gram: df
        for gram, df in naive.features(documents, max_n, max_slop, min_df, False).items()
        if set(gram[0]) - {"<s>", "</s>"}
    }
    names = ours.get_feature_names_out().tolist()
    assert set(names) == {naive.name(gram) for gram in frequencies}
    for found, among in ((X, texts), (ours.transform(more), more)):
        for row, text in enumerate(among):
            expected = naive.counts(["<s>", *text.split(), "</s>"], frequencies, max_n, max_slop)
            assert {names[j]: found[row, j] for j in found[[row]].indices} == expected


def test_marks_of_bigrams_are_those_of_a_features_entry_and_a_text_may_not_hold_them() -> None:
    texts = ["a b", "b a a", ""]
    corpus = Corpus(
        "made_up", list("xyz"), ["l"], label_matrix([[0]] * 3, 1), text=Ragged.from_texts(map(str.encode, texts))
    )
    spec = {"tokenizer": "whitespace", "max_n": 2, "subsume": False, "boundary_tokens": True}
    built = build_features(corpus, spec)
    ours = vectorizer(2, 0, 1, subsume=False, boundary_tokens=True)
    np.testing.assert_array_equal(built.features.toarray(), ours.fit_transform(texts).toarray())
    assert built.feature_names == ours.get_feature_names_out().tolist()
    assert {"<s> a", "<s> b", "b </s>", "a </s>"} < set(built.feature_names)
    with pytest.raises(ConfigError, match="the text has the word <s>"):
        vectorizer(2, 0, 1, boundary_tokens=True).fit(["a <s> b"])
