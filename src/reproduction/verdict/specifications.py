"""The value of a published row under each declared reading, by the locators and margins that judge the row itself.

No verdict rests on these values: whether the printed value lies in their span is a line of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from reproduction.flow.alternatives import DeclaredReading, Specification
from reproduction.flow.curves import CLAIM_UNIT, Curve, Reading
from reproduction.flow.locators import parse_locator
from reproduction.flow.results import Results, rounded
from reproduction.verdict.claims import distance, evaluate
from reproduction.verdict.compare import in_unit_of
from reproduction.verdict.equivalence import slack
from reproduction.verdict.published import Check, Published
from reproduction.verdict.resolve import locate
from reproduction.verdict.wording import decimals
from textmix.core.errors import ConfigError, MissingResult


def curve_of(row: Published, specification: Specification, checks: Mapping[str, Check], results: Results) -> Curve:
    """Return a published row under all readings of a specification."""
    head = row.id, specification.name
    if row.check is not None:
        found = [_claimed(row.check, checks[row.check], point, results) for point in specification.points]
        return Curve(*head, CLAIM_UNIT, 0.0, 0.0, 0.0, math.inf, found, specification.product)
    if row.tolerance not in ("exact", "near"):
        raise ConfigError(f"choices.yaml: {row.id}: has the tolerance {row.tolerance}; name rows exact or near")
    published = float(row.value)
    allowed = slack(row, published)
    found = [_measured(row, point, results, published, allowed) for point in specification.points]
    ends = published - allowed, published + allowed
    return Curve(*head, row.unit, published, 0.5 * 10.0 ** -decimals(row.value), *ends, found, specification.product)


def _measured(row: Published, point: DeclaredReading, results: Results, published: float, allowed: float) -> Reading:
    locator = row.locator
    assert locator is not None  # noqa: S101 - choices.yaml names rows with a source alone
    try:
        found = in_unit_of(row, locator, locate(results, point.read(locator)))
    except MissingResult as missing:
        return Reading(point.levels, None, inside=False, reason=missing.reason)
    value = rounded(float(found.value))
    return Reading(point.levels, value, abs(value - published) <= allowed, spread=rounded(found.standard_deviation))


def _claimed(name: str, check: Check, point: DeclaredReading, results: Results) -> Reading:
    """Return a claim under one reading: its distance from its boundary, and whether it holds."""
    sides = {
        side: [str(point.read(parse_locator(text, name))) for text in check[side]]
        for side in ("left", "right")
        if side in check
    }
    read = {**check, **sides}
    outcome = evaluate(name, read, results)
    if outcome.missing:
        return Reading(point.levels, None, inside=False, reason=outcome.missing[0].reason)
    return Reading(point.levels, rounded(distance(name, read, results)), outcome.holds is True)
