"""The target model: what the command line asks for, and the pipeline's estimator fitted to everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.test_persisted_model import METHODS, SPEC, corpus
from textmix.core.errors import ConfigError, DataFormatError
from textmix.plan.model_request import WORDS, Request, take_request
from textmix.serve.fit import fit_model
from textmix.serve.model import PersistedModel
from textmix.text.features import build_features

TASKS = {name: method.task for name, method in METHODS.items()}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "config.yaml").write_text("data:\n  a: {dataset: x, note: n}\n  b: {dataset: null}\n")
    (tmp_path / "full.yaml").write_text("data:\n  b: {dataset: y}\n")
    return [tmp_path / "config.yaml", tmp_path / "full.yaml"]


def test_a_request_is_taken_out_and_the_roles_are_put_back(files: list[Path]) -> None:
    config: dict[str, Any] = {"seed": 1, "data": "bbc", "method": "edcm", "params": {"smoothing": "0.5"}}
    asked = take_request(config, files, TASKS)
    assert asked == Request("bbc", "edcm", "model_words", {"smoothing": 0.5}, None)
    assert config == {"seed": 1, "data": {"a": {"dataset": "x", "note": "n"}, "b": {"dataset": "y"}}}


def test_values_inside_of_mappings_get_their_types(files: list[Path]) -> None:
    grid = {"C": ["0.01", "1"], "penalty": ["l2"], "warm_start": ["true", "null"]}
    config = {"data": "bbc", "method": "logistic_regression", "grid": grid, "features": "rainbow"}
    asked = take_request(config, files, TASKS)
    assert asked is not None and asked.features == "rainbow" and asked.search is not None
    assert asked.search["grid"] == {"C": [0.01, 1], "penalty": ["l2"], "warm_start": [True, None]}
    assert asked.search["metric"] == "accuracy"
    multi = {"data": "bbc", "method": "binary_relevance", "grid": {"variance": ["1"]}}
    assert take_request(multi, files, TASKS).search["metric"] == "subset_accuracy"  # type: ignore[union-attr, index]


def test_without_a_request_nothing_is_touched(files: list[Path]) -> None:
    config: dict[str, Any] = {"data": {"a": {}}, "seed": 1}
    assert take_request(config, files, TASKS) is None and config == {"data": {"a": {}}, "seed": 1}


def test_own_data_stay_for_their_reader(files: list[Path]) -> None:
    config: dict[str, Any] = {"data": "my.yaml", "method": "edcm"}
    asked = take_request(config, files, TASKS)
    assert asked is not None and asked.dataset == "my.yaml" and config == {"data": "my.yaml"}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"data": {"a": {}}, "method": "edcm"}, "needs one data set and one method"),
        ({"data": "bbc", "method": "nope"}, "method=nope: there is none; allowed: .*edcm"),
        ({"data": "bbc", "method": "edcm", "params": "x"}, "params=x: write it as"),
    ],
)
def test_a_wrong_request_is_told(files: list[Path], config: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        take_request(config, files, TASKS)


def test_unknown_names_are_told() -> None:
    asked = Request("bbc", "edcm", "model_words", {}, None)
    asked.check(["bbc"], WORDS)
    for datasets, features, said in (
        (["x"], WORDS, "data=bbc: there is none; allowed: x"),
        (["bbc"], ["y"], "features"),
    ):
        with pytest.raises(ConfigError, match=said):
            asked.check(datasets, features)


def test_the_model_is_the_estimator_fitted_to_all_documents(tmp_path: Path) -> None:
    text = corpus(False)
    counts = build_features(text, SPEC)
    fit_model(counts, SPEC, METHODS["edcm"], {"smoothing": 0.5}).save(tmp_path / "model", {})
    model = PersistedModel.load(tmp_path / "model")
    expected = METHODS["edcm"].make({"smoothing": 0.5}).fit(counts.features, counts.classes())
    np.testing.assert_array_equal(model.label(text.text)[0], expected.predict(counts.features))  # type: ignore[arg-type]
    assert model.estimator.smoothing == 0.5 and model.estimator.class_count_.sum() == len(text.ids)


def test_tuning_chooses_among_the_grid() -> None:
    counts = build_features(corpus(False), SPEC)
    search = {"grid": {"smoothing": [1e6, 0.01]}, "folds": 3, "metric": "accuracy"}
    assert fit_model(counts, SPEC, METHODS["multinomial"], {}, search).estimator.smoothing == 0.01


def test_a_seed_gives_the_same_model() -> None:
    counts = build_features(corpus(True), SPEC)
    first, again, other = (
        fit_model(counts, SPEC, METHODS["classifier_chain"], {}, seed=seed).estimator.random_state for seed in (1, 1, 2)
    )
    assert first == again != other


def test_what_cannot_be_fitted_is_told() -> None:
    several, counts = build_features(corpus(True), SPEC), build_features(corpus(False), SPEC)
    with pytest.raises(DataFormatError, match="has 2 labels, expected one"):
        fit_model(several, SPEC, METHODS["edcm"], {})
    with pytest.raises(ConfigError, match="params: The 'smoothing' parameter"):
        fit_model(counts, SPEC, METHODS["edcm"], {"smoothing": -1.0})
    with pytest.raises(ConfigError, match="its parameters are"):
        fit_model(counts, SPEC, METHODS["edcm"], {"smooth": 1.0})
    with pytest.raises(ConfigError, match="cannot be saved"):
        fit_model(counts, SPEC, METHODS["knn"], {})
    for spec in ({"tokenizer": "unicode", "max_n": 2}, {"tokenizer": "matrix"}):
        with pytest.raises(ConfigError, match=r"cannot be saved|is a matrix"):
            fit_model(counts, spec, METHODS["edcm"], {})
