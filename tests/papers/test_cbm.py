"""The measures and figures of the CBM paper on a small made corpus, and that its files name what they give."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from reproduction.pages.figures import FigureData, draw
from reproduction.papers.cbm.boosting import ClippedPowerSet, clipped_steps, leaves_of, predicted_after
from reproduction.papers.cbm.figures import FIGURES
from reproduction.papers.cbm.variants import calibrated_threshold, within_reach
from reproduction.stored.measures import MeasureData, Repeated, run_measure
from reproduction.stored.results import Results, RoleEntry
from reproduction.verdict.published import read_record
from tests.models.test_cbm import documents
from tests.pages.drawings import assert_sound
from tests.verdict.reporting import META
from textmix.core import io
from textmix.core.config import load_yaml_strict
from textmix.data.corpus import TEST, TRAIN, Corpus
from textmix.data.fetch import fetch_dataset
from textmix.data.parse import parse_dataset
from textmix.data.registry import RECORD, DatasetEntry, SourceFile, load_registry
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.splits import make_splits
from textmix.models.cbm.mixture_kernels import search_modes
from textmix.models.common.boosted_trees import Growth, Trees
from textmix.models.common.forest import Forest
from textmix.models.label_sets import estimators
from textmix.models.label_sets.blocks import in_blocks
from textmix.models.label_sets.boosted import BoostedPowerSet
from textmix.models.label_sets.chain_kernels import search_chain
from textmix.models.label_sets.chain_sampling_kernels import search_samples
from textmix.models.label_sets.estimators import PairwiseCRF, PowerSet

PAPER = Path(__file__).parents[2] / "config/papers/cbm"
SPEC = load_yaml_strict(PAPER / "paper.yaml")
PARAMS = {"n_components": 3, "max_iter": 3}
SETTINGS: dict[str, Any] = {
    **{"reference": "cbm_lr", "resamples": 50, "params": PARAMS, "runs": {"scene": 2}, "tolerance": 1e-4},
    **{"components": [1, 3], "labels": [2], "enumerated": 3, "documents": 20, "variance": 1.0, "steps": 2000},
}
COMPONENTS: dict[str, Any] = {
    "illustration": {"components": 2},
    "random_starts": {"components": {"scene": [1, 20]}},
}
#: Settings of the measures that share none.
OWN: dict[str, Any] = {
    "boosting_variants": {"rounds": [2, 4], "leaves": 2},
    "sampler_seeds": {"params": {"sweeps": 20, "kept": 10}, "runs": 3},
    "chain_variants": {
        **{"params": {"scene": {"tol": 1e-4}}, "orders": {"scene": 2}, "ensembles": {"scene": 2}},
        **{"samples": 10, "beam_width": 8},
    },
}


@pytest.fixture(scope="module")
def source() -> MeasureData:
    """Return a corpus of three dependent labels and what two methods predict: all right, and always one set."""
    X, Y = documents(1, n=120)
    split = np.where(np.arange(120) < 80, TRAIN, TEST).astype(np.int8)
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(120)],
        label_names=["lake", "water", "sky"],
        labels=sparse.csr_array(Y),
        split=split,
        features=sparse.csr_array(np.column_stack([X, np.arange(120) >= 80])),
        feature_names=[*(f"x{k}" for k in range(5)), "of test documents alone"],
    )
    splits = make_splits(corpus, {"kind": "given"}, 1, "given", None)
    true, first = Y[80:], np.tile(Y[80], (40, 1))
    predictions = {
        name: Predictions([""], [], np.zeros((1, 40)), sets=pack_sets(sets)[np.newaxis])
        for name, sets in (("cbm_lr", true), ("binrel_lr", first))
    }
    return MeasureData(corpus, splits, predictions)


@pytest.fixture(scope="module")
def measured(source, tmp_path_factory) -> tuple[dict[str, Any], Path]:
    """Run every measure of paper.yaml, and save them where the report looks."""
    root = tmp_path_factory.mktemp("results")
    measures = {}
    for name in SPEC["measures"]:
        function = SPEC["measures"][name]["function"]
        settings = OWN.get(function.partition(".")[2], {**SETTINGS, **COMPONENTS.get(function.partition(".")[2], {})})
        measures[name] = run_measure("cbm", function, {"scene": source}, settings, np.random.default_rng(3))
        measures[name].save(root / "papers/cbm/measures" / name, META)
    return measures, root


def test_methods_are_compared_document_by_document(measured, source):
    rows = {row["method"]: row for row in measured[0]["comparisons"].tables["methods"]}
    share = np.mean((source.corpus.indicators()[80:] == source.corpus.indicators()[80]).all(axis=1))
    assert rows["cbm_lr"]["subset_accuracy"] == 1.0
    assert rows["binrel_lr"]["subset_accuracy"] == share
    np.testing.assert_allclose(rows["binrel_lr"]["difference"], share - 1.0)
    np.testing.assert_allclose(rows["binrel_lr"]["sign_test"], 2.0 * 0.5 ** round(40 * (1.0 - share)))
    assert measured[0]["comparisons"].values["cbm_lr_wins"] == 1


def test_special_cases_and_search_are_exact(measured):
    values = measured[0]["special_cases"].values
    assert values["largest_difference_from_binrel"] < 1e-6
    assert values["largest_difference_from_powset"] == 0
    assert measured[0]["exact_search"].values["mismatches_with_enumeration"] == 0
    rows = measured[0]["exact_search"].tables["evaluations"]
    assert {(row["components"], row["labels"]) for row in rows} == {(1, 2), (1, 3), (3, 2), (3, 3)}


def test_the_path_of_em_has_every_iteration_of_every_run(measured):
    rows = measured[0]["em_path"].tables["path"]
    assert [(row["run"], row["iteration"]) for row in rows] == [(r, i) for r in (0, 1) for i in (1, 2, 3)]
    assert measured[0]["em_path"].values["largest_fall"] >= 0.0


def test_random_starts_give_mean_and_deviation_of_each_number_of_components(measured):
    rows, values = measured[0]["starts"].tables["runs"], measured[0]["starts"].values
    assert [(row["components"], row["run"]) for row in rows] == [(1, 0), (1, 1), (20, 0), (20, 1)]
    accuracies = [row["subset_accuracy"] for row in rows if row["components"] == 20]
    assert values["scene_k20"] == Repeated(accuracies)


def test_the_example_shows_mode_marginals_and_symmetric_correlations(measured):
    tables, values = measured[0]["illustration"].tables, measured[0]["illustration"].values
    rows = tables["correlations"]
    table = {(row["first"], row["second"]): row["correlation"] for row in rows}
    assert all(np.isclose(table[a, b], table[b, a]) for a, b in table)
    lost = [row for row in tables["labels"] if row["mode"] == 1 and row["marginal"] < 0.5]
    assert bool(lost) == bool(values["mode_holds_a_label_below_one_half"])
    assert values["probability_of_mode"] >= values["probability_of_marginal_set"] - 1e-12


def results(root: Path, dataset: str | None = "made") -> Results:
    return Results(root, "cbm", {role: RoleEntry(dataset) for role in ("yeast", "scene", "mediamill")}, SPEC)


@pytest.mark.parametrize("name", ["components", "illustration", "em_path", "evaluations", "variants"])
def test_figures_are_drawn_alike_each_time(name, measured):
    data = FigureData(results(measured[1]), {}, SPEC["figures"][name])
    first = draw("cbm", name, data)
    assert_sound(first)
    assert first == draw("cbm", name, data)
    assert len(first) > 5000


def published() -> list[Any]:
    return list(read_record(PAPER, PAPER.parents[2] / "workflow/schemas").rows)


def test_paper_yaml_names_every_figure_and_published_csv_what_measures_give(measured):
    assert set(SPEC["figures"]) == set(FIGURES)
    rows = [row for row in published() if row.source.startswith("measure:")]
    for row in rows:
        assert row.locator.key in measured[0][row.locator.measure].values
    for row in published():
        if row.source.startswith("score:"):
            experiment, method = SPEC["experiments"][row.locator.experiment], row.locator.method
            assert row.locator.role in experiment["roles"]
            assert method in experiment["methods"] or method.endswith("_gb")


def test_a_set_that_several_components_list_is_counted_for_each_of_them():
    generator = np.random.default_rng(0)
    log_pi, z = np.log(np.full((50, 4), 0.25)), generator.normal(0, 0.3, (4, 50, 2))
    *_, tried, exact = search_modes(log_pi, z, True, 100)
    assert exact.all()
    assert tried.max() > 4, "there are 4 sets of 2 labels"
    assert tried.max() <= 4 * 4, "each of 4 components lists each set once"


def test_variants_of_chains_and_boosting_are_scored(measured):
    values, rows = measured[0]["chain_variants"].values, measured[0]["chain_variants"].tables["runs"]
    assert values["scene_reach"] == 1.0
    names = ["greedy", "beam", "monte_carlo", "exact", "label_half", "label_calibrated", "subset"]
    assert {row["variant"] for row in rows} == {*names}
    for name in names:
        accuracies = [row["subset_accuracy"] for row in rows if row["variant"] == name]
        assert values[f"scene_{name}"] == Repeated(accuracies)
        assert 0.2 < np.mean(accuracies) <= 1.0
    assert values["scene_beam"] == values["scene_exact"], "eight paths are all paths of three labels"
    variants = {row["variant"] for row in measured[0]["boosting_variants"].tables["runs"]}
    assert variants == {"ours_2", "ours_4", "authors_2", "authors_4"}


def test_a_network_is_sampled_with_several_seeds(measured):
    values, rows = measured[0]["sampler_seeds"].values, measured[0]["sampler_seeds"].tables["runs"]
    accuracies = [row["subset_accuracy"] for row in rows]
    assert len(accuracies) == 3 and len(set(accuracies)) > 1, "ten sweeps leave chance in the marginals"
    assert (values["scene_least"], values["scene_most"]) == (min(accuracies), max(accuracies))
    assert values["scene_network"] == Repeated(accuracies)


def test_the_first_rounds_of_a_model_are_a_model_of_so_many_rounds():
    X, Y = documents(6, n=90)
    for kind in (BoostedPowerSet, ClippedPowerSet):
        model = kind(trees=8, leaves=2).fit(X, Y)
        predictions = dict(predicted_after(model, X, (3, 8)))
        np.testing.assert_array_equal(predictions[3], kind(trees=3, leaves=2).fit(X, Y).predict(X))
        np.testing.assert_array_equal(predictions[8], model.predict(X))
        assert (predictions[3] != predictions[8]).any()


def test_leaves_of_a_forest_are_those_that_the_library_finds():
    X = np.random.default_rng(3).normal(size=(80, 4))
    trees = Trees(X, 3, Growth(2, 4, 0.1))
    trees.grow(lambda scores: (np.tanh(X[:, :3] + scores), np.ones((80, 3))))
    for number in range(2):
        expected = trees._booster.predict(X, pred_leaf=True, start_iteration=number, num_iteration=1)
        leaves = leaves_of(Forest.of_booster(trees._booster, number), sparse.csr_array(X), 3)
        np.testing.assert_array_equal(leaves, expected)


def test_the_calibrated_threshold_gives_the_asked_number_of_labels():
    shares = np.array([[0.9, 0.4, 0.1], [0.8, 0.6, 0.0]])
    threshold = calibrated_threshold(shares, 1.5)
    np.testing.assert_allclose(threshold, 0.5)
    assert (shares >= threshold).sum() == 3
    assert calibrated_threshold(np.zeros((2, 3)), 1.0) == 1e-5


def test_sets_within_reach_are_those_that_are_counted_first():
    sets = np.array(list(itertools.product((0, 1), repeat=4)))
    number = sets @ [1, 2, 4, 8]
    for limit in (1, 3, 5, 16, 1000):
        np.testing.assert_array_equal(within_reach(sets, limit), number < limit)


def test_leaves_take_clipped_newton_steps():
    leaf = np.array([0, 0, 1, 1])
    gradient, hessian = np.array([-0.2, 0.1, -0.9, -0.9]), np.array([0.1, 0.3, 0.01, 0.02])
    np.testing.assert_allclose(clipped_steps(leaf, gradient, hessian), [0.25, 1.0])


def test_trees_of_the_authors_kind_predict_what_they_scored_in_training():
    X, Y = documents(4, n=100)
    model = ClippedPowerSet(trees=6, leaves=2).fit(X, Y)
    np.testing.assert_allclose(model._gate.trees.predict(X), model._gate.trees.scores, atol=1e-12)
    single = ClippedPowerSet(trees=1, leaves=2, shrinkage=1.0).fit(X, Y)
    assert np.abs(single._gate.trees.scores).max() == 1.0, "a step is clipped at 1"


def test_sampled_label_sets_are_never_less_likely_than_the_greedy_one():
    generator = np.random.default_rng(5)
    Z, V = generator.normal(size=(60, 4)), np.triu(generator.normal(0, 2, (4, 4)), 1)

    def log_probability(label_sets: np.ndarray) -> np.ndarray:
        odds = Z + label_sets @ V
        return -np.logaddexp(0.0, np.where(label_sets == 1, -odds, odds)).sum(axis=1)

    greedy = log_probability(search_chain(Z, V, 1)[0].astype(float))
    few, many = (log_probability(search_samples(Z, V, n, 7).astype(float)) for n in (10, 2000))
    assert (few >= greedy).all() and (few > greedy).any()
    sets = np.array(list(itertools.product((0, 1), repeat=4)), dtype=float)
    best = np.max([log_probability(np.tile(document, (60, 1))) for document in sets], axis=0)
    np.testing.assert_allclose(many, best, err_msg="two thousand samples find the mode of four labels")


def nus_wide(folder: Path, n: int) -> DatasetEntry:
    """Place a file of the form of NUS-WIDE with n images by hand; return the entry with the counts of this file."""
    generator = np.random.default_rng(6)
    X, Y = generator.normal(size=(n, 128)), (generator.random((n, 81)) < 0.02).astype(np.int8)
    names = [*(f"Feature{k}" for k in range(128)), *(f"Label{k}" for k in range(81))]
    kinds = ["numeric"] * 128 + ["{0,1}"] * 81
    head = ["@relation nus-wide", *(f"@attribute {name} {kind}" for name, kind in zip(names, kinds, strict=True))]
    rows = [",".join([*(f"{x:.6f}" for x in row), *map(str, sets)]) for row, sets in zip(X, Y, strict=True)]
    labels = "".join(f'<label name="Label{k}"></label>' for k in range(81))
    whole = load_registry(PAPER.parents[1] / "datasets.yaml")["nus_wide"]
    (folder / whole.files["data"]).write_text("\n".join([*head, "@data", *rows, ""]))
    form = f'<labels xmlns="http://mulan.sourceforge.net/labels">{labels}</labels>'
    (folder / whole.files["labels"]).write_text(form)
    files = {role: SourceFile(file.where) for role, file in whole.sources[0].files.items()}
    expect = {**whole.expect, "documents": n}
    return replace(whole, sources=(replace(whole.sources[0], files=files),), expect=expect)


def test_nus_wide_is_read_split_and_fitted_in_blocks_as_configured(tmp_path, monkeypatch):
    entry = nus_wide(tmp_path, 60)
    io.write_json(tmp_path / RECORD, fetch_dataset(entry, tmp_path, None))
    corpus = parse_dataset(entry, tmp_path)
    role, name = "nus_wide", SPEC["experiments"]["table_large"]["roles"]["nus_wide"]
    assert SPEC["measures"]["ranking"]["roles"][role] == name
    split = make_splits(corpus, {**SPEC["splits"][name], "train": 36}, 1, name, None)
    assert (split.train[0].tolist(), split.test[0].tolist()) == (list(range(36)), list(range(36, 60)))
    X, Y = corpus.features[split.train[0]], corpus.indicators()[split.train[0]]
    for model in (PowerSet(variance=1000.0, max_iter=10), PairwiseCRF(variance=1000.0, max_iter=10)):
        whole = clone(model).fit(X, Y).predict_proba(corpus.features[split.test[0]])
        with monkeypatch.context() as patch:
            patch.setattr(estimators, "in_blocks", partial(in_blocks, cells=300))
            parts = clone(model).fit(X, Y).predict_proba(corpus.features[split.test[0]])
        np.testing.assert_allclose(parts, whole, atol=1e-6)
