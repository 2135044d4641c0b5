"""The own-data path as a new user walks it, and the matrix, on a tiny clone; no file of the clone is edited."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone, own_data

pytestmark = pytest.mark.workflow


def test_own_texts_are_understood_and_compared(everything: Clone) -> None:
    results = everything.folder / "results/own/my"
    summary = json.loads((results / "summary.json").read_text(encoding="utf-8"))
    assert summary["statistics"]["documents"] == 40
    assert summary["labels"][0][0] == 'class.0, "quoted"/x'
    scores = (results / "scores.csv").read_text(encoding="utf-8")
    assert "my,multinomial,naive Bayes,accuracy," in scores
    assert "my,nbsvm,linear,perplexity,,,2,the method gives no likelihood of documents" in scores
    assert "the method gives no probability" not in scores
    page = (results / "index.html").read_text(encoding="utf-8")
    assert (
        "<h1>my</h1>" in page
        and ": it has the largest accuracy in cross-validation on the training documents, " in page
    )
    first = (results / "first/index.html").read_text(encoding="utf-8")
    assert "the page index.html one folder up shows 2 costlier methods too" in first
    assert "nbsvm" in page and "nbsvm" not in first
    again = everything.run_warm("-n", "own", "--configfile", str(everything.folder / "mine/my.yaml"))
    assert "Nothing to be done" in again.stdout, again.stdout


def test_the_pipelines_of_scikit_learn_stand_beside_the_recommended_method(everything: Clone) -> None:
    results = everything.folder / "results/own/my"
    rows = list(csv.DictReader((results / "peers.csv").read_text(encoding="utf-8").splitlines()))
    choice = json.loads((results / "choice.json").read_text(encoding="utf-8"))
    assert len(rows) == 6 and {row["recommended"] for row in rows} == {choice["method"]}
    assert sum(row["best"] == "True" for row in rows) == 1


def test_a_fault_in_own_texts_is_named_with_its_line(fresh: Clone, tmp_path: Path) -> None:
    description = own_data(tmp_path / "mine")
    with open(tmp_path / "mine/texts.csv", "ab") as file:
        file.write(b"class.0,a,b\n")
    broken = fresh.run_warm("--cores", "2", "own", "--config", f"data={description}")
    assert broken.returncode != 0
    assert "texts.csv, line 42: " in broken.stdout


def test_own_without_data_says_how_to_name_them(clean: Clone) -> None:
    done = clean.run_warm("-n", "own")
    assert done.returncode != 0
    assert "--config data=my.yaml" in done.stdout


def test_matrix_gives_every_method_a_cell(everything: Clone) -> None:
    cells = (everything.folder / "results/matrix/matrix.csv").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("tiny_news,multinomial,naive Bayes,accuracy,") for line in cells)
    assert any(line.startswith("tiny_news,cbm,") and "several labels" in line for line in cells)
    assert any(line.startswith("tiny_absent,multinomial,") and "could not be had" in line for line in cells)
    page = (everything.folder / "results/matrix/index.html").read_text(encoding="utf-8")
    assert "Synthetic tiny_news" in page and "could not be had" in page


def test_study_repeats_the_matrix_with_fewer_documents(everything: Clone) -> None:
    rows = (everything.folder / "results/matrix/study.csv").read_text(encoding="utf-8").splitlines()
    assert {tuple(row.split(",")[:3]) for row in rows[1:]} == {
        ("matrix", "40.0", "tiny_news"),
        ("matrix_few", "20.0", "tiny_news"),
    }
    page = (everything.folder / "results/matrix/study.html").read_text(encoding="utf-8")
    assert "Synthetic tiny_news" in page and 'id="single"' in page
