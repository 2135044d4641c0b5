"""One run's request: settings, own data and a model are read from files and command line, and nothing is changed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from reproduction.plan.own import OWN
from reproduction.plan.plan import Run, make_plan
from reproduction.plan.request import Model, Request, read_request
from reproduction.plan.targets import Targets
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError
from textmix.experiment.methods import load_methods

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "config/config.yaml"
METHODS = load_methods()
TABLE = {"files": {"data": "a.csv"}, "columns": {"text": "text", "label": "label"}}


def configuration(**changes: Any) -> dict[str, Any]:
    """Return the real configuration with keys of the command line."""
    return {**copy.deepcopy(load_yaml_strict(MAIN)), **changes}


def describe(folder: Path, **keys: Any) -> Path:
    """Write a my.yaml and return its path."""
    path = folder / "my.yaml"
    path.write_text(yaml.safe_dump({**TABLE, **keys}), encoding="utf-8")
    return path


def request_of(config: dict[str, Any], *files: Path) -> Request:
    """Return the request of a configuration, after a check that reading it changes nothing."""
    before = copy.deepcopy(config)
    found = read_request(config, [MAIN, *files], ROOT / "workflow/schemas", METHODS)
    assert config == before
    return found


def test_run_without_own_data_and_without_a_model_has_neither():
    found = request_of(configuration())
    assert (found.own, found.model) == (None, None)
    assert found.settings == configuration()
    for target in (Targets(make_plan(configuration(), [MAIN], ROOT)).own, Targets(PLAN).model):
        with pytest.raises(ConfigError, match="--config data="):
            target()


PLAN = make_plan(configuration(), [MAIN], ROOT)


@pytest.mark.parametrize("key", ["strict"])
def test_text_on_the_command_line_is_a_truth_value(key):
    assert request_of(configuration(**{key: "true"})).settings[key] is True
    assert request_of(configuration(**{key: "False"})).settings[key] is False
    with pytest.raises(ConfigError, match=f"{key}: 'perhaps' has the wrong type"):
        request_of(configuration(**{key: "perhaps"}))


def test_text_on_the_command_line_names_the_data(tmp_path):
    found = request_of(configuration(data=str(describe(tmp_path)), strict="true"))
    assert found.own is not None and found.own.name == "my"
    assert found.settings["strict"] is True
    assert found.settings["roles"] == configuration()["roles"]


def test_description_as_a_configuration_file_leaves_no_key_in_the_settings(tmp_path):
    path = describe(tmp_path, title="Mine", methods=["edcm"])
    config = configuration(**load_yaml_strict(path))
    found = request_of(config, path)
    assert found.own is not None and found.own.raw["title"] == "Mine"
    assert found.settings == configuration()
    plan = make_plan(config, [MAIN, path], ROOT)
    assert list(plan.runs(OWN)) == [Run(OWN, "methods", "my", "edcm")]


def test_two_descriptions_are_refused(tmp_path):
    path = describe(tmp_path)
    with pytest.raises(ConfigError, match=r"my\.yaml and other\.yaml both describe data of your own; name one"):
        request_of(configuration(data="other.yaml", **load_yaml_strict(path)), path)


def test_model_is_a_data_set_and_a_method():
    found = request_of(configuration(data="bbc_wheel", method="edcm", params={"smoothing": "0.5"}))
    assert found.model == Model("bbc_wheel", "edcm", "model_words", {"smoothing": 0.5}, None)
    assert found.own is None


def test_values_inside_of_mappings_get_their_types():
    grid = {"C": ["0.01", "1"], "penalty": ["l2"], "warm_start": ["true", "null"]}
    found = request_of(configuration(data="bbc_wheel", method="logistic_regression", grid=grid, features="rainbow"))
    assert found.model is not None and found.model.features == "rainbow" and found.model.search is not None
    assert found.model.search["grid"] == {"C": [0.01, 1], "penalty": ["l2"], "warm_start": [True, None]}
    assert found.model.search["metric"] == "accuracy"
    multi = request_of(configuration(data="yeast_wheel", method="binary_relevance", grid={"variance": ["1"]})).model
    assert multi is not None and multi.search is not None and multi.search["metric"] == "subset_accuracy"


def test_model_of_own_data_counts_words_as_their_description_says(tmp_path):
    path = describe(tmp_path)
    by_name = request_of(configuration(data=str(path), method="edcm"))
    by_file = request_of(configuration(method="edcm", **load_yaml_strict(path)), path)
    for found in (by_name, by_file):
        assert found.own is not None
        assert found.model == Model("my", "edcm", OWN, {}, None)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"method": "edcm"}, "needs one data set and one method"),
        ({"data": ["a"], "method": "edcm"}, r"data: \['a'\] has the wrong type; give a value of type string"),
        ({"data": "bbc_wheel", "method": "nope"}, "method=nope: there is none; allowed: .*edcm"),
        ({"data": "bbc_wheel", "method": "edcm", "params": "x"}, "params: 'x' has the wrong type; .* object"),
        ({"data": "bbc", "method": "edcm"}, "data=bbc: there is none; allowed: .*bbc_wheel"),
        ({"data": "bbc_wheel", "method": "edcm", "features": "rain"}, "features=rain: there is none; .*rainbow"),
        ({"data": "bbc_wheel"}, r"data=bbc_wheel: is no \.yaml file; write one like config/own\.example"),
    ],
)
def test_wrong_request_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make_plan(configuration(**keys), [MAIN], ROOT)
