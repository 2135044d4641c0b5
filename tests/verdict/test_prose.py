"""No caption, effect or cause states a result by hand: its digits are settings, published values or references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reproduction.verdict.published import read_published
from textmix.core.config import load_yaml_strict

PAPERS = Path(__file__).parents[2] / "config/papers"
NAMES = sorted(folder.name for folder in PAPERS.iterdir())
#: Digits that name a place, a data set, a year of a document or a formula.
REFERENCE = re.compile(
    r"(Tables?|Figures?|equations?|sections?|footnotes?) \d+((, | and | to |-)\d+)*|20 Newsgroups|TMC2007"
    r"|\b(19|20)\d\d\b|\b1/(k|\|V\|)|10\^-\d+|1 - 10\^-\d+|\b1 \+ log x|[LKn] = \d+|~\d"
)
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")


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


def unexplained(caption: str, known: set[float]) -> list[str]:
    """Return the numbers of a caption that are neither known nor a reference."""
    return [text for text in NUMBER.findall(REFERENCE.sub("", caption)) if float(text.replace(",", "")) not in known]


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
def test_the_digits_of_effects_and_causes_are_settings_published_values_or_references(paper: str) -> None:
    texts = {}
    for entry in load_yaml_strict(PAPERS / paper / "deviations.yaml"):
        texts[entry["id"]] = entry.get("effect", "")
        texts |= {" ".join(cause["rows"]): cause["because"] for cause in entry.get("explains", ())}
    known = stated(paper)
    assert {name: found for name, text in texts.items() if (found := unexplained(text, known))} == {}


def test_a_result_in_a_caption_is_found() -> None:
    assert unexplained("Figure 2 on 20 Newsgroups: accuracy .5 with 500 pages, 83.1 with 2,000", {500.0, 2000.0}) == [
        "83.1"
    ]
