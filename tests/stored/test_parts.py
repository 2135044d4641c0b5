"""A job that is cut into its fits gives the bytes of the job that makes them all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reproduction.flow.parts import join_parts, save_part
from tests.experiment.test_trials import GRID, NAIVE_BAYES, SEED, corpus_of
from textmix.core.errors import IntegrityError, MissingResult
from textmix.core.io import write_missing
from textmix.experiment.predictions import Predictions, joined
from textmix.experiment.splits import make_splits
from textmix.experiment.trials import run_trials


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make each fit of three variants on two trials by a call of its own; return the paths of its results."""
    monkeypatch.chdir(tmp_path)
    corpus = corpus_of([row % 3 for row in range(60)])
    splits = make_splits(corpus, {"kind": "folds", "folds": 2}, SEED, "folds", None)
    run_trials(corpus, splits, NAIVE_BAYES, GRID, SEED)[0].save("whole/predictions", {})
    for cell in range(6):
        predictions, timings = run_trials(corpus, splits, NAIVE_BAYES, GRID, SEED, cell=cell)
        assert predictions.classes is not None and predictions.classes.shape == (1, 30)
        save_part(f"parts/{cell}", predictions, timings, {})
    return [f"parts/{cell}" for cell in range(6)]


def test_fits_made_one_by_one_are_joined_to_the_same_bytes(parts: list[str]) -> None:
    predictions, timings = join_parts(parts)
    predictions.save("joined/predictions", {})
    names = sorted(path.name for path in Path("whole/predictions").iterdir())
    assert len(names) == 6
    for name in set(names) - {"meta.json"}:
        assert Path("joined/predictions", name).read_bytes() == Path("whole/predictions", name).read_bytes(), name
    assert [(row["trial"], row["variant"]) for row in timings] == [
        (str(trial), f"alpha={alpha}") for trial in range(2) for alpha in GRID["grid"]["alpha"]
    ]


def test_a_fit_out_of_its_place_changes_the_result(parts: list[str]) -> None:
    swapped = join_parts([*parts[:4], parts[5], parts[4]])[0]
    whole = Predictions.load("whole/predictions")
    assert swapped.fits != whole.fits
    assert not np.array_equal(swapped.true_log_proba, whole.true_log_proba)


def test_the_reason_of_the_first_missing_fit_is_that_of_the_job(parts: list[str]) -> None:
    for cell in (4, 2):
        write_missing(f"parts/{cell}", MissingResult(f"fit {cell} cannot be made"), {})
    with pytest.raises(MissingResult, match="fit 2 cannot be made"):
        join_parts(parts)


def test_a_fit_touched_by_hand_is_refused(parts: list[str]) -> None:
    Path("parts/3/timings.csv").write_text("variant\n", encoding="utf-8")
    with pytest.raises(IntegrityError, match=r"parts/3: timings\.csv changed"):
        join_parts(parts)


def test_a_fit_without_marginals_beside_fits_with_them_has_none() -> None:
    def fit(trial: int, marginals: np.ndarray | None) -> Predictions:
        row = {"variant": "", "trial": trial}
        return Predictions([""], [row], np.zeros((1, 2)), sets=np.zeros((1, 2, 1), np.uint8), marginals=marginals)

    both = joined([fit(0, None), fit(1, np.full((1, 2, 3), 0.5, np.float32))]).marginals
    assert both is not None and both.dtype == np.float32
    np.testing.assert_array_equal(both, [[[np.nan] * 3] * 2 + [[0.5] * 3] * 2])
