"""No tolerance, check, experiment or data role changes without an entry in the history that names it."""

from __future__ import annotations

import fnmatch
import re
import shutil
from pathlib import Path

import pytest

from reproduction.verdict.ledger import FIRST, changes, enter, items, main, names, read_ledger, sections, widened
from textmix.core import io
from textmix.core.errors import ConfigError

CONFIG = Path(__file__).parents[2] / "config"
PAPERS = sorted(path.name for path in (CONFIG / "papers").iterdir() if path.is_dir())


@pytest.mark.parametrize("paper", PAPERS)
def test_every_item_is_as_it_was_entered(paper: str) -> None:
    assert changes(CONFIG, paper) == {}, "write an entry in history.md; python -m reproduction.verdict.ledger --help"


@pytest.mark.parametrize("paper", PAPERS)
def test_every_entry_of_the_ledger_stands_in_the_history(paper: str) -> None:
    entries = sections((CONFIG / "papers" / paper / "history.md").read_text(encoding="utf-8"))
    assert {row["entry"] for row in read_ledger(CONFIG, paper)} - {FIRST} <= set(entries)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a copy of the configuration."""
    return Path(shutil.copytree(CONFIG, tmp_path / "config"))


EDITS = [
    ("papers/edcm/published.csv", "near,0.02,score:table1/industry/mu", "near,0.05,score:table1/industry/mu"),
    ("papers/edcm/checks.yaml", "  bound: 0.05\n", "  bound: 0.5\n"),
    ("papers/edcm/paper.yaml", "trials: 10", "trials: 3"),
    ("config.yaml", "dataset: newsgroups_18828", "dataset: other_newsgroups"),
]


@pytest.mark.parametrize(("file", "old", "new"), EDITS)
def test_a_change_is_found(config: Path, file: str, old: str, new: str) -> None:
    path = config / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert set(changes(config, "edcm").values()) == {"changed"}


def test_an_edit_that_judges_nothing_is_no_change(config: Path) -> None:
    path = config / "papers/edcm/checks.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text("# A comment.\n" + text.replace("text: Both Fisher", "text: The two Fisher"), encoding="utf-8")
    assert changes(config, "edcm") == {}


def test_a_change_is_entered_only_under_an_entry_that_names_it(config: Path) -> None:
    file, old, new = EDITS[0]
    path, history = config / file, config / "papers/edcm/history.md"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match="there is no entry '2030-01-01: wider'; write it"):
        enter(config, "edcm", "2030-01-01: wider")
    history.write_text(history.read_text(encoding="utf-8") + "\n## 2030-01-01: wider\n\nWhy not.\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"does not name row:edcm\.t1\.industry\.c1 in backticks"):
        enter(config, "edcm", "2030-01-01: wider")
    history.write_text(history.read_text(encoding="utf-8") + "\nOf `edcm.t1.industry.c1`.\n", encoding="utf-8")
    assert enter(config, "edcm", "2030-01-01: wider") == ["row:edcm.t1.industry.c1"]
    assert changes(config, "edcm") == {}
    (row,) = [row for row in read_ledger(config, "edcm") if row["item"] == "row:edcm.t1.industry.c1"]
    assert row["entry"] == "2030-01-01: wider"


def test_a_pattern_names_the_items_that_it_matches() -> None:
    assert names("All of `pmm.t1.*` and `wins`.", "row:pmm.t1.arts")
    assert names("All of `pmm.t1.*` and `wins`.", "measures:wins")
    assert not names("All of `pmm.t1.*` and wins.", "measures:wins_t2")
    assert names("`newsgroups` has another stand-in.", "role:config.yaml/newsgroups")


def test_the_command_lists_what_changed_and_fails(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(config.parent)
    assert main([]) == 0
    file, old, new = EDITS[1]
    path = config / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    assert main(["edcm"]) == 1
    assert capsys.readouterr().err == "edcm: check:dcm_models_better changed\n"
    assert main(["edcm", "--entry", "no such heading"]) == 1


def test_widened_margins_are_those_that_an_entry_names_so() -> None:
    first = "## a day: tables\n\n- Before: `p.a`.\n- Widened: `p.b.*`,\n  `p.c`.\n- Why: `p.d`.\n\n"
    text = f"{first}## later: more\n\n- Widened: `p.e`.\n"
    ids = ["p.a", "p.b.1", "p.b.2", "p.c", "p.d", "p.e"]
    assert widened(text, ids) == {**dict.fromkeys(("p.b.1", "p.b.2", "p.c"), "a day: tables"), "p.e": "later: more"}


def test_each_name_of_a_widened_margin_is_a_row() -> None:
    for folder in sorted((CONFIG / "papers").iterdir()):
        ids = [row["id"] for row in io.read_csv(folder / "published.csv")]
        text = (folder / "history.md").read_text(encoding="utf-8")
        for item in re.findall(r"^- Widened:(?:.|\n(?=  ))*", text, flags=re.MULTILINE):
            assert [name for name in re.findall(r"`([^`]+)`", item) if not fnmatch.filter(ids, name)] == []
    assert len(widened((CONFIG / "papers/edcm/history.md").read_text(encoding="utf-8"), ["edcm.a.gt05"])) == 1


def test_formulas_are_judged_by_their_tests_and_have_no_row() -> None:
    rows = io.read_csv(CONFIG / "papers/edcm/published.csv")
    entered = {item.removeprefix("row:") for item in items(CONFIG, "edcm") if item.startswith("row:")}
    assert entered == {row["id"] for row in rows if not row["source"].startswith("test:")} < {row["id"] for row in rows}
