"""A synthetic encoder for tests: vectors of texts that depend on their letters alone.  It is no pretrained network."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from zlib import crc32

import numpy as np

#: Length of a vector.
LENGTH = 24


def encode(texts: Sequence[str]) -> list[list[float]]:
    """Return for each text the sums of pseudo-random vectors of its words, divided by their number."""
    found = np.zeros((len(texts), LENGTH))
    for row, text in enumerate(texts):
        for word in text.split():
            found[row] += np.random.default_rng(crc32(word.encode())).normal(0, 1, LENGTH)
        found[row] /= max(len(text.split()), 1)
    return [list(map(float, vector)) for vector in found]


#: The same encoder as an object, as packages of encoders give it, and encoders that are wrong.
model = SimpleNamespace(encode=encode)
short = SimpleNamespace(encode=lambda texts: np.zeros((1, 3)))
endless = SimpleNamespace(encode=lambda texts: np.full((len(texts), 2), np.inf))
number = 3
