"""The bench of labelling: texts of the wanted length, the whole way from bytes to rows, and a verdict on the rate."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from reproduction.bench import predict as bench
from reproduction.bench.timing import COLUMNS
from reproduction.plan.suites import load_suites
from tests.serve.test_persisted_model import corpus

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WORDS", 6)
    monkeypatch.setattr(bench, "TEXTS", 50)


def test_short_texts_have_their_words_and_the_labels_of_their_documents() -> None:
    whole = corpus(False)
    for several in (False, True):
        short = bench.short_texts(whole, several)
        texts = [short.text.text(row).split() for row in range(50)]  # type: ignore[union-attr]
        assert len(short.text) == 50 and {len(words) for words in texts} == {6}  # type: ignore[arg-type]
        for words, row in zip(texts, short.indicators(), strict=True):
            special = {int(word[4]) for word in words if word.startswith("wört")}
            assert special <= set(row.nonzero()[0]) and 1 <= row.sum() <= 1 + several


def test_files_hold_the_texts() -> None:
    short = bench.short_texts(corpus(False), False)
    files = bench.files(short)
    texts = [short.text.text(row) for row in range(50)]  # type: ignore[union-attr]
    assert [row["text"] for row in csv.DictReader(io.StringIO(files["csv"].decode()))] == texts
    assert [json.loads(line)["text"] for line in files["jsonl"].splitlines()] == texts


def test_every_candidate_of_ours_is_judged_by_the_rate() -> None:
    rows = bench.bench_predict(corpus(False), repeats=1)
    assert all(set(row) == set(COLUMNS) for row in rows)
    rate = [row for row in rows if row["bench"] == "predict_rate"]
    assert [row["candidate"] for row in rate] == [
        f"{name}, {form}" for name in ("naive Bayes", "EDCM", "PMM1") for form in ("csv", "jsonl")
    ]
    for row in rate:
        assert row["ratio_to_peer"] == pytest.approx(row["median_seconds"] * bench.RATE / 50)
        assert row["met"] == (row["ratio_to_peer"] <= 1.0) and "texts of 6 words a second" in row["note"]
    assert load_suites(ROOT, [])["predict"].module == bench.__name__
