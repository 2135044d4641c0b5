"""Numbers in texts of pages, as people write them."""

from __future__ import annotations

import re


def with_minus(text: str) -> str:
    """Return a text with a minus sign in place of the hyphen before a negative number."""
    return re.sub(r"(?<![\w.,)-])-(?=\.?\d)", "−", text)
