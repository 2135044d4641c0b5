"""A paper is one folder of configuration and one folder of code: a seventh one runs to the page, no file changes."""

from __future__ import annotations

import csv
import hashlib
import zipfile
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow

CONFIGURATION = {
    "paper.yaml": """
title: A toy paper
citation: Nobody, A toy paper that is made up for the tests of the workflow.
status: built
place: 7
roles: [newsgroups]
features:
  toy_words: {tokenizer: letters}
splits:
  toy_split: {kind: given}
experiments: {}
measures:
  size:
    function: measures.size
    roles: {newsgroups: toy_split}
    features: toy_words
tables:
  sizes: {artefact: toy.t1, rows: metric, caption: Numbers of words}
figures:
  lengths: {title: Lengths of the texts, caption: "Words of each text, one bar a number of words."}
""",
    "published.csv": """\
id,artefact,kind,dataset,method,metric,unit,value,spread,trials,where,tolerance,margin,source,note
toy.words,toy.t1,number,newsgroups,,words,words,240,,,derived,near,50%,measure:size/words,Made-up words of two files.
toy.many,toy.t1,claim,newsgroups,,many words,,,,,derived,order,,check:many,
""",
    "checks.yaml": """
many: {text: There are at least ten words., kind: at_least, left: ["measure:size/words"], bound: 10}
""",
    "deviations.yaml": "[]\n",
}
CODE = {
    "__init__.py": '"""A toy paper."""\n',
    "measures.py": '''"""The measure of the toy paper."""

from reproduction.stored.measures import Measure


def size(sources, settings, generator):
    """Count the words."""
    corpus = sources["newsgroups"].corpus
    lengths = corpus.features.sum(axis=1).tolist()
    return Measure({"words": corpus.features.shape[1]}, {"lengths": [{"length": length} for length in lengths]})
''',
    "figures.py": '''"""The figure of the toy paper."""

from textmix.pages.style import panels


def lengths(data):
    """Draw the lengths of the texts."""
    figure, (axes,) = panels(1)
    axes.hist([float(row["length"]) for row in data.results.measure_table("size", "lengths")])
    return figure


FIGURES = {"lengths": lengths}
''',
}


def files(folder: Path) -> dict[str, str]:
    """Return the digest of every file of configuration, code and workflow."""
    found = [path for part in ("config", "src", "workflow") for path in (folder / part).rglob("*") if path.is_file()]
    found = [folder / "Snakefile", *(path for path in found if "__pycache__" not in path.parts)]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def test_a_seventh_paper_is_two_folders(copy: Clone) -> None:
    before = files(copy.folder)
    for place, parts in (("config/papers/toy", CONFIGURATION), ("src/reproduction/papers/toy", CODE)):
        (copy.folder / place).mkdir()
        for name, text in parts.items():
            (copy.folder / place / name).write_text(text, encoding="utf-8")
    done = copy.run_warm("--cores", "2", "toy", "all", "--config", "papers=[toy]")
    assert done.returncode == 0, done.stdout
    page = (copy.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert "A toy paper" in page
    assert "f-toy-lengths" in (copy.folder / "results/report/toy.html").read_text(encoding="utf-8")
    reported = copy.run_warm("--report", "report.zip", "--config", "papers=[toy]")
    assert reported.returncode == 0, reported.stdout
    with zipfile.ZipFile(copy.folder / "report.zip") as archive:
        held = {Path(name).name for name in archive.namelist()}
        described = archive.read("report/report.html").decode("utf-8")
    assert {"index.html", "numbers.html", "provenance.html", "toy.html", "comparison.csv"} <= held
    assert "has one verdict" in described and "Each published item once" in described
    with open(copy.folder / "results/papers/toy/comparison.csv", encoding="utf-8", newline="") as file:
        words, many = csv.DictReader(file)
    # The made-up texts are only nearly the paper's data, so that a count is shown and not judged.
    assert 120 < float(words["rebuilt"]) <= 240, words
    assert many["verdict"] == "reproduced", many
    assert {name: digest for name, digest in files(copy.folder).items() if "/toy/" not in name} == before
