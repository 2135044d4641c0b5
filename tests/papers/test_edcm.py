"""The measures of the EDCM document on small made corpora, and that its files name what the measures give."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import digamma

from reproduction.pages.figures import FigureData
from reproduction.papers.edcm import likeness, repetition, tfidf, weights
from reproduction.papers.edcm.figures import FIGURES
from reproduction.plan.locators import parse_locator
from reproduction.stored.measures import Measure, MeasureData, run_measure
from reproduction.stored.results import Results, RoleEntry
from reproduction.verdict.published import read_record
from tests.naive import dcm as naive_dcm
from tests.naive import edcm as naive_edcm
from tests.pages.drawings import assert_drawn
from tests.verdict.reporting import META
from textmix.core.config import load_yaml_strict
from textmix.data.corpus import Corpus
from textmix.experiment.splits import make_splits
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.neighbors.knn import KNNClassifier
from textmix.pages.drawing import inline_svg
from textmix.pages.marks import Printed

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "config/papers/edcm"
SPEC = load_yaml_strict(PAPER / "paper.yaml")
SMALL: dict[str, dict[str, Any]] = {
    "training_time": {"repeats": 1},
    "knn_curves": {"neighbours": [1, 3, 9]},
    "knn_curves_industry": {"neighbours": [1, 3, 9]},
    "dcm_parameters": {"steps": [1, 2]},
    "approximation": {"per_class": 10, "shown": 40},
    "burstiness": {"bands": {"common": [0, 20], "rare": [20, 200]}, "occurrences": 4},
    "normalisation": {"lengths": [1, 2, 5, 12], "short": 4},
    "fisher_tfidf": {"cells": 200, "frequencies": [1, 10, 100], "counts": [1, 2, 5]},
    "perplexity": {"others": [0.1]},
    "dcm_methods": {"trials": 2},
    "deviation_readings": {"smoothing": [0, 0.1], "steps": [1], "per_class": 10},
    "perplexity_readings": {"smoothing": [0.01, 1.0], "absolute": [0.001]},
    "mixtures": {"components": [1, 2], "smoothing": [0.1]},
    "latent_topics": {"documents": [30, 300], "words": 80, "topics": 2, "length": 40, "starts": 3},
    "latent_topics_time": {"documents": [60], "words": 60, "topics": 2, "length": 30, "max_iter": 20},
    "newsgroup_topics": {"topics": 3, "least": 2, "max_iter": 10},
}
CLASSES, WORDS = 3, 150


@pytest.fixture(scope="module")
def source() -> MeasureData:
    """Return bursty documents of three classes, drawn from DCMs."""
    rng = np.random.default_rng(20050101)
    X, y = [], []
    for c in range(CLASSES):
        alpha = rng.dirichlet(np.full(WORDS, 0.3)) * 12
        for _ in range(50):
            X.append(rng.multinomial(rng.integers(15, 60), rng.dirichlet(np.maximum(alpha, 1e-6))))
            y.append(c)
    labels = sparse.csr_array(np.eye(CLASSES, dtype=np.int8)[y])
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(len(y))],
        label_names=[f"group{c}" for c in range(CLASSES)],
        labels=labels,
        features=sparse.csr_array(np.array(X, dtype=np.int32)),
        feature_names=[f"w{w}" for w in range(WORDS)],
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "random", "train": 0.7, "trials": 2}, 1, "halves", None))


@pytest.fixture(scope="module")
def measured(source, tmp_path_factory) -> tuple[dict[str, Measure], Path]:
    """Run every measure of paper.yaml with smaller settings, and save them where the report looks."""
    root = tmp_path_factory.mktemp("results")
    measures = {}
    for name, entry in SPEC["measures"].items():
        settings = {**entry.get("settings", {}), **SMALL.get(name, {})}
        sources = {"newsgroups": source} if entry["roles"] else {}
        measures[name] = run_measure("edcm", entry["function"], sources, settings, np.random.default_rng(3))
        measures[name].save(root / "papers/edcm/measures" / name, META)
    return measures, root


def test_every_measured_number_that_the_paper_files_name_is_there(measured):
    record = read_record(PAPER, ROOT / "workflow/schemas")
    locators = [row.source for row in record.rows]
    locators += [name for check in record.checks.values() for side in ("left", "right") for name in check.get(side, ())]
    named = [parse_locator(name) for name in locators if name.startswith("measure:")]
    assert len(named) > 20
    for locator in named:
        assert locator.key in measured[0][locator.measure].values, str(locator)


def test_every_claim_has_a_check_and_every_check_a_claim():
    record = read_record(PAPER, ROOT / "workflow/schemas")
    assert {row.check for row in record.rows} - {None} == set(record.checks)


PRINTED = dict.fromkeys(
    [name for figure in SPEC["figures"].values() for name in figure.get("published", {}).values()], Printed(0.5)
)
FROM_MEASURES = [name for name in FIGURES if "experiment" not in SPEC["figures"][name]]


@pytest.mark.parametrize("name", FROM_MEASURES)
def test_figures_draw_what_the_measures_wrote(measured, name):
    data = FigureData(_results(measured[1]), PRINTED, SPEC["figures"][name])
    svg = assert_drawn("edcm", name, data)
    assert len(svg) < 400_000
    assert str(inline_svg(svg, "p", name)).startswith("<svg")


def test_every_figure_has_an_entry_and_every_entry_a_figure():
    assert set(FIGURES) == set(SPEC["figures"])


def _results(root: Path) -> Results:
    """Return the results of the paper below a folder."""
    return Results(root, "edcm", {role: RoleEntry("made") for role in SPEC["roles"]}, SPEC)


def test_log_probabilities_are_those_of_the_models(source):
    documents = Documents(source.corpus.features, source.corpus.classes())
    true_class = np.arange(len(documents.y)), documents.y
    for kind, function, name in (
        (DCMClassifier, likeness.log_dcm, "alpha_"),
        (EDCMClassifier, likeness.log_edcm, "beta_"),
    ):
        model = kind().fit(documents.X, documents.y)
        for convention in ("bag", "sequence"):
            expected = model.log_likelihood(documents.X, convention)[true_class]
            np.testing.assert_allclose(function(documents, getattr(model, name), convention), expected, rtol=1e-9)


def test_gamma_error_is_about_alpha_times_a_harmonic_number():
    error = likeness.relative_error(np.array([1, 2, 5, 20]), np.full(4, 0.01))
    exact = [abs(math.gamma(x) * a * math.gamma(a) / math.gamma(x + a) - 1) for x, a in ((2, 0.01), (5, 0.01))]
    assert error[0] == pytest.approx(0, abs=1e-12)
    assert error[1:3] == pytest.approx(exact)
    assert error[3] == pytest.approx(0.036, abs=0.002)


def test_burstiness_follows_the_urn(measured):
    values = measured[0]["burstiness"].values
    share = SPEC["measures"]["burstiness"]["settings"]["share"]
    for s in SPEC["measures"]["burstiness"]["settings"]["concentrations"]:
        assert values[f"repetition_factor_s_{s}"] == pytest.approx((1 / share + s) / (s + 1))
    assert values["largest_error_of_repetition_factor"] < 1e-10
    assert values["largest_difference_dcm_multinomial"] < 1e-6


def test_expected_occurrences_of_a_word_are_those_of_every_document_of_two_words():
    alpha, n = np.array([0.4, 1.1]), np.array([5.0])
    for m in range(1, 6):
        probability = np.exp(repetition._log_urn(alpha[:1], n, m, alpha.sum(), exact=True))[0]
        assert probability == pytest.approx(math.exp(naive_dcm.log_pmf((m, 5 - m), alpha)))
        theta = np.array([0.3])
        assert np.exp(repetition._log_binomial(theta, n, m))[0] == pytest.approx(
            math.comb(5, m) * 0.3**m * 0.7 ** (5 - m)
        )


@pytest.mark.parametrize("n", [1, 3, 6])
def test_total_of_the_edcm_is_the_sum_over_all_count_vectors(n):
    beta = np.array([0.7, 0.2, 0.05, 0.05])
    total = sum(math.exp(naive_edcm.log_q(x, beta)) for x in naive_dcm.compositions(n, 4))
    assert repetition.log_totals(beta, [n])[0] == pytest.approx(math.log(total), abs=1e-12)
    assert sorted(repetition.compositions(n, 4)) == sorted(naive_dcm.compositions(n, 4))


def test_saddle_point_is_near_the_exact_total():
    beta = np.full(400, 0.02)
    for n in (5, 20, 60):
        assert repetition.log_total_by_saddle_point(beta, n) == pytest.approx(
            repetition.log_totals(beta, [n])[0], abs=0.05
        )


def test_two_pieces_are_near_the_digamma():
    z = np.array([1e-4, 0.05, 1.0, 3.0, 30.0])
    np.testing.assert_allclose(weights.approximate_digamma(z), digamma(z), rtol=0.25)
    assert weights.approximate_digamma(np.array([0.01]))[0] == pytest.approx(digamma(0.01), abs=0.02)


def test_perplexity_is_that_of_the_class_model(source, measured):
    X, y = source.corpus.features, source.corpus.classes()
    perplexities = []
    for trial in range(2):
        train, test = source.splits.train[trial], source.splits.test[trial]
        model = DCMClassifier(smoothing=0.01).fit(X[train], y[train])
        for c in range(CLASSES):
            rows = test[y[test] == c]
            log_p = [naive_dcm.log_likelihood(X[[i]].toarray(), model.alpha_[c]).real for i in rows]
            perplexities.append(math.exp(-sum(log_p) / X[rows].sum()))
    value, spread = measured[0]["perplexity"].values["dcm"]
    assert (value, spread) == pytest.approx((np.mean(perplexities), np.std(perplexities, ddof=1)))


def test_one_multinomial_a_class_is_where_the_mixtures_begin(measured):
    curve = measured[0]["mixtures"].tables["curve"]
    smoothed = {row["model"]: row["perplexity"] for row in measured[0]["perplexity"].tables["smoothing"]}
    assert curve[0]["components"] == 1
    assert curve[0]["perplexity"] == pytest.approx(smoothed["multinomial"])


def test_neighbors_as_printed_are_those_of_the_curves(measured):
    for row in measured[0]["knn_curves"].tables["curves"]:
        assert 0 <= row["accuracy"] <= 1
    rows = measured[0]["knn_variants"].tables["variants"]
    cosine = {(row["representation"], row["vectors"]): row["accuracy"] for row in rows if row["vote"] == "nearest"}
    assert cosine["l2", "printed"] == cosine["l2", "cosine"] == cosine["l1", "cosine"]


def test_topics_of_made_documents_get_nearer_with_more_of_them(measured):
    rows = measured[0]["latent_topics"].tables["distances"]
    for method in ("likelihood", "mean_field"):
        few, many = (
            np.mean([row["distance"] for row in rows if (row["method"], row["documents"]) == (method, number)])
            for number in (30, 300)
        )
        assert many < few


def test_information_is_one_for_the_classes_themselves_and_zero_for_one_topic():
    from reproduction.papers.edcm.topics import _information

    y = np.repeat([0, 1, 2], 5)
    assert _information(y, y[::-1]) == pytest.approx(1.0)
    assert _information(y, np.zeros_like(y)) == pytest.approx(0.0)


def test_early_steps_stand_between_both_models(measured):
    rows = measured[0]["dcm_parameters"].tables["steps"]
    assert [row["steps"] for row in rows] == [0, 1, 2, "converged"]
    assert rows[0]["correlation_alpha_beta"] == pytest.approx(1.0)


def test_readings_hold_the_values_of_the_measures_that_they_vary(measured):
    measures = measured[0]
    (row,) = [
        row
        for row in measures["deviation_readings"].tables["readings"]
        if (row["smoothing"], row["training"], row["coefficient"]) == (0, "maximum", "left out")
        if row["relation"] == "mean |q - p| / |p|"
    ]
    assert row["same"] == pytest.approx(measures["approximation"].values["deviation_same_parameters"], rel=0.2)
    plain = {"smoothing": 0.01, "documents": "unseen", "level": "mean of the classes"}
    for row in measures["perplexity_readings"].tables["readings"]:
        if plain.items() <= row.items() and row["unit"] == {"multinomial": "absolute", "dcm": "smallest"}[row["model"]]:
            if row["method"] != "leave_one_out":
                expected = measures["perplexity"].values[f"{row['model']}_on_first_split"]
                assert row["perplexity"] == pytest.approx(expected)


def test_every_method_of_the_dcm_has_a_row_a_split_and_three_reach_the_same_maximum(measured):
    measure = measured[0]["dcm_methods"]
    assert len(measure.tables["splits"]) == 2 * 6
    levels = [measure.values[f"dcm_{name}_perplexity"].mean for name in ("reciprocal_newton", "newton", "fixed_point")]
    assert levels == pytest.approx([levels[0]] * 3, rel=1e-3)
    assert measure.values["dcm_leave_one_out_perplexity"].mean != pytest.approx(levels[0], rel=1e-3)


def test_printed_form_of_tfidf_is_the_representation_and_each_weight_is_its_formula(source, measured):
    train = Documents(source.corpus.features, source.corpus.classes())[source.splits.train[0]]
    test = Documents(source.corpus.features, source.corpus.classes())[source.splits.test[0]]
    model = KNNClassifier(representation="tfidf", n_neighbors=3).fit(train.X, train.y)
    rows = measured[0]["tfidf_forms"].tables["forms"]
    (printed,) = [
        row["accuracy"]
        for row in rows
        if (row["count"], row["word"], row["documents"], row["vote"]) == ("x", "log D / d", "training", "nearest")
    ]
    assert printed == pytest.approx(np.mean(model.predict(test.X) == test.y))
    counts, lengths = np.array([1.0, 4.0]), np.array([10.0, 10.0])
    expected = {"1 + log x": 1 + math.log(4), "sqrt x": 2.0, "1": 1.0, "x / (x + .5 + 1.5 n / m)": 4 / 7.5}
    for name, value in expected.items():
        assert tfidf.COUNTS[name](counts, lengths, 5.0)[1] == pytest.approx(value)
    assert tfidf.WORDS["log D / o"](np.array([2]), np.array([9]), 6)[0] == 0
