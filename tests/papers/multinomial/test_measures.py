"""The measures of the document on multinomial models, on a small corpus."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData, run_measure
from reproduction.papers.multinomial import measures
from tests.naive.discounting import counts_of
from tests.papers.multinomial.example import N_LABELS, SETTINGS, halves
from textmix.data.corpus import TEST, TRAIN, Corpus
from textmix.metrics.threshold import accumulated_sets
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier


def test_table_1_counts_a_topic_named_twice_twice(source, measured):
    values = measured[0]["table1"].values
    number = source.corpus.label_counts[source.corpus.split == TEST]
    assert values["test_unilabel"] == np.sum(number == 1) - 1
    assert values["test_multilabel"] == np.sum(number > 1) + 1
    for part in ("train", "test"):
        kinds = [values[f"{part}_{kind}"] for kind in ("no_label", "unilabel", "multilabel")]
        assert sum(kinds) == np.sum(source.corpus.split == (TRAIN if part == "train" else TEST))
        assert values[f"{part}_unilabel_share"] == kinds[1] / sum(kinds)


def test_single_label_error_is_that_of_documents_with_one_mention(source, measured):
    values = measured[0]["single_label"].values
    X, Y, X_test, Y_test = halves(source)
    single, tested = Y.sum(axis=1) == 1, Y_test.sum(axis=1) == 1
    tested[int(source.corpus.info["topic named twice"][0]) - len(Y)] = False
    model = AbsoluteDiscountingClassifier().fit(X[single], Y[single].argmax(axis=1))
    wrong = model.predict(X_test[tested]) != Y_test[tested].argmax(axis=1)
    assert values["errors"] == wrong.sum() > 0
    assert values["error_rate"] == wrong.mean() == values["error_rate_upper_bound"]
    unseen = Y_test[tested].argmax(axis=1) == N_LABELS - 1
    assert values["test_documents_of_unseen_classes"] == unseen.sum() > 0
    assert wrong[unseen].all()


def test_choices_hold_the_plain_one_and_every_other_once(measured):
    measure = measured[0]["single_label"]
    rows = measure.tables["choices"]
    assert len({(row["discount"], row["discount_counts"], row["length"]) for row in rows}) == len(rows) == 18
    plain = rows[0]
    assert (plain["discount"], plain["discount_counts"], plain["length"]) == ("upper_bound", "pooled", "none")
    assert plain["errors"] == measure.values["errors"]
    assert plain["errors_with_unlabelled"] / plain["test_documents"] == measure.values["error_rate_with_unlabelled"]
    share = plain["cross_validated_errors"] / plain["training_documents"]
    assert share == measure.values["cross_validated_error_rate"] < 0.5


def test_errors_against_the_constant_hold_those_of_the_rules(measured):
    measure, choices = measured[0]["discounts"], measured[0]["single_label"].tables["choices"]
    rows = measure.tables["errors"]
    assert [row["b"] for row in rows[:3]] == [0.001, 0.5, 1.0]
    for row in rows[3:]:
        assert 0 < row["smallest_b"] <= row["b"] <= row["largest_b"] <= 1
        (choice,) = [
            other
            for other in choices
            if (other["discount"], other["discount_counts"]) == (row["discount"], row["discount_counts"])
            and other["length"] == "none"
        ]
        assert (row["errors"], row["cross_validated_errors"]) == (choice["errors"], choice["cross_validated_errors"])
        key = f"{row['discount']}_{row['discount_counts']}"
        assert measure.values[key] == row["errors"] / row["test_documents"]
        assert (row["smallest_b"] < row["largest_b"]) == (row["discount_counts"] == "per_class")
    errors = [row["errors"] / row["test_documents"] for row in rows[:3]]
    assert measure.values["range"] == pytest.approx(max(errors) - min(errors))
    assert measure.values["cross_validated"] in errors


def test_chance_of_gain_is_a_sign_test():
    before = np.array([True] * 5 + [False] * 5)
    assert measures._sign_test(before, before) == 1.0
    assert measures._sign_test(before, np.zeros(10, dtype=bool)) == pytest.approx(0.5**5)
    assert measures._sign_test(np.zeros(10, dtype=bool), before) == 1.0


def test_curves_are_those_of_deciding_at_each_threshold(source, measured):
    rows = measured[0]["threshold_curves"].tables["curves"]
    X, Y, X_test, Y_test = halves(source)
    proba = AbsoluteDiscountingClassifier().fit(X, Y).predict_proba(X_test)
    odds = AbsoluteDiscountingBinary().fit(X, Y).predict_proba(X_test)
    labelled = Y_test.any(axis=1)
    for row in rows[::7]:
        rows_of = labelled if row["test"] == "labelled" else slice(None)
        if row["method"] == "accumulated":
            sets = accumulated_sets(proba[rows_of], row["threshold"])
        elif 1e-6 < row["threshold"] < 1 - 1e-6:
            sets = odds[rows_of] >= row["threshold"]
        else:
            continue  # where probabilities and log-odds round differently
        detected, correct, exact = counts_of(sets, Y_test[rows_of])
        assert row["precision"] == (correct / detected if detected else 1.0)
        assert row["recall"] == correct / Y_test[rows_of].sum()
        assert row["set_error"] == pytest.approx(1 - exact / len(sets))


def test_derived_bounds_hold(measured):
    curves, table = (measured[0][name].values for name in ("threshold_curves", "table1"))
    assert curves["accumulated_set_error_on_unlabelled"] == 1.0
    assert curves["accumulated_lowest_set_error"] >= table["test_no_label_share"]
    # The topic named twice is one label, not several, once the labels are scored.
    several = table["test_multilabel_share"] - 1 / 90
    assert curves["accumulated_set_error_near_0"] >= table["test_no_label_share"] + several - 1e-12
    without = several / (1 - table["test_no_label_share"])
    assert curves["accumulated_set_error_near_0_without_unlabelled"] >= without - 1e-12


def test_validated_threshold_is_marked_and_its_figures_are_the_values(measured):
    measure = measured[0]["threshold_curves"]
    for method in ("accumulated", "binary"):
        marked = [row for row in measure.tables["curves"] if row["validated"] and row["method"] == method]
        assert [row["test"] for row in marked] == ["all", "labelled"]
        for row, suffix in zip(marked, ("", "_without_unlabelled"), strict=True):
            assert row["threshold"] == measure.values[f"{method}_threshold"]
            for name in ("precision", "recall", "set_error"):
                assert row[name] == measure.values[f"{method}_{name}{suffix}"]
        assert measure.values[f"{method}_set_error"] >= measure.values[f"{method}_lowest_set_error"]


def test_validation_does_not_see_the_test_labels(source, measured):
    corpus = source.corpus
    labels = corpus.labels.toarray()
    labels[corpus.split == TEST] = labels[corpus.split == TEST][::-1]
    other = MeasureData(Corpus(**{**corpus.__dict__, "labels": sparse.csr_array(labels), "info": {}}), source.splits)
    measure = run_measure(
        "multinomial", "measures.threshold_curves", {"role": other}, SETTINGS, np.random.default_rng(3)
    )
    for method in ("accumulated", "binary"):
        assert measure.values[f"{method}_threshold"] == measured[0]["threshold_curves"].values[f"{method}_threshold"]
    assert measure.values["binary_recall"] != measured[0]["threshold_curves"].values["binary_recall"]


def test_em_is_beside_smoothing_and_ignoring(measured):
    measure, single = measured[0]["expectation_maximisation"], measured[0]["single_label"].values
    assert measure.values["error_rate_ignore"] == single["error_rate"]
    assert measure.values["error_rate_smoothing"] == single["error_rate_with_unlabelled"]
    assert measure.values["steps"] == len(measure.tables["path"]) > 1
    assert 0 < measure.values["set_error_em"] < 1


def test_lengths_hold_the_curves_and_a_short_sum_leaves_soft_posteriors(measured):
    measure, curves = measured[0]["document_lengths"], measured[0]["threshold_curves"].values
    rows = {(row["sum"], row["rule"]): row for row in measure.tables["sums"]}
    assert len(rows) == 2 * 3
    for rule in ("accumulated", "binary"):
        assert rows[0, rule]["lowest"] == pytest.approx(curves[f"{rule}_lowest_set_error"])
        assert rows[0, rule]["set_error"] == pytest.approx(curves[f"{rule}_set_error_at_0.5"])
    assert rows[1, "accumulated"]["recall"] > rows[0, "accumulated"]["recall"]


def test_scaled_counts_have_one_sum_and_their_shares():
    X = sparse.csr_array(np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 0.0]]))
    np.testing.assert_allclose(measures.scale_rows(X, 8).toarray(), [[2.0, 6.0], [0.0, 0.0], [8.0, 0.0]])
    assert measures.scale_rows(X, None) is X


def test_each_reading_of_the_binary_classifiers_has_its_best_threshold(measured):
    measure, curves = measured[0]["binary_readings"], measured[0]["threshold_curves"].values
    rows = {(row["discount"], row["priors"], row["unlabelled"]): row for row in measure.tables["readings"]}
    assert len(rows) == 2 * 2 * 3
    as_drawn = rows["upper_bound", "training", "smoothing"]
    assert as_drawn["lowest"] == pytest.approx(curves["binary_lowest_set_error"])
    best = [row["best"] for row in rows.values()]
    assert (measure.values["best_least"], measure.values["best_most"]) == (min(best), max(best))
    assert len(set(best)) > 1
