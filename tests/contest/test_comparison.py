"""The comparison of methods: kinds of data, groups, losses, intervals, and wrong rows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.contest.scores import CLEAR, only_comparison, table
from textmix.contest.comparison import MAIN, comparisons
from textmix.contest.conclusions import summarise
from textmix.contest.rows import TRIALS
from textmix.core.errors import DataFormatError


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
