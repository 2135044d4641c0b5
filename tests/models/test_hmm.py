"""Hidden Markov models: kernels against plain loops in log space, the steps of training, and both estimators."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from tests.early_stops import may_stop_early, stops_early
from tests.naive import hmm as naive
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, label_matrix
from textmix.models.hmm.estimator import ClusteredHMMClassifier, HiddenMarkovModel, HMMClassifier, WordClusters
from textmix.models.hmm.training import Chain
from textmix.text.sequences import FrequentWords, SequenceVectorizer, TokenSequences
from textmix.text.word_vectorizer import WordVectorizer


def made(n_documents: int, n_states: int = 3, n_words: int = 7, most: int = 9) -> tuple[list[list[int]], Chain]:
    """Return random documents, some of them empty, and a random model."""
    rng = np.random.default_rng(n_documents)
    documents = [rng.integers(n_words, size=rng.integers(most)).tolist() for _ in range(n_documents)]
    transitions = rng.dirichlet(np.ones(n_states), size=n_states)
    emissions = np.ascontiguousarray(rng.dirichlet(np.ones(n_words), size=n_states).T)
    return documents, Chain(rng.dirichlet(np.ones(n_states)), transitions, emissions)


@pytest.mark.parametrize("n_documents", [1, 5, 300])  # 300 documents are three groups
def test_expected_counts_are_those_of_plain_loops(n_documents: int) -> None:
    documents, chain = made(n_documents)
    counts = chain.no_counts()
    X = TokenSequences.of(documents, n_words=7)
    total = chain.expected(X, counts)
    each, *expected = naive.expected(documents, chain.start, chain.transitions, chain.emissions)
    assert total == pytest.approx(sum(each), rel=1e-12)
    np.testing.assert_allclose(chain.log_likelihood(X), each, rtol=1e-12)
    for ours, theirs in zip(counts, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-14)


def test_the_likelihood_and_the_likeliest_path_are_those_of_all_paths() -> None:
    documents, chain = made(12, most=6)
    documents = [tokens for tokens in documents if tokens]
    X = TokenSequences.of(documents, n_words=7)
    for tokens, found, path in zip(documents, chain.log_likelihood(X), chain.paths(X), strict=True):
        total, best = naive.all_paths(tokens, chain.start, chain.transitions, chain.emissions)
        assert found == pytest.approx(total, rel=1e-12)
        assert tuple(path) == best


def test_nothing_underflows_in_a_hundred_thousand_words() -> None:
    rng = np.random.default_rng(1)
    transitions, emissions = np.array([[0.999, 0.001], [0.002, 0.998]]), rng.dirichlet(np.full(5000, 0.05), size=2).T
    chain = Chain(np.array([0.5, 0.5]), transitions, np.ascontiguousarray(emissions + 1e-12))
    tokens = np.repeat(rng.integers(5000, size=100), 1000)
    counts = chain.no_counts()
    total = chain.expected(TokenSequences.of([tokens], 5000), counts)
    assert total == pytest.approx(
        naive.log_likelihood_of_two(tokens.tolist(), chain.start, transitions, chain.emissions), rel=1e-10
    )
    assert counts.words.sum() == pytest.approx(100_000, rel=1e-9)
    assert counts.pairs.sum() == pytest.approx(99_999, rel=1e-9)


def test_a_document_with_an_impossible_word_has_probability_0_and_gives_no_counts() -> None:
    chain = Chain(np.array([0.5, 0.5]), np.full((2, 2), 0.5), np.array([[1.0, 1.0], [0.0, 0.0]]))
    counts = chain.no_counts()
    found = chain.expected(TokenSequences.of([[0, 1, 0]]), counts)
    assert found == -np.inf
    assert np.isfinite(counts.words).all()
    assert chain.log_likelihood(TokenSequences.of([[0, 0], [0, 1, 0]])).tolist() == [0.0, -np.inf]


@pytest.mark.parametrize("emissions", ["own", "shared", "topics"])
def test_no_step_lowers_the_objective(emissions: str) -> None:
    documents, _ = made(60, most=30)
    model = HMMClassifier(n_states=4, emissions=emissions, tol=0.0, max_iter=60, random_state=0)
    with stops_early():
        model.fit(TokenSequences.of(documents, 7), np.arange(60) % 3)
    path = np.array(model.objective_path_)
    assert len(path) > 20
    assert (np.diff(path) >= -1e-10 * np.abs(path[1:])).all()
    for part in (model.startprob_, model.transmat_, model.emissionprob_):
        np.testing.assert_allclose(part.sum(axis=-1), 1.0, rtol=1e-12)
        assert (part > 0).all()


def test_one_state_is_the_smoothed_multinomial() -> None:
    documents, _ = made(40)
    model = HiddenMarkovModel(n_states=1, smoothing=0.5).fit(documents)
    counts = np.bincount(np.concatenate(documents).astype(int), minlength=7) + 0.5
    np.testing.assert_allclose(model.emissionprob_[0], counts / counts.sum(), rtol=1e-12)
    log_p = np.log(counts / counts.sum())
    np.testing.assert_allclose(
        model.score_samples(documents), [log_p[tokens].sum() if tokens else 0.0 for tokens in documents], rtol=1e-12
    )


def turning(rng: np.random.Generator, stays: float, n: int = 30) -> list[np.ndarray]:
    """Return documents of two words with equal shares; after a word the same follows with a given probability."""
    changes = rng.random((n, 40)) >= stays
    return list((np.cumsum(changes, axis=1) + rng.integers(2, size=(n, 1))) % 2)


@pytest.mark.parametrize("emissions", ["own", "shared"])
def test_classes_that_differ_in_order_alone_are_told_apart(emissions: str) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    train, test = (turning(rng, 0.8) + turning(rng, 0.2) for _ in range(2))
    model = HMMClassifier(n_states=2, emissions=emissions, random_state=1).fit(train, y)
    assert model.score(test, y) > 0.95
    np.testing.assert_allclose(model.predict_proba(test).sum(axis=1), 1.0)
    shuffled = TokenSequences.of(test).shuffled(rng)
    assert model.score(shuffled, y) < 0.7
    assert model.log_likelihood(test).max(axis=1).mean() > model.log_likelihood(shuffled).max(axis=1).mean() + 5


def test_the_order_of_the_documents_and_the_form_of_the_input_change_nothing() -> None:
    documents, _ = made(50)
    y = np.arange(50) % 2
    model = HMMClassifier(n_states=3, random_state=3)
    with stops_early():
        first = model.fit(documents, y).log_likelihood(documents)
    X = TokenSequences.of(documents)
    with stops_early():
        again = model.fit(X, y).log_likelihood(X)
    np.testing.assert_array_equal(again, first)
    with stops_early():
        turned = model.fit(X[::-1], y[::-1]).log_likelihood(X)
    np.testing.assert_allclose(turned, first, rtol=1e-9)


@may_stop_early
@pytest.mark.parametrize(("model", "method"), [(HiddenMarkovModel(), "score_samples"), (WordClusters(), "transform")])
def test_models_without_classes_are_pickled_and_cloned(model: Any, method: str) -> None:
    X = TokenSequences.of(made(30)[0])
    fitted = clone(model).set_params(random_state=0).fit(X)
    expected = np.hstack(list(getattr(fitted, method)(X)))
    for other in (pickle.loads(pickle.dumps(fitted)), clone(fitted).fit(X)):
        np.testing.assert_array_equal(np.hstack(list(getattr(other, method)(X))), expected)


def test_given_emissions_stay_and_the_rest_is_that_of_the_model_they_come_from() -> None:
    documents, _ = made(60)
    X, y = TokenSequences.of(documents, 7), np.arange(60) % 3
    topics = HMMClassifier(n_states=2, emissions="topics", max_iter=5, random_state=0).fit(X, y)
    given = clone(topics).set_params(emissions=topics.emissionprob_[0]).fit(X, y)
    for name in ("startprob_", "transmat_", "emissionprob_", "objective_path_"):
        np.testing.assert_array_equal(getattr(given, name), getattr(topics, name))
    with pytest.raises(ValueError, match=r"shape \(7, 2\); states and words are \(2, 7\)"):
        given.set_params(emissions=topics.emissionprob_[0].T).fit(X, y)


@pytest.mark.parametrize("row", [[0.5, 0.4], [1.5, -0.5], [np.nan, 1.0], [np.inf, 0.0], [0.0, 0.0]])
def test_given_emissions_that_are_no_distribution_are_refused(row: list[float]) -> None:
    model = HMMClassifier(n_states=2, emissions=np.array([[0.5, 0.5], row]))
    with pytest.raises(ValueError, match="emissions hold a row that is no distribution; give numbers from 0 on"):
        model.fit([[0, 1], [1, 0]], ["a", "b"])


def test_a_document_that_is_impossible_in_every_class_gets_the_priors() -> None:
    emissions = np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]])
    X = TokenSequences.of([[0, 1, 0], [1, 1], [1, 1, 0]], 3)
    model = HMMClassifier(n_states=2, emissions=emissions, random_state=0).fit(X, ["a", "a", "b"])
    impossible = [[0, 2, 1], [2]]
    assert np.isneginf(model.log_likelihood(impossible)).all()
    np.testing.assert_allclose(model.predict_proba(impossible), [[2 / 3, 1 / 3]] * 2)
    assert model.predict(impossible).tolist() == ["a", "a"]
    assert np.isfinite(model.predict_log_proba([[0, 1], []])).all()


@pytest.mark.parametrize("emissions", ["own", "shared", "topics"])
def test_the_likelihood_under_the_own_class_is_that_of_all_classes(emissions: str) -> None:
    documents, _ = made(60)
    X, y = TokenSequences.of(documents, 7), np.array(["b", "a", "c"])[np.arange(60) % 3]
    with stops_early():
        model = HMMClassifier(n_states=2, emissions=emissions, max_iter=3, random_state=0).fit(X, y)
    expected = model.log_likelihood(X)[np.arange(60), np.searchsorted(model.classes_, y)]
    np.testing.assert_array_equal(model.own_log_likelihood(X, y), expected)
    clustered = ClusteredHMMClassifier(n_clusters=3, n_states=2, emissions=emissions, max_iter=3, random_state=0)
    with stops_early():
        clustered.fit(X, y)
    expected = clustered.log_likelihood(X)[np.arange(60), np.searchsorted(clustered.classes_, y)]
    np.testing.assert_array_equal(clustered.own_log_likelihood(X, y), expected)
    for known in (model, clustered):
        with pytest.raises(ValueError, match="label 'd' is not among the classes; fit with it or leave it out"):
            known.own_log_likelihood(X[:2], ["a", "d"])
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            known.own_log_likelihood(X, ["a", "b"])


def test_clusters_of_words_follow_the_documents() -> None:
    rng = np.random.default_rng(0)
    halves = [rng.integers(10, size=20) + 10 * (d % 2) for d in range(40)]
    model = WordClusters(n_clusters=2, n_components=2, random_state=0).fit(TokenSequences.of(halves, 21))
    assert model.clusters_[20] == 2  # a word that does not occur
    assert len(set(model.clusters_[:10])) == len(set(model.clusters_[10:20])) == 1
    assert model.clusters_[0] != model.clusters_[10]
    assert model.transform(TokenSequences.of([[0, 10, 20]]))[0].tolist() == [
        model.clusters_[0], model.clusters_[10], 2,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="the vocabulary of the model is 0 to 20"):
        model.transform([[21]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("0 1", "must be a list of sequences"),
        ([[0.5, 1.0]], "document 0 must be a sequence of whole numbers"),
        ([[0], 3], "document 1 must be a sequence"),
        ([[0, -1]], "a word must be a number from 0"),
        ([[], []], "X holds no word"),
    ],
)
def test_wrong_documents_are_refused(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HiddenMarkovModel().fit(X)


def test_an_unknown_word_and_labels_of_another_number_are_refused() -> None:
    model = HMMClassifier(n_states=2, random_state=0).fit([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(ValueError, match="contains word 2, but the vocabulary of the model is 0 to 1"):
        model.predict([[2]])
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit([[0, 1], [1, 0]], [0])
    with pytest.raises(ValueError, match="n_states"):
        HMMClassifier(n_states=0).fit([[0, 1], [1, 0]], [0, 1])


def test_rows_of_documents_are_taken_as_rows_of_a_matrix() -> None:
    X = TokenSequences.of([[0, 2, 1], [], [1, 1]])
    assert [X[[2, 0]][row].tolist() for row in range(2)] == [[1, 1], [0, 2, 1]]
    assert X[np.array([False, True, True])].shape == (2, 3)
    assert X[-1].tolist() == [1, 1]
    assert X.counts().toarray().tolist() == [[1, 1, 1], [0, 0, 0], [0, 2, 0]]
    assert X.values.tolist() == [0, 2, 1, 1, 1]
    with pytest.raises(ValueError, match="offsets must rise"):
        TokenSequences(np.array([0], np.int32), np.array([0, 2]), 1)
    with pytest.raises(ValueError, match="outside of the vocabulary"):
        TokenSequences(np.array([5], np.int32), np.array([0, 1]), 3)


@pytest.mark.parametrize("kind", [HiddenMarkovModel, HMMClassifier, ClusteredHMMClassifier])
def test_sequences_whose_arrays_were_changed_are_refused(kind: Any) -> None:
    given = [[0, 1, 0, 1], [1, 0, 1], [2, 1, 2], [1, 2, 1, 2]]
    model = kind(n_states=1, random_state=0).fit(TokenSequences.of(given), [0, 0, 1, 1])
    for part, place, value in (
        ("values", 3, 2_000_000),
        ("values", 0, -1),
        ("offsets", 2, 100),
        ("offsets", -1, 10**6),
    ):
        X = TokenSequences.of(given)
        getattr(X, part)[place] = value
        with pytest.raises(ValueError, match=r"vocabulary|offsets"):
            kind(n_states=1).fit(X, [0, 0, 1, 1])
        with pytest.raises(ValueError, match=r"vocabulary|offsets"):
            model.predict(X)
    for values, offsets in (([0.0, 1.0], [0, 2]), ([0, 1], [0.0, 2.0]), ([[0], [1]], [0, 2])):
        with pytest.raises(ValueError, match="whole numbers in one dimension"):
            TokenSequences(np.array(values), np.array(offsets), 3)


def test_texts_become_sequences_of_the_words_of_training() -> None:
    words = SequenceVectorizer(min_count=2)
    X = words.fit_transform(["to be or not to be", "be"])
    assert list(words.vocabulary_) == ["be", "to"]
    assert [X[d].tolist() for d in range(2)] == [[1, 0, 1, 0], [0]]
    assert words.transform(["or to", ""])[0].tolist() == [1]
    model = make_pipeline(SequenceVectorizer(), HMMClassifier(n_states=2, random_state=0))
    texts = ["a b a b a b", "b a b a", "a a a b b b", "b b a a"]
    model.fit(texts, ["turns", "turns", "stays", "stays"])
    assert model.predict(["a b a b a b a b", "b b b b a a a a"]).tolist() == ["turns", "stays"]


def test_words_of_a_cluster_are_one() -> None:
    X = [[0, 1, 0, 1], [1, 0, 1], [2, 3, 2], [3, 2, 3, 2]]
    model = ClusteredHMMClassifier(n_clusters=2, n_states=1, random_state=0).fit(X, [0, 0, 1, 1])
    first, second = model.predict_log_proba([[0, 0, 2], [1, 1, 3]])
    np.testing.assert_allclose(first, second)
    words = [[w] for w in range(4)]
    np.testing.assert_allclose(np.exp(model.log_likelihood(words)).sum(axis=0), 1.0, atol=0.02)  # unseen have a cluster
    assert model.predict([[1, 1, 0], [3, 3]]).tolist() == [0, 1]


def test_a_corpus_without_words_in_order_is_refused() -> None:
    texts = ["a b", "b"]
    counted = WordVectorizer().fit(texts)
    corpus = Corpus("made", ["0", "1"], [], label_matrix([[], []], 0), features=counted.transform(texts))
    with pytest.raises(ConfigError, match="no words in order"):
        TokenSequences.of_corpus(corpus)


def test_frequent_words_are_those_of_the_training_documents() -> None:
    train, new = TokenSequences.of([[4, 1, 4], [1, 3, 3], [1]], 6), TokenSequences.of([[5, 1, 0, 3, 3], [2]], 6)
    seen = FrequentWords().fit(train)
    assert seen.transform(train)[0].tolist() == [2, 0, 2]
    assert seen.transform(new).values.tolist() == [0, 1, 1] and seen.transform(new).shape == (2, 3)
    assert FrequentWords(min_df=2).fit_transform(train).shape == (3, 1)
    assert FrequentWords(min_count=2).fit_transform(train).shape == (3, 3)
    every = FrequentWords(min_df=0, min_count=0).fit_transform(train)
    assert every.n_words == 6
    np.testing.assert_array_equal(every.values, train.values)


def test_no_frequent_word_and_another_vocabulary_are_refused() -> None:
    with pytest.raises(ValueError, match="no word is in 2 of the 2 training documents"):
        FrequentWords(min_df=2).fit([[0], [1]])
    with pytest.raises(ValueError, match="X has a vocabulary of 4 words; the training documents had 2"):
        FrequentWords().fit([[0], [1]]).transform(TokenSequences.of([[3]]))


@pytest.mark.parametrize("estimator", [HMMClassifier(max_iter=1), ClusteredHMMClassifier(n_clusters=2, max_iter=1)])
def test_a_fit_that_does_not_converge_warns_once(estimator: Any) -> None:
    with pytest.warns(ConvergenceWarning) as caught:
        estimator.set_params(n_states=2, random_state=0).fit([[0, 1, 0, 1], [1, 0, 1], [2, 3, 2]], ["a", "a", "b"])
    assert len(caught) == 1
