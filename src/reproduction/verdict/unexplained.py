"""The rows that differ and are not explained: no cause is known, or no reading reaches the printed value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reproduction.flow.curves import Curve
from reproduction.verdict.causes import Cause
from reproduction.verdict.items import Item
from reproduction.verdict.words import short
from textmix.pages.rendering import with_minus

#: Beginning of the sentence of a cause that is none.
NOT_EXPLAINED = "Not explained."


@dataclass(frozen=True)
class Unexplained:
    """A number or claim that differs, why it counts as not explained, and what was tried, in sentences: the rest of the
    cause, and the values of the readings.
    """

    item: Item
    why: str
    tried: str = ""


def unexplained(differing: Iterable[Item], causes: Mapping[str, Cause], curves: Iterable[Curve]) -> list[Unexplained]:
    """Return the items that differ and are not explained, in their order; ``causes`` maps id -> what ``explains``
    gives, and ``curves`` are those that were drawn.
    """
    drawn = {curve.row: curve for curve in curves}
    found = []
    for item in differing:
        curve, cause = drawn.get(item.cell.id), causes.get(item.cell.id)
        outside = curve is not None and curve.holds is False
        unknown = cause is None or cause.because.startswith(NOT_EXPLAINED)
        if outside or unknown:
            finding = curve.sentence if curve and curve.span else ""
            remark = cause.because.removeprefix(NOT_EXPLAINED).strip() if cause and unknown else ""
            why = _joined("No cause is known." if unknown else "", finding)
            found.append(Unexplained(item, why, _joined(remark, _tried(curve))))
    return found


def _joined(*sentences: str) -> str:
    """Return the sentences that are not empty as one text."""
    return " ".join(filter(None, sentences))


def _tried(curve: Curve | None) -> str:
    """Return the values of the readings of a row, in a sentence."""
    if curve is None or curve.span is None:
        return ""
    factors = ", ".join(curve.readings[0].levels)
    least, most = (with_minus(short(end)) for end in curve.span)
    values = "distances from the boundary of the claim" if curve.is_claim else "values"
    return f"The readings vary {factors}; their {values} are {least} to {most}."
