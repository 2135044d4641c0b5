"""Expected verdicts of a perfect replication, replication criteria and main claims."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.evidence import Evidence
from reproduction.verdict.main_claims import answer_claims, experience_of, rows_of_claim
from reproduction.verdict.page import Report, render_numbers, render_paper
from reproduction.verdict.paper_section import PaperSection
from reproduction.verdict.published import Record
from reproduction.verdict.reference_check import check_record
from reproduction.verdict.replication import Counts, scorecard
from reproduction.verdict.report_rows import Item
from reproduction.verdict.resolve import Reproduced
from reproduction.verdict.wording import (
    CRITERION_NOT_DIFFERENT,
    CRITERION_OURS_IN_THEIRS,
    CRITERION_THEIRS_IN_OURS,
    DIFFERS,
    NO,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    YES,
)
from reproduction.verdict.yardstick import N_REPLICATES, Cell, Yardstick, holm_columns
from tests.verdict.reporting import comparison_row, row
from textmix.core.config import validate
from textmix.core.errors import ConfigError
from textmix.metrics.significance import LEVEL, holm

SCHEMA = Path(__file__).parents[2] / "workflow/schemas/paper.schema.yaml"
#: Half-width of a 99.9 % interval of a simulated probability.
MAX_ERROR = 3.3 * 0.5 / math.sqrt(N_REPLICATES)


def item(name: str = "p.x", reproduced: float = 50.0, verdict: str = REPRODUCED, **cells: str) -> Item:
    """Return a judged mean over ten trials, published as a mean over five."""
    published = {"unit": "percent", "value": "50.0", "spread": "1.0", "trials": "5", "margin": "2", **cells}
    printed = row(id=name, **published)
    judged = comparison_row(
        id=name,
        published=printed.value,
        published_sd=printed.spread,
        unit=printed.unit,
        method=printed.method,
        artefact=printed.artefact,
        reproduced=reproduced,
        reproduced_sd=1.5,
        trials=10,
        verdict=verdict,
        corrected=verdict,
    )
    return Item(row=judged, printed=printed)


def cell(**cells: Any) -> Cell:
    """Return the cell of `item`."""
    made = item(**cells)
    assert made.printed is not None
    result = Cell.of(made.row, made.printed)
    assert result is not None
    return result


def naive_verdicts(simulated: Cell, n_replicates: int) -> list[str]:
    """Judge each simulated replication by the code that judges a single row."""
    verdicts = []
    for replicate in range(n_replicates):
        means = simulated.simulated
        spread = ""
        if means.published_variance is not None:
            spread = repr(float(means.published_variance[replicate]) ** 0.5)
        printed = replace(simulated.printed, value=repr(float(means.published[replicate])), spread=spread)
        deviation = float(means.variance[replicate]) ** 0.5
        reproduced = Reproduced(float(means.reproduced[replicate]), deviation, int(simulated.ours.n))
        verdicts.append(Evidence(printed, reproduced).verdict)
    return verdicts


@pytest.mark.parametrize(
    "cells",
    [
        {},
        {"margin": "1"},
        {"margin": "3%"},
        {"spread": "", "trials": "3"},
        {"spread": "", "trials": "1"},
        {"spread": "", "trials": ""},
    ],
    ids=["means", "narrow", "relative", "unknown spread", "single run", "exact"],
)
def test_simulation_judges_like_a_row(cells: dict[str, str]) -> None:
    simulated = cell(**cells)
    expected = naive_verdicts(simulated, 200)
    verdicts = [
        REPRODUCED if is_reproduced else DIFFERS if is_different else UNDECIDED
        for is_reproduced, is_different in zip(simulated.is_reproduced, simulated.is_different, strict=True)
    ]
    assert verdicts[:200] == expected


@pytest.mark.parametrize("spread", ["1.0", ""])
def test_difference_is_not_significant_with_the_confidence_of_the_test(spread: str) -> None:
    # Without a published standard deviation the test is Student's and exact; Welch's is nearly so.
    simulated = cell(spread=spread)
    probability = float(np.mean(simulated.simulated_p_values[0] >= LEVEL))
    assert probability == pytest.approx(1 - LEVEL, abs=MAX_ERROR + (0.003 if spread else 0.0))


def test_probability_of_equivalence_with_exact_published_value() -> None:
    # Reference: 90 % interval of our mean inside the margin, by direct simulation of ten trials.
    simulated = cell(spread="", trials="", margin="1")
    rng = np.random.default_rng(1)
    trials = rng.normal(50.0, 1.5, (20_000, 10))
    half_width = 1.8331129 * trials.std(axis=1, ddof=1) / math.sqrt(10)
    expected = np.mean(np.abs(trials.mean(axis=1) - 50.0) + half_width < 1.0)
    assert simulated.probability == pytest.approx(float(expected), abs=2 * MAX_ERROR)


def test_probability_does_not_depend_on_the_observed_difference_or_other_rows() -> None:
    near = Yardstick.of([item(reproduced=50.0), item("p.y")])
    far = Yardstick.of([item(reproduced=57.0, verdict=DIFFERS)])
    assert near.probability("p.x") == far.probability("p.x")
    assert near.probability("p.x") == Yardstick.of([item(reproduced=50.0)]).probability("p.x")


def test_wide_and_narrow_margins() -> None:
    assert cell(margin="20").probability == 1.0
    yardstick = Yardstick.of([item(margin="0.2")])
    assert yardstick.probability("p.x") < 0.01
    assert not yardstick.is_decidable("p.x")
    assert yardstick.is_decidable("row without trials")


def test_rows_without_trials_count_with_probability_one() -> None:
    expected = Yardstick.of([item(margin="20")]).expected(["p.x", "claim", "p.deterministic"])
    assert (expected.mean, expected.p5, expected.p95) == (3.0, 3.0, 3.0)
    assert (expected.rows_by_simulation, expected.rows_with_probability_one, expected.undecidable) == (1, 2, 0)


def test_values_that_are_not_means_are_not_simulated() -> None:
    exact = item(tolerance="exact", margin="")
    settled = replace(exact.row, reproduced=None, verdict="data missing")
    claim = replace(exact.row, reproduced="holds", reproduced_sd=None, trials=None)
    assert exact.printed is not None
    assert all(Cell.of(unsimulated, exact.printed) is None for unsimulated in (exact.row, settled, claim))


def test_holm_by_columns_equals_holm() -> None:
    p = np.random.default_rng(0).uniform(size=(5, 7)) ** 3
    adjusted = holm_columns(p)
    for column in range(7):
        np.testing.assert_allclose(adjusted[:, column], holm(p[:, column]))


def test_scorecard_counts_and_criteria() -> None:
    items = [
        item("p.a", 50.1, method="A"),
        item("p.b", 58.0, DIFFERS, method="B"),
        item("p.c", 40.0, method="C", value="40.0", margin="0.2"),
    ]
    card = scorecard(items, ["p.a", "p.b"], [], Yardstick.of(items))
    assert card.headline.counts == Counts(evaluated=3, reproduced=2, differs=1, undecided=0)
    assert card.undecidable_rows == ["p.c"]
    assert card.decidable.counts.evaluated == 2
    assert (card.own_methods.reproduced, card.own_methods.of) == (1, 2)
    assert card.agreement.median_absolute_difference == pytest.approx(0.1)
    criteria = {criterion.name: criterion for criterion in card.criteria}
    for name in (CRITERION_NOT_DIFFERENT, CRITERION_THEIRS_IN_OURS, CRITERION_OURS_IN_THEIRS):
        assert (criteria[name].count, criteria[name].of) == (2, 3)
        assert criteria[name].expected == pytest.approx(2.85, abs=0.05)
    assert (card.holm.tests, card.holm.surviving) == (3, 2)
    content = card.as_json()
    assert content["expected"]["undecidable"] == 1
    assert content["decidable"]["evaluated"] == 2


def test_an_empty_scorecard_has_no_sentences() -> None:
    content = scorecard([], [], [], Yardstick()).as_json()
    assert content["evaluated"] == 0
    assert content["sentences"] == []


def judged(name: str, verdict: str) -> Item:
    return Item(row=comparison_row(id=name, verdict=verdict))


@pytest.mark.parametrize(
    ("verdicts", "answer"),
    [
        ((REPRODUCED, REPRODUCED), YES),
        ((REPRODUCED, DIFFERS), NO),
        (("data missing", DIFFERS), NO),
        ((REPRODUCED, UNDECIDED), NOT_TESTABLE),
        ((REPRODUCED, "data missing"), NOT_TESTABLE),
    ],
)
def test_a_main_claim_is_answered_from_its_rows(verdicts: tuple[str, str], answer: str) -> None:
    items = [judged("p.c1", verdicts[0]), judged("p.c2", verdicts[1]), judged("p.t", DIFFERS)]
    (claim,) = answer_claims([{"text": "It works.", "rows": ["p.c*"]}], items, "paper.yaml: main_claims")
    assert claim.answer == answer
    assert claim.rows == ["p.c1", "p.c2"]
    assert all(verdict == REPRODUCED or verdict in claim.reason for verdict in verdicts)


def test_claim_without_a_named_data_set_is_not_said_to_lack_data() -> None:
    items = [judged("p.c1", "data missing"), judged("p.c2", REPRODUCED)]
    claims = [{"text": "It works.", "rows": ["p.c1"]}, {"text": "It is fast.", "rows": ["p.c2"]}]
    unjudged, other = answer_claims(claims, items, "paper.yaml: main_claims", unnamed={"p.c1"})
    assert unjudged.answer == NOT_TESTABLE
    assert "names no data set" in unjudged.reason and "data missing" not in unjudged.reason
    assert other.answer == YES and "data set" not in other.reason


def test_a_main_claim_names_existing_rows() -> None:
    with pytest.raises(ConfigError, match=r"main_claims: .*'p.c3'.*p.c1"):
        rows_of_claim({"rows": ["p.c3"]}, ["p.c1", "other"], "main_claims")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"main_claims": [{"text": "It works.", "rows": ["p.missing"]}]}, r"main_claims, entry 1: .*'p.missing'"),
        ({"limitations": ["Only {p.missing} of it."]}, r"limitations: .*'p.missing'"),
    ],
)
def test_references_of_the_claims_and_texts_are_checked(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    spec = {"roles": ["news"], "tables": {}, "figures": {}, "experiments": {}, "measures": {}, **keys}
    printed = row(source="", tolerance="open", margin="")
    with pytest.raises(ConfigError, match=message):
        check_record(Record((printed,), {}, ()), spec, tmp_path, tmp_path / "tests")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"main_claims": [{"text": "It works."}]}, "rows"),
        ({"main_claims": [{"text": "It works.", "rows": []}]}, "main_claims"),
        ({"easy": "All of it."}, "easy"),
    ],
)
def test_schema_rejects_incomplete_claims_and_texts(keys: dict[str, Any], message: str) -> None:
    spec = {
        "title": "A paper",
        "citation": "A. Author, 2002.",
        "status": "built",
        "order": 1,
        "roles": ["news"],
        "features": {},
        "splits": {},
    }
    validate(spec, SCHEMA, "paper.yaml")
    with pytest.raises(ConfigError, match=message):
        validate({**spec, **keys}, SCHEMA, "paper.yaml")


def test_a_text_with_a_missing_result_is_dropped() -> None:
    def quote(text: str, location: str) -> str:
        if "{" in text:
            raise ConfigError(f"{location}: no value")
        return text.upper()

    spec = {"easy": ["all", "{p.x} of it"], "hard": ["none"]}
    assert experience_of(spec, quote) == {"easy": ["ALL"], "hard": ["NONE"], "deviations": [], "limitations": []}


def test_recorded_rows_keep_their_number_of_trials() -> None:
    printed = row(unit="percent", value="50.0", spread="1.0", trials="5", margin="2")
    recorded: ComparisonRow = item().row
    waiting = Item(row=replace(recorded, verdict="data missing", reproduced=None), recorded=recorded, printed=printed)
    assert Yardstick.of([waiting]).probability("p.x") == cell().probability


def test_pages_show_yardstick_claims_and_texts() -> None:
    items = [
        item("p.a", 50.1, method="A"),
        item("p.c", 40.0, method="C", value="40.0", margin="0.2"),
    ]
    spec = {
        "title": "A paper",
        "citation": "A. Author, 2002.",
        "status": "built",
        "main_claims": [{"text": "A is better than C.", "rows": ["p.a"]}],
    }
    section = PaperSection(name="p", spec=spec, items=items, experience={"easy": ["Nearly all of it."]})
    report = Report(sections=[section], remedies={})
    assert list(report.undecidable) == ["p.c"]
    assert report.undecidable["p.c"] in render_numbers(report)
    assert report.summary["papers"]["p"]["main_claims"][0]["answer"] == YES
    assert report.summary["overall"]["main_claims"] == {YES: 1, NO: 0, NOT_TESTABLE: 0}
    page = render_paper(report, "p")
    assert "A is better than C." in page
    assert "Nearly all of it." in page
