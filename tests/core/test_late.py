"""Modules that load late are the real ones, and their code runs at the first use."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from textmix.core import late


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write two modules, of which the first is to load late; each tells ``sys`` that its code ran."""
    for name in ("first_of_two", "second_of_two"):
        (tmp_path / f"{name}.py").write_text(f"import sys\nsys.ran = [*getattr(sys, 'ran', []), {name!r}]\nvalue = 7\n")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(sys, "ran", [], raising=False)
    monkeypatch.setattr(late, "LATE", {"first_of_two"})
    late.load_late()


def test_a_late_module_runs_at_its_first_use_and_every_other_at_its_import(found: None) -> None:
    first, _ = importlib.import_module("first_of_two"), importlib.import_module("second_of_two")
    assert sys.ran == ["second_of_two"]  # type: ignore[attr-defined]
    assert first.value == 7
    assert sys.ran == ["second_of_two", "first_of_two"]  # type: ignore[attr-defined]
    assert sys.modules["first_of_two"] is first


def test_a_second_call_changes_nothing(found: None) -> None:
    before = list(sys.meta_path)
    late.load_late()
    assert sys.meta_path == before


def test_a_job_puts_off_what_most_fits_never_use() -> None:
    for name in late.LATE:
        assert importlib.util.find_spec(name), f"{name} is no module any more"
    assert importlib.import_module("scipy.stats").norm.cdf(0.0) == 0.5
