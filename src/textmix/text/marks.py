"""The marks of start and end of a document, which skip-grams may hold as words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged

#: The marks of start and end of a document, as words of skip-grams.
MARKS = ("<s>", "</s>")


def with_marks(tokens: Ragged, words: Sequence[str]) -> tuple[Ragged, list[str]]:
    """Return documents between the marks of start and end, and the words with the two marks after them.

    Parameters
    ----------
    tokens : N documents of ids into ``words``.
    words : V words.

    Raises
    ------
    ConfigError : a word is a mark.
    """
    if taken := set(MARKS) & set(words):
        raise ConfigError(f"skip-grams: marks: the text has the word {min(taken)}; leave the marks out")
    values, offsets = np.asarray(tokens.values), np.asarray(tokens.offsets, dtype=np.int64)
    places = np.repeat(offsets, 2)[1:-1].reshape(-1, 2)
    marked = np.insert(values, places.ravel(), np.tile([len(words), len(words) + 1], len(places)))
    return Ragged(marked.astype(values.dtype), offsets + 2 * np.arange(len(offsets))), [*words, *MARKS]
