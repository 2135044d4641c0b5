"""Other readings of the EDCM paper."""

from __future__ import annotations

import pytest


def test_readings_hold_the_values_of_the_measures_that_they_vary(measured):
    measures = measured[0]
    (row,) = [
        row
        for row in measures["deviation_readings"].tables["readings"]
        if (row["smoothing"], row["training"], row["coefficient"]) == (0, "maximum", "left out")
        if row["relation"] == "mean |q - p| / |p|"
    ]
    assert row["same"] == pytest.approx(measures["approximation"].values["deviation_same_parameters"], rel=0.2)
    plain = {"smoothing": 0.01, "documents": "unseen", "level": "mean of the classes"}
    for row in measures["perplexity_readings"].tables["readings"]:
        if plain.items() <= row.items() and row["unit"] == {"multinomial": "absolute", "dcm": "smallest"}[row["model"]]:
            if row["method"] != "leave_one_out":
                expected = measures["perplexity"].values[f"{row['model']}_on_first_split"]
                assert row["perplexity"] == pytest.approx(expected)


def test_every_method_of_the_dcm_has_a_row_a_split_and_three_reach_the_same_maximum(measured):
    measure = measured[0]["dcm_methods"]
    assert len(measure.tables["splits"]) == 2 * 6
    levels = [measure.values[f"dcm_{name}_perplexity"].mean for name in ("reciprocal_newton", "newton", "fixed_point")]
    assert levels == pytest.approx([levels[0]] * 3, rel=1e-3)
    assert measure.values["dcm_leave_one_out_perplexity"].mean != pytest.approx(levels[0], rel=1e-3)
