"""The bench of the rivals on label sets: the peer of the general F maximiser finds the same sets."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench import label_sets
from reproduction.bench import later as later_bench
from reproduction.bench.label_sets import plain_expected_f, rivals
from reproduction.bench.later import later
from textmix.experiment.methods import load_methods
from textmix.models.common.f_kernels import listed_expected_f
from textmix.models.network.embeddings import EmbeddingClassifier


def test_the_peer_of_the_f_maximiser_finds_the_same_sets():
    rng = np.random.default_rng(3)
    sets = np.unique(rng.integers(0, 2, (20, 6)), axis=0).astype(np.int8)
    proba = rng.dirichlet(np.ones(len(sets)), size=5)
    chosen, value = listed_expected_f(proba, sets, False)
    for p, ours, stated in zip(proba, chosen, value, strict=True):
        label_set, best = plain_expected_f(p, sets)
        np.testing.assert_array_equal(label_set, ours)
        np.testing.assert_allclose(best, stated)


def test_the_rivals_are_named_as_in_the_registry():
    methods = load_methods()
    assert {*rivals(), *later(), "labelled_lda"} == {
        name for name, method in methods.items() if method.paper == "beyond"
    }
    for name, model in {**rivals(), **later()}.items():
        assert type(model) is type(methods[name].make({}))


def test_boosted_peers_run_where_they_are_installed(monkeypatch):
    module = SimpleNamespace(BoomerClassifier=lambda **settings: settings, LGBMClassifier=lambda **settings: settings)
    monkeypatch.setattr(label_sets.importlib.util, "find_spec", lambda name: None)
    assert label_sets.optional_peers() == {}
    monkeypatch.setattr(label_sets.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(label_sets.importlib, "import_module", lambda name: module)
    peers = label_sets.optional_peers()
    assert peers.pop(label_sets.BOOMER) == {"max_rules": 500, "random_state": 1}
    assert peers.pop(label_sets.LIGHTGBM).estimator["n_estimators"] == label_sets.ROUNDS and not peers


def test_fasttext_is_a_peer_where_it_is_installed(monkeypatch):
    X, y, seen = sparse.csr_array([[2, 0, 1], [0, 3, 0]]), np.array([1, 0]), []

    def trained(path, **settings):
        seen.append(Path(path).read_text())
        return SimpleNamespace(predict=lambda texts: ([(f"__label__{len(text)}",) for text in texts], None))

    monkeypatch.setattr(later_bench.importlib.util, "find_spec", lambda name: None)
    assert later_bench.optional_peers(X, y) == {}
    monkeypatch.setattr(later_bench.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(later_bench.importlib, "import_module", lambda name: SimpleNamespace(train_supervised=trained))
    (classes,) = (call() for call in later_bench.optional_peers(X, y).values())
    assert seen == ["__label__1 w0 w0 w2\n__label__0 w1 w1 w1\n"]
    assert classes.tolist() == [8, 8]


@pytest.mark.skipif(importlib.util.find_spec("fasttext") is None, reason="the package fasttext is not installed")
def test_embeddings_agree_with_fasttext_on_most_documents():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 60)
    X = sparse.csr_array(rng.poisson(rng.dirichlet(np.full(40, 0.3), 3)[y] * 30))
    ours = EmbeddingClassifier(epochs=50, random_state=0).fit(X, y).predict(X)
    assert np.mean(later_bench.fasttext_classes(X, y, epoch=50) == ours) > 0.95
