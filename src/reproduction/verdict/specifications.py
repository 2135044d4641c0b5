"""Specification curves: the value of a published row under each registered alternative.

The locators and margins are the same as for the verdict of the row, but no verdict depends on these values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from reproduction.flow.alternatives import GridPoint, SpecificationGrid
from reproduction.flow.curves import CLAIM_UNIT, Curve, CurvePoint
from reproduction.flow.locators import parse_locator
from reproduction.flow.results import Results, rounded
from reproduction.verdict.claims import distance, evaluate
from reproduction.verdict.compare import in_unit_of
from reproduction.verdict.evidence import slack
from reproduction.verdict.published import Check, Published
from reproduction.verdict.resolve import locate
from reproduction.verdict.wording import decimals
from textmix.core.errors import ConfigError, MissingResult


def curve_of(row: Published, grid: SpecificationGrid, checks: Mapping[str, Check], results: Results) -> Curve:
    """Compute the specification curve of a published row, over all its alternatives."""
    if row.check is not None:
        check = checks[row.check]
        points = [_evaluate_claim(row.check, check, point, results) for point in grid.points]
        return Curve(row.id, grid.name, CLAIM_UNIT, 0.0, 0.0, 0.0, math.inf, points, grid.product)
    if row.tolerance not in ("exact", "near"):
        raise ConfigError(f"choices.yaml: {row.id}: has the tolerance {row.tolerance}; name rows exact or near")
    target = float(row.value)
    margin = slack(row, target)
    low = target - margin
    high = target + margin
    half_unit = 0.5 * 10.0 ** -decimals(row.value)
    points = [_reproduce(row, point, results, target, margin) for point in grid.points]
    return Curve(row.id, grid.name, row.unit, target, half_unit, low, high, points, grid.product)


def _reproduce(row: Published, point: GridPoint, results: Results, target: float, margin: float) -> CurvePoint:
    """Reproduce a published value under one alternative."""
    locator = row.locator
    assert locator is not None  # noqa: S101 - choices.yaml names only rows with a source
    try:
        stored = locate(results, point.redirect(locator))
        reproduced = in_unit_of(row, locator, stored)
    except MissingResult as missing:
        return CurvePoint(point.levels, None, inside=False, reason=missing.reason)
    value = rounded(float(reproduced.value))
    is_inside = abs(value - target) <= margin
    n_trials = len(reproduced.trials.values) if reproduced.trials is not None else None
    spread = rounded(reproduced.standard_deviation)
    return CurvePoint(point.levels, value, is_inside, spread=spread, trials=n_trials)


def _evaluate_claim(name: str, check: Check, point: GridPoint, results: Results) -> CurvePoint:
    """Evaluate a claim under one alternative: signed distance from its boundary, and whether it is satisfied."""
    alternative = dict(check)
    for side in ("left", "right"):
        if side in check:
            locators = [parse_locator(text, name) for text in check[side]]
            alternative[side] = [str(point.redirect(locator)) for locator in locators]
    outcome = evaluate(name, alternative, results)
    if outcome.missing:
        return CurvePoint(point.levels, None, inside=False, reason=outcome.missing[0].reason)
    value = rounded(distance(name, alternative, results))
    return CurvePoint(point.levels, value, inside=outcome.holds is True)
