"""A method that fails on the data of a comparison leaves its reason; a fault of the code ends the job."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import lightgbm
import numpy as np
import pytest
from scipy import sparse

from tests.contest.example import METHODS, corpus, fit_in_comparison
from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment import compared
from textmix.experiment.compared import misfit, run_compared
from textmix.experiment.entries import TEXT_VIEWS
from textmix.experiment.entries import compared as compared_entry
from textmix.experiment.methods import Method, load_methods
from textmix.experiment.splits import make_splits
from textmix.text.features import build_features

CORPUS = SimpleNamespace(
    tokens=None,
    name="news",
    features=sparse.csr_array(np.eye(2, dtype=np.int32)),
    label_names=["a", "b"],
    n_documents=2,
)
SPLITS = SimpleNamespace(train=[[0, 1]])
ENTRY = {"views": {"words": {}}, "weightings": ["counts"]}


def run(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Run a method whose fit raises an error."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(compared, "run_trials", fail)
    compared.run_compared([CORPUS], SPLITS, load_methods()["multinomial"], ENTRY, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error", [lightgbm.basic.LightGBMError("bin size 257"), np.linalg.LinAlgError("singular"), ValueError("one class")]
)
def test_an_error_of_a_library_becomes_a_missing_result(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    with pytest.raises(MissingResult, match=f"multinomial cannot be fitted to news: {error}"):
        run(monkeypatch, error)


def test_a_fault_of_the_code_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError):
        run(monkeypatch, TypeError("a wrong type"))


def test_method_that_fails_leaves_its_reason():
    with pytest.raises(MissingResult, match=r"dropout_\w+ cannot be fitted to tiny: .*binary.*3 classes"):
        fit_in_comparison(corpus(), "dropout_logistic_regression")


def test_too_few_documents_for_the_folds_leave_their_reason():
    with pytest.raises(
        MissingResult, match="multinomial cannot be fitted to tiny: tune: folds: 2 training documents make no 3"
    ):
        tune = {"grid": {"smoothing": [0.1]}, "folds": 3, "metric": "accuracy"}
        fit_in_comparison(corpus(documents=4, classes=2), "multinomial", tune=tune)


def test_counts_are_asked_for_and_limits_kept():
    method = METHODS["multinomial"]
    assert misfit(corpus(), 30, method) == ""
    assert misfit(corpus(reals=True), 30, method) == (
        "multinomial takes whole numbers, not negative; tiny has other values"
    )
    slow = Method(**{**vars(method), "most": {"documents": 20, "labels": 5}})
    assert misfit(corpus(), 30, slow) == (
        "multinomial is left out above 20 documents, 5 labels to save time and memory; tiny has 30 documents"
    )


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
    return compared_entry(replace(method, params={"max_iter": 40}, grid={"n_states": [1, 2]}), {}, TEXT_VIEWS)


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
