"""Evidence from outside a run: it counts while the code behind it is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.job.recipes import Code
from reproduction.plan import evidence
from textmix.core import io


@pytest.fixture
def tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with one test and a plain twin, beside the outcome of that test."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tests"
    io.write_text(folder / "models/test_a.py", "def test_a():\n    assert True\n")
    io.write_text(folder / "naive/a.py", "A = 1\n")
    code = evidence.code_of_test(folder, "models/test_a.py")
    io.write_json(evidence.OUTCOMES, {"models/test_a.py::test_a": {"outcome": "passed", "code": code}})
    return folder


def test_an_outcome_counts_until_test_or_twin_changes(tests: Path) -> None:
    assert evidence.test_outcomes(tests) == {"models/test_a.py::test_a": "passed"}
    io.write_text(tests / "models/test_a.py", '"""A comment."""\n\n\ndef test_a():\n    assert True\n')
    assert evidence.test_outcomes(tests) == {"models/test_a.py::test_a": "passed"}
    io.write_text(tests / "naive/a.py", "A = 2\n")
    assert evidence.test_outcomes(tests) == {}


def test_a_test_that_is_gone_has_no_outcome(tests: Path) -> None:
    (tests / "models/test_a.py").unlink()
    assert evidence.test_outcomes(tests) == {}
    evidence.OUTCOMES.unlink()
    assert evidence.test_outcomes(tests) == {}


def test_ratios_of_another_code_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    io.write_text("bench.py", "A = 1\n")
    code = Code(Path("bench.py"))
    rows = [{"bench": "b", "candidate": "dcm", "ratio_to_peer": 3.0, "ratio_low": 2.0, "ratio_high": 4.0}]
    rows.append({"bench": "b", "candidate": "edcm", "ratio_to_peer": 1.0, "ratio_low": None, "ratio_high": None})
    io.write_result("results/bench/s.csv", io.format_csv(rows, tuple(rows[0])), {"code": code.state()[0]})
    assert evidence.time_ratios("s", code) == {"b/dcm": [3.0, 2.0, 4.0]}
    assert evidence.time_ratios("other", code) == {}
    io.write_text("bench.py", "A = 2\n")
    assert evidence.time_ratios("s", code) == {}
