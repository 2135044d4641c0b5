"""The registry of the bench: every suite runs on a tiny data set in its cheap form, and its verdicts are told."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench.running import READERS, join, run_suite
from reproduction.bench.timing import COLUMNS
from reproduction.papers.cbm import bench as cbm
from reproduction.papers.multinomial import bench as multinomial
from reproduction.papers.pmm import bench as pmm
from reproduction.papers.skipgrams import bench as skipgrams
from reproduction.papers.skipgrams import vector_bench
from reproduction.plan.graph import read_by_suite
from reproduction.plan.suites import FEW, Suite, load_suites
from tests.fixtures.reader_files import news, story, tar
from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult
from textmix.data.corpus import Corpus, Ragged
from textmix.experiment.splits import Splits

ROOT = Path(__file__).resolve().parents[2]
SUITES = load_suites(ROOT, sorted((ROOT / "config/papers").iterdir()))


def corpus(n_labels: int, several: bool, n: int = 60, n_words: int = 30) -> Corpus:
    """Return documents of random counts with one label each, or at least one."""
    rng = np.random.default_rng(0)
    member = np.eye(n_labels, dtype=np.int8)[np.arange(n) % n_labels]
    if several:
        member |= (rng.random(member.shape) < 0.3).astype(np.int8)
    counts = rng.poisson(rng.gamma(0.3, 2.0, (n, n_words))).astype(np.int32)
    counts[:, 0] += 1
    return Corpus(
        name="tiny",
        ids=[f"d{i}" for i in range(n)],
        label_names=[f"c{i}" for i in range(n_labels)],
        labels=sparse.csr_array(member),
        features=sparse.csr_array(counts),
        feature_names=[f"w{i}" for i in range(n_words)],
    )


def tokens_of(counted: Corpus) -> Ragged:
    """Return the words of a corpus of counts, in the order of the vocabulary."""
    counts = sparse.csr_array(counted.features)
    lengths = np.asarray(counts.sum(axis=1))
    return Ragged(np.repeat(counts.indices, counts.data).astype(np.int32), np.concatenate([[0], np.cumsum(lengths)]))


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Write what each kind of suite reads, at the places where a run has it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pmm, "BUFFER", 2**20)
    # Peers written in Python get few thresholds and a small search; random problems are small.
    monkeypatch.setattr(multinomial, "EVERY", 500)
    search = partial(cbm.bench_search, n_labels=12, n_components=5, n_documents=3)
    scaling = partial(cbm.bench_scaling, n=40, n_features=5, n_labels=4, n_components=2)
    monkeypatch.setattr(cbm, "bench_search", search)
    monkeypatch.setattr(cbm, "bench_scaling", scaling)
    # skglm compiles for 20 seconds and stores nothing; a test of its bench runs it.
    monkeypatch.setattr(skipgrams, "_skglm", lambda X, *_: [("skglm, none", lambda: np.zeros(X.shape[1]))])
    half = np.arange(60).reshape(2, 30)
    splits = Splits(*(Ragged(part, np.array([0, 30])) for part in half))
    messages = Path("resources/tiny/messages")
    for name in ("a/1", "a/2", "b/1"):
        (messages / name).parent.mkdir(parents=True, exist_ok=True)
        (messages / name).write_text(f"Subject: {name}\n\nsome words of message {name}\n")
    io.write_json("resources/tiny/fetch.json", {"status": "had", "files": {"archive": {"name": "messages"}}})

    def prepare(suite: Suite) -> list[str]:
        features, *split = (job.path for job in read_by_suite(suite, "tiny"))
        if suite.takes == "corpus":
            half = replace(corpus(2, several=False), split=(np.arange(60) // 2 % 2).astype(np.int8))
            texts = None if suite.features else Ragged.from_texts([b"some words of a film it is"] * 60)
            replace(half, text=texts, tokens=tokens_of(half)).save(features, {})
        elif suite.takes != "files":
            corpus(3, suite.takes != "classes").save(features, {})
        for path in split:
            splits.save(path, {})
        return [features, *split]

    return prepare


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_runs_and_its_rows_have_the_columns(name: str, tiny: Callable[[Suite], list[str]]) -> None:
    if name == "sgml":  # its archive is of another form
        Path("resources/tiny/messages.tar").write_bytes(tar({"a.sgm": story(1, news("title", "body")).encode()}))
        io.write_json("resources/tiny/fetch.json", {"status": "had", "files": {"archive": {"name": "messages.tar"}}})
    rows = run_suite(SUITES[name], tiny(SUITES[name]), repeats=1)
    assert all(set(row) == set(COLUMNS) for row in rows)
    # Each time tells its share of the machine's limit; a share above 1 would say that too much was counted.
    timed = [row for row in rows if row["quantity"] == "time" and row["median_seconds"]]
    assert timed and all(0 < row["limit_share"] <= 1 for row in timed)
    assert all(row["limit"] and (row in timed or row["limit_share"] is None) for row in rows)
    # Claims of a paper on times are judged with its other claims, by the intervals of the ratios.
    assert name.endswith("_claims") or any(row["target"] is not None for row in rows)
    assert all(row["candidate"] != row["peer"] or row["ratio_to_peer"] == 1.0 for row in rows)


def test_a_quick_bench_takes_one_document_in_so_many(tiny: Callable[[Suite], list[str]], monkeypatch) -> None:
    suite = SUITES["vectors"]
    (path,) = tiny(suite)
    whole, thin = (READERS["corpus"](path, every)[0] for every in (1, 4))
    rows = np.arange(0, 60, 4)
    assert thin.n_documents == 15 and list(thin.ids) == [whole.ids[row] for row in rows]
    np.testing.assert_array_equal(thin.features.toarray(), whole.features[rows].toarray())
    # Its labels are those that its documents have.
    assert thin.label_names == ["c0"] and np.all(thin.classes() == 0)
    for row in range(15):
        np.testing.assert_array_equal(thin.tokens[row], whole.tokens[4 * row])
    sizes = []
    monkeypatch.setattr(vector_bench, "bench_vectors", lambda corpus, repeats: sizes.append(corpus.n_documents) or [])
    for repeats in (1, FEW, 5):
        run_suite(suite, [path], repeats)
    assert sizes == [60, 15, 60]
    X, Y, X_test, _ = READERS["split"](*tiny(SUITES["multinomial"]), 4)
    assert X.shape == (8, 30) and X_test.shape == (8, 30) and np.all(Y.sum(axis=0) > 0)


def test_a_suite_without_data_says_so() -> None:
    suite = SUITES["pmm"]
    assert read_by_suite(suite, None) == []
    with pytest.raises(MissingResult, match="no data for the role 'yahoo_arts'"):
        run_suite(suite, [], repeats=1)


def test_data_that_could_not_be_had_leave_a_suite_out(tmp_path) -> None:
    record = tmp_path / "fetch.json"
    io.write_json(record, {"status": "missing", "reason": "the host is down", "broken": False})
    with pytest.raises(MissingResult, match="the host is down"):
        run_suite(SUITES["tokenise"], [str(record)], repeats=1)
    io.write_json(record, {"status": "had", "files": {"train": {"name": "train.tab"}}})
    with pytest.raises(MissingResult, match="needs message files"):
        run_suite(SUITES["tokenise"], [str(record)], repeats=1)


def test_verdicts_are_told_in_words(tmp_path, caplog) -> None:
    caplog.set_level(logging.INFO)
    parts = {"bench": "fit", "peer": "sklearn", "quantity": "time", "median_seconds": 1.0, "peak_mib": None, "note": ""}
    rows = [
        {**parts, "candidate": "edcm", "ratio_to_peer": 0.33, "target": 0.5, "met": True},
        {**parts, "candidate": "dcm", "ratio_to_peer": 0.025, "target": 0.02, "met": False, "note": "30 steps"},
        {**parts, "candidate": "other", "ratio_to_peer": 0.7, "target": None, "met": None},
    ]
    io.write_result(tmp_path / "a.csv", io.format_csv(rows, COLUMNS), {})
    io.write_missing(tmp_path / "b.csv", MissingResult("no data"), {})
    joined, sentences = join({"models": tmp_path / "a.csv", "pmm": tmp_path / "b.csv"})
    assert [row["suite"] for row in joined] == ["models", "models", "models", "pmm"]
    assert all(set(row) == {"suite", *COLUMNS} for row in joined)
    assert sentences == [
        "fit: edcm: 0.33 x the time of sklearn; wanted at most 0.5 x: met",
        "fit: dcm: 40.0 times faster than sklearn (30 steps); wanted at least 50 times: MISSED",
        "pmm: left out: no data",
    ]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("{run: 'm:f', role: news, takes: classes, feature: x}", "feature"),
        ("{run: 'm:f', takes: classes}", "role"),
        ("{run: 'm:f', role: news, takes: words}", r"one\.takes: 'words' is not allowed"),
        ("{run: 'm:f', role: news, takes: split}", "takes split and the key split go together"),
    ],
)
def test_wrong_entries_are_refused(entry: str, told: str, tmp_path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/bench.yaml").write_text(f"one: {entry}\n")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    with pytest.raises(ConfigError, match=told):
        load_suites(tmp_path, [])


def test_inputs_follow_the_data_set() -> None:
    suite = Suite("s", "m:f", "reuters", "split", "blanks", "given")
    assert [job.path for job in read_by_suite(suite, "x")] == ["results/features/x/blanks", "results/splits/x/given"]


def test_a_suite_whose_peer_is_not_installed_is_left_out(tiny: Callable[[Suite], list[str]], monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(MissingResult, match="gensim is not installed; run make bench"):
        run_suite(SUITES["vectors"], tiny(SUITES["vectors"]), repeats=1)
