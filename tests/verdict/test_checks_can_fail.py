"""Each check of each paper: values within the range of what it compares that must fail it, and values that hold it."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest

from reproduction.flow.locators import Locator, ScoreLocator
from reproduction.flow.papers import expand_paper
from reproduction.flow.results import Results
from reproduction.verdict import claims
from reproduction.verdict.published import read_claims
from reproduction.verdict.resolve import Reproduced, Trials
from textmix.core.config import load_yaml_strict

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "config/papers"
every_paper = pytest.mark.parametrize("paper", sorted(folder.name for folder in PAPERS.iterdir()))
#: Names of values that lie between 0 and 1, beside the metrics of scores.
SHARE = re.compile(r"share|error_at|set_error|precision|recall|agreement|chance_of|threshold")
#: Noise of seven trials, in units of a thousandth.
NOISE = (-1.0, 0.0, 1.0, 0.5, -0.5, 0.7, -0.7)


@functools.cache
def checks_of(paper: str) -> dict[str, dict[str, Any]]:
    checks: dict[str, dict[str, Any]] = read_claims(PAPERS / paper, ROOT / "workflow/schemas")[1]
    return checks


@functools.cache
def spec_of(paper: str) -> dict[str, Any]:
    return dict(expand_paper(load_yaml_strict(PAPERS / paper / "paper.yaml"), paper))


def is_share(locator: Locator) -> bool:
    return isinstance(locator, ScoreLocator) or bool(SHARE.search(str(locator).rpartition("/")[2]))


def judged(monkeypatch: pytest.MonkeyPatch, paper: str, name: str, values: dict[str, float]) -> bool | None:
    """Return what a check says of given values, by locator; scores are means over seven random splits."""

    def located(_: Results, locator: Locator) -> Reproduced:
        """Return the value of a locator, with trials about it if it is a score."""
        value = values[str(locator)]
        assert 0 <= value <= 1 or not is_share(locator), (locator, value)
        if not isinstance(locator, ScoreLocator):
            return Reproduced(value)
        turn = list(values).index(str(locator)) % len(NOISE)
        trials = [value + noise / 1000 for noise in (*NOISE[turn:], *NOISE[:turn])]
        return Reproduced(value, trials=Trials(trials, locator.role, 0.25))

    monkeypatch.setattr(claims, "locate", located)
    return claims.evaluate(name, checks_of(paper)[name], Results(Path(), paper, {}, spec_of(paper))).holds


def assigned(check: dict[str, Any], left: Any, right: float = 0.0) -> dict[str, float]:
    """Return locator -> value; ``left`` is one value, or a list with one for each."""
    lefts = check["left"]
    values = dict.fromkeys(check.get("right", ()), right)
    return values | dict(zip(lefts, left if isinstance(left, list) else [left] * len(lefts), strict=True))


def values_of(check: dict[str, Any], holding: bool) -> dict[str, float]:
    kind, n = check["kind"], len(check["left"])
    if kind in ("rising", "falling"):
        up = [0.1 + 0.8 * i / n for i in range(n)]
        return assigned(check, up if (kind == "rising") == holding else up[::-1])
    if kind == "near":
        return assigned(check, 0.5, 0.5 if holding else 0.5 + 3 * check["margin"])
    if kind in ("at_least", "at_most"):
        bound, lower = check["bound"], (kind == "at_most") == holding
        # Below a positive bound lies its half, above it the middle between it and 1, or its double.
        low, high = (bound / 2 if bound > 0 else bound - 1), ((bound + 1) / 2 if 0 <= bound < 1 else 2 * bound)
        if kind == "at_least" and holding:
            high = bound
        return assigned(check, low if lower else high)
    if kind in ("positive", "negative"):
        return assigned(check, 0.1 if (kind == "positive") == holding else -0.1)
    if kind == "holds":
        return assigned(check, float(holding))
    chained = set(check["left"]) & set(check["right"])  # A number may be above one and below another.
    return assigned(check, [(0.6 if name in chained else 0.9) if holding else 0.2 for name in check["left"]], 0.3)


@every_paper
def test_each_check_can_fail_and_hold(monkeypatch: pytest.MonkeyPatch, paper: str) -> None:
    for name, check in checks_of(paper).items():
        assert judged(monkeypatch, paper, name, values_of(check, holding=False)) is False, name
        assert judged(monkeypatch, paper, name, values_of(check, holding=True)) is True, name


@every_paper
def test_each_check_allows_exceptions_on_the_fewer_pairs(paper: str) -> None:
    for name, check in checks_of(paper).items():
        pairs = max(len(check["left"]), len(check.get("right", ())))
        assert 2 * check.get("exceptions", 0) < pairs, name
