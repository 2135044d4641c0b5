"""The measures of the thesis' other methods: pruning on made data, and the density of sparse counts by SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse, stats

from reproduction.papers.thesis.comparison import comparison, comparison_time
from reproduction.papers.thesis.comparison_figures import FAMILIES
from reproduction.papers.thesis.pruning import pruning
from reproduction.papers.thesis.sparse_counts import dcm_log_probabilities, log_densities, sparse_counts
from reproduction.stored.measures import MeasureData
from textmix.core.config import load_yaml_strict
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.methods import load_methods
from textmix.experiment.splits import make_splits
from textmix.models.dirichlet.dcm import DCMClassifier

SPEC = load_yaml_strict(Path(__file__).parents[2] / "config/papers/thesis/paper.yaml")


@pytest.fixture(scope="module")
def data() -> MeasureData:
    """Return 80 documents of two classes over 20 words, of which 4 tell the class, in 2 random splits."""
    rng = np.random.default_rng(0)
    codes = np.arange(80) % 2
    shares = np.ones((2, 20))
    shares[0, :2] = shares[1, 2:4] = 10.0
    X = sparse.csr_array(np.vstack([rng.multinomial(12, shares[c] / shares[c].sum()) for c in codes]).astype(np.int32))
    tokens = Ragged(np.repeat(X.indices, X.data).astype(np.int32), np.append(0, np.cumsum(X.sum(axis=1))))
    labels, words = label_matrix([[code] for code in codes], 2), [f"w{word}" for word in range(20)]
    corpus = Corpus(
        "made", [str(row) for row in range(80)], ["a", "b"], labels, tokens=tokens, features=X, feature_names=words
    )
    spec = {"kind": "random", "train": 50, "test": 30, "trials": 2}
    return MeasureData(corpus, make_splits(corpus, spec, 1, "s", None))


def test_pruning_keeps_shares_and_compares_on_the_same_splits(data: MeasureData) -> None:
    settings = {"shares": [0.5, 0.2], "small": [0.2], "components": [2, 4], "widths": [0.3], "folds": 2}
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


def test_densities_are_those_of_scipy() -> None:
    X = sparse.csr_array(np.array([[2, 0, 1], [0, 3, 0]]))
    alpha = np.array([0.5, 2.0, 1.5])
    smoothed = X.toarray() + 0.01
    expected = [stats.dirichlet.logpdf(row / row.sum(), alpha) for row in smoothed]
    np.testing.assert_allclose(log_densities(X, alpha, 0.01), expected)
    expected = [stats.dirichlet_multinomial.logpmf(row, alpha, row.sum()) for row in X.toarray()]
    np.testing.assert_allclose(dcm_log_probabilities(X, alpha), expected)


def test_the_density_of_sparse_counts_has_no_limit(data: MeasureData) -> None:
    settings = {"smoothing": [0, -3, -6, -9], "label": 0}
    values = sparse_counts({"made": data}, settings, np.random.default_rng(0)).values
    raised = [values[f"raised_{number}"] for number in range(4)]
    assert raised == sorted(raised, reverse=True) and raised[3] < 2 * raised[1]
    rows = data.splits.train[0]
    X = data.corpus.features[rows[data.corpus.classes()[rows] == 0]]
    model = DCMClassifier(smoothing=0.0).fit(X, np.zeros(X.shape[0], dtype=int))
    assert values["dcm"] == pytest.approx(dcm_log_probabilities(X, model.alpha_[0]).mean())


def with_methods(data: MeasureData, names: Sequence[str]) -> MeasureData:
    """Return a data set with registered methods, their parameters those of paper.yaml."""
    params, registry = SPEC["measures"]["comparison"]["methods"], load_methods()
    return replace(data, methods={name: replace(registry[name], params=params[name]) for name in names})


def test_methods_are_compared_on_the_same_documents(data: MeasureData) -> None:
    few = ("multinomial", "logistic_regression", "lsi_density", "hmm")
    sources, settings = dict.fromkeys(("one", "two"), with_methods(data, few)), {"sizes": [12, 50], "trials": 1}
    measure = comparison(sources, settings, np.random.default_rng(0))
    rows = measure.tables["accuracies"]
    assert len(rows) == 2 * 2 * len(few)
    assert min(row["accuracy"] for row in rows if row["size"] == 50) > 0.6
    assert sum(row["rank"] for row in measure.tables["ranks"]) == pytest.approx(1 + 2 + 3 + 4)
    assert measure.values["critical_difference"] > len(few) / 2
    seconds = comparison_time(sources, settings, np.random.default_rng(0)).tables["seconds"]
    assert [row["method"] for row in seconds] == [*few, *few] and all(row["seconds"] > 0 for row in seconds)


def test_every_method_of_the_figure_has_a_name() -> None:
    compared = SPEC["measures"]["comparison"]["methods"]
    assert {method for methods in FAMILIES.values() for method in methods} == set(compared)
