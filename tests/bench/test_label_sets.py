"""The bench of the rivals on label sets: the peer of the general F maximiser finds the same sets."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from textmix.bench import label_sets
from textmix.bench.label_sets import plain_expected_f, rivals
from textmix.bench.later import later
from textmix.models.common.f_kernels import listed_expected_f
from textmix.plan.methods import load_methods


def test_the_peer_of_the_f_maximiser_finds_the_same_sets():
    rng = np.random.default_rng(3)
    sets = np.unique(rng.integers(0, 2, (20, 6)), axis=0).astype(np.int8)
    proba = rng.dirichlet(np.ones(len(sets)), size=5)
    chosen, value = listed_expected_f(proba, sets, False)
    for p, ours, stated in zip(proba, chosen, value, strict=True):
        found, best = plain_expected_f(p, sets)
        np.testing.assert_array_equal(found, ours)
        np.testing.assert_allclose(best, stated)


def test_the_rivals_are_named_as_in_the_registry():
    methods = load_methods()
    assert {*rivals(), *later(), "labelled_lda"} == {
        name for name, method in methods.items() if method.paper == "beyond"
    }
    for name, model in {**rivals(), **later()}.items():
        assert type(model) is type(methods[name].make({}))


def test_boomer_is_a_peer_where_it_is_installed(monkeypatch):
    made = SimpleNamespace(BoomerClassifier=lambda **settings: settings)
    monkeypatch.setattr(label_sets.importlib.util, "find_spec", lambda name: None)
    assert label_sets.optional_peers() == {}
    monkeypatch.setattr(label_sets.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(label_sets.importlib, "import_module", lambda name: made)
    assert label_sets.optional_peers() == {label_sets.BOOMER: {"max_rules": 500, "random_state": 1}}
