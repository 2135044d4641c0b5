"""Digests of origins are equal for equal content, and differ for other data, settings or code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from reproduction.flow.lineage import Ancestors, Origin
from textmix.core import io


def result(root: Path, path: str, text: str, inputs: Mapping[str, str] = {}, **record: Mapping[str, str]) -> None:
    """Write a result whose record names its inputs."""
    digests = {name: io.result_digest(root / name) for name in inputs}
    io.write_result(root / path, text, {"inputs": digests, "code": {}, "settings": {}, **record})


def origin(root: Path, *, data: str = "d", code: str = "1", settings: str = "a", split: str = "s") -> Origin:
    """Return the origin of a score with given versions of its data set, split and fit."""
    result(root, "results/datasets/news.csv", data, code={"reader": "1"})
    result(root, "results/splits/news.csv", split)
    read = {"results/datasets/news.csv": "", "results/splits/news.csv": ""}
    result(root, "results/predictions/fit.csv", "p", read, code={"model": code}, settings={"entry": settings})
    result(root, "results/scores/fit.csv", "0.8", {"results/predictions/fit.csv": ""}, code={"metric": "1"})
    declared = ("results/datasets/news.csv", "results/predictions/fit.csv", "results/scores/fit.csv")
    inputs = {path: io.result_digest(root / path) for path in declared}
    return Ancestors(root, inputs).origin("p.x", ["results/scores/fit.csv", "results/not/made.csv"])


def test_origin_is_independent_of_the_folder(tmp_path: Path) -> None:
    found = origin(tmp_path / "one")
    assert found == origin(tmp_path / "other")
    assert found.results == "results/scores/fit.csv"
    assert found.data and found.settings and found.code


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        ({"data": "e"}, {"data"}),
        ({"code": "2"}, {"code"}),
        ({"settings": "b"}, {"settings"}),
        ({"split": "t"}, {"settings"}),
    ],
)
def test_change_affects_only_the_digest_of_its_kind(tmp_path: Path, change: dict[str, str], moved: set[str]) -> None:
    before, after = origin(tmp_path / "one"), origin(tmp_path / "other", **change)
    names = ("data", "settings", "code")
    assert {name for name in names if getattr(before, name) != getattr(after, name)} == moved


def test_value_without_inputs_has_no_digest(tmp_path: Path) -> None:
    assert Ancestors(tmp_path, {}).origin("p.x", []) == Origin("p.x", "", "", "", "")


def test_measured_times_are_recognised_by_folder() -> None:
    assert Origin("p.x", "", "", "", "results/scores/a.csv results/timings/a.csv").timed
    assert not Origin("p.x", "", "", "", "results/scores/timings/a.csv").timed
