"""What the PMM paper's measures say of made-up problems whose answers are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.papers.pmm import model as pmm_model
from reproduction.papers.pmm import tables
from reproduction.stored.measures import MeasureData
from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus, Ragged
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.splits import Splits

N, V, L = 160, 50, 4


def source(seed: int, predictions: Any = None) -> MeasureData:
    """Return pages drawn from a PMM1 whose labels have words of their own, half for training."""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(V, 0.1), L)
    Y = np.eye(L, dtype=np.int8)[rng.integers(L, size=N)] | np.eye(L, dtype=np.int8)[rng.integers(L, size=N)]
    phi = Y / Y.sum(axis=1, keepdims=True) @ theta
    X = np.array([rng.multinomial(80, row / row.sum()) for row in phi]).astype(np.int32)
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(N)],
        label_names=[f"label{i}" for i in range(L)],
        labels=sparse.csr_array(Y),
        features=sparse.csr_array(X),
        feature_names=[f"word{i}" for i in range(V)],
    )
    half = np.array([0, N // 2], dtype=np.int64)
    return MeasureData(
        corpus, Splits(Ragged(np.arange(N // 2), half), Ragged(np.arange(N // 2, N), half)), predictions or {}
    )


def predicted(seed: int, **right: float) -> dict[str, Predictions]:
    """Return predictions of every method: the given share of the test pages exactly right, no label for the others."""
    truth = source(seed).corpus.indicators()[N // 2 :]
    predictions = {}
    for method in ("nb", "svm", "knn", "nn", "pmm1", "pmm2"):
        sets = truth.copy()
        sets[round(right.get(method, 0.1) * len(truth)) :] = 0
        predictions[method] = Predictions([""], [], np.full((1, len(truth)), np.nan), sets=pack_sets(sets)[np.newaxis])
    return predictions


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_means_and_wins_are_over_the_problems() -> None:
    sources = {
        "one": source(1, predicted(1, pmm1=0.5, svm=0.4)),
        "two": source(2, predicted(2, pmm1=0.3, svm=0.6)),
    }
    values = tables.means(sources, {"problems": 2}, rng()).values
    assert values["pmm1"] == pytest.approx(0.4) and values["svm"] == pytest.approx(0.5)
    wins = tables.wins(sources, {"problems": 2}, rng()).values
    assert (wins["best_pmm1"], wins["best_svm"], wins["pmm1_above_svm"], wins["knn_above_svm"]) == (1, 1, 1, 0)
    with pytest.raises(MissingResult, match="only 2 of the 11"):
        tables.means(sources, {"problems": 11}, rng())


def test_problems_are_counted_with_their_shares_of_several_labels() -> None:
    sources = {"one": source(1), "two": source(2)}
    shares = [float(np.mean(problem.corpus.label_counts > 1)) for problem in sources.values()]
    values = tables.problems(sources, {}, rng()).values
    assert values == {"count": 2.0, "multi_label_share_min": min(shares), "multi_label_share_max": max(shares)}


def test_climbs_end_together_and_never_fall() -> None:
    measure = pmm_model.convergence({"one": source(3)}, {"starts": 2, "tol": 1e-12, "max_iter": 5000}, rng())
    assert 0 < measure.values["pmm1_relative_spread_of_optima"] < 1e-7
    assert measure.values["pmm2_largest_relative_fall"] < 1e-12
    assert {(row["model"], row["start"]) for row in measure.tables["paths"]} == {
        (model, start) for model in ("pmm1", "pmm2") for start in range(3)
    }


def test_better_searches_gain_and_greedy_keeps_within_its_evaluations() -> None:
    settings = {"exact_labels": 4, "exact_pages": 40, "beam_width": 4}
    measure = pmm_model.prediction({"one": source(4)}, settings, rng())
    values = measure.values
    assert 0 < values["largest_share_of_allowed_evaluations"] <= 1
    assert values["flip_gain_in_nats"] >= 0 and values["beam_gain_in_nats"] >= 0
    assert values["exact_flip_is_best"] >= values["exact_greedy_is_best"] > 0.8
    assert {row["search"] for row in measure.tables["searches"]} == {"greedy", "beam", "flip"}


def test_share_of_evaluations_is_one_where_all_labels_are_taken() -> None:
    assert pmm_model._share_of_evaluations(np.ones((2, 5))) == 1.0
    assert pmm_model._share_of_evaluations(np.eye(5)) == pytest.approx((5 + 4) / 15)


def test_calibration_bins_hold_all_decisions_and_tempering_is_chosen_in_training() -> None:
    settings = {"temperatures": [1, 3], "bins": 5, "folds": 2}
    measure = pmm_model.calibration({"one": source(5)}, settings, rng())
    for kind in ("paper", "prior", "tempered"):
        bins = [row for row in measure.tables["reliability"] if row["kind"] == kind]
        assert sum(row["count"] for row in bins) == N // 2 * L
        assert sum(row["count"] * row["share"] for row in bins) == source(5).corpus.labels[N // 2 :].sum()
    assert measure.values["tempered_temperature"] in (1, 3)


def test_pages_of_a_mixture_are_likelier_under_the_mixture() -> None:
    values = pmm_model.assumption({"one": source(6)}, {"least_pages": 2}, rng()).values
    assert values["log_likelihood_mixture"] > values["log_likelihood_best_single"]
    assert values["log_likelihood_best_single"] > values["log_likelihood_mean_single"]
    assert values["share_of_pages_for_mixture"] > 0.9


def test_words_of_a_page_are_divided_among_its_labels() -> None:
    settings = {"labels": 2, "least_words": 1, "most_words": 80, "shown": 6}
    measure = pmm_model.words({"one": source(7)}, settings, rng())
    rows = measure.tables["words"]
    names = [name for name in rows[0] if name.startswith("label")]
    assert len(names) == 2 and len(rows) == 6
    for row in rows:
        assert row[names[0]] + row[names[1]] == pytest.approx(1)
    assert [row[names[0]] for row in rows] == sorted(row[names[0]] for row in rows)
    with pytest.raises(MissingResult, match="widen the settings"):
        pmm_model.words({"one": source(7)}, {**settings, "least_words": 1000, "most_words": 2000}, rng())
