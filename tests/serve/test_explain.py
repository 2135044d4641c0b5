"""What a user asks about an answer: the words that spoke for it, whether it is sure, and whether the texts are new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logit
from sklearn.pipeline import make_pipeline

import textmix
from tests.serve.test_predict import Capture, run
from textmix.__main__ import main
from textmix.data.corpus import Ragged
from textmix.serve import training_sketch
from textmix.serve.average_model import AveragedModel
from textmix.serve.explain import word_contributions
from textmix.serve.model import PersistedModel

TEXTS = ["ball goal team", "goal ball ball", "paint stage art", "stage paint paint"] * 3
KINDS = ["sport", "sport", "art", "art"] * 3


def model_of(estimator: Any, **card: Any) -> PersistedModel:
    words = textmix.WordVectorizer(tokenizer="scripts").fit(TEXTS)
    y = np.array([name == "sport" for name in KINDS], dtype=int)
    steps = [("words", words), ("model", estimator.fit(words.transform(TEXTS), y))]
    return PersistedModel(steps, "single", ["art", "sport"], card=card)


def test_a_word_weighs_as_in_naive_bayes() -> None:
    """Of a multinomial classifier the fall of the log-odds is the word's count times its log-ratio."""
    model = model_of(textmix.MultinomialClassifier())
    found = dict(word_contributions(model, b"Ball and ball, a goal on the stage", 1))
    logs = model.estimator.feature_log_prob_
    columns = model.steps[0][1].vocabulary_
    ratio = {word: logs[1, columns[word]] - logs[0, columns[word]] for word in ("ball", "goal", "stage")}
    assert list(found) == ["ball", "goal"]
    assert found == pytest.approx({"ball": 2 * ratio["ball"], "goal": ratio["goal"]})
    assert dict(word_contributions(model, b"ball stage", 0)) == pytest.approx({"stage": -ratio["stage"]})


def test_a_word_of_an_average_weighs_by_its_probability() -> None:
    parts = [model_of(textmix.MultinomialClassifier()), model_of(textmix.SoftmaxClassifier())]
    model = AveragedModel(parts, [0.5, 0.7])
    (word, weight), *_ = word_contributions(model, b"ball stage paint", 1)
    stated = model.label(Ragged.from_texts([b"ball stage paint", b" stage paint"]))[1][:, 1]
    assert (word, weight) == ("ball", pytest.approx(logit(stated[0]) - logit(stated[1])))


def test_characters_of_scripts_without_blanks_are_told_apart() -> None:
    words = textmix.WordVectorizer(tokenizer="scripts").fit(["\u7403\u8d5b", "\u753b\u5bb6"])
    estimator = textmix.MultinomialClassifier().fit(words.transform(["\u7403\u8d5b", "\u753b\u5bb6"]), [1, 0])
    model = PersistedModel([("words", words), ("model", estimator)], "single", ["art", "sport"])
    assert [word for word, _ in word_contributions(model, "\u7403\u5bb6".encode(), 1)] == ["\u7403"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = model_of(
        textmix.MultinomialClassifier(), seen=training_sketch.sketch(Ragged.from_texts(map(str.encode, TEXTS)))
    )
    model.save(tmp_path / "model", {})
    (tmp_path / "new.txt").write_text("ball goal\nball stage\n\n")
    return tmp_path


def test_reasons_stand_beside_the_answers(folder: Path, capsys: Capture) -> None:
    assert run(folder / "model", folder / "new.txt", "--explain", "--quiet") == 0
    head, first, *_, last = capsys.readouterr().out.splitlines()
    assert head == "id,label,probability,explanation"
    assert first.startswith("1,sport,") and '""ball""' in first
    assert last.endswith(",[]")
    assert run(folder / "model", folder / "new.txt", "--explain", "--all", "--output-format", "jsonl", "--quiet") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert list(told) == ["id", "label", "probability", "explanation", "all"]
    assert [word for word, _ in told["explanation"]] == ["ball", "goal"] or [
        word for word, _ in told["explanation"]
    ] == [
        "goal",
        "ball",
    ]


def test_a_model_of_several_labels_tells_the_words_of_each(tmp_path: Path, capsys: Capture) -> None:
    made = make_pipeline(textmix.WordVectorizer(), textmix.LabelNaiveBayes())
    textmix.save(made.fit(TEXTS, [[kind] for kind in KINDS]), tmp_path / "model")
    (tmp_path / "new.txt").write_text("ball goal\n")
    assert run(tmp_path / "model", tmp_path / "new.txt", "--explain", "--output-format", "jsonl", "--quiet") == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["explanation"]) == told["labels"] == ["sport"]
    assert {word for word, _ in told["explanation"]["sport"]} == {"ball", "goal"}


def test_a_text_of_no_sure_label_gets_none(folder: Path, capsys: Capture) -> None:
    assert run(folder / "model", folder / "new.txt", "--min-probability", "0.9", "--quiet") == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[1] for row in rows] == ["sport", "", ""]
    assert float(rows[1][2]) < 0.9 <= float(rows[0][2])
    assert (
        run(folder / "model", folder / "new.txt", "--min-probability", "0.9", "--output-format", "jsonl", "--quiet")
        == 0
    )
    assert json.loads(capsys.readouterr().out.splitlines()[1])["label"] is None


@pytest.mark.parametrize(("given", "message"), [("0", "0 is not in (0, 1]"), ("60", "60 is not in (0, 1]")])
def test_a_share_that_is_none_is_refused(folder: Path, given: str, message: str, capsys: Capture) -> None:
    assert run(folder / "model", folder / "new.txt", "--min-probability", given) == 1
    assert message in capsys.readouterr().err


def test_scores_of_texts_that_the_model_knows_are_said_to_be_so(folder: Path, capsys: Capture) -> None:
    rows = "".join(f"{text},{kind}\n" for text, kind in zip(TEXTS[:2] + ["a new ball"] * 2, KINDS, strict=False))
    (folder / "some.csv").write_text(f"text,label\n{rows}")
    assert main(["evaluate", str(folder / "model"), str(folder / "some.csv")]) == 0
    assert "67 % of these texts are training texts" in capsys.readouterr().err
    (folder / "new.csv").write_text("text,label\na ball,sport\nthe stage,art\n")
    assert main(["evaluate", str(folder / "model"), str(folder / "new.csv")]) == 0
    assert "training texts" not in capsys.readouterr().err
    assert "seen" not in PersistedModel.load(folder / "model").description()


def test_a_sketch_of_many_texts_finds_the_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_sketch, "MAX_DIGESTS", 200)
    old = [f"text {row}".encode() for row in range(5000)]
    card = {"seen": training_sketch.sketch(Ragged.from_texts(old))}
    assert len(card["seen"]) == 200
    for share in (0.0, 0.5, 1.0):
        some = old[: round(2000 * share)] + [f"new {row}".encode() for row in range(round(2000 * (1 - share)))]
        assert training_sketch.training_proportion(card, Ragged.from_texts(some)) == pytest.approx(share, abs=0.15)
