"""The verdicts by name, and numbers as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

#: Verdicts in the order of the page.
VERDICTS = ("reproduced", "differs", "undecided", "data missing", "not run", "open")
REPRODUCED, DIFFERS, UNDECIDED, MISSING, NOT_RUN, OPEN = VERDICTS
#: Verdicts of values that were judged.
JUDGED = (REPRODUCED, DIFFERS, UNDECIDED)
#: A number below this is written with a power of ten, unless the printed one has that many decimals.
_SMALL, _DECIMALS = 1e-5, 6


def closing_line(report: str, counts: Mapping[str, int], page: str) -> str:
    """Return the sentence with which a run ends: the counts of a report's verdicts, but for zeros, and its page."""
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts.get(verdict))
    return f"{report}: {tally or 'no number and no claim'}; {page}"


def number(text: Any) -> float | None:
    """Return a cell of a comparison (text, number or None) as a number, or None where it is empty or a word."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def typeset(text: str) -> str:
    """Return a text with numbers such as ``1.16e-18`` as people write them, ``1.16 × 10⁻¹⁸``."""
    return re.sub(r"(?<=\d)e([+-]?)0*(\d+)\b", _power, text)


def _power(found: re.Match[str]) -> str:
    return f" × 10{(found[1].replace('+', '') + found[2]).translate(_SUPERSCRIPTS)}"


def decimals(printed: str) -> int:
    """Return the number of decimals of a number as printed: 4 for ``1.5e-3``, 0 for a whole number or a word."""
    _, _, fraction = printed.lower().partition("e")[0].partition(".")
    exponent = printed.lower().partition("e")[2]
    return max(0, len(fraction) - int(exponent or 0)) if number(printed) is not None else 0


def short(value: float, sign: str = "") -> str:
    """Return a number with at most four significant digits and no trailing zeros after the decimal point.  An absolute
    value below 1e-4 or from 1e7 on has three digits in scientific notation; inf and nan stand as words.
    """
    if not math.isfinite(value) or (value and not 1e-4 <= abs(value) < 1e7):
        return f"{value:{sign}.3g}"
    digits = 3 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:{sign}.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first names and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def with_deviation(value: str, deviation: str) -> str:
    """Return ``value ± deviation``, or the value alone where one of them is empty."""
    return f"{value} ± {deviation}" if value and deviation else value


def shown(value: Any, printed: str, significant: int = 3) -> str:
    """Return a value as text, with the decimals of the published number and thousands separated by commas.  It gets
    more decimals where it needs them for its ``significant`` digits, unless it is the published one or a whole number.
    Words, inf and nan stay, None is empty.
    """
    amount = number(value)
    if amount is None or not math.isfinite(amount):
        return text_of(value)
    places = decimals(printed)
    if text_of(value) != printed and not amount.is_integer():
        if abs(amount) < _SMALL and places < _DECIMALS:
            return typeset(f"{amount:.{significant - 1}e}")
        places = max(places, significant - 1 - math.floor(math.log10(abs(amount))))
    return f"{amount:,.{places}f}"


def text_of(value: Any) -> str:
    """Return a value of a comparison row as text; empty for None."""
    return "" if value is None else str(value)
