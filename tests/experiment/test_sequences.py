"""Words in order in a comparison of methods: the search, a misfit, and the model that is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reproduction.plan.own import TEXT_VIEWS, compared
from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.compared import run_compared
from textmix.experiment.methods import Method, load_methods
from textmix.experiment.splits import make_splits
from textmix.models.hmm.vectorizer import SequenceVectorizer
from textmix.serve.keep import keep_best
from textmix.text.features import build_features

METHOD = load_methods()["hmm"]


@pytest.fixture(scope="module")
def texts() -> Corpus:
    """Return 40 texts of two classes that differ in the order of two words alone."""
    rng = np.random.default_rng(0)
    rows = [" ".join("ab" * 6) if d % 2 else " ".join(rng.permutation(list("a" * 6 + "b" * 6))) for d in range(40)]
    labels = label_matrix([[d % 2] for d in range(40)], 2)
    ids = [str(d) for d in range(40)]
    return Corpus("made", ids, ["mixed", "turns"], labels, text=Ragged.from_texts(row.encode() for row in rows))


def entry_of(method: Method) -> dict[str, Any]:
    """Return the experiment's entry, with a small grid."""
    return compared(replace(method, params={"max_iter": 40}, grid={"n_states": [1, 2]}), {}, TEXT_VIEWS)


def test_order_alone_tells_the_classes_in_a_comparison(texts: Corpus) -> None:
    corpus = build_features(texts, TEXT_VIEWS["sequences"])
    splits = make_splits(corpus, {"kind": "random", "train": 0.7, "trials": 1, "stratified": True}, 0, "s", None)
    predictions, timings = run_compared([corpus], splits, METHOD, entry_of(METHOD), 0)
    assert not predictions.fits[0]["chosen"].endswith("n_states=1")
    assert np.mean(predictions.classes[0] == corpus.classes()[splits.test[0]]) > 0.8
    assert len(timings) == 1


def test_counts_alone_leave_a_reason(texts: Corpus) -> None:
    corpus = build_features(texts, TEXT_VIEWS["words"])
    splits = make_splits(corpus, {"kind": "random", "train": 0.7, "trials": 1}, 0, "s", None)
    with pytest.raises(MissingResult, match="takes words in order"):
        run_compared([corpus], splits, METHOD, entry_of(METHOD), 0)


def test_the_model_that_is_kept_reads_words_in_order(texts: Corpus) -> None:
    point = {"view": "sequences", "weighting": "order", "n_states": 4}
    choice = {"point": point, "metric": "accuracy", "value": 1.0, "low": 1.0, "high": 1.0}
    about = {"seed": 0}
    model = keep_best(texts, choice, METHOD, entry_of(METHOD), features=TEXT_VIEWS, about=about)
    assert [type(step) for _, step in model.steps][:1] == [SequenceVectorizer]
    labels, _ = model.label(Ragged.from_texts([b"a b a b a b a b a b a b", b"a a a a a a b b b b b b"]))
    assert labels.tolist() == [1, 0]
