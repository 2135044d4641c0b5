"""The rows that differ and are not explained: without a cause, or outside the span of their readings."""

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
    """A number or claim that differs and is not explained.

    Parameters
    ----------
    item : the number or claim.
    why : why it counts as not explained, one clause.
    tried : what was tried, in words: what its cause says beside, and what its readings gave; may be empty.
    """

    item: Item
    why: str
    tried: str = ""


def unexplained(differing: Iterable[Item], causes: Mapping[str, Cause], curves: Iterable[Curve]) -> list[Unexplained]:
    """Return the items that differ and are not explained, in their order.

    Parameters
    ----------
    differing : the numbers and claims that differ.
    causes : id -> the cause that ``explains`` gives, for the rows that have one.
    curves : the specification curves that were drawn.
    """
    drawn = {curve.row: curve for curve in curves}
    found = []
    for item in differing:
        curve, cause = drawn.get(item.cell.id), causes.get(item.cell.id)
        outside = curve is not None and curve.holds is False
        unknown = cause is None or cause.because.startswith(NOT_EXPLAINED)
        if outside or unknown:
            why = ("no cause is known" if unknown else "", curve.counted if curve and curve.span else "")
            remark = cause.because.removeprefix(NOT_EXPLAINED).strip() if cause and unknown else ""
            found.append(
                Unexplained(item, "; ".join(filter(None, why)), " ".join(filter(None, (remark, _tried(curve)))))
            )
    return found


def _tried(curve: Curve | None) -> str:
    """Return what the readings of a row gave, in words."""
    if curve is None or curve.span is None:
        return ""
    factors = ", ".join(curve.readings[0].levels)
    least, most = (with_minus(short(end)) for end in curve.span)
    boundary = " from its boundary" if curve.is_claim else ""
    return f"{len(curve.made)} readings ({factors}): {least} to {most}{boundary}"
