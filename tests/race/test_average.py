"""The average of the best methods: validated as a loop over folds says, and chosen, tested and kept by a worker."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, softmax

from tests.race.judge import Results, verdict
from tests.race.test_comparison import documents
from textmix.core.io import read_csv, write_json
from textmix.experiment.splits import make_splits
from textmix.metrics.classification import accuracy
from textmix.metrics.multilabel import micro_f
from textmix.metrics.threshold import class_thresholds
from textmix.models.common.averaging import slope_of
from textmix.race import average
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
    found, decision = average.validated(folds, truths, task, metric, never_empty=False)
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
            cuts = class_thresholds(before, truth, average.DEFAULT, "f1", average.LEAST)
            wanted = micro_f(truths[fold], (stated >= cuts).astype(int))
        else:
            wanted = accuracy(truths[fold], np.argmax(stated, axis=1))
        assert found[fold] == pytest.approx(wanted)
    every = np.concatenate([fold[1] for fold in folds])
    assert decision.slopes[1] == pytest.approx(slope_of(every, np.concatenate(truths), task))


def test_never_empty_answers_are_what_is_validated() -> None:
    folds, truths = held_out(True)
    truths = [np.where(truth.any(axis=1, keepdims=True), truth, np.eye(4, dtype=int)[0]) for truth in truths]
    low = [[scores - 4.0 for scores in fold] for fold in folds]
    plain, filled = (
        np.mean(average.validated(low, truths, "multi", "sample_f", never_empty=never)[0]) for never in (False, True)
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
        {**settings, "never_empty": request.param, "model": "", "source": "t", "title": "t", "about": {}},
    )
    made = Worker(tmp_path)
    made.count({"view": "words", "methods": ["linear_svm", "svm_relevance"]})
    return made


def test_an_average_is_validated_tested_chosen_and_kept(worker: Worker) -> None:
    several = worker.settings.task == "multi"
    names = ("svm_relevance", "binary_relevance") if several else ("linear_svm", "multinomial")
    points: list[dict[str, Any]] = [{"C": 1.0}, {"variance": 1.0} if several else {"smoothing": 0.1}]
    weightings = ("tfidf", "tfidf") if several else ("tfidf", "counts")
    folds = list(range(1, len(worker.parts)))
    arms = []
    for name, point, weighting in zip(names, points, weightings, strict=True):
        arm = {"method": name, "arm": f"{name} one", "choice": {"view": "words", "weighting": weighting}}
        arms.append({**arm, "point": point, "uncalibrated": True})
        for part in folds:
            worker.fit({**arms[-1], "part": part, "keep": True})
    found = average.validate(worker, {"arms": arms, "folds": folds})
    assert len(found["values"]) == len(folds)
    order = {"do": "finish", "method": AVERAGE, "choice": {}, "point": found, "name": "methods=a+b"}
    order |= {"validation": float(np.mean(found["values"])), "seconds": 1.0, "cpu_seconds": 1.0}
    value = worker.finish(order)["value"]
    choice = worker.choose({"finished": [order], "shares": (), "where": "in cross-validation"})
    assert choice["method"] == AVERAGE
    assert choice["value"] == pytest.approx(value)
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


def test_the_page_says_of_what_the_average_is_made() -> None:
    def said(methods: list[str], thresholds: Any, chosen: str = AVERAGE) -> list[str]:
        """Return the sentences on an average of some methods."""
        made = Averaging(SimpleNamespace(), SimpleNamespace())  # type: ignore[arg-type]
        made.arm = AverageArm(AVERAGE, {}, {}, parts=[Arm(name, {}, {}) for name in methods])
        made.found = {"thresholds": thresholds}
        return made.said(chosen, "micro_f")

    results = Results(
        {"method": AVERAGE, "metric": "micro_f", "point": {"methods": "a_b+c+d"}},
        *({}, {}, np.array([True]), [], [], [], {}),
    )
    assert [verdict(sentence, results) for sentence in said(["a_b", "c", "d"], [0.5])] == [True, True]
    assert [verdict(sentence, results) for sentence in said(["a_b", "c"], None)] == [False]
    assert said(["a_b", "c"], None, "linear_svm") == []
