"""Other readings of the authors' tools, for the CBM slides."""

from __future__ import annotations

import itertools

import numpy as np

from reproduction.flow.measures import Repeated
from reproduction.papers.cbm.variants import calibrated_threshold, predict_after, with_parent, within_reach
from tests.models.test_cbm import documents
from textmix.models.label_sets.estimators import BoostedPowerSet


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
    assert variants == {"lightgbm_2", "lightgbm_4", "equal_width_2", "equal_width_4"}


def test_a_network_is_sampled_with_several_seeds(measured):
    values, rows = measured[0]["sampler_seeds"].values, measured[0]["sampler_seeds"].tables["runs"]
    accuracies = [row["subset_accuracy"] for row in rows]
    assert len(accuracies) == 3 and len(set(accuracies)) > 1, "ten sweeps leave chance in the marginals"
    assert (values["scene_least"], values["scene_most"]) == (min(accuracies), max(accuracies))
    assert values["scene_network"] == Repeated(accuracies)


def test_a_label_that_others_imply_changes_neither_label_sets_nor_the_power_set(measured):
    values = measured[0]["restored_parent"].values
    assert values["scene_sets"] == values["scene_sets_restored"]
    assert values["scene_powset"] == values["scene_powset_restored"]
    assert values["scene_binrel_restored"].mean <= values["scene_binrel"].mean, "one more way to be wrong"
    sets = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(with_parent(sets, np.array([0, 2]))[:, 3], [1, 0, 1, 0])


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


def test_the_first_rounds_of_a_model_are_a_model_with_so_many_rounds():
    X, Y = documents(6, n=90)
    for method in ("lightgbm", "equal_width"):
        model = BoostedPowerSet(trees=8, leaves=2, tree_method=method).fit(X, Y)
        predictions = dict(predict_after(model, X, (3, 8)))
        three = BoostedPowerSet(trees=3, leaves=2, tree_method=method).fit(X, Y)
        np.testing.assert_array_equal(predictions[3], three.predict(X))
        np.testing.assert_array_equal(predictions[8], model.predict(X))
        assert (predictions[3] != predictions[8]).any()
