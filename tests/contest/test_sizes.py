"""The study at several numbers of training documents: ranks, gaps, summaries and rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.contest.studies import table
from textmix.contest.sizes import STUDY, complete, documents_of, sizes, study_rows, summaries, without_score
from textmix.core import io
from textmix.core.errors import MissingResult
from textmix.experiment.methods import Method


def test_sizes_come_smallest_first_with_ranks_intervals_and_gaps():
    few, some = sizes(table({"matrix": [0.1] * 6, "matrix_few": [0.2, 0.3] * 3}))
    assert (few.study, some.study) == ("matrix", "matrix_few") and few.train == (100.0, 100.0)
    ranked = few.ranks()
    assert [row["method"] for row in ranked] == ["bayes", "svm", "slow"]
    assert [row["rank"] for row in ranked] == [1.0, 2.0, 3.0]
    assert ranked[0]["high"] - 1.0 == pytest.approx(2.0 - ranked[1]["low"])
    np.testing.assert_allclose(some.gaps(), [0.2, 0.3] * 3)
    assert sizes(table({"matrix": [0.1]}))[0].ranks()[0]["high"] == 3.0


def test_a_method_without_a_score_somewhere_is_not_ranked():
    rows = table({"matrix": [0.1, 0.1]})
    rows = rows[~((rows["method"] == "svm") & (rows["dataset"] == "d1"))]
    assert set(sizes(rows)[0].scores) == {"bayes", "slow"}


def test_ranks_stand_on_methods_and_data_sets_without_a_missing_score():
    scores = pd.DataFrame(np.arange(20.0).reshape(4, 5), index=list("abcd"), columns=list("vwxyz"))
    scores.loc["d", ["v", "w", "x", "y"]] = np.nan
    scores.loc["a", "x"] = np.nan
    block = complete(scores)
    assert [*block.index] == ["a", "b", "c"] and [*block.columns] == ["v", "w", "y", "z"]
    pd.testing.assert_frame_equal(complete(block), block)
    pd.testing.assert_frame_equal(complete(-scores), -block)


def test_a_data_set_on_which_most_methods_fail_does_not_take_all_ranks_away():
    rows = table({"matrix": [0.1, 0.1, 0.1]})
    rows = rows[~((rows["method"] != "slow") & (rows["dataset"] == "d1"))]
    (size,) = sizes(rows)
    assert set(size.scores) == {"bayes", "svm", "slow"} and [*size.scores.index] == ["d0", "d2"]
    assert size.without == (["d1"], [])
    numbers = {row["method"]: row["datasets"] for row in summaries(rows, ["accuracy"])}
    assert numbers == {"bayes": 2, "svm": 2, "slow": 3}


def test_the_documents_of_a_study_are_a_range_where_data_sets_differ():
    rows = table({"matrix": [0.1, 0.1], "matrix_few": [0.1]})
    rows.loc[(rows["study"] == "matrix") & (rows["dataset"] == "d1"), "train"] = 2000.0
    assert documents_of(rows) == {"matrix": "100 to 2,000", "matrix_few": "1,000"}


def test_summaries_are_medians_over_the_data_sets():
    row = next(row for row in summaries(table({"matrix": [0.0, 0.1, 0.3]}), ("accuracy", "macro_f1")))
    assert (row["method"], row["accuracy"], row["macro_f1"]) == ("bayes", pytest.approx(0.8), None)
    assert (row["seconds"], row["bytes"]) == (1.0, 2.0**21)


def test_rows_of_a_fit_are_read_with_its_costs(tmp_path):
    path = "matrix_few/single_words/news/bayes.csv"
    scores, timings = tmp_path / "scores" / path, tmp_path / "timings" / path
    text = "variant,trial,metric,value\n,0,accuracy,0.5\n,1,accuracy,0.7\n,0,log_loss,\n,1,log_loss,\n"
    io.write_result(scores, text, {})
    columns = "variant,trial,fit_seconds,predict_seconds,fit_bytes,predict_bytes,tune_seconds,cpu_seconds"
    io.write_result(timings, f"{columns}\n,0,1,2,10,5,,\n,1,3,2,30,5,,\n", {})
    method = Method("bayes", "a:b", "naive Bayes", "single", "counts", "x")
    (row,) = study_rows(scores, timings, method, 20.0)
    assert tuple(row) == STUDY
    assert (row["study"], row["dataset"], row["value"], row["seconds"], row["bytes"]) == (
        *("matrix_few", "news", pytest.approx(0.6), 4.0, 20.0),
    )
    assert without_score(scores, method) is None


def test_a_fit_without_a_score_is_named_with_its_reason(tmp_path):
    scores = tmp_path / "scores/matrix_few/single_words/news/bayes.csv"
    io.write_missing(scores, MissingResult("bayes takes more than 9 s"), {})
    assert without_score(scores, Method("bayes", "a:b", "naive Bayes", "single", "counts", "x")) == {
        "study": "matrix_few",
        "dataset": "news",
        "method": "bayes",
        "reason": "bayes takes more than 9 s",
    }
