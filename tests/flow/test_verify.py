"""``snakemake verify`` reports exactly the results and raw files that differ from their records."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from reproduction.flow.verify import made_elsewhere, verify
from textmix.core import digests, io
from textmix.core.errors import MissingResult


@pytest.fixture
def results(tmp_path) -> Path:
    """Create results (a file, a folder, two missing results, a benchmark) and raw files."""
    io.write_result(tmp_path / "results/scores/pmm/a.csv", "x\n1\n", {})
    with io.new_folder(tmp_path / "results/datasets/news", {}) as folder:
        io.save_arrays(folder, ids=np.arange(3), deep=np.arange(5))
    (tmp_path / "results/datasets/news/.snakemake_timestamp").touch()
    io.write_missing(tmp_path / "results/datasets/reuters", MissingResult("not there"), {})
    io.write_missing(tmp_path / "results/scores/pmm/b.csv", MissingResult("not there"), {})
    io.write_text(tmp_path / "results/benchmarks/fit/a.tsv", "s\n1.5\n")
    io.write_text(tmp_path / "resources/news/raw.tab", "class\ttext\n")
    files = {"train": {"name": "raw.tab", "sha256": digests.sha256_bytes(b"class\ttext\n"), "bytes": 11}}
    io.write_json(tmp_path / "resources/news/fetch.json", {"status": "had", "files": files})
    io.write_json(tmp_path / "resources/reuters/fetch.json", {"status": "missing", "reason": "no"})
    return tmp_path / "results"


def faults_of(results: Path) -> list[str]:
    """Return the errors, with paths relative to the folder of the test."""
    faults, _ = verify(results, results.parent / "resources")
    return [fault.replace(f"{results.parent}/", "") for fault in faults]


def test_unchanged_results_have_no_errors(results):
    assert verify(results, results.parent / "resources") == ([], 5)
    assert verify(results / "nothing", results / "nothing") == ([], 0)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("scores/pmm/a.csv", b"x\n2\n", "results/scores/pmm/a.csv: a.csv was changed since it was written"),
        ("scores/pmm/b.csv", b"x\n2\n", "results/scores/pmm/b.csv: b.csv was changed since it was written"),
        ("datasets/news/ids.npy", None, "results/datasets/news: ids.npy was changed since it was written"),
        ("datasets/news/more.npy", b"x", "results/datasets/news: more.npy was changed since it was written"),
        ("datasets/reuters/ids.npy", b"x", "results/datasets/reuters: ids.npy was changed since it was written"),
        ("scores/pmm/a.csv", None, "results/scores/pmm/a.csv: missing, but its record exists"),
        ("scores/stray.csv", b"x", "results/scores/stray.csv: not a file of the workflow"),
        (
            "scores/mymeta.json",
            b"{}",
            "results/scores/mymeta.json: not a file of the workflow; move it to another folder",
        ),
        (
            "scores/pmm/a.csv.meta.json",
            None,
            "results/scores/pmm/a.csv: not a file of the workflow; move it to another folder",
        ),
        (
            "scores/pmm/a.csv.meta.json",
            b'{"files',
            "results/scores/pmm/a.csv: the record a.csv.meta.json is damaged; run again, which makes the result anew",
        ),
        (
            "datasets/news/meta.json",
            b"{}",
            "results/datasets/news: the record meta.json is damaged; run again, which makes the result anew",
        ),
    ],
)
def test_changed_file_is_the_only_error(results, name, content, fault):
    path = results / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    (error,) = faults_of(results)
    assert error.startswith(fault)


def test_every_file_of_a_folder_without_record_is_reported(results):
    (results / "datasets/news/meta.json").unlink()
    assert faults_of(results) == [
        "results/datasets/news/deep.npy: not a file of the workflow; move it to another folder",
        "results/datasets/news/ids.npy: not a file of the workflow; move it to another folder",
    ]


def test_all_errors_are_reported(results):
    (results / "scores/pmm/a.csv").write_text("")
    (results / "datasets/news/ids.npy").unlink()
    (results / "datasets/news/deep.npy").unlink()
    (results.parent / "resources/news/raw.tab").unlink()
    found = faults_of(results)
    assert len(found) == 4
    assert found[-1] == "resources/news/raw.tab: missing; delete resources/news/fetch.json and run snakemake again"


@pytest.mark.parametrize("same_size", [True, False])
def test_corrupt_raw_file_is_reported_with_digest_and_remedy(results, same_size):
    path = results.parent / "resources/news/raw.tab"
    digest = digests.sha256_file(path)
    path.write_bytes(b"class\ttexT\n" if same_size else b"class")
    (error,) = faults_of(results)
    remedy = "delete the file and resources/news/fetch.json, then run snakemake again"
    assert error == f"resources/news/raw.tab: sha256 is not {digest}; {remedy}"


@pytest.mark.parametrize("content", ["", "[]", '{"files": {"train": {}}}', '{"files": 3}'])
def test_damaged_fetch_record_is_reported(results, content):
    (results.parent / "resources/news/fetch.json").write_text(content)
    assert faults_of(results) == ["resources/news/fetch.json: cannot be read; delete it and run snakemake again"]


def test_deleted_extra_and_leftover_files_are_no_errors(results):
    (results.parent / "resources/news/README").write_text("mine")
    (results / "scores/.x.tmp").write_text("half")
    (results / "datasets/.news.abc.tmp").mkdir()
    (results / "datasets/.news.abc.tmp/meta.json").write_text("{")
    assert faults_of(results) == []
    shutil.rmtree(results / "datasets/news")
    assert faults_of(results) == [], "a result that is gone with its record"


def test_copy_of_another_result_is_reported(results):
    shutil.copytree(results / "datasets/news", results / "datasets/other")
    assert faults_of(results) == ["results/datasets/other: copy of another result; delete it and run snakemake again"]


def test_results_of_another_processor_are_counted(results):
    assert made_elsewhere(results) == 0
    io.write_result(results / "scores/pmm/a.csv", "x\n1\n", {"processor": {"processor": "another"}})
    assert made_elsewhere(results) == 1
