"""A my.yaml becomes a study, or is refused in one sentence with file, key and remedy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

from reproduction.plan.contest_jobs import FIRST, OwnJobs
from reproduction.plan.jobs import Jobs
from reproduction.plan.own import OWN, Own, load_own
from reproduction.plan.plan import Run, make_plan
from reproduction.plan.schedule import Needs
from reproduction.plan.stages import FIT
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.own import read_own
from textmix.experiment.entries import compared
from textmix.experiment.methods import load_methods
from textmix.metrics.table import main_metric

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "workflow/schemas"
MAIN = ROOT / "config/config.yaml"
METHODS = load_methods()
TABLE = {"files": {"data": "a.csv"}, "columns": {"text": "text", "label": "label"}}


def describe(folder: Path, file: str = "my.yaml", **keys: Any) -> Own:
    """Write a my.yaml and load it."""
    path = folder / file
    path.write_text(yaml.safe_dump({**TABLE, **keys}), encoding="utf-8")
    return load_own(str(path), SCHEMAS)


def experiment(own: Own) -> dict[str, Any]:
    return own.spec(METHODS)["experiments"]["methods"]


@pytest.mark.parametrize(("budget", "seconds"), [("10min", 600), ("10 min", 600), ("1.5 h", 5400), (90, 90)])
def test_a_budget_is_read_as_people_write_it(tmp_path, budget, seconds):
    assert describe(tmp_path, budget=budget).seconds == seconds


def test_a_wrong_budget_is_a_sentence_and_no_pattern(tmp_path):
    with pytest.raises(ConfigError, match=r"my.yaml: budget: '10 minuts' is no time; write a number and s, min or h"):
        describe(tmp_path, budget="10 minuts")


def test_example_is_right():
    own = load_own(str(ROOT / "config/own.example.yaml"), SCHEMAS)
    assert (own.name, own.format, own.task) == ("my_reviews", "csv", "multi")
    validate(own.spec(METHODS)["features"][OWN], SCHEMAS / "features.schema.yaml", "example")


def test_name_is_by_default_that_of_the_file(tmp_path):
    assert describe(tmp_path, "My Texts-2.yaml").name == "my_texts_2"
    assert describe(tmp_path, "日本.yaml").name == "own"


@pytest.mark.parametrize(
    ("keys", "form", "task"),
    [
        ({}, "csv", "single"),
        ({"files": {"data": "a.tsv.gz"}}, "tab", "single"),
        ({"separator": ";"}, "csv", "multi"),
        ({"files": {"data": "a.jsonl"}, "labels": "several"}, "jsonl", "multi"),
        ({"files": {"data": "a.txt"}, "format": "tab"}, "tab", "single"),
        ({"files": {"train": "a.arff", "test": "b.arff", "labels": "c.xml"}, "columns": None}, "arff", "multi"),
        ({"files": {"data": "a.libsvm"}, "columns": None}, "libsvm", "multi"),
        ({"files": {"data": "."}, "columns": None}, "folder", "single"),
    ],
)
def test_format_and_task_are_told_by_the_files(tmp_path, keys, form, task):
    raw = {key: value for key, value in {**TABLE, **keys}.items() if value is not None}
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    own = load_own(str(tmp_path / "my.yaml"), SCHEMAS)
    assert (own.format, own.task) == (form, task)


def test_paths_are_relative_to_the_description(tmp_path):
    assert describe(tmp_path).files == {"data": str(tmp_path / "a.csv")}


def test_all_methods_that_apply_are_tuned_over_the_registrys_grids(tmp_path):
    entries = experiment(describe(tmp_path))["methods"]
    assert set(entries) == {name for name, method in METHODS.items() if method.task == "single"}
    assert entries["multinomial"]["tune"] == {
        "grid": METHODS["multinomial"].grid,
        "metric": "accuracy",
    }


def test_asked_methods_and_changes_are_kept(tmp_path):
    methods = {
        "edcm": {"tune": None, "params": {"smoothing": 0.1}},
        "often": {"use": "multinomial", "tune": {"folds": 5}},
    }
    entries = experiment(describe(tmp_path, methods=methods))["methods"]
    words = {"views": {"words": {}}, "weightings": ["counts"], "features": [OWN]}
    assert entries["edcm"] == {"use": "edcm", "params": {"smoothing": 0.1}, "compared": True, **words}
    assert entries["often"]["tune"]["folds"] == 5
    assert list(experiment(describe(tmp_path, methods=["edcm"]))["methods"]) == ["edcm"]


@pytest.mark.parametrize(
    ("keys", "split"),
    [
        ({}, {"kind": "random", "train": 0.8, "trials": 5, "enough": 2000, "stratified": True}),
        ({"files": {"train": "a.csv", "test": "b.csv"}}, {"kind": "given"}),
        ({"columns": {"text": "t", "label": "l", "split": "s"}}, {"kind": "given"}),
        ({"split": {"kind": "folds", "folds": 3}}, {"kind": "folds", "folds": 3}),
    ],
)
def test_split_is_the_given_one_where_there_is_one(tmp_path, keys, split):
    assert describe(tmp_path, **keys).spec(METHODS)["splits"][OWN] == split


WRONG = {
    "unknown key": ({"filse": 1}, r"the file: unknown key 'filse'; did you mean 'files'\? allowed: .*"),
    "path as a name": ({"name": "../x"}, r"name: '\.\./x' is not a valid name; .*"),
    "no training file": ({"files": {"test": "a.csv"}}, r"files: has test; give either data, or train and test"),
    "data and train": ({"files": {"data": "a.csv", "train": "b.csv"}}, r"files: has data, train; give either .*"),
    "unknown ending": ({"files": {"data": "a.doc"}}, r"format: 'a\.doc' does not tell it; add format: csv, or .*"),
    "columns of a matrix": ({"files": {"data": "a.libsvm"}}, r"columns: format libsvm has none; take it out"),
    "one label and a separator": ({"labels": "one", "separator": ";"}, r"separator: one label needs none; take it out"),
    "two splits": (
        {"files": {"train": "a.csv", "test": "b.csv"}, "columns": {"text": "t", "label": "l", "split": "s"}},
        r"columns: split: train and test files are a split already",
    ),
    "names and numbers": ({"columns": {"text": 1, "label": "l"}}, r"columns: all by name, or all by number"),
    "numbers in JSON": (
        {"files": {"data": "a.jsonl"}, "columns": {"text": 1, "label": 2}},
        r"columns: JSON has names only",
    ),
    "unknown tokenizer": (
        {"features": {"tokenizer": "unicod"}},
        r"features\.tokenizer: .* mean 'unicode'\? .*",
    ),
    "folds without a number": ({"split": {"kind": "folds"}}, r"split: 'folds' is a required property; add it"),
    "empty grid": ({"methods": {"edcm": {"tune": {"grid": {}}}}}, r"methods\.edcm\.tune\.grid: .*"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_description_is_refused_with_file_and_key(tmp_path, case):
    keys, said = WRONG[case]
    with pytest.raises(ConfigError, match=rf"my\.yaml: {said}$"):
        describe(tmp_path, **keys)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"methods": ["edmc"]}, r"methods\.edmc: no method 'edmc'; did you mean 'edcm'\? allowed: multinomial, .*"),
        ({"methods": ["cbm"]}, r"methods\.cbm: 'cbm' is not for one label a text; allowed: multinomial, .*"),
        ({"methods": {"a/b": {"use": "edcm"}}}, r"methods\.a/b: 'a/b' is not a valid name; .*"),
        ({"metrics": ["jaccard"]}, r"metrics: 'jaccard' is not allowed; .*allowed: accuracy, .*"),
    ],
)
def test_what_does_not_suit_the_registries_is_refused(tmp_path, keys, said):
    with pytest.raises(ConfigError, match=rf"my\.yaml: {said}"):
        describe(tmp_path, **keys).spec(METHODS)


def test_name_of_a_data_set_of_the_registry_is_made_another_one(tmp_path):
    assert describe(tmp_path, "scene.yaml").apart_from(("imdb",)).name == "scene"
    assert describe(tmp_path, "scene.yaml").apart_from(("scene",)).name == "scene_own"
    assert describe(tmp_path, "scene.yaml").apart_from(("scene", "scene_own")).name == "scene_own_own"
    own = describe(tmp_path, "scene.yaml", methods=["edcm"])
    plan = make_plan({**load_yaml_strict(MAIN), "data": own.source}, [MAIN], ROOT)
    assert list(plan.runs(OWN)) == [Run(OWN, "methods", "scene_own", "edcm")]


def test_methods_with_several_kinds_of_features_come_first_and_share_the_time(tmp_path):
    own = describe(tmp_path, methods=["multinomial", "complement", "edcm", "nbsvm", "logistic_regression", "dcm"])
    jobs = OwnJobs(make_plan({**load_yaml_strict(MAIN), "data": own.source}, [MAIN], ROOT))
    ask = Needs(jobs.plan).priority(FIT)
    order = {run.method: ask(SimpleNamespace(**vars(run), items=vars(run).items)) for run in jobs.runs(None)}
    assert order == {"multinomial": 3, "complement": 3, "nbsvm": 2, "logistic_regression": 2, "edcm": 1, "dcm": 0}
    timing = Jobs(jobs.plan)
    timed = {run.method: (timing.started(run) > 0, timing.cheap(run)) for run in jobs.runs(None)}
    assert timed == {"multinomial": (True, 1), "complement": (False, 1)} | dict.fromkeys(
        ("edcm", "nbsvm", "logistic_regression", "dcm"), (True, 0)
    )


def test_table_needs_columns(tmp_path):
    (tmp_path / "my.yaml").write_text("files: {data: a.csv}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"my\.yaml: columns: text is missing; name the columns of the text"):
        load_own(str(tmp_path / "my.yaml"), SCHEMAS)


def test_table_itself_in_place_of_its_description_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"data=texts\.csv: is no \.yaml file; write one like config/own\.example"):
        load_own("texts.csv", SCHEMAS)


def test_own_data_are_a_study_beside_the_papers(tmp_path):
    own = describe(tmp_path, methods=["edcm"])
    plan = make_plan({**load_yaml_strict(MAIN), "data": own.source}, [MAIN], ROOT)
    assert list(plan.runs(OWN)) == [Run(OWN, "methods", "my", "edcm")]
    assert plan.run_inputs(next(plan.runs(OWN))) == (OWN, OWN)
    assert plan.features[OWN] == {"tokenizer": "scripts"}
    assert plan.features["own_bigrams"]["max_n"] == 2
    assert OWN not in plan.papers


@pytest.mark.parametrize(
    ("methods", "pages", "low"),
    [
        (["majority", "edcm", "multinomial"], ["first/index.html", "index.html"], ["majority", "multinomial"]),
        (["majority", "multinomial"], ["index.html"], ["majority", "multinomial"]),
        (["edcm"], ["index.html"], []),
    ],
)
def test_a_first_page_has_the_methods_of_low_cost(tmp_path, methods, pages, low):
    describe(tmp_path, methods=methods)
    config = {**load_yaml_strict(MAIN), "data": str(tmp_path / "my.yaml")}
    jobs = OwnJobs(make_plan(config, [MAIN], ROOT))
    assert jobs.pages() == [f"results/own/my/{page}" for page in pages]
    first = SimpleNamespace(part=FIRST)
    assert [run.method for run in jobs.runs(first)] == low == list(jobs.entries(first))
    assert jobs.further(first) == len(methods) - len(low)
    assert jobs.results(SimpleNamespace(part=""))["scores"] == [
        f"results/scores/own/methods/my/{name}.csv" for name in methods
    ]


def test_comparison_of_an_untuned_method_has_no_search():
    assert "tune" not in compared(METHODS["linear_path"], {"tune": None})
    assert main_metric("multi") == compared(METHODS["cbm"], {"tune": {"grid": {"variance": [1]}}})["tune"]["metric"]


# --- other formats ----------------------------------------------------------------------------------------------------


def test_folder_of_folders_is_read_and_hidden_files_are_not(tmp_path):
    for name in ("news/1.txt", "news/2.txt", "日本/a", "news/.DS_Store", ".git/x"):
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_bytes(b"\0" if name.endswith("Store") else f"text of {name}".encode())
    shutil.rmtree(tmp_path / "texts/.git")
    (tmp_path / "my.yaml").write_text("files: {data: texts}\n", encoding="utf-8")
    own = load_own(str(tmp_path / "my.yaml"), SCHEMAS)
    corpus = read_own(own.reading)
    assert list(corpus.ids) == ["news/1", "news/2", "日本/a"]
    before = own.state()
    (tmp_path / "texts/news/3.txt").write_text("more", encoding="utf-8")
    assert own.state() != before


def test_libsvm_sizes_are_those_of_the_file(tmp_path):
    (tmp_path / "a.libsvm").write_text("1,3 1:2 5:1\n2 2:1\n1:1 7:3\n", encoding="utf-8")
    (tmp_path / "my.yaml").write_text("files: {data: a.libsvm}\n", encoding="utf-8")
    corpus = read_own(load_own(str(tmp_path / "my.yaml"), SCHEMAS).reading)
    assert corpus.features.shape == (3, 7)
    assert corpus.label_names == ["Class1", "Class2", "Class3"]
    assert corpus.label_counts.tolist() == [2, 1, 0]


def test_wrong_libsvm_line_is_named(tmp_path):
    (tmp_path / "a.libsvm").write_text("1 1:2\nx 1:1\n", encoding="utf-8")
    (tmp_path / "my.yaml").write_text("files: {data: a.libsvm}\n", encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"a\.libsvm, line 2: is not 'label,label index:value \.\.\.'"):
        read_own(load_own(str(tmp_path / "my.yaml"), SCHEMAS).reading)


def test_arff_is_read_with_its_last_columns_as_labels(tmp_path):
    head = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute x {0,1}\n@attribute y {0,1}\n@data\n"
    (tmp_path / "a.arff").write_text(f"{head}1,0.5,1,0\n0,2,1,1\n", encoding="utf-8")
    (tmp_path / "my.yaml").write_text("files: {data: a.arff}\nn_labels: 2\n", encoding="utf-8")
    corpus = read_own(load_own(str(tmp_path / "my.yaml"), SCHEMAS).reading)
    assert corpus.label_names == ["x", "y"]
    np.testing.assert_array_equal(corpus.features.toarray(), [[1, 0.5], [0, 2]])


def test_the_label_file_of_mulan_is_found_beside_its_data(tmp_path):
    (tmp_path / "scene.xml").write_text("<labels/>", encoding="utf-8")
    for files in ({"data": "scene.arff"}, {"train": "scene-train.arff.gz", "test": "scene-test.arff.gz"}):
        (tmp_path / "my.yaml").write_text(yaml.safe_dump({"files": files}), encoding="utf-8")
        assert load_own(str(tmp_path / "my.yaml"), SCHEMAS).files["labels"] == str(tmp_path / "scene.xml")
    (tmp_path / "my.yaml").write_text("files: {data: other.arff}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"files: give labels \(MULAN's XML file\), or n_labels, or columns"):
        load_own(str(tmp_path / "my.yaml"), SCHEMAS)


def test_a_nominal_attribute_of_arff_is_one_label_a_document(tmp_path):
    (tmp_path / "a.arff").write_text(
        "@relation r\n@attribute a numeric\n@attribute kind {spam,'no spam'}\n@data\n1,spam\n2,'no spam'",
        encoding="utf-8",
    )
    (tmp_path / "my.yaml").write_text("files: {data: a.arff}\ncolumns: {label: kind}\n", encoding="utf-8")
    own = load_own(str(tmp_path / "my.yaml"), SCHEMAS)
    assert own.task == "single"
    assert read_own(own.reading).classes().tolist() == [0, 1]


def test_the_folder_of_aclimdb_without_labels_is_no_class(tmp_path):
    for name in ("train/pos/1.txt", "train/neg/2.txt", "train/unsup/3.txt", "test/pos/4.txt", "test/neg/5.txt"):
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / name).write_text("a text", encoding="utf-8")
    (tmp_path / "a/train/urls_pos.txt").write_text("x", encoding="utf-8")
    (tmp_path / "my.yaml").write_text("files: {data: a}\n", encoding="utf-8")
    corpus = read_own(load_own(str(tmp_path / "my.yaml"), SCHEMAS).reading)
    assert corpus.label_names == ["neg", "pos"]
    assert corpus.ids == ["train/neg/2", "train/pos/1", "test/neg/5", "test/pos/4"]


def test_file_where_a_folder_is_meant_is_refused(tmp_path):
    (tmp_path / "texts").write_text("x", encoding="utf-8")
    (tmp_path / "my.yaml").write_text("files: {data: texts}\nformat: folder\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"files\.data: .*texts is a file, which does not fit format: folder"):
        read_own(load_own(str(tmp_path / "my.yaml"), SCHEMAS).reading)


@pytest.mark.parametrize(
    ("line", "key"), [("0 2000000000:1", "features"), ("1000000000 1:1", "labels"), (f"0 {10**30}:1", "features")]
)
def test_libsvm_numbers_that_would_take_all_memory_name_the_key_that_raises_the_cap(tmp_path, line, key):
    (tmp_path / "a.libsvm").write_text(f"0 1:1\n{line}\n", encoding="utf-8")
    (tmp_path / "my.yaml").write_text("files: {data: a.libsvm}\n", encoding="utf-8")
    with pytest.raises(DataFormatError, match=rf"line 2: has number \d+ among its {key}.*limits: {{{key}: \d+}}"):
        read_own(load_own(str(tmp_path / "my.yaml"), SCHEMAS).reading)


def table_of(tmp_path, text: str, **more: object):
    """Read a csv of the user's own."""
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    raw = {"files": {"data": "a.csv"}, "columns": {"text": "text", "label": "label"}, **more}
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    return read_own(load_own(str(tmp_path / "my.yaml"), SCHEMAS).reading)


def test_a_longer_line_is_allowed_by_its_key(tmp_path):
    text = "text,label\n" + "".join(f"{'word ' * 20},{label}\n" for label in "abab")
    with pytest.raises(DataFormatError, match=r"limits: \{line"):
        table_of(tmp_path, text, limits={"line": 50})
    assert table_of(tmp_path, text, limits={"line": 500}).n_documents == 4


def test_a_table_cut_within_a_label_does_not_make_a_class(tmp_path):
    text = "text,label\na b,sports\nc d,arts\ne f,sports\ng h,arts\n"
    assert table_of(tmp_path, text).n_documents == 4
    assert table_of(tmp_path, text[:-1]).n_documents == 4, "whole, and the label is known"
    said = "line 5: the last line has no line end, and its label 'art' may be 'arts' cut"
    with pytest.raises(DataFormatError, match=said):
        table_of(tmp_path, text[:-2])


def test_a_file_whose_path_has_braces_is_known_by_its_content(tmp_path):
    folder = tmp_path / "my {data}"
    folder.mkdir()
    assert table_of(folder, "text,label\na b,x\nc d,y\n").n_documents == 2
    own = load_own(str(folder / "my.yaml"), SCHEMAS)
    before = own.state()
    assert own.inputs == [] and before
    (folder / "a.csv").write_text("text,label\na b,x\nc e,y\n")
    assert own.state() != before


def test_state_of_a_folder_is_its_content_not_its_times(tmp_path):
    (tmp_path / "texts/news").mkdir(parents=True)
    path = tmp_path / "texts/news/1.txt"
    path.write_text("one")
    (tmp_path / "my.yaml").write_text("files: {data: texts}\n", encoding="utf-8")
    own = load_own(str(tmp_path / "my.yaml"), SCHEMAS)
    before, stat = own.state(), path.stat()
    os.utime(path, ns=(0, 0))
    assert own.state() == before
    path.write_text("two")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - 10**12))
    assert own.state() != before
