"""Early stopping of plain L-BFGS, for the CBM paper."""

from __future__ import annotations

from reproduction.papers.cbm.stopping import METHODS


def test_every_method_has_an_accuracy_for_each_limit(measured):
    values, rows = measured[0]["stopping"].values, measured[0]["stopping"].tables["runs"]
    ends = ("max_iter_2", "max_iter_60", "tol_0.001")
    expected = {f"scene_{method}_{end}" for method in METHODS for end in ends}
    expected |= {f"scene_cbm_{end}" for end in ("max_iter_2", "max_iter_4", "tol_0.001")}
    assert set(values) == expected
    assert len(rows) == len(values)
    assert values["scene_powset_max_iter_2"] != values["scene_powset_max_iter_60"], "the number of iterations decides"
