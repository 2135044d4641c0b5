"""Whole races with real workers on small data."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.race.judge import Results, sentences_of, verdict
from textmix.core.io import read_csv, read_json
from textmix.data.corpus import Corpus
from textmix.race.comparison import KEPT, Comparison, corpus_of, options_of, race
from textmix.race.state import State

WORDS = {"art": "paint stage colour museum", "sport": "ball goal match team", "food": "bread soup salt oven"}


def documents(several: bool) -> tuple[list[str], list[Any]]:
    """Return a hundred texts of three kinds, and their labels: one each, or one or two."""
    generator = np.random.default_rng(3)
    texts, labels = [], list[Any]()
    for row in range(90):
        kinds = [list(WORDS)[row % 3], *([list(WORDS)[(row + 1) % 3]] if several and row % 2 else [])]
        words = [*generator.choice([f"w{number}" for number in range(40)], 8)]
        texts.append(" ".join([*words, *(word for kind in kinds for word in generator.choice(WORDS[kind].split(), 3))]))
        labels.append(kinds if several else kinds[0])
    if not several:
        labels = [list(WORDS)[(row + (row % 9 == 0)) % 3] for row in range(90)]  # one label in nine is wrong
    return [*texts, *texts[:80:8]], [*labels, *labels[:80:8]]  # and ten texts stand twice


@pytest.fixture(scope="module", params=[False, True], ids=["one label", "several labels"])
def ended(request: Any, tmp_path_factory: Any) -> SimpleNamespace:
    """A race that ^C ends as soon as a method has all its folds."""
    texts, labels = documents(request.param)
    corpus, originals = corpus_of(texts, labels)
    folder: Path = tmp_path_factory.mktemp("race") / "kept"
    sent: list[State] = []

    def watch(state: State) -> None:
        if not sent and any(row.folds > 1 for row in state.rows):
            sent.append(state)
            os.kill(os.getpid(), signal.SIGINT)

    options = options_of("multi" if request.param else "single", 300, None, workers=2, title="t", source="t.csv")
    began, handler = time.monotonic(), signal.getsignal(signal.SIGINT)
    outcome = race(lambda: (corpus, options), folder, number=2, began=began, watch=watch)
    return SimpleNamespace(
        outcome=outcome,
        folder=folder,
        texts=texts,
        labels=labels,
        seconds=time.monotonic() - began,
        handler=handler,
        comparison=Comparison(outcome, originals),
        corpus=corpus,
        several=request.param,
    )


def test_an_interrupt_gives_the_best_so_far(ended: SimpleNamespace) -> None:
    assert ended.outcome.interrupted
    assert ended.seconds < 300
    assert ended.outcome.choice["validation"] is not None
    assert signal.getsignal(signal.SIGINT) is ended.handler


def test_fits_take_no_more_of_the_processor_than_the_workers(ended: SimpleNamespace) -> None:
    assert 0.0 < ended.outcome.fit_seconds <= ended.outcome.cpu_seconds
    assert sum(ended.outcome.took.values()) <= ended.outcome.cpu_seconds + 1e-6


def test_the_folder_holds_page_tables_and_model(ended: SimpleNamespace) -> None:
    assert {*KEPT} <= {path.name for path in ended.folder.iterdir()}
    assert not list(ended.folder.glob("*.log"))


def test_the_chosen_method_is_the_best_by_validation(ended: SimpleNamespace) -> None:
    best = max((row for row in ended.outcome.rows if row.folds), key=lambda row: (row.folds, row.value))
    assert ended.outcome.choice["validation"] == pytest.approx(best.value)


def test_validation_and_choice_saw_no_test_document(ended: SimpleNamespace) -> None:
    choice = read_json(ended.folder / "choice.json")
    rows = read_csv(ended.folder / "predictions.csv")
    assert abs(len(rows) - 0.2 * len(ended.texts)) <= 2
    right = float(np.mean([row["right"] == "True" for row in rows]))
    assert choice["value"] == pytest.approx(right)


def test_the_model_labels_new_texts_as_its_user_named_the_labels(ended: SimpleNamespace) -> None:
    found = ended.comparison.predict(["ball goal team match", "soup bread oven salt"])
    wanted = [("sport",), ("food",)] if ended.several else ["sport", "food"]
    assert found.tolist() == wanted
    assert ended.comparison.best_.predict(["ball goal team"]).tolist() == wanted[:1]


def test_every_method_has_a_score_or_a_reason(ended: SimpleNamespace) -> None:
    scored = {row["method"] for row in read_csv(ended.folder / "scores.csv") if row["value"]}
    without = {row["method"] for row in read_csv(ended.folder / "scores.csv") if row["reason"] and not row["metric"]}
    assert ended.outcome.choice["method"] in scored
    assert set(ended.outcome.without) <= without
    assert all(reason for reason in ended.outcome.without.values())


def test_the_page_names_method_validation_and_time(ended: SimpleNamespace, tmp_path: Path) -> None:
    page = ended.comparison.page(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert f"Use {ended.outcome.choice['method'].replace('_', ' ')}" in page
    assert "Processor time, of what was stopped too" in page
    assert "<dt>fits of the search</dt>" in page


def test_the_table_is_one_of_plain_mappings(ended: SimpleNamespace) -> None:
    row = ended.comparison.table_[0]
    assert set(row) == {"method", "parameters", "validation", "folds", "seconds"}
    assert repr(ended.comparison).startswith(f"<textmix comparison: {ended.outcome.choice['method']}: ")


def test_the_corpus_of_texts_keeps_every_promise(ended: SimpleNamespace) -> None:
    from textmix.data.parse import check_corpus

    corpus: Corpus = ended.corpus
    check_corpus(corpus)


@pytest.fixture
def results(ended: SimpleNamespace) -> Results:
    """The results from which the page of the race was made."""
    choice, rows = read_json(ended.folder / "choice.json"), read_csv(ended.folder / "predictions.csv")
    scores = [row for row in read_csv(ended.folder / "scores.csv") if row["metric"] == choice["metric"]]
    test = {row["method"]: float(row["value"]) for row in scores}
    sets = [[label] if isinstance(label, str) else label for label in ended.labels]
    return Results(
        choice,
        {row.method: row.value for row in ended.outcome.rows if row.method in test},
        test,
        np.array([row["right"] == "True" for row in rows]),
        ended.texts,
        sets,
        [int(row["id"]) - 1 for row in rows],
        ended.outcome.without,
    )


def test_every_sentence_of_the_page_is_true_of_its_results(ended: SimpleNamespace, results: Results) -> None:
    said = sentences_of(ended.comparison.page())
    assert any(sentence.startswith("Use ") for sentence in said)
    assert [sentence for sentence in said if verdict(sentence, results) is None] == []
    assert [sentence for sentence in said if not verdict(sentence, results)] == []


def test_a_false_sentence_is_found(ended: SimpleNamespace, results: Results) -> None:
    said = sentences_of(ended.comparison.page())
    use = next(sentence for sentence in said if sentence.startswith("Use "))
    value = f"{results.choice['value']:.3f}"
    for false in (use.replace(value, "0.123"), use.replace(use.split(":")[0], "Use majority")):
        assert not verdict(false, results)
    assert not verdict("The comparison with nobody is undecided.", results)
    assert not verdict("By the test documents alone it would be number 7 of 1 methods.", results)
    assert verdict("It is the best method that there is.", results) is None
