"""Outcomes of equation tests expire if the code that they depend on changes."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reproduction.flow import equation_tests as evidence
from tests import outcomes
from textmix.core import io


@pytest.fixture
def tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a test, its reference implementation and its outcome."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tests"
    io.write_text(folder / "models/test_a.py", "def test_a():\n    assert True\n")
    io.write_text(folder / "models/conftest.py", "from tests.help import HELP\n")
    io.write_text(folder / "help.py", "HELP = 1\n")
    io.write_text(folder / "naive/a.py", "A = 1\n")
    code = evidence.code_of_test(folder, "models/test_a.py")
    text = io.canonical_json({"models/test_a.py::test_a": {"outcome": "passed", "code": code}})
    io.write_result(evidence.OUTCOMES, text, {})
    return folder


@pytest.mark.parametrize("name", ["models/test_a.py", "naive/a.py", "models/conftest.py", "help.py"])
def test_outcome_expires_if_the_test_or_its_imports_change(tests: Path, name: str) -> None:
    path, known = tests / name, {"models/test_a.py::test_a": "passed"}
    assert evidence.test_outcomes(tests) == known
    io.write_text(path, f'"""A comment."""\n\n\n{path.read_text()}')
    assert evidence.test_outcomes(tests) == known
    io.write_text(path, f"{path.read_text()}B = 2\n")
    assert evidence.test_outcomes(tests) == {}


def test_removed_test_has_no_outcome(tests: Path) -> None:
    (tests / "models/test_a.py").unlink()
    assert evidence.test_outcomes(tests) == {}
    evidence.OUTCOMES.unlink()
    assert evidence.test_outcomes(tests) == {}


def test_outcome_expires_if_a_package_changes(tests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "environment", lambda packages: {"numpy": "0"})
    assert evidence.test_outcomes(tests) == {}


def test_edited_outcome_is_ignored(tests: Path) -> None:
    evidence.OUTCOMES.write_text(evidence.OUTCOMES.read_text().replace("passed", "failed"))
    assert evidence.test_outcomes(tests) == {}


EDITS = """
from pathlib import Path


def test_a():
    kernel = Path(__file__).parents[1] / "help.py"
    text = kernel.read_text()
    {edit}
"""


@pytest.mark.parametrize(
    ("edit", "written"),
    [
        ("", True),
        ("kernel.write_text(text + 'B = 2')", False),
        ("kernel.write_text(text + 'B'); kernel.write_text(text)", False),
    ],
    ids=["none", "edited", "edited and restored"],
)
def test_outcome_is_written_only_if_the_code_did_not_change(
    tests: Path, monkeypatch: pytest.MonkeyPatch, edit: str, written: bool
) -> None:
    evidence.OUTCOMES.unlink()
    io.write_text(tests / "models/test_a.py", EDITS.format(edit=edit))
    monkeypatch.setattr(outcomes, "TESTS", tests)
    monkeypatch.setattr(outcomes, "named_tests", lambda: {"models/test_a.py::test_a"})
    time.sleep(0.02)
    watching = outcomes.Outcomes()
    watching.pytest_sessionstart()
    time.sleep(0.02)
    space: dict[str, Any] = {"__file__": str(tests / "models/test_a.py")}
    exec((tests / "models/test_a.py").read_text(), space)
    space["test_a"]()
    report = SimpleNamespace(nodeid="tests/models/test_a.py::test_a[1]", when="call", failed=False, passed=True)
    watching.pytest_runtest_logreport(report)  # type: ignore[arg-type]
    watching.pytest_sessionfinish()
    assert evidence.OUTCOMES.is_file() == written
