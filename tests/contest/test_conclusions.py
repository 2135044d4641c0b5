"""The conclusions of a comparison say what its tests say."""

from __future__ import annotations

import re

import pytest

from tests.contest.scores import CLEAR, only_comparison, table
from textmix.contest.comparison import comparisons
from textmix.contest.conclusions import summarise
from textmix.metrics import ranking


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
