"""Claims over means of trials in perfect replications."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reproduction.flow.locators import Locator, parse_locator
from reproduction.verdict import claims
from reproduction.verdict.published import Published
from reproduction.verdict.report_rows import Item
from reproduction.verdict.resolve import Trials
from reproduction.verdict.simulated_claims import Operand, _near, _ordered, _test, simulate_check, simulate_claims
from reproduction.verdict.yardstick import N_REPLICATES, Cell
from tests.verdict.reporting import comparison_row, row

N_TRIALS = 10
SPEC: dict[str, Any] = {
    "splits": {
        "seeds": {"kind": "given", "trials": 10},
        "halves": {"kind": "random", "train": 0.5, "trials": 10},
        "pages": {"kind": "random", "train": 2000, "test": 3000, "trials": 10},
    },
    "experiments": {name: {"roles": {"news": name, "other": name}} for name in ("seeds", "halves", "pages")},
    "measures": {},
}


def source(method: str, experiment: str = "seeds", role: str = "news") -> str:
    return f"score:{experiment}/{role}/{method}/accuracy"


def item(name: str, value: float, locator: str, deviation: float | None = 1.0) -> Item:
    """Return a published score in percent, reproduced over ten trials unless it has no standard deviation."""
    printed = row(
        id=name, unit="percent", value=str(value), trials="3" if deviation else "", margin="2", source=locator
    )
    judged = comparison_row(
        id=name,
        unit="percent",
        published=str(value),
        reproduced=value,
        reproduced_sd=deviation,
        trials=N_TRIALS if deviation else None,
    )
    return Item(row=judged, printed=printed)


def inputs(*items: Item) -> tuple[dict[Locator, Published], dict[str, Cell]]:
    """Return the published rows by locator and the cells by id."""
    published = {}
    cells = {}
    for it in items:
        assert it.printed is not None
        published[parse_locator(it.printed.source)] = it.printed
        cell = Cell.of(it.row, it.printed)
        if cell is not None:
            cells[it.row.id] = cell
    return published, cells


def simulated(check: dict[str, Any], *items: Item) -> np.ndarray | None:
    published, cells = inputs(*items)
    return simulate_check(check, published, SPEC, cells, seed=0)


@pytest.mark.parametrize("ratio", [0.0, 1.0])
@pytest.mark.parametrize(
    "check",
    [
        {"kind": "above"},
        {"kind": "above", "factor": 1.01},
        {"kind": "significant"},
        {"kind": "near", "margin": 0.02},
    ],
    ids=lambda check: " ".join(map(str, check.values())),
)
def test_pairs_are_decided_as_in_a_check(check: dict[str, Any], ratio: float) -> None:
    rng = np.random.default_rng(3)
    values = [rng.normal(mean, 0.01, N_REPLICATES) for mean in (0.5, 0.49, 0.48)]
    operands = [Operand(its, 0.02, N_TRIALS) for its in values]
    pairs = [(operands[0], operands[1]), (operands[0], operands[2])]
    factor = check.get("factor", 1.0)
    tests = [_test(a, b, factor, ratio, rng) for a, b in pairs]
    holding = _near(check, pairs, tests) if check["kind"] == "near" else _ordered(check, pairs, tests, factor)
    standard = np.linspace(-1.0, 1.0, N_TRIALS)
    standard /= standard.std(ddof=1)
    for replicate in range(100):
        series = []
        for (a, b), test in zip(pairs, tests, strict=True):
            assert test is not None
            deviation = test.errors[replicate] / np.sqrt(1 / N_TRIALS + ratio)
            second = b.values[replicate]
            first = factor * second + test.differences[replicate] + deviation * standard
            trials = [Trials(its, "splits", ratio) for its in (list(first), [second] * N_TRIALS)]
            series.append(
                (
                    claims.Operand("a", float(a.values[replicate]), trials[0]),
                    claims.Operand("b", float(second), trials[1]),
                )
            )
        decided = [outcome is True for outcome in claims.compare_pairs("check", check, series)]
        assert list(holding[:, replicate]) == decided


def test_a_clear_order_is_reproduced_and_a_tie_is_not() -> None:
    check = {"kind": "above", "left": [source("a")], "right": [source("b")]}
    clear = simulated(check, item("p.a", 60.0, source("a")), item("p.b", 50.0, source("b")))
    tie = simulated(check, item("p.a", 50.0, source("a")), item("p.b", 50.0, source("b")))
    assert clear is not None
    assert clear.mean() == 1.0
    assert tie is not None
    assert tie.mean() == pytest.approx(0.025, abs=0.01)


def test_a_number_without_trials_is_fixed() -> None:
    check = {"kind": "largest", "left": [source("a"), source("b")], "right": [source("c")]}
    items = [item("p.a", 60.0, source("a")), item("p.b", 50.0, source("b"), None), item("p.c", 40.0, source("c"))]
    outcome = simulated(check, *items)
    assert outcome is not None
    assert outcome.mean() == 1.0
    assert simulated({**check, "left": [source("b"), source("a")]}, *items) is not None


def test_mean_over_data_sets_is_tested_over_data_sets() -> None:
    roles = ("news", "other")
    items = [item(f"p.a.{role}", 60.0, source("a", role=role)) for role in roles]
    items += [item(f"p.b.{role}", 50.0, source("b", role=role)) for role in roles]
    check = {
        "kind": "above",
        "left": [source("a", role=role) for role in roles],
        "right": [source("b", role=role) for role in roles],
        "average": True,
    }
    outcome = simulated(check, *items)
    assert outcome is not None
    assert 0.5 < outcome.mean() < 1.0


def test_exceptions_are_allowed() -> None:
    check = {"kind": "above", "left": [source("a"), source("b")], "right": [source("b"), source("a")]}
    items = [item("p.a", 60.0, source("a")), item("p.b", 50.0, source("b"))]
    strict = simulated(check, *items)
    lenient = simulated({**check, "exceptions": 1}, *items)
    assert strict is not None
    assert strict.mean() == 0.0
    assert lenient is not None
    assert lenient.mean() == 1.0


@pytest.mark.parametrize(
    "items",
    [
        [item("p.a", 60.0, source("a"))],
        [item("p.a", 60.0, source("a"), None), item("p.b", 50.0, source("b"), None)],
    ],
    ids=["a number is not published", "no means over trials"],
)
def test_other_claims_are_not_simulated(items: list[Item]) -> None:
    assert simulated({"kind": "above", "left": [source("a")], "right": [source("b")]}, *items) is None


@pytest.mark.parametrize(("experiment", "is_simulated"), [("seeds", True), ("halves", True), ("pages", False)])
def test_the_overlap_of_the_splits_must_be_known(experiment: str, is_simulated: bool) -> None:
    first = source("a", experiment)
    second = source("b", experiment)
    outcome = simulated(
        {"kind": "above", "left": [first], "right": [second]}, item("p.a", 60.0, first), item("p.b", 50.0, second)
    )
    assert (outcome is not None) == is_simulated


def test_claims_of_a_paper_are_simulated_repeatably() -> None:
    numbers = [item("p.a", 51.0, source("a")), item("p.b", 50.0, source("b"))]
    printed = row(id="p.c", kind="claim", tolerance="order", source="check:order", value="", unit="", margin="")
    claim = Item(row=comparison_row(id="p.c", kind="claim", published="", reproduced="holds"), printed=printed)
    checks = {"order": {"kind": "above", "left": [source("a")], "right": [source("b")]}}
    _, cells = inputs(*numbers)
    first = simulate_claims([*numbers, claim], checks, SPEC, cells)
    second = simulate_claims([claim, *numbers], checks, SPEC, cells)
    assert list(first) == ["p.c"]
    np.testing.assert_array_equal(first["p.c"], second["p.c"])
    unjudged = replace(claim, row=replace(claim.row, verdict="data missing"))
    assert simulate_claims([*numbers, unjudged], checks, SPEC, cells) == {}
