"""The summary of a score table: what it says is what the tests tell, and nothing is said without one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from textmix.contest.comparison import MAIN, Comparison, comparisons
from textmix.contest.conclusions import summarise
from textmix.contest.rows import TRIALS
from textmix.core.errors import DataFormatError
from textmix.metrics import ranking

Row = dict[str, str]


def table(
    n: int, effects: Mapping[str, float], trials: int = 3, noise: float = 0.004, metric: str = "accuracy", seed: int = 0
) -> list[Row]:
    """Return synthetic scores: each method has its own effect on each of n data sets."""
    rng = np.random.default_rng(seed)
    task = "single" if metric in ("accuracy", "log_loss") else "multi"
    rows = []
    for d, base in enumerate(rng.normal(0.7, 0.05, n)):
        for number, (method, effect) in enumerate(effects.items()):
            for trial in range(trials):
                row = {"dataset": f"d{d}", "task": task, "method": method, "metric": metric, "trial": str(trial)}
                row |= {"value": repr(float(base + effect + rng.normal(0, noise))), "fit_seconds": str(10.0**number)}
                rows.append({**row, "predict_seconds": "0.5"})
    return rows


def only_comparison(rows: list[Row], **options: Any) -> Comparison:
    (comparison,) = comparisons(rows, **options)
    return comparison


CLEAR = {"edcm": 0.1, "dcm": 0.099, "nb": 0.0, "knn": -0.1}


def test_the_lead_names_what_nemenyi_tells_apart_with_intervals() -> None:
    comparison = only_comparison(table(12, CLEAR))
    lead = summarise(comparison).lead
    apart = {
        m
        for m, r in zip(comparison.methods, comparison.ranks, strict=True)
        if r - comparison.ranks.min() >= comparison.difference
    }
    assert apart == {"nb", "knn"}
    match = re.fullmatch(
        r"On single-label data \(12 data sets, accuracy\) (\w+) is better than nb \(by 0\.\d+, (.+) to (.+)\) and knn "
        r"\(by 0\.\d+, .+ to .+\); it is not distinguishable from (\w+)\.",
        lead,
    )
    assert match and {match[1], match[4]} == {"edcm", "dcm"} and float(match[2]) < 0.11 < float(match[3]) + 0.02


def test_no_difference_no_claim() -> None:
    paragraph = summarise(only_comparison(table(10, dict.fromkeys("abcd", 0.0), noise=0.05)))
    everything = " ".join([paragraph.lead, *paragraph.details])
    assert "no method is distinguishable from" in paragraph.lead and "Chance alone" in everything
    assert not re.search(r"\w is better than", everything)
    assert "Wilcoxon, Holm" not in everything


def test_claims_from_chance_alone_are_as_rare_as_the_level_says() -> None:
    leads = [
        summarise(only_comparison(table(8, dict.fromkeys("abcd", 0.0), 1, 0.05, seed=seed))).lead for seed in range(30)
    ]
    assert sum(" is better than " in lead for lead in leads) <= 4


@pytest.mark.parametrize(("n", "trials"), [(2, 1), (5, 1)])
def test_too_few_data_sets_of_two_methods_tell_nothing(n: int, trials: int) -> None:
    paragraph = summarise(only_comparison(table(n, {"a": 0.3, "b": 0.0}, trials)))
    assert "no method is distinguishable from" in paragraph.lead
    assert not any(re.search(r" is better than ", sentence) for sentence in paragraph.details)
    if n > 1:
        assert any("too few to distinguish two methods" in sentence for sentence in paragraph.details)


def test_one_data_set_is_told_by_its_trials() -> None:
    paragraph = summarise(only_comparison(table(1, {"a": 0.2, "b": 0.0, "c": 0.199}, trials=10)))
    lead = r"On d0 the largest mean accuracy is that of [ac], [\d.]+ over 10 trials; it is better than b \(by [\d.]+, "
    assert re.search(lead + r".*\), and not distinguishable from [ac] ", paragraph.lead)
    assert len(paragraph.details) == 3 and " compared with b: mean difference 0." in paragraph.details[1]
    assert "the fastest, " in paragraph.details[2] or "the least of all" in paragraph.details[2]
    assert "one split" in summarise(only_comparison(table(1, {"a": 0.2, "b": 0.0}, trials=1))).lead


def test_two_methods_are_compared_by_wilcoxons_test() -> None:
    comparison = only_comparison(table(8, {"a": 0.0, "b": 0.1}))
    assert comparison.friedman is None and "b is better than a (by " in summarise(comparison).lead
    assert comparison.pairs()[0].p == ranking.wilcoxon(comparison.scores[:, 1], comparison.scores[:, 0])


def test_a_loss_is_better_when_smaller() -> None:
    comparison = only_comparison(table(8, {"low": 0.0, "high": 0.3}, metric="log_loss"), metrics={"single": "log_loss"})
    paragraph = summarise(comparison)
    assert "low is better than high" in paragraph.lead and "smallest mean is that of low, 0." in " ".join(
        paragraph.details
    )


def test_wider_test_parts_make_wider_intervals() -> None:
    rows = table(1, {"a": 0.02, "b": 0.0}, trials=5)
    narrow, wide = (
        only_comparison(rows, facts={"d0": {"train": 100, "test": test}}).pairs_on("d0")[1][1] for test in (10.0, 100.0)
    )
    assert wide.high - wide.low > narrow.high - narrow.low
    assert only_comparison(rows).pairs_on("d0")[1][1] == wide


def test_short_and_long_texts_are_told_apart_where_there_are_both() -> None:
    rows = table(4, CLEAR) + table(2, CLEAR, metric="subset_accuracy")
    facts = {f"d{d}": {"mean_length": 20.0 if d < 3 else 80.0} for d in range(4)}
    kinds = [(comparison.kind, len(comparison.datasets)) for comparison in comparisons(rows, facts)]
    assert kinds == [
        *[("single-label data", 4), ("short single-label texts", 3), ("long single-label texts", 1)],
        ("short multi-label texts", 2),
    ]
    assert [comparison.kind for comparison in comparisons(table(2, CLEAR))] == ["single-label data"]


def test_methods_for_counts_alone_are_compared_on_the_data_that_are_counts() -> None:
    rows = [row for row in table(4, CLEAR) if (row["dataset"], row["method"]) != ("d3", "nb")]
    both = comparisons(rows, {f"d{d}": {"counts": float(d < 3)} for d in range(4)})
    assert [(comparison.kind, len(comparison.datasets), "nb" in comparison.methods) for comparison in both] == [
        ("single-label data", 4, False),
        ("single-label counts", 3, True),
    ]
    assert len(comparisons(rows, {f"d{d}": {"counts": 1.0} for d in range(4)})) == 1


def test_a_method_without_a_score_somewhere_is_left_out_and_named() -> None:
    rows = table(3, CLEAR)
    rows = [{**r, "value": ""} if r["dataset"] == "d1" and r["method"] == "knn" else r for r in rows]
    rows = [r for r in rows if (r["dataset"], r["method"], r["trial"]) != ("d2", "nb", "0")]
    comparison = only_comparison(rows)
    assert comparison.methods == ["edcm", "dcm"] and comparison.missing == {"nb": ["d2"], "knn": ["d1"]}
    details = " ".join(summarise(comparison).details)
    assert "On d0 the largest mean is that of " in details and " nb" in details.split("On d0 ")[1].split("On d1 ")[0]
    assert "Left out because a score of some trial is missing on d2: nb." in details
    rows = [r for r in rows if r["method"] != "dcm"]
    assert comparisons(rows) == []


def test_time_is_told_with_an_interval_only_where_there_is_a_test() -> None:
    slow_best = {"fast": 0.0, "slow": 0.1}
    few, many = (" ".join(summarise(only_comparison(table(n, slow_best))).details) for n in (3, 8))
    assert (
        "slow takes 10.5 s" in few and "as measured 7 to 7 times what fast takes" in few and "interval" not in few[-80:]
    )
    assert "7 times, 95% interval 7 to 7, p = 0.008, Wilcoxon" in many
    assert "the least of all" in " ".join(summarise(only_comparison(table(3, {"fast": 0.1, "slow": 0.0}))).details)
    without = [{**row, "fit_seconds": ""} for row in table(3, slow_best)]
    assert " takes " not in " ".join(summarise(only_comparison(without)).details)


def test_groups_join_all_methods_unless_friedman_rejects() -> None:
    alike, apart = only_comparison(table(8, dict.fromkeys("abc", 0.0), noise=0.05)), only_comparison(table(12, CLEAR))
    assert [sorted(group) for group in alike.groups] == [[0, 1, 2]]
    assert apart.differ and len(apart.groups) > 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "high"}, "line 3: value 'high' is no number"),
        ({"task": "other"}, "line 3: the task 'other' is not one of single, multi"),
        ({"trial": "0"}, "line 3: trial 0 of edcm occurs twice"),
        ({"metric": None}, "line 3: has no metric; the columns are dataset"),
    ],
)
def test_a_wrong_row_is_named(change: dict[str, Any], message: str) -> None:
    rows: list[dict[str, Any]] = list(table(2, CLEAR))
    rows[1] = {**rows[1], **change}
    with pytest.raises(DataFormatError, match=re.escape(message)):
        comparisons(rows)
    assert tuple(rows[0]) == TRIALS and MAIN["single"] == "accuracy"
