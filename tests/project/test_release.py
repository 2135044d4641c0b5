"""The version stands in one place, and each file that repeats it for readers agrees; so do the cited documents."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import yaml

import textmix
from reproduction.verdict.published import read_published
from reproduction.verdict.recorded import read_recorded, recorded_files
from reproduction.verdict.words import VERDICTS

ROOT = Path(__file__).resolve().parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CODEMETA = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
ZENODO = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_that_of_the_package() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "textmix.__version__"}
    assert textmix.__version__ == CITATION["version"] == CODEMETA["version"] == ZENODO["version"]


def test_the_changelog_has_the_version_and_its_known_headings() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", text, re.M)
    assert releases[0] == ("Unreleased", "") and releases[1][0] == textmix.__version__
    assert {heading for heading in re.findall(r"^### (.+)$", text, re.M)} <= {
        *("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"),
    }


def test_the_article_cites_what_its_list_holds_and_compares_what_it_must() -> None:
    text, listed = ((ROOT / "paper" / name).read_text(encoding="utf-8") for name in ("paper.md", "paper.bib"))
    assert set(re.findall(r"@(\w+)(?=[\];,])", text)) == set(re.findall(r"^@\w+\{(\w+),", listed, re.M))
    for heading in ("Summary", "Statement of need", "State of the field", "Community guidelines", "References"):
        assert f"\n# {heading}\n" in text
    for other in ("pyramid", "MULAN", "MEKA", "scikit-multilearn", "napkinXC", "benchopt", "showyourwork"):
        assert other in text


def test_the_article_says_the_verdicts_and_counts_of_today() -> None:
    text, readme = ((ROOT / name).read_text(encoding="utf-8") for name in ("paper/paper.md", "README.md"))
    said = text.partition("a verdict by a stated test: ")[2].partition(".")[0]
    assert set(re.split(r", (?:or )?", said)) <= set(VERDICTS)
    proved, equations = re.findall(r"(\d+) of the (\d+) equations", readme)[0]
    assert f"{equations} equations of the documents, of which {proved} are proved" in text


def test_the_readme_counts_the_equations_that_a_test_proves_and_the_minutes_of_the_recorded_runs() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    papers = [read_published(path) for path in sorted((ROOT / "config/papers").glob("*/published.csv"))]
    equations = [row for rows in papers for row in rows if row.kind == "equation"]
    proved = [row for row in equations if row.tolerance != "open"]
    assert f"{len(proved)} of the {len(equations)} equations are proved by tests or checks" in readme
    run = read_recorded(recorded_files(ROOT / "config"))
    assert run is not None
    *first, last = (str(facts.minutes) for facts in run.runs)
    assert f"took {', '.join(first)} and {last} minutes on two cores" in readme


def test_the_three_descriptions_cite_the_same_documents() -> None:
    titles = {reference["title"] for reference in CITATION["references"]}
    assert len(titles) == 6  # the slides of Li et al. are two papers
    assert titles == {each["name"] for each in CODEMETA["citation"]}
    assert all(any(title in said for said in ZENODO["references"]) for title in titles)
    assert CITATION["license"] == PROJECT["project"]["license"] == ZENODO["license"].upper()
