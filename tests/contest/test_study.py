"""The study: ranks, the lead of generative methods, sentences that follow their tests, and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from reproduction.plan.matrix import load_matrix
from textmix.contest.characteristics import MEANINGS, characteristics
from textmix.contest.decided import Stated, read_decided, suited
from textmix.contest.lessons import lessons
from textmix.contest.sizes import STUDY, complete, documents_of, sizes, study_rows, summaries, without_score
from textmix.contest.study_page import Content, render
from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult
from textmix.data.corpus import Corpus
from textmix.data.registry import load_registry
from textmix.experiment.methods import Method, load_methods
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.splits import make_splits

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = {"bayes": "naive Bayes", "svm": "linear", "slow": "network"}


def table(gaps: dict[str, list[float]], task: str = "single") -> pd.DataFrame:
    """Return rows of a study: on data set i bayes leads svm by the i-th gap, and slow is worse and slower."""
    metrics = {"single": ("accuracy", "log_loss"), "multi": ("subset_accuracy", "set_log_loss")}[task]
    rows: list[dict[str, Any]] = []
    for size, (study, leads) in enumerate(gaps.items()):
        for number, lead in enumerate(leads):
            for method, score, seconds in (("bayes", 0.7 + lead, 1.0), ("svm", 0.7, 2.0), ("slow", 0.5, 9.0)):
                head = {"study": study, "train": 100.0 * 10**size, "dataset": f"d{number}", "task": task}
                spent = {"method": method, "family": FAMILIES[method], "seconds": seconds, "bytes": 2.0**21}
                rows += [
                    {**head, **spent, "metric": metric, "value": value}
                    for metric, value in zip(metrics, (score, 1.0 - score), strict=True)
                ]
    return pd.DataFrame(rows, columns=STUDY)


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


def test_sentences_follow_the_tests():
    facts = {("matrix", f"d{i}"): {"train": 100.0, "words": float(10 - i), "labels": 2.0} for i in range(8)}
    leads = [0.02 * i + 0.05 for i in range(8)]
    rows = table({"matrix": leads, "matrix_whole": [-0.1] * 8})
    text = " ".join(lessons(rows, sizes(rows), facts, 1)["single"])
    assert "With 100 training documents, bayes has the best mean rank" in text
    assert "Generative methods win." in text and "Generative methods lose." in text
    assert "Few documents favour generative methods." in text
    assert "words a document (rank correlation -1.00" in text and "labels (rank" not in text
    assert (
        "No data set at any size favours these methods, for another method is as good and as fast on each: slow."
        in text
    )


def test_sentences_do_not_claim_without_a_test():
    rows = table({"matrix": [0.03, -0.03, 0.05, -0.05, 0.02, -0.02]})
    text = " ".join(lessons(rows, sizes(rows), {}, 1)["single"])
    assert "No kind of method is called the winner." in text and "Few documents" not in text
    few = table({"matrix": [0.2] * 4, "matrix_whole": [-0.2] * 4})
    text = " ".join(lessons(few, sizes(few), {}, 1)["single"])
    assert "4 data sets are too few to call a winner." in text and "The data sets do not decide" in text
    assert "4 data sets are too few to test which characteristics" in text
    single = table({"matrix": [0.03], "matrix_whole": [0.2]})
    text = " ".join(lessons(single, sizes(single), {}, 1)["single"])
    assert "one data set allows no test over data sets" in text and "1 data sets" not in text
    assert "differs by +0.030 from the best other method on the one data set, which allows no test." in text
    assert "One data set is too few to test" in text and "signed-rank" not in text


def test_summaries_are_medians_over_the_data_sets():
    row = next(row for row in summaries(table({"matrix": [0.0, 0.1, 0.3]}), ("accuracy", "macro_f1")))
    assert (row["method"], row["accuracy"], row["macro_f1"]) == ("bayes", pytest.approx(0.8), None)
    assert (row["seconds"], row["bytes"]) == (1.0, 2.0**21)


def corpus() -> Corpus:
    """Return eight documents with two labels, the second document with both."""
    labels = np.eye(2, dtype=np.int8)[np.arange(8) % 2]
    labels[1] = 1
    counts = np.tile([3, 1, 0], (8, 1))
    return Corpus(
        name="tiny",
        ids=[str(i) for i in range(8)],
        label_names=["a", "b"],
        labels=sparse.csr_array(labels),
        features=sparse.csr_array(counts),
        feature_names=["x", "y", "z"],
    )


def test_characteristics_of_a_data_set(tmp_path):
    data = corpus()
    data.save(tmp_path / "features", {})
    make_splits(data, {"kind": "random", "train": 4, "trials": 1}, 1, "s", None).save(tmp_path / "splits", {})
    values = characteristics(tmp_path / "features", tmp_path / "splits")
    assert set(values) == set(MEANINGS)
    assert (values["train"], values["words"], values["burstiness"], values["features"]) == (4.0, 4.0, 2.0, 3.0)
    assert (values["cardinality"], values["density"], values["balance"]) == (9 / 8, 9 / 16, 5 / 8)
    io.write_missing(tmp_path / "none", MissingResult("no data"), {})
    assert characteristics(tmp_path / "none", tmp_path / "splits") == {}


def test_decisions_and_confidence_are_read_from_predictions(tmp_path):
    data = corpus()
    splits = make_splits(data, {"kind": "random", "train": 4, "trials": 1}, 1, "s", None)
    data.save(tmp_path / "features", {})
    splits.save(tmp_path / "splits", {})
    true = data.indicators()[splits.test[0]]
    wrong = 1 - true
    sets = pack_sets(true)[np.newaxis]
    decisions = np.stack([pack_sets(indicators) for indicators in (true, wrong, true)], axis=1)[np.newaxis]
    stated = np.full((1, 4), 0.9, dtype=np.float32)
    fits = [{"variant": "", "trial": 0, "converged": None, "n_iter": None, "objective": None, "chosen": ""}]
    predictions = Predictions([""], fits, np.zeros((1, 4)), sets=sets, confidence=stated, decisions=decisions)
    folder = tmp_path / "matrix/multi/tiny/method"
    predictions.save(folder, {})
    rows, confidence = read_decided([folder], {"tiny": (tmp_path / "features", tmp_path / "splits")})
    assert [row["metric"] for row in rows] == ["subset_accuracy", "sample_f", "hamming_loss"]
    assert rows[0]["mode"] == 1.0 and rows[2]["marginal"] == 0.0 and rows[2]["expected_f"] == 1.0
    assert confidence[0].right.all() and confidence[0].method == "method"
    assert suited(rows) == (
        "From one fit, the decision that suits a metric has its best value: mode for subset accuracy 1 of 1 times, "
        "expected f for sample f 0 of 1 times, marginal for hamming loss 1 of 1 times."
    )


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


def test_a_size_repeats_the_matrix_with_another_split_and_an_unknown_one_is_refused():
    methods, registry = load_methods(), load_registry(ROOT / "config/datasets.yaml")
    matrix = load_matrix(ROOT, ["r52_wheel", "yeast_wheel"], registry, methods, sizes=["few"])
    few = matrix.sizes["matrix_few"]["experiments"]
    assert {key: experiment["methods"] for key, experiment in few.items()} == {
        key: experiment["methods"] for key, experiment in matrix.spec["experiments"].items()
    }
    assert {name: split for experiment in few.values() for name, split in experiment["roles"].items()} == {
        "r52_wheel": "matrix_few",
        "yeast_wheel": "matrix_few",
    }
    with pytest.raises(ConfigError, match="configuration: matrix_sizes: no size 'lot'; allowed: few, whole"):
        load_matrix(ROOT, ["r52_wheel"], registry, methods, sizes=["lot"])


def content() -> Content:
    """Return the content of a page on both tasks at two sizes."""
    rows = pd.concat(
        [
            table({"matrix": [0.1, 0.2], "matrix_few": [0.1, 0.1]}),
            table({"matrix": [0.1, 0.2], "matrix_few": [0.1, 0.1]}, "multi"),
        ]
    )
    extra = rows[(rows["metric"] == "accuracy")].assign(metric="perplexity", value=321.0)
    rng = np.random.default_rng(0)
    stated = [Stated("d0", name, rng.random(50), rng.random(50) < 0.5) for name in ("cbm", "power_set")]
    head = {"dataset": "d0", "method": "cbm", "metric": "sample_f"}
    decided = [{**head, "mode": 0.5, "expected_f": 0.6, "marginal": 0.4}]
    facts = {("matrix", f"d{i}"): {"train": 100.0, "words": 12.5} for i in range(2)}
    titles = {"d0": "First <data>", "d1": "Second"}
    left_out = [{"study": "matrix", "dataset": "yeast_wheel", "method": "slow", "reason": "slow takes more than 9 s"}]
    rows = pd.concat([rows, extra])
    return Content(rows, left_out, decided, stated, facts, titles, 1, {"Run": {"seed": "1"}})


def test_the_page_shows_every_part_of_both_tasks():
    page = render(content())
    assert page == render(content())
    for part in ("First &lt;data&gt;", "321", "expected f for sample f 1 of 1 times", 'id="f-sizes-coverage"'):
        assert part in page, part
    for part in ('id="f-sizes-gap-single"', 'id="f-sizes-calibration"', "Nemenyi", "12.5", "slow takes more than 9 s"):
        assert part in page, part
