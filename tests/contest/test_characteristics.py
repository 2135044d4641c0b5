"""Characteristics of a data set."""

from __future__ import annotations

from tests.contest.studies import corpus
from textmix.contest.characteristics import MEANINGS, characteristics
from textmix.core import io
from textmix.core.errors import MissingResult
from textmix.experiment.splits import make_splits


def test_characteristics_of_a_data_set(tmp_path):
    data = corpus()
    data.save(tmp_path / "features", {})
    make_splits(data, {"kind": "random", "train": 4, "trials": 1}, 1, "s", None).save(tmp_path / "splits", {})
    values = characteristics(tmp_path / "features", tmp_path / "splits")
    assert set(values) == set(MEANINGS)
    assert (values["train"], values["words"], values["burstiness"], values["features"]) == (4.0, 4.0, 2.0, 3.0)
    assert (values["cardinality"], values["density"], values["balance"]) == (9 / 8, 9 / 16, 5 / 8)
    io.write_missing(tmp_path / "none", MissingResult("no data"), {})
    assert characteristics(tmp_path / "none", tmp_path / "splits") == {}
