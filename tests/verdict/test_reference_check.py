"""A name that does not exist ends the run while the workflow is parsed, with file, key and the nearest name."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.locators import STATISTICS
from reproduction.flow.papers import parameters_of
from reproduction.flow.plan import make_plan
from reproduction.verdict.reference_check import check_papers
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.methods import load_methods

ROOT = Path(__file__).resolve().parents[2]
CONFIG = load_yaml_strict(ROOT / "config/config.yaml")
ROW, PAPER = "edcm/published.csv", "edcm/paper.yaml"
#: Kind of the thing that is named -> file of a paper, text in it, the same with a fault, and the message.
FAULTS: dict[str, tuple[str, str, str, str]] = {
    "role of a paper": (
        *("naive_bayes/paper.yaml", "newsgroups_by_date, r52]", "newsgroups_by_date, r52, reuter]"),
        r"^config/papers/naive_bayes/paper\.yaml: roles: unknown role 'reuter'; did you mean 'reuters'\? allowed: ",
    ),
    "role of an experiment that the paper does not list": (
        *("naive_bayes/paper.yaml", "random_60_40, r52: given}", "random_60_40, r52: given, industry: given}"),
        r"paper\.yaml: experiments\.curve: unknown role 'industry'; allowed: newsgroups, ",
    ),
    "method": (
        *(PAPER, "dcm: {use: dcm}", "dcm: {use: dmc}"),
        r"paper\.yaml: experiments\.table1\.methods\.dcm: unknown method 'dmc'; did you mean '\w+'\? allowed: multi",
    ),
    "metric": (
        *(PAPER, "metrics: [accuracy, macro_f1]", "metrics: [acuracy]"),
        r"paper\.yaml: experiments\.table1\.metrics: 'acuracy' is not allowed; did you mean 'accuracy'\? allowed: ",
    ),
    "split without trials": (
        *(PAPER, "{kind: random, train: 0.8, trials: 10}", "{kind: random, train: 0.8}"),
        r"config/papers/edcm/paper\.yaml, line \d+: splits\.random_80_20: 'trials' is a required property; add it$",
    ),
    "setting of features": (
        *(PAPER, "    min_count: 2", "    mincount: 2"),
        r"paper\.yaml, line \d+: features\.rainbow: unknown key 'mincount'; did you mean 'min_count'\? allowed: ",
    ),
    "path as experiment": (
        *(PAPER, "\n  table1:\n", "\n  ../x:\n"),
        r"paper\.yaml, line \d+: experiments: '\.\./x' is not a valid name; it must match ",
    ),
    "value that no parameter has": (
        *(PAPER, "dcm: {use: dcm}", "dcm: {use: dcm, params: {smoothing: -1}}"),
        r"table1\.methods\.dcm\.params: The 'smoothing' parameter of DCMClassifier must .* Got -1 ",
    ),
    "value of a grid that no parameter has": (
        *(PAPER, "dcm: {use: dcm}", "dcm: {use: dcm, grid: {smoothing: [0.1, -1]}}"),
        r"table1\.methods\.dcm\.grid: The 'smoothing' parameter of DCMClassifier must .* Got -1 instead\.$",
    ),
    "experiment in a locator": (
        *(ROW, "score:table1/industry/edcm/accuracy", "score:tabel1/industry/edcm/accuracy"),
        r"published\.csv, line \d+, column source: unknown experiment 'tabel1'; did you mean 'table1'\?",
    ),
    "unit": (
        *("cbm/published.csv", ",percent,", ",per cent,"),
        r"published\.csv, line \d+, column unit: unknown unit 'per cent'; did you mean 'percent'\?",
    ),
    "role of a row": (
        *(ROW, ",number,industry,", ",number,indutry,"),
        r"published\.csv, line \d+, column dataset: unknown role 'indutry'; did you mean 'industry'\?",
    ),
    "role in a locator": (
        *(ROW, "score:table1/industry/edcm/accuracy", "score:table1/industri/edcm/accuracy"),
        r"column source: experiment table1: unknown role 'industri'; did you mean 'industry'\?",
    ),
    "method in a locator": (
        *(ROW, "score:table1/industry/edcm/accuracy", "score:table1/industry/ecdm/accuracy"),
        r"column source: experiment table1: unknown method 'ecdm'; did you mean 'edcm'\?",
    ),
    "metric in a locator": (
        *(ROW, "score:table1/industry/edcm/accuracy", "score:table1/industry/edcm/acuracy"),
        r"column source: experiment table1: unknown metric 'acuracy'; did you mean 'accuracy'\?",
    ),
    "check": (
        *(ROW, "check:fisher_gains", "check:no_fisher_gains"),
        r"published\.csv, line \d+, column source: unknown check 'no_\w+'; did you mean '",
    ),
    "artefact of a table": (
        *(PAPER, "artefact: edcm.t1", "artefact: edcm.tt1"),
        r"paper\.yaml: tables\.table1\.artefact: unknown artefact 'edcm\.tt1'; did you mean 'edcm\.t1'\?",
    ),
    "column of a table": (
        *(PAPER, "rows: dataset", "rows: datasets"),
        r"paper\.yaml, line \d+: tables\.\w+\.rows: 'datasets' is not allowed; did you mean 'dataset'\?",
    ),
    "figure": (
        *(PAPER, "\n  smoothing_sensitivity:\n", "\n  smoothing_sensitivty:\n"),
        r"paper\.yaml: figures: unknown figure 'smoothing_sensitivty'; did you mean 'smoothing_sensitivity'\?",
    ),
    "row of a figure": (
        *("cbm/paper.yaml", "scene: cbm.t.CBM.LR.SCENE", "scene: cbm.t.CMB.LR.SCENE"),
        r"paper\.yaml: figures\.\w+\.published\.scene: unknown published row 'cbm\.t\.CMB\.LR\.SCENE'; did you mean '",
    ),
    "claim of a figure": (
        *("thesis/paper.yaml", "published_rows: [th.longer]", "published_rows: [th.longest]"),
        r"paper\.yaml: figures\.longer\.published_rows: unknown published row 'th\.longest'",
    ),
    "parameter": (
        *(PAPER, "params: {smoothing: 0.01}", "params: {smooting: 0.01}"),
        r"paper\.yaml: experiments\.\w+\.methods\.\w+\.params: unknown parameter 'smooting'",
    ),
    "function of a measure": (
        *(PAPER, "function: burstiness.", "function: burstiness.x"),
        r"paper\.yaml: measures\.\w+\.function: unknown function 'x\w+'; did you mean '",
    ),
    "module of a measure": (
        *(PAPER, "function: burstiness.", "function: burstines."),
        r"paper\.yaml: measures\.\w+\.function: unknown module 'burstines'; did you mean 'burstiness'\?",
    ),
    "split": (
        *(PAPER, "newsgroups: random_80_20", "newsgroups: random_80_2"),
        r"paper\.yaml: \w+\.\w+: unknown split 'random_80_2'; did you mean 'random_80_20'\?",
    ),
    "parameter of a figure": (
        *(PAPER, "parameter: smoothing", "parameter: smooting"),
        r"paper\.yaml: figures\.\w+\.parameter: unknown parameter 'smooting'; did you mean 'smoothing'\?",
    ),
    "what shows a deviation": (
        *("edcm/choices.yaml", "evidence: [dcm_methods]", "evidence: [dcm_method]"),
        r"choices\.yaml: \w+\.explains\.evidence: unknown .* 'dcm_method'; did you mean 'dcm_methods'\?",
    ),
    "result in prose": (
        *("edcm/choices.yaml", "{edcm.eqapprox}", "{edcm.eqaprox}"),
        r"fisher_approximation\.effect: unknown published row 'edcm.eqaprox'; did you mean 'edcm.eqapprox'\?",
    ),
    "value of a check": (
        *("edcm/checks.yaml", "score:table1/newsgroups/edcm/accuracy", "score:table1/newsgroup/edcm/accuracy"),
        r"checks\.yaml: \w+\.left: score:\S+: experiment table1: unknown role 'newsgroup'; did you mean 'newsgroups'\?",
    ),
    "features": (
        *(PAPER, "features: rainbow", "features: rainbows"),
        r"paper\.yaml: \w+\.\w+: unknown features 'rainbows'; did you mean 'rainbow'\?",
    ),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "workflow/schemas", tmp_path / "workflow/schemas")
    return tmp_path


def parse(root: Path) -> None:
    """Do what the workflow does with the configuration while it is parsed."""
    plan = make_plan(CONFIG, root)
    check_papers(plan.papers, plan.folders, root)


def test_the_files_of_all_papers_name_what_there_is() -> None:
    parse(ROOT)


@pytest.mark.parametrize("kind", FAULTS)
def test_a_name_that_does_not_exist_is_refused_with_its_place_and_the_nearest_name(root: Path, kind: str) -> None:
    name, right, wrong, message = FAULTS[kind]
    path = root / "config/papers" / name
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        parse(root)


def test_a_test_that_does_not_exist_is_refused(root: Path) -> None:
    folder = root / "tests/models"
    folder.mkdir(parents=True)
    (folder / "test_dcm.py").write_text("def test_gradient() -> None: ...\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"published\.csv, line \d+, column source: unknown test (file )?'"):
        parse(root)


def test_the_statistics_are_those_of_a_corpus() -> None:
    labels, features = sparse.csr_array(np.eye(3, dtype=np.int8)), sparse.csr_array(np.ones((3, 2), np.int32))
    corpus = Corpus(
        "three", ("x", "y", "z"), ("a", "b", "c"), labels, features=features, split=np.array([0, 1, 2], np.int8)
    )
    assert set(corpus.statistics()) == set(STATISTICS)


def test_the_parameters_of_a_method_are_those_of_its_estimator() -> None:
    for method in load_methods().values():
        assert set(parameters_of(method.estimator)) == set(method.make({}).get_params()), method.name
