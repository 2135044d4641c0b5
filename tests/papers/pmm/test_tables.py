"""Means and wins over the problems of the PMM document."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.papers.pmm import tables
from tests.papers.pmm.example import N, rng, source
from textmix.core.errors import MissingResult
from textmix.experiment.predictions import Predictions, pack_sets


def predicted(seed: int, **right: float) -> dict[str, Predictions]:
    """Return predictions of every method: the given share of the test pages exactly right, no label for the others."""
    truth = source(seed).corpus.indicators()[N // 2 :]
    predictions = {}
    for method in ("nb", "svm", "knn", "nn", "pmm1", "pmm2"):
        sets = truth.copy()
        sets[round(right.get(method, 0.1) * len(truth)) :] = 0
        predictions[method] = Predictions([""], [], np.full((1, len(truth)), np.nan), sets=pack_sets(sets)[np.newaxis])
    return predictions


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
    values = tables.problems(sources, {"problems": 2}, rng()).values
    assert values == {"count": 2.0, "multi_label_share_min": min(shares), "multi_label_share_max": max(shares)}
    with pytest.raises(MissingResult, match="only 2 of the 11"):
        tables.problems(sources, {"problems": 11}, rng())
