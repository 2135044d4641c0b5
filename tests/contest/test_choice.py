"""The recommended method: its interval, the tests against it, and the look into its predictions."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from textmix.contest.description import beginning, copies
from textmix.contest.inspection import (
    by_label,
    calibration,
    confused_pairs,
    confusion,
    copy_sentences,
    errors,
    inspect,
    prediction_rows,
)
from textmix.contest.pages import own_lead
from textmix.contest.recommendation import Entrant, recommend, right_of, sentences
from textmix.core.errors import LEFT_BEHIND, OUT_OF_TIME
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.methods import load_methods
from textmix.experiment.predictions import Predictions
from textmix.experiment.refit import Refit, linear_weights, typed_point
from textmix.experiment.splits import Splits
from textmix.metrics.significance import wilson

ONE = Splits(Ragged(np.arange(6), np.array([0, 6])), Ragged(np.arange(6, 10), np.array([0, 4])))
CLASSES = [0, 1, 0, 1, 0, 1, 0, 1, 1, 0]
COUNTS = sparse.csr_array(np.array([[3, 0, 1] if c == 0 else [0, 3, 1] for c in CLASSES], dtype=np.int32))
CORPUS = Corpus(
    name="toy",
    ids=[f"d{row}" for row in range(10)],
    label_names=["a", "b"],
    labels=label_matrix([[c] for c in CLASSES], 2),
    text=Ragged.from_texts(f"text  {row}".encode() for row in range(10)),
    features=COUNTS,
    feature_names=["ball", "paint", "the"],
)
MADE = Predictions([""], [], np.zeros((1, 4)), classes=np.array([[0, 1, 0, 1]], dtype=np.int32))


def entrant(name: str, right: list[int], seconds: float = 1.0, validation: float | None = 0.5) -> Entrant:
    return Entrant(name, np.array([np.mean(right)]), seconds, np.array(right, dtype=bool), validation)


def test_one_split_is_compared_document_by_document() -> None:
    good, alike, bad = [1] * 18 + [0] * 2, [1] * 17 + [0] * 3, [0] * 20
    entrants = [entrant("bad", bad, 1.0, 0.1), entrant("alike", alike, 0.1, 0.6), entrant("good", good, 1.0, 0.7)]
    choice = recommend(entrants, "accuracy", ONE, 1)
    assert (choice["method"], choice["value"], choice["rank"]) == ("good", 0.9, 1)
    assert (choice["low"], choice["high"]) == pytest.approx(wilson(0.9, 20))
    assert [pair["method"] for pair in choice["pairs"]] == ["alike", "bad"]
    assert choice["pairs"][0]["p"] == 1.0
    assert choice["pairs"][1]["p"] == pytest.approx(2 * 2 * 0.5**18)
    assert sentences(choice, 1) == [
        "Use good: it has the largest accuracy in cross-validation on the training documents, 0.700, and 0.900, 95 % "
        f"interval {choice['low']:.3f} to {choice['high']:.3f} on the test documents, which took no part in the "
        "choice.",
        "McNemar's exact test on whole documents (Holm) shows that it is better than bad.",
        "The comparison with alike is undecided.",
    ]


def test_the_test_documents_take_no_part_in_the_choice() -> None:
    worse, best = [1] * 12 + [0] * 8, [1] * 20
    entrants = [entrant("best_by_test", best, 1.0, 0.80), entrant("best_by_folds", worse, 1.0, 0.81)]
    choice = recommend(entrants, "accuracy", ONE, 1)
    assert (choice["method"], choice["value"], choice["rank"]) == ("best_by_folds", 0.6, 2)
    assert choice["pairs"][0]["difference"] == pytest.approx(-0.4)
    lines = sentences(choice, 1)
    assert lines[1] == (
        "McNemar's exact test on whole documents (Holm) shows that best_by_test would have been better on these test "
        "documents."
    )
    assert lines[2] == "By the test documents alone it would be number 2 of 2 methods."
    shuffled = [entrant(entry.name, list(1 - entry.right), entry.seconds, entry.validation) for entry in entrants]
    assert recommend(shuffled, "accuracy", ONE, 1)["method"] == "best_by_folds"


def test_a_method_without_a_score_on_folds_is_chosen_only_where_no_one_has_one() -> None:
    good, bad = [1] * 20, [0] * 20
    choice = recommend([entrant("untuned", good, 1.0, None), entrant("tuned", bad, 1.0, 0.1)], "accuracy", ONE, 1)
    assert choice["method"] == "tuned"
    choice = recommend([entrant("untuned", good, 1.0, None)], "accuracy", ONE, 1)
    assert sentences(choice, 1)[0].endswith("on the test documents; no method was validated.")


@pytest.mark.parametrize(("wrong", "named"), [(0, "quick"), (12, None)])
def test_a_quicker_method_is_named_only_if_its_loss_is_bounded(wrong: int, named: str | None) -> None:
    """Six of a hundred points are lost where the interval of the difference reaches beyond one point."""
    right = [1] * 190 + [0] * 10
    quick = [0] * wrong + right[wrong:]
    choice = recommend([entrant("slow", right, 1.0, 0.9), entrant("quick", quick, 0.1, 0.8)], "accuracy", ONE, 1)
    assert choice["quicker"] == named
    assert any("quick takes" in sentence for sentence in sentences(choice, 1)) == (named is not None)


def test_a_quicker_method_is_not_named_where_the_comparison_decides_nothing() -> None:
    """Five equal differences give a sign test that cannot reject: .367 beside 1.000 is no reason to take the former."""
    splits = Splits(Ragged(np.arange(40), np.arange(0, 41, 8)), Ragged(np.arange(10), np.arange(0, 11, 2)))
    right = np.ones(10, dtype=bool)
    slow = Entrant("slow", np.full(5, 1.0), 1.0, right, 0.9)
    majority = Entrant("majority", np.full(5, 0.367), 0.01, right, 0.3)
    choice = recommend([slow, majority], "accuracy", splits, 1)
    assert choice["quicker"] is None and choice["pairs"][0]["p"] > 0.05
    assert sentences(choice, 5)[1:] == ["The comparison with majority is undecided."]


def test_an_interval_of_all_right_is_no_point() -> None:
    choice = recommend([entrant("all", [1] * 100)], "accuracy", ONE, 1)
    assert (choice["value"], choice["high"]) == (1.0, pytest.approx(1.0)) and choice["low"] < 0.97


def test_an_interval_does_not_depend_on_the_further_methods() -> None:
    a, b, c = [1] * 18 + [0] * 2, [1] * 15 + [0] * 5, [0, 1] * 10
    few = recommend([entrant("a", a, 1.0, 0.9), entrant("c", c)], "accuracy", ONE, 1)
    more = recommend([entrant("a", a, 1.0, 0.9), entrant("b", b), entrant("c", c)], "accuracy", ONE, 1)
    ends = [(pair["low"], pair["high"]) for pair in few["pairs"]]
    assert ends == [(pair["low"], pair["high"]) for pair in more["pairs"] if pair["method"] == "c"]
    assert (few["low"], few["high"]) == (more["low"], more["high"])


def test_copies_of_training_documents_are_counted_and_left_out() -> None:
    texts = ["a", "b", "c", "d", "e", "f", "a", "x", "b", "y"]
    corpus = replace(CORPUS, text=Ragged.from_texts(text.encode() for text in texts))
    copied = copies(corpus, ONE)
    assert copied.tolist() == [True, False, True, False]
    (sentence,) = copy_sentences(copied, np.array([True, True, True, False]))
    low, high = wilson(0.5, 2)
    assert sentence == (
        "2 of 4 test documents have the text of a training document; of the 2 further ones 0.500 are right, 95 % "
        f"interval {low:.3f} to {high:.3f}."
    )
    assert copy_sentences(np.ones(4, dtype=bool), np.ones(4, dtype=bool)) == [
        "4 of 4 test documents have the text of a training document: the score says nothing about new documents."
    ]
    assert copy_sentences(np.zeros(4, dtype=bool), np.ones(4, dtype=bool)) == []


def test_several_splits_are_compared_by_the_resampled_test_and_a_loss_is_better_when_small() -> None:
    splits = Splits(Ragged(np.arange(24), np.arange(0, 25, 8)), Ragged(np.arange(6), np.arange(0, 7, 2)))
    right = np.zeros(6, dtype=bool)
    losses = {"large": [0.5, 0.51, 0.49], "small": [0.1, 0.11, 0.08]}
    entrants = [Entrant(n, np.array(v), 1.0, right, v[0]) for n, v in losses.items()]
    choice = recommend(entrants, "log_loss", splits, 1)
    assert choice["method"] == "small"
    assert choice["pairs"][0]["difference"] == pytest.approx(0.4033, abs=1e-3)
    assert choice["pairs"][0]["p"] < 0.05
    sentence = sentences(choice, 3)[0]
    assert "smallest log loss in cross-validation on the training documents, 0.100" in sentence
    assert "on the test documents of 3 splits" in sentence


def test_labels_confusions_and_calibration_by_hand() -> None:
    true, predicted = np.array([[1, 0], [1, 1], [1, 0]]), np.array([[1, 0], [0, 0], [1, 0]])
    rows = by_label(true, predicted, ["x", "y"])
    assert rows[0] == {"label": "x", "support": 3, "precision": 1.0, "recall": 2 / 3, "f": 4 / 5}
    assert rows[1] == {"label": "y", "support": 1, "precision": None, "recall": 0.0, "f": 0.0}
    assert confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), ["a", "b"])["counts"] == [[1, 1], [0, 1]]
    bins = calibration(np.array([0.95, 0.97, 0.1]), np.array([True, False, False]))
    assert [(bin_["number"], bin_["observed"]) for bin_ in bins] == [(1, 0.0), (2, 0.5)]
    assert calibration(np.array([np.nan]), np.array([True])) == []


def test_a_text_that_goes_on_ends_with_an_ellipsis() -> None:
    assert beginning("ä b\n c".encode(), 5) == "ä b c"
    assert beginning("ä b\n cd".encode(), 5) == "ä b c…"
    assert beginning(b"a" + b" " * 30 + b"b", 5) == "a…"


def test_errors_come_with_their_text_and_the_surest_first() -> None:
    assert right_of(MADE, CORPUS.classes(), ONE).tolist() == [True, True, False, False]
    wrong = errors(MADE, CORPUS, ONE, np.array([0.0, 0.0, 1.0, 2.0]))
    assert [error["id"] for error in wrong] == ["d9", "d8"]
    assert wrong[0] == {"id": "d9", "true": ["a"], "predicted": ["b"], "stated": [], "text": "text 9"}
    rows = list(prediction_rows(MADE, CORPUS, ONE))
    assert [row["right"] for row in rows] == [True, True, False, False]
    assert (rows[0]["id"], rows[0]["true"], rows[0]["probability"]) == ("d6", "a", "")


def test_a_refit_gives_curve_words_and_confidence() -> None:
    entry = {"views": {"words": {}}, "weightings": ["tfidf"]}
    point = typed_point("view=words;weighting=tfidf;C=10.0")
    assert point == {"view": "words", "weighting": "tfidf", "C": 10.0}
    refit = Refit([CORPUS], ONE, load_methods()["linear_svm"], entry, point, 1)
    curve, estimator = refit.curve("accuracy")
    assert curve[-1] == {"documents": 6, "value": 1.0}
    assert [(row["label"], row["words"][0]) for row in refit.words(estimator)] == [("a", "ball"), ("b", "paint")]
    confidence = refit.confidence(estimator)
    assert confidence is not None
    assert confidence.shape == (4,)


def test_a_point_is_typed_and_only_linear_models_have_weights() -> None:
    assert typed_point("length=None;discount_counts=pooled;norm=True;n=3") == {
        **{"length": None, "discount_counts": "pooled", "norm": True, "n": 3}
    }
    assert linear_weights(SimpleNamespace(classes_=[0, 1])) is None


def test_the_lead_says_which_methods_are_on_the_page() -> None:
    assert own_lead(3, 5, 0) == "3 methods on 5 splits into training and test documents."
    first = own_lead(1, 1, 1)
    assert first.startswith("1 method on 1 split into training and test documents. These are the methods of low cost;")
    assert first.endswith("the page index.html one folder up shows 1 costlier method too.")
    assert "shows 2 costlier methods too" in own_lead(3, 5, 2)
    assert own_lead(
        6, 1, 0, [f"{OUT_OF_TIME}edcm was stopped", f"{OUT_OF_TIME}dcm was not tried", "cbm takes sets"]
    ) == (
        "3 methods on 1 split into training and test documents. For 2 more the time budget left no time. "
        "1 more does not apply, for the reasons below the scores."
    )
    raced = own_lead(4, 1, 0, [f"{LEFT_BEHIND}dcm had accuracy 0.500 in 1 fold", f"{LEFT_BEHIND}knn had accuracy 0.4"])
    assert raced.endswith("documents. 2 more were left behind on training documents and not tested.")


def test_confused_pairs_come_with_texts_and_a_pair_that_stands_once_is_left_out() -> None:
    once = replace(MADE, classes=np.array([[0, 0, 1, 0]], dtype=np.int32))
    assert confused_pairs(once, CORPUS, ONE) == []
    alike = replace(MADE, classes=np.array([[0, 0, 0, 0]], dtype=np.int32))
    assert confused_pairs(alike, CORPUS, ONE) == [
        {
            **{"true": "b", "predicted": "a", "number": 2},
            "texts": [{"id": "d7", "text": "text 7"}, {"id": "d8", "text": "text 8"}],
        }
    ]


def test_errors_state_the_probability_of_what_was_predicted_and_come_in_its_order() -> None:
    sure = replace(MADE, marginals=np.array([[0.9, 0.8, 0.7, 0.6]], dtype=np.float32))
    wrong = errors(sure, CORPUS, ONE, np.array([0.0, 0.0, 1.0, 2.0]))
    assert [error["stated"] for error in wrong] == [pytest.approx([0.7]), pytest.approx([0.6])]


def test_labels_with_few_test_documents_are_named() -> None:
    assert inspect(MADE, CORPUS, ONE)["few"] == ["a", "b"]
