"""New estimators tell how far their fits are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from textmix.experiment import estimator_factory
from textmix.experiment.methods import Method
from textmix.experiment.trials import run_trials


def test_a_method_of_many_iterations_tells_how_far_it_is(corpus, splits, monkeypatch):
    told: list[tuple[str, int | None, int, float]] = []

    def progress(what, total):
        return lambda iteration, objective: told.append((what, total, iteration, objective))

    monkeypatch.setattr(estimator_factory, "progress", progress)
    cbm = Method("cbm", "textmix.models.cbm.estimator:CBMClassifier", "", "multi", "reals", "cbm")
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        run_trials(corpus, splits, cbm, {"params": {"n_components": 2, "max_iter": 3, "tol": 0.0}}, 5)
    assert [(what, total, iteration) for what, total, iteration, _ in told] == [
        ("CBMClassifier on sets", 3, iteration) for _ in range(2) for iteration in (1, 2, 3)
    ]
    assert all(np.isfinite(objective) for *_, objective in told)
