"""The measures and figures of the CBM paper on a small made corpus, and that its files name what they give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.models.test_cbm import documents
from tests.pages.drawings import assert_sound
from tests.verdict.reporting import META
from textmix.core.config import load_yaml_strict
from textmix.data.corpus import TEST, TRAIN, Corpus
from textmix.experiment.measures import MeasureData, run_measure
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.results import Results, RoleEntry
from textmix.experiment.splits import make_splits
from textmix.models.cbm.mixture_kernels import search_modes
from textmix.pages.figures import FigureData, draw
from textmix.papers.cbm.figures import FIGURES
from textmix.verdict.published import read_record

PAPER = Path(__file__).parents[2] / "config/papers/cbm"
SPEC = load_yaml_strict(PAPER / "paper.yaml")
PARAMS = {"n_components": 3, "max_iter": 3}
SETTINGS: dict[str, Any] = {
    **{"reference": "cbm_lr", "resamples": 50, "params": PARAMS, "runs": {"scene": 2}, "tolerance": 1e-4},
    **{"components": [1, 3], "labels": [2], "enumerated": 3, "documents": 20, "variance": 1.0, "steps": 2000},
}
COMPONENTS: dict[str, Any] = {
    "illustration": {"components": 2},
    **{name: {"components": {"scene": [1, 20]}} for name in ("components", "random_starts")},
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
        features=sparse.csr_array(X),
        feature_names=[f"x{k}" for k in range(5)],
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
        function = SPEC["measures"][name].get("function", name)
        settings = {**SETTINGS, **COMPONENTS.get(function, {})}
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
    found = [row["subset_accuracy"] for row in rows if row["components"] == 20]
    assert values["scene_k20"] == (np.mean(found), np.std(found, ddof=1))


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


@pytest.mark.parametrize("name", ["components", "illustration", "em_path", "evaluations"])
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
