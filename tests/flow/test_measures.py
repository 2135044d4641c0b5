"""All measures are stored in the same format."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from reproduction.flow.folders import package_of
from reproduction.flow.measures import Measure, Repeated, run_measure
from textmix.core import io


def saved(measure: Measure, folder) -> dict[str, str]:
    measure.save(folder, {"rule": "measure"})
    assert io.check_result(folder)["rule"] == "measure"
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != io.META}


def test_values_and_spreads_are_written_by_key_in_order(tmp_path):
    values = {"z": 0.1, "a": (2.5, 0.25), "n": np.int64(3), "pair": (np.float64(1), np.float32(0.5))}
    assert saved(Measure(values), tmp_path / "m") == {
        "values.csv": "key,value,spread\nz,0.1,\na,2.5,0.25\nn,3.0,\npair,1.0,0.5\n"
    }


def test_tables_are_written_with_their_own_columns(tmp_path):
    tables = {"curve": [{"x": 1, "y": 0.5}, {"x": np.int32(2), "y": np.float64(0.25)}], "empty": []}
    files = saved(Measure({}, tables), tmp_path / "m")
    assert files["curve.csv"] == "x,y\n1,0.5\n2,0.25\n"
    assert io.read_csv(tmp_path / "m/empty.csv") == []


def test_table_with_an_unknown_column_is_rejected_and_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="z"):
        Measure({}, {"curve": [{"x": 1}, {"x": 1, "z": 2}]}).save(tmp_path / "m", {})
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def module(monkeypatch) -> ModuleType:
    """Return an empty module for the measures of a paper ``tiny``."""
    package = package_of("tiny")
    made = ModuleType(f"{package}.measures")
    held = ModuleType(package)
    held.__path__ = []
    monkeypatch.setitem(sys.modules, package, held)
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_measure_function_receives_its_data_and_settings(module):
    module.drift = lambda sources, settings, generator: Measure(
        {"sources": len(sources), "bins": settings["bins"], "draw": generator.random()}
    )
    measure = run_measure("tiny", "measures.drift", {"news": None}, {"bins": 7}, np.random.default_rng(3))
    assert measure.values == {"sources": 1, "bins": 7, "draw": np.random.default_rng(3).random()}


def test_repetitions_are_written_with_mean_and_standard_deviation(tmp_path):
    values = {"a": 1.0, "b": Repeated([1.0, 2.0, 1.5], 0.25), "one": Repeated([3.0])}
    assert saved(Measure(values), tmp_path / "m") == {
        "values.csv": "key,value,spread\na,1.0,\nb,1.5,0.5\none,3.0,\n",
        "repeated.csv": "key,repetition,value,test_ratio\nb,0,1.0,0.25\nb,1,2.0,0.25\nb,2,1.5,0.25\none,0,3.0,0.0\n",
    }
