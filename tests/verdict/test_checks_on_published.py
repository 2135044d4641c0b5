"""The published tables satisfy the checks of the claims that the paper makes about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reproduction.flow.locators import Locator, ScoreLocator
from reproduction.verdict import claims
from reproduction.verdict.published import Check, Published, read_claims
from reproduction.verdict.resolve import Reproduced, Trials

ROOT = Path(__file__).parents[2]
PAPERS = sorted(path.name for path in (ROOT / "config/papers").iterdir() if path.is_dir())
#: Number of trials of a published mean whose number of trials is not given.
DEFAULT_TRIALS = 5
#: Unit of a published value -> factor to the stored unit.
TO_STORED_UNIT = {"percent": 0.01, "minutes": 60.0}


def published_cell(row: Published) -> Reproduced:
    """Return a published value as if it were reproduced, with trials of the published mean and deviation."""
    factor = TO_STORED_UNIT.get(row.unit, 1.0)
    value = float(row.value) * factor
    locator = row.locator
    if not row.spread or not isinstance(locator, ScoreLocator):
        return Reproduced(value)
    n_trials = int(row.trials or DEFAULT_TRIALS)
    noise = np.random.default_rng(row.line).standard_normal(n_trials)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    values = value + float(row.spread) * factor * noise
    # The trials of all methods are independent, which makes a paired test conservative.
    return Reproduced(value, trials=Trials(values.tolist(), f"{locator.role} {n_trials}", 0.0))


def checks_on_published() -> Iterator[tuple[str, str, Check, dict[str, Reproduced]]]:
    """Yield paper, name and content of each check, with the published cells of the paper by locator."""
    for paper in PAPERS:
        rows, checks = read_claims(ROOT / "config/papers" / paper, ROOT / "workflow/schemas")
        cells = {
            str(row.locator): published_cell(row)
            for row in rows
            if row.kind == "number" and row.value and row.tolerance != "order" and row.source
        }
        for name, check in checks.items():
            if all(text in cells for side in ("left", "right") for text in check.get(side, ())):
                yield paper, name, check, cells


CHECKS = list(checks_on_published())


@pytest.mark.parametrize(("paper", "name", "check", "cells"), CHECKS, ids=[f"{c[0]}-{c[1]}" for c in CHECKS])
def test_published_values_satisfy_the_check(
    paper: str, name: str, check: Check, cells: dict[str, Reproduced], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A paper orders its means without a test; only significance and equivalence need the published deviations.
    is_tested = check["kind"] in ("significant", "near")

    def locate(_: object, locator: Locator) -> Reproduced:
        cell = cells[str(locator)]
        return cell if is_tested else replace(cell, trials=None)

    monkeypatch.setattr(claims, "locate", locate)
    monkeypatch.setattr(claims, "roles_of_check", lambda *_: [])
    outcome = claims.evaluate(name, check, None)  # type: ignore[arg-type]
    has_spreads = all(cells[text].trials for side in ("left", "right") for text in check.get(side, ()))
    if check["kind"] == "significant" and not has_spreads and not check.get("average"):
        # Significance cannot be computed from published means without a deviation.
        assert outcome.holds is not False
    else:
        assert outcome.holds is True, outcome.pairs_text


def test_the_checks_of_all_papers_with_published_tables_are_covered() -> None:
    assert {paper for paper, *_ in CHECKS} >= {"pmm", "cbm", "edcm", "skipgrams"}
