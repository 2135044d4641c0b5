"""The own-data path as a new user walks it, and the matrix, on a tiny clone; no file of the clone is edited."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from tests.workflow.tiny import Clone, synthetic_tab

pytestmark = pytest.mark.workflow

METHODS = ["multinomial", "nbsvm", "edcm"]


def texts(folder: Path, documents: int = 40) -> Path:
    """Write a csv file of texts and its description; return the description."""
    lines = [line.split("\t") for line in synthetic_tab(3, documents).splitlines()[4:]]
    rows = "".join(f'"{label}, ""quoted""/x",{text}\n' for label, text in lines)
    (folder / "texts.csv").write_text(f"label,text\n{rows}", encoding="utf-8")
    columns = {"text": "text", "label": "label"}
    split = {"kind": "folds", "folds": 2, "stratified": True}
    description = {"files": {"data": "texts.csv"}, "columns": columns, "split": split, "methods": METHODS}
    (folder / "my.yaml").write_text(yaml.safe_dump(description), encoding="utf-8")
    return folder / "my.yaml"


def test_own_texts_are_understood_compared_and_run_again_when_they_change(fresh: Clone, tmp_path: Path) -> None:
    description = texts(tmp_path)
    done = fresh.run("--cores", "2", "own", "--config", f"data={description}")
    assert done.returncode == 0, done.stdout
    results = fresh.folder / "results/own/my"
    summary = json.loads((results / "summary.json").read_text(encoding="utf-8"))
    assert summary["statistics"]["documents"] == 40
    assert summary["labels"][0][0] == 'class.0, "quoted"/x'
    scores = (results / "scores.csv").read_text(encoding="utf-8")
    assert "my,multinomial,naive Bayes,accuracy," in scores
    assert "nbsvm cannot be fitted to my" in scores
    page = (results / "index.html").read_text(encoding="utf-8")
    assert "<h1>my</h1>" in page and "On my the largest mean accuracy is that of " in page

    again = fresh.run("-n", "own", "--configfile", str(description))
    assert "Nothing to be done" in again.stdout, again.stdout
    with open(tmp_path / "texts.csv", "ab") as file:
        file.write(b"class.0,caf\xe9\n")
    broken = fresh.run("--cores", "2", "own", "--config", f"data={description}")
    assert broken.returncode != 0
    assert "texts.csv, line 42: is not utf-8 text" in broken.stdout


def test_own_without_data_says_how_to_name_them(fresh: Clone) -> None:
    done = fresh.run("-n", "own")
    assert done.returncode != 0
    assert "--config data=my.yaml" in done.stdout


def test_matrix_gives_every_method_a_cell(copy: Clone) -> None:
    split = {"kind": "random", "train": 40, "test": 20, "trials": 2, "stratified": True}
    matrix = {
        "features": {"words": {"tokenizer": "letters"}},
        "splits": {"few": split},
        "methods": ["multinomial", "cbm"],
        "data": {
            name: {"task": "single", "features": "words", "split": "few"} for name in ("tiny_news", "tiny_reuters")
        },
    }
    (copy.folder / "config/matrix.yaml").write_text(yaml.safe_dump(matrix), encoding="utf-8")
    copy.edit("config/config.yaml", "matrix: []", "matrix: [tiny_news, tiny_reuters]")
    (copy.folder / "mirror/tiny_reuters-test.tab").unlink()
    shutil.rmtree(copy.folder / "resources/tiny_reuters")
    shutil.rmtree(copy.folder / "results/datasets/tiny_reuters")
    done = copy.run("--cores", "2", "matrix")
    assert done.returncode == 0, done.stdout
    cells = (copy.folder / "results/matrix/matrix.csv").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("tiny_news,multinomial,naive Bayes,accuracy,") for line in cells)
    assert any(line.startswith("tiny_news,cbm,") and "several labels" in line for line in cells)
    assert any(line.startswith("tiny_reuters,multinomial,") and "could not be had" in line for line in cells)
    page = (copy.folder / "results/matrix/index.html").read_text(encoding="utf-8")
    assert "Synthetic tiny_news" in page and "could not be had" in page
