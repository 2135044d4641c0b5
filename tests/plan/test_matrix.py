"""The matrix: its cells, its splits, its time and its sizes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reproduction.plan.jobs import Jobs
from reproduction.plan.matrix import load_matrix
from reproduction.plan.plan import make_plan
from tests.contest.example import METHODS, REGISTRY, ROOT
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError
from textmix.data.registry import load_registry
from textmix.experiment.methods import load_methods

# --- the plan of the matrix -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cap", "beginning"), [(1, "1 random split: "), (2, "2 random splits: "), (9, "3 random splits: ")]
)
def test_the_page_names_the_splits_that_run(cap, beginning):
    assert load_matrix(ROOT, ["r52_wheel"], REGISTRY, METHODS, max_trials=cap).splits["r52_wheel"].startswith(beginning)


def test_matrix_has_a_cell_for_every_method_and_data_set():
    matrix = load_matrix(ROOT, ["r52_wheel", "yeast_wheel"], REGISTRY, METHODS)
    cells_run = {
        (dataset, method)
        for experiment in matrix.spec["experiments"].values()
        for dataset in experiment["roles"]
        for method in experiment["methods"]
    }
    assert not cells_run & set(matrix.empty)
    assert cells_run | set(matrix.empty) == {(data, name) for data in ("r52_wheel", "yeast_wheel") for name in METHODS}
    assert matrix.empty["r52_wheel", "cbm"] == (
        "cbm is for several labels a document; r52_wheel has one label a document"
    )


def test_matrix_leaves_out_methods_that_cost_too_much_and_the_study_has_them():
    matrix = load_matrix(ROOT, ["r52_wheel"], REGISTRY, METHODS, sizes=["few"], cost="low")
    dear = [name for name, method in METHODS.items() if method.task == "single" and method.cost != "low"]
    assert {"edcm", "knn"} <= set(dear)
    assert {matrix.empty["r52_wheel", name] for name in dear} == {
        f"{name} takes more time than matrix_cost: low allows; the target study fits it" for name in dear
    }
    assert ("r52_wheel", "multinomial") not in matrix.empty
    (few,) = matrix.sizes["matrix_few"]["experiments"].values()
    assert set(dear) < set(few["methods"])


def test_a_training_part_of_the_matrix_cuts_rare_words_as_all_documents_did():
    matrix = load_matrix(ROOT, ["r52_wheel", "yeast_wheel"], REGISTRY, METHODS)
    experiments = matrix.spec["experiments"]
    methods = experiments["single_matrix_words"]["methods"]
    assert methods["hmm"]["features"] == ["matrix_sequences"]
    for name, features in (("hmm", "matrix_sequences"), ("edcm", "matrix_words")):
        least = matrix.spec["features"][features]["min_documents"]
        assert methods[name]["views"] == {"matrix": {"min_documents": least}}
    assert {str(each["views"]) for each in experiments["multi_matrix_as_it_is"]["methods"].values()} == {
        "{'matrix': {}}"
    }


def test_a_method_of_the_matrix_has_the_time_that_the_configuration_gives():
    settings = load_yaml_strict(ROOT / "config/config.yaml")
    fit = SimpleNamespace(paper="matrix_few", experiment="single_matrix_words", dataset="r52_wheel", method="edcm")
    for configured, expected in ((None, 0), (90, 90)):
        jobs = Jobs(make_plan({**settings, "matrix_seconds": configured}, [], ROOT))
        assert (jobs.started(fit), jobs.budget(fit)) == (0, expected)


def test_matrix_of_unknown_data_is_refused():
    with pytest.raises(ConfigError, match="configuration: matrix: no data set 'nowhere'; allowed: newsgroups_wheel, "):
        load_matrix(ROOT, ["nowhere"], REGISTRY, METHODS)


def test_default_run_makes_neither_own_nor_matrix():
    plan = make_plan(load_yaml_strict(ROOT / "config/config.yaml"), [], ROOT)
    assert set(plan.studies) - set(plan.papers) == {"matrix", "matrix_few"}
    assert {run.paper for run in plan.runs("matrix")} == {"matrix"}
    assert {run.dataset for run in plan.runs("matrix")} == set(plan.settings["matrix"])


def test_a_size_repeats_the_matrix_with_another_split_and_an_unknown_one_is_refused():
    methods, registry = load_methods(), load_registry(ROOT / "config/datasets.yaml")
    matrix = load_matrix(ROOT, ["r52_wheel", "yeast_wheel"], registry, methods, sizes=["few"])
    few = matrix.sizes["matrix_few"]["experiments"]
    assert {key: experiment["methods"] for key, experiment in few.items()} == {
        key: experiment["methods"] for key, experiment in matrix.spec["experiments"].items()
    }
    assert {name: split for experiment in few.values() for name, split in experiment["roles"].items()} == {
        "r52_wheel": "matrix_few",
        "yeast_wheel": "matrix_few",
    }
    with pytest.raises(ConfigError, match="configuration: matrix_sizes: no size 'lot'; allowed: few, whole"):
        load_matrix(ROOT, ["r52_wheel"], registry, methods, sizes=["lot"])
