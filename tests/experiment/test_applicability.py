"""If a method cannot be applied to the data, its reason is stored; a bug in the code ends the job."""

from __future__ import annotations

from types import SimpleNamespace

import lightgbm
import numpy as np
import pytest
from scipy import sparse

from textmix.core.errors import MissingResult
from textmix.experiment import applicability
from textmix.experiment.applicability import misfit, run_compared
from textmix.experiment.methods import Method, load_methods
from textmix.text.term_weighting import TermWeighting

CORPUS = SimpleNamespace(
    tokens=None,
    name="news",
    features=sparse.csr_array(np.eye(2, dtype=np.int32)),
    label_names=["a", "b"],
    n_documents=2,
)
TINY = SimpleNamespace(**{**vars(CORPUS), "name": "tiny"})
SPLITS = SimpleNamespace(train=[[0, 1]])


def run(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Run a method whose fit raises an error."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(applicability, "run_trials", fail)
    run_compared(CORPUS, SPLITS, load_methods()["multinomial"], {}, 1, representation=TermWeighting())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error", [lightgbm.basic.LightGBMError("bin size 257"), np.linalg.LinAlgError("singular"), ValueError("one class")]
)
def test_an_error_of_a_library_becomes_a_missing_result(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    with pytest.raises(MissingResult, match=f"multinomial cannot be fitted to news: {error}"):
        run(monkeypatch, error)


def test_a_fault_of_the_code_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError):
        run(monkeypatch, TypeError("a wrong type"))


def test_counts_are_asked_for_and_limits_kept():
    method = load_methods()["multinomial"]
    assert misfit(TINY, 30, method) == ""
    assert misfit(SimpleNamespace(**{**vars(TINY), "features": TINY.features * 0.5}), 30, method) == (
        "multinomial requires nonnegative integers; tiny has other values"
    )
    slow = Method(**{**vars(method), "limits": {"documents": 20, "labels": 5}})
    assert misfit(TINY, 30, slow) == (
        "multinomial is skipped above 20 documents, 5 labels to save time and memory; tiny has 30 documents"
    )
