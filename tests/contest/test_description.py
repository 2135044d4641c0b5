"""The description of a data set: counts and remarks."""

from __future__ import annotations

from dataclasses import replace

from tests.contest.example import SPLIT, corpus
from textmix.contest.description import describe
from textmix.experiment.splits import make_splits

# --- what was understood ----------------------------------------------------------------------------------------------


def test_summary_counts_and_remarks():
    data = corpus(several=True)
    description = describe(data, data, make_splits(data, SPLIT, 1, "s", None))
    assert description["statistics"]["documents"] == 60
    assert description["vocabulary"] == 12
    assert description["labels"][0] == ["class 0", 20]
    assert description["labels_a_document"] == [[1, 59], [2, 1]]
    assert description["lengths"][0][0] == "least" and description["lengths"][0][1] == data.features.sum(axis=1).min()
    assert description["splits"] == [{"train": 30, "test": 30}] * 2
    assert description["examples"][0] == {"id": "0", "labels": ["class 0"], "text": "some words"}
    assert any("1 of 4 labels occur in one document only" in remark for remark in description["remarks"])
    assert any("1 of 60 documents repeat the text" in remark for remark in description["remarks"])


def test_real_valued_features_have_no_lengths():
    real = corpus(reals=True)
    description = describe(real, real, make_splits(real, SPLIT, 1, "s", None))
    assert description["lengths"] == [] and not any("vocabulary" in remark for remark in description["remarks"])


def test_labels_by_which_tables_write_that_there_is_none_are_named():
    data = replace(corpus(), label_names=["NaN", *corpus().label_names[1:]])
    remarks = describe(data, data, make_splits(data, SPLIT, 1, "s", None))["remarks"]
    assert "“NaN” count as labels; empty these cells if they mean that there is none." in remarks
