"""Perplexity of unseen documents, and mixtures of multinomials."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reproduction.papers.edcm.held_out_perplexity import of_classes, perplexity
from tests.naive import dcm as naive_dcm
from tests.papers.edcm.example import CLASSES
from textmix.models.dirichlet.dcm import DCMClassifier


def test_perplexity_is_that_of_the_class_model(source, measured):
    X, y = source.corpus.features, source.corpus.classes()
    perplexities = []
    for trial in range(2):
        train, test = source.splits.train[trial], source.splits.test[trial]
        model = DCMClassifier(smoothing=0.01).fit(X[train], y[train])
        for c in range(CLASSES):
            rows = test[y[test] == c]
            log_p = [naive_dcm.log_likelihood(X[[i]].toarray(), model.alpha_[c]).real for i in rows]
            perplexities.append(math.exp(-sum(log_p) / X[rows].sum()))
    value, spread = measured[0]["perplexity"].values["dcm"]
    assert (value, spread) == pytest.approx((np.mean(perplexities), np.std(perplexities, ddof=1)))


@pytest.mark.parametrize(
    ("changed", "params"),
    [
        ({"dcm_smoothing": 0.5}, {"smoothing": 0.5}),
        ({"dcm_method": "leave_one_out"}, {"smoothing": 0.01, "method": "leave_one_out"}),
    ],
)
def test_settings_of_the_dcm_change_its_perplexity_only(source, measured, changed, params):
    values = perplexity({"role": source}, {"smoothing": 0.01, "others": [], **changed}, np.random.default_rng(0)).values
    trial = source.first()
    expected = of_classes(trial.train.fitted(DCMClassifier(**params)), trial.test, "sequence").mean()
    table = measured[0]["perplexity"].values
    assert values["dcm_on_first_split"] == pytest.approx(expected)
    assert values["dcm_on_first_split"] != pytest.approx(table["dcm_on_first_split"])
    assert values["multinomial_on_first_split"] == table["multinomial_on_first_split"]


def test_one_multinomial_a_class_is_where_the_mixtures_begin(measured):
    curve = measured[0]["mixtures"].tables["curve"]
    smoothed = {row["model"]: row["perplexity"] for row in measured[0]["perplexity"].tables["smoothing"]}
    assert curve[0]["components"] == 1
    assert curve[0]["perplexity"] == pytest.approx(smoothed["multinomial"])
