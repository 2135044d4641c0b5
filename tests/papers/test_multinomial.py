"""The measures of Vilar, Castro & Sanchis on a small made corpus, and that the paper's files name what they give."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.pages.figures import FigureData, draw
from reproduction.papers.multinomial import dependence, lengths, rivals
from reproduction.papers.multinomial import measures as multinomial
from reproduction.papers.multinomial.figures import FIGURES
from reproduction.plan.locators import parse_locator
from reproduction.stored.measures import MeasureData, run_measure
from reproduction.stored.results import Results, RoleEntry
from reproduction.verdict.published import read_record
from tests.naive.discounting import counts_of
from tests.pages.drawings import assert_drawn
from tests.verdict.reporting import META
from textmix.core import io
from textmix.core.config import load_yaml_strict
from textmix.core.errors import MissingResult
from textmix.data.corpus import TEST, TRAIN, Corpus
from textmix.experiment.splits import make_splits
from textmix.experiment.trial import Documents
from textmix.metrics.accumulated import accumulated_sets
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier
from textmix.pages.marks import Printed

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "config/papers/multinomial"
SPEC = load_yaml_strict(PAPER / "paper.yaml")
SETTINGS: dict[str, Any] = {
    **{"discount": "upper_bound", "discount_counts": "pooled", "length": "none", "folds": 4},
    **{"low": 0, "high": 1, "steps": 40, "powers": 9, "standard": 0.5, "validation": 0.3, "least": 3},
    **{"tol": 1e-4, "max_iter": 200},
    **{"models": list(rivals.RIVALS), "C": 10, "hidden": 4, "decay": 10.0},
    **{"sums": [1, 10, None], "variance": 1.0, "beam_width": 3, "mixture": {"n_components": 2, "max_iter": 5}},
}
N, N_WORDS, N_LABELS = 260, 80, 6


@pytest.fixture(scope="module")
def source() -> MeasureData:
    """Return documents with none, one or several of six labels; the last label stands in test documents only."""
    generator = np.random.default_rng(20040101)
    number = generator.choice(3, size=N, p=[0.15, 0.6, 0.25])
    split = np.where(np.arange(N) < 170, TRAIN, TEST).astype(np.int8)
    rows = [
        sorted(generator.choice(N_LABELS - (split[i] == TRAIN), size=k, replace=False)) for i, k in enumerate(number)
    ]
    profile = generator.dirichlet(np.full(N_WORDS, 0.08), size=N_LABELS)
    X = np.array([generator.multinomial(30, (profile[row].mean(axis=0) if row else np.full(N_WORDS, 1 / N_WORDS)))
                  for row in rows])  # fmt: skip
    Y = np.zeros((N, N_LABELS), dtype=np.int8)
    for i, row in enumerate(rows):
        Y[i, row] = 1
    twice = str(np.flatnonzero((number == 1) & (split == TEST))[0])
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(N)],
        label_names=[f"topic{k}" for k in range(N_LABELS)],
        labels=sparse.csr_array(Y),
        split=split,
        features=sparse.csr_array(X.astype(np.int32)),
        feature_names=[f"w{k}" for k in range(N_WORDS)],
        info={"topic named twice": [twice]},
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "given"}, 1, "given", None))


@pytest.fixture(scope="module")
def measured(source, tmp_path_factory) -> tuple[dict[str, Any], Path]:
    """Run every measure of paper.yaml, and save them where the report looks."""
    root = tmp_path_factory.mktemp("results")
    measures, by_function = {}, {}
    for name in SPEC["measures"]:
        function = SPEC["measures"][name]["function"]
        if function not in by_function:  # else the same function on other words
            by_function[function] = run_measure(
                "multinomial", function, {"role": source}, SETTINGS, np.random.default_rng(3)
            )
        measures[name] = by_function[function]
        measures[name].save(root / "papers/multinomial/measures" / name, META)
    return measures, root


def halves(source: MeasureData) -> tuple[Any, ...]:
    """Return training counts and labels, test counts and labels, dense."""
    X, Y, test = source.corpus.features.toarray(), source.corpus.labels.toarray(), source.corpus.split == TEST
    return X[~test], Y[~test], X[test], Y[test].astype(bool)


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


def test_chance_of_gain_is_a_sign_test():
    before = np.array([True] * 5 + [False] * 5)
    assert multinomial._chance_of_gain(before, before) == 1.0
    assert multinomial._chance_of_gain(before, np.zeros(10, dtype=bool)) == pytest.approx(0.5**5)
    assert multinomial._chance_of_gain(np.zeros(10, dtype=bool), before) == 1.0


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


def test_thresholds_reach_next_to_both_ends(measured):
    thresholds = sorted({row["threshold"] for row in measured[0]["threshold_curves"].tables["curves"]})
    assert (thresholds[0], thresholds[-1]) == (1e-9, 1 - 1e-9)
    assert all(0 < low < high < 1 for low, high in itertools.pairwise(thresholds))
    assert {0.1, 0.5, 0.9, 0.001, 0.999} <= set(thresholds)


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


def test_every_measured_number_that_the_paper_files_name_is_there(measured):
    record = read_record(PAPER, ROOT / "workflow/schemas")
    locators = [row.source for row in record.rows]
    locators += [name for check in record.checks.values() for side in ("left", "right") for name in check.get(side, ())]
    named = [parse_locator(name) for name in locators if name.startswith("measure:")]
    assert len(named) > 15
    for locator in named:
        assert locator.key in measured[0][locator.measure].values, str(locator)


def test_every_claim_has_a_check_and_every_check_a_claim():
    record = read_record(PAPER, ROOT / "workflow/schemas")
    assert {row.check for row in record.rows} - {None} == set(record.checks)
    assert all(row.source for row in record.rows if row.kind != "equation")


@pytest.mark.parametrize("name", list(FIGURES))
def test_figures_draw_what_the_measures_wrote(measured, name):
    data = FigureData(_results(measured[1]), {"vil.err": Printed(8.56)}, SPEC["figures"][name])
    svg = assert_drawn("multinomial", name, data)
    assert svg.count(b"<path") > 15


def test_choices_leave_out_a_measure_that_is_missing(measured, tmp_path):
    measures = SPEC["figures"]["choices"]["labels"]
    for name in measures:
        io.write_missing(tmp_path / "papers/multinomial/measures" / name, MissingResult("no source answered"), META)
    data = FigureData(_results(tmp_path), {}, SPEC["figures"]["choices"])
    with pytest.raises(MissingResult, match="no source answered"):
        draw("multinomial", "choices", data)
    measured[0]["single_label"].save(tmp_path / "papers/multinomial/measures/single_label", META)
    assert draw("multinomial", "choices", FigureData(_results(tmp_path), {}, SPEC["figures"]["choices"]))


def _results(root: Path) -> Results:
    """Return the results of the paper below a folder."""
    return Results(root, "multinomial", {role: RoleEntry("made") for role in SPEC["roles"]}, SPEC)


def rule_of(measured, model: str, rule: str) -> dict[str, Any]:
    """Return the row of a model and a rule."""
    rows = measured[0]["rival_posteriors"].tables["rules"]
    (row,) = [row for row in rows if (row["model"], row["rule"]) == (model, rule)]
    return row


def test_rivals_hold_the_rules_of_the_document_and_every_model_once(measured):
    curves = measured[0]["threshold_curves"].values
    for rule in ("accumulated", "binary"):
        row = rule_of(measured, "multinomial", rule)
        assert row["lowest"] == pytest.approx(curves[f"{rule}_lowest_set_error"])
        assert row["best"] == pytest.approx(curves[f"{rule}_best_threshold"])
    assert len(measured[0]["rival_posteriors"].tables["rules"]) == 3 * len(rivals.RIVALS) + 1


def test_fall_back_gives_the_top_label_where_none_passes_and_changes_nothing_else():
    log_odds = np.array([[-2.0, -1.0, -3.0], [1.0, 2.0, -5.0]])
    sets = rivals.with_top_label(log_odds) >= 0
    assert sets.tolist() == [[False, True, False], [True, True, False]]


def test_label_sets_are_classes_of_their_own(source, measured):
    X, Y, X_test, Y_test = halves(source)
    names = [tuple(row) for row in Y]
    classes = sorted(set(names))
    codes = np.eye(len(classes))[[classes.index(name) for name in names]]
    model = AbsoluteDiscountingClassifier().fit(X, codes)
    predicted = [classes[k] for k in np.argmax(model.predict_log_proba(X_test), axis=1)]
    wrong = [label_set != tuple(row.astype(int)) for label_set, row in zip(predicted, Y_test, strict=True)]
    assert rule_of(measured, "label sets", "label set")["set_error"] == pytest.approx(np.mean(wrong))


def test_documents_without_a_label_can_be_right_only_with_a_label_of_their_own(measured):
    plain, with_no_class = (
        rule_of(measured, name, "accumulated") for name in ("multinomial", "multinomial with <no_class>")
    )
    assert plain["set_error"] > plain["set_error_without_unlabelled"]
    assert with_no_class["lowest"] <= plain["lowest"] + 0.1


def test_no_class_excludes_every_label_and_every_label_excludes_it():
    scores = np.array([[0.2, 0.1, 0.7], [0.5, 0.1, 0.4]])
    assert rivals.exclusive(scores, 0.0).tolist() == [[0.0, 0.0, 0.7], [0.5, 0.1, 0.0]]


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
    np.testing.assert_allclose(lengths.scaled(X, 8).toarray(), [[2.0, 6.0], [0.0, 0.0], [8.0, 0.0]])
    assert lengths.scaled(X, None) is X


def test_inputs_of_label_dependence_come_from_folds_without_the_document(source):
    X, Y, *_ = halves(source)
    fold = np.arange(len(X)) % 3
    inputs = dependence._crossed(Documents(sparse.csr_array(X), sparse.csr_array(Y.astype(float))), fold, {})
    model = AbsoluteDiscountingBinary().fit(X[fold != 1], Y[fold != 1])
    scores = model.decision_function(X[fold == 1])
    finite = np.isfinite(scores)
    np.testing.assert_allclose(inputs[fold == 1][finite], (np.sign(scores) * np.log1p(np.abs(scores)))[finite])
    assert np.isfinite(inputs).all()


def test_label_dependence_compares_three_methods_on_the_same_inputs(source, measured):
    measure = measured[0]["label_dependence"]
    rows = measure.tables["methods"]
    assert [row["method"] for row in rows] == ["independent labels", "chain", "CBM"]
    unseen = halves(source)[3][:, -1].mean()
    for row in rows:
        assert unseen <= row["set_error"] < 1
        assert row["set_error"] == measure.values[f"{row['method']}_set_error".replace(" ", "_")]
