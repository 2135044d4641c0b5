"""The average of the best methods: validated as a loop over folds says, and chosen, tested and kept by a worker."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, softmax

from tests.race.judge import Results, verdict
from tests.race.test_comparison import documents
from textmix.core.errors import MissingResult
from textmix.core.io import read_csv, read_json, write_json
from textmix.experiment.splits import make_splits
from textmix.metrics.classification import accuracy
from textmix.metrics.multilabel import micro_f
from textmix.metrics.threshold import class_thresholds
from textmix.models.common.averaging import slope_of
from textmix.race import average, deciding, look
from textmix.race.averaging import AVERAGE, AverageArm, Averaging
from textmix.race.comparison import corpus_of
from textmix.race.run import SPLIT
from textmix.race.runners import Arm
from textmix.race.worker import Worker
from textmix.serve.averaged import load_model


def held_out(several: bool) -> tuple[list[list[np.ndarray]], list[np.ndarray]]:
    """Return scores of two parts on three folds, and the truth of each fold."""
    generator = np.random.default_rng(11)
    folds, truths = [], []
    for n in (20, 25, 22):
        hidden = generator.normal(0, 1, (n, 4))
        folds.append([hidden + generator.normal(0, 1, (n, 4)), 5 * hidden + generator.normal(0, 6, (n, 4))])
        truths.append((hidden > 0.3).astype(int) if several else np.argmax(hidden, axis=1))
    return folds, truths


@pytest.mark.parametrize("several", [False, True])
def test_each_fold_is_decided_by_the_other_folds(several: bool) -> None:
    folds, truths = held_out(several)
    task, metric = ("multi", "micro_f") if several else ("single", "accuracy")
    found, decision = deciding.validated([(folds, truths)], task, metric, never_empty=False)
    link = expit if several else (lambda scores: softmax(scores, axis=1))
    for fold in range(3):
        rest = [other for other in range(3) if other != fold]
        truth = np.concatenate([truths[other] for other in rest])
        slopes = [slope_of(np.concatenate([folds[other][k] for other in rest]), truth, task) for k in range(2)]

        def mean(scores: list[np.ndarray], slopes: list[float] = slopes) -> np.ndarray:
            """Return the mean of both probabilities."""
            return (link(slopes[0] * scores[0]) + link(slopes[1] * scores[1])) / 2

        stated = mean(folds[fold])
        if several:
            before = mean([np.concatenate([folds[other][k] for other in rest]) for k in range(2)])
            cuts = class_thresholds(before, truth, deciding.DEFAULT, "f1", deciding.LEAST)
            wanted = micro_f(truths[fold], (stated >= cuts).astype(int))
        else:
            wanted = accuracy(truths[fold], np.argmax(stated, axis=1))
        assert found[fold] == pytest.approx(wanted)
    every = np.concatenate([fold[1] for fold in folds])
    assert decision.slopes[1] == pytest.approx(slope_of(every, np.concatenate(truths), task))


def test_parts_are_added_as_a_loop_over_all_averages_says() -> None:
    generator = np.random.default_rng(5)
    stated = [generator.beta(2 + k % 3, 2, 60) for k in range(7)]

    def value(parts: tuple[int, ...]) -> float:
        """Return the mean log of the average of some parts."""
        return sum(math.log(sum(float(stated[part][row]) for part in parts) / len(parts)) for row in range(60)) / 60

    found: tuple[int, ...] = ()
    while len(found) < 4:
        best = max(((*found, part) for part in range(7) if part not in found), key=value)
        if found and value(best) < value(found) + deciding.GAIN:
            break
        found = best
    assert deciding.chosen_parts(stated, 4) == [*found]


def test_the_parts_of_a_fold_are_chosen_without_it() -> None:
    """A part that is right on one fold alone is no part of the average that is judged there."""
    generator = np.random.default_rng(6)
    truths = [generator.integers(3, size=40) for _ in range(3)]
    good, lucky = (lambda truth: 2 * np.eye(3)[truth]), (lambda truth: 50 * np.eye(3)[truth])
    noise = [generator.normal(0, 1, (40, 3)) for _ in range(3)]
    folds = [[good(truth) + noise[k], lucky(truth) if k == 0 else -lucky(truth)] for k, truth in enumerate(truths)]
    alone = deciding.validated([([[fold[0]] for fold in folds], truths)], "single", "accuracy", never_empty=False)[0]
    found, decision = deciding.validated([(folds, truths)], "single", "accuracy", never_empty=False, most=2)
    assert found[0] == pytest.approx(alone[0])
    assert decision.parts == [0]


def test_never_empty_answers_are_what_is_validated() -> None:
    folds, truths = held_out(True)
    truths = [np.where(truth.any(axis=1, keepdims=True), truth, np.eye(4, dtype=int)[0]) for truth in truths]
    low = [[scores - 4.0 for scores in fold] for fold in folds]
    plain, filled = (
        np.mean(deciding.validated([(low, truths)], "multi", "sample_f", never_empty=never)[0])
        for never in (False, True)
    )
    assert filled >= plain


@pytest.fixture(params=[False, True], ids=["one label", "several labels"])
def worker(request: Any, tmp_path: Path) -> Worker:
    """A worker in this process, whose words are counted."""
    corpus, _ = corpus_of(*documents(request.param))
    task = "multi" if request.param else "single"
    corpus.save(tmp_path / "parsed", {})
    make_splits(corpus, SPLIT, 0, "race", None).save(tmp_path / "splits", {})
    (tmp_path / "views").mkdir()
    settings = {"name": corpus.name, "task": task, "metric": "macro_f" if request.param else "accuracy", "seed": 0}
    write_json(
        tmp_path / "race.json",
        {
            **settings,
            "never_empty": request.param,
            "encoder": "",
            "model": "",
            "source": "t",
            "title": "t",
            "about": {},
        },
    )
    made = Worker(tmp_path)
    made.count({"view": "words", "methods": ["linear_svm", "svm_relevance"]})
    return made


def test_an_average_is_validated_tested_chosen_and_kept(worker: Worker) -> None:
    several = worker.settings.task == "multi"
    names = ("svm_relevance", "binary_relevance") if several else ("linear_svm", "multinomial")
    points: list[dict[str, Any]] = [{"C": 1.0}, {"variance": 1.0} if several else {"smoothing": 0.1}]
    weightings = ("tfidf", "tfidf") if several else ("tfidf", "counts")
    folds = list(range(1, 1 + worker.n_folds))
    arms = []
    for name, point, weighting in zip(names, points, weightings, strict=True):
        arm = {"method": name, "arm": f"{name} one", "choice": {"view": "words", "weighting": weighting}}
        arms.append({**arm, "point": point, "uncalibrated": True})
        for part in folds:
            worker.fit({**arms[-1], "part": part, "keep": True})
    found = average.validate(worker, {"arms": arms, "rounds": [folds], "first": 3})
    assert len(found["values"]) == len(folds)
    order = {"do": "finish", "method": AVERAGE, "choice": {}, "point": found, "name": "methods=a+b"}
    order |= {"validation": float(np.mean(found["values"])), "seconds": 1.0, "cpu_seconds": 1.0}
    value = worker.finish(order)["value"]
    choice = worker.choose({"finished": [order], "shares": (), "where": "in cross-validation"})
    assert choice["method"] == AVERAGE
    assert choice["value"] == pytest.approx(value)
    look.doubts(worker, {"finished": [order], "folds": folds})
    look.curve(worker, {"finished": [order], "shares": (0.5, 1.0)})
    found = look.seen(worker, choice)
    assert found["curve"][-1] == {"documents": len(worker.splits.train[0]), "value": choice["value"]}
    assert found["curve"][-2]["value"] == pytest.approx(choice["value"])
    assert {row["label"] for row in found["words"]} <= {*worker.parsed.label_names}
    assert found["words_of"] == f"{names[0]} (words)"
    assert found["doubts"]["of"] == len(worker.splits.train[0])
    assert found["doubts"]["number"] == doubted(worker, order["point"]["parts"], folds)
    worker.keep({"finished": [order]})
    model = load_model(worker.folder / "model")
    texts = worker.parsed.text
    assert texts is not None
    labels, probability = model.label(texts)
    assert probability is not None
    assert probability.shape == (len(texts), 3)
    assert (labels == worker.truth).mean() > 0.8
    if several:
        assert labels.any(axis=1).all()
    rows = read_csv(worker.folder / "predictions.csv")
    assert len(rows) == len(worker.splits.test[0])
    assert model.card["point"] == {"methods": "a+b"}


def test_the_scores_that_are_kept_are_those_of_the_arm_that_is_asked(worker: Worker, monkeypatch: Any) -> None:
    """Also of a fit whose answer was lost, after which the worker had other fits of the method, one of them stopped."""
    name = "svm_relevance" if worker.settings.task == "multi" else "linear_svm"
    arm = {"method": name, "arm": "one", "choice": {"view": "words", "weighting": "tfidf"}, "point": {"C": 1.0}}
    place = average.place_of(worker.folder, name, "one", 1)
    worker.fit({**arm, "part": 1, "keep": True})
    wanted = np.load(place)
    for other in ({"point": {"C": 0.01}, "part": 1}, {"point": {"C": 1.0}, "part": 2}):
        place.unlink()
        worker.fit({**arm, "arm": "other", **other, "keep": False})
        worker.fit({**arm, "part": 1, "keep": True})
        np.testing.assert_allclose(np.load(place), wanted, atol=0.1)  # it starts from the last solution

    def stopped(*of: Any) -> float:
        """End a fit as ^C does."""
        raise MissingResult("stopped")

    with monkeypatch.context() as patched, pytest.raises(MissingResult, match="stopped"):
        patched.setattr("textmix.experiment.search.metric_value", stopped)
        worker.fit({**arm, "arm": "other", "point": {"C": 0.1}, "part": 1, "keep": True})
    worker.fit({**arm, "part": 1, "keep": True})
    np.testing.assert_allclose(np.load(place), wanted, atol=0.1)


def doubted(worker: Worker, parts: list[dict[str, Any]], folds: list[int]) -> int:
    """Return the number of doubted labels by a loop over the held-out documents, with the slopes of the other folds."""
    task, train = worker.settings.task, worker.truth[worker.splits.train[0]]
    found = 0
    for fold in folds:
        stated: Any = 0.0
        for part in parts:
            held = {one: np.load(average.place_of(worker.folder, part["method"], part["arm"], one)) for one in folds}
            rest = [one for one in folds if one != fold]
            truth = np.concatenate([train[worker.parts[one][1]] for one in rest])
            slope = slope_of(np.concatenate([held[one] for one in rest]), truth, task)
            link = softmax(slope * held[fold], axis=1) if task == "single" else expit(slope * held[fold])
            stated = stated + link / len(parts)
        for row, true in zip(stated, train[worker.parts[fold][1]], strict=True):
            least = row[true] if task == "single" else np.where(true, row, 1.0 - row).min()
            found += bool(least < 0.1)
    return found


def test_an_average_does_not_doubt_a_class_that_the_fit_did_not_know(tmp_path: Path) -> None:
    corpus, _ = corpus_of([f"text {row}" for row in range(12)], [*"aabbaabbaa", "rare", "b"])
    truth, rows = corpus.classes(), np.arange(12)
    parts = [(np.flatnonzero(rows % 2 != fold), np.flatnonzero(rows % 2 == fold)) for fold in (0, 1)]
    (tmp_path / "held").mkdir()
    for fold, (fit, held) in enumerate(parts):
        scores = np.where(np.eye(3)[truth[held]] > 0, 4.0, 0.0)
        scores[:, ~np.isin(np.arange(3), truth[fit])] = -np.inf
        np.save(average.place_of(tmp_path, "m", "one", fold), scores)
    worker: Any = SimpleNamespace(
        folder=tmp_path,
        splits=SimpleNamespace(train=[rows]),
        settings=SimpleNamespace(task="single", metric="accuracy"),
        **{"truth": truth, "parts": parts, "parsed": corpus},
    )
    point = {"parts": [{"method": "m", "arm": "one"}]}
    look.doubts(worker, {"finished": [{"method": AVERAGE, "point": point}], "folds": [0, 1]})
    found = read_json(tmp_path / look.DOUBTS)
    assert "rare" not in {name for each in found["shown"] for name in each["given"]}
    assert (found["of"], found["left_out"]) == (11, 1)


def test_the_page_says_of_what_the_average_is_made() -> None:
    def said(methods: list[str], thresholds: Any, chosen: str = AVERAGE) -> list[str]:
        """Return the sentences on an average of some methods."""
        made = Averaging(SimpleNamespace(), SimpleNamespace())  # type: ignore[arg-type]
        made.arm = AverageArm(AVERAGE, {}, {}, parts=[Arm(name, {"view": "long_characters"}, {}) for name in methods])
        made.found = {"thresholds": thresholds}
        return made.said(chosen, "micro_f")

    results = Results(
        {"method": AVERAGE, "metric": "micro_f", "point": {"methods": "a_b+c+d"}},
        *({}, {}, np.array([True]), [], [], [], {}),
    )
    assert [verdict(sentence, results) for sentence in said(["a_b", "c", "d"], [0.5])] == [True, True]
    assert [verdict(sentence, results) for sentence in said(["a_b", "c"], None)] == [False]
    assert said(["a_b", "c"], None, "linear_svm") == []
