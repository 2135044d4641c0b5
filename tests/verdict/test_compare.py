"""Verdicts: every rule at, inside and outside its boundary, and every way in which a number can be missing."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from reproduction.verdict.claims import evaluate
from reproduction.verdict.compare import (
    compare_paper,
    merge_comparisons,
    method_means,
    not_chosen,
    published_numbers,
)
from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.wording import VERDICTS, decimals
from tests.verdict.reporting import SETTINGS, Made, comparison_row, row
from textmix.core.errors import ConfigError, IntegrityError
from textmix.metrics.significance import resampled_difference


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def one(made: Made, checks: dict[str, Any] | None = None, **cells: Any) -> ComparisonRow:
    (found,) = compare_paper([row(**cells)], checks or {}, made.results)
    assert ComparisonRow.from_cells(found.cells).cells == found.cells
    assert found.verdict in VERDICTS
    if found.verdict != "reproduced":
        assert found.reason
    return found


@pytest.mark.parametrize(
    ("cells", "rebuilt", "verdict"),
    [
        ({"tolerance": "near", "margin": "0.01", "value": "0.8"}, 0.81, "reproduced"),
        ({"tolerance": "near", "margin": "0.01", "value": "0.8"}, 0.7899, "differs"),
        ({"tolerance": "near", "margin": "5%", "value": "0.8"}, 0.84, "reproduced"),
        ({"tolerance": "near", "margin": "5%", "value": "0.8"}, 0.841, "differs"),
        ({"tolerance": "near", "margin": "1", "value": "80.0", "unit": "percent"}, 0.8101, "differs"),
        ({"tolerance": "exact", "margin": "", "value": "0.80"}, 0.8049, "reproduced"),
        ({"tolerance": "exact", "margin": "", "value": "0.80"}, 0.8051, "differs"),
        ({"tolerance": "exact", "margin": "", "value": "0.8"}, 0.8051, "reproduced"),
        ({"tolerance": "exact", "margin": "", "value": "68.3", "unit": "percent"}, 0.6836, "differs"),
        ({"tolerance": "near", "margin": "0.01"}, math.nan, "differs"),
    ],
)
def test_tolerance_classes_at_their_boundaries(made: Made, cells: dict[str, str], rebuilt: float, verdict: str) -> None:
    made.scores("dcm", {"": [rebuilt]})
    assert one(made, **cells).verdict == verdict


def test_exact_count_must_be_the_count(made: Made) -> None:
    made.data("news_set", {"documents": 9603})
    cells = {"tolerance": "exact", "margin": "", "unit": "documents", "source": "data:news/documents"}
    found = one(made, value="9603", **cells)
    assert (found.verdict, found.reproduced, found.difference, found.reason) == ("reproduced", 9603, 0, "")
    found = one(made, value="9604", **cells)
    assert (found.verdict, found.difference) == ("differs", -1)
    assert "differs by -1 documents" in found.reason


def test_percent_and_fraction_rows_show_the_value_in_their_own_unit(made: Made) -> None:
    made.scores("dcm", {"": [0.5, 0.75]})
    percent = one(made, unit="percent", value="62.5")
    assert (percent.reproduced, percent.difference) == (62.5, 0.0)
    assert percent.reproduced_sd == pytest.approx(17.6776695, abs=1e-6)
    assert one(made, value="0.625").reproduced == 0.625


@pytest.mark.parametrize(("value", "verdict"), [(17, "reproduced"), (12, "reproduced"), (11.9, "differs")])
@pytest.mark.parametrize(("unit", "scale"), [("words", 1), ("percent", 100)])
def test_a_number_of_one_part_lies_within_the_range_over_all_parts(
    made: Made, value: float, verdict: str, unit: str, scale: int
) -> None:
    made.measure("own", {"x": 40.0, "x_lowest": 12.0, "x_highest": 123.0})
    cells = {"tolerance": "range", "margin": "", "unit": unit, "source": "measure:own/x"}
    found = one(made, value=str(value * scale), **cells)
    assert (found.verdict, found.reproduced) == (verdict, 40.0 * scale)
    assert f"{12 * scale} to {123 * scale}" in found.reason


def test_a_range_needs_a_measure_that_writes_it(made: Made) -> None:
    made.measure("own", {"x": 40.0})
    with pytest.raises(ConfigError, match="has no _lowest and _highest of measure:own/x"):
        one(made, value="17", tolerance="range", margin="", source="measure:own/x")


def test_minutes_are_made_of_seconds(made: Made) -> None:
    made.seconds("dcm", [300.0])
    found = one(made, unit="minutes", value="5", source="time:table1/news/dcm/fit_seconds")
    assert (found.reproduced, found.verdict) == (5.0, "reproduced")


def test_difference_comes_with_the_t_interval_of_the_mean_and_of_one_trial_with_none(made: Made) -> None:
    trials = [0.70, 0.71, 0.75, 0.69]
    made.scores("dcm", {"": trials})
    found = one(made)
    low, high = stats.t.interval(0.95, 3, loc=sum(trials) / 4 - 0.8, scale=stats.sem(trials))
    assert (found.ci_low, found.ci_high) == (pytest.approx(low), pytest.approx(high))
    assert "where 0.01 is allowed (4 trials)" in found.reason
    made = Made(made.root / "single")
    made.scores("dcm", {"": [0.7]})
    found = one(made)
    assert (found.ci_low, found.ci_high, found.verdict) == (None, None, "differs")


@pytest.mark.parametrize(
    ("trials", "verdict"),
    [
        ([0.799, 0.801, 0.800, 0.802, 0.798], "reproduced"),
        ([0.82, 0.821, 0.822, 0.82, 0.82], "differs"),
        ([0.75, 0.85, 0.80, 0.76, 0.86], "undecided"),
        ([0.80, 0.80], "reproduced"),
    ],
)
def test_a_mean_is_bounded_shown_to_differ_or_left_undecided(made: Made, trials: list[float], verdict: str) -> None:
    made.scores("dcm", {"": trials})
    found = one(made, spread="0.002", trials="5")
    assert found.verdict == verdict
    if found.ci_low is not None:
        assert (found.ci_low < 0 < found.ci_high) == (verdict != "differs")


def test_a_table_corrects_both_tests_or_neither(made: Made) -> None:
    made.scores("dcm", {"": [0.81, 0.83, 0.84, 0.82, 0.85]})
    made.scores("edcm", {"": [0.79, 0.801, 0.802, 0.805, 0.806]})
    for method, spread, verdict in (("dcm", "0.015", "differs"), ("edcm", "0.006", "reproduced")):
        source = f"score:table1/news/{method}/accuracy"
        # Each row has a string of its own, as rows that are read from a file have.
        rows = [
            row(id=f"p.{i}", spread=spread, trials="5", artefact="".join(("p.", "t1")), source=source) for i in range(9)
        ]
        single, *_ = compare_paper(rows[:1], {}, made.results)
        table = compare_paper(rows, {}, made.results)
        assert {one.verdict for one in (single, *table)} == {single.corrected} == {verdict}
        assert {one.corrected for one in table} == {"undecided"}
        for name in ("difference_p", "margin_p"):
            assert getattr(table[0], name) == pytest.approx(min(1.0, 9 * getattr(single, name)))


def test_the_print_of_a_random_method_is_one_further_draw(made: Made) -> None:
    # Ten starts of CBM on SCENE, and the printed 69.7.
    starts = [0.6823, 0.6856, 0.6865, 0.6873, 0.6890, 0.6890, 0.6915, 0.6923, 0.6940, 0.6973]
    made.scores("dcm", {"": starts})
    exact, drawn = one(made, value="0.697"), one(made, value="0.697", trials="1")
    error = float(np.std(starts, ddof=1)) * (1 + 1 / 10) ** 0.5
    p = 2 * stats.t.sf(abs(np.mean(starts) - 0.697) / error, 9)
    assert drawn.difference_p == pytest.approx(p)
    assert p > 0.05 and drawn.verdict == "undecided"
    assert exact.difference_p < 0.001 and exact.verdict == "differs"


@pytest.mark.parametrize(
    ("spread", "words"),
    [("0.012", "cannot decide"), ("0.004", "about 23 would do")],
)
def test_an_undecided_number_says_whether_more_trials_could_decide_it(made: Made, spread: str, words: str) -> None:
    made.scores("dcm", {"": [0.79, 0.80, 0.82, 0.80, 0.83]})
    found = one(made, spread=spread, trials="5")
    assert found.verdict == "undecided" and words in found.reason


def test_the_mean_difference_of_a_method_is_that_of_its_cells(made: Made) -> None:
    trials = {"news": [0.79, 0.80, 0.83], "near": [0.78, 0.80, 0.81], "wide": [0.70, 0.80, 0.90]}
    rows = []
    for name, values in trials.items():
        made.scores("dcm", {"": values}, dataset=f"{name}_set")
        rows.append(row(id=f"p.{name}", spread="0.01", trials="5", value="0.79"))
    made.scores("dcm", {"": trials["news"]})
    compared = compare_paper(rows, {}, made.results)
    (mean,) = method_means(compared)
    error = (0.0208166599946613**2 / 3 + 0.01**2 / 5) ** 0.5
    assert (mean.method, mean.cells) == ("DCM", 3)
    assert mean.difference == pytest.approx(np.mean(trials["news"]) - 0.79)
    freedom = 3 * (error**4 / (0.0208166599946613**4 / 9 / 2 + 0.01**4 / 25 / 4))
    half = stats.t.ppf(0.975, freedom) * error / 3**0.5
    assert mean.ci_high - mean.ci_low == pytest.approx(2 * half)
    assert method_means(compared[:2]) == []


def test_the_means_of_all_methods_of_a_table_are_corrected_together() -> None:
    cell = comparison_row(verdict="undecided", unit="percent", margin=0.1, std_error=0.763, degrees_of_freedom=10)
    rows = [replace(cell, method=method, difference=1.0) for method in ("a", "b") for _ in range(3)]
    both, alone = method_means(rows), method_means(rows[:3])
    assert 0.025 < alone[0].p < 0.05 and alone[0].corrected == "differs"
    assert [one.corrected for one in both] == ["undecided"] * 2


@pytest.mark.parametrize("trials", [[0.79, 0.801, 0.802, 0.805, 0.806], [0.803], [0.83], [0.79, 0.83]])
@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_number_is_reproduced_by_a_margin_exactly_where_it_is_above_the_share_that_it_needs(
    made: Made, trials: list[float], factor: float
) -> None:
    made.scores("dcm", {"": trials})
    share = one(made, spread="0.006", trials="5", margin="0.02").margin_share
    found = one(made, spread="0.006", trials="5", margin=f"{0.02 * share * factor:.12f}")
    assert (found.verdict == "reproduced") == (factor > 1)
    assert one(made, tolerance="exact", margin="").margin_share is None


@pytest.mark.parametrize(("outcome", "verdict"), [("passed", "reproduced"), ("failed", "differs"), (None, "not run")])
def test_equation_is_judged_by_its_test(made: Made, outcome: str | None, verdict: str) -> None:
    name = "models/test_dcm.py::test_gradient"
    made.results.tests = {name: outcome} if outcome else {}
    found = one(made, kind="equation", value="", tolerance="test", margin="", source=f"test:{name}")
    assert (found.verdict, found.reproduced) == (verdict, outcome)
    assert f"tests/{name}" in found.reason or not outcome


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [([12.0, 11.0, 13.0], "reproduced"), ([9.0, 8.0, 9.5], "differs"), ([11.0, 9.0, 12.0], "undecided")],
)
def test_claim_on_time_is_judged_by_the_interval_of_the_ratio(made: Made, ratio: list[float], verdict: str) -> None:
    check = {"kind": "at_least", "left": ["measure:own/ratio"], "bound": 10}
    assert one(made, {"c": check}, source="check:c", tolerance="order").verdict == "not run"
    made.measure("own", dict(zip(("ratio", "ratio_ci_low", "ratio_ci_high"), ratio, strict=True)))
    assert one(made, {"c": check}, source="check:c", tolerance="order").verdict == verdict


def test_what_is_open_or_printed_nowhere_is_shown_and_not_judged(made: Made) -> None:
    made.scores("dcm", {"": [0.1]})
    found = one(made, tolerance="open", margin="", note="the header is lost")
    assert (found.verdict, found.reproduced, found.reason) == ("open", 0.1, "the header is lost")
    assert one(made, value="", tolerance="near").verdict == "open"


@pytest.mark.parametrize(
    ("cells", "status", "verdict"),
    [
        ({"kind": "number", "tolerance": "near"}, "built", "not run"),
        ({"kind": "number", "tolerance": "open"}, "built", "not run"),
        ({"kind": "number", "tolerance": "open", "note": "the machine of the paper"}, "built", "open"),
        ({"kind": "equation", "tolerance": "open", "value": ""}, "built", "open"),
        ({"kind": "equation", "tolerance": "open", "value": ""}, "planned", "not run"),
        ({"kind": "claim", "tolerance": "order", "value": ""}, "built", "not run"),
    ],
)
def test_row_without_a_source(tmp_path: Path, cells: dict[str, str], status: str, verdict: str) -> None:
    made = Made(tmp_path, {**SETTINGS, "status": status})
    assert one(made, source="", **cells).verdict == verdict


@pytest.mark.parametrize(
    ("source", "verdict", "words"),
    [
        ("score:table1/gone/dcm/accuracy", "data missing", "was never public"),
        ("score:table1/news/dcm/accuracy", "data missing", "no source answered"),
        ("score:table1/news/absent/accuracy", "not run", "no scores"),
    ],
)
def test_missing_values_name_what_is_missing(made: Made, source: str, verdict: str, words: str) -> None:
    made.missing("scores/paper/table1/news_set/dcm.csv")
    found = one(made, source=source)
    assert (found.verdict, found.reproduced) == (verdict, None)
    assert words in found.reason


@pytest.mark.parametrize(
    ("role", "tolerance", "verdict"),
    [
        ("near", "exact", "reproduced"),
        ("near", "near", "reproduced"),
        ("near", "open", "open"),
        ("other", "near", "data missing"),
        ("other", "exact", "data missing"),
        ("other", "open", "data missing"),
    ],
)
def test_other_data_are_shown_and_judged_as_far_as_comparable(
    made: Made, role: str, tolerance: str, verdict: str
) -> None:
    made.scores("dcm", {"": [0.8]}, dataset=f"{role}_set")
    found = one(made, source=f"score:table1/{role}/dcm/accuracy", tolerance=tolerance)
    assert (found.verdict, found.reproduced) == (verdict, 0.8)
    note = {"near": "seven documents fewer", "other": "another collection"}[role]
    assert note in found.reason or tolerance == "open"


def test_a_count_that_differs_on_nearly_the_same_data_differs(made: Made) -> None:
    made.data("near_set", {"labels": 101})
    found = one(made, source="data:near/labels", tolerance="exact", margin="", value="103", unit="labels")
    assert (found.verdict, found.reproduced) == ("differs", 101)
    assert "on near_set (seven documents fewer)" in found.reason


def test_measure_rests_on_the_data_that_paper_yaml_gives_it(made: Made) -> None:
    settings = {**SETTINGS, "measures": {"own": {"roles": {"other": "halves"}}}}
    made = Made(made.root, settings)
    made.measure("own", {"x": 0.8})
    assert one(made, source="measure:own/x").verdict == "data missing"


def test_reason_counts_fits_that_did_not_converge(made: Made) -> None:
    made.scores("dcm", {"": [0.8]})
    made.fits("paper/table1/news_set/dcm", "variant,trial,converged\n,0,False\n")
    found = one(made)
    assert found.verdict == "reproduced"
    assert "1 fit did not converge" in found.reason


@pytest.mark.parametrize(
    ("path", "value", "unit", "verdict", "rebuilt"),
    [
        ("splits.halves.kind", "random", "", "reproduced", "random"),
        ("splits.halves.kind", "given", "", "differs", "random"),
        ("splits.halves.train", "0.5", "", "reproduced", 0.5),
        ("splits.halves.train", "0.5", "percent", "reproduced", 0.5),
        ("splits.halves.trials", "10", "", "differs", 2.0),
        ("experiments.table1.methods.edcm", "", "", "data missing", None),
    ],
    ids=["word", "other word", "number", "not scaled", "trials of the run", "used by no result"],
)
def test_a_setting_counts_where_a_result_has_used_it(
    made: Made, path: str, value: str, unit: str, verdict: str, rebuilt: float | str | None
) -> None:
    cells = {"kind": "setting", "tolerance": "exact", "margin": "", "source": f"setting:{path}", "unit": unit}
    assert one(made, value=value, **cells).verdict == "data missing"
    made.scores("dcm", {"": [0.8, 0.8]})
    found = one(made, value=value, **cells)
    assert (found.verdict, found.reproduced) == (verdict, rebuilt)


SCORES = {"low": 0.5, "mid": 0.6, "top": 0.7}
CHECKS = [
    ("above", {"left": ["top", "mid"], "right": ["mid", "low"]}, True),
    ("above", {"left": ["mid", "top"], "right": ["low", "top"]}, False),
    ("above", {"left": ["low", "top"], "right": ["mid", "low"], "exceptions": 1}, True),
    ("above", {"left": ["low", "low"], "right": ["mid", "top"], "exceptions": 1}, False),
    ("near", {"left": ["low"], "right": ["mid"], "margin": 0.1}, True),
    ("near", {"left": ["low"], "right": ["mid"], "margin": 0.09}, False),
    ("largest", {"left": ["top"], "right": ["mid", "low"]}, True),
    ("largest", {"left": ["top"], "right": ["top"]}, True),
    ("largest", {"left": ["mid", "top", "low"]}, False),
    ("rising", {"left": ["low", "low"]}, False),
    ("at_least", {"left": ["low", "top"], "bound": 0.5}, True),
    ("at_least", {"left": ["low", "top"], "bound": 0.51}, False),
    ("at_most", {"left": ["low", "top"], "bound": 0.69}, False),
    ("holds", {"left": ["one", "top"]}, False),
]


@pytest.mark.parametrize(("kind", "keys", "holds"), CHECKS)
def test_checks_hold_and_fail(made: Made, kind: str, keys: dict[str, Any], holds: bool) -> None:
    made.measure("free", {**SCORES, "one": 1.0})
    sides = {side: [f"measure:free/{name}" for name in keys[side]] for side in ("left", "right") if side in keys}
    check = {"text": "a claim", "kind": kind, **keys, **sides}
    found = one(made, {"c": check}, source="check:c", tolerance="order", margin="", value="")
    assert (found.reproduced, found.verdict) == (("holds", "reproduced") if holds else ("fails", "differs"))


def test_a_claim_on_the_only_split_says_that_no_test_was_made(tmp_path: Path) -> None:
    splits = {"halves": {"kind": "given"}}
    made = Made(tmp_path, {**SETTINGS, "splits": splits})
    for method, value in (("dcm", 0.8), ("edcm", 0.7)):
        made.scores(method, {"": [value]})
    left, right = (f"score:table1/news/{method}/accuracy" for method in ("dcm", "edcm"))
    check = {"text": "a claim", "kind": "above", "left": [left], "right": [right]}
    found = one(made, {"c": check}, source="check:c", tolerance="order", margin="", value="")
    assert found.verdict == "reproduced"
    assert found.reason.endswith("compared directly, without a test")


@pytest.mark.parametrize(
    ("documents", "rebuilt", "margin", "said"),
    [
        (570, 0.83, "1", "570 documents has a standard error of 1.573 points"),
        (570, 0.83, "4", ""),
        (25_000, 0.83, "1", ""),
    ],
)
def test_a_share_of_one_split_has_its_standard_error_told_where_it_outgrows_the_margin(
    tmp_path: Path, documents: int, rebuilt: float, margin: str, said: str
) -> None:
    made = Made(tmp_path, {**SETTINGS, "splits": {"halves": {"kind": "given"}}})
    made.scores("dcm", {"": [rebuilt]})
    made.data("news_set", {"documents": 2 * documents, "test": documents})
    found = one(made, unit="percent", value="83.5", margin=margin)
    assert found.verdict == ("reproduced" if abs(100 * rebuilt - 83.5) <= float(margin) else "differs")
    assert said in found.reason and ("standard error" in found.reason) == bool(said)


def test_check_tells_the_numbers_it_saw_and_the_pairs_that_break_it(made: Made) -> None:
    made.measure("free", SCORES)
    chain = {"kind": "rising", "left": [f"measure:free/{name}" for name in ("low", "mid", "top")]}
    found = one(made, {"c": chain}, source="check:c", tolerance="order")
    assert found.reason == "low 0.5 < mid 0.6 < top 0.7"
    pairs = {"kind": "above", "left": ["measure:free/top", "measure:free/low"], "right": ["measure:free/mid"]}
    found = one(made, {"c": pairs}, source="check:c", tolerance="order")
    assert found.reason == "low 0.5 ≤ mid 0.6"
    found = one(made, {"c": {**pairs, "exceptions": 1}}, source="check:c", tolerance="order")
    assert found.reason == "low 0.5 ≤ mid 0.6 (1 exception allowed); top 0.7 > mid 0.6"


@pytest.mark.parametrize(
    ("better", "verdict"),
    [
        ([0.83, 0.84, 0.86], "reproduced"),
        ([0.83, 0.70, 0.99], "undecided"),
        ([0.84], "undecided"),
        ([0.700, 0.711, 0.720], "differs"),
    ],
)
def test_significant_holds_only_beyond_chance(made: Made, better: list[float], verdict: str) -> None:
    made.scores("dcm", {"": better})
    made.scores("edcm", {"": [0.80, 0.81, 0.82][: len(better)]})
    sides = {side: [f"score:table1/news/{method}/accuracy"] for side, method in (("left", "dcm"), ("right", "edcm"))}
    found = one(made, {"c": {"kind": "significant", **sides}}, source="check:c", tolerance="order")
    assert found.verdict == verdict
    assert "significantly > edcm" in found.reason


def test_overlapping_splits_are_compared_by_the_corrected_test(made: Made) -> None:
    better = [0.83, 0.835, 0.85, 0.83, 0.84]
    made.scores("dcm", {"": better})
    made.scores("edcm", {"": [0.80, 0.825, 0.81, 0.825, 0.80]})
    assert stats.ttest_rel(better, [0.80, 0.825, 0.81, 0.825, 0.80]).pvalue < 0.05
    check = {"kind": "above", "left": ["score:table1/news/dcm/accuracy"], "right": ["score:table1/news/edcm/accuracy"]}
    found = one(made, {"c": check}, source="check:c", tolerance="order")
    assert (found.verdict, found.reproduced) == ("undecided", "undecided")


def test_the_tests_of_all_pairs_of_a_claim_are_corrected_together(made: Made) -> None:
    better = [0.8248, 0.8352, 0.8183, 0.8417, 0.83]
    assert 0.025 < resampled_difference(better, [0.80] * 5, 1.0).p < 0.05
    for method, values in (("dcm", better), ("grid", better), ("edcm", [0.80] * 5)):
        made.scores(method, {"": values})
    pairs = {"kind": "above", "right": ["score:table1/news/edcm/accuracy"]}
    for left, verdict in ((["dcm"], "reproduced"), (["grid"], "reproduced"), (["dcm", "grid"], "undecided")):
        check = {**pairs, "left": [f"score:table1/news/{method}/accuracy" for method in left]}
        assert one(made, {"c": check}, source="check:c", tolerance="order").verdict == verdict


def test_pairs_are_over_the_splits_that_both_methods_have(made: Made) -> None:
    made.scores("dcm", {"": [0.9, 0.9, 0.1, 0.1]})
    made.scores("edcm", {"": [0.8, 0.8001]})
    check = {"kind": "above", "left": ["score:table1/news/dcm/accuracy"], "right": ["score:table1/news/edcm/accuracy"]}
    assert one(made, {"c": check}, source="check:c", tolerance="order").verdict == "reproduced"


def test_means_over_different_splits_are_not_compared(made: Made) -> None:
    made.scores("dcm", {"": [0.9, 0.9]})
    made.scores("edcm", {"": [0.8, 0.8]}, dataset="near_set")
    check = {"kind": "above", "left": ["score:table1/news/dcm/accuracy"], "right": ["score:table1/near/edcm/accuracy"]}
    both = r"dcm on news 0\.9 and edcm on near 0\.8 are means over different splits"
    with pytest.raises(ConfigError, match=both):
        one(made, {"c": check}, source="check:c", tolerance="order")


def test_a_factor_stands_for_much_and_an_average_for_the_mean(made: Made) -> None:
    made.measure("free", {"a": 1.0, "b": 3.0, "c": 1.4})
    sides = {"left": ["measure:free/a", "measure:free/b"], "right": ["measure:free/c"]}
    for factor, verdict in ((1.4, "reproduced"), (1.5, "differs")):
        check = {"kind": "above", **sides, "average": True, "factor": factor}
        assert one(made, {"c": check}, source="check:c", tolerance="order").verdict == verdict


def test_a_mean_over_data_sets_is_tested_over_the_data_sets(made: Made) -> None:
    left, right = {"news": 0.80, "near": 0.70, "other": 0.60}, {"news": 0.79, "near": 0.67, "other": 0.58}
    for role, value in left.items():
        made.scores("dcm", {"": [value] * 2}, dataset=f"{role}_set")
        made.scores("edcm", {"": [right[role] - 0.001, right[role] + 0.001]}, dataset=f"{role}_set")
    sides = {
        side: [f"score:table1/{role}/{method}/accuracy" for role in left]
        for side, method in (("left", "dcm"), ("right", "edcm"))
    }
    for factor in (1.0, 0.98):
        outcome = evaluate("c", {"kind": "above", **sides, "average": True, "factor": factor}, made.results)
        p = stats.ttest_1samp([left[role] - factor * right[role] for role in left], 0.0).pvalue
        assert outcome.holds is (True if p < 0.05 else None)
        assert "mean of dcm on 3" in outcome.pairs_text


@pytest.mark.parametrize(
    ("right", "verdict", "share", "words"),
    [
        ("score:table1/gone/dcm/accuracy", "data missing", "holds on 1 of 2", "was never public"),
        ("score:table1/news/absent/accuracy", "not run", "holds on 1 of 2", "no scores"),
    ],
)
def test_partly_missing_check_tells_what_is_missing_and_what_it_saw(
    made: Made, right: str, verdict: str, share: str, words: str
) -> None:
    made.scores("dcm", {"": [0.8, 0.8, 0.8]})
    made.scores("edcm", {"": [0.7, 0.7, 0.701]})
    left = ["score:table1/news/dcm/accuracy"] * 2
    check = {"kind": "above", "left": left, "right": ["score:table1/news/edcm/accuracy", right]}
    found = one(made, {"c": check}, source="check:c", tolerance="order")
    assert (found.verdict, found.reproduced) == (verdict, share)
    assert words in found.reason
    assert "accuracy on news: dcm 0.8 > edcm 0.7003" in found.reason
    lost = {"kind": "at_least", "left": ["score:table1/gone/dcm/accuracy"], "bound": 0}
    found = one(made, {"c": lost}, source="check:c")
    assert (found.verdict, found.reproduced) == ("data missing", None), "of a check that is wholly missing"


@pytest.mark.parametrize(("role", "verdict"), [("near", "reproduced"), ("other", "data missing")])
def test_check_on_other_data(made: Made, role: str, verdict: str) -> None:
    made.scores("dcm", {"": [0.8, 0.8, 0.801]}, dataset=f"{role}_set")
    check = {"kind": "at_least", "left": [f"score:table1/{role}/dcm/accuracy"], "bound": 0.5}
    found = one(made, {"c": check}, source="check:c", tolerance="order")
    assert (found.verdict, found.reproduced) == (verdict, "holds")
    assert f"on {role}_set" in found.reason


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"kind": "rising", "left": ["setting:splits.halves.train"]}, "nothing to compare"),
        ({"kind": "at_least", "left": ["setting:status"], "bound": 1}, "not a number"),
    ],
)
def test_faulty_check_is_refused(made: Made, check: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        one(made, {"c": check}, source="check:c")


def test_merged_comparison_keeps_every_id_once() -> None:
    first, second = ([comparison_row(id=name)] for name in ("a", "b"))
    assert [found.id for found in merge_comparisons([first, second])] == ["a", "b"]
    with pytest.raises(IntegrityError, match="duplicate id 'a'"):
        merge_comparisons([first, first])


def test_paper_left_out_by_the_configuration_is_not_run() -> None:
    (found,) = not_chosen([row()], {}, "paper")
    assert ComparisonRow.from_cells(found.cells).cells == found.cells
    assert (found.verdict, found.reproduced) == ("not run", None)
    assert "not part of this configuration" in found.reason


def test_printed_numbers_leave_out_words_and_blanks() -> None:
    printed = {"a": ("0.5", "0.1"), "b": ("", ""), "c": ("L", ""), "d": ("2", "")}
    rows = [comparison_row(id=name, published=value, published_sd=sd) for name, (value, sd) in printed.items()]
    assert published_numbers(rows) == {"a": (0.5, 0.1), "d": (2.0, None)}


@pytest.mark.parametrize(
    ("printed", "places"), [("85.0", 1), ("9603", 0), ("1e-3", 3), ("2.5e2", 0), ("", 0), ("L", 0)]
)
def test_decimals_are_the_printed_ones(printed: str, places: int) -> None:
    assert decimals(printed) == places
