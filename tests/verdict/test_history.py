"""What decides a verdict moves only with a line in history.md: compared with the commit of the recorded run, by git."""

from __future__ import annotations

import ast
import fnmatch
import re
import subprocess
from collections.abc import Iterator, Mapping
from csv import DictReader
from pathlib import Path
from typing import Any

import pytest
import yaml

from reproduction.verdict.read_sections import marks_of_history, names_item
from reproduction.verdict.recorded_run import history_entries
from textmix.core.errors import RENAMED
from textmix.core.io import read_json

ROOT = Path(__file__).parents[2]
PAPERS = sorted(path.name for path in (ROOT / "config/papers").iterdir() if path.is_dir())
#: Columns of published.csv that decide a verdict.
ROW = ("kind", "dataset", "method", "metric", "unit", "value", "spread", "trials", "tolerance", "margin", "source")
#: Keys of an entry of paper.yaml that decide no value.
PLACE = ("function", "expensive")
#: Modules whose constants are thresholds of verdicts, by their place at any commit.
JUDGING = (
    *(
        f"reproduction/verdict/{name}.py"
        for name in (
            "claims",
            "compare",
            "comparison_row",
            "equivalence",
            "evidence",
            "evidence_levels",
            "items",
            "ladder",
            "numbers",
            "placebo",
            "report_rows",
            "yardstick",
        )
    ),
    "textmix/metrics/significance.py",
)


def text_at(commit: str, path: str) -> str:
    """Return the text of a file at a commit; empty where there was none. No commit is the working folder."""
    if not commit:
        return (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""
    shown = subprocess.run(["git", "-C", str(ROOT), "show", f"{commit}:{path}"], capture_output=True, check=False)
    return shown.stdout.decode()


def recorded_commit(paper: str) -> str:
    """Return the commit of a paper's recorded run; skip where this clone has not got it."""
    path = ROOT / "config/papers" / paper / "recorded/run.json"
    if not path.is_file():
        pytest.skip(f"no run of {paper} is recorded")
    commit = read_json(path)["commit"][:40]
    known = subprocess.run(["git", "-C", str(ROOT), "cat-file", "-e", commit], capture_output=True, check=False)
    if known.returncode:
        pytest.skip(f"git does not have the recorded commit {commit} here; fetch the whole history")
    return commit


#: Values of the former key casing as values of lowercase.
LOWERCASE = {"lower": True, "keep": False}


def renamed(value: Any) -> Any:
    """Replace the names that keys had before version 0.3 by their present names, at any depth."""
    if isinstance(value, list):
        return [renamed(element) for element in value]
    if not isinstance(value, dict):
        return value
    entry = {}
    for key, content in value.items():
        parts = str(key).split(".")  # a dotted path of paper.yaml is a key of set
        name = ".".join(RENAMED.get(part, part) for part in parts)
        entry[name if isinstance(key, str) else key] = LOWERCASE[content] if parts[-1] == "casing" else renamed(content)
    return entry


#: Former name of a threshold -> its present name.
RENAMED_THRESHOLDS = {
    "LEAST_CELLS": "MIN_CELLS_OF_MEAN",
    "MOST_RIVALS": "MAX_ACCEPTED_PROPORTION",
    "ORDERS": "N_RANDOM_ORDERS",
    "ROOM": "NARROW_MARGIN",
    "WHOLE": "MAX_NUMBERS_FOR_ALL_ORDERS",
    "WIDEST": "MAX_RELATIVE_MARGIN",
}


def thresholds(text: str) -> dict[str, float]:
    """Return name -> value of the public numbers that a module sets."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            (target,), value = node.targets, node.value
            pairs = zip(target.elts, value.elts, strict=True) if isinstance(target, ast.Tuple) else [(target, value)]
            for name, one in pairs:
                if isinstance(one, ast.Constant) and isinstance(one.value, int | float) and name.id[0] != "_":
                    found[RENAMED_THRESHOLDS.get(name.id, name.id)] = one.value
    return found


def items(paper: str, commit: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield name, part and content of all that decides the verdicts of a paper at a commit."""
    folder = f"config/papers/{paper}"
    for row in DictReader(text_at(commit, f"{folder}/published.csv").splitlines()):
        if row["source"].startswith("test:"):  # the file of a test is a place, as that of a function is
            row["source"] = f"test:{row['source'].rpartition('::')[2]}"
        yield from ((row["id"], column, row[column]) for column in ROW)
    checks = yaml.safe_load(text_at(commit, f"{folder}/checks.yaml")) or {}
    for name, check in checks.items():
        yield from ((name, key, " ".join(value.split()) if key == "text" else value) for key, value in check.items())
    spec = renamed(yaml.safe_load(text_at(commit, f"{folder}/paper.yaml")))
    for kind in ("experiments", "measures", "splits", "features"):
        for name, entry in spec.get(kind, {}).items():
            yield from ((name, f"{kind}.{key}", value) for key, value in entry.items() if key not in PLACE)
    for choice in renamed(yaml.safe_load(text_at(commit, f"{folder}/choices.yaml"))) or ():
        yield from ((name, "alternatives", entry) for name, entry in choice.get("alternatives", {}).items())
    registry = renamed(yaml.safe_load(text_at(commit, "config/methods.yaml")))
    used = {made["use"] for entry in spec["experiments"].values() for made in entry["methods"].values()}
    yield from ((name, "method", registry.get(name, {}).get("params")) for name in sorted(used))
    roles = yaml.safe_load(text_at(commit, "config/config.yaml"))["roles"]
    for role in (one for name in spec["roles"] for one in spec.get("role_lists", {}).get(name, [name])):
        yield from ((role, key, roles.get(role, {}).get(key)) for key in ("dataset", "comparable"))
    for module in JUDGING:
        yield from ((name, "threshold", value) for name, value in thresholds(text_at(commit, f"src/{module}")).items())


def unentered(old: Mapping[tuple[str, str], Any], new: Mapping[tuple[str, str], Any], entries: str) -> list[str]:
    """Return what moved between two states of a paper and is not named by the later entries of its history."""
    moved = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    return [
        f"{name}: {part} was {old.get((name, part))!r} and is {new.get((name, part))!r}"
        for name, part in moved
        if not names_item(entries, name)
    ]


def state(paper: str, commit: str = "") -> dict[tuple[str, str], Any]:
    """Return the items of a paper at a commit by name and part."""
    return {(name, part): content for name, part, content in items(paper, commit)}


@pytest.mark.parametrize("paper", PAPERS)
def test_what_moved_since_the_recorded_run_stands_in_the_history(paper: str) -> None:
    commit, path = recorded_commit(paper), f"config/papers/{paper}/history.md"
    later = text_at("", path).removeprefix(text_at(commit, path))
    assert unentered(state(paper, commit), state(paper), later) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_an_entry_of_the_history_is_never_changed(paper: str) -> None:
    path = f"config/papers/{paper}/history.md"
    assert text_at("", path).startswith(text_at(recorded_commit(paper), path))


EDITS = [
    (("edcm.t1.industry.c1", "margin"), "0.05"),
    (("edcm_near_dcm", "text"), "EDCM and DCM have nearly the same accuracy."),
    (("random_80_20", "splits.trials"), 3),
    (("newsgroups", "dataset"), "r52"),
    (("MAX_RELATIVE_MARGIN", "threshold"), 0.3),
]


@pytest.mark.parametrize(("key", "value"), EDITS)
def test_a_move_without_an_entry_is_found(key: tuple[str, str], value: Any) -> None:
    today = state("edcm")
    assert key in today
    (found,) = unentered(today, {**today, key: value}, "")
    assert found.startswith(f"{key[0]}: {key[1]} was {today[key]!r} and is {value!r}")
    assert unentered(today, {**today, key: value}, f"- Before: `{key[0]}` was otherwise.") == []


def test_a_pattern_names_the_items_that_it_matches() -> None:
    assert names_item("All of `pmm.t1.*` and `wins`.", "pmm.t1.arts")
    assert names_item("All of `pmm.t1.*` and `wins`.", "wins")
    assert not names_item("All of `pmm.t1.*` and wins.", "wins_t2")
    assert not names_item("Everything: `*` and `*.*`.", "pmm.t1.arts")


HISTORY = """# Changes

## 2026-11-22: wider

- Widened: `pmm.t1.p01.SVM` and
  `pmm.t2.*`.
- Why: `pmm.t1.p02.NB` stays.

## 2026-11-23: another reading

- Chosen: `pmm.t1.p03.NB`.
"""


def test_the_rows_of_an_item_on_what_had_been_seen_are_marked() -> None:
    ids = ["pmm.t1.p01.SVM", "pmm.t2.p03.NB", "pmm.t1.p02.NB", "pmm.t1.p03.NB"]
    wider = "Its margin was widened after test results had been seen: history.md, 2026-11-22: wider"
    other = "Its interpretation was chosen after test results had been seen: history.md, 2026-11-23: another reading"
    assert marks_of_history(HISTORY, ids) == {**dict.fromkeys(ids[:2], wider), "pmm.t1.p03.NB": other}


def test_each_row_that_is_marked_in_a_history_exists() -> None:
    for paper in PAPERS:
        history = text_at("", f"config/papers/{paper}/history.md")
        known = [row["id"] for row in DictReader(text_at("", f"config/papers/{paper}/published.csv").splitlines())]
        for text in history_entries(history).values():
            for _, item in re.findall(r"^- (Widened|Chosen):((?:.|\n(?=  ))*)", text, flags=re.MULTILINE):
                patterns = re.findall(r"`([^`]+)`", item)
                assert [one for one in patterns if not fnmatch.filter(known, one)] == []
