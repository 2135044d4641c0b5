"""No prose of a paper states a result by hand: its digits are settings, published values or references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reproduction.stored.recorded_curves import RECORDED_CURVES
from reproduction.verdict.published import read_published, read_record
from reproduction.verdict.quotes import REFERENCE as QUOTE
from reproduction.verdict.quotes import quoted
from reproduction.verdict.recorded import read_recorded, recorded_files
from textmix.core.config import load_yaml_strict
from textmix.core.io import read_csv

PAPERS = Path(__file__).parents[2] / "config/papers"
NAMES = sorted(folder.name for folder in PAPERS.iterdir())
#: Digits that name a place, a data set, a year of a document or a formula.
REFERENCE = re.compile(
    r"(Tables?|Figures?|equations?|sections?|footnotes?) \d+((, | and | to |-)\d+)*|20 Newsgroups|TMC2007"
    r"|\b(19|20)\d\d\b|\b1/(k|\|V\|)|10\^-?\d+|1 - 10\^-\d+|\b\d+e-\d+|(?<!\w)\(\d+\)|\b1 \+ log x|[LKn] = \d+|~\d"
)
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?![\w])")


def numbers(found: Any) -> Iterator[float]:
    """Yield the numbers of a part of paper.yaml, those inside words and names too."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from numbers(str(key))
            yield from numbers(value)
    elif isinstance(found, list):
        for value in found:
            yield from numbers(value)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield from (float(found), round(100 * found, 6), round(100 - 100 * found, 6))
    elif isinstance(found, str):
        yield from map(float, re.findall(r"\d+", found))


def value(text: str) -> float:
    """Return a number as text, with commas between thousands, as a number."""
    return float(text.replace(",", ""))


def unexplained(caption: str, known: set[float]) -> list[str]:
    """Return the numbers of a caption that are neither known nor a reference."""
    return [text for text in NUMBER.findall(REFERENCE.sub("", caption)) if value(text) not in known]


def stated(paper: str) -> set[float]:
    """Return the numbers of a paper's settings and of its published rows."""
    spec = load_yaml_strict(PAPERS / paper / "paper.yaml")
    settings = {key: spec.get(key, {}) for key in ("features", "splits", "experiments", "measures")}
    printed = [row.value for row in read_published(PAPERS / paper / "published.csv")]
    return set(numbers(settings)) | {float(text) for text in printed if re.fullmatch(r"\d+(\.\d+)?", text)}


@pytest.mark.parametrize("paper", NAMES)
def test_the_digits_of_captions_are_settings_published_values_or_references(paper: str) -> None:
    spec = load_yaml_strict(PAPERS / paper / "paper.yaml")
    drawn = [
        {key: value for key, value in figure.items() if key not in ("title", "caption")}
        for figure in spec["figures"].values()
    ]
    known = stated(paper) | set(numbers(drawn))
    captions = {name: entry["caption"] for part in ("figures", "tables") for name, entry in spec[part].items()}
    assert {name: found for name, text in captions.items() if (found := unexplained(text, known))} == {}


@pytest.mark.parametrize("paper", NAMES)
def test_the_digits_of_choices_effects_and_causes_are_settings_published_values_or_references(paper: str) -> None:
    spec = load_yaml_strict(PAPERS / paper / "specifications.yaml")
    known, found = stated(paper) | set(numbers(spec)), {}
    for entry in load_yaml_strict(PAPERS / paper / "deviations.yaml"):
        texts = {key: entry.get(key, "") for key in ("we_do", "why")} | {
            "effect": QUOTE.sub("", entry.get("effect", ""))
        }
        texts |= {" ".join(cause["rows"]): cause["because"] for cause in entry.get("explains", ())}
        source = set(numbers(entry["source_says"])) | set(map(value, NUMBER.findall(entry["source_says"])))
        found |= {
            (entry["id"], name): numbers_of
            for name, text in texts.items()
            if (numbers_of := unexplained(text, known | source))
        }
    assert found == {}


@pytest.mark.parametrize("paper", NAMES)
def test_each_reference_to_a_result_has_a_recorded_value(paper: str) -> None:
    record = read_record(PAPERS / paper, PAPERS.parents[1] / "workflow/schemas")
    published = {row.id: row for row in record.rows}
    run = read_recorded(recorded_files(PAPERS.parent))
    curves = PAPERS / paper / RECORDED_CURVES
    readings = read_csv(curves) if curves.is_file() else []
    for entry in record.deviations:
        said = quoted(entry.effect, published, run.rows if run else {}, readings, f"{paper}: {entry.id}")
        assert "{" not in said


def test_a_result_in_a_caption_is_found() -> None:
    assert unexplained("Figure 2 on 20 Newsgroups: accuracy .5 with 500 pages, 83.1 with 2,000", {500.0, 2000.0}) == [
        ".5",
        "83.1",
    ]
