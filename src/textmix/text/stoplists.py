"""Stop lists: words without topical content that are dropped before counting.

``smart`` is the list of the SMART retrieval system (G. Salton and C. Buckley, Cornell), as distributed in appendix 11
of Lewis, Yang, Rose & Li, JMLR 5 (2004): 571 lines, 570 words (``would`` occurs twice).  ``rainbow`` is its copy in
libbow (A. McCallum, stopwords.c): the 524 lines without an apostrophe, 523 words.  For the tokenizers ``letters`` and
``words`` both remove the same words.
"""

from __future__ import annotations

from importlib.resources import files

from textmix.core.errors import ConfigError

STOP_LISTS = ("none", "smart", "rainbow")


def stop_words(name: str) -> frozenset[str]:
    """Return the words of a stop list, in lower case."""
    if name not in STOP_LISTS:
        raise ConfigError(f"features: stop_list: {name!r} is unknown; choose one of {', '.join(STOP_LISTS)}")
    if name == "none":
        return frozenset()
    return frozenset((files("textmix.text") / "stoplists" / f"{name}.txt").read_text(encoding="ascii").split())
