"""The plan contains the configured jobs; an invalid configuration is rejected in one sentence."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from reproduction.flow.availability import available_roles, packages_alone
from reproduction.flow.locators import MeasureLocator, ScoreLocator, TimeLocator, locators_behind
from reproduction.flow.plan import Fit, Plan, check_writable, make_plan
from reproduction.flow.rule_inputs import RuleInputs
from reproduction.flow.rule_params import RuleParams
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError
from textmix.core.io import read_csv
from textmix.data.registry import load_registry
from textmix.experiment.methods import INPUTS, TASKS, Method

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = load_yaml_strict(ROOT / "config/config.yaml")
REGISTRY = load_registry(ROOT / "config/datasets.yaml")
PAPERS = ["pmm", "edcm", "multinomial", "skipgrams", "cbm", "naive_bayes", "thesis"]
NAIVE_BAYES, EDCM = "naive_bayes/paper.yaml", "edcm/paper.yaml"


#: The shipped configuration if only the package index is available.
REAL = SHIPPED | {"roles": available_roles(SHIPPED["roles"], packages_alone(REGISTRY))}


@pytest.fixture
def root(tmp_path) -> Path:
    """Copy the real configuration and its schemas."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "workflow/schemas", tmp_path / "workflow/schemas")
    return tmp_path


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(REAL, ROOT)


def configuration(**changes: Any) -> dict[str, Any]:
    """Return the shipped configuration with changes; ``newsgroups="x"`` maps a role to another data set."""
    config = copy.deepcopy(REAL) | {"papers": list(PAPERS)}
    for key, value in changes.items():
        if key in config["roles"]:
            config["roles"][key]["dataset"] = value
        else:
            config[key] = value
    return config


def full() -> dict[str, Any]:
    """Return the configuration of the full run, merged as Snakemake merges it."""
    settings = copy.deepcopy(SHIPPED)
    update_config(settings, load_yaml_strict(ROOT / "config/full.yaml"))
    return settings


SUBSTITUTE = {"dataset": "bbc_wheel", "comparable": "not", "note": ""}

# --- invalid configurations -------------------------------------------------------------------------------------------

WRONG_CONFIG: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "unknown paper": (
        lambda c: c["papers"].append("ppm"),
        r"papers\.7: unknown paper 'ppm'; did you mean 'pmm'\? allowed: pmm, edcm, .*",
    ),
    "paper twice": (lambda c: c["papers"].append("pmm"), r"papers: .* has non-unique elements; correct the value"),
    "no trials": (lambda c: c.update(max_trials=0), r"max_trials: 0 is less than the minimum of 1; correct the value"),
    "unknown key": (
        lambda c: c.update(max_trial=3),
        r"top level: unknown key 'max_trial'; did you mean 'max_trials'\? allowed: full, .*",
    ),
    "unknown data set": (
        lambda c: c["roles"]["newsgroups"].update(dataset="newsgroup_wheel"),
        r"roles\.newsgroups: unknown data set 'newsgroup_wheel'; did you mean 'newsgroups_wheel'\? allowed: .*",
    ),
    "command as data set": (
        lambda c: c["roles"]["newsgroups"].update(dataset="a;touch x;"),
        r"roles\.newsgroups\.dataset: 'a;touch x;' is not a valid name; it must match .*",
    ),
    "path as role": (
        lambda c: c["roles"].update({"../x": {"dataset": None, "comparable": "not"}}),
        r"roles: '\.\./x' is not a valid name; it must match .*",
    ),
    "unknown substitute": (
        lambda c: c["roles"]["newsgroups"].update(substitutes=[{**SUBSTITUTE, "dataset": "bbc_whel"}]),
        r"roles\.newsgroups: unknown data set 'bbc_whel'; did you mean 'bbc_wheel'\? allowed: .*",
    ),
    "one data set under two splits": (
        lambda c: c["roles"]["industry"].update(dataset="newsgroups_wheel"),
        r"roles\.industry: 'newsgroups_wheel' stands for two roles of edcm's table1, which splits them .*; map .*",
    ),
}


@pytest.mark.parametrize("case", WRONG_CONFIG)
def test_invalid_run_is_rejected_with_key_and_remedy(case):
    change, message = WRONG_CONFIG[case]
    config = configuration()
    change(config)
    with pytest.raises(ConfigError) as caught:
        make_plan(config, ROOT)
    assert re.fullmatch(f"configuration: {message}", str(caught.value))


def test_missing_role_is_named():
    config = configuration()
    del config["roles"]["r52"]
    with pytest.raises(ConfigError, match=r"papers/\w+/paper\.yaml: roles: unknown role 'r52'; allowed: newsgroups,"):
        make_plan(config, ROOT)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("papers/edcm/paper.yaml", "title: [\n", r"edcm/paper\.yaml, line \d: is not valid YAML"),
        ("papers/edcm/paper.yaml", None, r"edcm/paper\.yaml: cannot be read .*; name an existing file"),
        (
            "datasets.yaml",
            "tiny: {termz: none}\n",
            r"datasets\.yaml, line 1: .*'termz'; did you mean 'terms'\? allowed: ",
        ),
    ],
)
def test_invalid_file_is_named(root, name, content, message):
    path = root / "config" / name
    path.unlink()
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        make_plan(REAL, root)


def test_folder_that_is_not_writable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_writable(tmp_path)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(ConfigError, match=f"{re.escape(str(tmp_path))} is not writable"):
        check_writable(tmp_path)


def test_missing_code_of_a_paper_is_named_with_its_folder(root: Path) -> None:
    (root / "config/papers/edcm").rename(root / "config/papers/renamed")
    with pytest.raises(ConfigError, match=r"renamed/paper\.yaml: the folder .*papers/renamed .* is missing"):
        make_plan(SHIPPED, root)


@pytest.mark.parametrize("kind", ["features", "splits"])
def test_conflicting_names_of_two_papers_are_rejected(root, kind):
    shared = {
        "features": {"tokenizer": "letters", "min_count": 9},
        "splits": {"kind": "random", "train": 9, "trials": 9},
    }
    key = {"features": "rainbow", "splits": "random_80_20"}[kind]
    path = root / "config/papers" / NAIVE_BAYES
    paper = load_yaml_strict(path)
    paper[kind][key] = shared[kind]
    path.write_text(yaml.safe_dump(paper), encoding="utf-8")
    with pytest.raises(
        ConfigError, match=rf"naive_bayes/paper\.yaml: {kind}\.{key} differs from another paper's; rename"
    ):
        make_plan(REAL, root)
    paper[kind][key] = load_yaml_strict(root / "config/papers" / EDCM)[kind][key]
    path.write_text(yaml.safe_dump(paper), encoding="utf-8")
    assert make_plan(REAL, root).papers["naive_bayes"][kind][key]


# --- shipped configuration --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [REAL, SHIPPED, full()], ids=["packages alone", "config.yaml", "full.yaml"])
def test_shipped_configuration_is_valid(config):
    plan = make_plan(config, ROOT)
    assert plan.chosen() == list(plan.papers) == PAPERS
    for paper in PAPERS:
        for run in plan.fits(paper):
            features, split = plan.fit_inputs(run)
            assert features in plan.features and split in plan.splits
            assert plan.fit_entry(run)["use"] in plan.methods
            assert run.dataset in plan.datasets(paper)
            assert (run.dataset, features) in plan.feature_sets(paper)


def test_methods_that_differ_only_in_their_prediction_share_a_fit() -> None:
    plan = make_plan(SHIPPED, ROOT)
    inputs, params = RuleInputs(plan), RuleParams(plan)
    leading = {"cc_lr": "cc_lr", "pcc_lr": "cc_lr", "ecc_label_lr": "ecc_label_lr", "ecc_subset_lr": "ecc_label_lr"}
    for method, leader in leading.items():
        fit = Fit("cbm", "table_nus_wide", "nus_wide", method)
        settings = params.fit(SimpleNamespace(**vars(fit)))
        assert next(iter(settings["entries"])) == leader
        assert settings["shared"] == (method != leader)
        expected = [replace(fit, method=leader)] if method != leader else []
        assert inputs.shared_fits(SimpleNamespace(**vars(fit))) == expected
    for method in ("binrel_lr", "powset_lr", "cdn_lr", "cbm_lr", "cbm_gb"):
        assert list(plan.entries_of_fit(Fit("cbm", "table_nus_wide", "nus_wide", method))) == [method]
    tuned = Fit("cbm", "later", "scene", "cc")
    assert plan.entries_of_fit(tuned) == {"cc": plan.fit_entry(tuned)}


def test_full_run_skips_no_job():
    assert [role for role, entry in SHIPPED["roles"].items() if entry["dataset"] is None] == []
    plan = make_plan(full(), ROOT)
    assert not any(plan.skipped_results(paper) for paper in plan.papers)


def test_only_the_full_run_computes_expensive_results() -> None:
    plan, default = make_plan(full(), ROOT), make_plan(SHIPPED, ROOT)
    assert "measures/stopping" in default.skipped_results("cbm")
    for paper in PAPERS:
        left = default.skipped_results(paper)
        assert all(why.startswith("left to the full run") for why in left.values())
        missing = {f"experiments/{fit.experiment}" for fit in {*plan.fits(paper)} - {*default.fits(paper)}}
        missing |= {f"measures/{name}" for name in {*plan.measures(paper)} - {*default.measures(paper)}}
        assert missing == {*left}


def test_the_note_of_a_counted_row_says_whether_it_rests_on_an_expensive_experiment() -> None:
    plan = make_plan(SHIPPED, ROOT)
    for paper in plan.papers:
        rows = [row for row in read_csv(plan.folders[paper] / "published.csv") if row["kind"] in ("number", "claim")]
        sources = {row["id"]: row["source"] for row in rows if row["source"]}
        skipped = {*plan.skipped_results(paper)}
        locators = locators_behind(plan.folders[paper], sources, paper)
        for row in rows:
            behind = locators.get(row["id"], ())
            entries = {
                f"experiments/{one.experiment}" for one in behind if isinstance(one, (ScoreLocator, TimeLocator))
            }
            entries |= {f"measures/{one.measure}" for one in behind if isinstance(one, MeasureLocator)}
            assert bool(entries & skipped) == ("expensive: run by make full" in row["note"]), row["id"]


def test_measure_of_an_expensive_experiment_must_be_expensive(root: Path) -> None:
    path = root / "config/papers/cbm/paper.yaml"
    paper = load_yaml_strict(path)
    paper["experiments"]["table_rcv1"]["expensive"] = True
    path.write_text(yaml.safe_dump(paper, sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"measures\.\w+: reads table_rcv1, which is expensive; mark both"):
        make_plan(SHIPPED, root)


def test_substitutes_require_that_a_single_role_uses_the_data_set() -> None:
    plan = make_plan(SHIPPED, ROOT)
    assert plan.substitutes("newsgroups_18828") == ["newsgroups_wheel"]
    assert plan.substitutes("imdb") == []  # two roles read it


def test_fits_combine_data_sets_and_methods_of_an_experiment(plan):
    methods = list(plan.papers["edcm"]["experiments"]["table1"]["methods"])
    runs = [run for run in plan.fits("edcm") if run.experiment == "table1"]
    assert runs == [Fit("edcm", "table1", "newsgroups_wheel", method) for method in methods]
    both = make_plan(full(), ROOT)
    splits = {run.dataset: both.fit_inputs(run)[1] for run in both.fits("edcm") if run.experiment == "table1"}
    assert splits == {"newsgroups_18828": "random_80_20", "industry_sector_pages": "random_50_50"}


def test_role_without_a_data_set_has_no_runs():
    plan = make_plan(configuration(**dict.fromkeys(REAL["roles"])), ROOT)
    assert [run for paper in PAPERS for run in plan.fits(paper)] == []
    assert plan.datasets("naive_bayes") == [] and plan.feature_sets("edcm") == []


def test_selected_papers_are_sorted():
    assert make_plan(configuration(papers=["naive_bayes", "pmm"]), ROOT).chosen() == ["pmm", "naive_bayes"]


def test_measures_run_if_their_data_are_available(root):
    path = root / "config/papers" / EDCM
    paper = load_yaml_strict(path)
    measured = {"function": "held_out_perplexity.perplexity", "features": "rainbow"}
    paper["measures"] = {
        "both": {**measured, "roles": {"newsgroups": "random_80_20", "industry": "random_50_50"}},
        "missing": {**measured, "roles": {"industry": "random_50_50"}},
        "theory": {**measured, "roles": {}},
    }
    path.write_text(yaml.safe_dump(paper), encoding="utf-8")
    path.with_name("choices.yaml").unlink()
    plan = make_plan(REAL, root)
    assert plan.measures("edcm") == ["both", "theory"]
    assert plan.measure_data("edcm", "both") == {"newsgroups": ("newsgroups_wheel", "rainbow", "random_80_20", None)}
    assert ("newsgroups_wheel", "rainbow") in plan.feature_sets("edcm")


# --- code -------------------------------------------------------------------------------------------------------------


def test_fit_depends_only_on_the_keys_that_it_reads(root):
    fit = SimpleNamespace(paper="edcm", experiment="table1", dataset="newsgroups_wheel", method="edcm")
    before = RuleParams(make_plan(REAL, root)).fit(fit)
    path = root / "config/methods.yaml"
    edited = load_yaml_strict(path)
    edited["edcm"] |= {"family": "another", "paper": "pmm", "limits": {"documents": 7}}
    path.write_text(yaml.safe_dump(edited, sort_keys=False), encoding="utf-8")
    assert RuleParams(make_plan(REAL, root)).fit(fit) == before
    for change in ({"estimator": "textmix.models.dirichlet.dcm:DCMClassifier"}, {"seen_only": True}):
        edited["edcm"] |= change
        path.write_text(yaml.safe_dump(edited, sort_keys=False), encoding="utf-8")
        assert RuleParams(make_plan(REAL, root)).fit(fit) != before


def test_key_expensive_is_not_a_setting_of_a_job(root: Path) -> None:
    measure = SimpleNamespace(paper="cbm", measure="stopping")
    before = RuleParams(make_plan(SHIPPED, root)).measure(measure)
    path = root / "config/papers/cbm/paper.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("    expensive: true\n", ""), encoding="utf-8")
    assert RuleParams(make_plan(SHIPPED, root)).measure(measure) == before


def test_unavailable_data_set_has_substitutes() -> None:
    plan = make_plan(full(), ROOT)
    inputs = RuleInputs(plan)
    params = RuleParams(plan)
    whole = SimpleNamespace(dataset="tmc2007")
    scene = SimpleNamespace(dataset="scene")
    assert inputs.dataset_and_substitutes(whole) == ["tmc2007", "tmc2007_500"]
    assert list(params.parse(whole)["substitutes"]) == ["tmc2007_500"]
    assert "textmix.data.readers.arff" in params.reader_modules(whole)
    assert {"tmc2007", "tmc2007_500"} <= {*params.page(SimpleNamespace(items=dict().items))["titles"]}
    assert inputs.dataset_and_substitutes(scene) == ["scene"]
    assert params.parse(scene)["substitutes"] == {}


def test_schemas_allow_the_choices_of_the_code() -> None:
    methods = load_yaml_strict(ROOT / "workflow/schemas/methods.schema.yaml")["additionalProperties"]["properties"]
    known = {"task": TASKS, "input": INPUTS}
    assert {key: tuple(methods[key]["enum"]) for key in known} == {key: tuple(names) for key, names in known.items()}
    assert {*methods} == {field.name for field in fields(Method)} - {"name"}
