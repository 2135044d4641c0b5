"""Perplexity of unseen documents, and mixtures of multinomials."""

from __future__ import annotations

import math

import numpy as np
import pytest

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


def test_one_multinomial_a_class_is_where_the_mixtures_begin(measured):
    curve = measured[0]["mixtures"].tables["curve"]
    smoothed = {row["model"]: row["perplexity"] for row in measured[0]["perplexity"].tables["smoothing"]}
    assert curve[0]["components"] == 1
    assert curve[0]["perplexity"] == pytest.approx(smoothed["multinomial"])
