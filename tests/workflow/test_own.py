"""The target ``own`` runs one comparison of methods per entry of the configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reproduction.flow.own_texts import arguments_of, check_own_texts, compare_options, input_files, state_of_files
from tests.workflow.test_reruns import planned
from tests.workflow.tiny import Clone, synthetic_tab
from textmix.core.errors import ConfigError

pytestmark = pytest.mark.workflow


def labelled_texts(seed: int = 3) -> list[tuple[str, str]]:
    """Return (label, text) pairs."""
    rows = [line.split("\t") for line in synthetic_tab(seed, 60).splitlines()[4:]]
    return [(label, text) for label, text in rows]


def write_table(path: Path, rows: list[tuple[str, str]]) -> None:
    lines = ["label,text", *(f"{label},{text}" for label, text in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def own(clone: Clone, **entry: Any) -> tuple[str, ...]:
    """Write a configuration with one entry; return the options of Snakemake that use it."""
    (clone.folder / "own.yaml").write_text(json.dumps({"own": {"mine": entry}}), encoding="utf-8")
    return ("--configfile", "own.yaml")


def test_comparison_reruns_after_an_edit_of_its_tables(fresh: Clone) -> None:
    write_table(fresh.folder / "texts.csv", labelled_texts())
    write_table(fresh.folder / "later.csv", labelled_texts(4))
    options = own(fresh, file="texts.csv", test="later.csv", time="1")
    done = fresh.run_warm("--cores", "1", "own", *options)
    assert done.returncode == 0, done.stdout
    assert list((fresh.folder / "results/own/mine").glob("*.html"))
    assert planned(fresh, "own", *options) == {}
    for name in ("texts.csv", "later.csv"):
        content = (fresh.folder / name).read_text(encoding="utf-8")
        (fresh.folder / name).write_text(content + "class.0,more words\n", encoding="utf-8")
        assert planned(fresh, "own", *options) == {"compare_own": 1, "own": 1}
        done = fresh.run_warm("--cores", "1", "own", "--touch", *options)
        assert planned(fresh, "own", *options) == {}
    (fresh.folder / "texts.csv").unlink()
    done = fresh.run_warm("-n", "own", *options)
    assert done.returncode != 0 and "texts.csv does not exist" in done.stdout, "an older result hides a missing file"


def test_comparison_accepts_a_folder_with_braces_in_its_name(fresh: Clone) -> None:
    for number, (label, text) in enumerate(labelled_texts()):
        folder = fresh.folder / "my {texts}" / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    options = own(fresh, file="my {texts}", time="1")
    done = fresh.run_warm("--cores", "1", "own", *options)
    assert done.returncode == 0, done.stdout
    assert planned(fresh, "own", *options) == {}
    (folder / f"{number}.txt").write_text("an edited text", encoding="utf-8")
    assert planned(fresh, "own", *options) == {"compare_own": 1, "own": 1}


def test_a_dry_run_rejects_a_misspelt_option_with_a_suggestion(fresh: Clone) -> None:
    write_table(fresh.folder / "texts.csv", labelled_texts())
    done = fresh.run_warm("-n", "own", *own(fresh, file="texts.csv", tiem="15s"))
    assert done.returncode != 0 and "Traceback" not in done.stdout
    assert "own.mine.tiem" in done.stdout and "did you mean 'time'?" in done.stdout


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"keep": "elsewhere"}, "own.mine.keep: the workflow sets this option"),
        ({"workers": 2}, "own.mine.workers: the workflow sets this option"),
        ({"tiem": "15s"}, "own.mine.tiem: unknown option of textmix compare; did you mean 'time'?"),
        ({"never-empty": "yes"}, "is a switch; write true or false"),
        ({"time": True}, "needs a value"),
        ({"test": "missing.csv"}, "own.mine.test: missing.csv does not exist"),
    ],
)
def test_an_option_is_checked(tmp_path: Path, entry: dict[str, Any], message: str) -> None:
    (tmp_path / "texts.csv").touch()
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        check_own_texts({"mine": {"file": str(tmp_path / "texts.csv"), **entry}})


def test_boolean_option_is_passed_without_a_value() -> None:
    assert compare_options()["never-empty"] and not compare_options()["time"]
    entry = {"file": "texts.csv", "never-empty": True, "seed": 3}
    assert arguments_of(entry) == ["--never-empty", "--seed=3"]
    assert arguments_of({**entry, "never-empty": False}) == ["--seed=3"]


def test_files_are_inputs_and_other_state_is_a_parameter(tmp_path: Path) -> None:
    table, braces, folder = (str(tmp_path / name) for name in ("a.csv", "{b}.csv", "texts"))
    Path(table).touch()
    Path(braces).touch()
    Path(folder).mkdir()
    assert input_files({"file": table, "test": braces}) == [table]
    before = state_of_files({"file": folder, "test": braces})
    assert before.keys() == {folder, braces}
    (Path(folder) / "new.txt").touch()
    after = state_of_files({"file": folder, "test": braces})
    assert {path for path in before if before[path] != after[path]} == {folder}
