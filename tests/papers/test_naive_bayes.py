"""The measures of Zhai's lecture on the reasons to smooth and on clusters, on a small made corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy import sparse

from reproduction.pages.figures import FigureData, draw
from reproduction.papers.naive_bayes import measures
from reproduction.papers.naive_bayes.figures import FIGURES
from reproduction.stored.measures import MeasureData, run_measure
from reproduction.stored.results import Results, RoleEntry
from tests.pages.drawings import assert_explained, assert_sound
from tests.verdict.reporting import META
from textmix.data.corpus import Corpus
from textmix.experiment.splits import make_splits
from textmix.pages.style import style

SPEC = yaml.safe_load((Path(__file__).parents[2] / "config/papers/naive_bayes/paper.yaml").read_text())
CLASSES, WORDS, N = 3, 120, 150


@pytest.fixture(scope="module")
def source() -> MeasureData:
    """Return documents of three classes with words of their own and words that all share."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, CLASSES, size=N)
    profile = rng.dirichlet(np.full(WORDS, 0.2), size=CLASSES)
    X = np.array([rng.multinomial(25, profile[c]) for c in y])
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(N)],
        label_names=[f"group{c}" for c in range(CLASSES)],
        labels=sparse.csr_array(np.eye(CLASSES, dtype=np.int8)[y]),
        features=sparse.csr_array(X.astype(np.int32)),
        feature_names=[f"w{w}" for w in range(WORDS)],
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "random", "train": 0.6, "trials": 1}, 1, "s", None))


@pytest.fixture(scope="module")
def measured(source: MeasureData) -> dict[str, Any]:
    """Run both measures."""
    changed = {"clustering": {"documents": 90, "clusters": [2, 3], "rarest": 1, "commonest": 1.0}}
    settings = {
        name: {**SPEC["measures"][name]["settings"], **changed.get(name, {})}
        for name in ("smoothing_reasons", "clustering")
    }
    return {
        name: run_measure(
            "naive_bayes", f"measures.{name}", {"news": source}, changed_settings, np.random.default_rng(1)
        )
        for name, changed_settings in settings.items()
    }


def test_smoothing_helps_most_where_words_are_unseen(source: MeasureData, measured: dict[str, Any]) -> None:
    values = measured["smoothing_reasons"].values
    assert values["impossible_share_10"] >= values["impossible_share_100"]
    X, y = source.corpus.features.toarray(), source.corpus.classes()
    train, test = source.splits.train[0], source.splits.test[0]
    seen = np.array([X[train][y[train] == c].sum(axis=0) for c in range(CLASSES)]) > 0
    expected = np.mean([np.any((row > 0) & ~seen[c]) for row, c in zip(X[test], y[test], strict=True)])
    assert values["impossible_share_100"] == pytest.approx(expected)
    assert values["gain_100"] == pytest.approx(values["accuracy_uniform_100"] - values["accuracy_none_100"])


def test_clusters_of_separate_classes_are_purer_than_chance(measured: dict[str, Any]) -> None:
    assert measured["clustering"].values["purity_over_random_3"] > 1.2


def test_purity_is_the_share_in_the_most_frequent_class_of_each_cluster() -> None:
    assert measures.purity(np.array([0, 0, 0, 2, 2]), np.array([1, 1, 0, 2, 0])) == pytest.approx(3 / 5)


def test_the_figure_of_both_is_sound_and_explained(measured: dict[str, Any], tmp_path: Path) -> None:
    for name, measure in measured.items():
        measure.save(tmp_path / "papers/naive_bayes/measures" / name, META)
    data = FigureData(
        Results(tmp_path, "naive_bayes", {"newsgroups": RoleEntry("made")}, SPEC), {}, SPEC["figures"]["reasons"]
    )
    assert_sound(draw("naive_bayes", "reasons", data))
    with style():
        assert_explained(FIGURES["reasons"](data))
