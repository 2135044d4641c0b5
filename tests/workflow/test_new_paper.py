"""A new paper consists of a folder of configuration and a folder of code; no other file changes."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from reproduction.flow.papers import load_papers, read_methods
from reproduction.scaffold import new_paper
from reproduction.verdict.published import read_published
from reproduction.verdict.reference_check import check_locator
from tests.workflow.tiny import ROOT, Clone
from textmix.core.errors import ConfigError

pytestmark = pytest.mark.workflow

CONFIGURATION = {
    "paper.yaml": """
title: A toy paper
citation: Nobody, A toy paper that is made up for the tests of the workflow.
status: built
order: 7
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
    "choices.yaml": "[]\n",
}
CODE = {
    "__init__.py": '"""A toy paper."""\n',
    "measures.py": '''"""The measure of the toy paper."""

from reproduction.flow.measures import Measure


def size(sources, settings, generator):
    """Count the words."""
    corpus = sources["newsgroups"].corpus
    lengths = corpus.features.sum(axis=1).tolist()
    return Measure({"words": corpus.features.shape[1]}, {"lengths": [{"length": length} for length in lengths]})
''',
    "figures.py": '''"""The figure of the toy paper."""

from reproduction.figures.style import panels


def lengths(data):
    """Draw the lengths of the texts."""
    figure, (axes,) = panels(1)
    axes.hist([float(row["length"]) for row in data.results.measure_table("size", "lengths")])
    return figure


FIGURES = {"lengths": lengths}
''',
}
#: Method of a paper outside the repository.
MODELS = '''"""The method of the toy paper."""

from textmix import MultinomialClassifier


class Plain(MultinomialClassifier):
    """Naive Bayes under another name."""
'''


def files(folder: Path) -> dict[str, str]:
    """Return the digests of all files of configuration, code and workflow."""
    found = [path for part in ("config", "src", "workflow") for path in (folder / part).rglob("*") if path.is_file()]
    found = [path for path in found if "__pycache__" not in path.parts]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def test_new_paper_consists_of_two_folders(copy: Clone) -> None:
    before = files(copy.folder)
    for place, parts in (("config/papers/toy", CONFIGURATION), ("src/reproduction/papers/toy", CODE)):
        (copy.folder / place).mkdir()
        for name, text in parts.items():
            (copy.folder / place / name).write_text(text, encoding="utf-8")
    done = copy.run_warm("--cores", "2", "toy")
    assert done.returncode == 0, done.stdout
    front, page = (copy.folder / f"results/papers/toy/report/{name}.html" for name in ("index", "toy"))
    assert "A toy paper" in front.read_text(encoding="utf-8")
    assert "f-toy-lengths" in page.read_text(encoding="utf-8")
    with open(copy.folder / "results/papers/toy/comparison.csv", encoding="utf-8", newline="") as file:
        words, many = csv.DictReader(file)
    # The synthetic texts are only nearly the paper's data, so that a count is shown and not judged.
    assert 120 < float(words["reproduced"]) <= 240, words
    assert many["verdict"] == "reproduced", many
    assert {name: digest for name, digest in files(copy.folder).items() if "/toy/" not in name} == before


#: Page with the session that `test_documented_session` replays.
PAGE = ROOT / "docs/how-to/add-a-paper.md"


def documented_session() -> list[tuple[str, list[str]]]:
    """Return the commands of the page with the output that it shows for them."""
    steps: list[tuple[str, list[str]]] = []
    text = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    for language, block in re.findall(r"^```(sh|text)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        if language == "sh":
            steps += [(command, []) for command in block.splitlines()]
        else:
            steps[-1][1].extend(block.splitlines())
    return steps


def test_documented_session(fresh: Clone, tmp_path: Path) -> None:
    """Every documented command succeeds as written and prints the documented lines."""
    fresh.edit("config/config.yaml", "max_trials: 2", "max_trials: null")
    before = files(fresh.folder)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, command in (("python", '"$@"'), ("snakemake", '-m snakemake "$@"')):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command}\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    environment = fresh.environment(PATH=f"{tools}:{os.environ['PATH']}")
    steps = documented_session()
    assert len(steps) > 3
    for command, lines in steps:
        done = subprocess.run(
            command,
            shell=True,
            cwd=fresh.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        assert set(lines) <= set(done.stdout.splitlines()), done.stdout
    new = {name for name in files(fresh.folder) if name not in before}
    assert all(name.startswith("config/papers/mine/") for name in new)
    assert len((fresh.folder / "config/papers/mine/texts.csv").read_text(encoding="utf-8").splitlines()) == 21


TABLE = "artefact,method,newsgroups,letters\nt1,multinomial,33,\nt1,linear_svm,12,50\n"


def verdicts(clone: Clone, paper: str) -> dict[str, str]:
    """Return id -> verdict of a paper's comparison."""
    with open(clone.folder / f"results/papers/{paper}/comparison.csv", encoding="utf-8", newline="") as file:
        return {row["id"]: row["verdict"] for row in csv.DictReader(file)}


def test_paper_from_the_template_needs_no_code(
    copy: Clone, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copy.folder)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    asked = ["begun", "--role", "letters=tiny_reuters", "--margin", "5", "--table", "table.csv"]
    assert new_paper.main(asked) == 0
    folder = copy.folder / "config/papers/begun"
    assert {path.name for path in folder.iterdir()} == {"paper.yaml", "published.csv", "roles.yaml", "history.md"}
    schema = (folder / "paper.yaml").read_text(encoding="utf-8").splitlines()[0].partition("$schema=")[2]
    assert (folder / schema).samefile(copy.folder / "workflow/schemas/paper.schema.yaml")
    done = copy.run_warm("--cores", "2", "begun")
    assert done.returncode == 0, done.stdout
    assert set(verdicts(copy, "begun")) == {
        "begun.t1.multinomial.newsgroups",
        "begun.t1.linear_svm.newsgroups",
        "begun.t1.linear_svm.letters",
    }
    assert verdicts(copy, "begun")["begun.t1.linear_svm.newsgroups"] == "differs"
    assert verdicts(copy, "begun")["begun.t1.multinomial.newsgroups"] == "reproduced"
    page = (copy.folder / "results/papers/begun/report/begun.html").read_text(encoding="utf-8")
    assert "f-begun-scores" in page and "Table 1" in page
    assert new_paper.main(asked) == 1 and "choose another name" in capsys.readouterr().err


SETS = """artefact,method,features,letters,mail
t1,multinomial,words,33,50
t1,linear_svm,words,12,
t1,multinomial,pairs,35,51
t2,multinomial,pairs,36,52
"""


def begun(folder: Path, table: str, **features: str) -> Path:
    """Create a paper outside the repository; return its folder."""
    roles = {"letters": "r52_wheel", "mail": "bbc_wheel"}
    new_paper.write_paper(new_paper.NewPaper(ROOT, "begun", table, folder, roles, features))
    return folder / "begun"


def test_every_feature_set_of_a_table_is_an_experiment(tmp_path: Path) -> None:
    folder = begun(tmp_path, SETS, pairs="max_n: 2, min_count: 3")
    (paper,) = load_papers(ROOT, read_methods(ROOT), {"begun": folder}).values()
    assert paper["features"] == {
        "begun_words": {"tokenizer": "letters", "lowercase": True, "min_count": 2},
        "begun_pairs": {"tokenizer": "letters", "lowercase": True, "min_count": 3, "max_n": 2},
    }
    assert {key: one["features"] for key, one in paper["experiments"].items()} == {
        "words": "begun_words",
        "pairs": "begun_pairs",
    }
    assert {key: one["experiment"] for key, one in paper["figures"].items()} == {
        "scores_words": "words",
        "scores_pairs": "pairs",
    }
    rows = read_published(folder / "published.csv")
    assert [row.value for row in rows] == ["33", "50", "12", "35", "51", "36", "52"]
    for row in rows:
        check_locator(row.locator, paper, row.id, ROOT / "tests")
    assert rows[3].source == "score:pairs/letters/multinomial_pairs/accuracy"
    assert rows[5].id == "begun.t2.multinomial_pairs.letters"
    assumed = (folder / "paper.yaml").read_text(encoding="utf-8").splitlines()[1:3]
    assert assumed[0].startswith("# Assumed: accuracy in percent, within 1;")


@pytest.mark.parametrize(
    ("table", "features", "said"),
    [
        (SETS, {}, "specify how the features pairs differ from words, such as --features 'pairs=max_n: 2'"),
        (SETS, {"pears": "max_n: 2"}, "unknown features 'pears'; did you mean 'pairs'?"),
        ("artefact,method,letters\nt1,nbsvm,1\nt1,nbsvm,2\n", {}, "t1,nbsvm occurs twice; distinguish feature sets by"),
        (SETS.replace("t2", "t1"), {"pairs": "max_n: 2"}, "t1,multinomial,pairs occurs twice"),
        (SETS.replace("pairs", "Pairs"), {}, "'Pairs' is not a valid name of features"),
    ],
)
def test_table_with_ambiguous_cells_is_rejected(
    tmp_path: Path, table: str, features: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        begun(tmp_path, table, **features)
    assert not (tmp_path / "begun").exists()


def test_paper_outside_the_repository_has_its_own_data_methods_and_figures(fresh: Clone) -> None:
    before, elsewhere = files(fresh.folder), fresh.folder / "else where"
    elsewhere.mkdir()
    entry = yaml.safe_load((fresh.folder / "config/datasets.yaml").read_text(encoding="utf-8"))["tiny_reuters"]
    (elsewhere / "datasets.yaml").write_text(yaml.safe_dump({"letters_set": entry}), encoding="utf-8")
    method = yaml.safe_load((fresh.folder / "config/methods.yaml").read_text(encoding="utf-8"))["multinomial"]
    method["estimator"] = "toy.models:Plain"
    (elsewhere / "methods.yaml").write_text(yaml.safe_dump({"plain": method}), encoding="utf-8")
    (elsewhere / "roles.yaml").write_text(
        'letters: {dataset: letters_set, comparable: fully, note: ""}\n', encoding="utf-8"
    )
    for name, text in {**CONFIGURATION, **CODE, "models.py": MODELS}.items():
        (elsewhere / "toy").mkdir(exist_ok=True)
        (elsewhere / "toy" / name).write_text(text.replace("newsgroups", "letters"), encoding="utf-8")
    paper = yaml.safe_load((elsewhere / "toy/paper.yaml").read_text(encoding="utf-8"))
    paper["experiments"] = {
        "main": {
            **{"roles": {"letters": "toy_split"}, "features": "toy_words", "metrics": ["accuracy"]},
            "methods": {"plain": {"use": "plain"}},
        }
    }
    (elsewhere / "toy/paper.yaml").write_text(yaml.safe_dump(paper), encoding="utf-8")
    with open(elsewhere / "toy/published.csv", "a", encoding="utf-8") as rows:
        rows.write(
            "toy.accuracy,toy.t2,number,letters,plain,accuracy,percent,99,,,Table 2,near,1,"
            "score:main/letters/plain/accuracy,Made up.\n"
        )
    asked = ("--config", "papers=[toy]", "papers_from=['else where']")
    done = fresh.run_warm("--cores", "2", "toy", "all", *asked)
    assert done.returncode == 0, done.stdout
    assert verdicts(fresh, "toy") == {"toy.words": "reproduced", "toy.many": "reproduced", "toy.accuracy": "differs"}
    page = (fresh.folder / "results/report/toy.html").read_text(encoding="utf-8")
    assert "f-toy-lengths" in page and "Table 2" in page
    assert files(fresh.folder) == before
    fresh.edit("else where/toy/figures.py", "axes.hist(", "axes.grid()\n    axes.hist(")
    planned = fresh.run_warm("-n", "toy", *asked)
    assert re.search("^figure_toy +1$", planned.stdout, re.MULTILINE), planned.stdout
    assert not re.search("^measure ", planned.stdout, re.MULTILINE)
