"""The target millions at a small size: every stage runs in its limit, answers, and a missing program is named."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench import by_blocks, millions
from reproduction.bench.by_blocks import TRAIN, blocks_of, counted, rows_of
from reproduction.bench.millions import COLUMNS, make, measure_millions, stages
from textmix.core import io
from textmix.data.corpus import Corpus, label_matrix
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.serve.library import load
from textmix.text.word_vectorizer import WordVectorizer

WORDS = ["word" + chr(97 + column // 26) + chr(97 + column % 26) for column in range(60)]
SPEC = {"documents": 400, "held_out": 60, "seed": 1, "memory_gib": 4, "parts": [0.5, 1.0]}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of 200 documents of three classes that words tell apart, whose names have common parts."""
    generator = np.random.default_rng(0)
    rates = generator.gamma(0.5, 2.0, (3, 60))
    counts = generator.poisson(rates[np.arange(200) % 3]).astype(np.int32)
    labels = label_matrix([[row % 3] for row in range(200)], 3)
    names = ["rec.autos", "rec.hockey", "sci"]
    made = Corpus(
        "few", [str(row) for row in range(200)], names, labels, None, None, None, sparse.csr_array(counts), WORDS
    )
    folder = tmp_path_factory.mktemp("corpus") / "few"
    made.save(folder, {})
    return folder


@pytest.fixture
def folder(corpus: Path, tmp_path: Path) -> Path:
    """Return a folder with the made files."""
    io.write_json(tmp_path / "spec.json", {**SPEC, "corpus": str(corpus)})
    make(tmp_path)
    return tmp_path


def test_blocks_hold_each_row_once_in_order(folder: Path) -> None:
    rows = list(rows_of(folder / TRAIN))
    blocks = list(blocks_of(folder / TRAIN, 150))
    assert [len(labels) for labels, _ in blocks] == [150, 150, 100]
    assert [pair for labels, texts in blocks for pair in zip(labels, texts, strict=True)] == rows


def test_models_in_parts_are_those_of_all_documents(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_blocks, "blocks_of", lambda path, size=150: blocks_of(path, 150))
    by_blocks.count(folder)
    by_blocks.multinomial(folder)
    rows = list(rows_of(folder / TRAIN))
    words = io.read_json(folder / "words.json")
    X = WordVectorizer(tokenizer="letters", vocabulary=words).transform([text.decode() for _, text in rows])
    parts = sparse.vstack([counts for counts, _ in counted(folder)])
    np.testing.assert_array_equal(parts.toarray(), X.toarray())
    whole = MultinomialClassifier().fit(X, [label for label, _ in rows])
    kept = load(folder / "models/multinomial")
    texts = [text.decode() for _, text in rows_of(folder / "held_out_real.csv")]
    counts = WordVectorizer(tokenizer="letters", vocabulary=words).transform(texts)
    np.testing.assert_array_equal(kept.predict(texts), whole.predict(counts))


def run_here(folder: Path, name: str) -> dict[str, Any]:
    """Run a stage in this process: a process of its own takes two seconds to start."""
    stages()[name](folder)
    return {"processor_seconds": 1.0, "peak_mib": 1.0, "note": ""}


def test_every_stage_runs_and_its_program_answers(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(millions, "_run", run_here)
    rows = list(measure_millions(str(corpus), tmp_path, SPEC))
    assert all(tuple(row) == COLUMNS for row in rows) and rows[0]["program"] == "machine"
    assert [row["documents"] for row in rows if row["stage"] == "count"] == [200, 400]
    assert not list(tmp_path.rglob("*.csv"))
    for row in rows[1:]:
        if row["stage"].startswith("predict") and "whole" not in row["stage"] and not row["note"]:
            # fastText learns nothing from one pass over 400 documents.
            least = 0.0 if row["program"] == "fasttext" else 0.6
            assert least <= row["right_made"] <= 1 and least <= row["right_real"] <= 1


def test_growth_is_between_the_sizes_and_without_the_start_of_python() -> None:
    first = {"documents": 1000, "processor_seconds": 3.0, "peak_mib": 100.0}
    second = {"documents": 100_000, "processor_seconds": 102.0, "peak_mib": 199.0}
    grown = millions._growth(first, second, {"processor_seconds": 2.0})
    assert grown == pytest.approx({"per_million": 1000.0, "mib_per_million": 1000.0, "slope": 1.0})
    assert millions._growth(first, first, {"processor_seconds": 2.0}) == {}
    assert millions._growth(first, {**second, "processor_seconds": None}, {"processor_seconds": 2.0}) == {}


def test_a_stage_is_a_process_that_tells_what_it_spent(corpus: Path, tmp_path: Path) -> None:
    rows = measure_millions(str(corpus), tmp_path, SPEC)
    next(rows)
    start, written = next(rows), next(rows)
    assert start["stage"] == "start" and written["documents"] == 200
    files = [tmp_path / "0.5" / name for name in (TRAIN, "held_out_made.csv", "held_out_real.csv", "classes.json")]
    assert written["written_mb"] == sum(path.stat().st_size for path in files) / 1e6
    assert 0 < written["peak_mib"] < 4096 and written["processor_seconds"] > 0


def test_a_program_that_is_not_installed_is_named(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(millions, "_run", lambda folder, name: {})
    monkeypatch.setattr(millions, "_right", lambda folder, program, stage: {})
    notes = {row["program"]: row["note"] for row in measure_millions(str(corpus), tmp_path, SPEC)}
    assert notes["fasttext"] == "fasttext is not installed; run make bench" and notes["hashing_sgd"] is None


def test_a_stage_that_needs_more_than_its_limit_ends_with_an_error(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="made documents/write ended with"):
        list(measure_millions(str(corpus), tmp_path, {**SPEC, "memory_gib": 0.05}))
