"""The lessons of the study follow its tests."""

from __future__ import annotations

from tests.contest.studies import table
from textmix.contest.lessons import lessons
from textmix.contest.sizes import sizes


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
