"""The first M steps of CBM from the same initial responsibilities."""

from __future__ import annotations


def test_every_solver_has_an_accuracy_after_each_m_step(measured):
    rows = measured[0]["m_steps"].tables["steps"]
    steps = [(row["solver"], row["m_step"]) for row in rows]
    assert steps == [(solver, m_step) for solver in ("plain", "scaled") for m_step in (1, 2, 3)]
    values = measured[0]["m_steps"].values
    assert values["scene_plain_3"] == rows[2]["subset_accuracy"]
    assert values["scene_plain_3_agreement"] == 1.0, "the first solver is the reference"
    assert values["scene_scaled_1_agreement"] == rows[3]["agreement"]
