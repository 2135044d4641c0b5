"""Absolute discounting: the constant, the estimates, both models, and what they do at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import optimize, sparse

from tests.naive.discounting import leaving_one_out, log_joint, replicate, word_probabilities
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier
from textmix.models.naive_bayes.discounting_weights import RULES, SMALLEST_DISCOUNT, discounting_constant

SETTINGS = settings(deadline=None, derandomize=True, max_examples=60)
N_WORDS, N_CLASSES = 60, 4


def corpus(seed: int, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return counts and label indicators: some documents without label, one empty, one word never used."""
    generator = np.random.default_rng(seed)
    Y = generator.random((n, N_CLASSES)) < 0.35
    profile = generator.dirichlet(np.full(N_WORDS, 0.5), size=N_CLASSES)
    mixture = (Y + 0.02) @ profile
    X = np.array([generator.multinomial(generator.integers(1, 25), row / row.sum()) for row in mixture])
    X[0], X[:, -1] = 0, 0
    return X, Y.astype(int)


def word_log_probabilities(model: AbsoluteDiscountingClassifier) -> np.ndarray:
    """Return log p(w|c), (V, C), as the model has it; -inf for words that it skips."""
    weights = model.weights_
    log_prob = weights.table[weights.group] + model.word_log_prob_[:, np.newaxis]
    word = np.repeat(np.arange(len(weights.group)), np.diff(weights.start))
    log_prob[word, weights.seen_by] += weights.excess
    return log_prob


@pytest.mark.parametrize(("rule", "expected"), [("upper_bound", 4 / (4 + 2 * 2)), ("printed", 4 / (4 + 2))])
def test_constant_by_hand(rule, expected):
    assert discounting_constant(np.array([1, 1, 1, 1, 2, 2, 3, 9, 0]), rule) == expected


@SETTINGS
@given(counts=arrays.arrays(np.int64, st.integers(3, 40), elements=st.sampled_from([0, 1, 1, 1, 2, 2, 3, 4, 7, 90])))
def test_leaving_one_out_maximises_its_likelihood(counts):
    b = discounting_constant(counts, "leaving_one_out")
    ones, twos = np.sum(counts == 1), np.sum(counts == 2)
    if ones == 0 or twos == 0:
        assert SMALLEST_DISCOUNT <= b <= 1
        return
    best = optimize.minimize_scalar(lambda x: -leaving_one_out(counts, x), bounds=(0, 1), method="bounded")
    assert leaving_one_out(counts, b) >= -best.fun - 1e-9
    assert b <= discounting_constant(counts, "upper_bound") + 1e-12
    if b >= 0.5:  # else the lower bound of equation (22) is none
        assert b >= ones / (ones + 2 * twos + np.sum(counts >= 3)) - 1e-12


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("counts", "expected"), [([], 0.5), ([3, 3], 0.5), ([2, 2, 5], SMALLEST_DISCOUNT), ([1, 1], 1.0)]
)
def test_constant_is_defined_where_the_rules_are_not(rule, counts, expected):
    assert discounting_constant(np.array(counts, dtype=float), rule) == pytest.approx(expected)


def test_fraction_counts_as_the_next_whole_number():
    assert discounting_constant(np.array([0.2, 1.0, 1.5]), "printed") == 2 / 3


@pytest.mark.parametrize("rule", [*RULES, 0.3])
@pytest.mark.parametrize("pooling", ["pooled", "per_class"])
@pytest.mark.parametrize("seed", range(3))
def test_estimates_and_joints_are_those_of_replicated_documents(rule, pooling, seed):
    X, Y = corpus(seed)
    model = AbsoluteDiscountingClassifier(discount=rule, discount_counts=pooling).fit(sparse.csr_array(X), Y)
    copies, c = replicate(X, Y)
    other = X[Y.sum(axis=1) == 0].sum(axis=0)
    estimate = word_probabilities(copies, c, N_CLASSES, model.discount_, other)
    np.testing.assert_allclose(np.exp(word_log_probabilities(model)), estimate.T, rtol=1e-12)
    prior = np.bincount(c, minlength=N_CLASSES) / len(c)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), log_joint(X, estimate, prior), rtol=1e-10)
    if not isinstance(rule, float):
        pools = [
            copies.sum(axis=0) + other if pooling == "pooled" else copies[c == k].sum(axis=0) for k in (0, 1, 2, 3)
        ]
        np.testing.assert_allclose(model.discount_, [discounting_constant(pool, rule) for pool in pools])


@pytest.mark.parametrize("length", [None, "counts"])
@pytest.mark.parametrize("unlabelled", ["ignore", "smoothing", "em"])
@pytest.mark.parametrize("discount", ["upper_bound", 1.0])
def test_word_probabilities_sum_to_one(length, unlabelled, discount):
    X, Y = corpus(7)
    model = AbsoluteDiscountingClassifier(length=length, unlabelled=unlabelled, discount=discount).fit(X, Y)
    np.testing.assert_allclose(np.exp(word_log_probabilities(model)).sum(axis=0), 1.0, rtol=1e-12)


def test_class_in_which_nothing_tells_b_takes_the_pooled_one():
    X = np.array([[1, 1, 2, 5, 0, 0], [0, 0, 0, 1, 1, 2]])
    model = AbsoluteDiscountingClassifier(discount_counts="per_class").fit(
        np.vstack([X, [4, 0, 0, 0, 0, 0]]), [0, 1, 2]
    )
    pooled = discounting_constant(np.array([5, 1, 2, 6, 1, 2]), "upper_bound")
    np.testing.assert_allclose(model.discount_, [2 / 4, 2 / 4, pooled])


def test_unlabelled_documents_change_smoothing_only():
    X, Y = corpus(3)
    labelled = Y.any(axis=1)
    assert not labelled.all()
    plain, helped, told = (
        AbsoluteDiscountingClassifier(unlabelled=use).fit(X[rows], Y[rows])
        for use, rows in (("smoothing", labelled), ("smoothing", slice(None)), ("ignore", slice(None)))
    )
    np.testing.assert_array_equal(plain.class_log_prior_, helped.class_log_prior_)
    np.testing.assert_array_equal(plain.predict_log_proba(X), told.predict_log_proba(X))
    pooled = (X * Y.sum(axis=1, keepdims=True)).sum(axis=0) + X[~labelled].sum(axis=0)
    np.testing.assert_allclose(np.exp(helped.word_log_prob_), pooled / pooled.sum())
    assert helped.discount_[0] == discounting_constant(pooled, "upper_bound")
    assert not np.allclose(plain.predict_log_proba(X), helped.predict_log_proba(X))


def test_classes_and_indicators_of_one_label_each_are_the_same():
    X, Y = corpus(4)
    one = Y.sum(axis=1) == 1
    by_class = AbsoluteDiscountingClassifier().fit(X[one], np.array(list("abcd"))[Y[one].argmax(axis=1)])
    by_label = AbsoluteDiscountingClassifier(threshold=0.0).fit(X[one], sparse.csr_array(Y[one]))
    np.testing.assert_array_equal(by_class.predict_log_proba(X), by_label.predict_log_proba(X))
    assert by_class.classes_.tolist() == list("abcd")
    np.testing.assert_array_equal(by_class.predict(X) == np.array(list("abcd"))[:, np.newaxis], by_label.predict(X).T)


def test_class_without_documents_is_never_predicted_and_class_without_words_is_the_background():
    X = np.array([[2, 1, 0], [0, 1, 3], [0, 0, 0]])
    Y = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    model = AbsoluteDiscountingClassifier(threshold=1.0, discount=0.5).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), np.tile([1, 1, 1, 0], (3, 1)))
    assert (model.predict_proba(X)[:, 3] == 0).all()
    np.testing.assert_allclose(np.exp(word_log_probabilities(model)[:, 2]), X.sum(axis=0) / X.sum())


@pytest.mark.parametrize("make", [AbsoluteDiscountingClassifier, AbsoluteDiscountingBinary])
def test_document_of_unseen_words_gets_the_priors(make):
    X, Y = corpus(5)
    model = make(unlabelled="ignore").fit(X, Y)
    strange = np.zeros((2, N_WORDS), dtype=int)
    strange[1, -1] = 9
    count, n = Y.sum(axis=0), Y.any(axis=1).sum()
    expected = count / count.sum() if make is AbsoluteDiscountingClassifier else count / n
    np.testing.assert_allclose(model.predict_proba(strange), np.tile(expected, (2, 1)))


@pytest.mark.parametrize("make", [AbsoluteDiscountingClassifier, AbsoluteDiscountingBinary])
def test_long_documents_leave_posteriors_finite(make):
    X, Y = corpus(6)
    proba = make().fit(X, Y).predict_proba(X * 1_000_000)
    assert ((proba >= 0) & (proba <= 1)).all()
    if make is AbsoluteDiscountingClassifier:
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)


@pytest.mark.parametrize("make", [AbsoluteDiscountingClassifier, AbsoluteDiscountingBinary])
@pytest.mark.parametrize("length", [None, "decision", "counts"])
def test_order_of_documents_words_and_labels_does_not_matter(make, length):
    X, Y = corpus(8)
    generator = np.random.default_rng(0)
    rows, words, labels = (generator.permutation(n) for n in (*X.shape, N_CLASSES))
    one = make(length=length).fit(X, Y).predict_proba(X)
    other = make(length=length).fit(X[rows][:, words], Y[rows][:, labels]).predict_proba(X[:, words])
    np.testing.assert_allclose(one[:, labels], other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("length", ["decision", "counts"])
def test_length_normalisation_makes_repeated_documents_alike(length):
    X, Y = corpus(10)
    model = AbsoluteDiscountingClassifier(length=length, discount=0.4).fit(X, Y)
    np.testing.assert_allclose(model.predict_log_proba(X), model.predict_log_proba(7 * X), rtol=1e-12)


def test_length_normalisation_in_training_counts_every_document_alike():
    model = AbsoluteDiscountingClassifier(length="counts", discount=1e-6).fit(
        [[1, 1, 0], [0, 0, 8], [1, 1, 1]], [0, 0, 1]
    )
    np.testing.assert_allclose(np.exp(word_log_probabilities(model)[:, 0]), [0.25, 0.25, 0.5], rtol=1e-4)


@pytest.mark.parametrize(
    ("unlabelled", "length"),
    # Not others with counts: the pair would be scaled to the mean length of all documents.
    [("ignore", None), ("smoothing", None), ("others", None), ("ignore", "counts"), ("smoothing", "counts")],
)
def test_binary_classifiers_are_classifiers_of_two_classes(unlabelled, length):
    X, Y = corpus(11)
    X[~Y.any(axis=1)] += 1  # so that the labelled documents have another mean length than all
    binary = AbsoluteDiscountingBinary(unlabelled=unlabelled, discount=0.7, length=length).fit(X, Y)
    labelled = Y.any(axis=1) | (unlabelled == "others")
    for c in range(N_CLASSES):
        two = np.column_stack([1 - Y[:, c], Y[:, c]]) * labelled[:, np.newaxis]
        use = "smoothing" if unlabelled == "smoothing" else "ignore"
        pair = AbsoluteDiscountingClassifier(unlabelled=use, discount=0.7, length=length).fit(X, two)
        joint = pair.predict_log_proba(X)
        np.testing.assert_allclose(binary.decision_function(X)[:, c], joint[:, 1] - joint[:, 0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_binary_constant_counts_every_document_once(rule):
    X, Y = corpus(12)
    assert AbsoluteDiscountingBinary(discount=rule).fit(X, Y).discount_ == discounting_constant(X.sum(axis=0), rule)


@pytest.mark.parametrize("length", [None, "counts"])
@pytest.mark.parametrize("priors", ["training", "uniform"])
def test_binary_class_of_no_or_of_all_documents_is_certain(length, priors):
    X, Y = corpus(13)
    Y = Y[:, :3].copy()
    Y[:, 0], Y[:, 1] = 0, 1
    model = AbsoluteDiscountingBinary(length=length, priors=priors).fit(X, Y)
    proba = model.predict_proba(X)
    assert (proba[:, 0] == 0).all()
    assert (proba[:, 1] == 1).all()
    assert np.isfinite(model.decision_function(X)[:, 2]).all()
    np.testing.assert_array_equal(model.predict(X)[:, :2], np.tile([0, 1], (len(X), 1)))


def test_em_without_unlabelled_documents_is_the_plain_model():
    X, Y = corpus(14)
    X, Y = X[Y.any(axis=1)], Y[Y.any(axis=1)]
    em, plain = (AbsoluteDiscountingClassifier(unlabelled=use).fit(X, Y) for use in ("em", "smoothing"))
    np.testing.assert_allclose(em.predict_log_proba(X), plain.predict_log_proba(X), rtol=1e-12)
    assert em.converged_


@pytest.mark.parametrize("length", [None, "counts"])
def test_em_ends_where_its_expected_labels_give_its_estimates(length):
    X, Y = corpus(15)
    model = AbsoluteDiscountingClassifier(unlabelled="em", tol=1e-13, discount=0.5, length=length).fit(X, Y)
    assert model.converged_
    free = ~Y.any(axis=1)
    soft = np.where(free[:, np.newaxis], model.predict_proba(X), Y)
    scaled = X if length is None else X * (model.mean_length_ / np.maximum(X.sum(axis=1, keepdims=True), 1))
    counts, unigram = soft.T @ scaled, np.exp(model.word_log_prob_)
    total = counts.sum(axis=1)[:, np.newaxis]
    mass = np.minimum(counts, 0.5).sum(axis=1)[:, np.newaxis] / total
    expected = np.log((np.maximum(counts - 0.5, 0) / total + unigram * mass)[:, unigram > 0])
    seen = np.isfinite(model.word_log_prob_)
    np.testing.assert_allclose(word_log_probabilities(model)[seen], expected.T, rtol=1e-9)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), soft.sum(axis=0) / soft.sum())


def test_uniform_priors_are_equal_among_classes_with_documents():
    X, Y = corpus(18)
    Y[:, 2] = 0
    model = AbsoluteDiscountingClassifier(priors="uniform").fit(X, Y)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [1 / 3, 1 / 3, 0, 1 / 3])


@pytest.mark.parametrize("make", [AbsoluteDiscountingClassifier, AbsoluteDiscountingBinary])
@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        ([[1, 2], [3, 4]], np.array([[2, 0], [0, 1]]), "0 or 1"),
        ([[1, 2], [3, 4]], [[0, 0], [0, 0]], "no document has a label"),
    ],
)
def test_impossible_input_is_refused(make, X, Y, message):
    with pytest.raises(ValueError, match=message):
        make().fit(X, Y)


@pytest.mark.parametrize("discount", ["upper", 0.0, 1.5])
def test_impossible_constant_is_refused(discount):
    X, Y = corpus(19)
    with pytest.raises(ValueError, match="discount"):
        AbsoluteDiscountingClassifier(discount=discount).fit(X, Y)
