"""The target model: the pipeline's estimator, fitted to all documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.serve.test_persisted_model import METHODS, SPEC, corpus
from textmix.core.errors import ConfigError, DataFormatError
from textmix.serve.fit import fit_model
from textmix.serve.model import PersistedModel
from textmix.text.features import build_features


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
    for spec in ({"tokenizer": "unicode", "max_n": 2}, {"tokenizer": "matrix"}):
        with pytest.raises(ConfigError, match=r"cannot be saved|takes the matrix as it is"):
            fit_model(counts, spec, METHODS["edcm"], {})
