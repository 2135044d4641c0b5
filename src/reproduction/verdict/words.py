"""The verdicts by name, and numbers as text."""

from __future__ import annotations

import math
import re
from typing import Any

#: Verdicts in the order of the page.
VERDICTS = ("reproduced", "differs", "undecided", "data missing", "not run", "open")
REPRODUCED, DIFFERS, UNDECIDED, MISSING, NOT_RUN, OPEN = VERDICTS
#: Verdicts of values that were judged.
JUDGED = (REPRODUCED, DIFFERS, UNDECIDED)


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
    """Return the power of ten of a number in scientific notation."""
    return f" × 10{(found[1].replace('+', '') + found[2]).translate(_SUPERSCRIPTS)}"


def decimals(printed: str) -> int:
    """Return the number of decimals of a number as printed: 4 for ``1.5e-3``, 0 for a whole number or a word."""
    _, _, fraction = printed.lower().partition("e")[0].partition(".")
    exponent = printed.lower().partition("e")[2]
    return max(0, len(fraction) - int(exponent or 0)) if number(printed) is not None else 0


def short(value: float, sign: str = "") -> str:
    """Return a number with at most four significant digits and no trailing zeros after the decimal point.

    An absolute value below 1e-4 or from 1e7 on has three digits in scientific notation; inf and nan stand as words.

    Parameters
    ----------
    value : the number.
    sign : ``+`` to show the sign of a positive number too.
    """
    if not math.isfinite(value) or (value and not 1e-4 <= abs(value) < 1e7):
        return f"{value:{sign}.3g}"
    digits = 3 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:{sign}.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
