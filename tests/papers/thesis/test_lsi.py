"""The pruned vocabulary of the thesis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData
from reproduction.papers.thesis.lsi import Blocks, LearningCurve, fuse, fusion, gains_by_tags, pruning
from textmix.data.corpus import Corpus, label_matrix
from textmix.experiment.splits import make_splits


def test_pruning_keeps_shares_and_compares_on_the_same_splits(data: MeasureData) -> None:
    settings = {"proportions": [0.5, 0.2], "small": [0.2], "components": [2, 4], "widths": [0.3], "folds": 2}
    measure = pruning({"made": data}, settings, np.random.default_rng(0))
    rows = measure.tables["errors"]
    assert len(rows) == 2 * (1 + 5 * 2)
    error = {
        name: np.mean([row["error"] for row in rows if row["score"] == name and row["share"] in (1.0, 0.2)])
        for name in ("none", "sensitivity")
    }
    assert measure.values["made_gain"] == pytest.approx(error["none"] - error["sensitivity"])
    assert measure.values["made_gain_ci_low"] <= measure.values["made_gain"] <= measure.values["made_gain_ci_high"]
    assert measure.values["made_share"] == 0.2


SETTINGS = {"sizes": [4, 8], "bindings": [0.1, 1.0], "components": [2], "widths": [0.3], "folds": 2}


@pytest.fixture(scope="module")
def data() -> MeasureData:
    """Return 60 documents of two classes: words tell nothing of them, tags tell them."""
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    words = sparse.csr_array(rng.poisson(0.5, (60, 12)).astype(np.int32))
    tags = sparse.csr_array(rng.poisson(np.where(codes[:, None] == np.arange(6) % 2, 2.0, 0.2)).astype(np.int32))
    labels = label_matrix([[code] for code in codes], 2)
    corpus = Corpus("made", [str(row) for row in range(60)], ["a", "b"], labels, features=words)
    splits = make_splits(corpus, {"kind": "random", "train": 40, "test": 20, "trials": 2}, 1, "s", None)
    return MeasureData(corpus, splits, {}, replace(corpus, features=tags))


def test_rows_are_joined_with_the_coefficient(data: MeasureData) -> None:
    blocks = Blocks(
        data.corpus.features.astype(float), data.extra_features.features.astype(float), data.corpus.classes()
    )
    train, unknown = fuse(blocks, blocks.rows(np.arange(3)), 0.5)
    assert train.shape == (60, 18) and unknown.shape == (3, 18)
    lengths = [np.linalg.norm(part, axis=1) for part in np.split(train.toarray(), [12], axis=1)]
    for length, expected in zip(lengths, (1.0, 0.5), strict=True):
        np.testing.assert_allclose(length[length > 0], expected)
    alone, _ = fuse(blocks, blocks, 0.0)
    np.testing.assert_array_equal(alone.toarray(), train.toarray()[:, :12])


def test_tags_that_tell_the_class_are_bound(data: MeasureData) -> None:
    measure = fusion({"made": data}, SETTINGS, np.random.default_rng(0))
    rows = measure.tables["curves"]
    assert [row["size"] for row in rows] == [4, 8, 4, 8]
    expected = np.mean([row["words"] - row["fused"] for row in rows])
    assert measure.values["made_gain"] == pytest.approx(expected) and expected > 0.2
    assert {row["binding"] for row in rows} <= set(SETTINGS["bindings"])


def test_gains_are_those_of_the_small_and_the_large_sizes() -> None:
    curves = [LearningCurve([0.5, 0.4], [0.3, 0.4], [1.0, 1.0]), LearningCurve([0.6, 0.2], [0.3, 0.1], [1.0, 1.0])]
    values = gains_by_tags(curves, 1, 0.25)
    assert values["few_gain"] == pytest.approx(0.25)
    assert values["gain"] == pytest.approx((0.1 + 0.2) / 2)
    assert values["few_above_many"] == pytest.approx((0.2 + 0.2) / 2)
    assert values["few_gain_ci_low"] < 0.25 < values["few_gain_ci_high"]


def test_tags_must_stand_beside_the_words(data: MeasureData) -> None:
    with pytest.raises(ValueError, match="extra_features"):
        fusion({"made": replace(data, extra_features=None)}, SETTINGS, np.random.default_rng(0))
