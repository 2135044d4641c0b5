"""Rows of scores and costs, read from the files of single fits."""

from __future__ import annotations

import numpy as np
import pytest

from tests.contest.example import METHODS, corpus, fit_in_comparison
from textmix.contest.rows import SCORES, read_costs, read_scores, read_table, read_trials
from textmix.contest.tuned import chosen_points
from textmix.core.errors import MissingResult
from textmix.core.io import format_csv, write_missing, write_result
from textmix.experiment.scoring import score
from textmix.experiment.trials import TIMINGS


def test_scores_and_costs_are_read_back_as_they_were_measured(tmp_path):
    data = corpus()
    (predictions, timings), splits = fit_in_comparison(data, "multinomial")
    rows = score(predictions, data, splits, ["accuracy", "log_loss", "calibration_error"])
    write_result(tmp_path / "multinomial.csv", format_csv(rows, ("variant", "trial", "metric", "value")), {})
    write_result(tmp_path / "times.csv", format_csv(timings, TIMINGS), {})
    cells = read_scores(tmp_path / "multinomial.csv", "tiny", METHODS["multinomial"])
    values = [row["value"] for row in rows if row["metric"] == "accuracy"]
    assert cells[0]["value"] == pytest.approx(np.mean(values))
    assert cells[0]["spread"] == pytest.approx(np.std(values, ddof=1))
    assert [cell["metric"] for cell in cells] == ["accuracy", "log_loss", "calibration_error"]
    (cost,) = read_costs(tmp_path / "times.csv", "tiny", "multinomial")
    assert cost["fit_seconds"] == np.median([row["fit_seconds"] for row in timings])
    assert cost["tune_seconds"] is None
    trials = read_trials(tmp_path / "multinomial.csv", tmp_path / "times.csv", "tiny", METHODS["multinomial"])
    assert [row["value"] for row in trials if row["metric"] == "accuracy"] == values
    assert trials[0]["fit_seconds"] == timings[0]["fit_seconds"]
    write_result(tmp_path / "scores.csv", format_csv(cells, SCORES), {})
    assert [row["value"] for row in read_table(tmp_path / "scores.csv")] == [cell["value"] for cell in cells]


@pytest.mark.parametrize(("value", "reason"), [("nan", "no probability"), ("inf", "finds a true label impossible")])
def test_value_that_is_none_says_why(tmp_path, value, reason):
    rows = [{"variant": "", "trial": trial, "metric": "log_loss", "value": value} for trial in (0, 1)]
    write_result(tmp_path / "a.csv", format_csv(rows, ("variant", "trial", "metric", "value")), {})
    (cell,) = read_scores(tmp_path / "a.csv", "tiny", METHODS["edcm"])
    assert reason in cell["reason"] and "value" not in cell


def test_missing_result_is_a_cell_with_its_reason_and_no_cost(tmp_path):
    for name in ("a.csv", "b.csv"):
        write_missing(tmp_path / name, MissingResult("edcm takes counts"), {})
    write_missing(tmp_path / "predictions", MissingResult("edcm takes counts"), {})
    assert read_scores(tmp_path / "a.csv", "tiny", METHODS["edcm"])[0]["reason"] == "edcm takes counts"
    assert read_costs(tmp_path / "b.csv", "tiny", "edcm") == []
    assert chosen_points(tmp_path / "predictions") == {}
