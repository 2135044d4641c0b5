"""The state of a run: results that are there, started and missing, and the time that the rest takes."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from reproduction.plan.status import Stage, duration, in_words, status

#: Path of a result whose name is longer than a file name may be once it is in base64.
LONG = "results/scores/" + "/".join(["long_name_of_an_experiment"] * 9) + ".csv"


def kept(folder: Path, kind: str, output: str, content: str = "") -> None:
    """Write Snakemake's file about an output."""
    name = urlsafe_b64encode(output.encode()).decode()
    parts = [name[start : start + 254] for start in range(0, len(name), 254)]
    path = folder / ".snakemake" / kind / Path(*["@" + part for part in parts[:-1]], parts[-1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def test_a_result_is_done_started_or_missing(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results/a").touch()
    (tmp_path / "results/b").touch()  # half made
    kept(tmp_path, "incomplete", "results/b")
    kept(tmp_path, "incomplete", LONG)
    found = status({"fit": ["results/a", "results/b", LONG, "results/d"]}, tmp_path, {})
    assert found == {"fit": Stage(done=1, started=2, missing=1, seconds=None)}


def test_the_rest_takes_its_own_earlier_time_or_the_mean_of_its_stage(tmp_path: Path) -> None:
    for name, seconds in (("a", 10.0), (LONG, 30.0)):
        kept(tmp_path, "metadata", name, json.dumps({"starttime": 100.0, "endtime": 100.0 + seconds}))
    kept(tmp_path, "metadata", "b", '{"starttime": 1')  # a record that is being written
    (tmp_path / "a").touch()
    (stage,) = status({"fit": ["a", LONG, "b"]}, tmp_path, {}).values()
    assert stage.seconds == 30.0 + (10.0 + 30.0) / 2


def test_what_was_expected_stands_where_nothing_ran_and_not_where_it_did(tmp_path: Path) -> None:
    expected = {"a": 50.0, "b": 70.0}
    assert status({"fit": ["a", "b"]}, tmp_path, expected)["fit"].seconds == 120.0
    kept(tmp_path, "metadata", "a", json.dumps({"starttime": 1.0, "endtime": 6.0}))
    assert status({"fit": ["a", "b"]}, tmp_path, expected)["fit"].seconds == 75.0


def test_a_folder_in_which_nothing_ran_lacks_everything(tmp_path: Path) -> None:
    assert status({"fit": ["a"]}, tmp_path, {}) == {"fit": Stage(0, 0, 1, None)}


@pytest.mark.parametrize(
    ("stages", "last"),
    [
        ([Stage(3, 0, 0, 0.0)], "Every result is there"),
        ([Stage(0, 0, 3, None)], "not known"),
        ([Stage(0, 1, 3, 600.0)], "The rest takes about 5 min on 2 cores"),
        ([Stage(0, 0, 3, 600.0), Stage(0, 0, 1, None)], "at least about 5 min"),
    ],
)
def test_the_last_line_says_how_long_the_rest_takes(stages: list[Stage], last: str) -> None:
    assert last in in_words({str(place): stage for place, stage in enumerate(stages)}, 2).splitlines()[-1]


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0 s"), (59.4, "59 s"), (90.0, "2 min"), (11100.0, "3 h 5 min")])
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
