"""The picture of all numbers: rebuilt beside published, one line a number, one panel a paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reproduction.verdict.items import Item, Relative
from reproduction.verdict.published import NUMBER

#: Largest relative difference that the axis shows; a larger one is drawn at its end.
LIMIT = 1.0
#: Half-width of the part of the axis that is nearly linear.
LINEAR = 0.01
#: Relative differences at which the axis has a mark.
TICKS = (-0.5, -0.1, -0.02, 0.0, 0.02, 0.1, 0.5)
#: Distance of two lines in pixels: the panel of many numbers is denser.
WIDE, NARROW = 8.0, 4.0
_MANY = 90


@dataclass(frozen=True)
class Line:
    """One number of the picture; positions are per cent of the width.

    Parameters
    ----------
    item : the number.
    y : its height in pixels.
    x, low, high : places of the rebuilt number and of the ends of its interval.
    least, most : places of the ends of the tolerance; equal where it allows no difference or is open.
    beyond : -1, 0 or 1: the number lies left of the axis, on it or right of it.
    """

    item: Item
    y: float
    x: float
    low: float
    high: float
    least: float
    most: float
    beyond: int


@dataclass(frozen=True)
class Panel:
    """The judged numbers of one paper by relative difference.

    Parameters
    ----------
    lines : the numbers.
    pitch : distance of two lines in pixels.
    """

    lines: Sequence[Line]
    pitch: float

    @property
    def height(self) -> float:
        """Height in pixels."""
        return self.pitch * (len(self.lines) + 1)


def place(relative: float) -> float:
    """Return the place of a relative difference on the axis in per cent of its width: 50 for none.

    The axis is linear near 0 and logarithmic far from it (``sign(r) log(1 + |r| / LINEAR)``).
    """
    clipped = min(abs(relative), LIMIT)
    share = math.log1p(clipped / LINEAR) / math.log1p(LIMIT / LINEAR)
    return round(50 + 50 * math.copysign(share, relative), 2)


def ticks() -> list[tuple[str, float]]:
    """Return label and place of each mark of the axis."""
    return [(f"{100 * tick:+.0f} %".replace("-", "−") if tick else "0", place(tick)) for tick in TICKS]


def panel(items: Iterable[Item], pitch: float) -> Panel:
    """Return the panel of a paper.

    Parameters
    ----------
    items : its items; see `is_drawn`.
    pitch : distance of two lines in pixels.
    """
    drawn = [(item.relative, item) for item in items if is_drawn(item) and item.relative is not None]
    drawn.sort(key=lambda pair: (pair[0].difference, pair[1].cell.id))
    return Panel([_line(found, item, pitch * (rank + 1)) for rank, (found, item) in enumerate(drawn)], pitch)


def is_drawn(item: Item) -> bool:
    """Return whether an item is a judged number that has a place in the picture.

    A number of one part of the data is judged by the range over all parts, not by its distance from the rebuilt median,
    so that its place would say nothing.
    """
    return item.kind == NUMBER and item.judged and item.relative is not None and item.tolerance != "range"


def pitch_of(count: int) -> float:
    """Return the distance of two lines, in pixels, in a picture of a number of items."""
    return WIDE if count <= _MANY else NARROW


def _line(found: Relative, item: Item, y: float) -> Line:
    """Return an item and its relative difference as a line of the picture."""
    beyond = 0 if abs(found.difference) <= LIMIT else int(math.copysign(1, found.difference))
    x, low, high = place(found.difference), place(found.low), place(found.high)
    return Line(item, y, x, low, high, place(-found.allowed), place(found.allowed), beyond)
