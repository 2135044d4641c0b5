"""The measures of the models of the PMM document."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.papers.pmm import diagnostics as pmm_model
from tests.papers.pmm.example import L, N, rng, source
from textmix.core.errors import MissingResult
from textmix.models.pmm import prediction_kernels


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
    # The sets that the kernel scores, counted where it writes their scores.
    random, n_labels = np.random.default_rng(0), 7
    for _ in range(20):
        theta = random.dirichlet(np.full(30, 0.2), n_labels).T.copy() + 1e-6
        uniform = np.full((n_labels, n_labels), 0.5), np.zeros(n_labels + 1), np.zeros(n_labels)
        page = prediction_kernels.Page(np.sort(random.integers(1, 5, 30)).astype(float), theta)
        scores, added = np.full((n_labels, n_labels), np.nan), np.zeros(n_labels, dtype=np.int64)
        size = prediction_kernels.greedy(page, prediction_kernels.Parameters(theta, *uniform), scores, added)
        evaluated = int(np.isfinite(scores).sum())
        assert evaluated <= n_labels * (n_labels + 1) / 2 < 2**n_labels - 1
        predicted = np.arange(n_labels) < size
        assert pmm_model._proportion_of_evaluations(predicted[np.newaxis]) == pytest.approx(evaluated / 28)


def test_calibration_bins_hold_all_decisions_and_tempering_is_chosen_in_training() -> None:
    settings = {"temperatures": [1, 3], "bins": 5, "folds": 2}
    measure = pmm_model.calibration({"one": source(5)}, settings, rng())
    for kind in ("paper", "prior", "tempered"):
        bins = [row for row in measure.tables["reliability"] if row["kind"] == kind]
        assert sum(row["count"] for row in bins) == N // 2 * L
        assert sum(row["count"] * row["share"] for row in bins) == source(5).corpus.labels[N // 2 :].sum()
    assert measure.values["tempered_temperature"] in (1, 3)


def test_pages_of_a_mixture_are_likelier_under_the_mixture() -> None:
    values = pmm_model.assumption({"one": source(6)}, {"min_pages": 2}, rng()).values
    assert values["log_likelihood_mixture"] > values["log_likelihood_best_single"]
    assert values["log_likelihood_best_single"] > values["log_likelihood_mean_single"]
    assert values["share_of_pages_for_mixture"] > 0.9


def test_words_of_a_page_are_divided_among_its_labels() -> None:
    settings = {"labels": 2, "min_words": 1, "max_words": 80, "n_shown": 6}
    measure = pmm_model.words({"one": source(7)}, settings, rng())
    rows = measure.tables["words"]
    names = [name for name in rows[0] if name.startswith("label")]
    assert len(names) == 2 and len(rows) == 6
    for row in rows:
        assert row[names[0]] + row[names[1]] == pytest.approx(1)
    assert [row[names[0]] for row in rows] == sorted(row[names[0]] for row in rows)
    with pytest.raises(MissingResult, match="widen the settings"):
        pmm_model.words({"one": source(7)}, {**settings, "min_words": 1000, "max_words": 2000}, rng())
