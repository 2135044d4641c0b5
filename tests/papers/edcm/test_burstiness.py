"""Burstiness, and the sum of the EDCM over all documents."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reproduction.papers.edcm import burstiness as repetition
from tests.naive import dcm as naive_dcm
from tests.naive import edcm as naive_edcm
from tests.papers.edcm.example import SPEC


def test_burstiness_follows_the_urn(measured):
    values = measured[0]["burstiness"].values
    share = SPEC["measures"]["burstiness"]["settings"]["proportion"]
    for s in SPEC["measures"]["burstiness"]["settings"]["concentrations"]:
        assert values[f"repetition_factor_s_{s}"] == pytest.approx((1 / share + s) / (s + 1))
    assert values["largest_error_of_repetition_factor"] < 1e-10
    assert values["largest_difference_dcm_multinomial"] < 1e-6


def test_repeated_occurrences_are_compared_with_those_expected():
    rows = [
        {"band": "rare", "m": 2, "seen": 0.02, "multinomial": 0.004, "dcm": 0.03, "edcm": 0.02},
        {"band": "rare", "m": 3, "seen": 0.02, "multinomial": 0.001, "dcm": 0.03, "edcm": 0.02},
    ]
    values = repetition._repeats("rare", rows)
    assert values["rare_repeats_observed_over_multinomial"] == pytest.approx(8.0)
    assert values["rare_repeats_observed_over_dcm"] == pytest.approx(2 / 3)
    assert values["rare_repeats_factor_dcm"] == pytest.approx(1.5)
    assert values["rare_repeats_factor_edcm"] == pytest.approx(1.0)


def test_expected_occurrences_of_a_word_are_those_of_every_document_of_two_words():
    alpha, n = np.array([0.4, 1.1]), np.array([5.0])
    for m in range(1, 6):
        probability = np.exp(repetition._log_urn(alpha[:1], n, m, alpha.sum(), exact=True))[0]
        assert probability == pytest.approx(math.exp(naive_dcm.log_pmf((m, 5 - m), alpha)))
        theta = np.array([0.3])
        assert np.exp(repetition._log_binomial(theta, n, m))[0] == pytest.approx(
            math.comb(5, m) * 0.3**m * 0.7 ** (5 - m)
        )


@pytest.mark.parametrize("n", [1, 3, 6])
def test_total_of_the_edcm_is_the_sum_over_all_count_vectors(n):
    beta = np.array([0.7, 0.2, 0.05, 0.05])
    total = sum(math.exp(naive_edcm.log_q(x, beta)) for x in naive_dcm.compositions(n, 4))
    assert repetition.log_totals(beta, [n])[0] == pytest.approx(math.log(total), abs=1e-12)
    assert sorted(repetition.compositions(n, 4)) == sorted(naive_dcm.compositions(n, 4))


def test_saddle_point_is_near_the_exact_total():
    beta = np.full(400, 0.02)
    for n in (5, 20, 60):
        assert repetition.log_total_by_saddle_point(beta, n) == pytest.approx(
            repetition.log_totals(beta, [n])[0], abs=0.05
        )
