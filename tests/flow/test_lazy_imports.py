"""Lazy modules are executed at their first use."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from reproduction.flow import lazy_imports as late


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a lazy and an ordinary module; each records its execution in ``sys``."""
    for name in ("first_of_two", "second_of_two"):
        (tmp_path / f"{name}.py").write_text(f"import sys\nsys.ran = [*getattr(sys, 'ran', []), {name!r}]\nvalue = 7\n")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(sys, "ran", [], raising=False)
    monkeypatch.setattr(late, "LAZY_MODULES", {"first_of_two"})
    late.enable_lazy_imports()


def test_lazy_module_is_executed_at_first_use(found: None) -> None:
    first, _ = importlib.import_module("first_of_two"), importlib.import_module("second_of_two")
    assert sys.ran == ["second_of_two"]  # type: ignore[attr-defined]
    assert first.value == 7
    assert sys.ran == ["second_of_two", "first_of_two"]  # type: ignore[attr-defined]
    assert sys.modules["first_of_two"] is first


def test_job_defers_imports_that_most_fits_do_not_need() -> None:
    for name in late.LAZY_MODULES:
        assert importlib.util.find_spec(name), f"{name} is no module any more"
    assert importlib.import_module("scipy.stats").norm.cdf(0.0) == 0.5


def test_import_error_of_a_lazy_module_is_raised_at_import(found: None, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(sys.path[0])
    (folder / "third_of_three.py").write_text(
        "try:\n    import first_of_two as seen\nexcept ImportError:\n    seen = None\n"
    )
    monkeypatch.setattr(late, "HIDDEN_PACKAGES", {"third_of_three": "first_of_two"})
    monkeypatch.delitem(sys.modules, "third_of_three", raising=False)
    assert importlib.import_module("third_of_three").seen is None
    first = importlib.import_module("first_of_two")
    del sys.modules["third_of_three"]
    assert importlib.import_module("third_of_three").seen is first
    monkeypatch.delitem(sys.modules, "third_of_three")


def test_fit_does_not_import_pandas_but_accepts_a_data_frame() -> None:
    program = (
        "import sys, reproduction.flow.job_context; from textmix import MultinomialClassifier as M; "
        "M().fit([[1, 0], [0, 2]], [0, 1]); print('pandas' in sys.modules); import pandas; "
        "print(M().fit(pandas.DataFrame({'a': [1, 0], 'b': [0, 2]}), [0, 1]).feature_names_in_)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n['a' 'b']\n"
